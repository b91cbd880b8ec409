// A direct transpose guarded by one width.
//
// Wrong:  both axes are checked against rows.
// Caught: cells never written, or races with the next row.
// Passes: on squares.

extern "C" __global__ void transpose_one_width(const unsigned* __restrict__ in, unsigned* __restrict__ out,
                                               size_t rows, size_t cols)
{
    size_t x = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t y = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (y < rows && x < rows) // wrong: x < cols
        out[x * rows + y] = in[y * cols + x];
}
