// A flat conversion with a guard that is off by one.
//
// Wrong:  <= where < belongs.
// Caught: one stray store, right behind the output.
// Passes: everywhere: the stray cell is not part of the matrix.

extern "C" __global__ void flat_one_too_many(const unsigned* __restrict__ in, unsigned* __restrict__ out,
                                             size_t rows, size_t cols)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= rows * cols) { // wrong: rows * cols is one too many
        size_t c = i / rows;
        size_t r = i % rows;
        out[i] = in[r * cols + c];
    }
}
