// The one-block wavefront with its barrier one brace too deep.
//
// Wrong:  threads without a cell on the diagonal do not reach the barrier.
// Caught: divergent barriers.
// Passes: on a single row or column: thread 0 has all the cells.

static __device__ unsigned paths(const unsigned* out, size_t r, size_t c, size_t cols)
{
    if (r == 0 || c == 0)
        return 1;
    return out[(r - 1) * cols + c] + out[r * cols + c - 1];
}

extern "C" __global__ void wavefront_barrier_in_loop(unsigned* out, size_t rows, size_t cols)
{
    for (size_t d = 0; d < rows + cols - 1; d++) {
        size_t first = d < cols ? 0 : d - cols + 1;
        size_t last = min(d, rows - 1);
        for (size_t r = first + threadIdx.x; r <= last; r += blockDim.x) {
            out[r * cols + (d - r)] = paths(out, r, d - r, cols);
            __syncthreads(); // wrong: only threads with a cell come here
        }
    }
}
