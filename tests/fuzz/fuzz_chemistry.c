/* Fuzz target of the reader of Geant4-DNA's chemistry: whatever the bytes, it answers, and what it accepts is sound. */
#include "io/geant4_chem.h"
#include "require.h"

#include <stdlib.h>

static void check(const g4_chemistry *c)
{
    for (size_t i = 0; i < c->n_reactions; i++) {
        REQUIRE(c->reactions[i].n_reactants >= 1 && c->reactions[i].n_reactants <= 2);
        REQUIRE(c->reactions[i].n_products <= G4_MAX_SIDE && c->reactions[i].rate > 0.0);
        REQUIRE(c->reactions[i].type >= -1 && c->reactions[i].type <= 6);
    }
    for (size_t i = 0; i < c->n_species; i++) {
        REQUIRE(c->species[i].name[0] != '\0' && c->species[i].diffusion >= 0.0);
    }
    for (size_t i = 0; i < c->n_scavengers; i++) {
        REQUIRE(c->scavengers[i].concentration >= 0.0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    crp_context *context = NULL;
    g4_chemistry *chemistry = NULL;
    REQUIRE(crp_context_create(&context) == CRP_OK);
    (void)g4_chemistry_looks_like(data, size);
    crp_status status = g4_chemistry_parse(context, "fuzz", data, size, &chemistry);
    REQUIRE((status == CRP_OK) == (chemistry != NULL));
    if (status == CRP_OK) {
        check(chemistry);
    } else {
        REQUIRE(status == CRP_ERR_FORMAT || status == CRP_ERR_CONFIG || status == CRP_ERR_UNSUPPORTED);
    }
    g4_chemistry_destroy(&chemistry);
    crp_context_destroy(&context);
    return 0;
}
