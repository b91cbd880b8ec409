// The tiled transpose that turns tiles and leaves them where they were.
//
// Wrong:  the output block is not exchanged: blockIdx.x and blockIdx.y stay.
// Caught: cells never written, reads of shared memory nothing wrote.
// Passes: where one tile is enough.

#define TILE 32

extern "C" __global__ void tiled_blocks_not_turned(const unsigned* __restrict__ in, unsigned* __restrict__ out,
                                                   size_t rows, size_t cols)
{
    __shared__ unsigned tile[TILE][TILE];
    size_t x = (size_t)blockIdx.x * TILE + threadIdx.x;
    size_t y = (size_t)blockIdx.y * TILE + threadIdx.y;
    if (y < rows && x < cols)
        tile[threadIdx.y][threadIdx.x] = in[y * cols + x];
    __syncthreads();
    x = (size_t)blockIdx.x * TILE + threadIdx.x; // wrong: blockIdx.y
    y = (size_t)blockIdx.y * TILE + threadIdx.y;
    if (y < cols && x < rows)
        out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
}
