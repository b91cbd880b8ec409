// Sums along the axes of a matrix: what a reader traces in "Running it yourself".
//
// Idea:   no lesson is about these; they stand for a kernel of your own.
// Shapes: in is rows x cols, row-major, 4-byte cells; out has a cell a column or a row.
// Launch: one axis of threads where a thread has a line, two where it has a cell.
// Ladder: they differ in who adds: a thread a column, a thread a row, a thread a cell.

// ANCHOR: column_sums
// One thread a column: it walks down, and its neighbours walk down beside it.
extern "C" __global__ void column_sums(
    const unsigned* __restrict__ in, unsigned* __restrict__ out,
    size_t rows, size_t cols)
{
    size_t c = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (c < cols) {
        unsigned sum = 0;
        for (size_t r = 0; r < rows; r++)
            sum += in[r * cols + c];
        out[c] = sum;
    }
}
// ANCHOR_END: column_sums

// ANCHOR: row_sums
// Changed: one thread a row. Each walks along its row, its neighbours a row away.
extern "C" __global__ void row_sums(
    const unsigned* __restrict__ in, unsigned* __restrict__ out,
    size_t rows, size_t cols)
{
    size_t r = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        unsigned sum = 0;
        for (size_t c = 0; c < cols; c++)
            sum += in[r * cols + c];
        out[r] = sum;
    }
}
// ANCHOR_END: row_sums

// ANCHOR: column_sums_by_cell
// Changed: one thread a cell. All threads of a column add to the same sum, and nobody
// set it to zero.
extern "C" __global__ void column_sums_by_cell(
    const unsigned* __restrict__ in, unsigned* __restrict__ out,
    size_t rows, size_t cols)
{
    size_t c = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t r = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols)
        out[c] += in[r * cols + c];
}
// ANCHOR_END: column_sums_by_cell
