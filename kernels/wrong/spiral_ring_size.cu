// A spiral that takes off one row for each ring, not two.
//
// Wrong:  a ring takes a row above and a row below.
// Caught: cells written twice and never, strays.
// Passes: on up to two rows or columns: there is one ring.

static __device__ size_t spiral_rank(size_t r, size_t c, size_t rows, size_t cols)
{
    size_t k = min(min(r, c), min(rows - 1 - r, cols - 1 - c));
    size_t height = rows - k; // wrong: 2 * k
    size_t width = cols - 2 * k;
    size_t before = rows * cols - height * width;
    r -= k;
    c -= k;
    if (r == 0)
        return before + c;
    if (c == width - 1)
        return before + c + r;
    if (r == height - 1)
        return before + 2 * (width - 1) + (height - 1) - c;
    return before + 2 * (width - 1) + 2 * (height - 1) - r;
}

extern "C" __global__ void spiral_ring_size(const unsigned* __restrict__ in, unsigned* __restrict__ out,
                                            size_t rows, size_t cols)
{
    size_t c = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t r = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols)
        out[spiral_rank(r, c, rows, cols)] = in[r * cols + c];
}
