// copy with half a guard.
//
// Wrong:  the check on columns is gone.
// Caught: stray accesses behind the matrix, and races between a row's last threads and the next row's
//         first.
// Passes: everywhere: what the extra threads write is what belongs there.

extern "C" __global__ void copy_rows_only(const unsigned* __restrict__ in, unsigned* __restrict__ out,
                                          size_t rows, size_t cols)
{
    size_t x = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t y = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (y < rows) // wrong: no check of x
        out[y * cols + x] = in[y * cols + x];
}
