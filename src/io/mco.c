/* Writer of MCML result files: order, scaling and digits that MCML's own readers expect. */
#include "io/mco.h"

#include "core/context.h"
#include "core/number.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

/* Axes of the sections. r and z have one more bin in the result than in the file: what lies outside the grid. */
typedef enum axis { AXIS_NONE, AXIS_LAYER, AXIS_Z, AXIS_R, AXIS_ALPHA } axis;

typedef struct section {
    const char *name;    /* first word of the section */
    const char *tally;   /* in the result */
    const char *comment;
    axis first, second;  /* second: AXIS_NONE for a list */
} section;

static const section sections[] = {
    {"A_l", "absorbed_fraction", "Absorption in each layer, from the top. [-]", AXIS_LAYER, AXIS_NONE},
    {"A_z", "A_z", "Absorption over depth, nz numbers. [1/cm]", AXIS_Z, AXIS_NONE},
    {"Rd_r", "Rd_r", "Diffuse reflectance over radius, nr numbers. [1/cm2]", AXIS_R, AXIS_NONE},
    {"Rd_a", "Rd_a", "Diffuse reflectance over angle, na numbers. [1/sr]", AXIS_ALPHA, AXIS_NONE},
    {"Tt_r", "Tt_r", "Transmittance over radius, nr numbers. [1/cm2]", AXIS_R, AXIS_NONE},
    {"Tt_a", "Tt_a", "Transmittance over angle, na numbers. [1/sr]", AXIS_ALPHA, AXIS_NONE},
    {"A_rz", "A_rz", "Absorption, nr x nz numbers, z fastest. [1/cm3]", AXIS_R, AXIS_Z},
    {"Rd_ra", "Rd_ra", "Diffuse reflectance, nr x na numbers, angle fastest. [1/(cm2 sr)]", AXIS_R, AXIS_ALPHA},
    {"Tt_ra", "Tt_ra", "Transmittance, nr x na numbers, angle fastest. [1/(cm2 sr)]", AXIS_R, AXIS_ALPHA},
};
enum { N_SECTIONS = sizeof sections / sizeof sections[0] };

static const struct {
    const char *tally, *comment;
} totals[] = {{"Rsp", "Specular reflectance [-]"},
              {"Rd", "Diffuse reflectance [-]"},
              {"A", "Absorbed fraction [-]"},
              {"Tt", "Transmittance [-]"}};
enum { N_TOTALS = sizeof totals / sizeof totals[0] };

typedef struct writer {
    FILE *file;
    const char *path;
    const light_model *light;
    const crp_result *result;
    int digits;
} writer;

/* ---------------------------------------------------------------------------------------------- numbers */

static size_t axis_size(const light_model *light, axis a)
{
    switch (a) {
    case AXIS_LAYER:
        return light->n_layers;
    case AXIS_Z:
        return light->nz;
    case AXIS_R:
        return light->nr;
    case AXIS_ALPHA:
        return light->na;
    default:
        return 1;
    }
}

static size_t axis_size_in_result(const light_model *light, axis a)
{
    return axis_size(light, a) + (a == AXIS_Z || a == AXIS_R);
}

/*
 * MCML's factor from weight per photon to the number in the file (Wang, Jacques, Zheng 1995, section 4; the product
 * forms of version 1.2.2, not the exact integrals over an angular bin). The two-dimensional angular factor divides the
 * cosine out, the one-dimensional one does not: so it is in MCML.
 */
static double scale_of(const light_model *light, const section *s, size_t i, size_t j)
{
    double da = 0.5 * pi / light->na;
    double ring = 2.0 * pi * ((double)i + 0.5) * light->dr * light->dr;
    double angle = ((double)(s->second == AXIS_NONE ? i : j) + 0.5) * da;
    switch (s->second == AXIS_NONE ? s->first : s->second) {
    case AXIS_LAYER:
        return 1.0;
    case AXIS_Z:
        return s->first == AXIS_Z ? 1.0 / light->dz : 1.0 / (ring * light->dz);
    case AXIS_R:
        return 1.0 / ring;
    default: /* AXIS_ALPHA */
        return s->first == AXIS_ALPHA ? 1.0 / (2.0 * pi * sin(angle) * da)
                                      : 1.0 / (ring * 2.0 * pi * sin(0.5 * da) * sin(2.0 * angle));
    }
}

/* Value and standard error of the bins [i0, i1) x [j0, j1) of a tally, per photon and without its own scale. */
typedef struct block {
    size_t i0, i1, j0, j1, row; /* row: bins of the second axis in the result */
} block;

static double block_mean(const crp_result *result, size_t tally, const block *b)
{
    const tally_spec *spec = &result->tallies[tally];
    crp_wide sum = 0;
    for (size_t i = b->i0; i < b->i1; i++) {
        for (size_t j = b->j0; j < b->j1; j++) {
            sum += result->sum[spec->offset + i * b->row + j];
        }
    }
    return (double)sum * spec->quantum / (double)result->histories;
}

static double block_std_dev(const crp_result *result, size_t tally, const block *b)
{
    const tally_spec *spec = &result->tallies[tally];
    double sum = 0.0;
    for (size_t i = b->i0; i < b->i1; i++) {
        for (size_t j = b->j0; j < b->j1; j++) {
            size_t bin = i * b->row + j;
            double scale = spec->scale == NULL ? 1.0 : spec->scale[bin];
            double std_dev = result_bin_std_dev(result, tally, spec->offset + bin);
            sum += scale > 0.0 ? std_dev / scale : (double)NAN;
        }
    }
    return sum;
}

/* The bins of the result that the number (i, j) of the file stands for: the last one takes what is outside. */
static block block_of(const light_model *light, const section *s, size_t i, size_t j)
{
    size_t n_first = axis_size(light, s->first), n_second = axis_size(light, s->second);
    size_t all_first = axis_size_in_result(light, s->first), all_second = axis_size_in_result(light, s->second);
    return (block){.i0 = i,
                   .i1 = i + 1 == n_first ? all_first : i + 1,
                   .j0 = j,
                   .j1 = j + 1 == n_second ? all_second : j + 1,
                   .row = all_second};
}

/* ----------------------------------------------------------------------------------------------- output */

/* %G as MCML, unless that changes the number: then as many digits as give it back. */
static const char *real(double value, char text[40])
{
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, 40, "%.*G", digits, value);
        if (strtod(text, NULL) == value) { /* NOLINT: equality is meant */
            break;
        }
    }
    return text;
}

static void write_head(const writer *w)
{
    const crp_result *r = w->result;
    double seconds = isfinite(r->seconds) ? r->seconds : 0.0;
    fprintf(w->file, "%c1 \t# Version number of the file format.\n\n####\n", w->light->mco_format == 'B' ? 'B' : 'A');
    fprintf(w->file, "# Data categories include: \n# InParm, RAT, \n# A_l, A_z, Rd_r, Rd_a, Tt_r, Tt_a, \n");
    fprintf(w->file, "# A_rz, Rd_ra, Tt_ra \n####\n\n");
    fprintf(w->file, "# User time: %8.2f sec = %8.2f hr.  Simulation time of this run.\n", seconds, seconds / 3600.0);
    fprintf(w->file, "# Corpuscle %.31s (%.47s), seed %" PRIu64 ", %.7s math, %.120s\n", r->version, r->commit, r->seed,
            r->math, r->device);
    fprintf(w->file, "# Digest of the integer tallies: %.64s\n", r->digest);
    fprintf(w->file, "# The last bins of r and z also hold what lies outside the grid.\n\n");
}

/* Readers take the name as one word. */
static void write_name(const writer *w)
{
    const char *name = w->light->mco_path[0] != '\0' ? w->light->mco_path : w->path;
    for (; *name != '\0'; name++) {
        fputc(isspace((unsigned char)*name) ? '_' : *name, w->file);
    }
}

static void write_parameters(const writer *w)
{
    const light_model *light = w->light;
    char a[40], b[40], c[40], d[40], e[40];
    fprintf(w->file, "InParm \t\t\t# Input parameters. cm is used.\n");
    write_name(w);
    fprintf(w->file, " \tA\t\t# output file name, ASCII.\n");
    fprintf(w->file, "%" PRIu64 " \t\t\t# No. of photons\n", w->result->histories);
    fprintf(w->file, "%s\t%s\t\t# dz, dr [cm]\n", real(light->dz, a), real(light->dr, b));
    fprintf(w->file, "%u\t%u\t%u\t# No. of dz, dr, da.\n\n", light->nz, light->nr, light->na);
    fprintf(w->file, "%u\t\t\t\t\t# Number of layers\n", light->n_layers);
    fprintf(w->file, "#n\tmua\tmus\tg\td\t# One line for each layer\n");
    fprintf(w->file, "%s\t\t\t\t\t# n for medium above\n", real(light->n_above, a));
    for (uint32_t i = 0; i < light->n_layers; i++) {
        const light_layer *layer = &light->layers[i];
        fprintf(w->file, "%s\t%s\t%s\t%s\t%s\t# layer %u%s%.63s\n", real(layer->n, a), real(layer->mu_a, b),
                real(layer->mu_s, c), real(layer->g, d), real(layer->d, e), i + 1, layer->name[0] == '\0' ? "" : " ",
                layer->name);
    }
    fprintf(w->file, "%s\t\t\t\t\t# n for medium below\n\n", real(light->n_below, a));
}

static void write_totals(const writer *w, bool is_std_dev)
{
    static const block whole = {0, 1, 0, 1, 1};
    int digits = w->digits > 6 ? w->digits : 6;
    fprintf(w->file, is_std_dev ? "SE_RAT #Standard errors of RAT. \n" : "RAT #Reflectance, absorption, transmission. \n");
    for (size_t i = 0; i < N_TOTALS; i++) {
        size_t tally = (size_t)result_find(w->result, totals[i].tally);
        double value = is_std_dev ? block_std_dev(w->result, tally, &whole) : block_mean(w->result, tally, &whole);
        fprintf(w->file, "%-12.*G \t#%s\n", digits, value, totals[i].comment);
    }
    fprintf(w->file, "\n");
}

static void write_section(const writer *w, const section *s, bool is_std_dev)
{
    size_t n_first = axis_size(w->light, s->first), n_second = axis_size(w->light, s->second);
    size_t tally = (size_t)result_find(w->result, s->tally), n_written = 0;
    int width = w->digits + 7 > 12 ? w->digits + 7 : 12;
    bool is_list = s->second == AXIS_NONE;
    if (is_list) {
        fprintf(w->file, "%s%s #%s\n", is_std_dev ? "SE_" : "", s->name, is_std_dev ? "Standard errors." : s->comment);
    } else { /* MCML has the comment of a matrix in front of its name */
        fprintf(w->file, "# %s\n%s%s\n", is_std_dev ? "Standard errors." : s->comment, is_std_dev ? "SE_" : "", s->name);
    }
    for (size_t i = 0; i < n_first; i++) {
        for (size_t j = 0; j < n_second; j++) {
            block b = block_of(w->light, s, i, j);
            double value = is_std_dev ? block_std_dev(w->result, tally, &b) : block_mean(w->result, tally, &b);
            bool is_line_end = is_list || ++n_written % 5 == 0;
            fprintf(w->file, is_line_end ? "%*.*E\n" : "%*.*E ", width, w->digits - 1,
                    value * scale_of(w->light, s, i, j));
        }
    }
    fprintf(w->file, n_written % 5 == 0 ? "\n" : "\n\n");
}

static void write_data(const writer *w, bool is_std_dev)
{
    write_totals(w, is_std_dev);
    for (size_t i = 0; i < N_SECTIONS; i++) {
        write_section(w, &sections[i], is_std_dev);
    }
}

/* ----------------------------------------------------------------------------------------------- checks */

static crp_status check_tally(crp_context *context, const crp_result *result, const char *name, size_t n_bins)
{
    ptrdiff_t tally = result_find(result, name);
    CRP_CHECK(context, tally >= 0, CRP_ERR_FORMAT, "the result has no tally '%s' (an .mco needs it): not a result of light?",
              name);
    CRP_CHECK(context, result->tallies[tally].n_bins == n_bins, CRP_ERR_FORMAT,
              "tally '%s' has %zu bins where the model asks for %zu (is the result of another model?)", name,
              result->tallies[tally].n_bins, n_bins);
    return CRP_OK;
}

static crp_status check_result(crp_context *context, const light_model *light, const crp_result *result)
{
    CRP_CHECK(context, result->histories > 0, CRP_ERR_ARG, "no photon was run, so there is nothing to write to an .mco");
    for (size_t i = 0; i < N_TOTALS; i++) {
        CRP_TRY(check_tally(context, result, totals[i].tally, 1));
    }
    for (size_t i = 0; i < N_SECTIONS; i++) {
        const section *s = &sections[i];
        size_t n_bins = axis_size_in_result(light, s->first) * axis_size_in_result(light, s->second);
        CRP_TRY(check_tally(context, result, s->tally, n_bins));
    }
    return CRP_OK;
}

crp_status mco_write(crp_context *context, const light_model *light, const crp_result *result,
                     const output_options *options, const char *path, FILE *file)
{
    CRP_CHECK(context, options->digits == 0 || (options->digits >= 2 && options->digits <= 17), CRP_ERR_ARG,
              "digits = %u of an .mco must lie in 2 to 17 (a double has 17), or be 0 for MCML's 5", options->digits);
    CRP_TRY(check_result(context, light, result));
    writer w = {.file = file, .path = path, .light = light, .result = result,
                .digits = options->digits == 0 ? 5 : (int)options->digits};
    locale_t before = number_locale_enter();
    write_head(&w);
    write_parameters(&w);
    write_data(&w, false);
    if (options->has_std_dev) {
        fprintf(file, "# Standard errors of the means; of the last bins of r and z an upper bound.\n");
        write_data(&w, true);
    }
    number_locale_leave(before);
    return CRP_OK;
}
