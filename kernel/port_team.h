/** What lanes and workers of one launch do together; the last part of port.h, and read through it alone. */
#ifndef CK_PORT_TEAM_H
#define CK_PORT_TEAM_H

/* Of arrays that all workers read and write between barriers: put a word and get the old one, the same if it is as expected (64
 * bits, GPUs only), keep the smaller number. */
#if defined(CK_LANG_OPENCL)
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
CK_FN ck_u32 ck_atomic_exchange_u32(CK_GLOBAL ck_u32 *word, ck_u32 value)
{
    return atomic_xchg(word, value);
}
CK_FN ck_u64 ck_atomic_exchange_if_u64(CK_GLOBAL ck_u64 *word, ck_u64 expected, ck_u64 value)
{
    return atom_cmpxchg(word, expected, value);
}
CK_FN void ck_atomic_min_u32(CK_GLOBAL ck_u32 *word, ck_u32 value)
{
    atomic_min(word, value);
}
CK_FN void ck_atomic_min_u64(CK_GLOBAL ck_u64 *word, ck_u64 value)
{
    atom_min(word, value);
}
#elif defined(CK_LANG_CUDA)
CK_FN ck_u32 ck_atomic_exchange_u32(ck_u32 *word, ck_u32 value)
{
    ck_u32 old;
    asm volatile("atom" CK_SCOPE ".global.exch.b32 %0, [%1], %2;"
                 : "=r"(old)
                 : "l"(__cvta_generic_to_global(word)), "r"(value)
                 : "memory");
    return old;
}
CK_FN ck_u64 ck_atomic_exchange_if_u64(ck_u64 *word, ck_u64 expected, ck_u64 value)
{
    ck_u64 old;
    asm volatile("atom" CK_SCOPE ".global.cas.b64 %0, [%1], %2, %3;"
                 : "=l"(old)
                 : "l"(__cvta_generic_to_global(word)), "l"(expected), "l"(value)
                 : "memory");
    return old;
}
CK_FN void ck_atomic_min_u32(ck_u32 *word, ck_u32 value)
{
    asm volatile("red" CK_SCOPE ".global.min.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(word)), "r"(value));
}
CK_FN void ck_atomic_min_u64(ck_u64 *word, ck_u64 value)
{
    asm volatile("red" CK_SCOPE ".global.min.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(word)), "l"(value) : "memory");
}
#else
CK_FN ck_u32 ck_atomic_exchange_u32(ck_u32 *word, ck_u32 value)
{
    return __atomic_exchange_n(word, value, __ATOMIC_RELAXED);
}
CK_FN void ck_atomic_min_u32(ck_u32 *word, ck_u32 value)
{
    ck_u32 old = __atomic_load_n(word, __ATOMIC_RELAXED);
    while (value < old && !__atomic_compare_exchange_n(word, &old, value, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}
CK_FN void ck_atomic_min_u64(ck_u64 *word, ck_u64 value)
{
    ck_u64 old = __atomic_load_n(word, __ATOMIC_RELAXED);
    while (value < old && !__atomic_compare_exchange_n(word, &old, value, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}
#endif

/* ------------------------------------------------------------------------------ lanes that step together (GPUs) */

/* CK_LANES lanes share an instruction. All of them call: ck_lane_sum_before, the sum of `value` over the lanes before this one, with the
 * sum over all in *total; ck_lane_rank, of the lanes for which `condition` holds those before this one, with their number in *total;
 * ck_lane_min and ck_lane_max, of the words of all; ck_lane_double, the number of the lane with that number;
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
#define ck_lane_min(value) (value)
#define ck_lane_max(value) (value)
#define ck_lane_double(value, lane) (value)
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
CK_FN ck_u32 ck_lane_min(ck_u32 value)
{
    for (ck_u32 reach = 16u; reach > 0u; reach /= 2u) {
        ck_u32 other = __shfl_xor_sync(0xFFFFFFFFu, value, reach);
        value = other < value ? other : value;
    }
    return value;
}
#define ck_lane_double(value, lane) __shfl_sync(0xFFFFFFFFu, (value), (int)(lane))
CK_FN ck_u32 ck_lane_max(ck_u32 value)
{
    return ~ck_lane_min(~value);
}
#endif

/* ------------------------------------------------------------------------------ all workers of a launch (GPUs) */

/* CK_GROUP_BARRIER: the threads of a block meet, and see what each other wrote to global memory. ck_grid_barrier: all threads of
 * the launch do; ck_blocks_barrier: those of `n_blocks` blocks that call it; ck_blocks_wait: this block waits until others have come to
 * theirs so many times. `arrivals` is a word that began at 0 and is used for nothing else. All blocks must be on the device at once
 * (device_launch.is_cooperative). In OpenCL, which promises nothing of the kind, such a launch is one block. */
#if defined(CK_LANG_OPENCL)
#define CK_GROUP_BARRIER() CK_MEET(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define CK_GROUP_INDEX() ((ck_u32)get_group_id(0))
#define CK_GROUPS() ((ck_u32)get_num_groups(0))
#define ck_grid_barrier(arrivals) CK_MEET(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define ck_blocks_barrier(arrivals, n_blocks) ck_grid_barrier(arrivals)
#define ck_blocks_wait(arrivals, n_arrivals) ck_grid_barrier(arrivals)
#elif defined(CK_LANG_CUDA)
#define CK_GROUP_BARRIER() __syncthreads()
#if defined(CK_SPLIT)
/* Built with CK_SPLIT, a launch is split over several devices, each of which has a part of the blocks and of the memory. What the
 * host writes here before: the first block of this device, the blocks of all, and where a word lies that the host sets if a device
 * fails: then no one waits any more, all threads end. */
extern "C" {
__constant__ ck_u64 ck_split[3];
}
#define CK_GROUP_INDEX() ((ck_u32)ck_split[0] + blockIdx.x)
#define CK_GROUPS() ((ck_u32)ck_split[1])
#define CK_TEAM_SCOPE "sys"
/* Looks at the host's word, which is far, once in so many times. */
CK_FN ck_u32 ck_is_given_up(ck_u32 n_looks)
{
    ck_u32 is_given_up = 0u;
    if (n_looks % 1024u == 0u) {
        asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(is_given_up) : "l"(ck_split[2]) : "memory");
    }
    return is_given_up;
}
/* `is_given_up` as the first thread of the block knows it. */
CK_FN void ck_leave_barrier(ck_u32 is_given_up)
{
    if (__syncthreads_or((int)is_given_up) != 0) {
        asm volatile("exit;");
    }
}
#else
#define CK_GROUP_INDEX() (blockIdx.x)
#define CK_GROUPS() (gridDim.x)
#define CK_TEAM_SCOPE "gpu"
#define ck_is_given_up(n_looks) ((void)(n_looks), 0u)
#define ck_leave_barrier(is_given_up) __syncthreads()
#endif
CK_FN void ck_blocks_barrier(ck_u32 *arrivals, ck_u32 n_blocks)
{
    ck_u32 is_given_up = 0u;
    __syncthreads();
    if (threadIdx.x == 0u) {
        ck_u32 old, n_looks = 0u;
        asm volatile("atom.add.acq_rel." CK_TEAM_SCOPE ".global.u32 %0, [%1], 1;"
                     : "=r"(old)
                     : "l"(__cvta_generic_to_global(arrivals))
                     : "memory");
        ck_u32 target = (old / n_blocks + 1u) * n_blocks, seen = old + 1u;
        while ((ck_i32)(seen - target) < 0 && is_given_up == 0u) {
            asm volatile("ld.acquire." CK_TEAM_SCOPE ".global.u32 %0, [%1];"
                         : "=r"(seen)
                         : "l"(__cvta_generic_to_global(arrivals))
                         : "memory");
            is_given_up = ck_is_given_up(++n_looks);
        }
    }
    ck_leave_barrier(is_given_up);
}
CK_FN void ck_blocks_wait(ck_u32 *arrivals, ck_u32 n_arrivals)
{
    ck_u32 is_given_up = 0u;
    if (threadIdx.x == 0u) {
        ck_u32 seen, n_looks = 0u;
        do {
            asm volatile("ld.acquire." CK_TEAM_SCOPE ".global.u32 %0, [%1];"
                         : "=r"(seen)
                         : "l"(__cvta_generic_to_global(arrivals))
                         : "memory");
            is_given_up = ck_is_given_up(++n_looks);
        } while ((ck_i32)(seen - n_arrivals) < 0 && is_given_up == 0u);
    }
    ck_leave_barrier(is_given_up);
}
CK_FN void ck_grid_barrier(ck_u32 *arrivals)
{
    ck_blocks_barrier(arrivals, CK_GROUPS());
}
#endif

#endif
