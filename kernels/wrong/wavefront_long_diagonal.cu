// The one-block wavefront without the stride.
//
// Wrong:  a diagonal with more cells than the block has threads is cut off.
// Caught: cells never written.
// Passes: while no diagonal is longer than the block.

static __device__ unsigned paths(const unsigned* out, size_t r, size_t c, size_t cols)
{
    if (r == 0 || c == 0)
        return 1;
    return out[(r - 1) * cols + c] + out[r * cols + c - 1];
}

extern "C" __global__ void wavefront_long_diagonal(unsigned* out, size_t rows, size_t cols)
{
    for (size_t d = 0; d < rows + cols - 1; d++) {
        size_t first = d < cols ? 0 : d - cols + 1;
        size_t last = min(d, rows - 1);
        size_t r = first + threadIdx.x;
        if (r <= last) // wrong: a loop with a stride of blockDim.x
            out[r * cols + (d - r)] = paths(out, r, d - r, cols);
        __syncthreads();
    }
}
