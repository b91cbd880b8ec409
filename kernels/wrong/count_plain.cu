// Threads count the cells of a matrix.
//
// Wrong:  a plain increment: read, add, write.
// Caught: races.
// Passes: on one cell, and with one lane at a time.

extern "C" __global__ void count_plain(unsigned* count, size_t rows, size_t cols)
{
    size_t c = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t r = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols)
        *count += 1; // wrong: atomicAdd
}
