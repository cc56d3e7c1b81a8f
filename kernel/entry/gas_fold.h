/** After a launch of rays: adds the copies of the counters to the words, and leaves the copies at zero for the next. */
#include "gas/params.h"

CK_KERNEL gas_fold(gas_params p, const ck_u32 *nodes, const void *primitives, const void *surfaces, const void *sources,
                   const void *marks, const ck_u32 *mark_of, const void *views, const ck_u32 *records,
                   const double *planes, ck_u64 *words, ck_u32 *next, ck_u64 *copies)
{
    ck_u32 stride = p.at_textures + 4u;
    for (ck_u32 i = CK_GLOBAL_INDEX(); i <= p.at_textures; i += CK_LOCAL_SIZE() * CK_GROUPS()) {
        ck_u64 sum = 0u;
        for (ck_u32 c = 0u; c < GAS_COPIES; ++c) {
            sum += copies[(ck_u64)stride * c + i];
            copies[(ck_u64)stride * c + i] = 0u;
        }
        ck_u32 word = i < p.at_textures ? i : p.at_counters + GAS_COUNT_PATH;
        words[word] += sum;
    }
    (void)nodes, (void)primitives, (void)surfaces, (void)sources, (void)marks, (void)mark_of, (void)views,
        (void)records;
    (void)planes, (void)next;
}
