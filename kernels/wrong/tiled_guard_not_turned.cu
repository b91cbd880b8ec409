// The tiled transpose whose store keeps the guard of the load.
//
// Wrong:  the output is cols x rows, and its guard still says rows x cols.
// Caught: cells never written, others written twice.
// Passes: on squares.

#define TILE 32

extern "C" __global__ void tiled_guard_not_turned(const unsigned* __restrict__ in, unsigned* __restrict__ out,
                                                  size_t rows, size_t cols)
{
    __shared__ unsigned tile[TILE][TILE];
    size_t x = (size_t)blockIdx.x * TILE + threadIdx.x;
    size_t y = (size_t)blockIdx.y * TILE + threadIdx.y;
    if (y < rows && x < cols)
        tile[threadIdx.y][threadIdx.x] = in[y * cols + x];
    __syncthreads();
    x = (size_t)blockIdx.y * TILE + threadIdx.x;
    y = (size_t)blockIdx.x * TILE + threadIdx.y;
    if (y < rows && x < cols) // wrong: y < cols && x < rows
        out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
}
