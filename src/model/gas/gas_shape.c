/* Which build of the kernel a device gets, and how it is launched. */
#include "core/context.h"
#include "model/gas/gas_plan.h"

#include <stdio.h>
#include <string.h>

crp_status gas_shape(crp_context *context, const crp_model *model, const crp_plan *plan, const device_info *info,
                     crp_math math, plan_shape *shape)
{
    (void)model;
    (void)plan;
    memset(shape, 0, sizeof *shape);
    shape->source.file = "entry/gas_gpu.h";
    shape->source.entry = "gas_transport";
    shape->source.math = math;
    shape->grid = 1;
    shape->block = 1;
    if (strcmp(info->kind, "cpu") == 0) {
        return CRP_OK;
    }
    return context_fail(context, CRP_ERR_UNSUPPORTED, "gas does not run on %s yet; use --device cpu", info->label);
}
