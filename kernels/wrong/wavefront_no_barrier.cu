// The one-block wavefront without its barrier.
//
// Wrong:  a thread may read a neighbour of the diagonal before it was written.
// Caught: races.
// Passes: in one warp.

static __device__ unsigned paths(const unsigned* out, size_t r, size_t c, size_t cols)
{
    if (r == 0 || c == 0)
        return 1;
    return out[(r - 1) * cols + c] + out[r * cols + c - 1];
}

extern "C" __global__ void wavefront_no_barrier(unsigned* out, size_t rows, size_t cols)
{
    for (size_t d = 0; d < rows + cols - 1; d++) {
        size_t first = d < cols ? 0 : d - cols + 1;
        size_t last = min(d, rows - 1);
        for (size_t r = first + threadIdx.x; r <= last; r += blockDim.x)
            out[r * cols + (d - r)] = paths(out, r, d - r, cols);
        // wrong: no __syncthreads()
    }
}
