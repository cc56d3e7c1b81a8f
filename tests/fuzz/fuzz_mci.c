/* Fuzz target of the .mci reader: whatever the bytes, it answers, and what it accepts is a valid model. */
#include "core/context.h"
#include "model/light/light.h"
#include "require.h"

#include <stdlib.h>
#include <string.h>

static void check_model(crp_context *context, const crp_model *model)
{
    const light_model *light = model->data;
    REQUIRE(light_model_validate(context, "fuzz", light) == CRP_OK);
    REQUIRE(crp_model_histories(model) >= 1 && crp_model_histories(model) <= INT64_MAX);
    REQUIRE(light->mco_path[0] != '\0' && strpbrk(light->mco_path, " \t\r\n") == NULL);
    REQUIRE(light->mci_version[0] != '\0');
    REQUIRE(strlen(crp_model_digest(model)) == 64);
}

static void check_log(void *user, crp_log_level level, const char *component, const char *line)
{
    (void)user;
    (void)level;
    (void)component;
    for (; *line != '\0'; line++) {
        REQUIRE((unsigned char)*line >= 0x20 && (unsigned char)*line < 0x7f);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    crp_context *context = NULL;
    crp_input *input = NULL;
    REQUIRE(crp_context_create(&context) == CRP_OK);
    crp_context_set_log(context, check_log, NULL);
    crp_status status = mci_load(context, "fuzz", (const char *)data, size, NULL, &input);
    if (status == CRP_OK) {
        REQUIRE(crp_input_n_models(input) >= 1);
        for (size_t i = 0; i < crp_input_n_models(input); i++) {
            check_model(context, crp_input_model(input, i));
        }
    } else {
        REQUIRE(status == CRP_ERR_FORMAT || status == CRP_ERR_CONFIG || status == CRP_ERR_UNSUPPORTED);
        REQUIRE(input == NULL);
        REQUIRE(strncmp(crp_context_error(context), "fuzz:", 5) == 0);
        check_log(NULL, CRP_LOG_ERROR, "", crp_context_error(context));
    }
    crp_input_destroy(&input);
    crp_context_destroy(&context);
    return 0;
}
