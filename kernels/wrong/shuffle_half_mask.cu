// Rows of up to 32 cells are turned round inside a warp.
//
// Wrong:  the mask of the shuffle names half of the warp.
// Caught: lanes that execute a shuffle whose mask leaves them out.
// Passes: on the machine everywhere; CUDA leaves it undefined.

extern "C" __global__ void shuffle_half_mask(const unsigned* __restrict__ in, unsigned* __restrict__ out,
                                             size_t rows, size_t cols)
{
    size_t c = threadIdx.x;
    size_t r = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    unsigned v = r < rows && c < cols ? in[r * cols + c] : 0;
    v = __shfl_sync(0x0000ffff, v, (int)(cols - 1 - c)); // wrong: all 32 lanes take part
    if (r < rows && c < cols)
        out[r * cols + c] = v;
}
