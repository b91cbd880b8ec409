// copy with the other half of a guard.
//
// Wrong:  the check on rows is gone.
// Caught: stray accesses behind the matrix.
// Passes: everywhere: the extra threads touch no cell of the matrix.

extern "C" __global__ void copy_columns_only(const unsigned* __restrict__ in, unsigned* __restrict__ out,
                                             size_t rows, size_t cols)
{
    size_t x = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t y = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (x < cols) // wrong: no check of y
        out[y * cols + x] = in[y * cols + x];
}
