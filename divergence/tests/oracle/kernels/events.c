/* Hand-written kernels for the oracle: kinds of event, with a few ways at once. */
#include <stdint.h>

static inline uint32_t mix(uint32_t a)
{
    a = (a ^ a >> 16) * 0x7feb352du;
    a = (a ^ a >> 15) * 0x846ca68bu;
    return a ^ a >> 16;
}

/* Three events by one formula; scores differ. No fourth comes. */
void kernel_0(uint32_t lane, uint32_t *own, uint32_t *shared)
{
    uint32_t state = mix(lane + 3u);
    float energy = 10.0f;
    for (uint32_t i = 0; i < 120; ++i) {
        state = mix(state + i);
        float u = (float)(state >> 8) * 0x1p-24f;
        switch (state % 3u) {
        case 0:
            energy = energy * (1.0f - u * 0.3f) / (1.0f + 0.1f * u) + 0.01f;
            __atomic_fetch_add(&shared[0], 1u, __ATOMIC_RELAXED);
            break;
        case 1:
            energy = energy * (1.0f - u * 0.1f) / (1.0f + 0.7f * u) + 0.02f;
            __atomic_fetch_add(&shared[1], 2u, __ATOMIC_RELAXED);
            break;
        case 2:
            energy = energy * (1.0f - u * 0.2f) / (1.0f + 0.2f * u) + 0.5f;
            own[5] += state & 3u;
            break;
        default:
            __builtin_unreachable();
        }
    }
    __builtin_memcpy(&own[0], &energy, 4);
}

/* Two cases and a default that does something else; values from before the switch go on. */
void kernel_1(uint32_t lane, uint32_t *own, uint32_t *shared)
{
    (void)shared;
    uint32_t state = mix(lane + 8u), sum = 1, kept = 7;
    for (uint32_t i = 0; i < 80; ++i) {
        state = mix(state ^ i);
        switch (state & 7u) {
        case 1:
            sum = sum / ((state >> 5) | 1u) + kept * 5u;
            kept = own[state & 31u] ^ sum;
            break;
        case 4:
            sum = sum / ((state >> 9) | 1u) + kept * 9u;
            kept = own[state >> 3 & 31u] ^ sum;
            break;
        default:
            own[32 + (state & 15u)] += sum;
            for (uint32_t k = state >> 30; k > 0; --k) {
                sum = mix(sum + k);
            }
        }
    }
    own[0] = sum;
    own[1] = kept;
}
