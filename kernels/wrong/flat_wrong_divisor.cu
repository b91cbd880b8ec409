// A flat conversion that divides by the wrong side.
//
// Wrong:  a column-major column is rows cells long, not cols.
// Caught: stray loads.
// Passes: on squares.

extern "C" __global__ void flat_wrong_divisor(const unsigned* __restrict__ in, unsigned* __restrict__ out,
                                              size_t rows, size_t cols)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * cols) {
        size_t c = i / cols; // wrong: rows, here and below
        size_t r = i % cols;
        out[i] = in[r * cols + c];
    }
}
