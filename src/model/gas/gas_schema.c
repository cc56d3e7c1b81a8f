/** Keys, units, ranges, defaults and documentation of gas models in YAML. */
#include "model/gas/gas_schema.h"

#include "model/gas/gas.h"
#include "model/model_run.h"

#include <stdio.h>

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])
#define IN_GAS(member) \
    .object = GAS_OBJECT_GAS, .offset = offsetof(gas_model, member), .size = sizeof(((gas_model *)0)->member)
#define IN_MODEL(member) \
    .object = GAS_OBJECT_MODEL, .offset = offsetof(crp_model, member), .size = sizeof(((crp_model *)0)->member)
#define IN_TEXTS(member) \
    .object = GAS_OBJECT_TEXTS, .offset = offsetof(gas_yaml_texts, member), .size = sizeof(((gas_yaml_texts *)0)->member)
#define IN_SURFACE(member) \
    .object = 0, .offset = offsetof(gas_surface, member), .size = sizeof(((gas_surface *)0)->member)
#define IN_ITEM(type, member) .object = 0, .offset = offsetof(type, member), .size = sizeof(((type *)0)->member)

static const char *check_unit(double unit)
{
    return unit >= 1e-9 && unit <= 1e3 ? NULL : "must lie in [1 nm, 1 km] (the length of one unit of the coordinates)";
}

/* clang-format off */
static const schema_field run_fields[] = {
    { .key = "histories", .type = SCHEMA_COUNT, IN_MODEL(histories), .has_range = true, .min = 1, .max = 0x1p63,
      .example = "1e6", .doc = "molecules to desorb; `-n` overrides" },
    { .key = "batches", .type = SCHEMA_COUNT, IN_MODEL(batches), .has_range = true, .min = 1, .max = 1000000,
      .example = "32", .doc = "equal parts the run is divided into; their scatter gives the standard errors" },
    { .key = "seed", .type = SCHEMA_COUNT, IN_MODEL(seed), .has_range = true, .min = 1, .max = 0x1p64,
      .example = "1", .doc = "random seed, from 1; `--seed` overrides" },
    { .key = "until", .type = SCHEMA_TEXT, IN_MODEL(until), .check_text = model_check_until,
      .example = "\"rel_err(transmission)<0.1%\"", .doc = "stop when this holds; `--until` overrides" },
};
static const schema_table run_table = { "run", run_fields, COUNT_OF(run_fields), 0, SCHEMA_NO_FIELD };

static const char *const speeds[] = { "maxwell", "mean", NULL };
static const schema_field gas_fields[] = {
    { .key = "mass", .type = SCHEMA_REAL, IN_GAS(mass), .dimension = UNIT_MASS, .unit = "kg/mol", .check = gas_check_mass,
      .fallback = "28.0134 g/mol", .example = "28.0134 g/mol", .doc = "molar mass, with its unit" },
    { .key = "speed", .type = SCHEMA_CHOICE, IN_GAS(speed), .choices = speeds, .fallback = "maxwell", .example = "maxwell",
      .doc = "speeds of the Maxwell-Boltzmann distribution, or one mean speed for all" },
    { .key = "max_bounces", .type = SCHEMA_COUNT, IN_GAS(max_bounces), .has_range = true, .min = 1, .max = 1e9,
      .fallback = "1000000000", .example = "1e9", .doc = "hits after which a molecule is counted as lost" },
};
static const schema_table gas_table = { "gas", gas_fields, COUNT_OF(gas_fields), 0, SCHEMA_NO_FIELD };

static const schema_field score_fields[] = {
    { .key = "forces", .type = SCHEMA_BOOL, IN_GAS(score_forces), .fallback = "false", .example = "true",
      .doc = "force of the gas on every facet" },
    { .key = "textures", .type = SCHEMA_BOOL, IN_GAS(score_textures), .fallback = "true", .example = "true",
      .doc = "textures of the facets that ask for one" },
    { .key = "profiles", .type = SCHEMA_BOOL, IN_GAS(score_profiles), .fallback = "true", .example = "true",
      .doc = "profiles of the facets that ask for one" },
};
static const schema_table score_table = { "scores", score_fields, COUNT_OF(score_fields), 0, SCHEMA_NO_FIELD };

static const char *const desorptions[] = { "none", "uniform", "cosine", "cosine_n", NULL };
static const char *const profiles[] = { "none", "u", "v", "angle", "speed", "normal_speed", "tangential_speed", NULL };

static const schema_field reflection_fields[] = {
    { .key = "diffuse", .type = SCHEMA_REAL, IN_SURFACE(diffuse), .dimension = UNIT_FRACTION, .check = gas_check_share,
      .fallback = "1", .example = "1", .doc = "share reflected by the cosine law" },
    { .key = "specular", .type = SCHEMA_REAL, IN_SURFACE(specular), .dimension = UNIT_FRACTION, .check = gas_check_share,
      .fallback = "0", .example = "0", .doc = "share reflected as by a mirror; the rest: cosine^n" },
    { .key = "exponent", .type = SCHEMA_REAL, IN_SURFACE(cosine_exponent), .dimension = UNIT_NUMBER,
      .check = gas_check_exponent, .fallback = "1", .example = "3", .doc = "n of the rest" },
    { .key = "maxwell", .type = SCHEMA_BOOL, IN_SURFACE(is_maxwell), .fallback = "false", .example = "true",
      .doc = "Maxwell's model: what is reflected as by a mirror keeps its speed" },
};
static const schema_table reflection_table = { "reflection", reflection_fields, COUNT_OF(reflection_fields), 0,
                                               SCHEMA_NO_FIELD };

static const schema_field texture_fields[] = {
    { .key = "cell", .type = SCHEMA_REAL, IN_SURFACE(texture_cell), .dimension = UNIT_LENGTH, .unit = "m",
      .check = gas_check_length, .fallback = "0", .example = "1 mm", .doc = "edge of a cell; 0: by numbers of cells" },
    { .key = "u", .type = SCHEMA_REAL, IN_SURFACE(texture_u), .dimension = UNIT_NUMBER, .check = gas_check_cells,
      .fallback = "0", .example = "100", .doc = "number of cells along U of each facet; 0: no texture" },
    { .key = "v", .type = SCHEMA_REAL, IN_SURFACE(texture_v), .dimension = UNIT_NUMBER, .check = gas_check_cells,
      .fallback = "0", .example = "100", .doc = "number of cells along V" },
};
static const schema_table texture_table = { "texture", texture_fields, COUNT_OF(texture_fields), 0, SCHEMA_NO_FIELD };

static const schema_field surface_fields[] = {
    { .key = "name", .type = SCHEMA_TEXT, IN_SURFACE(name), .fallback = "", .example = "pump",
      .doc = "name of the facets, for results and settings" },
    { .key = "sticking", .type = SCHEMA_REAL, IN_SURFACE(sticking), .dimension = UNIT_FRACTION, .check = gas_check_sticking,
      .fallback = "0", .example = "0.1", .doc = "probability to be pumped on a hit" },
    { .key = "temperature", .type = SCHEMA_REAL, IN_SURFACE(temperature), .dimension = UNIT_TEMPERATURE, .unit = "K",
      .check = gas_check_temperature, .fallback = "293.15 K", .example = "293.15 K", .doc = "temperature of the wall" },
    { .key = "outgassing", .type = SCHEMA_REAL, IN_SURFACE(outgassing), .dimension = UNIT_GAS_FLOW, .unit = "Pa m3/s",
      .check = gas_check_outgassing, .fallback = "0", .example = "1e-6 mbar l/s",
      .doc = "gas from all its facets together, with its unit" },
    { .key = "desorption", .type = SCHEMA_CHOICE, IN_SURFACE(desorption), .choices = desorptions, .fallback = "cosine",
      .example = "cosine", .doc = "directions of the outgassing" },
    { .key = "desorption_exponent", .type = SCHEMA_REAL, IN_SURFACE(desorption_exponent), .dimension = UNIT_NUMBER,
      .check = gas_check_exponent, .fallback = "1", .example = "3", .doc = "n of cosine_n" },
    { .key = "opacity", .type = SCHEMA_REAL, IN_SURFACE(opacity), .dimension = UNIT_FRACTION, .check = gas_check_opacity,
      .fallback = "1", .example = "1", .doc = "probability that a crossing is a hit; 0: counts and lets all through" },
    { .key = "two_sided", .type = SCHEMA_BOOL, IN_SURFACE(is_two_sided), .fallback = "false", .example = "true",
      .doc = "also seen from behind" },
    { .key = "accommodation", .type = SCHEMA_REAL, IN_SURFACE(accommodation), .dimension = UNIT_FRACTION,
      .check = gas_check_accommodation, .fallback = "1", .example = "1", .doc = "share of the energy exchanged with the wall" },
    { .key = "reflection", .type = SCHEMA_SECTION, .table = &reflection_table, .doc = "how molecules are reflected" },
    { .key = "teleport", .type = SCHEMA_TEXT, IN_SURFACE(teleport_name), .fallback = "", .example = "outlet",
      .doc = "facet that hits go on from: its number or the name of a surface of one facet; back: where it last came from" },
    { .key = "structure", .type = SCHEMA_COUNT, IN_SURFACE(structure_number), .has_range = true, .min = 0, .max = 1000000,
      .fallback = "1", .example = "1", .doc = "structure it is part of, from 1; 0: all" },
    { .key = "link", .type = SCHEMA_COUNT, IN_SURFACE(link_number), .has_range = true, .min = 0, .max = 1000000,
      .fallback = "0", .example = "2", .doc = "structure that a molecule enters through it, from 1; 0: none" },
    { .key = "texture", .type = SCHEMA_SECTION, .table = &texture_table, .doc = "cells over which hits are counted" },
    { .key = "profile", .type = SCHEMA_CHOICE, IN_SURFACE(profile), .choices = profiles, .fallback = "none",
      .example = "u", .doc = "what 100 bins are counted along" },
    { .key = "polygons", .type = SCHEMA_BLOCK, .need = SCHEMA_REQUIRED, IN_SURFACE(polygons), .example = "\"0 1 2 3\"",
      .doc = "facets, one a line: numbers of vertices, from 0; holes after a /" },
};
static const schema_table surface_table = { "facet", surface_fields, COUNT_OF(surface_fields), sizeof(gas_surface),
                                            offsetof(gas_surface, name) };

static const schema_field group_fields[] = {
    { .key = "name", .type = SCHEMA_TEXT, .need = SCHEMA_REQUIRED, IN_ITEM(gas_yaml_group, name), .example = "pumps",
      .doc = "name of the group" },
    { .key = "facets", .type = SCHEMA_BLOCK, .need = SCHEMA_REQUIRED, IN_ITEM(gas_yaml_group, facets),
      .example = "1 2 5-9", .doc = "numbers of facets, from 1, in the order of the file" },
};
static const schema_table group_table = { "group", group_fields, COUNT_OF(group_fields), sizeof(gas_yaml_group),
                                          offsetof(gas_yaml_group, name) };

static const schema_field formula_fields[] = {
    { .key = "name", .type = SCHEMA_TEXT, .need = SCHEMA_REQUIRED, IN_ITEM(gas_yaml_formula, name), .example = "trans",
      .doc = "name of the formula" },
    { .key = "text", .type = SCHEMA_BLOCK, .need = SCHEMA_REQUIRED, IN_ITEM(gas_yaml_formula, text),
      .example = "A2/SUMDES", .doc = "the formula" },
};
static const schema_table formula_table = { "formula", formula_fields, COUNT_OF(formula_fields), sizeof(gas_yaml_formula),
                                            offsetof(gas_yaml_formula, name) };

static const schema_field geometry_fields[] = {
    { .key = "unit", .type = SCHEMA_REAL, IN_TEXTS(unit), .dimension = UNIT_LENGTH, .unit = "m", .check = check_unit,
      .fallback = "1 m", .example = "1 cm", .doc = "length of one unit of the coordinates" },
    { .key = "vertices", .type = SCHEMA_BLOCK, .need = SCHEMA_REQUIRED, IN_TEXTS(vertices), .example = "\"0 0 0\"",
      .doc = "one a line: x y z" },
};
static const schema_table geometry_table = { "geometry", geometry_fields, COUNT_OF(geometry_fields), 0, SCHEMA_NO_FIELD };

static const char *check_copies(double n)
{
    return n == 0 || n == 1 || n == 2 || n == 4 || n == 8 || n == 16 || n == 32
               ? NULL
               : "must be 1, 2, 4, 8, 16 or 32 (copies that neighbouring threads share), or 0 (by the number of facets)";
}

static const char *const optix_meshes[] = { "triangles", "polygons", NULL };
static const char *const optix_positions[] = { "plane", "facet", "ray", NULL };
static const schema_field optix_fields[] = {
    { .key = "threads", .type = SCHEMA_COUNT, IN_GAS(optix.threads), .has_range = true, .min = 0, .max = 1 << 26,
      .fallback = "0", .example = "1048576", .doc = "threads in flight; 0: as many as the GPU holds" },
    { .key = "copies", .type = SCHEMA_COUNT, IN_GAS(optix.copies), .check = check_copies, .fallback = "0", .example = "16",
      .doc = "copies of the hit counters; 0: by the number of facets" },
    { .key = "batch", .type = SCHEMA_COUNT, IN_GAS(optix.batch), .has_range = true, .min = 0, .max = 64, .fallback = "0",
      .example = "4", .doc = "random numbers are drawn for so many flights ahead; 0: one flight at a time" },
    { .key = "depth", .type = SCHEMA_COUNT, IN_GAS(optix.depth), .has_range = true, .min = 0, .max = 16, .fallback = "0",
      .example = "16", .doc = "rays traced by hit programs one in the other; 0: a loop in the ray-generation program" },
    { .key = "mesh", .type = SCHEMA_CHOICE, IN_GAS(optix.mesh), .choices = optix_meshes, .fallback = "triangles",
      .example = "polygons", .doc = "triangles with the built-in test, or polygons with a program of their own" },
    { .key = "positions", .type = SCHEMA_CHOICE, IN_GAS(optix.positions), .choices = optix_positions, .fallback = "plane",
      .example = "ray", .doc = "hits are put on the plane of their facet or into it in double precision, or left in single precision" },
    { .key = "registers", .type = SCHEMA_COUNT, IN_GAS(optix.registers), .has_range = true, .min = 0, .max = 255,
      .fallback = "0", .example = "96", .doc = "registers of a thread, at most; 0: the ray tracer decides" },
    { .key = "programs", .type = SCHEMA_BOOL, IN_GAS(optix.programs), .fallback = "true", .example = "false",
      .doc = "hit programs are called; false: the ray-generation program asks what was hit (needs OptiX 8.0)" },
    { .key = "culling", .type = SCHEMA_BOOL, IN_GAS(optix.culling), .fallback = "true", .example = "false",
      .doc = "facets are invisible from behind" },
    { .key = "offset", .type = SCHEMA_BOOL, IN_GAS(optix.offset), .fallback = "true", .example = "false",
      .doc = "rays start a little off the facet, along its normal" },
    { .key = "second_look", .type = SCHEMA_BOOL, IN_GAS(optix.second_look), .fallback = "true", .example = "false",
      .doc = "a ray that hits nothing is traced again from farther inside its facet; false: it is a leak at once" },
};
static const schema_table optix_table = { "optix", optix_fields, COUNT_OF(optix_fields), 0, SCHEMA_NO_FIELD };

static const schema_field output_fields[] = {
    { .key = "vtkhdf", .type = SCHEMA_TEXT, IN_GAS(vtkhdf_path), .fallback = "", .example = "tube.vtkhdf",
      .doc = "mesh with results to write, for ParaView; none when left out" },
};
static const schema_table output_table = { "output", output_fields, COUNT_OF(output_fields), 0, SCHEMA_NO_FIELD };

static const char *const kinds[] = { "gas", NULL };
static const schema_field root_fields[] = {
    { .key = "version", .type = SCHEMA_COUNT, .need = SCHEMA_FIXED, .object = SCHEMA_NO_FIELD, .size = sizeof(uint32_t),
      .has_range = true, .min = GAS_YAML_VERSION, .max = GAS_YAML_VERSION, .example = "1",
      .doc = "version of this format" },
    { .key = "kind", .type = SCHEMA_CHOICE, .need = SCHEMA_FIXED, .object = SCHEMA_NO_FIELD, .size = sizeof(uint32_t),
      .choices = kinds, .example = "gas", .doc = "kind of the model" },
    { .key = "name", .type = SCHEMA_TEXT, IN_MODEL(name), .example = "tube", .doc = "name for people; else the file's" },
    { .key = "run", .type = SCHEMA_SECTION, .table = &run_table, .doc = "how long to run" },
    { .key = "gas", .type = SCHEMA_SECTION, .table = &gas_table, .doc = "the molecules" },
    { .key = "scores", .type = SCHEMA_SECTION, .table = &score_table, .doc = "what is counted" },
    { .key = "optix", .type = SCHEMA_SECTION, .table = &optix_table, .doc = "how the device optix traces" },
    { .key = "facets", .type = SCHEMA_LIST, .need = SCHEMA_REQUIRED, IN_GAS(surfaces), .table = &surface_table,
      .count_offset = offsetof(gas_model, n_surfaces), .example = "[{name: wall, polygons: \"0 1 2\"}]",
      .doc = "named sets of facets with what they do" },
    { .key = "groups", .type = SCHEMA_LIST, IN_TEXTS(groups), .table = &group_table,
      .count_offset = offsetof(gas_yaml_texts, n_groups), .doc = "further named sets of facets, for results" },
    { .key = "formulas", .type = SCHEMA_LIST, IN_TEXTS(formulas), .table = &formula_table,
      .count_offset = offsetof(gas_yaml_texts, n_formulas), .doc = "formulas to evaluate after the run" },
    { .key = "output", .type = SCHEMA_SECTION, .table = &output_table, .doc = "files to write beside the result" },
    { .key = "geometry", .type = SCHEMA_SECTION, .table = &geometry_table, .example = "{unit: 1 cm, vertices: ...}",
      .doc = "where the corners are" },
};
const schema_table gas_schema = { "gas", root_fields, COUNT_OF(root_fields), 0, SCHEMA_NO_FIELD };
/* clang-format on */
