/* Hand-written kernels for the oracle: branches whose sides are alike, wholly or in parts. */
#include <stdint.h>

static inline uint32_t mix(uint32_t a)
{
    a = (a ^ a >> 16) * 0x7feb352du;
    a = (a ^ a >> 15) * 0x846ca68bu;
    return a ^ a >> 16;
}

static inline float unit(uint32_t word)
{
    return (float)(word >> 8) * 0x1p-24f;
}

static inline void keep(uint32_t *to, float value)
{
    __builtin_memcpy(to, &value, 4);
}

/* One polynomial with other coefficients, between beginnings and ends that differ. */
void kernel_0(uint32_t lane, uint32_t *own, uint32_t *shared)
{
    uint32_t state = mix(lane);
    float x = 0.5f;
    for (uint32_t i = 0; i < 100; ++i) {
        state = mix(state + i);
        if (state & 1u) {
            x = 1.0f / (x + 1.5f);
            x = ((x * 0.31f + 0.7f) * x + 0.11f) * x + 0.93f;
            own[8 + (state >> 29)] += 3u;
        } else {
            x = __builtin_sqrtf(x + unit(state));
            x = ((x * 0.77f + 0.2f) * x + 0.41f) * x + 0.13f;
            __atomic_fetch_add(&shared[state >> 29], 1u, __ATOMIC_RELAXED);
        }
    }
    keep(&own[0], x);
}

/* Loads, stores and atomics that pair up, with other addresses; a store without partner in between. */
void kernel_1(uint32_t lane, uint32_t *own, uint32_t *shared)
{
    uint32_t state = mix(lane + 5u);
    for (uint32_t i = 0; i < 60; ++i) {
        state = mix(state + i);
        uint32_t a = state & 15u, c = state >> 4 & 15u;
        if (state & 64u) {
            uint32_t v = own[a] * 3u + own[16 + c];
            own[32 + a] = v ^ state;
            own[a] = v + 1u;
            __atomic_fetch_add(&shared[a], v & 255u, __ATOMIC_RELAXED);
        } else {
            uint32_t v = own[16 + c] * 5u + own[a];
            own[c] = v - 7u;
            own[32 + c] = v + state;
            own[48 + (c & 7u)] ^= v;
            __atomic_fetch_add(&shared[c], v & 127u, __ATOMIC_RELAXED);
        }
    }
}

/* Control flow of one shape inside both sides: an inner branch, then a loop of other length. */
void kernel_2(uint32_t lane, uint32_t *own, uint32_t *shared)
{
    (void)shared;
    uint32_t state = mix(lane + 9u), sum = 0;
    for (uint32_t i = 0; i < 40; ++i) {
        state = mix(state + i);
        if (state & 2u) {
            uint32_t n = state >> 28, v = state;
            if (v & 32u) {
                v = v * 7u + 3u;
                own[20] += v;
            } else {
                own[21] ^= v;
            }
            for (uint32_t k = 0; k < n; ++k) {
                v = v * 1664525u + own[k];
                sum += v >> 3;
            }
            sum ^= v;
        } else {
            uint32_t n = state >> 27 & 7u, v = ~state;
            if (v & 512u) {
                v = v * 11u + 5u;
                own[22] += v;
            } else {
                own[23] ^= v;
            }
            for (uint32_t k = 0; k < n; ++k) {
                v = v * 22695477u + own[k + 3];
                sum += v >> 5;
            }
            sum += v * 3u;
        }
        own[40 + (i & 7u)] = sum;
    }
}

/* Several values leave each side; some are swapped, some come from before the branch. */
void kernel_3(uint32_t lane, uint32_t *own, uint32_t *shared)
{
    (void)shared;
    uint32_t state = mix(lane + 21u);
    float x = 0.1f, y = 0.2f, z = 0.3f;
    for (uint32_t i = 0; i < 90; ++i) {
        state = mix(state + i);
        float u = unit(state), a = x, b = y;
        if (u < 0.4f) {
            float length = __builtin_sqrtf(a * a + b * b + 0.01f);
            x = b / length;
            y = a / length + z;
            z = u;
        } else {
            float length = __builtin_sqrtf(b * b + z * z + 0.02f);
            x = a / length;
            y = z / length - b;
            z = a;
        }
    }
    keep(&own[0], x);
    keep(&own[1], y);
    keep(&own[2], z);
}

/* A chain of else-ifs: three ways through one formula. */
void kernel_4(uint32_t lane, uint32_t *own, uint32_t *shared)
{
    uint32_t state = mix(lane + 33u);
    float energy = 10.0f;
    for (uint32_t i = 0; i < 80; ++i) {
        state = mix(state + i);
        uint32_t event = state % 3u;
        float u = unit(state);
        if (event == 0u) {
            energy = energy * (1.0f - u * 0.3f) / (1.0f + 0.1f * u) + 0.01f;
            __atomic_fetch_add(&shared[0], 1u, __ATOMIC_RELAXED);
        } else if (event == 1u) {
            energy = energy * (1.0f - u * 0.1f) / (1.0f + 0.7f * u) + 0.02f;
            __atomic_fetch_add(&shared[1], 2u, __ATOMIC_RELAXED);
        } else {
            energy = energy * (1.0f - u * 0.2f) / (1.0f + 0.2f * u) + 0.5f;
            own[5] += state & 3u;
        }
    }
    keep(&own[0], energy);
}

/* A loop on one side, straight code on the other, one common part; divisions that must not run for other lanes. */
void kernel_5(uint32_t lane, uint32_t *own, uint32_t *shared)
{
    (void)shared;
    uint32_t state = mix(lane + 47u), sum = 0;
    for (uint32_t i = 0; i < 50; ++i) {
        state = mix(state + i);
        uint32_t d = state >> 8 & 7u;
        if (d != 0u) {
            uint32_t q = state / d;
            for (uint32_t k = 0; k < d; ++k) {
                q ^= own[k] + k;
            }
            q = mix(q * 3u + 1u);
            sum += q;
        } else {
            uint32_t q = mix(state * 5u + 2u);
            sum ^= q;
        }
        own[30 + (i & 15u)] = sum;
    }
}

/* Loops around the melded code whose values go round: swaps in both sides' loops. */
void kernel_6(uint32_t lane, uint32_t *own, uint32_t *shared)
{
    (void)shared;
    uint32_t state = mix(lane + 61u), a = 1, b = 2;
    for (uint32_t i = 0; i < 30; ++i) {
        state = mix(state + i);
        if (state & 4u) {
            for (uint32_t k = state >> 29; k > 0; --k) {
                uint32_t old = a;
                a = b;
                b = old + k;
            }
        } else {
            for (uint32_t k = state >> 28; k > 0; --k) {
                uint32_t old = b;
                b = a + 3u;
                a = old ^ k;
            }
        }
    }
    own[0] = a;
    own[1] = b;
}
