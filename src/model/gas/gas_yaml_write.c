/* Gas models to YAML text. */
#include "core/context.h"
#include "core/number.h"
#include "core/team.h"
#include "model/gas/gas_schema.h"
#include "model/gas/gas_yaml.h"
#include "model/model_run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const speeds[] = {"maxwell", "mean"};
static const char *const optix_positions[] = {"plane", "facet", "ray"};
static const char *const desorptions[] = {"none", "uniform", "cosine", "cosine_n"};
static const char *const profiles[] = {"none", "u", "v", "angle", "speed", "normal_speed", "tangential_speed"};

static void write_real(FILE *file, const char *before, double value, const char *after)
{
    char text[NUMBER_TEXT];
    fprintf(file, "%s%s%s", before, number_print(text, value), after);
}

static const char *truth(bool value)
{
    return value ? "true" : "false";
}

/* Facets by surface, in rising order: `first` (n_surfaces + 1) and `list`; and the number of each facet in that order.
 */
typedef struct order {
    uint32_t *first, *list, *number;
} order;

static void order_free(order *o)
{
    free(o->first);
    free(o->list);
    free(o->number);
}

static crp_status order_facets(crp_context *context, const gas_model *m, order *o)
{
    o->first = calloc((size_t)m->n_surfaces + 2, sizeof *o->first);
    o->list = calloc((size_t)m->n_facets + 1, sizeof *o->list);
    o->number = calloc((size_t)m->n_facets + 1, sizeof *o->number);
    if (o->first == NULL || o->list == NULL || o->number == NULL) {
        order_free(o);
        return context_fail(context, CRP_ERR_MEMORY, "no memory to write %u facets", m->n_facets);
    }
    for (uint32_t i = 0; i < m->n_facets; i++) {
        o->first[m->facets[i].surface + 2]++;
    }
    for (uint32_t i = 0; i < m->n_surfaces; i++) {
        o->first[i + 2] += o->first[i + 1];
    }
    for (uint32_t i = 0; i < m->n_facets; i++) { /* first[s + 1] runs from the beginning of s to its end */
        uint32_t at = o->first[m->facets[i].surface + 1]++;
        o->list[at] = i;
        o->number[i] = at + 1;
    }
    return CRP_OK;
}

/* ----------------------------------------------------------------------------------------------- surfaces */

static void write_polygon(FILE *file, const gas_model *m, uint32_t facet)
{
    const gas_facet *f = &m->facets[facet];
    fputs("     ", file);
    for (uint32_t k = 0; k < f->n_loops; k++) {
        const gas_loop *loop = &m->loops[f->first_loop + k];
        fputs(k == 0 ? "" : " /", file);
        for (uint32_t i = 0; i < loop->n; i++) {
            fprintf(file, " %" PRIu32, m->corners[loop->first + i]);
        }
    }
    fputc('\n', file);
}

static void write_teleport(FILE *file, const gas_model *m, const gas_surface *s, const order *o)
{
    if (s->teleport == GAS_TELEPORT_BACK) {
        fputs("    teleport: back\n", file);
    } else if (s->teleport >= 0 && s->teleport < (int32_t)m->n_facets) {
        fprintf(file, "    teleport: %" PRIu32 "\n", o->number[s->teleport]);
    }
}

static void write_surface(FILE *file, const gas_model *m, uint32_t i, const order *o)
{
    const gas_surface *s = &m->surfaces[i];
    fputs("  - name: ", file);
    yaml_write_string(file, s->name);
    write_real(file, "\n    sticking: ", s->sticking, "\n");
    write_real(file, "    temperature: ", s->temperature, " K\n");
    write_real(file, "    outgassing: ", s->outgassing, " Pa m3/s\n");
    fprintf(file, "    desorption: %s\n", desorptions[s->desorption]);
    write_real(file, "    desorption_exponent: ", s->desorption_exponent, "\n");
    write_real(file, "    opacity: ", s->opacity, "\n");
    fprintf(file, "    two_sided: %s\n", truth(s->is_two_sided));
    write_real(file, "    accommodation: ", s->accommodation, "\n");
    write_real(file, "    reflection: {diffuse: ", s->diffuse, "");
    write_real(file, ", specular: ", s->specular, "");
    write_real(file, ", exponent: ", s->cosine_exponent, "");
    fprintf(file, ", maxwell: %s}\n", truth(s->is_maxwell));
    write_teleport(file, m, s, o);
    fprintf(file, "    structure: %" PRId32 "\n    link: %" PRId32 "\n", s->structure + 1, s->link + 1);
    write_real(file, "    texture: {cell: ", s->texture_cell, " m");
    write_real(file, ", u: ", s->texture_u, "");
    write_real(file, ", v: ", s->texture_v, "}\n");
    fprintf(file, "    profile: %s\n    polygons: |\n", profiles[s->profile]);
    for (uint32_t k = o->first[i]; k < o->first[i + 1]; k++) {
        write_polygon(file, m, o->list[k]);
    }
}

/* ------------------------------------------------------------------------------------------------- groups */

static int compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static crp_status write_group(crp_context *context, FILE *file, const gas_group *group, const order *o)
{
    uint32_t *numbers = malloc(((size_t)group->n_facets + 1) * sizeof *numbers);
    CRP_CHECK(context, numbers != NULL, CRP_ERR_MEMORY, "no memory to write a group");
    for (uint32_t i = 0; i < group->n_facets; i++) {
        numbers[i] = o->number[group->facets[i]];
    }
    qsort(numbers, group->n_facets, sizeof *numbers, compare_numbers);
    fputs("  - name: ", file);
    yaml_write_string(file, group->name);
    fputs("\n    facets: |\n     ", file);
    for (uint32_t i = 0; i < group->n_facets;) {
        uint32_t k = i;
        while (k + 1 < group->n_facets && numbers[k + 1] == numbers[k] + 1) {
            k++;
        }
        fprintf(file, k > i ? " %" PRIu32 "-%" PRIu32 : " %" PRIu32, numbers[i], numbers[k]);
        i = k + 1;
        fputs(i % 64 == 0 && i < group->n_facets ? "\n     " : "", file);
    }
    fputc('\n', file);
    free(numbers);
    return CRP_OK;
}

static crp_status write_names(crp_context *context, FILE *file, const gas_model *m, const order *o)
{
    if (m->n_groups > 0) {
        fputs("groups:\n", file);
    }
    for (uint32_t i = 0; i < m->n_groups; i++) {
        CRP_TRY(write_group(context, file, &m->groups[i], o));
    }
    if (m->n_formulas > 0) {
        fputs("formulas:\n", file);
    }
    for (uint32_t i = 0; i < m->n_formulas; i++) {
        fputs("  - name: ", file);
        yaml_write_string(file, m->formulas[i].name);
        fputs("\n    text: ", file);
        yaml_write_string(file, m->formulas[i].text);
        fputc('\n', file);
    }
    return CRP_OK;
}

/* ------------------------------------------------------------------------------------------------ physics */

enum { VERTICES_AT_ONCE = 4096, VERTEX_TEXT = 3 * NUMBER_TEXT + 8 };

/* Lines of n vertices; returns their length. */
static size_t print_vertices(char *text, const double *vertices, size_t n)
{
    char number[NUMBER_TEXT];
    char *at = text;
    for (size_t i = 0; i < 3 * n; i++) {
        at = stpcpy(at, i % 3 == 0 ? "    " : " ");
        at = stpcpy(at, number_print(number, vertices[i]));
        at = stpcpy(at, i % 3 == 2 ? "\n" : "");
    }
    return (size_t)(at - text);
}

/* Digits that read back as the same number are dear, and models have a million: several threads write them, in order.
 */
static crp_status write_vertices(crp_context *context, FILE *file, const gas_model *m)
{
    size_t n = m->n_vertices;
    bool is_short = false;
    fputs("geometry:\n  unit: 1 m\n  vertices: |\n", file);
#pragma omp parallel for ordered schedule(static, 1) num_threads(team_of(64 * n)) reduction(|| : is_short)
    for (size_t first = 0; first < n; first += VERTICES_AT_ONCE) {
        size_t count = n - first < VERTICES_AT_ONCE ? n - first : VERTICES_AT_ONCE;
        char *text = malloc(count * VERTEX_TEXT);
        size_t length = text == NULL ? 0 : print_vertices(text, m->vertices + 3 * first, count);
        is_short = is_short || text == NULL;
#pragma omp ordered
        fwrite(text == NULL ? "" : text, 1, length, file);
        free(text);
    }
    CRP_CHECK(context, !is_short, CRP_ERR_MEMORY, "no memory to write %zu vertices", n);
    return CRP_OK;
}

/* Only what differs from the defaults: a model says nothing of devices unless it must. */
static void write_optix(FILE *file, const gas_optix *o)
{
    if (o->threads + o->copies + o->batch + o->depth + o->mesh + o->positions + o->registers > 0 || !o->programs || !o->culling || !o->offset || !o->second_look) {
        fprintf(file, "optix: {threads: %" PRIu32 ", copies: %" PRIu32 ", batch: %" PRIu32 ", depth: %" PRIu32, o->threads, o->copies,
                o->batch, o->depth);
        fprintf(file, ", mesh: %s, positions: %s, registers: %" PRIu32 ", programs: %s, culling: %s, offset: %s, second_look: %s}\n",
                o->mesh == 0 ? "triangles" : "polygons", optix_positions[o->positions], o->registers, truth(o->programs), truth(o->culling),
                truth(o->offset), truth(o->second_look));
    }
}

static crp_status write_physics(crp_context *context, FILE *file, const gas_model *m)
{
    order o;
    write_real(file, "gas:\n  mass: ", m->mass, " kg/mol\n");
    fprintf(file, "  speed: %s\n  max_bounces: %" PRIu32 "\n", speeds[m->speed], m->max_bounces);
    fprintf(file, "scores:\n  forces: %s\n  textures: %s\n  profiles: %s\n", truth(m->score_forces),
            truth(m->score_textures), truth(m->score_profiles));
    write_optix(file, &m->optix);
    CRP_TRY(order_facets(context, m, &o));
    fputs("facets:\n", file);
    for (uint32_t i = 0; i < m->n_surfaces; i++) {
        write_surface(file, m, i, &o);
    }
    crp_status status = write_names(context, file, m, &o);
    order_free(&o);
    return status == CRP_OK ? write_vertices(context, file, m) : status;
}

static crp_status check_written(crp_context *context, FILE *file)
{
    CRP_CHECK(context, !ferror(file), CRP_ERR_IO, "the YAML text cannot be written (the file or disk refuses it)");
    return CRP_OK;
}

/* What the file that the model came from asked for and was left out stays with it, and with its results. */
static void write_head(FILE *file, const gas_model *gas)
{
    fprintf(file, "version: %d\nkind: gas\n", GAS_YAML_VERSION);
    for (uint32_t i = 0; i < gas->n_features; i++) {
        if (gas->features[i].is_ignored) {
            fprintf(file, "# left out: %s (%s)\n", gas->features[i].name, gas->features[i].where);
        }
    }
}

crp_status gas_write_yaml(crp_context *context, const crp_model *model, void *file)
{
    write_head(file, model->data);
    CRP_TRY(write_physics(context, file, model->data));
    return check_written(context, file);
}

crp_status gas_write_yaml_full(crp_context *context, const crp_model *model, void *file)
{
    const gas_model *gas = model->data;
    write_head(file, gas);
    if (model->name[0] != '\0') {
        fputs("name: ", file);
        yaml_write_string(file, model->name);
        fputs("\n", file);
    }
    model_write_run(file, model, "histories");
    CRP_TRY(write_physics(context, file, gas));
    if (gas->vtkhdf_path[0] != '\0') {
        fputs("output:\n  vtkhdf: ", file);
        yaml_write_string(file, gas->vtkhdf_path);
        fputs("\n", file);
    }
    return check_written(context, file);
}
