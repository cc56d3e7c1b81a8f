/* Vacuum models that use every feature of the kernel, run on two devices: the same integers. Include after cmocka.h. */
#ifndef TESTS_CROSS_GAS_MODELS_H
#define TESTS_CROSS_GAS_MODELS_H

#include "gas_fixture.h"

/* Every kind of surface in one box: chances, mirrors, cosine^n, accommodation, two sides, grids, textures, profiles,
 * forces, a teleport that goes back, two structures, facets that lie upon one another, one that is not flat, holes. */
static const char gas_every_feature[] =
    "version: 1\nkind: gas\nscores: {forces: true}\nfacets:\n"
    "  - {name: source, temperature: 400, outgassing: 1e-6 mbar l/s, sticking: 0.3, desorption: cosine_n,\n"
    "     desorption_exponent: 2, polygons: 0 1 2 3, texture: {u: 7.5, v: 3}, profile: u}\n"
    "  - {name: leaf, outgassing: 3e-7 mbar l/s, two_sided: true, sticking: 0.1, desorption: uniform, opacity: 0.8,\n"
    "     temperature: 80, profile: angle, polygons: \"16 17 18 19 / 20 21 22\", texture: {cell: 1 mm}}\n"
    "  - {name: lid, sticking: 0.05, reflection: {diffuse: 0.3, specular: 0.4, exponent: 4}, accommodation: 0.6,\n"
    "     polygons: 7 6 5 4, profile: normal_speed}\n"
    "  - {name: front, reflection: {diffuse: 0.5, specular: 0.5, maxwell: true}, accommodation: 0.9, polygons: 0 4 5 "
    "1,\n"
    "     profile: tangential_speed}\n"
    "  - {name: right, link: 2, polygons: 1 5 6 2}\n"
    "  - {name: back, sticking: 0.2, polygons: \"2 6 7 3\\n2 6 7 3\", profile: speed}\n"
    "  - {name: left, teleport: lid, polygons: 3 7 4 0}\n"
    "  - {name: other_left, structure: 2, link: 1, polygons: 2 6 5 1}\n"
    "  - {name: other, structure: 2, sticking: 0.5, profile: v,\n"
    "     polygons: \"1 8 9 2\\n6 10 11 5\\n1 5 11 8\\n9 10 6 2\\n8 11 23 10 9\"}\n"
    "geometry:\n  unit: 1 cm\n  vertices: |\n"
    "    0 0 0\n    1 0 0\n    1 1 0\n    0 1 0\n    0 0 1\n    1 0 1\n    1 1 1\n    0 1 1\n"
    "    2 0 0\n    2 1 0\n    2 1 1\n    2 0 1\n    0 0 0\n    0 0 0\n    0 0 0\n    0 0 0\n"
    "    0.2 0.2 0.5\n    0.8 0.25 0.5\n    0.7 0.8 0.5\n    0.3 0.7 0.5\n    0.4 0.4 0.5\n    0.6 0.45 0.5\n    0.5 "
    "0.6 0.5\n"
    "    2.01 0.5 1\n";

typedef struct gas_case {
    const char *name, *starter;
    const char *settings[6];
    uint64_t histories;
} gas_case;

static const gas_case gas_cases[] = {
    {"every feature", NULL, {NULL}, 3000},
    {"tube", "gas-tube", {"length_over_radius=20", "sides=60", NULL}, 3000},
    {"mean speeds", "gas-tube", {"length_over_radius=3", "sides=12", "gas.speed=mean", NULL}, 2000},
    {"elbow with textures", "gas-elbow", {"facets.wall.texture.cell=1 mm", "facets.outlet.sticking=0.7", NULL}, 2000},
    {"chamber", "gas-chamber", {"bodies=8", "segments=8", NULL}, 60},
    {"many facets", "gas-tube", {"length_over_radius=2", "sides=3000", NULL}, 1000},
};
enum { N_GAS_CASES = sizeof gas_cases / sizeof *gas_cases };

FIXTURE_FN crp_input *gas_case_input(const gas_case *c)
{
    return c->starter == NULL ? fixture_text(gas_every_feature) : fixture_starter(c->starter, c->settings);
}

/* Digest of a case on a device; `digest` has room for 65 characters. */
FIXTURE_FN void gas_case_digest(const gas_case *c, const char *device, uint32_t threads, char *digest)
{
    crp_input *input = gas_case_input(c);
    crp_run_options options = fixture_options(c->histories, 7);
    options.device = device;
    options.threads = threads;
    crp_result *result = fixture_execute(input, &options);
    snprintf(digest, 65, "%s", crp_result_digest(result));
    crp_result_destroy(&result);
    crp_input_destroy(&input);
}

FIXTURE_FN void gas_check_device(const char *device)
{
    for (size_t i = 0; i < N_GAS_CASES; i++) {
        char here[65], there[65];
        gas_case_digest(&gas_cases[i], "cpu", 1, here);
        gas_case_digest(&gas_cases[i], device, 1, there);
        if (strcmp(here, there) != 0) {
            fail_msg("%s: %.12s on the CPU, %.12s on %s", gas_cases[i].name, here, there, device);
        }
    }
}

#endif
