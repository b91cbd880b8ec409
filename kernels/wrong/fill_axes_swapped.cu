// fill whose kernel exchanges the axes while its launch does not.
//
// Wrong:  x walks down rows, and the grid still has its columns on x.
// Caught: cells never written.
// Passes: on squares.

// ANCHOR: kernel
extern "C" __global__ void fill_axes_swapped(
    unsigned* __restrict__ out, size_t rows, size_t cols)
{
    // Wrong: the launch puts columns on x.
    size_t r = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t c = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols)
        out[r * cols + c] = (unsigned)(1000 * r + c);
}
// ANCHOR_END: kernel
