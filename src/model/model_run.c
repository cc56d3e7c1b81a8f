/* The section `run` of a model in YAML, and its name: see model_run.h. */
#include "model/model_run.h"

#include "core/context.h"
#include "core/yaml_tree.h"
#include "engine/trigger.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void model_name_from_path(crp_model *model, const char *path)
{
    if (model->name[0] != '\0') {
        return;
    }
    const char *slash = strrchr(path, '/'), *base = slash == NULL ? path : slash + 1, *dot = strrchr(base, '.');
    int length = (int)(dot == NULL || dot == base ? strlen(base) : (size_t)(dot - base));
    snprintf(model->name, sizeof model->name, "%.*s", length, base);
}

crp_status model_check_until(crp_context *context, const char *where, const char *text)
{
    trigger parsed;
    char problem[512];
    if (text[0] == '\0' || trigger_parse(context, text, &parsed) == CRP_OK) {
        return CRP_OK;
    }
    snprintf(problem, sizeof problem, "%s", crp_context_error(context));
    return context_fail(context, CRP_ERR_CONFIG, "%s: %s", where, problem);
}

void model_write_run(void *file, const crp_model *model, const char *histories)
{
    if (model->histories == 0 && model->batches == 0 && model->seed == 0 && model->until[0] == '\0') {
        return;
    }
    fputs("run:\n", file);
    if (model->histories != 0) {
        fprintf(file, "  %s: %" PRIu64 "\n", histories, model->histories);
    }
    if (model->batches != 0) {
        fprintf(file, "  batches: %" PRIu32 "\n", model->batches);
    }
    if (model->seed != 0) {
        fprintf(file, "  seed: %" PRIu64 "\n", model->seed);
    }
    if (model->until[0] != '\0') {
        fputs("  until: ", file);
        yaml_write_string(file, model->until);
        fputs("\n", file);
    }
}
