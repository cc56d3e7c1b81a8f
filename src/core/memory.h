/** How much memory the host can still give. */
#ifndef CORE_MEMORY_H
#define CORE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

/**
 * Bytes that can be taken without swapping: MemAvailable, less where a control group (a container, a batch system) allows
 * less; UINT64_MAX where unknown. $CORPUSCLE_MEMORY, a number of bytes, is a limit on top, for machines that are shared.
 */
uint64_t memory_available(void);

/** Whether so many bytes can be taken; `available` (may be NULL) is set when not. So little that no machine lacks it (16 MB)
 * is granted unseen, for runs of a few milliseconds. */
bool memory_suffices(uint64_t needed, uint64_t *available);

#endif
