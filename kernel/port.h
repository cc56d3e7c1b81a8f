/**
 * The one header that knows the languages: C11 (gcc, clang), CUDA C++ (nvcc, NVRTC) and OpenCL C 1.2.
 * Everything else under kernel/ is written in their common subset: plain structs by value, explicit address spaces,
 * no vector types, no pointers inside kernel arguments, no recursion, no function pointers.
 */
#ifndef CK_PORT_H
#define CK_PORT_H

#if defined(__OPENCL_C_VERSION__) || defined(__OPENCL_VERSION__)
#define CK_LANG_OPENCL 1
#elif defined(__CUDACC__)
#define CK_LANG_CUDA 1
#else
#define CK_LANG_C 1
#endif

/* Strict math rounds as IEEE 754 says, on every device; fast math takes what the hardware offers (GPUs only). */
#ifndef CK_STRICT
#define CK_STRICT 1
#endif

#if defined(CK_LANG_OPENCL)

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#if defined(CK_DOUBLE)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#if CK_STRICT
#pragma OPENCL FP_CONTRACT OFF
#endif
typedef int ck_i32;
typedef uint ck_u32;
typedef long ck_i64;
typedef ulong ck_u64;
#define CK_FN static inline
#define CK_CALL CK_FN
#define CK_LEAF CK_FN
#define CK_KERNEL __kernel void
#define CK_LAUNCH_BOUNDS
#define CK_GLOBAL __global
#define CK_LOCAL __local
#define CK_RESTRICT restrict
/* A block of one waits for no one: a compiler that is told so need not cut the kernel at its barriers. */
#if defined(CK_BLOCK) && CK_BLOCK == 1
#define CK_MEET(what) mem_fence(what)
#else
#define CK_MEET(what) barrier(what)
#endif
#define CK_BARRIER() CK_MEET(CLK_LOCAL_MEM_FENCE)
#define CK_UNROLL
#define CK_NO_UNROLL
#define CK_ALIGNED(n) __attribute__((aligned(n)))
#define CK_PIN(x)
#define CK_PIN_FLOAT(x)
#define CK_LOCAL_ARGUMENT , __local ck_u32 *ck_local
#define CK_LOCAL_MEMORY
#define CK_GLOBAL_INDEX() ((ck_u32)get_global_id(0))
#define CK_LOCAL_INDEX() ((ck_u32)get_local_id(0))
#define CK_LOCAL_SIZE() ((ck_u32)get_local_size(0))
#define CK_STATIC_ASSERT(condition, name) typedef char name[(condition) ? 1 : -1]
#define CK_BITS(f) as_uint(f)
#define CK_FLOAT(u) as_float(u)
#define CK_MULHI32(a, b) mul_hi((ck_u32)(a), (ck_u32)(b))
#define ck_fma(a, b, c) fma((float)(a), (float)(b), (float)(c))
#define CK_BITS64(d) as_ulong(d)
#define CK_REAL64(u) as_double(u)
#define ck_fabs(a) fabs(a)
#define ck_fmin(a, b) fmin((float)(a), (float)(b))
#define ck_fmax(a, b) fmax((float)(a), (float)(b))
#define ck_fma64(a, b, c) fma((double)(a), (double)(b), (double)(c))
#define ck_sqrt64(a) sqrt((double)(a))

#elif defined(CK_LANG_CUDA)

typedef int ck_i32;
typedef unsigned int ck_u32;
typedef long long ck_i64;
typedef unsigned long long ck_u64;
#define CK_FN static __device__ __forceinline__
#define CK_CALL CK_FN
#define CK_LEAF static __device__ __noinline__
#define CK_KERNEL extern "C" __global__ void
#define CK_LAUNCH_BOUNDS __launch_bounds__(CK_BLOCK, CK_BLOCKS_PER_UNIT)
#define CK_GLOBAL
#define CK_LOCAL
#define CK_RESTRICT __restrict__
#define CK_BARRIER() __syncthreads()
#define CK_UNROLL _Pragma("unroll")
#define CK_NO_UNROLL _Pragma("unroll 1")
#define CK_ALIGNED(n) __align__(n)
/* An empty asm that "changes" a value: a merged loop stays merged, a loaded constant stays in its register. */
#define CK_PIN(x) asm volatile("" : "+r"(x))
#define CK_PIN_FLOAT(x) asm volatile("" : "+f"(x))
/* Dynamic shared memory of a block: an argument in OpenCL, a declaration in CUDA. */
#define CK_LOCAL_ARGUMENT
#define CK_LOCAL_MEMORY extern __shared__ ck_u32 ck_local[];
#if defined(CK_SPLIT)
#define CK_GLOBAL_INDEX() (CK_GROUP_INDEX() * blockDim.x + threadIdx.x)
/* How far an atomic reaches: to all devices that share the launch, see port_team.h. */
#define CK_SCOPE ".relaxed.sys"
#else
#define CK_GLOBAL_INDEX() (blockIdx.x * blockDim.x + threadIdx.x)
#define CK_SCOPE ""
#endif
#define CK_LOCAL_INDEX() (threadIdx.x)
#define CK_LOCAL_SIZE() (blockDim.x)
#define CK_STATIC_ASSERT(condition, name) static_assert(condition, #name)
#define CK_BITS(f) __float_as_uint(f)
#define CK_FLOAT(u) __uint_as_float(u)
#define CK_MULHI32(a, b) __umulhi((a), (b))
#define ck_fma(a, b, c) __fmaf_rn((a), (b), (c))
#define CK_BITS64(d) ((ck_u64)__double_as_longlong(d))
#define CK_REAL64(u) __longlong_as_double((ck_i64)(u))
#define ck_fabs(a) fabsf(a)
#define ck_fmin(a, b) fminf((a), (b))
#define ck_fmax(a, b) fmaxf((a), (b))
#define ck_fma64(a, b, c) __fma_rn((a), (b), (c))
#define ck_sqrt64(a) __dsqrt_rn(a)

#else

typedef int ck_i32;
typedef unsigned int ck_u32;
typedef long long ck_i64;
typedef unsigned long long ck_u64;
#define CK_FN static inline __attribute__((always_inline, unused))
/* A function that is large, or called seldom: a call on a CPU, so that compilers have one copy to work on. */
#define CK_CALL static __attribute__((noinline, unused))
/* A large function of numbers alone: a call on CUDA too, where code that is not there need not be fetched. */
#define CK_LEAF CK_CALL
#define CK_GLOBAL
#define CK_LOCAL
#define CK_RESTRICT restrict
#define CK_UNROLL
#define CK_NO_UNROLL
#define CK_ALIGNED(n) __attribute__((aligned(n)))
#define CK_STATIC_ASSERT(condition, name) _Static_assert(condition, #name)
#define CK_PIN(x) ((void)(x))
#define CK_PIN_FLOAT(x) ((void)(x))
#define CK_MULHI32(a, b) ((ck_u32)(((ck_u64)(ck_u32)(a) * (ck_u32)(b)) >> 32))
#define ck_fma(a, b, c) __builtin_fmaf((a), (b), (c))
#define ck_fabs(a) __builtin_fabsf(a)
/* As selects, which vectorise without any flag: a NaN in `a` gives `b`, as on GPUs. */
#define ck_fmin(a, b) ((a) < (b) ? (a) : (b))
#define ck_fmax(a, b) ((a) > (b) ? (a) : (b))
#define ck_fma64(a, b, c) __builtin_fma((a), (b), (c))
#define ck_sqrt64(a) __builtin_sqrt(a)

CK_FN ck_u32 CK_BITS(float value)
{
    union {
        float f;
        ck_u32 u;
    } both;
    both.f = value;
    return both.u;
}

CK_FN float CK_FLOAT(ck_u32 value)
{
    union {
        ck_u32 u;
        float f;
    } both;
    both.u = value;
    return both.f;
}

CK_FN ck_u64 CK_BITS64(double value)
{
    union {
        double f;
        ck_u64 u;
    } both;
    both.f = value;
    return both.u;
}

CK_FN double CK_REAL64(ck_u64 value)
{
    union {
        ck_u64 u;
        double f;
    } both;
    both.u = value;
    return both.f;
}

#endif

CK_STATIC_ASSERT(sizeof(ck_u32) == 4, ck_u32_has_four_bytes);
CK_STATIC_ASSERT(sizeof(ck_u64) == 8, ck_u64_has_eight_bytes);

/* The high word of a * b + c. On NVIDIA GPUs as three instructions in PTX: left to itself the compiler widens a loop-carried
 * factor to 64 bits and multiplies its empty half too. */
CK_FN ck_u32 ck_mad_high(ck_u32 a, ck_u32 b, ck_u32 c)
{
#if defined(CK_LANG_CUDA)
    ck_u32 high;
    asm("{ .reg .u64 product; .reg .u32 low, top; mul.wide.u32 product, %1, %2; mov.b64 {low, top}, product; "
        "add.cc.u32 low, low, %3; addc.u32 %0, top, 0; }"
        : "=r"(high)
        : "r"(a), "r"(b), "r"(c));
    return high;
#else
    return (ck_u32)(((ck_u64)a * b + c) >> 32);
#endif
}

/* 2 * bits + the carry of a + b. On NVIDIA GPUs two additions: the flag of the first goes straight into the second. */
CK_FN ck_u32 ck_shift_in_carry(ck_u32 bits, ck_u32 a, ck_u32 b)
{
#if defined(CK_LANG_CUDA)
    asm("{ .reg .u32 sum; add.cc.u32 sum, %1, %2; addc.u32 %0, %0, %0; }" : "+r"(bits) : "r"(a), "r"(b));
    return bits;
#else
    return 2u * bits + (a + b < a ? 1u : 0u);
#endif
}

/* a + b, or a if `condition`. On NVIDIA GPUs one predicated addition instead of an addition and a move. */
CK_FN ck_u32 ck_add_unless(ck_u32 a, ck_u32 b, ck_u32 condition)
{
#if defined(CK_LANG_CUDA)
    asm("{ .reg .pred p; setp.eq.u32 p, %2, 0; @p add.u32 %0, %0, %1; }" : "+r"(a) : "r"(b), "r"(condition));
    return a;
#else
    return condition ? a : a + b;
#endif
}

/* The bit of a word whose number stands in the five lowest bits of another. On NVIDIA GPUs a shift takes those bits as they
 * are. */
#if defined(CK_LANG_CUDA)
#define ck_bit_of(word, number) (__funnelshift_r((word), (word), (number)) & 1u)
#else
#define ck_bit_of(word, number) ((word) >> ((number) & 31u) & 1u)
#endif

/* Four neighbouring floats, read at once where the hardware can: `at` is a multiple of 4 and the table lies on a multiple
 * of 16 bytes. */
typedef struct ck_four {
    float a, b, c, d;
} ck_four;

#if defined(CK_LANG_CUDA)
CK_FN ck_four ck_load_four(const float *table, ck_i32 at)
{
    float4 v = *(const float4 *)(table + at);
    ck_four four;
    four.a = v.x;
    four.b = v.y;
    four.c = v.z;
    four.d = v.w;
    return four;
}
#else
#define ck_load_four(table, at) ck_four_of((table)[at], (table)[(at) + 1], (table)[(at) + 2], (table)[(at) + 3])
CK_FN ck_four ck_four_of(float a, float b, float c, float d)
{
    ck_four four;
    four.a = a;
    four.b = b;
    four.c = c;
    four.d = d;
    return four;
}
#endif

/* Four neighbouring words and four neighbouring doubles, read at once where the hardware can: they begin on a multiple of 16
 * bytes. */
typedef struct ck_words4 {
    ck_u32 a, b, c, d;
} ck_words4;

#if defined(CK_LANG_CUDA)
CK_FN ck_words4 ck_load_words4(const ck_u32 *table)
{
    uint4 v = *(const uint4 *)table;
    ck_words4 words;
    words.a = v.x;
    words.b = v.y;
    words.c = v.z;
    words.d = v.w;
    return words;
}
CK_FN void ck_store_words4(ck_u32 *table, ck_u32 a, ck_u32 b, ck_u32 c, ck_u32 d)
{
    *(uint4 *)table = make_uint4(a, b, c, d);
}
/* The same of shared memory, with its address space written out. */
CK_FN ck_words4 ck_load_local_words4(const ck_u32 *table)
{
    ck_words4 words;
    asm("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(words.a), "=r"(words.b), "=r"(words.c), "=r"(words.d)
        : "r"((ck_u32)__cvta_generic_to_shared(table)));
    return words;
}
#else
#define ck_load_words4(table) ck_words4_of((table)[0], (table)[1], (table)[2], (table)[3])
#define ck_load_local_words4(table) ck_load_words4(table)
#define ck_store_words4(table, wa, wb, wc, wd) \
    do {                                       \
        (table)[0] = (wa);                     \
        (table)[1] = (wb);                     \
        (table)[2] = (wc);                     \
        (table)[3] = (wd);                     \
    } while (0)
CK_FN ck_words4 ck_words4_of(ck_u32 a, ck_u32 b, ck_u32 c, ck_u32 d)
{
    ck_words4 words;
    words.a = a;
    words.b = b;
    words.c = c;
    words.d = d;
    return words;
}
#endif

/* An OpenCL entry that computes in double precision defines CK_DOUBLE before all includes. */
#if defined(CK_DOUBLE) || !defined(CK_LANG_OPENCL)
typedef struct ck_doubles4 {
    double a, b, c, d;
} ck_doubles4;

#if defined(CK_LANG_CUDA)
CK_FN ck_doubles4 ck_load_doubles4(const double *table)
{
    double2 low = *(const double2 *)table, high = *(const double2 *)(table + 2);
    ck_doubles4 four;
    four.a = low.x;
    four.b = low.y;
    four.c = high.x;
    four.d = high.y;
    return four;
}
#else
#define ck_load_doubles4(table) ck_doubles4_of((table)[0], (table)[1], (table)[2], (table)[3])
CK_FN ck_doubles4 ck_doubles4_of(double a, double b, double c, double d)
{
    ck_doubles4 four;
    four.a = a;
    four.b = b;
    four.c = c;
    four.d = d;
    return four;
}
#endif
#endif

/* A float in [1, 2) whose mantissa begins with 15 bits of one half of a word (its top bit is set): 1 + (half - 2^15) / 2^15. Which
 * half is told by a selector, so that a ray picks the nearer of two planes without a comparison. */
#if defined(CK_LANG_CUDA)
#define CK_LOW_HALF 0x7104u
#define CK_HIGH_HALF 0x7324u
CK_FN float ck_half_to_float(ck_u32 word, ck_u32 selector)
{
    return __uint_as_float(__byte_perm(word, 0x3F000000u, selector));
}
#else
#define CK_LOW_HALF 0u
#define CK_HIGH_HALF 16u
#define ck_half_to_float(word, selector) CK_FLOAT(0x3F000000u | ((word) >> (selector) & 0xFFFFu) << 8)
#endif

/* The largest and smallest of three floats of which the largest (smallest) is compared with positive numbers only: as integers,
 * whose order is the same, one instruction on NVIDIA GPUs that have it. */
#if defined(CK_LANG_CUDA)
CK_FN float ck_max3(float a, float b, float c)
{
    return __int_as_float(max(max(__float_as_int(a), __float_as_int(b)), __float_as_int(c)));
}
CK_FN float ck_min3(float a, float b, float c)
{
    return __int_as_float(min(min(__float_as_int(a), __float_as_int(b)), __float_as_int(c)));
}
#else
#define ck_max3(a, b, c) ck_fmax(ck_fmax(a, b), c)
#define ck_min3(a, b, c) ck_fmin(ck_fmin(a, b), c)
#endif

/* ------------------------------------------------------------------------------------------------ atomics (GPUs) */

#if defined(CK_LANG_OPENCL)
CK_FN void ck_atomic_add_u64(CK_GLOBAL ck_u64 *word, ck_u64 amount)
{
    atom_add(word, amount);
}
CK_FN ck_u32 ck_atomic_add_u32(CK_GLOBAL ck_u32 *word, ck_u32 amount)
{
    return atomic_add(word, amount);
}
/* Returns the old value. */
CK_FN ck_u32 ck_atomic_add_local_u32(CK_LOCAL ck_u32 *word, ck_u32 amount)
{
    return atomic_add(word, amount);
}
CK_FN void ck_atomic_or_local_u32(CK_LOCAL ck_u32 *word, ck_u32 bits)
{
    atomic_or(word, bits);
}
CK_FN void ck_atomic_max_local_u32(CK_LOCAL ck_u32 *word, ck_u32 value)
{
    atomic_max(word, value);
}
/* Plain reads and writes of local words, between barriers. */
CK_FN ck_u32 ck_read_local_u32(CK_LOCAL const ck_u32 *word)
{
    return *word;
}
CK_FN void ck_write_local_u32(CK_LOCAL ck_u32 *word, ck_u32 value)
{
    *word = value;
}
/* A word that one lane writes and others read with no barrier between. */
CK_FN ck_u32 ck_atomic_read_local_u32(CK_LOCAL ck_u32 *word)
{
    return atomic_add(word, 0u);
}
CK_FN void ck_atomic_write_local_u32(CK_LOCAL ck_u32 *word, ck_u32 value)
{
    atomic_xchg(word, value);
}
/* Add to words[key - bias]. */
CK_FN ck_u32 ck_atomic_add_local_u32_at(CK_LOCAL ck_u32 *words, ck_u32 bias, ck_u32 key, ck_u32 amount)
{
    return atomic_add(words + (key - bias), amount);
}
CK_FN void ck_atomic_increment_local_if_less(ck_u32 a, ck_u32 b, CK_LOCAL ck_u32 *word)
{
    if (a < b) {
        atomic_inc(word);
    }
}
#elif defined(CK_LANG_CUDA)
/* In PTX, with the address space written out: nvcc 13.0 took a global pointer that stood in a struct beside shared ones for
 * a shared pointer, and its votes and shuffles for adds to one address cost more than they save here. */
CK_FN void ck_atomic_add_u64(ck_u64 *word, ck_u64 amount)
{
    asm volatile("red" CK_SCOPE ".global.add.u64 [%0], %1;" ::"l"(__cvta_generic_to_global(word)), "l"(amount));
}
CK_FN ck_u32 ck_atomic_add_u32(ck_u32 *word, ck_u32 amount)
{
    ck_u32 old;
    asm volatile("atom" CK_SCOPE ".global.add.u32 %0, [%1], %2;"
                 : "=r"(old)
                 : "l"(__cvta_generic_to_global(word)), "r"(amount));
    return old;
}
CK_FN void ck_atomic_or_local_u32(ck_u32 *word, ck_u32 bits)
{
    asm volatile("red.shared.or.b32 [%0], %1;" ::"r"((ck_u32)__cvta_generic_to_shared(word)), "r"(bits) : "memory");
}
CK_FN void ck_atomic_max_local_u32(ck_u32 *word, ck_u32 value)
{
    asm volatile("red.shared.max.u32 [%0], %1;" ::"r"((ck_u32)__cvta_generic_to_shared(word)), "r"(value) : "memory");
}
/* Plain reads and writes of local words, between barriers: their address space too was guessed wrong where the layer table
 * is in global memory. */
CK_FN ck_u32 ck_read_local_u32(const ck_u32 *word)
{
    ck_u32 value;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"((ck_u32)__cvta_generic_to_shared(word)) : "memory");
    return value;
}
CK_FN void ck_write_local_u32(ck_u32 *word, ck_u32 value)
{
    asm volatile("st.shared.u32 [%0], %1;" ::"r"((ck_u32)__cvta_generic_to_shared(word)), "r"(value) : "memory");
}
/* A word that one lane writes and others read with no barrier between. */
CK_FN ck_u32 ck_atomic_read_local_u32(ck_u32 *word)
{
    ck_u32 value;
    asm volatile("atom.shared.or.b32 %0, [%1], 0;" : "=r"(value) : "r"((ck_u32)__cvta_generic_to_shared(word)));
    return value;
}
CK_FN void ck_atomic_write_local_u32(ck_u32 *word, ck_u32 value)
{
    asm volatile("{ .reg .b32 old; atom.shared.exch.b32 old, [%0], %1; }" ::"r"(
                     (ck_u32)__cvta_generic_to_shared(word)),
                 "r"(value));
}
/* Add to words[key - bias]; the bias is folded into the base address, which does not change from call to call. */
CK_FN ck_u32 ck_atomic_add_local_u32_at(ck_u32 *words, ck_u32 bias, ck_u32 key, ck_u32 amount)
{
    ck_u32 base = (ck_u32)__cvta_generic_to_shared(words) - 4u * bias;
    ck_u32 old;
    asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(old) : "r"(base + 4u * key), "r"(amount));
    return old;
}
CK_FN void ck_atomic_increment_local_if_less(ck_u32 a, ck_u32 b, ck_u32 *word)
{
    asm volatile("{ .reg .pred less; setp.lt.u32 less, %1, %2; @less red.shared.add.u32 [%0], 1; }" ::"r"(
                     (ck_u32)__cvta_generic_to_shared(word)),
                 "r"(a), "r"(b));
}
CK_FN ck_u32 ck_atomic_add_local_u32(ck_u32 *word, ck_u32 amount)
{
    ck_u32 old;
    asm volatile("atom.shared.add.u32 %0, [%1], %2;"
                 : "=r"(old)
                 : "r"((ck_u32)__cvta_generic_to_shared(word)), "r"(amount));
    return old;
}
#else
CK_FN ck_u32 ck_atomic_add_u32(ck_u32 *word, ck_u32 amount)
{
    return __atomic_fetch_add(word, amount, __ATOMIC_RELAXED);
}
CK_FN void ck_atomic_add_u64(ck_u64 *word, ck_u64 amount)
{
    __atomic_fetch_add(word, amount, __ATOMIC_RELAXED);
}
#endif

#if !defined(CK_LANG_C)
/* Add to the four words of a row, from `word` on; nothing is done for an amount of 0. */
CK_FN void ck_atomic_add_row_alone(CK_GLOBAL ck_u64 *words, ck_u32 word, ck_u32 a, ck_u32 b, ck_u32 c, ck_u32 d)
{
    CK_GLOBAL ck_u64 *row = words + word;
    if (a != 0u) {
        ck_atomic_add_u64(row, (ck_u64)a);
    }
    ck_atomic_add_u64(row + 1, (ck_u64)b);
    ck_atomic_add_u64(row + 2, (ck_u64)c);
    if (d != 0u) {
        ck_atomic_add_u64(row + 3, (ck_u64)d);
    }
}
#if defined(CK_LANG_CUDA)
/* The same. Four lanes that come together add to their four rows one after the other, a word each: the memory is asked once
 * for a row of 32 bytes instead of once for each word. The amounts are transposed in two exchanges. */
CK_FN void ck_atomic_add_row(ck_u64 *words, ck_u32 word, ck_u32 a, ck_u32 b, ck_u32 c, ck_u32 d)
{
    ck_u32 lane = threadIdx.x & 31u, quad = 0xFu << (lane & 28u);
    if ((__activemask() & quad) != quad) {
        ck_atomic_add_row_alone(words, word, a, b, c, d);
        return;
    }
    ck_u32 is_odd = lane & 1u, is_high = lane & 2u;
    ck_u32 low = __shfl_xor_sync(quad, is_odd ? a : b, 1), high = __shfl_xor_sync(quad, is_odd ? c : d, 1);
    ck_u32 low0 = is_odd ? low : a, low1 = is_odd ? b : low, high0 = is_odd ? high : c, high1 = is_odd ? d : high;
    ck_u32 first = __shfl_xor_sync(quad, is_high ? low0 : high0, 2);
    ck_u32 second = __shfl_xor_sync(quad, is_high ? low1 : high1, 2);
    ck_u32 amounts[4];
    amounts[0] = is_high ? first : low0;
    amounts[1] = is_high ? second : low1;
    amounts[2] = is_high ? high0 : first;
    amounts[3] = is_high ? high1 : second;
    CK_UNROLL
    for (int k = 0; k < 4; ++k) {
        ck_u32 at = __shfl_sync(quad, word, k, 4);
        if (amounts[k] != 0u) {
            ck_atomic_add_u64(words + at + (lane & 3u), (ck_u64)amounts[k]);
        }
    }
}
#else
#define ck_atomic_add_row(words, word, a, b, c, d) ck_atomic_add_row_alone(words, word, a, b, c, d)
#endif
#endif

#include "port_team.h"

#endif
