// copy that guards its load and forgets the store.
//
// Wrong:  the store stands behind the check, not under it.
// Caught: stray stores, races with the next row's first threads.
// Passes: where the blocks fit the matrix, and with blocks one row high in forward order.

extern "C" __global__ void copy_load_guarded(const unsigned* __restrict__ in, unsigned* __restrict__ out,
                                             size_t rows, size_t cols)
{
    size_t x = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t y = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    unsigned v = 0;
    if (y < rows && x < cols)
        v = in[y * cols + x];
    out[y * cols + x] = v; // wrong: every thread stores
}
