// The tiled transpose without its barrier.
//
// Wrong:  nothing makes a thread wait for the tile that others fill.
// Caught: races in shared memory.
// Passes: on a single row, whose one warp runs first on the machine.

#define TILE 32

extern "C" __global__ void tiled_no_barrier(const unsigned* __restrict__ in, unsigned* __restrict__ out,
                                            size_t rows, size_t cols)
{
    __shared__ unsigned tile[TILE][TILE];
    size_t x = (size_t)blockIdx.x * TILE + threadIdx.x;
    size_t y = (size_t)blockIdx.y * TILE + threadIdx.y;
    if (y < rows && x < cols)
        tile[threadIdx.y][threadIdx.x] = in[y * cols + x];
    // wrong: no __syncthreads()
    x = (size_t)blockIdx.y * TILE + threadIdx.x;
    y = (size_t)blockIdx.x * TILE + threadIdx.y;
    if (y < cols && x < rows)
        out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
}
