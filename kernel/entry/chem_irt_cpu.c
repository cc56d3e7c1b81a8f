/* The method `irt` on a CPU: each worker takes whole histories; the candidates of a molecule are looked at side by side. */
#include "../port.h"

#define CHEM_SIMD_OR(any) _Pragma("omp simd reduction(|:any)")

#include "../chem/irt_track.h"

#define CHEM_JOIN_(a, b) a##_##b
#define CHEM_JOIN(a, b) CHEM_JOIN_(a, b)

/* args: parameters; molecules, channels, output times, first molecules of tracks; words; next history; working memory. */
void CHEM_JOIN(chem_irt, CK_ISA)(void *const *args, ck_u32 worker, ck_u32 n_workers);
void CHEM_JOIN(chem_irt, CK_ISA)(void *const *args, ck_u32 worker, ck_u32 n_workers)
{
    chem_irt_params p = *(const chem_irt_params *)args[0];
    const chem_start *molecules = args[1];
    const ck_u64 *tracks = args[4];
    ck_u64 bytes = chem_irt_bytes(p.room, p.n_cells, p.room_queue, p.n_species, p.n_outputs);
    (void)n_workers;
    chem_irt_history h;
    h.p = p;
    h.m = chem_irt_arrange(p, (double *)((char *)args[7] + worker * bytes));
    h.channels = args[2];
    h.words = args[2];
    h.outputs = args[3];
    h.result = args[5];
    h.q.entries = h.m.queue;
    h.q.room = p.room_queue;
    for (ck_u32 i = ck_atomic_add_u32(args[6], 1u); i < p.n_histories; i = ck_atomic_add_u32(args[6], 1u)) {
        ck_u32 low = p.first_history_low + i;
        ck_u32 high = p.first_history_high + (low < i ? 1u : 0u);
        ck_u64 track = ((ck_u64)p.first_track + i) % p.n_tracks;
        for (ck_u32 draw = 0u; draw < CHEM_IRT_STREAMS; ++draw) {
            h.keys[draw] = chem_irt_key(p.key, low, high, draw);
        }
        chem_irt_prepare_tables(&h);
        chem_irt_begin(&h, molecules + tracks[track], (ck_u32)(tracks[track + 1u] - tracks[track]));
        chem_irt_run(&h);
    }
}
