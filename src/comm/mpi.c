/*
 * The ranks of mpirun or srun: the table of comm.h over MPI. A library of its own (libcorpuscle-mpi.so), loaded when there are
 * several processes. It uses nothing of the program.
 */
#include "comm/comm.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { SLICE = 1 << 20 }; /* elements of one reduction: bounds what MPI takes for itself, and stays below INT_MAX */

static MPI_Datatype wide_type;
static MPI_Op wide_sum;

/*
 * MPI waits by asking again and again, which takes a core from whoever computes there. Short naps after the first while cost
 * little of a batch. Messages that go in many pieces would take a nap for each: see reduce.
 */
static void wait_for(MPI_Request *request)
{
    struct timespec nap = {.tv_nsec = 2000};
    int is_done = 0;
    for (int i = 0; !is_done; i++) {
        MPI_Test(request, &is_done, MPI_STATUS_IGNORE);
        if (!is_done && i > 50) {
            nanosleep(&nap, NULL);
            nap.tv_nsec = nap.tv_nsec < 100000 ? 2 * nap.tv_nsec : 200000;
        }
    }
}

static void add_wide(void *in, void *in_out, int *n, MPI_Datatype *type)
{
    const comm_wide *from = in;
    comm_wide *to = in_out;
    (void)type;
    for (int i = 0; i < *n; i++) {
        to[i] += from[i];
    }
}

/* Wait for all with naps; then they are there, and the sums themselves need none. */
static void reduce(const comm *c, char *x, size_t n, size_t bytes_each, MPI_Datatype type, MPI_Op op)
{
    MPI_Request all_here;
    MPI_Ibarrier(MPI_COMM_WORLD, &all_here);
    wait_for(&all_here);
    for (size_t done = 0; done < n; done += SLICE) {
        int count = (int)(n - done < SLICE ? n - done : SLICE);
        char *part = x + done * bytes_each;
        MPI_Reduce(c->rank == 0 ? MPI_IN_PLACE : part, c->rank == 0 ? part : NULL, count, type, op, 0, MPI_COMM_WORLD);
    }
}

static void sum(const comm *c, uint64_t *x, size_t n)
{
    reduce(c, (char *)x, n, sizeof *x, MPI_UINT64_T, MPI_SUM);
}

static void sum_all_wide(const comm *c, comm_wide *x, size_t n)
{
    reduce(c, (char *)x, n, sizeof *x, wide_type, wide_sum);
}

static void broadcast(const comm *c, uint32_t root, void *bytes, size_t n)
{
    (void)c;
    for (size_t done = 0; done < n; done += SLICE) {
        int count = (int)(n - done < SLICE ? n - done : SLICE);
        MPI_Request request;
        MPI_Ibcast((char *)bytes + done, count, MPI_BYTE, (int)root, MPI_COMM_WORLD, &request);
        wait_for(&request);
    }
}

static void end_all(const comm *c, int code)
{
    (void)c;
    MPI_Abort(MPI_COMM_WORLD, code);
}

static void leave(const comm *c)
{
    (void)c;
    MPI_Op_free(&wide_sum);
    MPI_Type_free(&wide_type);
    MPI_Finalize();
}

static void find_place(comm *out)
{
    MPI_Comm node;
    int rank = 0, size = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    out->rank = (uint32_t)rank;
    out->size = (uint32_t)size;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &rank);
    MPI_Comm_size(node, &size);
    out->node_rank = (uint32_t)rank;
    out->node_size = (uint32_t)size;
    MPI_Comm_free(&node);
}

/** See comm_plugin. */
__attribute__((visibility("default"))) const char *corpuscle_comm_open(uint32_t abi, comm *out)
{
    int provided = 0, length = 0;
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    if (abi != COMM_ABI) {
        return "it belongs to another version of this program";
    }
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS || provided < MPI_THREAD_FUNNELED) {
        return "it does not start, or not beside threads";
    }
    MPI_Get_library_version(version, &length);
    version[strcspn(version, ",\n")] = '\0'; /* "Open MPI v4.1.4, package: ..." */
    *out = (comm){.sum = sum, .sum_wide = sum_all_wide, .broadcast = broadcast, .abort = end_all, .close = leave};
    snprintf(out->name, sizeof out->name, "%.90s", version);
    find_place(out);
    MPI_Type_contiguous(sizeof(comm_wide), MPI_BYTE, &wide_type);
    MPI_Type_commit(&wide_type);
    MPI_Op_create(add_wide, 1, &wide_sum);
    return NULL;
}
