/*
 * Put in front of every .cu by `corpuscle-divcc --profile`: memory for what the kernels record, known to the host part too, which
 * hands it to corpuscle_profile_runtime.c. The size is RECORD_WORDS of divergence/plugin/sites.h.
 */
#ifndef CORPUSCLE_PROFILE_H
#define CORPUSCLE_PROFILE_H

enum { CORPUSCLE_PROFILE_WORDS = 32 + 64 * 64 * 32 * 64 };

static __device__ __attribute__((used)) unsigned short corpuscle_profile[CORPUSCLE_PROFILE_WORDS];

#ifndef __CUDA_ARCH__
extern "C" void corpuscle_profile_add(const void *symbol);
static __attribute__((constructor, used)) void corpuscle_profile_register()
{
    corpuscle_profile_add(corpuscle_profile);
}
#endif

#endif
