/* The method `irt` on a CPU: each worker takes whole histories; the candidates of a molecule are looked at side by side. */
#include "../port.h"

#define CHEM_SIMD_OR(any) _Pragma("omp simd reduction(|:any)")

#define CHEM_IRT_TAKE(word) ((*(word))++)
#define CHEM_IRT_ADD(words, index, amount) ((words)[index] += (amount))

#include "../chem/irt_serial.h"

#define CHEM_JOIN_(a, b) a##_##b
#define CHEM_JOIN(a, b) CHEM_JOIN_(a, b)

/* What a worker needs for its first history: a part of the working memory, taken only by those that have something to do. */
static void take_memory(chem_irt_history *h, void *const *args)
{
    ck_u64 bytes = chem_irt_bytes(h->p);
    ck_u32 part = ck_atomic_add_u32((ck_u32 *)args[6] + 1, 1u);
    h->m = chem_irt_arrange(h->p, (double *)((char *)args[7] + part * bytes));
    h->start = args[1];
    h->channels = args[2];
    h->words = args[2];
    h->outputs = args[3];
    h->groups = args[4];
    h->result = args[5];
    h->q.entries = h->m.queue;
    h->q.room = h->p.room_queue;
    chem_irt_prepare_tables(h);
}

/* args: parameters; molecules, channels, output times, groups of births; words; next history, parts taken; working memory. */
void CHEM_JOIN(chem_irt, CK_ISA)(void *const *args, ck_u32 worker, ck_u32 n_workers);
void CHEM_JOIN(chem_irt, CK_ISA)(void *const *args, ck_u32 worker, ck_u32 n_workers)
{
    ck_u32 keys[CHEM_IRT_STREAMS];
    chem_irt_history h;
    h.keys = keys;
    h.p = *(const chem_irt_params *)args[0];
    h.result = 0;
    (void)worker;
    (void)n_workers;
    for (ck_u32 i = ck_atomic_add_u32(args[6], 1u); i < h.p.n_histories; i = ck_atomic_add_u32(args[6], 1u)) {
        if (h.result == 0) {
            take_memory(&h, args);
        }
        ck_u32 low = h.p.first_history_low + i;
        ck_u32 high = h.p.first_history_high + (low < i ? 1u : 0u);
        for (ck_u32 draw = 0u; draw < CHEM_IRT_STREAMS; ++draw) {
            keys[draw] = chem_irt_key(h.p.key, low, high, draw);
        }
        h.track = (ck_u32)(((ck_u64)h.p.first_track + i) % h.p.n_tracks);
        chem_irt_begin(&h);
        chem_irt_run(&h);
    }
}
