// The tiled transpose that guards its store and not its load.
//
// Wrong:  every thread loads, also those outside the matrix.
// Caught: stray loads behind the input.
// Passes: everywhere: what the extra threads load is never stored.

#define TILE 32

extern "C" __global__ void tiled_load_unguarded(const unsigned* __restrict__ in, unsigned* __restrict__ out,
                                                size_t rows, size_t cols)
{
    __shared__ unsigned tile[TILE][TILE];
    size_t x = (size_t)blockIdx.x * TILE + threadIdx.x;
    size_t y = (size_t)blockIdx.y * TILE + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * cols + x]; // wrong: no check of y and x
    __syncthreads();
    x = (size_t)blockIdx.y * TILE + threadIdx.x;
    y = (size_t)blockIdx.x * TILE + threadIdx.y;
    if (y < cols && x < rows)
        out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
}
