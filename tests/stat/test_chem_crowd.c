/*
 * Dense spurs against a walk of its own: molecules take steps so short against the nearest gap of any pair that can react that
 * nothing can be missed between two positions, and react where they touch. No bridge, no cells, no tables: only Brownian motion,
 * the contact radii k/(4 pi D N_A) and the place of a reaction. Method exact must agree with it; method irt does not, and is low by
 * what docs/theory/chem_irt.md says, because its pairs are not independent there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "chem_fixture.h"
#include "core/statistics.h"

enum { E_AQ, OH, H, H3O, H2, OH_MINUS, H2O2, N_SPECIES, N_EACH = 16, MOST = 96 };

static const double TOUCH = 5.0e-3;      /* a gap below this part of the radius counts as contact */
static const double STEPS_OF_GAP = 4.0; /* standard deviations of the separation that fit into the gap */

static const double diffusion[N_SPECIES] = {4.9e-3, 2.8e-3, 7.0e-3, 9.0e-3, 4.8e-3, 5.0e-3, 2.3e-3}; /* nm2/ps */

/* The paper's Table 4; k in 1e10 /M/s. */
static const struct {
    int a, b;
    double k;
    int n_products, products[3];
} reactions[] = {
    {E_AQ, E_AQ, 0.5, 3, {H2, OH_MINUS, OH_MINUS}}, {E_AQ, OH, 2.95, 1, {OH_MINUS}}, {E_AQ, H, 2.65, 2, {OH_MINUS, H2}},
    {E_AQ, H3O, 2.11, 1, {H}},                      {E_AQ, H2O2, 1.41, 2, {OH_MINUS, OH}}, {OH, OH, 0.44, 1, {H2O2}},
    {OH, H, 1.44, 0, {0}},                          {H, H, 1.2, 1, {H2}},           {H3O, OH_MINUS, 14.3, 0, {0}},
    {H2, OH, 0.00417, 1, {H}},
};
enum { N_REACTIONS = sizeof reactions / sizeof *reactions };

typedef struct spur_case {
    double lasts;   /* ps */
    double width;   /* standard deviation of each coordinate [nm] */
    int n_spurs;    /* that walk */
    double irt_low; /* measured with 50 000 spurs by both methods: bench/chem_bias.py --irt */
} spur_case;

typedef struct molecule {
    double at[3];
    int species;
} molecule;

typedef struct walk {
    uint64_t random;
    double spare;
    int has_spare;
    int reaction_of[N_SPECIES][N_SPECIES]; /* 1 + its number, 0: none */
    double radius[N_SPECIES][N_SPECIES];   /* nm */
    molecule m[MOST];
    int n;
} walk;

static double uniform(walk *w) /* splitmix64 */
{
    uint64_t z = w->random += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return ((double)((z ^ z >> 31) >> 11) + 0.5) * 0x1p-53;
}

static double normal(walk *w)
{
    if (w->has_spare) {
        w->has_spare = 0;
        return w->spare;
    }
    double r = sqrt(-2.0 * log(uniform(w))), angle = 6.283185307179586 * uniform(w);
    w->spare = r * sin(angle);
    w->has_spare = 1;
    return r * cos(angle);
}

static void fill_radii(walk *w)
{
    for (int i = 0; i < N_REACTIONS; i++) {
        int a = reactions[i].a, b = reactions[i].b;
        w->reaction_of[a][b] = w->reaction_of[b][a] = i + 1;
        w->radius[a][b] = w->radius[b][a] = reactions[i].k / (756.8725 * (diffusion[a] + diffusion[b]));
    }
}

/* The longest step that no pair can meet in, 0 for a pair in contact, which is then (*i, *k). */
static double longest_step(const walk *w, int *i, int *k)
{
    double least = (double)INFINITY;
    for (int p = 0; p < w->n; p++) {
        for (int q = 0; q < p; q++) {
            int a = w->m[p].species, b = w->m[q].species;
            double radius = w->radius[a][b], square = 0.0;
            if (radius == 0.0) {
                continue;
            }
            for (int c = 0; c < 3; c++) {
                square += (w->m[p].at[c] - w->m[q].at[c]) * (w->m[p].at[c] - w->m[q].at[c]);
            }
            double gap = sqrt(square) - radius;
            double step = gap < TOUCH * radius ? 0.0 : gap * gap / (2.0 * (diffusion[a] + diffusion[b]) * STEPS_OF_GAP * STEPS_OF_GAP);
            if (step < least) {
                least = step;
                *i = q;
                *k = p;
            }
        }
    }
    return least;
}

/* At the point that does not depend on the separation. i < k. */
static void react(walk *w, int i, int k)
{
    molecule a = w->m[i], b = w->m[k], product;
    int number = w->reaction_of[a.species][b.species] - 1;
    double share = diffusion[a.species] / (diffusion[a.species] + diffusion[b.species]);
    w->m[k] = w->m[--w->n];
    w->m[i] = w->m[--w->n];
    for (int c = 0; c < 3; c++) {
        product.at[c] = a.at[c] + share * (b.at[c] - a.at[c]);
    }
    for (int p = 0; p < reactions[number].n_products; p++) {
        product.species = reactions[number].products[p];
        w->m[w->n++] = product;
    }
}

/* e_aq that are left of a spur. */
static int walk_spur(walk *w, const spur_case *c)
{
    static const int species[3] = {E_AQ, OH, H3O};
    int left = 0, i = 0, j = 0;
    w->n = 0;
    for (int p = 0; p < 3 * N_EACH; p++) {
        w->m[w->n].species = species[p / N_EACH];
        for (int k = 0; k < 3; k++) {
            w->m[w->n].at[k] = c->width * normal(w);
        }
        w->n++;
    }
    for (double time = 1.0; time < c->lasts;) {
        double step = fmin(longest_step(w, &i, &j), c->lasts - time);
        if (step == 0.0) {
            react(w, i, j);
            continue;
        }
        for (int p = 0; p < w->n; p++) {
            double sigma = sqrt(2.0 * diffusion[w->m[p].species] * step);
            for (int k = 0; k < 3; k++) {
                w->m[p].at[k] += sigma * normal(w);
            }
        }
        time += step;
    }
    for (int p = 0; p < w->n; p++) {
        left += w->m[p].species == E_AQ;
    }
    return left;
}

/* Part of e_aq that is left by a method of the program, of 10 copies of 1000 spurs. */
static double part_left(const char *method, const spur_case *of)
{
    char yaml[256];
    snprintf(yaml, sizeof yaml, "time: {end: %g ps, outputs_per_decade: 1}\nsource: {kind: spur, tracks: 1000, radius: %g nm, energy: 100 eV, "
             "molecules: [{species: e_aq, count: 16}, {species: OH, count: 16}, {species: H3O+, count: 16}]}\n", of->lasts, of->width);
    chem_case c = {.yaml = yaml, .chem = method, .copies = 10, .seed = 3, .threads = 2};
    crp_result *result = chem_case_run(&c);
    size_t n, i;
    chem_case_times(result, &n);
    chem_case_tally(result, "G", &i);
    double part = chem_case_count(result, "G", n - 1, 0) / (10000.0 * N_EACH);
    crp_result_destroy(&result);
    return part;
}

static void compare(const spur_case *c, double z)
{
    walk w = {.random = 1};
    double sum = 0.0, squares = 0.0;
    fill_radii(&w);
    for (int i = 0; i < c->n_spurs; i++) {
        double left = walk_spur(&w, c) / (double)N_EACH;
        sum += left;
        squares += left * left;
    }
    double mean = sum / c->n_spurs, error = sqrt((squares / c->n_spurs - mean * mean) / c->n_spurs) / mean;
    double exact = part_left("method: exact", c) / mean - 1.0, irt = part_left("method: irt", c) / mean - 1.0;
    error *= sqrt(1.0 + c->n_spurs / 10000.0); /* the program's spurs have an error too */
    print_message("%g nm, %g ps: walk %.4f +- %.1f %%, exact %+.1f %%, irt %+.1f %%\n", c->width, c->lasts, mean, 100.0 * error,
                  100.0 * exact, 100.0 * irt);
    assert_true(z * error < 0.08); /* the test can fail */
    assert_true(fabs(exact) < z * error + TOUCH);
    assert_true(fabs(irt + c->irt_low) < z * error + TOUCH);
    assert_true(irt < -0.5 * c->irt_low);
}

/* A quarter of 8000 e_aq is left, which makes 1.8 % (those of a spur know of each other): an error of 8 % in exact is seen. What
 * irt is off, 12 %, is more than that. The long tier has the microsecond: 1.2 and 0.9 %. */
static void exact_is_right_where_irt_is_low(void **state)
{
    (void)state;
    static const spur_case cases[] = {{1.0e3, 1.5, 500, 0.121}, {1.0e6, 1.5, 3000, 0.172}, {1.0e6, 3.0, 3000, 0.110}};
    size_t n = getenv("CRP_TEST_LONG") != NULL ? 3 : 1;
    for (size_t i = 0; i < n; i++) {
        compare(&cases[i], statistics_limit(6, (double)INFINITY));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(exact_is_right_where_irt_is_low)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
