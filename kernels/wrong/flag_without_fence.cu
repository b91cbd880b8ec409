// Blocks pass a running sum on through memory, each waiting for the one before.
//
// Wrong:  the flag is raised without a fence after the sum was written.
// Caught: races on the sums.
// Passes: on the machine everywhere; on a GPU nearly always.

extern "C" __global__ void flag_without_fence(volatile unsigned* flags, unsigned* sums, size_t rows, size_t cols)
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
    // wrong: no __threadfence()
    flags[block] = 1;
}
