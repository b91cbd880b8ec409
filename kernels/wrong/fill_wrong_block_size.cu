// fill that multiplies a block index with the wrong block size.
//
// Wrong:  blockDim.x where blockDim.y belongs.
// Caught: cells never written.
// Passes: with square blocks, and where one row of blocks is enough.

extern "C" __global__ void fill_wrong_block_size(unsigned* __restrict__ out, size_t rows, size_t cols)
{
    size_t c = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t r = (size_t)blockIdx.y * blockDim.x + threadIdx.y; // wrong: blockDim.x
    if (r < rows && c < cols)
        out[r * cols + c] = (unsigned)(1000 * r + c);
}
