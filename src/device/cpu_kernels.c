/** The list of kernels compiled for the instruction sets of this processor family. */
#include "device/device.h"

#if defined(__x86_64__)
#define CPU_ISAS(X, entry) X(entry, v4, "x86-64-v4") X(entry, v3, "x86-64-v3") X(entry, v2, "x86-64-v2")
#else
#define CPU_ISAS(X, entry) X(entry, generic, "generic")
#endif

/* One line a kernel entry. */
#define CPU_ENTRIES(X)                                                                                       \
    CPU_ISAS(X, light_transport) CPU_ISAS(X, gas_transport) CPU_ISAS(X, chem_exact) CPU_ISAS(X, chem_irt)    \
    CPU_ISAS(X, chem_paper)

#define CPU_DECLARE(entry, suffix, isa) void entry##_##suffix(void *const *args, uint32_t worker, uint32_t n_workers);
CPU_ENTRIES(CPU_DECLARE)

#define CPU_ROW(entry, suffix, isa) {#entry, isa, "", entry##_##suffix},
const device_cpu_kernel device_cpu_kernels[] = {CPU_ENTRIES(CPU_ROW){NULL, NULL, NULL, NULL}};
