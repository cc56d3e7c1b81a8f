/** The table of facets: see gas_csv.h. */
#include "io/gas_csv.h"

#include "core/context.h"
#include "core/number.h"
#include "core/text.h"
#include "io/gas_numbers.h"
#include "model/gas/gas_facet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text != '\0'; text++) {
        fputs(*text == '"' ? "\"" : "", file);
        fputc(*text, file);
    }
    fputc('"', file);
}

/** A comma and a number; an unknown one is an empty field. */
static void put(FILE *file, double value)
{
    char text[NUMBER_TEXT];
    fputc(',', file);
    if (!isnan(value)) {
        fputs(number_print(text, value), file);
    }
}

static void put_heading(FILE *file, const char *name, const char *unit)
{
    fprintf(file, ",%s [%s]", name, unit);
}

static void put_headings(FILE *file)
{
    fputs("facet [1],surface", file);
    put_heading(file, "area", "cm2");
    put_heading(file, "centre x", "cm");
    put_heading(file, "centre y", "cm");
    put_heading(file, "centre z", "cm");
    put_heading(file, "sticking", "1");
    put_heading(file, "opacity", "1");
    put_heading(file, "temperature", "K");
    put_heading(file, "outgassing", "mbar l/s");
    for (int i = 0; i < GAS_N_NUMBERS; i++) {
        if (i != GAS_NUMBER_SLOWNESS) {
            char name[64];
            snprintf(name, sizeof name, "%s std_dev", gas_number_title((gas_number)i));
            put_heading(file, gas_number_title((gas_number)i), gas_number_unit((gas_number)i));
            put_heading(file, name, gas_number_unit((gas_number)i));
        }
    }
    put_heading(file, "throughput", "mbar l/s");
    put_heading(file, "throughput std_dev", "mbar l/s");
    put_heading(file, "mean speed", "m/s");
    for (int axis = 0; axis < 3; axis++) {
        fprintf(file, ",force %c [N],force %c std_dev [N]", "xyz"[axis], "xyz"[axis]);
    }
    fputs("\r\n", file);
}

/** Mean of the corners of the outline [cm]. */
static void put_centre(FILE *file, const gas_model *model, uint32_t facet)
{
    const gas_loop *outline = &model->loops[model->facets[facet].first_loop];
    for (int axis = 0; axis < 3; axis++) {
        double sum = 0;
        for (uint32_t i = 0; i < outline->n; i++) {
            sum += model->vertices[3 * (size_t)model->corners[outline->first + i] + (size_t)axis];
        }
        put(file, 100 * sum / outline->n);
    }
}

static void put_facet(FILE *file, const gas_numbers *numbers, uint32_t f, const double *areas)
{
    const gas_model *model = numbers->model;
    const gas_surface *s = &model->surfaces[model->facets[f].surface];
    double area = gas_facet_frame(model, f).area, error = 0;
    fprintf(file, "%u,", model->facets[f].number);
    put_text(file, s->name);
    put(file, 1e4 * area);
    put_centre(file, model, f);
    put(file, s->sticking);
    put(file, s->opacity);
    put(file, s->temperature);
    put(file, 10 * gas_facet_outgassing(model, f, area, areas));
    for (int i = 0; i < GAS_N_NUMBERS; i++) {
        if (i != GAS_NUMBER_SLOWNESS) {
            put(file, gas_facet_number(numbers, (gas_number)i, f, &error));
            put(file, error);
        }
    }
    /* Gas pumped, at the temperature of the facet. */
    double flow = 10 * numbers->molecules * 1.380649e-23 * s->temperature;
    put(file, flow * gas_facet_number(numbers, GAS_NUMBER_ABSORBED, f, &error));
    put(file, flow * error);
    put(file, 1 / gas_facet_number(numbers, GAS_NUMBER_SLOWNESS, f, NULL));
    for (uint32_t axis = 0; axis < 3; axis++) {
        put(file, gas_facet_force(numbers, f, axis, &error));
        put(file, error);
    }
    fputs("\r\n", file);
}

crp_status gas_facets_form(crp_context *context, const crp_model *model, const crp_result *result,
                           const output_options *options, const char *path, void **bytes, size_t *n_bytes)
{
    const gas_model *gas = model->data;
    gas_numbers numbers;
    text_buffer text;
    double *areas = NULL;
    (void)options;
    (void)path;
    CRP_TRY(gas_numbers_find(context, gas, result, &numbers));
    CRP_TRY(gas_surface_areas(context, gas, &areas));
    crp_status status = text_open(context, &text);
    if (status == CRP_OK) {
        put_headings(text.file);
        for (uint32_t f = 0; f < gas->n_facets; f++) {
            put_facet(text.file, &numbers, f, areas);
        }
        status = text_close(context, &text, CRP_OK);
    }
    free(areas);
    if (status == CRP_OK) {
        *bytes = text.bytes;
        *n_bytes = text.n_bytes;
    }
    return status;
}

/* --------------------------------------------------------------------------------------------------------------- leaks
 */

static void put_leak_headings(FILE *file)
{
    static const char *const groups[] = {"left at", "direction", "out of the box at"};
    fputs("facet [1],surface", file);
    for (int g = 0; g < 3; g++) {
        for (int k = 0; k < 3; k++) {
            fprintf(file, ",%s %c [%s]", groups[g], "xyz"[k], g == 1 ? "1" : "cm");
        }
    }
    fputs("\r\n", file);
}

static void put_leak(FILE *file, const gas_model *gas, const result_place *p)
{
    const double *groups[] = {p->at, p->way, p->out};
    const char *name = "";
    for (uint32_t f = 0; f < gas->n_facets; f++) {
        name = gas->facets[f].number == p->of ? gas->surfaces[gas->facets[f].surface].name : name;
    }
    fprintf(file, "%lld,", (long long)p->of);
    put_text(file, name);
    for (int g = 0; g < 3; g++) {
        for (int k = 0; k < 3; k++) {
            put(file, groups[g][k]);
        }
    }
    fputs("\r\n", file);
}

crp_status gas_leaks_form(crp_context *context, const crp_model *model, const crp_result *result,
                          const output_options *options, const char *path, void **bytes, size_t *n_bytes)
{
    text_buffer text;
    ptrdiff_t tally = result_find(result, "leaks_per_hit");
    bool has_leaks = tally >= 0 && result->sum[result->tallies[tally].offset] != 0;
    (void)options;
    (void)path;
    CRP_CHECK(context, result->n_places > 0 || !has_leaks, CRP_ERR_UNSUPPORTED,
              "the places of the leaks are not in this result file (an early version wrote it): run again");
    CRP_TRY(text_open(context, &text));
    put_leak_headings(text.file);
    for (size_t i = 0; i < result->n_places; i++) {
        put_leak(text.file, model->data, &result->places[i]);
    }
    CRP_TRY(text_close(context, &text, CRP_OK));
    *bytes = text.bytes;
    *n_bytes = text.n_bytes;
    return CRP_OK;
}
