// The padded transpose that declares the padding and never uses it.
//
// Wrong:  both strides are still 32: a tile column lies in one bank.
// Caught: 32 wavefronts for each load from shared memory, where the padding was to make it 1.
// Passes: everywhere: only the time is wrong.

#define TILE 32

extern "C" __global__ void padded_stride_forgotten(const unsigned* __restrict__ in, unsigned* __restrict__ out,
                                                   size_t rows, size_t cols)
{
    __shared__ unsigned tile[TILE * (TILE + 1)];
    size_t x = (size_t)blockIdx.x * TILE + threadIdx.x;
    size_t y = (size_t)blockIdx.y * TILE + threadIdx.y;
    if (y < rows && x < cols)
        tile[threadIdx.y * TILE + threadIdx.x] = in[y * cols + x];
    __syncthreads();
    x = (size_t)blockIdx.y * TILE + threadIdx.x;
    y = (size_t)blockIdx.x * TILE + threadIdx.y;
    if (y < cols && x < rows)
        out[y * rows + x] = tile[threadIdx.x * TILE + threadIdx.y]; // wrong: TILE + 1, here and above
}
