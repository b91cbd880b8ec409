// The padded transpose of four cells a thread, stepping too far.
//
// Wrong:  32 x 8 threads step by 16, so half of the tile stays empty.
// Caught: reads of shared memory nothing wrote, cells never written.
// Passes: on up to 8 rows.

#define TILE 32

extern "C" __global__ void four_half_the_rows(const unsigned* __restrict__ in, unsigned* __restrict__ out,
                                              size_t rows, size_t cols)
{
    __shared__ unsigned tile[TILE][TILE + 1];
    size_t x = (size_t)blockIdx.x * TILE + threadIdx.x;
    size_t y = (size_t)blockIdx.y * TILE + threadIdx.y;
    for (unsigned j = 0; j < TILE; j += 16) // wrong: 8, the block's rows
        if (y + j < rows && x < cols)
            tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * cols + x];
    __syncthreads();
    x = (size_t)blockIdx.y * TILE + threadIdx.x;
    y = (size_t)blockIdx.x * TILE + threadIdx.y;
    for (unsigned j = 0; j < TILE; j += 8)
        if (y + j < cols && x < rows)
            out[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
}
