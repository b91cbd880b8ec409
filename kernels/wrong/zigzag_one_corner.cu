// Zigzag order that cuts off one corner of the triangle.
//
// Wrong:  diagonals past the last row are counted too long.
// Caught: stray stores, cells never written.
// Passes: on up to two columns: no diagonal passes the last row by more than one.

extern "C" __global__ void zigzag_one_corner(const unsigned* __restrict__ in, unsigned* __restrict__ out,
                                             size_t rows, size_t cols)
{
    size_t c = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t r = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (r < rows && c < cols) {
        size_t d = r + c;
        size_t first = d < cols ? 0 : d - cols + 1;
        size_t last = min(d, rows - 1);
        size_t before = d * (d + 1) / 2;
        // wrong: nothing is taken off for d > rows
        if (d > cols)
            before -= (d - cols) * (d - cols + 1) / 2;
        out[before + (d % 2 ? r - first : last - r)] = in[r * cols + c];
    }
}
