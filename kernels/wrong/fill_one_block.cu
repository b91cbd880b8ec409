// fill that forgets which block it is in.
//
// Wrong:  the column comes from threadIdx.x alone.
// Caught: cells never written, others written by every block of their row.
// Passes: where one block covers all columns.

extern "C" __global__ void fill_one_block(unsigned* __restrict__ out, size_t rows, size_t cols)
{
    size_t c = threadIdx.x; // wrong: no blockIdx.x
    size_t r = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols)
        out[r * cols + c] = (unsigned)(1000 * r + c);
}
