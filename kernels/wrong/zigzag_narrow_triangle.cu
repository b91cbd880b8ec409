// Zigzag order that counts a triangle in 32 bits.
//
// Wrong:  d * (d + 1) overflows from d = 65536 on.
// Caught: cells written twice and never, strays.
// Passes: on every matrix with less than 65536 diagonals.

extern "C" __global__ void zigzag_narrow_triangle(const unsigned* __restrict__ in, unsigned* __restrict__ out,
                                                  size_t rows, size_t cols)
{
    size_t c = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t r = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols) {
        size_t d = r + c;
        size_t first = d < cols ? 0 : d - cols + 1;
        size_t last = min(d, rows - 1);
        size_t before = (unsigned)d * (unsigned)(d + 1) / 2; // wrong: 32 bits
        if (d > rows)
            before -= (d - rows) * (d - rows + 1) / 2;
        if (d > cols)
            before -= (d - cols) * (d - cols + 1) / 2;
        out[before + (d % 2 ? r - first : last - r)] = in[r * cols + c];
    }
}
