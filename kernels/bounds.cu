// A bounds check on one axis only.
//
// Idea:   a grid rarely fits a matrix, so some threads stand outside it; what they do
//         depends on the check.
// Shapes: matrices are rows x cols, row-major, 4-byte cells; the caller may add a guard
//         region behind them.
// Launch: any block; the grid is the ceiling of cells over threads on each axis.
// Ladder: fill_checked is right; each of the others drops one half of its check.

// ANCHOR: checked
extern "C" __global__ void fill_checked(
    unsigned* __restrict__ out, size_t rows, size_t cols)
{
    size_t c = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t r = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols)
        out[r * cols + c] = (unsigned)(1000 * r + c);
}
// ANCHOR_END: checked

// ANCHOR: rows_only
// Wrong on purpose: a thread right of the last column writes into the next row.
extern "C" __global__ void fill_rows_only(
    unsigned* __restrict__ out, size_t rows, size_t cols)
{
    size_t c = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t r = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows)
        out[r * cols + c] = (unsigned)(1000 * r + c);
}
// ANCHOR_END: rows_only

// ANCHOR: columns_only
// Wrong on purpose: a thread below the last row writes past the end of the matrix.
extern "C" __global__ void fill_columns_only(
    unsigned* __restrict__ out, size_t rows, size_t cols)
{
    size_t c = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t r = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (c < cols)
        out[r * cols + c] = (unsigned)(1000 * r + c);
}
// ANCHOR_END: columns_only

// ANCHOR: add_rows_only
// Wrong on purpose, and harmless inside the matrix: address and value alias together,
// so the stray thread writes what belongs where it writes.
extern "C" __global__ void add_rows_only(
    const unsigned* __restrict__ a, const unsigned* __restrict__ b,
    unsigned* __restrict__ out, size_t rows, size_t cols)
{
    size_t c = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t r = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows)
        out[r * cols + c] = a[r * cols + c] + b[r * cols + c];
}
// ANCHOR_END: add_rows_only
