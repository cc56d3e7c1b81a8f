/* Built-in sources: tracks drawn from a seed, for teaching and tests. */
#include "model/chem/chem.h"

#include "core/context.h"

crp_status chem_source_build(crp_context *context, const char *path, chem_model *model)
{
    (void)model;
    return context_fail(context, CRP_ERR_UNSUPPORTED, "%s: this version has no built-in sources: name a file", path);
}
