// A square transpose in place: each thread swaps its cell with the mirrored one.
//
// Wrong:  every pair is swapped by both of its threads: x < y is missing.
// Caught: races.
// Passes: in one warp, whose lanes all read before any of them writes.

extern "C" __global__ void transpose_in_place(unsigned* a, size_t n)
{
    size_t x = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t y = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (y < n && x < n) { // wrong: x < y
        unsigned above = a[x * n + y];
        unsigned below = a[y * n + x];
        a[x * n + y] = below;
        a[y * n + x] = above;
    }
}
