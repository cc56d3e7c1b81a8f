/*
 * Put in front of every .cu by `corpuscle-divcc --profile`: memory for what the kernels record, known to the host part
 * too, which hands it to corpuscle_profile_runtime.c. The size is RECORD_WORDS of divergence/plugin/sites.h.
 */
#ifndef CORPUSCLE_PROFILE_H
#define CORPUSCLE_PROFILE_H

enum { CORPUSCLE_PROFILE_WORDS = 160 + 64 * 64 * 32 * 64 };

/* A name of its own in every source file (the driver defines it), and no `static`: CUDA finds memory by its name. */
extern "C" {
__device__ __attribute__((used, aligned(16))) unsigned short CORPUSCLE_PROFILE_NAME[CORPUSCLE_PROFILE_WORDS];
}

#ifndef __CUDA_ARCH__
extern "C" void corpuscle_profile_add(const void *symbol);
static __attribute__((constructor, used)) void corpuscle_profile_register()
{
    corpuscle_profile_add(CORPUSCLE_PROFILE_NAME);
}
#endif

#endif
