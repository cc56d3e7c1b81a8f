/** The built-in cases that `corpuscle bench` measures: starters with the tallies that peers have too. */
#ifndef CLI_BENCH_CASES_H
#define CLI_BENCH_CASES_H

#include <stdint.h>

enum { BENCH_MAX_SETTINGS = 4 };

typedef struct bench_case {
    const char *kind;       /**< of the model, as the user names the cases: "light" */
    const char *name;       /**< for people */
    const char *starter;    /**< see io/starter.h */
    const char *settings[BENCH_MAX_SETTINGS]; /**< `path=value`, ended by NULL where there are fewer */
    uint64_t histories_cpu; /**< a second or so on one core; 0: not for a CPU */
    uint64_t histories_gpu; /**< a second or so on a large GPU */
    const char *event;      /**< the counter that is the work done ("hits"); NULL: the histories themselves */
    const char *unit;       /**< of the rate: "photons/ms" */
    double scale;           /**< rate in that unit = work per second / scale */
    const char *peer;       /**< name of the program it is compared with, for the head of a column; NULL: none */
    double peer_rate;       /**< work per second of the peer on one core of an AMD EPYC (Zen 4); 0: not measured */
} bench_case;

/** Ended by an element whose name is NULL. */
extern const bench_case bench_cases[];

/** What is measured with an input file of the user's, by its kind; no starters. Ended likewise. */
extern const bench_case bench_own_cases[];

#endif
