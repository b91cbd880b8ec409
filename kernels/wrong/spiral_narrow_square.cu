// The inverse spiral that squares in 32 bits.
//
// Wrong:  (rows + cols) squared overflows from rows + cols = 65536 on.
// Caught: stray loads.
// Passes: on every matrix of moderate size.

static __device__ size_t ceil_sqrt(size_t n)
{
    size_t s = (size_t)sqrt((double)n);
    while (s * s > n)
        s--;
    while (s * s < n)
        s++;
    return s;
}

static __device__ size_t spiral_cell(size_t rank, size_t rows, size_t cols)
{
    size_t s = rows + cols;
    size_t k = min((s - ceil_sqrt((unsigned)(s * s) - 4 * rank)) / 4, (min(rows, cols) - 1) / 2); // wrong: unsigned
    size_t height = rows - 2 * k;
    size_t width = cols - 2 * k;
    size_t step = rank - (rows * cols - height * width);
    size_t r, c;
    if (step < width) {
        r = 0;
        c = step;
    } else if (step < width + height - 1) {
        r = step - (width - 1);
        c = width - 1;
    } else if (step < 2 * width + height - 2) {
        r = height - 1;
        c = 2 * (width - 1) + (height - 1) - step;
    } else {
        r = 2 * (width - 1) + 2 * (height - 1) - step;
        c = 0;
    }
    return (r + k) * cols + (c + k);
}

extern "C" __global__ void spiral_narrow_square(const unsigned* __restrict__ in, unsigned* __restrict__ out,
                                                size_t rows, size_t cols)
{
    size_t rank = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (rank < rows * cols)
        out[rank] = in[spiral_cell(rank, rows, cols)];
}
