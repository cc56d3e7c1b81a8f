/*
 * As much of CUDA's built-in names as kernels need that include no header, for machines without the CUDA toolkit. divcc
 * puts this in front of a .cu file if it finds no toolkit. Names and meaning are those of the CUDA C++ Programming
 * Guide; functions that need NVIDIA's library of mathematics are given by their hardware approximations only under
 * those names.
 */
#ifndef CORPUSCLE_CUDA_H
#define CORPUSCLE_CUDA_H

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif

typedef decltype(sizeof(int)) size_t;

struct uint3 {
    unsigned x, y, z;
};
struct dim3 {
    unsigned x, y, z;
    __host__ __device__ constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c)
    {
    }
    __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z)
    {
    }
    __host__ __device__ constexpr operator uint3() const
    {
        return {x, y, z};
    }
};
struct __attribute__((aligned(8))) float2 {
    float x, y;
};
struct __attribute__((aligned(16))) float4 {
    float x, y, z, w;
};
struct __attribute__((aligned(8))) uint2 {
    unsigned x, y;
};
struct __attribute__((aligned(16))) uint4 {
    unsigned x, y, z, w;
};
struct __attribute__((aligned(16))) double2 {
    double x, y;
};

#include <__clang_cuda_builtin_vars.h>

#define CORPUSCLE_FN static __device__ __forceinline__

CORPUSCLE_FN void __syncwarp(unsigned mask = 0xffffffffu)
{
    __nvvm_bar_warp_sync(mask);
}
CORPUSCLE_FN unsigned __ballot_sync(unsigned mask, int predicate)
{
    return __nvvm_vote_ballot_sync(mask, predicate);
}
CORPUSCLE_FN int __any_sync(unsigned mask, int predicate)
{
    return __nvvm_vote_any_sync(mask, predicate);
}
CORPUSCLE_FN int __all_sync(unsigned mask, int predicate)
{
    return __nvvm_vote_all_sync(mask, predicate);
}
CORPUSCLE_FN unsigned __activemask()
{
    return __nvvm_activemask();
}
CORPUSCLE_FN int __shfl_sync(unsigned mask, int value, int lane, int width = 32)
{
    return __nvvm_shfl_sync_idx_i32(mask, value, lane, ((32 - width) << 8) | 0x1f);
}

#define CORPUSCLE_ATOMIC(type)                                                                                         \
    CORPUSCLE_FN type atomicAdd(type *at, type value)                                                                  \
    {                                                                                                                  \
        return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);                                                        \
    }
CORPUSCLE_ATOMIC(int)
CORPUSCLE_ATOMIC(unsigned)
CORPUSCLE_ATOMIC(unsigned long long)
CORPUSCLE_FN float atomicAdd(float *at, float value)
{
    return __nvvm_atom_add_gen_f(at, value);
}
CORPUSCLE_FN double atomicAdd(double *at, double value)
{
    return __nvvm_atom_add_gen_d(at, value);
}

CORPUSCLE_FN int __popc(unsigned a)
{
    return __builtin_popcount(a);
}
CORPUSCLE_FN int __clz(int a)
{
    return a ? __builtin_clz(a) : 32;
}
CORPUSCLE_FN unsigned __umulhi(unsigned a, unsigned b)
{
    return __nvvm_mulhi_ui(a, b);
}
CORPUSCLE_FN unsigned __float_as_uint(float a)
{
    return __builtin_bit_cast(unsigned, a);
}
CORPUSCLE_FN float __uint_as_float(unsigned a)
{
    return __builtin_bit_cast(float, a);
}
CORPUSCLE_FN int __float_as_int(float a)
{
    return __builtin_bit_cast(int, a);
}
CORPUSCLE_FN float __int_as_float(int a)
{
    return __builtin_bit_cast(float, a);
}
CORPUSCLE_FN float __fmaf_rn(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}
CORPUSCLE_FN float fmaf(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}
CORPUSCLE_FN float sqrtf(float a)
{
    return __nvvm_sqrt_rn_f(a);
}
CORPUSCLE_FN float rsqrtf(float a)
{
    return __nvvm_rsqrt_approx_f(a);
}
CORPUSCLE_FN float fabsf(float a)
{
    return __builtin_fabsf(a);
}
CORPUSCLE_FN float fminf(float a, float b)
{
    return __builtin_fminf(a, b);
}
CORPUSCLE_FN float fmaxf(float a, float b)
{
    return __builtin_fmaxf(a, b);
}
CORPUSCLE_FN float floorf(float a)
{
    return __builtin_floorf(a);
}
CORPUSCLE_FN float __expf(float a)
{
    return __nvvm_ex2_approx_f(a * 1.44269504f);
}
CORPUSCLE_FN float __logf(float a)
{
    return __nvvm_lg2_approx_f(a) * 0.693147181f;
}
CORPUSCLE_FN float __sinf(float a)
{
    return __nvvm_sin_approx_f(a);
}
CORPUSCLE_FN float __cosf(float a)
{
    return __nvvm_cos_approx_f(a);
}
CORPUSCLE_FN double sqrt(double a)
{
    return __nvvm_sqrt_rn_d(a);
}
CORPUSCLE_FN double fabs(double a)
{
    return __builtin_fabs(a);
}
CORPUSCLE_FN double fma(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}

CORPUSCLE_FN size_t __cvta_generic_to_global(const void *at)
{
    return (size_t)(const __attribute__((address_space(1))) char *)at;
}
CORPUSCLE_FN size_t __cvta_generic_to_shared(const void *at)
{
    return (size_t)(const __attribute__((address_space(3))) char *)at;
}

#undef CORPUSCLE_ATOMIC
#undef CORPUSCLE_FN

#endif
