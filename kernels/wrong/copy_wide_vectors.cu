// copy, four cells a thread through 16-byte accesses.
//
// Wrong:  cols need not be a multiple of 4: rows start misaligned, and a row's last cells are left out.
// Caught: misaligned accesses.
// Passes: where cols is a multiple of 4.

extern "C" __global__ void copy_wide_vectors(const unsigned* __restrict__ in, unsigned* __restrict__ out,
                                             size_t rows, size_t cols)
{
    size_t x = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t y = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (y < rows && x < cols / 4)
        *(uint4*)(out + y * cols + 4 * x) = *(const uint4*)(in + y * cols + 4 * x); // wrong: any row start
}
