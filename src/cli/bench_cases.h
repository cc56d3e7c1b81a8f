/** The built-in cases that `corpuscle bench` measures: starters with the tallies that peers have too. */
#ifndef CLI_BENCH_CASES_H
#define CLI_BENCH_CASES_H

#include <stdint.h>

typedef struct bench_case {
    const char *kind;       /**< of the model, as the user names the cases: "light" */
    const char *name;       /**< for people */
    const char *starter;    /**< see io/starter.h */
    const char *setting;    /**< `path=value` */
    uint64_t histories_cpu; /**< a second or so on one core */
    uint64_t histories_gpu; /**< a second or so on a large GPU */
    double mcml_rate;       /**< photons/s of original MCML 1.2.2, gcc -O3, on one core of an AMD EPYC (Zen 4) */
} bench_case;

/** Ended by an element whose name is NULL. */
extern const bench_case bench_cases[];

#endif
