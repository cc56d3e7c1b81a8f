/** Writer of MCML input files (.mci). Format: docs/formats/mci.md. */
#include "io/mci_write.h"

#include "core/context.h"
#include "core/number.h"
#include "model/light/light.h"

#include <inttypes.h>
#include <string.h>

static crp_status check_fits(crp_context *context, const crp_model *model)
{
    CRP_CHECK(context, model->module == &module_light, CRP_ERR_UNSUPPORTED,
              "%s: a .mci file cannot hold a model of kind %s (write YAML)", model->name, model->module->name);
    const light_model *light = model->data;
    CRP_CHECK(context, model->histories != 0, CRP_ERR_UNSUPPORTED,
              "%s: a .mci file needs a number of photons (give -n)", model->name);
    CRP_CHECK(context, light->weight_threshold == 1e-4 && light->roulette_chance == 0.1, CRP_ERR_UNSUPPORTED,
              "%s: a .mci file cannot set the roulette (MCML's is threshold 1e-4, chance 0.1; write YAML)",
              model->name);
    for (const char *c = light->mco_path; *c != '\0'; c++) {
        CRP_CHECK(context, *c > ' ', CRP_ERR_UNSUPPORTED,
                  "%s: the name of an output in a .mci file cannot hold blanks (\"%s\"; use --set output.mco=NAME)",
                  model->name, light->mco_path);
    }
    return CRP_OK;
}

static void write_numbers(FILE *file, const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char text[NUMBER_TEXT];
        fprintf(file, "%s%s", i == 0 ? "" : "\t", number_print(text, values[i]));
    }
}

/* A name without what would end a word in MCML's reader. */
static void write_output_name(FILE *file, const crp_model *model, size_t i)
{
    const light_model *light = model->data;
    if (light->mco_path[0] != '\0') {
        fputs(light->mco_path, file);
        return;
    }
    for (const char *c = model->name; *c != '\0'; c++) {
        fputc(*c > ' ' && *c < 127 && *c != '/' ? *c : '_', file);
    }
    if (i > 0) {
        fprintf(file, "-%zu", i + 1);
    }
    fputs(".mco", file);
}

/* MCML reads lines in pieces of 254 characters and stops at bytes above 127: names go into short ASCII comments. */
static void write_comment(FILE *file, const char *name)
{
    if (name[0] != '\0') {
        fputs("\t# ", file);
        for (const char *c = name; *c != '\0'; c++) {
            fputc(*c >= ' ' && *c < 127 ? *c : '?', file);
        }
    }
    fputc('\n', file);
}

static void write_model(FILE *file, const crp_model *model, size_t i)
{
    const light_model *light = model->data;
    fprintf(file, "\n#### run %zu", i + 1);
    write_comment(file, model->name);
    write_output_name(file, model, i);
    fprintf(file, "\t%c\t# output, ASCII\n", light->mco_format == 'B' ? 'B' : 'A');
    fprintf(file, "%" PRIu64 "\t# photons\n", model->histories);
    write_numbers(file, (const double[]){light->dz, light->dr}, 2);
    fputs("\t# dz, dr [cm]\n", file);
    fprintf(file, "%" PRIu32 "\t%" PRIu32 "\t%" PRIu32 "\t# nz, nr, na\n", light->nz, light->nr, light->na);
    fprintf(file, "%" PRIu32 "\t# layers\n#n\tmua\tmus\tg\td\n", light->n_layers);
    write_numbers(file, &light->n_above, 1);
    fputs("\t# n above\n", file);
    for (uint32_t k = 0; k < light->n_layers; k++) {
        const light_layer *layer = &light->layers[k];
        write_numbers(file, (const double[]){layer->n, layer->mu_a, layer->mu_s, layer->g, layer->d}, 5);
        write_comment(file, layer->name);
    }
    write_numbers(file, &light->n_below, 1);
    fputs("\t# n below\n", file);
}

crp_status mci_write(crp_context *context, const crp_model *const *models, size_t n_models, FILE *file)
{
    for (size_t i = 0; i < n_models; i++) {
        CRP_TRY(check_fits(context, models[i]));
    }
    fprintf(file, "1.0\t# MCML input\n%zu\t# runs\n", n_models);
    for (size_t i = 0; i < n_models; i++) {
        write_model(file, models[i], i);
    }
    CRP_CHECK(context, !ferror(file), CRP_ERR_IO, "the .mci text cannot be written (the file or disk refuses it)");
    return CRP_OK;
}
