// A direct transpose that keeps the input's stride.
//
// Wrong:  rows of the output are rows cells long, not cols.
// Caught: stray stores or races, and cells never written.
// Passes: on squares.

extern "C" __global__ void transpose_input_stride(const unsigned* __restrict__ in, unsigned* __restrict__ out,
                                                  size_t rows, size_t cols)
{
    size_t x = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t y = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (y < rows && x < cols)
        out[x * cols + y] = in[y * cols + x]; // wrong: x * rows
}
