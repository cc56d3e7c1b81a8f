/** What lanes and workers of one launch do together; the last part of port.h, and read through it alone. */
#ifndef CK_PORT_TEAM_H
#define CK_PORT_TEAM_H

/* ------------------------------------------------------------------------------ lanes that step together (GPUs) */

/* CK_LANES lanes share an instruction. All of them call: ck_lane_sum_before, the sum of `value` over the lanes before this one, with the
 * sum over all in *total; ck_lane_rank, of the lanes for which `condition` holds those before this one, with their number in *total;
 * CK_LANES_MEET, after which they see each other's local words. In OpenCL, which has no word for it, a lane is alone. */
#if defined(CK_LANG_OPENCL)
#define CK_LANES 1u
#define ck_popcount(word) popcount((ck_u32)(word))
#define CK_LANES_MEET() mem_fence(CLK_LOCAL_MEM_FENCE)
CK_FN ck_u32 ck_lane_sum_before(ck_u32 value, ck_u32 *total)
{
    *total = value;
    return 0u;
}
CK_FN ck_u32 ck_lane_rank(ck_u32 condition, ck_u32 *total)
{
    *total = condition != 0u ? 1u : 0u;
    return 0u;
}
#elif defined(CK_LANG_CUDA)
#define CK_LANES 32u
#define ck_popcount(word) ((ck_u32)__popc(word))
#define CK_LANES_MEET() __syncwarp()
CK_FN ck_u32 ck_lane_sum_before(ck_u32 value, ck_u32 *total)
{
    ck_u32 sum = value, lane = threadIdx.x & 31u;
    for (ck_u32 reach = 1u; reach < 32u; reach *= 2u) {
        ck_u32 other = __shfl_up_sync(0xFFFFFFFFu, sum, reach);
        sum += lane >= reach ? other : 0u;
    }
    *total = __shfl_sync(0xFFFFFFFFu, sum, 31);
    return sum - value;
}
CK_FN ck_u32 ck_lane_rank(ck_u32 condition, ck_u32 *total)
{
    ck_u32 votes = __ballot_sync(0xFFFFFFFFu, condition != 0u), before;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(before));
    *total = (ck_u32)__popc(votes);
    return (ck_u32)__popc(votes & before);
}
#endif

/* ------------------------------------------------------------------------------ all workers of a launch (GPUs) */

/* CK_GROUP_BARRIER: the threads of a block meet, and see what each other wrote to global memory. ck_grid_barrier: all threads of
 * the launch do; ck_crew_barrier: those of `n_blocks` blocks that call it; ck_crew_wait: this block, for so many of others to have come to theirs. `arrivals` is a word that began at 0 and is used by them for
 * nothing else. All blocks must be on the device at once
 * (device_launch.is_cooperative). In OpenCL, which promises nothing of the kind, such a launch is one block. */
#if defined(CK_LANG_OPENCL)
#define CK_GROUP_BARRIER() CK_MEET(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define CK_GROUP_INDEX() ((ck_u32)get_group_id(0))
#define CK_GROUPS() ((ck_u32)get_num_groups(0))
#define ck_grid_barrier(arrivals) CK_MEET(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define ck_crew_barrier(arrivals, n_blocks) ck_grid_barrier(arrivals)
#define ck_crew_wait(arrivals, n_arrivals) ck_grid_barrier(arrivals)
CK_FN void ck_atomic_max_u64(CK_GLOBAL ck_u64 *word, ck_u64 value)
{
    atom_max(word, value);
}
#elif defined(CK_LANG_CUDA)
#define CK_GROUP_BARRIER() __syncthreads()
#define CK_GROUP_INDEX() (blockIdx.x)
#define CK_GROUPS() (gridDim.x)
CK_FN void ck_atomic_max_u64(ck_u64 *word, ck_u64 value)
{
    asm volatile("red.global.max.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(word)), "l"(value));
}
CK_FN void ck_crew_barrier(ck_u32 *arrivals, ck_u32 n_blocks)
{
    __syncthreads();
    if (threadIdx.x == 0u) {
        ck_u32 old, seen;
        asm volatile("atom.add.acq_rel.gpu.global.u32 %0, [%1], 1;"
                     : "=r"(old)
                     : "l"(__cvta_generic_to_global(arrivals))
                     : "memory");
        ck_u32 target = (old / n_blocks + 1u) * n_blocks;
        seen = old + 1u;
        while ((ck_i32)(seen - target) < 0) {
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                         : "=r"(seen)
                         : "l"(__cvta_generic_to_global(arrivals))
                         : "memory");
        }
    }
    __syncthreads();
}
CK_FN void ck_crew_wait(ck_u32 *arrivals, ck_u32 n_arrivals)
{
    if (threadIdx.x == 0u) {
        ck_u32 seen;
        do {
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                         : "=r"(seen)
                         : "l"(__cvta_generic_to_global(arrivals))
                         : "memory");
        } while ((ck_i32)(seen - n_arrivals) < 0);
    }
    __syncthreads();
}
CK_FN void ck_grid_barrier(ck_u32 *arrivals)
{
    ck_crew_barrier(arrivals, CK_GROUPS());
}
#endif

#endif
