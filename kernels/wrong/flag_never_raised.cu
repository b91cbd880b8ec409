// Blocks pass a running sum on through memory, each waiting for the one before.
//
// Wrong:  the flag is raised for the wrong block.
// Caught: a hang: blocks wait for a flag that nobody raises.
// Passes: on one block.

extern "C" __global__ void flag_never_raised(volatile unsigned* flags, unsigned* sums, size_t rows, size_t cols)
{
    size_t block = blockIdx.x;
    if (block >= rows || threadIdx.x > 0)
        return;
    unsigned before = 0;
    if (block > 0) {
        while (flags[block - 1] == 0)
            ;
        __threadfence();
        before = sums[block - 1];
    }
    sums[block] = before + (unsigned)cols;
    __threadfence();
    flags[block + 1] = 1; // wrong: flags[block]
}
