/** SHA-256 (FIPS 180-4), for digests of tallies and inputs and for keys of the kernel cache. */
#ifndef CORE_SHA256_H
#define CORE_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sha256 {
    uint32_t state[8];
    uint64_t n_bytes;
    uint8_t block[64];
} sha256;

/** Begin. */
void sha256_init(sha256 *s);
/** Take in more bytes; in any pieces, the digest is the same. */
void sha256_update(sha256 *s, const void *data, size_t n_bytes);
/** End: 64 hex digits and a terminating zero. */
void sha256_hex(sha256 *s, char hex[65]);
/** One call for a whole buffer. */
void sha256_of(const void *data, size_t n_bytes, char hex[65]);

/** Take blocks of 64 bytes into a state: in plain C, and by the processor's own instructions where it has them. The
 * constants are those of the 64 rounds. */
void sha256_compress_plain(uint32_t state[8], const uint32_t constants[64], const uint8_t *blocks, size_t n_blocks);
void sha256_compress_lanes(uint32_t state[8], const uint32_t constants[64], const uint8_t *blocks, size_t n_blocks);
bool sha256_has_lanes(void);
extern const uint32_t sha256_constants[64];

#endif
