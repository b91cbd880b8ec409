// The tiled transpose that moves tiles and does not turn them.
//
// Wrong:  the tile is read in the order in which it was written.
// Caught: reads of shared memory nothing wrote.
// Passes: on one cell.

#define TILE 32

extern "C" __global__ void tiled_cells_not_turned(const unsigned* __restrict__ in, unsigned* __restrict__ out,
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
    if (y < cols && x < rows)
        out[y * rows + x] = tile[threadIdx.y][threadIdx.x]; // wrong: [threadIdx.x][threadIdx.y]
}
