// The tiled transpose with an early return for threads outside.
//
// Wrong:  a thread outside the input may have an output cell to write, and a barrier to reach.
// Caught: cells never written, a barrier that exited threads never reach.
// Passes: on squares of one tile, and where tiles fit the matrix exactly.

#define TILE 32

extern "C" __global__ void tiled_early_return(const unsigned* __restrict__ in, unsigned* __restrict__ out,
                                              size_t rows, size_t cols)
{
    __shared__ unsigned tile[TILE][TILE];
    size_t x = (size_t)blockIdx.x * TILE + threadIdx.x;
    size_t y = (size_t)blockIdx.y * TILE + threadIdx.y;
    if (y >= rows || x >= cols)
        return; // wrong: the barrier and the second half are still to come
    tile[threadIdx.y][threadIdx.x] = in[y * cols + x];
    __syncthreads();
    x = (size_t)blockIdx.y * TILE + threadIdx.x;
    y = (size_t)blockIdx.x * TILE + threadIdx.y;
    if (y < cols && x < rows)
        out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
}
