/* Hand-written kernels for the oracle: the shapes that people write, one function each. */
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

/* Random walks until they leave a disc: an inner loop that ends at no fixed count. */
void kernel_0(uint32_t lane, uint32_t *own, uint32_t *shared)
{
    uint32_t n_steps = 0;
    float sum = 0.0f;
    for (uint32_t i = 0; i < 20; ++i) {
        uint32_t state = mix(lane * 20 + i);
        float x = 0.0f, y = 0.0f, r2 = 0.0f;
        while (r2 < 1.0f) {
            state = mix(state + 0x9e3779b9u);
            x += 0.3f * (unit(state) - 0.5f);
            y += 0.3f * (unit(mix(state)) - 0.5f);
            r2 = x * x + y * y;
            ++n_steps;
        }
        sum += r2;
        __atomic_fetch_add(&shared[n_steps & 15u], 1u, __ATOMIC_RELAXED);
    }
    own[0] = n_steps;
    __builtin_memcpy(&own[1], &sum, 4);
}

/* Rows of a sparse matrix: the inner loop's bounds come from memory; rows may be empty. */
void kernel_1(uint32_t lane, uint32_t *own, uint32_t *shared)
{
    (void)shared;
    for (uint32_t row = 0; row < 12; ++row) {
        uint32_t begin = own[row] & 31u, end = begin + (own[row + 1] & 15u), sum = lane;
        for (uint32_t k = begin; k < end; ++k) {
            sum += own[k] * (k + row);
        }
        own[48 + row] = sum;
    }
}

/* Mandelbrot over a few pixels: two ways out of the inner loop. */
void kernel_2(uint32_t lane, uint32_t *own, uint32_t *shared)
{
    (void)shared;
    for (uint32_t pixel = 0; pixel < 16; ++pixel) {
        float cx = (float)lane / 16.0f - 1.5f, cy = (float)pixel / 8.0f - 1.0f, x = 0.0f, y = 0.0f;
        uint32_t n = 0;
        for (; n < 200; ++n) {
            float xx = x * x, yy = y * y;
            if (xx + yy > 4.0f) {
                break;
            }
            y = 2.0f * x * y + cy;
            x = xx - yy + cx;
        }
        own[pixel] = n;
    }
}

/* A rare dear event: collisions among many free steps. */
void kernel_3(uint32_t lane, uint32_t *own, uint32_t *shared)
{
    uint32_t state = mix(lane + 77u);
    float energy = 1.0f;
    for (uint32_t i = 0; i < 300; ++i) {
        state = mix(state + i);
        if ((state & 15u) == 0u) {
            for (uint32_t k = 0; k < 12; ++k) {
                energy = energy * 0.97f + unit(mix(state + k)) / (1.0f + energy);
            }
            __atomic_fetch_add(&shared[1 + (state >> 28)], state & 7u, __ATOMIC_RELAXED);
        } else {
            energy += 0.001f;
        }
        if (energy > 50.0f) {
            break;
        }
    }
    __builtin_memcpy(&own[0], &energy, 4);
    own[1] = state;
}

/* Three levels and a queue: tracks, steps, secondaries; early return. */
void kernel_4(uint32_t lane, uint32_t *own, uint32_t *shared)
{
    uint32_t stack[8], n_stack;
    for (uint32_t track = 0; track < 6; ++track) {
        n_stack = 1;
        stack[0] = mix(lane * 6 + track) | 1u;
        while (n_stack > 0) {
            uint32_t particle = stack[--n_stack];
            while (particle > 1u << 20) {
                particle -= particle >> 3;
                if ((mix(particle) & 63u) < 9u && n_stack < 8) {
                    stack[n_stack++] = particle >> 2;
                }
                if ((mix(particle) & 0xffffu) == 0u) {
                    own[60] = particle;
                    return;
                }
            }
            own[track] += particle;
            __atomic_fetch_add(&shared[track], 1u, __ATOMIC_RELAXED);
        }
    }
}

/* Two loops one after the other in one parent, the second under a condition. */
void kernel_5(uint32_t lane, uint32_t *own, uint32_t *shared)
{
    (void)shared;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < 15; ++i) {
        uint32_t a = mix(lane + i * 32u);
        while (a & 7u) {
            a = mix(a);
            sum += a >> 5;
        }
        if (i & 1u) {
            uint32_t b = a;
            do {
                b = b * 5u + 1u;
                sum ^= b;
            } while (b % 11u != 3u);
        } else {
            sum += 3u;
        }
        own[i] = sum;
    }
}
