/** Keys, units, ranges, defaults and documentation of chem models in YAML. */
#include "model/chem/chem_schema.h"

#include "model/chem/chem.h"
#include "model/model_run.h"

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])
#define IN_CHEM(member) \
    .object = CHEM_OBJECT_CHEM, .offset = offsetof(chem_model, member), .size = sizeof(((chem_model *)0)->member)
#define IN_MODEL(member) \
    .object = CHEM_OBJECT_MODEL, .offset = offsetof(crp_model, member), .size = sizeof(((crp_model *)0)->member)
#define IN_ITEM(type, member) .object = 0, .offset = offsetof(type, member), .size = sizeof(((type *)0)->member)

const char *const chem_method_words[] = {"exact", "paper", "irt", NULL};
const char *const chem_space_words[] = {"open", "periodic", "reflecting", NULL};
const char *const chem_source_words[] = {"file", "pair", "spur", "cylinder", "uniform", NULL};

static const char *check_positive(double value)
{
    return value > 0.0 ? NULL : "must be larger than 0";
}

static const char *check_not_negative(double value)
{
    return value >= 0.0 ? NULL : "must be 0 or larger";
}

/* clang-format off */
static const schema_field run_fields[] = {
    { .key = "copies", .type = SCHEMA_COUNT, IN_MODEL(histories), .has_range = true, .min = 1, .max = 1e12,
      .example = "10", .doc = "independent copies of every track; `-n` overrides" },
    { .key = "batches", .type = SCHEMA_COUNT, IN_MODEL(batches), .has_range = true, .min = 1, .max = 1000000,
      .example = "32", .doc = "equal parts the run is divided into; their scatter gives the standard errors" },
    { .key = "seed", .type = SCHEMA_COUNT, IN_MODEL(seed), .has_range = true, .min = 1, .max = 0x1p64,
      .example = "1", .doc = "random seed, from 1; `--seed` overrides" },
    { .key = "until", .type = SCHEMA_TEXT, IN_MODEL(until), .check_text = model_check_until,
      .example = "\"std_dev(G[e_aq])<0.01\"", .doc = "stop when this holds; `--until` overrides" },
};
static const schema_table run_table = { "run", run_fields, COUNT_OF(run_fields), 0, SCHEMA_NO_FIELD };

static const schema_field chem_fields[] = {
    { .key = "set", .type = SCHEMA_TEXT, IN_CHEM(set_name), .fallback = "paper", .example = "paper",
      .doc = "species and reactions: a shipped set (paper, geant4, topas, fricke) or a file" },
    { .key = "method", .type = SCHEMA_CHOICE, IN_CHEM(method), .choices = chem_method_words, .fallback = "exact",
      .example = "exact", .doc = "exact: steps with the exact bridge; irt: independent reaction times; paper: as published in 2017" },
    { .key = "steps_per_decade", .type = SCHEMA_REAL, IN_CHEM(steps_per_decade), .dimension = UNIT_NUMBER,
      .check = check_positive, .fallback = "20", .example = "20", .doc = "time steps in every factor of ten" },
    { .key = "step", .type = SCHEMA_REAL, IN_CHEM(step), .dimension = UNIT_TIME, .unit = "ps", .check = check_not_negative,
      .fallback = "0", .example = "1 ps", .doc = "one fixed time step instead; 0: none" },
    { .key = "dynamic_step", .type = SCHEMA_BOOL, IN_CHEM(dynamic_step), .fallback = "true", .example = "true",
      .doc = "method paper: step chosen from the nearest pair (Eq. 4, Tables 1 and 2)" },
};
static const schema_table chem_table = { "chem", chem_fields, COUNT_OF(chem_fields), 0, SCHEMA_NO_FIELD };

static const schema_field scavenger_fields[] = {
    { .key = "species", .type = SCHEMA_TEXT, .need = SCHEMA_REQUIRED, IN_ITEM(chem_scavenger, species), .example = "O2",
      .doc = "a species that reactions of the set name in brackets" },
    { .key = "concentration", .type = SCHEMA_REAL, .need = SCHEMA_REQUIRED, IN_ITEM(chem_scavenger, concentration),
      .dimension = UNIT_CONCENTRATION, .unit = "mol/l", .check = check_not_negative, .example = "2.5e-4", .doc = "in mol/l" },
};
static const schema_table scavenger_table = { "scavenger", scavenger_fields, COUNT_OF(scavenger_fields),
                                              sizeof(chem_scavenger), offsetof(chem_scavenger, species) };

static const schema_field time_fields[] = {
    { .key = "start", .type = SCHEMA_REAL, IN_CHEM(start), .dimension = UNIT_TIME, .unit = "ps", .check = check_positive,
      .fallback = "1 ps", .example = "1 ps", .doc = "when the molecules are where the input says" },
    { .key = "end", .type = SCHEMA_REAL, IN_CHEM(end), .dimension = UNIT_TIME, .unit = "ps", .check = check_positive,
      .fallback = "1 us", .example = "1 us", .doc = "last output time" },
    { .key = "outputs_per_decade", .type = SCHEMA_REAL, IN_CHEM(outputs_per_decade), .dimension = UNIT_NUMBER,
      .check = check_positive, .fallback = "10", .example = "10", .doc = "output times in every factor of ten" },
};
static const schema_table time_table = { "time", time_fields, COUNT_OF(time_fields), 0, SCHEMA_NO_FIELD };

static const schema_field population_fields[] = {
    { .key = "species", .type = SCHEMA_TEXT, .need = SCHEMA_REQUIRED, IN_ITEM(chem_population, species), .example = "OH",
      .doc = "name or alias" },
    { .key = "count", .type = SCHEMA_REAL, .need = SCHEMA_REQUIRED, IN_ITEM(chem_population, count),
      .dimension = UNIT_NUMBER, .check = check_not_negative, .example = "3", .doc = "molecules of it in every track" },
};
static const schema_table population_table = { "molecules", population_fields, COUNT_OF(population_fields),
                                               sizeof(chem_population), offsetof(chem_population, species) };

static const schema_field source_fields[] = {
    { .key = "kind", .type = SCHEMA_CHOICE, IN_CHEM(source.kind), .choices = chem_source_words, .fallback = "file",
      .example = "spur", .doc = "file, or a built-in source of tracks" },
    { .key = "file", .type = SCHEMA_TEXT, IN_CHEM(source.file), .fallback = "", .example = "track.bin",
      .doc = "list of molecules; beside this file unless absolute" },
    { .key = "format", .type = SCHEMA_TEXT, IN_CHEM(source.format), .fallback = "", .example = "gmicromc",
      .doc = "format of the file; recognised when left out" },
    { .key = "energy", .type = SCHEMA_REAL, IN_CHEM(source.energy), .dimension = UNIT_ENERGY, .unit = "eV",
      .check = check_not_negative, .fallback = "0", .example = "750 keV",
      .doc = "deposited energy of every track, which G needs; 0: as the file says" },
    { .key = "tracks", .type = SCHEMA_COUNT, IN_CHEM(source.tracks), .has_range = true, .min = 1, .max = 1e8, .fallback = "1",
      .example = "1000", .doc = "built-in: tracks, each with positions of its own" },
    { .key = "seed", .type = SCHEMA_COUNT, IN_CHEM(source.seed), .has_range = true, .min = 1, .max = 0x1p64,
      .fallback = "1", .example = "1", .doc = "built-in: random seed of the positions" },
    { .key = "molecules", .type = SCHEMA_LIST, IN_CHEM(source.molecules), .table = &population_table,
      .count_offset = offsetof(chem_model, source.n_molecules), .example = "[{species: OH, count: 3}]",
      .doc = "built-in: what a track begins with" },
    { .key = "distance", .type = SCHEMA_REAL, IN_CHEM(source.distance), .dimension = UNIT_LENGTH, .unit = "nm",
      .check = check_not_negative, .fallback = "1 nm", .example = "1 nm", .doc = "pair: distance of the two molecules" },
    { .key = "radius", .type = SCHEMA_REAL, IN_CHEM(source.radius), .dimension = UNIT_LENGTH, .unit = "nm",
      .check = check_not_negative, .fallback = "1 nm", .example = "1 nm",
      .doc = "spur, cylinder: standard deviation of each coordinate about centre or axis" },
    { .key = "length", .type = SCHEMA_REAL, IN_CHEM(source.length), .dimension = UNIT_LENGTH, .unit = "nm",
      .check = check_not_negative, .fallback = "100 nm", .example = "1 um", .doc = "cylinder: length; uniform: edge of the cube" },
    { .key = "pulse", .type = SCHEMA_TEXT, IN_CHEM(source.pulse), .fallback = "", .example = "pulse.txt",
      .doc = "shape of a pulse (time in us, relative current): every track is born at a time drawn from it" },
    { .key = "together", .type = SCHEMA_BOOL, IN_CHEM(source.together), .fallback = "false", .example = "false",
      .doc = "all tracks share one space (dose rate, pulses)" },
};
static const schema_table source_table = { "source", source_fields, COUNT_OF(source_fields), 0, SCHEMA_NO_FIELD };

static const schema_field space_fields[] = {
    { .key = "kind", .type = SCHEMA_CHOICE, IN_CHEM(space), .choices = chem_space_words, .fallback = "open",
      .example = "periodic", .doc = "open, or a cubic box around the origin" },
    { .key = "box", .type = SCHEMA_REAL, IN_CHEM(box), .dimension = UNIT_LENGTH, .unit = "nm", .check = check_not_negative,
      .fallback = "0", .example = "1 um", .doc = "edge of the box" },
};
static const schema_table space_table = { "space", space_fields, COUNT_OF(space_fields), 0, SCHEMA_NO_FIELD };

static const char *const kinds[] = { "chem", NULL };
static const schema_field model_fields[] = {
    { .key = "version", .type = SCHEMA_COUNT, .need = SCHEMA_FIXED, .object = SCHEMA_NO_FIELD, .size = sizeof(uint32_t),
      .has_range = true, .min = CHEM_YAML_VERSION, .max = CHEM_YAML_VERSION, .example = "1",
      .doc = "version of this format" },
    { .key = "kind", .type = SCHEMA_CHOICE, .need = SCHEMA_FIXED, .object = SCHEMA_NO_FIELD, .size = sizeof(uint32_t),
      .choices = kinds, .example = "chem", .doc = "kind of the model" },
    { .key = "name", .type = SCHEMA_TEXT, IN_MODEL(name), .example = "spur", .doc = "name for people; else the file's" },
    { .key = "run", .type = SCHEMA_SECTION, .table = &run_table, .doc = "how much to run" },
    { .key = "chem", .type = SCHEMA_SECTION, .table = &chem_table, .doc = "species, reactions and method" },
    { .key = "scavengers", .type = SCHEMA_LIST, IN_CHEM(scavengers), .table = &scavenger_table,
      .count_offset = offsetof(chem_model, n_scavengers), .example = "[{species: O2, concentration: 2.5e-4}]",
      .doc = "concentrations of species that stay as they are" },
    { .key = "time", .type = SCHEMA_SECTION, .table = &time_table, .doc = "range and output times" },
    { .key = "source", .type = SCHEMA_SECTION, .table = &source_table, .example = "{file: track.bin, energy: 750 keV}",
      .doc = "where the molecules come from" },
    { .key = "space", .type = SCHEMA_SECTION, .table = &space_table, .doc = "open space or a box" },
};
const schema_table chem_schema = { "chem", model_fields, COUNT_OF(model_fields), 0, SCHEMA_NO_FIELD };
