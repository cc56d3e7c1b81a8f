/*
 * Iteration delaying, after Han and Abdelrahman (2011): a loop with a branch whose sides differ in length. Each lane goes the
 * dear way (DEAR fused products and sums) with a probability of limit / 2^32, else the cheap way (CHEAP differences): nothing in
 * common that branch distribution could take out.
 */
#ifndef DEAR
#define DEAR 256
#endif
#ifndef CHEAP
#define CHEAP 16
#endif

static __device__ unsigned hash(unsigned a)
{
    a = (a ^ (a >> 16)) * 0x7feb352du;
    a = (a ^ (a >> 15)) * 0x846ca68bu;
    return a ^ (a >> 16);
}

/** out[thread]: what `n` iterations make of a number that begins with the thread's own. */
extern "C" __global__ void delay(float *out, unsigned n, unsigned limit, float a, float b)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned state = hash(thread + 1u);
    float x = (float)(thread & 1023u) * 0x1p-10f;
    for (unsigned i = 0; i < n; ++i) {
        state = hash(state + 0x9e3779b9u);
        if (state < limit) {
#pragma unroll
            for (int k = 0; k < DEAR; ++k) {
                x = fmaf(x, a, b);
            }
        } else {
#pragma unroll
            for (int k = 0; k < CHEAP; ++k) {
                x = a - x;
            }
        }
    }
    out[thread] = x;
}
