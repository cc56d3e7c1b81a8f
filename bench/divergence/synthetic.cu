/*
 * The synthetic benchmarks of Han and Abdelrahman (2011, 2013), built anew from their descriptions: loops whose trip counts have a
 * given spread over lanes, branches that are taken with a given probability, sides with a given share of like code.
 */
static __device__ __forceinline__ unsigned hash(unsigned a)
{
    a = (a ^ (a >> 16)) * 0x7feb352du;
    a = (a ^ (a >> 15)) * 0x846ca68bu;
    return a ^ (a >> 16);
}

/* Number of turns: 0 constant 32, 1 uniform 1 to 64, 2 geometric of mean 16, 3 two (nine in ten) or 64. */
static __device__ __forceinline__ unsigned trips(unsigned word, unsigned spread)
{
    float u = (float)(word >> 8) * 0x1p-24f;
    if (spread == 0) {
        return 32;
    }
    if (spread == 1) {
        return 1 + (word >> 26);
    }
    if (spread == 2) {
        return 1 + (unsigned)(__logf(1.0f - u) * -15.49f);
    }
    return u < 0.9f ? 2 : 64;
}

template <int N> static __device__ __forceinline__ float work(float x, float a, float b)
{
#pragma unroll
    for (int i = 0; i < N; ++i) {
        x = fmaf(x, a, b);
    }
    return x;
}

/* Loop merging: `outer` visits, each with a prologue of PROLOGUE and an inner loop whose body has WORK multiplications. */
template <int WORK, int PROLOGUE> static __device__ __forceinline__ void nest(float *out, unsigned outer, unsigned spread)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    float x = 1.0f, y = 0.5f;
    for (unsigned i = 0; i < outer; ++i) {
        unsigned n = trips(hash(thread * outer + i), spread);
        y = work<PROLOGUE>(y, 0.75f, x);
        for (unsigned k = 0; k < n; ++k) {
            x = work<WORK>(x, 0.999f, y);
        }
    }
    out[thread] = x + y;
}

#define NEST(w, p)                                                                              \
    extern "C" __global__ void nest_##w##_##p(float *out, unsigned outer, unsigned spread)      \
    {                                                                                           \
        nest<w, p>(out, outer, spread);                                                         \
    }
NEST(4, 1)
NEST(16, 1)
NEST(64, 1)
NEST(16, 64)
NEST(64, 64)

/* Iteration delaying: a side of DEAR multiplications that is taken with probability per_mille / 1000, else CHEAP ones. */
template <int DEAR, int CHEAP>
static __device__ __forceinline__ void rare(float *out, unsigned turns, unsigned per_mille)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    float x = 1.0f;
    for (unsigned i = 0; i < turns; ++i) {
        if (hash(thread * turns + i) % 1000u < per_mille) {
            x = work<DEAR>(x, 0.75f, 0.5f) * 0.5f;
        } else {
            x = work<CHEAP>(x, 1.001f, 0.25f);
        }
    }
    out[thread] = x;
}

#define RARE(d, c)                                                                                \
    extern "C" __global__ void rare_##d##_##c(float *out, unsigned turns, unsigned per_mille)     \
    {                                                                                             \
        rare<d, c>(out, turns, per_mille);                                                        \
    }
RARE(64, 16)
RARE(256, 16)
RARE(256, 64)

/* Branch distribution: of each side, OWN multiplications have no like on the other, and LIKE have, with other operands. */
template <int OWN, int LIKE> static __device__ __forceinline__ void sides(float *out, unsigned turns, unsigned per_mille)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    float x = 1.0f, y = 0.5f;
    for (unsigned i = 0; i < turns; ++i) {
        if (hash(thread * turns + i) % 1000u < per_mille) {
#pragma unroll
            for (int k = 0; k < OWN; ++k) {
                y = y * 0.5f + x * x;
            }
            x = work<LIKE>(x, 0.75f, y);
            y = fminf(y, x);
        } else {
#pragma unroll
            for (int k = 0; k < OWN; ++k) {
                y = fabsf(y - 0.125f) + 0.25f;
            }
            x = work<LIKE>(x, 0.5f, y);
            y = fmaxf(y, x);
        }
    }
    out[thread] = x + y;
}

#define SIDES(o, l)                                                                              \
    extern "C" __global__ void sides_##o##_##l(float *out, unsigned turns, unsigned per_mille)   \
    {                                                                                            \
        sides<o, l>(out, turns, per_mille);                                                      \
    }
SIDES(2, 64)
SIDES(8, 8)
SIDES(32, 32)
SIDES(64, 16)

/* The same with operands that are not constants: numbers of the lane, as a table or the state of a particle would give. */
template <int OWN, int LIKE> static __device__ __forceinline__ void given(float *out, unsigned turns, unsigned per_mille)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    float x = 1.0f, y = 0.5f, some = (float)(thread & 63u) * 0x1p-10f;
    float a = 0.75f + some, b = 0.5f - some, c = 0.5f + some, d = 0.25f - some;
    for (unsigned i = 0; i < turns; ++i) {
        if (hash(thread * turns + i) % 1000u < per_mille) {
#pragma unroll
            for (int k = 0; k < OWN; ++k) {
                y = y * 0.5f + x * x;
            }
            x = work<LIKE>(x, a, b);
            y = fminf(y, x);
        } else {
#pragma unroll
            for (int k = 0; k < OWN; ++k) {
                y = fabsf(y - 0.125f) + 0.25f;
            }
            x = work<LIKE>(x, c, d);
            y = fmaxf(y, x);
        }
    }
    out[thread] = x + y;
}

#define GIVEN(o, l)                                                                              \
    extern "C" __global__ void given_##o##_##l(float *out, unsigned turns, unsigned per_mille)   \
    {                                                                                            \
        given<o, l>(out, turns, per_mille);                                                      \
    }
GIVEN(2, 64)
GIVEN(8, 8)
GIVEN(32, 32)
GIVEN(64, 16)
