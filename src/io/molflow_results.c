/**
 * <MolflowResults> from a result: see molflow_write.h. Counts are whole numbers of the run. The sums of 1/v_n, v_n and
 * 1/v are those from which Molflow gets back our pressure, density and mean speed: with K molecules a second for each
 * simulated one and the area A in cm2, p = 100 K m S_v / A [mbar], n = 1e4 K S_1/v D / A, D = 1 - (absorbed + desorbed)
 * / 2 (hits + desorbed).
 */
#include "core/context.h"
#include "core/number.h"
#include "io/gas_numbers.h"
#include "io/molflow_write.h"
#include "model/gas/gas_facet.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static const double avogadro = 6.02214076e23;

/** What all numbers of a result need. */
typedef struct result_writer {
    crp_context *context;
    const gas_model *model;
    const crp_result *result;
    gas_numbers numbers;
    double per_molecule; /* K: real molecules a second for each simulated one [1/s] */
    double mass;         /* of a molecule [kg] */
    FILE *file;
    uint64_t *first_cell; /* of every facet */
    uint64_t n_profiles;  /* written so far */
} result_writer;

/** A count of the whole run, exact. */
static int64_t count_of(const result_writer *w, ptrdiff_t tally, uint64_t bin)
{
    return tally < 0 ? 0 : (int64_t)w->result->sum[w->result->tallies[tally].offset + (size_t)bin];
}

static double finite_or_zero(double x)
{
    return isfinite(x) ? x : 0;
}

/** Molflow's correction of the density of a facet that reflects not all. */
static double density_correction(const result_writer *w, uint32_t facet)
{
    double hits = (double)count_of(w, w->numbers.facet[GAS_NUMBER_HITS], facet);
    double desorbed = (double)count_of(w, w->numbers.facet[GAS_NUMBER_DESORBED], facet);
    double absorbed = (double)count_of(w, w->numbers.facet[GAS_NUMBER_ABSORBED], facet);
    return hits + desorbed > 0 ? 1 - (absorbed + desorbed) / (2 * (hits + desorbed)) : 1;
}

static double sum_of_speed(const result_writer *w, double pressure, double area)
{
    return finite_or_zero(pressure * area / (100 * w->per_molecule * w->mass));
}

static double sum_of_inverse(const result_writer *w, double density, double area, double correction)
{
    return finite_or_zero(density * area / (1e4 * w->per_molecule * correction));
}

/* -------------------------------------------------------------------------------------------------------- whole model
 */

static double scalar(const result_writer *w, const char *name)
{
    ptrdiff_t t = result_find(w->result, name);
    return t < 0 ? 0 : finite_or_zero(result_bin_mean(w->result, (size_t)t, w->result->tallies[t].offset));
}

static int64_t total(const result_writer *w, gas_number which)
{
    int64_t sum = 0;
    for (uint32_t f = 0; f < w->model->n_facets; f++) {
        sum += count_of(w, w->numbers.facet[which], f);
    }
    return sum;
}

static void put_global(const result_writer *w)
{
    int64_t hits = total(w, GAS_NUMBER_HITS), absorbed = total(w, GAS_NUMBER_ABSORBED);
    double flights = scalar(w, "hits_per_molecule") * (double)w->result->histories;
    double path = flights * scalar(w, "mean_flight"); /* cm */
    double leaks = round(flights * scalar(w, "leaks_per_hit"));
    fprintf(w->file,
            "\t\t\t\t<Global>\n\t\t\t\t\t<Hits totalHit=\"%" PRId64 "\" totalHitEquiv=\"%" PRId64
            "\" totalDes=\"%" PRIu64 "\" totalAbsEquiv=\"%" PRId64 "\"",
            hits, hits, w->result->histories, absorbed);
    molflow_put_real(w->file, "totalDist_total", path);
    molflow_put_real(w->file, "totalDist_fullHitsOnly", path);
    fprintf(w->file, " totalLeak=\"%.0f\" maxDesorption=\"0\" />\n", leaks);
    fputs("\t\t\t\t\t<Hit_Cache nb=\"0\" />\n\t\t\t\t\t<Leak_Cache nb=\"0\" />\n\t\t\t\t</Global>\n", w->file);
}

/* --------------------------------------------------------------------------------------------------------- one facet
 */

static void put_hits(const result_writer *w, uint32_t f, double area)
{
    int64_t hits = count_of(w, w->numbers.facet[GAS_NUMBER_HITS], f);
    int64_t desorbed = count_of(w, w->numbers.facet[GAS_NUMBER_DESORBED], f);
    double slowness = gas_facet_number(&w->numbers, GAS_NUMBER_SLOWNESS, f, NULL);
    fprintf(w->file,
            "\t\t\t\t\t\t<Hits nbHit=\"%" PRId64 "\" nbHitEquiv=\"%" PRId64 "\" nbDes=\"%" PRId64
            "\" nbAbsEquiv=\"%" PRId64 "\"",
            hits, hits, desorbed, count_of(w, w->numbers.facet[GAS_NUMBER_ABSORBED], f));
    molflow_put_real(w->file, "sum_v_ort",
                     sum_of_speed(w, gas_facet_number(&w->numbers, GAS_NUMBER_PRESSURE, f, NULL), area));
    molflow_put_real(
        w->file, "sum_1_per_v",
        sum_of_inverse(w, gas_facet_number(&w->numbers, GAS_NUMBER_DENSITY, f, NULL), area, density_correction(w, f)));
    molflow_put_real(w->file, "sum_v", finite_or_zero(slowness * (double)(hits + desorbed)));
    fputs(" />\n", w->file);
}

static void put_forces(const result_writer *w, uint32_t f)
{
    if (w->numbers.force < 0) {
        return;
    }
    /* Molflow keeps the impulse of all simulated molecules and multiplies by K. */
    fputs("\t\t\t\t\t\t<Forces>\n\t\t\t\t\t\t\t<Impulse", w->file);
    for (uint32_t axis = 0; axis < 3; axis++) {
        const char name[2] = {"xyz"[axis], '\0'};
        molflow_put_real(w->file, name, finite_or_zero(gas_facet_force(&w->numbers, f, axis, NULL) / w->per_molecule));
    }
    fputs(" />\n\t\t\t\t\t\t</Forces>\n", w->file);
}

/** Bins of the profiles, in the order of the facets that have one. */
static void put_profile(result_writer *w, uint32_t f, double area)
{
    enum { BINS = 100 };
    ptrdiff_t hits = result_find(w->result, "profile_hits"), pressure = result_find(w->result, "profile_pressure");
    ptrdiff_t density = result_find(w->result, "profile_density");
    if (w->model->surfaces[w->model->facets[f].surface].profile == GAS_PROFILE_NONE || hits < 0 || pressure < 0 ||
        density < 0) {
        return;
    }
    double correction = density_correction(w, f);
    fprintf(w->file, "\t\t\t\t\t\t<Profile size=\"%d\">\n", BINS);
    for (uint64_t i = 0; i < BINS; i++) {
        uint64_t bin = BINS * w->n_profiles + i;
        double p = result_bin_mean(w->result, (size_t)pressure, w->result->tallies[pressure].offset + (size_t)bin);
        double n = result_bin_mean(w->result, (size_t)density, w->result->tallies[density].offset + (size_t)bin);
        fprintf(w->file, "\t\t\t\t\t\t\t<Slice id=\"%" PRIu64 "\" countEquiv=\"%" PRId64 "\"", i,
                count_of(w, hits, bin));
        molflow_put_real(w->file, "sum_1_per_v", sum_of_inverse(w, n, area / BINS, correction));
        molflow_put_real(w->file, "sum_v_ort", sum_of_speed(w, p, area / BINS));
        fputs(" />\n", w->file);
    }
    fputs("\t\t\t\t\t\t</Profile>\n", w->file);
    w->n_profiles++;
}

/** One block of a texture: rows of tab-separated numbers. */
static void put_block(const result_writer *w, const char *name, uint32_t n_u, uint32_t n_v, const double *values)
{
    char text[NUMBER_TEXT];
    fprintf(w->file, "\t\t\t\t\t\t\t<%s><![CDATA[\n", name);
    for (uint32_t j = 0; j < n_v; j++) {
        for (uint32_t i = 0; i < n_u; i++) {
            fprintf(w->file, "%s\t", number_print(text, finite_or_zero(values[(size_t)j * n_u + i])));
        }
        fputc('\n', w->file);
    }
    fprintf(w->file, "]]></%s>\n", name);
}

static crp_status put_texture(const result_writer *w, uint32_t f, const gas_frame *frame, double sides)
{
    uint32_t n_u = 0, n_v = 0;
    gas_facet_texture(w->model, f, frame, &n_u, &n_v);
    if (n_u == 0 || n_v == 0 || w->numbers.texture[GAS_NUMBER_HITS] < 0) {
        return CRP_OK;
    }
    size_t n = (size_t)n_u * n_v;
    double *areas = malloc(2 * n * sizeof *areas), *values = areas + n, correction = density_correction(w, f);
    CRP_CHECK(w->context, areas != NULL, CRP_ERR_MEMORY, "not enough memory for a texture of %zu cells", n);
    crp_status status = gas_texture_areas(w->context, w->model, f, frame, n_u, n_v, areas);
    if (status == CRP_OK) {
        uint64_t first = w->first_cell[f];
        fprintf(w->file, "\t\t\t\t\t\t<Texture width=\"%u\" height=\"%u\">\n", n_u, n_v);
        for (size_t i = 0; i < n; i++) {
            values[i] = (double)count_of(w, w->numbers.texture[GAS_NUMBER_HITS], first + i);
        }
        put_block(w, "count", n_u, n_v, values);
        for (size_t i = 0; i < n; i++) {
            double density = gas_cell_number(&w->numbers, GAS_NUMBER_DENSITY, first + i, NULL);
            values[i] = sum_of_inverse(w, density, 1e4 * sides * areas[i], correction);
        }
        put_block(w, "sum_1_per_v", n_u, n_v, values);
        for (size_t i = 0; i < n; i++) { /* per cm2 */
            values[i] = sum_of_speed(w, gas_cell_number(&w->numbers, GAS_NUMBER_PRESSURE, first + i, NULL), 1);
        }
        put_block(w, "sum_v_ort", n_u, n_v, values);
        fputs("\t\t\t\t\t\t</Texture>\n", w->file);
    }
    free(areas);
    return status;
}

static crp_status put_facets(result_writer *w)
{
    fputs("\t\t\t\t<FacetResults>\n", w->file);
    for (uint32_t f = 0; f < w->model->n_facets; f++) {
        gas_frame frame = gas_facet_frame(w->model, f);
        double sides = w->model->surfaces[w->model->facets[f].surface].is_two_sided ? 2 : 1;
        double area = 1e4 * sides * frame.area; /* cm2 */
        fprintf(w->file, "\t\t\t\t\t<Facet id=\"%u\">\n", f);
        put_hits(w, f, area);
        put_forces(w, f);
        put_profile(w, f, area);
        CRP_TRY(put_texture(w, f, &frame, sides));
        fputs("\t\t\t\t\t</Facet>\n", w->file);
    }
    fputs("\t\t\t\t</FacetResults>\n", w->file);
    return CRP_OK;
}

static void put_texture_limits(FILE *file)
{
    static const char *const moments[] = {"With_constant_flow", "Moments_only"};
    fputs("\t\t<TextureMinMax>\n", file);
    for (int i = 0; i < 2; i++) {
        fprintf(file,
                "\t\t\t<%s>\n\t\t\t\t<Pressure min=\"0\" max=\"0\" />\n\t\t\t\t<Density min=\"0\" max=\"0\" />\n"
                "\t\t\t\t<Imp.rate min=\"0\" max=\"0\" />\n\t\t\t</%s>\n",
                moments[i], moments[i]);
    }
    fputs("\t\t</TextureMinMax>\n", file);
}

crp_status molflow_write_results(crp_context *context, const gas_model *model, const crp_result *result, FILE *file)
{
    result_writer w = {.context = context, .model = model, .result = result, .file = file};
    CRP_TRY(gas_numbers_find(context, model, result, &w.numbers));
    w.per_molecule = w.numbers.molecules / (double)result->histories;
    w.mass = model->mass / avogadro;
    w.first_cell = malloc((model->n_facets + (size_t)1) * sizeof *w.first_cell);
    CRP_CHECK(context, w.first_cell != NULL, CRP_ERR_MEMORY, "not enough memory for %u facets",
              (unsigned)model->n_facets);
    gas_texture_cells(model, w.first_cell);
    fputs("<MolflowResults>\n\t\t<Moments nb=\"1\">\n\t\t\t<Moment id=\"0\" time=\"Constant flow\" timeWindow=\"0\">\n",
          file);
    put_global(&w);
    crp_status status = put_facets(&w);
    fputs("\t\t\t</Moment>\n\t\t</Moments>\n", file);
    put_texture_limits(file);
    fputs("\t</MolflowResults>", file);
    free(w.first_cell);
    return status;
}
