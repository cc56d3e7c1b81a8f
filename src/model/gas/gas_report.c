/** The report of `check`: see gas_report.h. */
#include "model/gas/gas_report.h"

#include "core/json.h"
#include "geom/mesh_check.h"
#include "model/gas/gas_facet.h"
#include "model/gas/gas_polygons.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LISTED_FINDINGS = 10, LISTED_SURFACES = 40 };

/* Flat enough: 1e-6 cm, or this part of the model. */
static const double flat_part = 1e-7;

typedef struct problem_words {
    const char *key;    /* of JSON */
    const char *plural; /* "open edges" */
    const char *advice; /* what it does, and what helps */
} problem_words;

static const problem_words words[MESH_N_PROBLEMS] = {
    [MESH_OPEN_EDGE] = {"open_edges", "open edges",
                        "molecules leak through a gap: close it, or make the facet two-sided"},
    [MESH_CROWDED_EDGE] = {"crowded_edges", "edges of 3 facets or more", "a wall inside a wall: leave one of them out"},
    [MESH_NOT_FLAT] = {"non_planar", "non-planar facets", "simulated as triangles; split them if that is not meant"},
    [MESH_DUPLICATE] = {"duplicates", "duplicate facets", "only the one with the lowest number is hit: leave one out"},
    [MESH_OVERLAP] = {"overlaps", "overlapping facets", "where both are, the one with the lowest number is hit"},
    [MESH_INVERTED] = {"inverted_normals", "inverted normals", "one-sided facets let molecules through from behind"},
    [MESH_INSIDE_OUT] = {"inside_out", "parts inside out",
                         "normals must point into the gas: --flip for STL, or reverse the corners"},
    [MESH_TINY] = {"tiny_facets", "tiny facets", "thinner than a millionth of the model: mostly debris of an export"},
};

/* ---------------------------------------------------------------------------------------------------------------- text
 */

static void print_finding(FILE *file, const gas_model *gas, mesh_problem problem, const mesh_finding *f)
{
    char label[2 * GAS_NAME], other[2 * GAS_NAME];
    gas_facet_label(gas, f->facet, label);
    gas_facet_label(gas, f->other, other);
    fprintf(file, "    %s", label);
    switch (problem) {
    case MESH_OPEN_EDGE:
        fprintf(file, ": an edge of %.4g cm", f->value);
        break;
    case MESH_CROWDED_EDGE:
        fprintf(file, " and %s: an edge that %.0f facets share", other, f->value);
        break;
    case MESH_NOT_FLAT:
        fprintf(file, ": a corner %.3g cm from its plane", f->value);
        break;
    case MESH_DUPLICATE:
        fprintf(file, " and %s%s", other, f->value < 0 ? ", facing each other" : "");
        break;
    case MESH_OVERLAP:
        fprintf(file, " and %s", other);
        break;
    case MESH_INVERTED:
        fprintf(file, ": %.4g cm2", f->value);
        break;
    case MESH_INSIDE_OUT:
        fprintf(file, ": a closed part of %.4g cm3", f->value);
        break;
    default:
        fprintf(file, ": %.3g cm thin", f->value);
        break;
    }
    fprintf(file, " at (%.6g, %.6g, %.6g) cm\n", f->at.x, f->at.y, f->at.z);
}

static void print_problems(FILE *file, const gas_model *gas, const mesh_report *report)
{
    uint32_t n = 0;
    for (int p = 0; p < MESH_N_PROBLEMS; p++) {
        const mesh_findings *found = &report->problems[p];
        n += found->n;
        fprintf(file, "  %-26s %u", words[p].plural, found->n);
        fprintf(file, found->n == 0 ? "\n" : " (%s)\n", words[p].advice);
        for (uint32_t i = 0; i < found->n_kept && i < LISTED_FINDINGS; i++) {
            print_finding(file, gas, (mesh_problem)p, &found->kept[i]);
        }
        if (found->n > LISTED_FINDINGS) {
            fprintf(file, "    ... and %u more\n", found->n - LISTED_FINDINGS);
        }
    }
    fprintf(file, "  %s\n", n == 0 ? "no problems" : "see above what each problem means");
}

static void print_surfaces(FILE *file, const gas_model *gas, const double *areas)
{
    bool is_named = false;
    for (uint32_t i = 0; i < gas->n_surfaces; i++) {
        is_named = is_named || gas->surfaces[i].name[0] != '\0';
    }
    if (!is_named && gas->n_surfaces > LISTED_SURFACES) {
        return;
    }
    fprintf(file, "  %-24s %8s %12s %9s %8s %7s %16s\n", "surface", "facets", "area [cm2]", "sticking", "opacity",
            "T [K]", "gas [mbar l/s]");
    for (uint32_t i = 0; i < gas->n_surfaces && i < LISTED_SURFACES; i++) {
        const gas_surface *s = &gas->surfaces[i];
        char number[32];
        snprintf(number, sizeof number, "%u", i + 1);
        fprintf(file, "  %-24s %8u %12.6g %9.4g %8.4g %7.5g %16.6g\n", s->name[0] == '\0' ? number : s->name,
                s->n_facets, 1e4 * areas[i], s->sticking, s->opacity, s->temperature, 10 * s->outgassing);
    }
    if (gas->n_surfaces > LISTED_SURFACES) {
        fprintf(file, "  ... and %u more\n", gas->n_surfaces - LISTED_SURFACES);
    }
}

static void print_text(FILE *file, const gas_model *gas, const mesh_report *r, const double *areas)
{
    fprintf(file, "  %-26s %u (%u triangles, %u vertices)\n", "facets", r->n_facets, r->n_triangles, gas->n_vertices);
    fprintf(file, "  %-26s x %.6g to %.6g, y %.6g to %.6g, z %.6g to %.6g cm\n", "bounding box", r->low.x, r->high.x,
            r->low.y, r->high.y, r->low.z, r->high.z);
    fprintf(file, "  %-26s %.6g cm2\n", "area", r->area);
    if (!isnan(r->volume)) {
        fprintf(file, "  %-26s %.6g cm3, %.3g l (of closed parts)\n", "gas volume", r->volume, r->volume / 1000);
    }
    fprintf(file, "  %-26s %u, %u of them closed\n", "parts", r->n_parts, r->n_closed);
    print_problems(file, gas, r);
    print_surfaces(file, gas, areas);
}

/* ---------------------------------------------------------------------------------------------------------------- JSON
 */

static void json_point(FILE *file, geom_point p)
{
    fputc('[', file);
    json_write_real(file, p.x);
    fputc(',', file);
    json_write_real(file, p.y);
    fputc(',', file);
    json_write_real(file, p.z);
    fputc(']', file);
}

static void json_number(FILE *file, const char *key, double value)
{
    fprintf(file, ",\"%s\":", key);
    json_write_real(file, value);
}

static void json_findings(FILE *file, const gas_model *gas, mesh_problem problem, const mesh_findings *found)
{
    bool has_other = problem == MESH_CROWDED_EDGE || problem == MESH_DUPLICATE || problem == MESH_OVERLAP;
    fprintf(file, "%s\"%s\":{\"n\":%u,\"first\":[", problem == 0 ? "" : ",", words[problem].key, found->n);
    for (uint32_t i = 0; i < found->n_kept; i++) {
        const mesh_finding *f = &found->kept[i];
        fprintf(file, "%s{\"facet\":%u", i == 0 ? "" : ",", gas->facets[f->facet].number);
        if (has_other) {
            fprintf(file, ",\"other\":%u", gas->facets[f->other].number);
        }
        json_number(file, "value", f->value);
        fputs(",\"at\":", file);
        json_point(file, f->at);
        fputc('}', file);
    }
    fputs("]}", file);
}

static void print_json(FILE *file, const gas_model *gas, const mesh_report *r)
{
    fprintf(file, "{\"facets\":%u,\"triangles\":%u,\"vertices\":%u,\"surfaces\":%u,\"parts\":%u,\"closed_parts\":%u",
            r->n_facets, r->n_triangles, gas->n_vertices, gas->n_surfaces, r->n_parts, r->n_closed);
    fputs(",\"low_cm\":", file);
    json_point(file, r->low);
    fputs(",\"high_cm\":", file);
    json_point(file, r->high);
    json_number(file, "area_cm2", r->area);
    json_number(file, "volume_cm3", r->volume);
    json_number(file, "tolerance_cm", r->tolerance);
    fputs(",\"problems\":{", file);
    for (int p = 0; p < MESH_N_PROBLEMS; p++) {
        json_findings(file, gas, (mesh_problem)p, &r->problems[p]);
    }
    fputs("}}", file);
}

/* --------------------------------------------------------------------------------------------------------------- in
 * all */

static double model_tolerance(const geom_mesh *mesh)
{
    geom_point low, high;
    mesh_bounds(mesh, &low, &high);
    return fmax(1e-6, flat_part * point_distance(low, high));
}

static crp_status sum_areas(crp_context *context, const gas_model *gas, double **areas)
{
    *areas = calloc(gas->n_surfaces + (size_t)1, sizeof **areas);
    CRP_CHECK(context, *areas != NULL, CRP_ERR_MEMORY, "not enough memory for a report");
    for (uint32_t f = 0; f < gas->n_facets; f++) {
        (*areas)[gas->facets[f].surface] += gas_facet_frame(gas, f).area;
    }
    return CRP_OK;
}

crp_status gas_report(crp_context *context, const crp_model *model, bool is_json, void *file)
{
    const gas_model *gas = model->data;
    geom_mesh *mesh = NULL;
    double *areas = NULL;
    mesh_report *report = malloc(sizeof *report);
    crp_status status = CRP_OK;
    CRP_CHECK(context, report != NULL, CRP_ERR_MEMORY, "not enough memory for a report");
    CRP_GOTO(gas_polygons_of_model(context, gas, &mesh), done);
    CRP_GOTO(mesh_check(context, mesh, model_tolerance(mesh), report), done);
    CRP_GOTO(sum_areas(context, gas, &areas), done);
    if (is_json) {
        print_json(file, gas, report);
    } else {
        print_text(file, gas, report, areas);
    }
done:
    free(report);
    free(areas);
    mesh_destroy(&mesh);
    return status;
}
