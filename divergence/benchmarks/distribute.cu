/*
 * Branch distribution, after Han and Abdelrahman (2011): two sides that are alike (ALIKE steps) apart from operands, with
 * OWN steps before and after that are not. Lanes go the first way with a probability of limit / 2^32.
 */
#ifndef OWN
#define OWN 2
#endif
#ifndef ALIKE
#define ALIKE 64
#endif

static __device__ unsigned hash(unsigned a)
{
    a = (a ^ (a >> 16)) * 0x7feb352du;
    a = (a ^ (a >> 15)) * 0x846ca68bu;
    return a ^ (a >> 16);
}

/** out[thread]: what `n` iterations make of a number that begins with the thread's own. */
extern "C" __global__ void distribute(float *out, unsigned n, unsigned limit, float a, float b, float c, float d)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned state = hash(thread + 1u);
    float x = (float)(thread & 1023u) * 0x1p-10f;
    for (unsigned i = 0; i < n; ++i) {
        state = hash(state + 0x9e3779b9u);
        if (state < limit) {
#pragma unroll
            for (int k = 0; k < OWN; ++k) {
                x = fmaf(x, x, a);
            }
#pragma unroll
            for (int k = 0; k < ALIKE; ++k) {
                x = fmaf(x, a, b);
            }
#pragma unroll
            for (int k = 0; k < OWN; ++k) {
                x = fminf(x, b) + a;
            }
        } else {
#pragma unroll
            for (int k = 0; k < OWN; ++k) {
                x = fmaxf(x, d) * c;
            }
#pragma unroll
            for (int k = 0; k < ALIKE; ++k) {
                x = fmaf(x, c, d);
            }
#pragma unroll
            for (int k = 0; k < OWN; ++k) {
                x = fmaf(c, d, -x);
            }
        }
    }
    out[thread] = x;
}
