// Spiral order without walking the spiral.
//
// Idea:   ring k = min(r, c, rows-1-r, cols-1-c); rows*cols - (rows-2k)*(cols-2k) cells
//         come before it.
//         That makes the rank of a cell a formula, and the cell of a rank another one.
// Shapes: in is rows x cols, row-major; out holds rows*cols cells in spiral order;
//         4-byte cells.
// Launch: spiral_scatter one thread a cell, two axes; spiral_gather one thread a rank,
//         one axis.
// Ladder: scatter reads along rows and writes anywhere; gather reads anywhere and
//         writes along the sequence.

// ANCHOR: rank
// The place of cell (r, c) in the spiral. Single rows and columns are rings of one leg.
static __device__ size_t spiral_rank(size_t r, size_t c, size_t rows, size_t cols)
{
    size_t k = min(min(r, c), min(rows - 1 - r, cols - 1 - c));
    size_t height = rows - 2 * k;
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
// ANCHOR_END: rank

// ANCHOR: scatter
extern "C" __global__ void spiral_scatter(
    const unsigned* __restrict__ in, unsigned* __restrict__ out,
    size_t rows, size_t cols)
{
    size_t c = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t r = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols)
        out[spiral_rank(r, c, rows, cols)] = in[r * cols + c];
}
// ANCHOR_END: scatter

// ANCHOR: sqrt
// The smallest s with s*s >= n. The square root of a double is close; the two loops
// make it exact.
static __device__ size_t ceil_sqrt(size_t n)
{
    size_t s = (size_t)sqrt((double)n);
    while (s * s > n)
        s--;
    while (s * s < n)
        s++;
    return s;
}
// ANCHOR_END: sqrt

// ANCHOR: cell
// The row-major index of the cell at a place in the spiral: its ring, then its leg.
static __device__ size_t spiral_cell(size_t rank, size_t rows, size_t cols)
{
    size_t s = rows + cols;
    size_t k = min((s - ceil_sqrt(s * s - 4 * rank)) / 4, (min(rows, cols) - 1) / 2);
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
// ANCHOR_END: cell

// ANCHOR: gather
extern "C" __global__ void spiral_gather(
    const unsigned* __restrict__ in, unsigned* __restrict__ out,
    size_t rows, size_t cols)
{
    size_t rank = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (rank < rows * cols)
        out[rank] = in[spiral_cell(rank, rows, cols)];
}
// ANCHOR_END: gather
