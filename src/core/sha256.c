/* SHA-256 as FIPS 180-4, section 6.2, describes it. */
#include "core/sha256.h"

#include <string.h>

/* First 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2). */
const uint32_t sha256_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t rotate_right(uint32_t x, unsigned n)
{
    return (x >> n) | (x << (32u - n));
}

static void expand_block(const uint8_t *block, uint32_t w[64])
{
    for (unsigned t = 0; t < 16; t++) {
        w[t] = ((uint32_t)block[4 * t] << 24) | ((uint32_t)block[4 * t + 1] << 16) |
               ((uint32_t)block[4 * t + 2] << 8) | (uint32_t)block[4 * t + 3];
    }
    for (unsigned t = 16; t < 64; t++) {
        uint32_t s0 = rotate_right(w[t - 15], 7) ^ rotate_right(w[t - 15], 18) ^ (w[t - 15] >> 3);
        uint32_t s1 = rotate_right(w[t - 2], 17) ^ rotate_right(w[t - 2], 19) ^ (w[t - 2] >> 10);
        w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
}

static void compress_block(uint32_t state[8], const uint32_t constants[64], const uint8_t *block)
{
    uint32_t w[64];
    expand_block(block, w);
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    for (unsigned t = 0; t < 64; t++) {
        uint32_t sum1 = rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25);
        uint32_t t1 = h + sum1 + ((e & f) ^ (~e & g)) + constants[t] + w[t];
        uint32_t sum0 = rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22);
        uint32_t t2 = sum0 + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + t1;
        d = c;
        c = b;
        b = a;
        a = t1 + t2;
    }
    state[0] += a;
    state[1] += b;
    state[2] += c;
    state[3] += d;
    state[4] += e;
    state[5] += f;
    state[6] += g;
    state[7] += h;
}

void sha256_compress_plain(uint32_t state[8], const uint32_t constants[64], const uint8_t *blocks, size_t n_blocks)
{
    for (size_t i = 0; i < n_blocks; i++) {
        compress_block(state, constants, blocks + 64 * i);
    }
}

static void compress(uint32_t state[8], const uint8_t *blocks, size_t n_blocks)
{
    (sha256_has_lanes() ? sha256_compress_lanes : sha256_compress_plain)(state, sha256_constants, blocks, n_blocks);
}

void sha256_init(sha256 *s)
{
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(s->state, start, sizeof start);
    s->n_bytes = 0;
    memset(s->block, 0, sizeof s->block);
}

void sha256_update(sha256 *s, const void *data, size_t n_bytes)
{
    const uint8_t *next = data;
    size_t held = (size_t)(s->n_bytes % sizeof s->block);
    s->n_bytes += n_bytes;
    if (held > 0 && n_bytes > 0) {
        size_t n = sizeof s->block - held < n_bytes ? sizeof s->block - held : n_bytes;
        memcpy(s->block + held, next, n);
        next += n;
        n_bytes -= n;
        if (held + n < sizeof s->block) {
            return;
        }
        compress(s->state, s->block, 1);
    }
    compress(s->state, next, n_bytes / sizeof s->block);
    next += n_bytes / sizeof s->block * sizeof s->block;
    n_bytes %= sizeof s->block;
    if (n_bytes > 0) {
        memcpy(s->block, next, n_bytes);
    }
}

void sha256_hex(sha256 *s, char hex[65])
{
    static const char digits[] = "0123456789abcdef";
    uint64_t n_bits = s->n_bytes * 8;
    uint8_t pad[72] = {0x80};
    size_t held = (size_t)(s->n_bytes % 64);
    size_t n_pad = held < 56 ? 56 - held : 120 - held;
    for (unsigned i = 0; i < 8; i++) {
        pad[n_pad + i] = (uint8_t)(n_bits >> (56 - 8 * i));
    }
    sha256_update(s, pad, n_pad + 8);
    for (unsigned i = 0; i < 64; i++) {
        hex[i] = digits[(s->state[i / 8] >> (28 - 4 * (i % 8))) & 15u];
    }
    hex[64] = '\0';
}

void sha256_of(const void *data, size_t n_bytes, char hex[65])
{
    sha256 s;
    sha256_init(&s);
    sha256_update(&s, data, n_bytes);
    sha256_hex(&s, hex);
}
