// A right copy, launched with 32-bit sizes.
//
// Wrong:  the launch hands i32 where the kernel reads 64 bits.
// Caught: the machine refuses the launch.
// Passes: on a GPU by luck, while the bytes next to the argument are zero.

extern "C" __global__ void copy_narrow_sizes(const unsigned* __restrict__ in, unsigned* __restrict__ out,
                                             size_t rows, size_t cols)
{
    size_t x = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t y = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (y < rows && x < cols)
        out[y * cols + x] = in[y * cols + x];
}
