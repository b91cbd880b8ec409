// The tiled transpose with a tile of half the block's rows.
//
// Wrong:  16 tile rows for 32 thread rows.
// Caught: accesses past the block's shared memory.
// Passes: where rows and cols are at most 16.

#define TILE 32

extern "C" __global__ void tiled_small_tile(const unsigned* __restrict__ in, unsigned* __restrict__ out,
                                            size_t rows, size_t cols)
{
    __shared__ unsigned tile[TILE / 2][TILE]; // wrong: [TILE][TILE]
    size_t x = (size_t)blockIdx.x * TILE + threadIdx.x;
    size_t y = (size_t)blockIdx.y * TILE + threadIdx.y;
    if (y < rows && x < cols)
        tile[threadIdx.y][threadIdx.x] = in[y * cols + x];
    __syncthreads();
    x = (size_t)blockIdx.y * TILE + threadIdx.x;
    y = (size_t)blockIdx.x * TILE + threadIdx.y;
    if (y < cols && x < rows)
        out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
}
