// A block that carries one tile after the other through the same shared memory.
//
// Wrong:  no barrier between reading a tile and filling the next.
// Caught: races in shared memory.
// Passes: where one tile is enough: the loop runs once.

#define TILE 32

extern "C" __global__ void tiles_in_turn(const unsigned* __restrict__ in, unsigned* __restrict__ out,
                                         size_t rows, size_t cols)
{
    __shared__ unsigned tile[TILE][TILE + 1];
    for (size_t left = 0; left < cols; left += TILE) {
        size_t x = left + threadIdx.x;
        size_t y = (size_t)blockIdx.y * TILE + threadIdx.y;
        if (y < rows && x < cols)
            tile[threadIdx.y][threadIdx.x] = in[y * cols + x];
        __syncthreads();
        x = (size_t)blockIdx.y * TILE + threadIdx.x;
        y = left + threadIdx.y;
        if (y < cols && x < rows)
            out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
        // wrong: no second __syncthreads()
    }
}
