/*
 * Runs the kernels kernel_0, kernel_1, ... of two shared libraries, the second one transformed, on the same inputs and
 * compares every word of memory. What OTHER records goes to the file
 * RECORD. Usage: compare BASE.so OTHER.so [RECORD]; the last line says how many kernels were the
 * same.
 */
#include "warp.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { N_OWN = 64, N_SHARED = 16, N_SEEDS = 3 };

static uint32_t base_own[WARP_LANES * N_OWN], other_own[WARP_LANES * N_OWN];
static uint32_t base_shared[N_SHARED], other_shared[N_SHARED];

static void fill(uint32_t *own, uint32_t *shared, uint32_t seed)
{
    for (uint32_t i = 0; i < WARP_LANES * N_OWN; ++i) {
        seed = seed * 1664525u + 1013904223u;
        own[i] = seed ^ seed >> 15;
    }
    memset(shared, 0, N_SHARED * sizeof *shared);
}

static int differs(warp_kernel base, warp_kernel other, uint32_t seed)
{
    fill(base_own, base_shared, seed);
    fill(other_own, other_shared, seed);
    warp_run(base, base_own, N_OWN, base_shared, seed);
    warp_run(other, other_own, N_OWN, other_shared, seed);
    return memcmp(base_own, other_own, sizeof base_own) != 0 ||
           memcmp(base_shared, other_shared, sizeof base_shared) != 0;
}

static char name[32];

static void endless(int signal)
{
    (void)signal;
    printf("%s does not end\n", name);
    fflush(stdout);
    _exit(4);
}

static void write_record(const char *path)
{
    FILE *file = path == NULL ? NULL : fopen(path, "wb");
    if (file != NULL) {
        fwrite(warp_record, sizeof *warp_record, RECORD_WORDS, file);
        fclose(file);
    }
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: compare BASE.so OTHER.so [RECORD]\n");
        return 2;
    }
    void *base = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL), *other = dlopen(argv[2], RTLD_NOW | RTLD_LOCAL);
    if (base == NULL || other == NULL) {
        fprintf(stderr, "compare: %s\n", dlerror());
        return 2;
    }
    int n = 0, n_wrong = 0;
    const struct itimerval limit = {.it_value = {.tv_sec = 20}}; /* of processor time */
    signal(SIGPROF, endless);
    for (;; ++n) {
        snprintf(name, sizeof name, "kernel_%d", n);
        warp_kernel a, b;
        *(void **)&a = dlsym(base, name);
        *(void **)&b = dlsym(other, name);
        if (a == NULL || b == NULL) {
            break;
        }
        setitimer(ITIMER_PROF, &limit, NULL); /* a transform may have made an endless loop */
        for (uint32_t seed = 1; seed <= N_SEEDS; ++seed) {
            if (differs(a, b, seed * 2654435761u)) {
                printf("%s: %s differs from the original with seed %u\n", argv[2], name, seed);
                ++n_wrong;
                break;
            }
        }
    }
    write_record(argc > 3 ? argv[3] : NULL);
    printf("%d kernels, %d wrong\n", n, n_wrong);
    return n_wrong != 0 || n == 0;
}
