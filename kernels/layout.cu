// Converting between row-major and column-major.
//
// Idea:   cell (r, c) is at r*cols + c in row-major and at c*rows + r in column-major.
// Shapes: matrices are rows x cols in both layouts, 4-byte cells; only the order in
//         memory differs.
// Launch: any block for the kernels with two axes, one axis for row_to_column_flat.
// Ladder: the fills differ in which axis x walks; the conversions differ in which side
//         is strided.

// ANCHOR: column_fill
// x walks down rows, which are the contiguous axis of a column-major matrix.
extern "C" __global__ void column_fill(
    unsigned* __restrict__ out, size_t rows, size_t cols)
{
    size_t r = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t c = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols)
        out[c * rows + r] = (unsigned)(1000 * r + c);
}
// ANCHOR_END: column_fill

// ANCHOR: column_fill_swapped
// Changed: x walks along columns, the habit from row-major. Still right, and strided.
extern "C" __global__ void column_fill_swapped(
    unsigned* __restrict__ out, size_t rows, size_t cols)
{
    size_t c = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t r = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols)
        out[c * rows + r] = (unsigned)(1000 * r + c);
}
// ANCHOR_END: column_fill_swapped

// ANCHOR: row_to_column
// Through the cell (r, c): read where row-major has it, write where column-major does.
extern "C" __global__ void row_to_column(
    const unsigned* __restrict__ in, unsigned* __restrict__ out,
    size_t rows, size_t cols)
{
    size_t r = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t c = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols)
        out[c * rows + r] = in[r * cols + c];
}
// ANCHOR_END: row_to_column

// ANCHOR: column_to_row
// The way back: the two subscripts exchanged, and x on columns because the store
// should be contiguous.
extern "C" __global__ void column_to_row(
    const unsigned* __restrict__ in, unsigned* __restrict__ out,
    size_t rows, size_t cols)
{
    size_t c = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t r = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols)
        out[r * cols + c] = in[c * rows + r];
}
// ANCHOR_END: column_to_row

// ANCHOR: row_to_column_flat
// Through the output's flat index: one axis of threads, a division to find the cell.
extern "C" __global__ void row_to_column_flat(
    const unsigned* __restrict__ in, unsigned* __restrict__ out,
    size_t rows, size_t cols)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * cols) {
        size_t c = i / rows;
        size_t r = i % rows;
        out[i] = in[r * cols + c];
    }
}
// ANCHOR_END: row_to_column_flat
