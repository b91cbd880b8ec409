// The wavefront whose diagonals start one row early.
//
// Wrong:  row d - cols has its cell of diagonal d one past the last column: at the start of the next row.
// Caught: the start of each row is written twice.
// Passes: on up to two rows: what is written there is a 1, and a 1 belongs there.

static __device__ unsigned paths(const unsigned* out, size_t r, size_t c, size_t cols)
{
    if (r == 0 || c == 0)
        return 1;
    return out[(r - 1) * cols + c] + out[r * cols + c - 1];
}

extern "C" __global__ void wavefront_first_row(unsigned* out, size_t rows, size_t cols, size_t d)
{
    size_t first = d < cols ? 0 : d - cols; // wrong: d - cols + 1
    size_t last = min(d, rows - 1);
    size_t r = first + (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (r <= last)
        out[r * cols + (d - r)] = paths(out, r, d - r, cols);
}
