/** The built-in cases that `corpuscle bench` measures: two skin models of the literature, made in memory. */
#ifndef CLI_BENCH_CASES_H
#define CLI_BENCH_CASES_H

#include "model/model.h"

typedef struct bench_case {
    const char *name;
    uint64_t histories_cpu; /**< a second or so on one core */
    uint64_t histories_gpu; /**< a second or so on a large GPU */
    double mcml_rate;       /**< photons/s of original MCML 1.2.2, gcc -O3, on one core of an AMD EPYC (Zen 4) */
    crp_status (*create)(crp_context *context, crp_model **model);
} bench_case;

/** Ended by an element whose name is NULL. */
extern const bench_case bench_cases_light[];

#endif
