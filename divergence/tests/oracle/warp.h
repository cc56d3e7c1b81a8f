/** 32 lanes of a warp on a CPU, as fibres that meet at votes: what the oracle and the fuzzer run kernels with. */
#ifndef ORACLE_WARP_H
#define ORACLE_WARP_H

#include <stdint.h>

enum { WARP_LANES = 32 };

/** A kernel for one lane. `own` is the lane's memory, `shared` is added to atomically. */
typedef void (*warp_kernel)(uint32_t lane, uint32_t *own, uint32_t *shared);

/**
 * Run all lanes. Lanes that wait for a vote go on when all lanes of its mask have come; a mask with a lane that has
 * ended is a fault of the transform and ends the program. `seed` decides which lanes run together where the hardware
 * may choose.
 */
void warp_run(warp_kernel kernel, uint32_t *own, uint32_t n_own, uint32_t *shared, uint32_t seed);

/** Words of a recorded run, docs/formats/divprofile.md: all 32 lanes are warp 0. */
enum { RECORD_WORDS = 160 + 64 * 64 * 32 * 64 };
extern uint16_t warp_record[RECORD_WORDS];

/* What the passes call on a host. */
void corpuscle_record(void *memory, uint64_t hash, uint32_t site, uint32_t value);
uint32_t corpuscle_div_active_mask(void);
uint32_t corpuscle_div_ballot(uint32_t mask, uint32_t predicate);

#endif
