/** Keys, units, ranges, defaults and documentation of light models in YAML. */
#include "model/light/light_schema.h"

#include "model/light/light.h"
#include "model/model_run.h"

#include <math.h>
#include <stdio.h>

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])
#define IN_LIGHT(member) \
    .object = LIGHT_OBJECT_LIGHT, .offset = offsetof(light_model, member), .size = sizeof(((light_model *)0)->member)
#define IN_MODEL(member) \
    .object = LIGHT_OBJECT_MODEL, .offset = offsetof(crp_model, member), .size = sizeof(((crp_model *)0)->member)
#define IN_LAYER(member) \
    .object = 0, .offset = offsetof(light_layer, member), .size = sizeof(((light_layer *)0)->member)

/* Survival with chance 1/m and weight times m keeps integer weights exact. */
static const char *check_chance(double chance)
{
    double m = round(1.0 / chance);
    bool is_fine = chance > 0.0 && m >= 2.0 && m <= 1000.0 && fabs(chance * m - 1.0) <= 1e-9;
    return is_fine ? NULL : "must be 1/m for a whole m of 2 to 1000 (0.5, 0.1, 0.05 ...)";
}

static const char *check_threshold(double threshold)
{
    return threshold >= 1e-9 && threshold < 1.0 ? NULL : "must be at least 1e-9 and less than 1";
}

/* clang-format off */
static const schema_field run_fields[] = {
    { .key = "histories", .type = SCHEMA_COUNT, IN_MODEL(histories), .has_range = true, .min = 1, .max = 0x1p63,
      .example = "1e7", .doc = "photons to launch; `-n` overrides" },
    { .key = "batches", .type = SCHEMA_COUNT, IN_MODEL(batches), .has_range = true, .min = 1, .max = 1000000,
      .example = "32", .doc = "equal parts the run is divided into; their scatter gives the standard errors" },
    { .key = "seed", .type = SCHEMA_COUNT, IN_MODEL(seed), .has_range = true, .min = 1, .max = 0x1p64,
      .example = "1", .doc = "random seed, from 1; `--seed` overrides" },
    { .key = "until", .type = SCHEMA_TEXT, IN_MODEL(until), .check_text = model_check_until,
      .example = "\"rel_err(Rd)<0.1%\"", .doc = "stop when this holds; `--until` overrides" },
};
static const schema_table run_table = { "run", run_fields, COUNT_OF(run_fields), 0, SCHEMA_NO_FIELD };

static const schema_field ambient_fields[] = {
    { .key = "n_above", .type = SCHEMA_REAL, IN_LIGHT(n_above), .dimension = UNIT_NUMBER, .check = light_check_index,
      .fallback = "1", .example = "1.0", .doc = "refractive index of the medium above the first layer" },
    { .key = "n_below", .type = SCHEMA_REAL, IN_LIGHT(n_below), .dimension = UNIT_NUMBER, .check = light_check_index,
      .fallback = "1", .example = "1.0", .doc = "refractive index of the medium below the last layer" },
};
static const schema_table ambient_table = { "ambient", ambient_fields, COUNT_OF(ambient_fields), 0, SCHEMA_NO_FIELD };

static const schema_field layer_fields[] = {
    { .key = "name", .type = SCHEMA_TEXT, IN_LAYER(name), .example = "dermis",
      .doc = "name of the layer, for results" },
    { .key = "n", .type = SCHEMA_REAL, .need = SCHEMA_REQUIRED, IN_LAYER(n), .dimension = UNIT_NUMBER,
      .check = light_check_index, .example = "1.4", .doc = "refractive index" },
    { .key = "mu_a", .type = SCHEMA_REAL, .need = SCHEMA_REQUIRED, IN_LAYER(mu_a), .dimension = UNIT_INVERSE_LENGTH,
      .unit = "1/cm", .check = light_check_coefficient, .example = "0.2 /cm", .doc = "absorption coefficient" },
    { .key = "mu_s", .type = SCHEMA_REAL, .need = SCHEMA_REQUIRED, IN_LAYER(mu_s), .dimension = UNIT_INVERSE_LENGTH,
      .unit = "1/cm", .check = light_check_coefficient, .example = "200 /cm", .doc = "scattering coefficient" },
    { .key = "g", .type = SCHEMA_REAL, .need = SCHEMA_REQUIRED, IN_LAYER(g), .dimension = UNIT_NUMBER,
      .check = light_check_anisotropy, .example = "0.8", .doc = "anisotropy of Henyey-Greenstein scattering" },
    { .key = "thickness", .type = SCHEMA_REAL, .need = SCHEMA_REQUIRED, IN_LAYER(d), .dimension = UNIT_LENGTH,
      .unit = "cm", .check = light_check_thickness, .keyword = "infinite", .keyword_value = LIGHT_INFINITE,
      .example = "0.1 mm", .doc = "thickness; \"infinite\" for a last layer without lower face" },
};
static const schema_table layer_table = { "layer", layer_fields, COUNT_OF(layer_fields), sizeof(light_layer),
                                          offsetof(light_layer, name) };

static const schema_field grid_fields[] = {
    { .key = "dz", .type = SCHEMA_REAL, .need = SCHEMA_REQUIRED, IN_LIGHT(dz), .dimension = UNIT_LENGTH, .unit = "cm",
      .check = light_check_grid_step, .example = "20 um", .doc = "height of a bin of the depth grid" },
    { .key = "dr", .type = SCHEMA_REAL, .need = SCHEMA_REQUIRED, IN_LIGHT(dr), .dimension = UNIT_LENGTH, .unit = "cm",
      .check = light_check_grid_step, .example = "0.1 mm", .doc = "width of a bin of the radial grid" },
    { .key = "nz", .type = SCHEMA_COUNT, .need = SCHEMA_REQUIRED, IN_LIGHT(nz), .check = light_check_grid_count,
      .example = "500", .doc = "number of bins in depth" },
    { .key = "nr", .type = SCHEMA_COUNT, .need = SCHEMA_REQUIRED, IN_LIGHT(nr), .check = light_check_grid_count,
      .example = "200", .doc = "number of bins in radius" },
    { .key = "na", .type = SCHEMA_COUNT, IN_LIGHT(na), .check = light_check_grid_count, .fallback = "30",
      .example = "30", .doc = "number of bins in exit angle, over 0 to 90 degrees" },
};
static const schema_table grid_table = { "grid", grid_fields, COUNT_OF(grid_fields), 0, SCHEMA_NO_FIELD };

static const schema_field roulette_fields[] = {
    { .key = "threshold", .type = SCHEMA_REAL, IN_LIGHT(weight_threshold), .dimension = UNIT_FRACTION,
      .check = check_threshold, .fallback = "1e-4", .example = "1e-4", .doc = "weight below which roulette is played" },
    { .key = "chance", .type = SCHEMA_REAL, IN_LIGHT(roulette_chance), .dimension = UNIT_FRACTION,
      .check = check_chance, .fallback = "0.1", .example = "0.1", .doc = "chance to survive it, 1/m with a whole m" },
};
static const schema_table roulette_table = { "roulette", roulette_fields, COUNT_OF(roulette_fields), 0,
                                             SCHEMA_NO_FIELD };

static const schema_field score_fields[] = {
    { .key = "fluence", .type = SCHEMA_BOOL, IN_LIGHT(score_fluence), .fallback = "true", .example = "true",
      .doc = "tally the fluence over the (r, z) grid" },
};
static const schema_table score_table = { "scores", score_fields, COUNT_OF(score_fields), 0, SCHEMA_NO_FIELD };

static const char *const formats[] = { "A", "B", NULL };
static const schema_field output_fields[] = {
    { .key = "mco", .type = SCHEMA_TEXT, IN_LIGHT(mco_path), .fallback = "", .example = "skin7.mco",
      .doc = "MCML output file to write; none when left out" },
    { .key = "format", .type = SCHEMA_CHOICE, IN_LIGHT(mco_format), .choices = formats, .fallback = "A", .example = "A",
      .doc = "format letter of the MCML output file" },
    { .key = "mci_version", .type = SCHEMA_TEXT, IN_LIGHT(mci_version), .fallback = "1.0", .example = "\"1.0\"",
      .doc = "version of the MCML input file this came from" },
};
static const schema_table output_table = { "output", output_fields, COUNT_OF(output_fields), 0, SCHEMA_NO_FIELD };

static const char *const kinds[] = { "light", NULL };
static const schema_field light_fields[] = {
    { .key = "version", .type = SCHEMA_COUNT, .need = SCHEMA_FIXED, .object = SCHEMA_NO_FIELD, .size = sizeof(uint32_t),
      .has_range = true, .min = LIGHT_YAML_VERSION, .max = LIGHT_YAML_VERSION, .example = "1",
      .doc = "version of this format" },
    { .key = "kind", .type = SCHEMA_CHOICE, .need = SCHEMA_FIXED, .object = SCHEMA_NO_FIELD, .size = sizeof(uint32_t),
      .choices = kinds, .example = "light", .doc = "kind of the model" },
    { .key = "name", .type = SCHEMA_TEXT, IN_MODEL(name), .example = "skin",
      .doc = "name for people; else the file's" },
    { .key = "run", .type = SCHEMA_SECTION, .table = &run_table, .doc = "how long to run" },
    { .key = "ambient", .type = SCHEMA_SECTION, .table = &ambient_table, .doc = "media around the layers" },
    { .key = "layers", .type = SCHEMA_LIST, .need = SCHEMA_REQUIRED, IN_LIGHT(layers), .table = &layer_table,
      .count_offset = offsetof(light_model, n_layers),
      .example = "[{n: 1.4, mu_a: 0.2 /cm, mu_s: 200 /cm, g: 0.8, thickness: 1 mm}]",
      .doc = "layers of tissue, from the top" },
    { .key = "grid", .type = SCHEMA_SECTION, .table = &grid_table,
      .example = "{dz: 20 um, dr: 0.1 mm, nz: 500, nr: 200}", .doc = "bins of the tallies" },
    { .key = "roulette", .type = SCHEMA_SECTION, .table = &roulette_table, .doc = "end of photons of little weight" },
    { .key = "scores", .type = SCHEMA_SECTION, .table = &score_table, .doc = "tallies beyond those of MCML" },
    { .key = "output", .type = SCHEMA_SECTION, .table = &output_table, .doc = "files to write beside the result" },
};
const schema_table light_schema = { "light", light_fields, COUNT_OF(light_fields), 0, SCHEMA_NO_FIELD };
/* clang-format on */
