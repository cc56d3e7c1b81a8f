/** Gas models from files of other programs: see gas_load.h. */
#include "io/gas_load.h"

#include "core/context.h"
#include "io/molflow.h"
#include "io/stl.h"
#include "model/gas/gas_polygons.h"
#include "model/gas/gas_settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Facets of a smooth wall meet at less than this [rad]: 30 degrees, a cylinder of 12 sides. */
static const double smooth_angle = 0.5235987755982988;

/* ------------------------------------------------------------------------------------------------------- into an input
 */

/** "models/part.stl" is called "part". */
static void name_model(crp_model *model, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash == NULL ? path : slash + 1, *dot = strrchr(base, '.');
    size_t n = dot == NULL || dot == base ? strlen(base) : (size_t)(dot - base);
    n = n < sizeof model->name ? n : sizeof model->name - 1;
    memcpy(model->name, base, n);
    model->name[n] = '\0';
}

/** Validate, set, validate, append. The model data pass into the ownership of this function. `where`: for messages, the
 * path and what is inside it. */
static crp_status finish(crp_context *context, const char *path, const char *where, gas_model *gas,
                         const crp_input_options *options, crp_input **input)
{
    crp_model *model = NULL;
    crp_status status = gas_model_validate(context, where, gas);
    if (status == CRP_OK) {
        status = gas_model_check_features(context, where, gas, options->ignored, options->n_ignored);
    }
    if (status != CRP_OK) {
        gas_model_destroy(gas);
        return status;
    }
    CRP_TRY(model_create(context, &module_gas, path, gas, &model));
    name_model(model, path);
    for (size_t i = 0; i < options->n_settings; i++) {
        CRP_GOTO(gas_apply_setting(context, gas, model, options->settings[i]), fail);
    }
    if (options->n_settings > 0) {
        CRP_GOTO(gas_model_validate(context, where, gas), fail);
    }
    CRP_GOTO(model_finish(context, model), fail);
    return input_append(context, input, model);
fail:
    model_destroy(&model);
    return status;
}

static crp_status new_model(crp_context *context, const char *path, gas_model **gas)
{
    *gas = gas_model_create();
    CRP_CHECK(context, *gas != NULL, CRP_ERR_MEMORY, "%s: not enough memory for a model", path);
    return CRP_OK;
}

/* ------------------------------------------------------------------------------------------------------------------
 * STL */

/** Length of one unit of the file [cm]. */
static crp_status find_scale(crp_context *context, const char *path, const char *unit, double *scale)
{
    static const struct {
        const char *name;
        double cm;
    } units[] = {{"mm", 0.1}, {"cm", 1}, {"m", 100}, {"in", 2.54}, {"ft", 30.48}};
    if (unit == NULL) {
        context_log(context, CRP_LOG_WARNING, "stl", "%s: STL files have no unit: taken as mm (say which with --unit)",
                    path);
        unit = "mm";
    }
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(units[i].name, unit) == 0) {
            *scale = units[i].cm;
            return CRP_OK;
        }
    }
    return context_fail(context, CRP_ERR_ARG, "unit `%.20s` is not known: choose mm, cm, m, in or ft", unit);
}

crp_status stl_prepare(crp_context *context, const char *path, const char *bytes, size_t n_bytes,
                       const crp_input_options *options, geom_mesh **mesh)
{
    double scale = 0;
    mesh_weld_report welded;
    crp_status status;
    *mesh = NULL;
    CRP_TRY(find_scale(context, path, options->unit, &scale));
    CRP_TRY(stl_read(context, path, bytes, n_bytes, scale, mesh));
    double usual = mesh_default_tolerance(*mesh);
    double plane = isnan(options->plane_tolerance) ? usual : options->plane_tolerance;
    CRP_GOTO(mesh_weld(context, *mesh, isnan(options->vertex_tolerance) ? 1e-6 : options->vertex_tolerance, &welded),
             fail);
    if (welded.n_degenerate > 0) {
        context_log(context, CRP_LOG_WARNING, "stl",
                    "%s: %u triangles without area are left out (the first is triangle %u)", path, welded.n_degenerate,
                    welded.degenerate + 1);
    }
    if ((*mesh)->n_facets == 0) {
        status = context_fail(context, CRP_ERR_GEOMETRY, "%s: has no triangle with an area (is the unit right?)", path);
        goto fail;
    }
    if (options->is_flipped) {
        mesh_flip(*mesh);
    }
    if (plane > 0) {
        CRP_GOTO(mesh_merge_coplanar(context, *mesh, plane), fail);
    }
    return CRP_OK;
fail:
    mesh_destroy(mesh);
    return status;
}

crp_status stl_load(crp_context *context, const char *path, const char *bytes, size_t n_bytes,
                    const crp_input_options *options, crp_input **input)
{
    geom_mesh *mesh = NULL;
    gas_model *gas = NULL;
    CRP_TRY(stl_prepare(context, path, bytes, n_bytes, options, &mesh));
    crp_status status = new_model(context, path, &gas);
    if (status == CRP_OK) {
        status = gas_model_of_polygons(context, mesh, smooth_angle, gas);
    }
    mesh_destroy(&mesh);
    if (status != CRP_OK) {
        gas_model_destroy(gas);
        return status;
    }
    snprintf(gas->origin_format, sizeof gas->origin_format, "stl");
    return finish(context, path, path, gas, options, input);
}

/* --------------------------------------------------------------------------------------------------------------
 * Molflow */

static crp_status load_xml(crp_context *context, const char *path, const char *where, const char *text, size_t n_bytes,
                           const crp_input_options *options, crp_input **input)
{
    gas_model *gas = NULL;
    CRP_TRY(new_model(context, path, &gas));
    crp_status status = molflow_read_xml(context, where, text, n_bytes, gas);
    if (status != CRP_OK) {
        gas_model_destroy(gas);
        return status;
    }
    snprintf(gas->origin_format, sizeof gas->origin_format, "molflow");
    return finish(context, path, where, gas, options, input);
}

crp_status molflow_load(crp_context *context, const char *path, const char *text, size_t n_bytes,
                        const crp_input_options *options, crp_input **input)
{
    return load_xml(context, path, path, text, n_bytes, options, input);
}

crp_status molflow_zip_load(crp_context *context, const char *path, const char *bytes, size_t n_bytes,
                            const crp_input_options *options, crp_input **input)
{
    char *text = NULL, name[256], where[1400];
    size_t n_text = 0;
    CRP_TRY(zip_unpack_xml(context, path, bytes, n_bytes, &text, &n_text, name));
    snprintf(where, sizeof where, "%s(%s)", path, name);
    for (char *c = where; *c != '\0'; c++) {
        *c = (unsigned char)*c >= 0x20 ? *c : '?';
    }
    crp_status status = load_xml(context, path, where, text, n_text, options, input);
    free(text);
    return status;
}
