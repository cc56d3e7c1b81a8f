/* Fuzz target of the reader of Molflow XML and of its formulas: whatever the bytes, it answers, and what it accepts can
 * be validated. */
#include "core/context.h"
#include "io/molflow.h"
#include "io/molflow_write.h"
#include "model/gas/gas_formula.h"
#include "require.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double one(void *user, gas_quantity quantity, uint32_t facet)
{
    (void)user;
    (void)quantity;
    (void)facet;
    return 1;
}

static void check_formulas(crp_context *context, const gas_model *gas)
{
    for (uint32_t i = 0; i < gas->n_formulas; i++) {
        gas_expression *expression = NULL;
        crp_status status =
            gas_expression_create(context, gas, gas->formulas[i].name, gas->formulas[i].text, &expression);
        REQUIRE(status == CRP_OK || status == CRP_ERR_CONFIG);
        if (status == CRP_OK) {
            gas_expression_value(expression, one, NULL);
        }
        gas_expression_destroy(&expression);
    }
}

/* What can be read can be edited, and is then read as the same model. */
static void check_edit(crp_context *context, const uint8_t *data, size_t size, const gas_model *gas)
{
    char *text = malloc(size + 1), *out = NULL;
    size_t n_out = 0;
    REQUIRE(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    FILE *file = open_memstream(&out, &n_out);
    crp_status status = molflow_edit(context, "fuzz", text, size, gas, NULL, file);
    fclose(file);
    REQUIRE(status == CRP_OK || status == CRP_ERR_FORMAT || status == CRP_ERR_CONFIG);
    if (status == CRP_OK) {
        gas_model *again = gas_model_create();
        REQUIRE(molflow_read_xml(context, "again", out, n_out, again) == CRP_OK);
        REQUIRE(again->n_facets == gas->n_facets && again->n_corners == gas->n_corners);
        gas_model_destroy(again);
    }
    free(out);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    crp_context *context = NULL;
    gas_model *gas = gas_model_create();
    REQUIRE(gas != NULL && crp_context_create(&context) == CRP_OK);
    crp_status status = molflow_read_xml(context, "fuzz", (const char *)data, size, gas);
    if (status == CRP_OK) {
        REQUIRE(gas->n_facets >= 1 && gas->n_surfaces == gas->n_facets);
        for (uint32_t c = 0; c < gas->n_corners; c++) {
            REQUIRE(gas->corners[c] < gas->n_vertices);
        }
        for (uint32_t g = 0; g < gas->n_groups; g++) {
            for (uint32_t k = 0; k < gas->groups[g].n_facets; k++) {
                REQUIRE(gas->groups[g].facets[k] < gas->n_facets);
            }
        }
        check_formulas(context, gas);
        if (gas_model_validate(context, "fuzz", gas) == CRP_OK) {
            check_edit(context, data, size, gas);
        }
    } else {
        REQUIRE(status == CRP_ERR_FORMAT || status == CRP_ERR_UNSUPPORTED);
        REQUIRE(strncmp(crp_context_error(context), "fuzz:", 5) == 0);
        for (const char *c = crp_context_error(context); *c != '\0'; c++) {
            REQUIRE((unsigned char)*c >= 0x20 && (unsigned char)*c < 0x7f);
        }
    }
    gas_model_destroy(gas);
    crp_context_destroy(&context);
    return 0;
}
