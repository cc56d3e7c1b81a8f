/** Light models from YAML trees, and back to YAML text. */
#include "model/light/light_yaml.h"

#include "core/number.h"
#include "model/light/light_schema.h"
#include "model/light/light_settings.h"
#include "model/model_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* -------------------------------------------------------------------------------------------------- read */

static crp_status fill(crp_context *context, const char *path, const yaml_node *root, const crp_input_options *options,
                       crp_model *model)
{
    light_model *light = model->data;
    void *objects[] = {[LIGHT_OBJECT_LIGHT] = light, [LIGHT_OBJECT_MODEL] = model};
    CRP_TRY(schema_load(context, path, root, &light_schema, objects));
    model_name_from_path(model, path);
    for (size_t i = 0; options != NULL && i < options->n_settings; i++) {
        CRP_TRY(light_apply_setting(context, light, model, options->settings[i]));
    }
    CRP_TRY(light_model_validate(context, path, light));
    return model_finish(context, model);
}

crp_status light_yaml_load(crp_context *context, const char *path, const yaml_node *root,
                           const crp_input_options *options, crp_input **input)
{
    crp_model *model = NULL;
    light_model *light = light_model_create(1);
    CRP_CHECK(context, light != NULL, CRP_ERR_MEMORY, "%s: not enough memory for the model", path);
    crp_status status = model_create(context, &module_light, path, light, &model);
    if (status != CRP_OK) {
        return status;
    }
    CRP_GOTO(fill(context, path, root, options, model), failed);
    CRP_GOTO(input_append(context, input, model), failed);
    return CRP_OK;
failed:
    model_destroy(&model);
    return status;
}

/* ------------------------------------------------------------------------------------------------- write */

static void write_real(FILE *file, const char *before, double value, const char *after)
{
    char text[NUMBER_TEXT];
    fprintf(file, "%s%s%s", before, number_print(text, value), after);
}

static void write_layer(FILE *file, const light_layer *layer)
{
    fputs("  - {", file);
    if (layer->name[0] != '\0') {
        fputs("name: ", file);
        yaml_write_string(file, layer->name);
        fputs(", ", file);
    }
    write_real(file, "n: ", layer->n, "");
    write_real(file, ", mu_a: ", layer->mu_a, " /cm");
    write_real(file, ", mu_s: ", layer->mu_s, " /cm");
    write_real(file, ", g: ", layer->g, "");
    if (layer->d == LIGHT_INFINITE) {
        fputs(", thickness: infinite}\n", file);
    } else {
        write_real(file, ", thickness: ", layer->d, " cm}\n");
    }
}

static void write_physics(FILE *file, const light_model *light)
{
    write_real(file, "ambient: {n_above: ", light->n_above, "");
    write_real(file, ", n_below: ", light->n_below, "}\n");
    fputs("layers:\n", file);
    for (uint32_t i = 0; i < light->n_layers; i++) {
        write_layer(file, &light->layers[i]);
    }
    write_real(file, "grid: {dz: ", light->dz, " cm");
    write_real(file, ", dr: ", light->dr, " cm");
    fprintf(file, ", nz: %" PRIu32 ", nr: %" PRIu32 ", na: %" PRIu32 "}\n", light->nz, light->nr, light->na);
    write_real(file, "roulette: {threshold: ", light->weight_threshold, "");
    write_real(file, ", chance: ", light->roulette_chance, "}\n");
    fprintf(file, "scores: {fluence: %s}\n", light->score_fluence ? "true" : "false");
}

static void write_output(FILE *file, const light_model *light)
{
    fputs("output: {mco: ", file);
    yaml_write_string(file, light->mco_path);
    fprintf(file, ", format: %c, mci_version: ", light->mco_format == 'B' ? 'B' : 'A');
    yaml_write_string(file, light->mci_version);
    fputs("}\n", file);
}

static void write_head(FILE *file)
{
    fprintf(file, "version: %d\nkind: light\n", LIGHT_YAML_VERSION);
}

static crp_status check_written(crp_context *context, FILE *file)
{
    CRP_CHECK(context, !ferror(file), CRP_ERR_IO, "the YAML text cannot be written (the file or disk refuses it)");
    return CRP_OK;
}

crp_status light_write_yaml(crp_context *context, const crp_model *model, void *file)
{
    write_head(file);
    write_physics(file, model->data);
    return check_written(context, file);
}

crp_status light_write_yaml_full(crp_context *context, const crp_model *model, void *file)
{
    write_head(file);
    if (model->name[0] != '\0') {
        fputs("name: ", file);
        yaml_write_string(file, model->name);
        fputs("\n", file);
    }
    model_write_run(file, model, "histories");
    write_physics(file, model->data);
    write_output(file, model->data);
    return check_written(context, file);
}
