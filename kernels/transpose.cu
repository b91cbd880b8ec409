// The transpose ladder.
//
// Idea:   element (r, c) of a row-major rows x cols matrix sits at r*cols + c and moves
//         to c*rows + r.
// Shapes: in is rows x cols, out is cols x rows, both row-major, 4-byte cells. copy
//         keeps rows x cols.
// Launch: one thread a cell, blocks of 32 x 32, x along the contiguous side of whatever
//         the block reads first.
//         From copy_four on, blocks of 32 x 8 carry 32 x 32 cells, four a thread.
// Ladder: each kernel changes one thing against the one above it.

#define TILE 32

// ANCHOR: copy
// The control: the same launch and the same index arithmetic as the transpose below.
extern "C" __global__ void copy(
    const unsigned* __restrict__ in, unsigned* __restrict__ out,
    size_t rows, size_t cols)
{
    size_t x = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t y = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (y < rows && x < cols)
        out[y * cols + x] = in[y * cols + x];
}
// ANCHOR_END: copy

// ANCHOR: naive
// Changed: the subscript of the store. A warp reads one row and writes down one column.
extern "C" __global__ void transpose_naive(
    const unsigned* __restrict__ in, unsigned* __restrict__ out,
    size_t rows, size_t cols)
{
    size_t x = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t y = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (y < rows && x < cols)
        out[x * rows + y] = in[y * cols + x];
}
// ANCHOR_END: naive

// ANCHOR: strided_read
// Changed: threads stand on the output, so the store is along a row and the load
// goes down a column.
extern "C" __global__ void transpose_strided_read(
    const unsigned* __restrict__ in, unsigned* __restrict__ out,
    size_t rows, size_t cols)
{
    size_t x = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t y = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (y < cols && x < rows)
        out[y * rows + x] = in[x * cols + y];
}
// ANCHOR_END: strided_read

// ANCHOR: tiled
// Changed: the turn happens in shared memory, and both global accesses run along rows.
extern "C" __global__ void transpose_tiled(
    const unsigned* __restrict__ in, unsigned* __restrict__ out,
    size_t rows, size_t cols)
{
    __shared__ unsigned tile[TILE][TILE];
    size_t x = (size_t)blockIdx.x * TILE + threadIdx.x;
    size_t y = (size_t)blockIdx.y * TILE + threadIdx.y;
    if (y < rows && x < cols)
        tile[threadIdx.y][threadIdx.x] = in[y * cols + x];
    __syncthreads();
    x = (size_t)blockIdx.y * TILE + threadIdx.x;
    y = (size_t)blockIdx.x * TILE + threadIdx.y;
    if (y < cols && x < rows)
        out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
}
// ANCHOR_END: tiled

// ANCHOR: copy_four
// The control again, with the change that the rungs below share: 32 x 8 threads carry
// 32 x 32 cells, so that every thread can have several loads in flight.
extern "C" __global__ void copy_four(
    const unsigned* __restrict__ in, unsigned* __restrict__ out,
    size_t rows, size_t cols)
{
    size_t x = (size_t)blockIdx.x * TILE + threadIdx.x;
    size_t y = (size_t)blockIdx.y * TILE + threadIdx.y;
#pragma unroll
    for (unsigned j = 0; j < TILE; j += 8)
        if (y + j < rows && x < cols)
            out[(y + j) * cols + x] = in[(y + j) * cols + x];
}
// ANCHOR_END: copy_four

// ANCHOR: tiled_four
// Changed against transpose_tiled: four cells a thread.
extern "C" __global__ void transpose_tiled_four(
    const unsigned* __restrict__ in, unsigned* __restrict__ out,
    size_t rows, size_t cols)
{
    __shared__ unsigned tile[TILE][TILE];
    size_t x = (size_t)blockIdx.x * TILE + threadIdx.x;
    size_t y = (size_t)blockIdx.y * TILE + threadIdx.y;
#pragma unroll
    for (unsigned j = 0; j < TILE; j += 8)
        if (y + j < rows && x < cols)
            tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * cols + x];
    __syncthreads();
    x = (size_t)blockIdx.y * TILE + threadIdx.x;
    y = (size_t)blockIdx.x * TILE + threadIdx.y;
#pragma unroll
    for (unsigned j = 0; j < TILE; j += 8)
        if (y + j < cols && x < rows)
            out[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
}
// ANCHOR_END: tiled_four

// ANCHOR: padded
// Changed: one unused word at the end of each tile row, so that a tile column touches
// 32 banks and not one.
extern "C" __global__ void transpose_padded(
    const unsigned* __restrict__ in, unsigned* __restrict__ out,
    size_t rows, size_t cols)
{
    __shared__ unsigned tile[TILE][TILE + 1];
    size_t x = (size_t)blockIdx.x * TILE + threadIdx.x;
    size_t y = (size_t)blockIdx.y * TILE + threadIdx.y;
#pragma unroll
    for (unsigned j = 0; j < TILE; j += 8)
        if (y + j < rows && x < cols)
            tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * cols + x];
    __syncthreads();
    x = (size_t)blockIdx.y * TILE + threadIdx.x;
    y = (size_t)blockIdx.x * TILE + threadIdx.y;
#pragma unroll
    for (unsigned j = 0; j < TILE; j += 8)
        if (y + j < cols && x < rows)
            out[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
}
// ANCHOR_END: padded

// ANCHOR: padded_raster
// Changed: blockIdx.x counts tiles along rows of the output, not of the input, so that
// blocks that follow each other in the launch write to the same rows.
extern "C" __global__ void transpose_padded_raster(
    const unsigned* __restrict__ in, unsigned* __restrict__ out,
    size_t rows, size_t cols)
{
    __shared__ unsigned tile[TILE][TILE + 1];
    size_t x = (size_t)blockIdx.y * TILE + threadIdx.x;
    size_t y = (size_t)blockIdx.x * TILE + threadIdx.y;
#pragma unroll
    for (unsigned j = 0; j < TILE; j += 8)
        if (y + j < rows && x < cols)
            tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * cols + x];
    __syncthreads();
    x = (size_t)blockIdx.x * TILE + threadIdx.x;
    y = (size_t)blockIdx.y * TILE + threadIdx.y;
#pragma unroll
    for (unsigned j = 0; j < TILE; j += 8)
        if (y + j < cols && x < rows)
            out[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
}
// ANCHOR_END: padded_raster
