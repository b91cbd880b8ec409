// copy whose guard joins its halves with the wrong operator.
//
// Wrong:  || where && belongs.
// Caught: stray accesses, and races with the next row's first threads.
// Passes: everywhere: a copy writes what belongs where it writes.

extern "C" __global__ void copy_or_guard(const unsigned* __restrict__ in, unsigned* __restrict__ out,
                                         size_t rows, size_t cols)
{
    size_t x = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t y = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (y < rows || x < cols) // wrong: one of the two is enough
        out[y * cols + x] = in[y * cols + x];
}
