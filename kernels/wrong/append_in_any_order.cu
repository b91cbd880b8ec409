// A copy that takes its place from a counter.
//
// Wrong:  which thread gets which place depends on who comes first.
// Caught: another result in another order of blocks: nothing races.
// Passes: in forward order.

extern "C" __global__ void append_in_any_order(const unsigned* __restrict__ in, unsigned* __restrict__ out,
                                               unsigned* count, size_t rows, size_t cols)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * cols)
        out[atomicAdd(count, 1)] = in[i]; // wrong: out[i]
}
