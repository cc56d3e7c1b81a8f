/* Which ranks there are, and what is built on their few operations: see comm.h. */
#include "comm/comm.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef CRP_LIBDIR
#define CRP_LIBDIR "lib"
#endif

enum { TEXT_BYTES = 1024 };

/* ------------------------------------------------------------------------------------------------- one rank */

static void sum_alone(const comm *c, uint64_t *x, size_t n)
{
    (void)c, (void)x, (void)n;
}

static void sum_wide_alone(const comm *c, comm_wide *x, size_t n)
{
    (void)c, (void)x, (void)n;
}

static void broadcast_alone(const comm *c, uint32_t root, void *bytes, size_t n)
{
    (void)c, (void)root, (void)bytes, (void)n;
}

static void abort_alone(const comm *c, int code)
{
    (void)c;
    _exit(code);
}

static void close_alone(const comm *c)
{
    (void)c;
}

const comm comm_serial = {.rank = 0,
                          .size = 1,
                          .node_rank = 0,
                          .node_size = 1,
                          .sum = sum_alone,
                          .sum_wide = sum_wide_alone,
                          .broadcast = broadcast_alone,
                          .abort = abort_alone,
                          .close = close_alone};

/* --------------------------------------------------------------------------------------------- the plug-in */

static long number_in(const char *variable)
{
    const char *text = getenv(variable);
    return text == NULL ? 0 : strtol(text, NULL, 10);
}

/* How many processes were started together, as far as the launcher says; 0: it says nothing. */
static long count_processes(void)
{
    static const char *const of_launchers[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
    for (size_t i = 0; i < sizeof of_launchers / sizeof of_launchers[0]; i++) {
        long n = number_in(of_launchers[i]);
        if (n > 0) {
            return n;
        }
    }
    return getenv("PMIX_RANK") != NULL ? number_in("SLURM_STEP_NUM_TASKS") : 0; /* srun --mpi=pmix */
}

/* Is there a folder-of-the-program/name? */
static bool find_beside(const char *name, char *path, size_t size)
{
    char program[2048];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    if (n <= 0) {
        return false;
    }
    program[n] = '\0';
    *strrchr(program, '/') = '\0';
    return (size_t)snprintf(path, size, "%s/%s", program, name) < size && access(path, R_OK) == 0;
}

bool comm_find_plugin(char *path, size_t size)
{
    return find_beside(COMM_PLUGIN_FILE, path, size) || find_beside("../" CRP_LIBDIR "/" COMM_PLUGIN_FILE, path, size);
}

/* MPI loads parts of itself, which look for its symbols among the global ones. */
static void *open_plugin(const char *given)
{
    char path[4096];
    const char *name = given != NULL ? given : comm_find_plugin(path, sizeof path) ? path : COMM_PLUGIN_FILE;
    return dlopen(name, RTLD_NOW | RTLD_GLOBAL);
}

crp_status comm_open(crp_context *context, const comm **out)
{
    static comm opened;
    const char *given = getenv("CORPUSCLE_MPI");
    long n = count_processes();
    given = given != NULL && given[0] == '\0' ? NULL : given;
    *out = &comm_serial;
    if (n <= 1 && given == NULL) {
        return CRP_OK;
    }
    void *library = open_plugin(given);
    CRP_CHECK(context, library != NULL, CRP_ERR_UNSUPPORTED,
              "this is one of %ld processes, and the part that lets them work together is not there (%s): each would run the "
              "whole. Build with MPI (Debian: libopenmpi-dev, openmpi-bin), name the library in CORPUSCLE_MPI, or start one "
              "process", n, dlerror());
    comm_plugin open = NULL;
    *(void **)&open = dlsym(library, COMM_PLUGIN_FUNCTION);
    const char *reason = open == NULL ? "it has no " COMM_PLUGIN_FUNCTION : open(COMM_ABI, &opened);
    CRP_CHECK(context, reason == NULL, CRP_ERR_UNSUPPORTED, "MPI cannot be used (%s)", reason);
    CRP_CHECK(context, (long)opened.size >= n, CRP_ERR_UNSUPPORTED,
              "MPI cannot be used (it sees %u process, the launcher started %ld: this program was built for another MPI than "
              "that of mpirun) build it with the MPI of this machine", opened.size, n);
    *out = &opened;
    return CRP_OK;
}

void comm_close(const comm **c)
{
    if (c != NULL && *c != NULL) {
        (*c)->close(*c);
        *c = NULL;
    }
}

const comm *comm_of(const crp_context *context)
{
    const comm *c = context_comm(context);
    return c != NULL ? c : &comm_serial;
}

/* -------------------------------------------------------------------------------------------------- agreeing */

static uint64_t *gather(const comm *c, uint64_t value)
{
    uint64_t *all = calloc(c->size, sizeof *all);
    if (all == NULL) {
        c->abort(c, 1);
        return NULL;
    }
    all[c->rank] = value;
    c->sum(c, all, c->size);
    c->broadcast(c, 0, all, c->size * sizeof *all);
    return all;
}

uint64_t comm_most(const comm *c, uint64_t value)
{
    if (c->size == 1) {
        return value;
    }
    uint64_t *all = gather(c, value), most = 0;
    for (uint32_t i = 0; all != NULL && i < c->size; i++) {
        most = all[i] > most ? all[i] : most;
    }
    free(all);
    return most;
}

crp_status comm_agree(const comm *c, crp_context *context, crp_status status)
{
    char text[TEXT_BYTES], host[64] = "";
    if (c->size == 1) {
        return status;
    }
    uint64_t *all = gather(c, (uint64_t)-(int64_t)status);
    uint32_t failed = 0;
    while (all != NULL && failed < c->size && all[failed] == 0) {
        failed++;
    }
    crp_status agreed = all == NULL || failed == c->size ? CRP_OK : (crp_status)-(int64_t)all[failed];
    free(all);
    if (agreed == CRP_OK) {
        return CRP_OK;
    }
    gethostname(host, sizeof host - 1);
    if (failed == 0) {
        snprintf(text, sizeof text, "%s", crp_context_error(context));
    } else {
        snprintf(text, sizeof text, "rank %u on %s: %s", c->rank, host, crp_context_error(context));
    }
    c->broadcast(c, failed, text, sizeof text);
    return context_fail(context, agreed, "%s", text);
}
