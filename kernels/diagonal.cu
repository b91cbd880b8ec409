// Diagonal order, and the wavefront that needs it.
//
// Idea:   diagonal d holds the cells with r + c = d; its rows are max(0, d-cols+1) ..
//         min(d, rows-1).
//         Lattice paths: p(r,0) = p(0,c) = 1 and p(r,c) = p(r-1,c) + p(r,c-1), wrapping
//         in 32 bits.
//         The cells of one diagonal are independent; each needs the one before.
// Shapes: matrices are rows x cols, row-major, 4-byte cells; zigzag writes rows*cols
//         cells in visiting order.
// Launch: zigzag_scatter two axes; the wavefronts one axis.
// Ladder: one launch a diagonal; one launch in all (wrong); one block with a barrier
//         between diagonals.

// ANCHOR: zigzag
// Diagonals one after the other, even ones upwards, odd ones downwards.
extern "C" __global__ void zigzag_scatter(
    const unsigned* __restrict__ in, unsigned* __restrict__ out,
    size_t rows, size_t cols)
{
    size_t c = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t r = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols) {
        size_t d = r + c;
        size_t first = d < cols ? 0 : d - cols + 1;
        size_t last = min(d, rows - 1);
        // Cells on earlier diagonals: a triangle, less two corners outside the matrix.
        size_t before = d * (d + 1) / 2;
        if (d > rows)
            before -= (d - rows) * (d - rows + 1) / 2;
        if (d > cols)
            before -= (d - cols) * (d - cols + 1) / 2;
        out[before + (d % 2 ? r - first : last - r)] = in[r * cols + c];
    }
}
// ANCHOR_END: zigzag

// ANCHOR: step
// The rule for one cell.
static __device__ unsigned paths(const unsigned* out, size_t r, size_t c, size_t cols)
{
    if (r == 0 || c == 0)
        return 1;
    return out[(r - 1) * cols + c] + out[r * cols + c - 1];
}
// ANCHOR_END: step

// ANCHOR: wavefront
// One launch a diagonal: the end of a launch is the barrier that the whole grid shares.
extern "C" __global__ void wavefront_diagonal(
    unsigned* out, size_t rows, size_t cols, size_t d)
{
    size_t first = d < cols ? 0 : d - cols + 1;
    size_t last = min(d, rows - 1);
    size_t r = first + (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (r <= last)
        out[r * cols + (d - r)] = paths(out, r, d - r, cols);
}
// ANCHOR_END: wavefront

// Wrong on purpose: the loop over diagonals moved inside, one thread a row,
// nothing to keep the threads in step.
// ANCHOR: single
extern "C" __global__ void wavefront_single_launch(
    unsigned* out, size_t rows, size_t cols)
{
    size_t r = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (size_t d = 0; d < rows + cols - 1; d++)
        if (r < rows && r <= d && d - r < cols)
            out[r * cols + (d - r)] = paths(out, r, d - r, cols);
}
// ANCHOR_END: single

// ANCHOR: one_block
// Right in one launch, for one block: a barrier between diagonals, and a stride
// when a diagonal outgrows the block.
extern "C" __global__ void wavefront_one_block(unsigned* out, size_t rows, size_t cols)
{
    for (size_t d = 0; d < rows + cols - 1; d++) {
        size_t first = d < cols ? 0 : d - cols + 1;
        size_t last = min(d, rows - 1);
        for (size_t r = first + threadIdx.x; r <= last; r += blockDim.x)
            out[r * cols + (d - r)] = paths(out, r, d - r, cols);
        __syncthreads();
    }
}
// ANCHOR_END: one_block
