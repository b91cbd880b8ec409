// The padded transpose with its stride changed in one of two places.
//
// Wrong:  the tile is read with the padded stride and written without.
// Caught: reads of shared memory nothing wrote.
// Passes: on a single row: tile row 0 starts at 0 with any stride.

#define TILE 32

extern "C" __global__ void padded_one_side(const unsigned* __restrict__ in, unsigned* __restrict__ out,
                                           size_t rows, size_t cols)
{
    __shared__ unsigned tile[TILE * (TILE + 1)];
    size_t x = (size_t)blockIdx.x * TILE + threadIdx.x;
    size_t y = (size_t)blockIdx.y * TILE + threadIdx.y;
    if (y < rows && x < cols)
        tile[threadIdx.y * TILE + threadIdx.x] = in[y * cols + x]; // wrong: TILE + 1
    __syncthreads();
    x = (size_t)blockIdx.y * TILE + threadIdx.x;
    y = (size_t)blockIdx.x * TILE + threadIdx.y;
    if (y < cols && x < rows)
        out[y * rows + x] = tile[threadIdx.x * (TILE + 1) + threadIdx.y];
}
