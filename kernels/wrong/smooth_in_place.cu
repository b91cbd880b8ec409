// Each cell becomes the sum of itself and its left neighbour, in place.
//
// Wrong:  the neighbour may have been changed already.
// Caught: races.
// Passes: in one warp, whose lanes all read before any of them writes.

extern "C" __global__ void smooth_in_place(unsigned* a, size_t rows, size_t cols)
{
    size_t c = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t r = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols && c > 0)
        a[r * cols + c] += a[r * cols + c - 1]; // wrong: reads what its neighbour writes
}
