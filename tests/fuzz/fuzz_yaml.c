/* Fuzzing of the YAML reader: any bytes give a model or an error, and a model that is written loads back the same. */
#include "model/light/light_yaml.h"
#include "require.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first line may hold a setting: "#set path=value". */
static size_t take_setting(const char *text, size_t size, char *setting, size_t room)
{
    const char *end = memchr(text, '\n', size);
    if (size < 5 || memcmp(text, "#set ", 5) != 0 || end == NULL || (size_t)(end - text) >= room) {
        return 0;
    }
    snprintf(setting, room, "%.*s", (int)(end - text - 5), text + 5);
    return 1;
}

static void check_round_trip(crp_context *context, const crp_model *model)
{
    crp_input *again = NULL;
    crp_status status = yaml_load(context, "again.yaml", model->normalised, strlen(model->normalised), NULL, &again);
    if (status != CRP_OK || strcmp(again->models[0]->digest, model->digest) != 0) {
        fprintf(stderr, "%s\nfrom:\n%s\n", crp_context_error(context), model->normalised);
        abort();
    }
    crp_input_destroy(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    crp_context *context = NULL;
    crp_input *input = NULL;
    char setting[256];
    const char *settings[] = {setting};
    crp_input_options options = crp_input_options_default();
    if (crp_context_create(&context) != CRP_OK) {
        return 0;
    }
    options.settings = settings;
    options.n_settings = take_setting((const char *)data, size, setting, sizeof setting);
    if (yaml_load(context, "fuzz.yaml", (const char *)data, size, &options, &input) == CRP_OK) {
        check_round_trip(context, input->models[0]);
    } else if (input != NULL || crp_context_error(context)[0] == '\0') {
        abort(); /* an error without message, or an input beside it */
    }
    crp_input_destroy(&input);
    crp_context_destroy(&context);
    return 0;
}
