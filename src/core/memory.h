/** How much memory the host can still give. */
#ifndef CORE_MEMORY_H
#define CORE_MEMORY_H

#include <stdint.h>

/** Bytes that can be taken without swapping (MemAvailable on Linux); UINT64_MAX where unknown. */
uint64_t memory_available(void);

#endif
