/*
 * Random walks in a disc until they leave it: many walks a thread, and every walk of another length. As it stands the
 * 32 lanes of a warp wait for the longest of their walks each time; merged, a lane that is done begins its next walk at
 * once.
 *
 *     build/corpuscle-divcc examples/divergence/walk.cu -o walk.cubin --arch sm_90
 */
static __device__ unsigned hash(unsigned a)
{
    a = (a ^ (a >> 16)) * 0x7feb352du;
    a = (a ^ (a >> 15)) * 0x846ca68bu;
    return a ^ (a >> 16);
}

/* A number between -1 and 1. */
static __device__ float symmetric(unsigned word)
{
    return (float)(int)word * 0x1p-31f;
}

/**
 * steps[thread]: number of steps of `n_walks` walks of this thread, that begin at the centre of a disc of radius 1 and
 * make steps of at most `length` in x and y. sums[thread]: sum of squared distances at the exit.
 */
extern "C" __global__ void walk(unsigned long long *steps, float *sums, unsigned n_walks, float length)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long n_steps = 0;
    float sum = 0.0f;
    for (unsigned i = 0; i < n_walks; ++i) {
        unsigned state = hash(thread * n_walks + i);
        float x = 0.0f, y = 0.0f, r2 = 0.0f;
        while (r2 < 1.0f) {
            unsigned a = hash(state), b = hash(a + 0x9e3779b9u);
            state += 0x632be5abu;
            x = fmaf(length, symmetric(a), x);
            y = fmaf(length, symmetric(b), y);
            r2 = fmaf(x, x, y * y);
            n_steps += 1;
        }
        sum += r2;
    }
    steps[thread] = n_steps;
    sums[thread] = sum;
}
