// Mapping a two-dimensional grid of threads onto a matrix.
//
// Idea:   one thread a cell; each thread writes its own flat index, so the output shows
//         who wrote it.
// Shapes: out is rows x cols, row-major, 4-byte cells.
// Launch: any block; the grid is the ceiling of cells over threads on each axis.
// Ladder: grid_fill_swapped exchanges the two axes in the kernel, and its launch must
//         exchange them too.

// ANCHOR: fill
// x walks along columns, which are contiguous: neighbours write neighbouring cells.
extern "C" __global__ void grid_fill(
    unsigned* __restrict__ out, size_t rows, size_t cols)
{
    size_t c = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t r = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols)
        out[r * cols + c] = (unsigned)(r * cols + c);
}
// ANCHOR_END: fill

// ANCHOR: swapped
// Changed: x walks down rows. Every cell is still written once, but neighbouring
// threads are a whole row apart.
extern "C" __global__ void grid_fill_swapped(
    unsigned* __restrict__ out, size_t rows, size_t cols)
{
    size_t r = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t c = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols)
        out[r * cols + c] = (unsigned)(r * cols + c);
}
// ANCHOR_END: swapped
