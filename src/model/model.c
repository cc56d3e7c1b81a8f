/* A model and the list of them that an input file gives: making, naming, digests, accessors. */
#include "model/model.h"

#include "core/context.h"
#include "core/sha256.h"
#include "core/text.h"

#include <stdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Owns `data` from the call on, even when it fails, so that callers have one path. */
crp_status model_create(crp_context *context, const crp_module *module, const char *source_path, void *data,
                        crp_model **model)
{
    *model = calloc(1, sizeof **model);
    if (*model == NULL) {
        module->data_destroy(data);
        return context_fail(context, CRP_ERR_MEMORY, "no memory for a model (%zu bytes)", sizeof **model);
    }
    (*model)->module = module;
    (*model)->data = data;
    snprintf((*model)->source_path, sizeof (*model)->source_path, "%s", source_path == NULL ? "" : source_path);
    return CRP_OK;
}

crp_status model_finish(crp_context *context, crp_model *model)
{
    free(model->normalised);
    model->normalised = NULL;
    text_buffer text;
    CRP_TRY(text_open(context, &text));
    CRP_TRY(text_close(context, &text, model->module->write_yaml(context, model, text.file)));
    model->normalised = text.bytes;
    sha256_of(text.bytes, text.n_bytes, model->digest);
    return CRP_OK;
}

void model_destroy(crp_model **model)
{
    if (model == NULL || *model == NULL) {
        return;
    }
    if ((*model)->data != NULL) {
        (*model)->module->data_destroy((*model)->data);
    }
    free((*model)->normalised);
    free((*model)->files);
    free(*model);
    *model = NULL;
}

uint64_t model_histories_of_copy(const crp_model *model)
{
    return model->module->copy == NULL ? 1 : model->module->copy(model);
}

/* The input owns the model when this succeeds; else the caller still does. */
crp_status input_append(crp_context *context, crp_input **input, crp_model *model)
{
    if (*input == NULL) {
        *input = calloc(1, sizeof **input);
        CRP_CHECK(context, *input != NULL, CRP_ERR_MEMORY, "no memory for the list of models");
    }
    size_t n = (*input)->n_models;
    if ((n & (n - 1)) == 0) { /* 0 or a power of two: full */
        size_t room = n == 0 ? 1 : 2 * n;
        crp_model **models = realloc((*input)->models, room * sizeof(crp_model *));
        CRP_CHECK(context, models != NULL, CRP_ERR_MEMORY, "no memory for a list of %zu models", room);
        (*input)->models = models;
    }
    (*input)->models[n] = model;
    (*input)->n_models = n + 1;
    return CRP_OK;
}

void crp_input_destroy(crp_input **input)
{
    if (input == NULL || *input == NULL) {
        return;
    }
    for (size_t i = 0; i < (*input)->n_models; i++) {
        model_destroy(&(*input)->models[i]);
    }
    free((*input)->models);
    free(*input);
    *input = NULL;
}

crp_input_options crp_input_options_default(void)
{
    const double from_file = (double)NAN;
    crp_input_options options = {
        .size = sizeof options, .vertex_tolerance = from_file, .plane_tolerance = from_file};
    return options;
}

size_t crp_input_n_models(const crp_input *input)
{
    return input == NULL ? 0 : input->n_models;
}

const crp_model *crp_input_model(const crp_input *input, size_t i)
{
    return input == NULL || i >= input->n_models ? NULL : input->models[i];
}

const char *crp_model_kind(const crp_model *model)
{
    return model->module->name;
}

const char *crp_model_name(const crp_model *model)
{
    return model->name;
}

const char *crp_model_digest(const crp_model *model)
{
    return model->digest;
}

uint64_t crp_model_histories(const crp_model *model)
{
    return model->histories;
}
