/* Teleports, structures and links: as people write them, and as kernels need them. */
#include "core/context.h"
#include "model/gas/gas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static crp_status resolve_teleport(crp_context *context, const char *where, const gas_model *model, uint32_t i,
                                   uint32_t *facets)
{
    gas_surface *s = &model->surfaces[i];
    s->teleport = GAS_NONE;
    if (s->teleport_name[0] == '\0') {
        return CRP_OK;
    }
    if (strcmp(s->teleport_name, "back") == 0) {
        s->teleport = GAS_TELEPORT_BACK;
        return CRP_OK;
    }
    uint32_t n = gas_model_find_facets(model, s->teleport_name, facets);
    CRP_CHECK(context, n == 1, CRP_ERR_CONFIG,
              "%s: facets[%u]: teleport = %.63s must name one facet (%u have that name): give "
              "its number, or \"back\"",
              where, i + 1, s->teleport_name, n);
    s->teleport = (int32_t)facets[0];
    return CRP_OK;
}

static crp_status add_structures(crp_context *context, gas_model *model, uint32_t n)
{
    if (n > model->n_structures) {
        void *larger = realloc(model->structure_names, n * sizeof *model->structure_names);
        CRP_CHECK(context, larger != NULL, CRP_ERR_MEMORY, "no memory for %u structures", n);
        model->structure_names = larger;
        memset(model->structure_names[model->n_structures], 0,
               (n - model->n_structures) * sizeof *model->structure_names);
        model->n_structures = n;
    }
    return CRP_OK;
}

crp_status gas_surfaces_resolve(crp_context *context, const char *where, gas_model *model)
{
    uint32_t *facets = malloc(((size_t)model->n_facets + 1) * sizeof *facets), most = 1;
    CRP_CHECK(context, facets != NULL, CRP_ERR_MEMORY, "no memory for %u facets", model->n_facets);
    crp_status status = CRP_OK;
    for (uint32_t i = 0; i < model->n_surfaces && status == CRP_OK; i++) {
        gas_surface *s = &model->surfaces[i];
        status = resolve_teleport(context, where, model, i, facets);
        s->structure = (int32_t)s->structure_number - 1;
        s->link = (int32_t)s->link_number - 1;
        most = s->structure_number > most ? s->structure_number : most;
        most = s->link_number > most ? s->link_number : most;
    }
    free(facets);
    return status == CRP_OK ? add_structures(context, model, most) : status;
}

void gas_surfaces_describe(gas_model *model)
{
    for (uint32_t i = 0; i < model->n_surfaces; i++) {
        gas_surface *s = &model->surfaces[i];
        s->structure_number = (uint32_t)(s->structure + 1);
        s->link_number = (uint32_t)(s->link + 1);
        s->teleport_name[0] = '\0';
        if (s->teleport == GAS_TELEPORT_BACK) {
            snprintf(s->teleport_name, sizeof s->teleport_name, "back");
        } else if (s->teleport >= 0 && s->teleport < (int32_t)model->n_facets) {
            snprintf(s->teleport_name, sizeof s->teleport_name, "%u", model->facets[s->teleport].number);
        }
    }
}
