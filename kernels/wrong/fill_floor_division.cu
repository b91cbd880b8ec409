// A right fill, launched on too few blocks.
//
// Wrong:  the launch divides cells by threads and drops the remainder.
// Caught: cells never written.
// Passes: where blocks fit the matrix exactly.

extern "C" __global__ void fill_floor_division(unsigned* __restrict__ out, size_t rows, size_t cols)
{
    size_t c = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t r = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols)
        out[r * cols + c] = (unsigned)(1000 * r + c);
}
