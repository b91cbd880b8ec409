// fill with a guard that is off by one.
//
// Wrong:  <= where < belongs.
// Caught: a race between the thread past each row's end and the first of the next row.
// Passes: with blocks one row high in forward order, and where no thread stands one past the edge.

extern "C" __global__ void fill_one_column_too_many(unsigned* __restrict__ out, size_t rows, size_t cols)
{
    size_t c = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t r = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c <= cols) // wrong: cols is one too many
        out[r * cols + c] = (unsigned)(1000 * r + c);
}
