// The padded transpose with dynamic shared memory.
//
// Wrong:  the launch asks for 32 x 32 words, the kernel uses 32 x 33.
// Caught: accesses past the block's shared memory.
// Passes: on less than 32 rows: only the last tile row sticks out.

#define TILE 32

extern "C" __global__ void padded_small_shared(const unsigned* __restrict__ in, unsigned* __restrict__ out,
                                               size_t rows, size_t cols)
{
    extern __shared__ unsigned tile[]; // wrong: the launch counts TILE * TILE words
    size_t x = (size_t)blockIdx.x * TILE + threadIdx.x;
    size_t y = (size_t)blockIdx.y * TILE + threadIdx.y;
    if (y < rows && x < cols)
        tile[threadIdx.y * (TILE + 1) + threadIdx.x] = in[y * cols + x];
    __syncthreads();
    x = (size_t)blockIdx.y * TILE + threadIdx.x;
    y = (size_t)blockIdx.x * TILE + threadIdx.y;
    if (y < cols && x < rows)
        out[y * rows + x] = tile[threadIdx.x * (TILE + 1) + threadIdx.y];
}
