// The tiled transpose with its barrier inside the guard.
//
// Wrong:  threads outside the matrix never reach the barrier.
// Caught: divergent barriers, or barriers that some threads exit without.
// Passes: on squares of one tile, and where tiles fit the matrix exactly.

#define TILE 32

extern "C" __global__ void tiled_barrier_in_branch(const unsigned* __restrict__ in, unsigned* __restrict__ out,
                                                   size_t rows, size_t cols)
{
    __shared__ unsigned tile[TILE][TILE];
    size_t x = (size_t)blockIdx.x * TILE + threadIdx.x;
    size_t y = (size_t)blockIdx.y * TILE + threadIdx.y;
    if (y < rows && x < cols) {
        tile[threadIdx.y][threadIdx.x] = in[y * cols + x];
        __syncthreads(); // wrong: only some threads come here
    }
    x = (size_t)blockIdx.y * TILE + threadIdx.x;
    y = (size_t)blockIdx.x * TILE + threadIdx.y;
    if (y < cols && x < rows)
        out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
}
