// The wavefront whose diagonals end one row late.
//
// Wrong:  row `rows` is behind the matrix.
// Caught: stray stores.
// Passes: everywhere: the extra cell is not part of the matrix.

static __device__ unsigned paths(const unsigned* out, size_t r, size_t c, size_t cols)
{
    if (r == 0 || c == 0)
        return 1;
    return out[(r - 1) * cols + c] + out[r * cols + c - 1];
}

extern "C" __global__ void wavefront_last_row(unsigned* out, size_t rows, size_t cols, size_t d)
{
    size_t first = d < cols ? 0 : d - cols + 1;
    size_t last = min(d, rows); // wrong: rows - 1
    size_t r = first + (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (r <= last)
        out[r * cols + (d - r)] = paths(out, r, d - r, cols);
}
