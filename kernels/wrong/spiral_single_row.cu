// A spiral that asks for the bottom row first.
//
// Wrong:  in a ring of one row the top row is the bottom row too, and goes the other way.
// Caught: stray stores, cells never written.
// Passes: where the innermost ring has more than one row.

static __device__ size_t spiral_rank(size_t r, size_t c, size_t rows, size_t cols)
{
    size_t k = min(min(r, c), min(rows - 1 - r, cols - 1 - c));
    size_t height = rows - 2 * k;
    size_t width = cols - 2 * k;
    size_t before = rows * cols - height * width;
    r -= k;
    c -= k;
    if (r == height - 1) // wrong: r == 0 comes first
        return before + 2 * (width - 1) + (height - 1) - c;
    if (r == 0)
        return before + c;
    if (c == width - 1)
        return before + c + r;
    return before + 2 * (width - 1) + 2 * (height - 1) - r;
}

extern "C" __global__ void spiral_single_row(const unsigned* __restrict__ in, unsigned* __restrict__ out,
                                             size_t rows, size_t cols)
{
    size_t c = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t r = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols)
        out[spiral_rank(r, c, rows, cols)] = in[r * cols + c];
}
