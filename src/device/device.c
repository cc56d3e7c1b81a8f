/* Devices by name, and the list of all that there are. */
#include "device/device.h"

#include "core/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_KINDS = 4, REASON_BYTES = 1024 };

static const device_ops *const kinds[N_KINDS] = {&device_ops_cpu, &device_ops_cuda, &device_ops_opencl, &device_ops_optix};

/* "kind" or "kind:index", nothing else; NULL for any other text. */
static const device_ops *parse_name(const char *name, uint32_t *index)
{
    size_t n = strcspn(name, ":");
    uint64_t number = 0;
    if (name[n] == ':') {
        const char *digits = name + n + 1;
        size_t n_digits = strspn(digits, "0123456789");
        if (n_digits == 0 || n_digits > 9 || digits[n_digits] != '\0') {
            return NULL;
        }
        number = strtoull(digits, NULL, 10);
    }
    for (unsigned i = 0; i < N_KINDS; i++) {
        if (strlen(kinds[i]->kind) == n && strncmp(kinds[i]->kind, name, n) == 0) {
            *index = (uint32_t)number;
            return kinds[i];
        }
    }
    return NULL;
}

crp_status device_open(crp_context *context, const char *name, const device_options *options, device **out)
{
    static const device_options defaults = {0};
    char reason[REASON_BYTES];
    uint32_t index = 0, n = 0;
    *out = NULL;
    const device_ops *ops = name == NULL ? NULL : parse_name(name, &index);
    CRP_CHECK(context, ops != NULL, CRP_ERR_ARG,
              "device \"%s\" is unknown (a device is written cpu, cuda, cuda:1, opencl:0 or optix:0) list the devices of this "
              "machine with: corpuscle info devices", name == NULL ? "" : name);
    context_clear(context);
    if (ops->count(context, &n) != CRP_OK || n == 0) {
        snprintf(reason, sizeof reason, "%s", crp_context_error(context));
        return context_fail(context, CRP_ERR_DEVICE, "device %s: %s", name, reason);
    }
    CRP_CHECK(context, index < n, CRP_ERR_DEVICE,
              "device %s is not there (this machine has %u of the kind, numbered from %s:0) list them with: corpuscle "
              "info devices", name, n, ops->kind);
    return ops->open(context, index, options == NULL ? &defaults : options, out);
}

void device_close(device **d)
{
    if (d != NULL && *d != NULL) {
        (*d)->ops->close(*d);
        *d = NULL;
    }
}

crp_status device_check_access(const device *d, uint32_t queue, size_t n_bytes, size_t capacity)
{
    CRP_CHECK(d->context, queue < DEVICE_N_QUEUES, CRP_ERR_INTERNAL, "%s: queue %u does not exist", d->info.label,
              queue);
    CRP_CHECK(d->context, n_bytes <= capacity, CRP_ERR_INTERNAL, "%s: %zu bytes do not fit a buffer of %zu",
              d->info.label, n_bytes, capacity);
    return CRP_OK;
}

double device_count_busy(device *d, double begin, double end)
{
    double from = begin > d->busy_until ? begin : d->busy_until;
    double seconds = end > from ? end - from : 0.0;
    d->busy_until = end > d->busy_until ? end : d->busy_until;
    return seconds;
}

crp_status device_check_launch(const device *d, uint32_t queue, const char *entry, const device_launch *launch)
{
    CRP_TRY(device_check_access(d, queue, 0, 0));
    CRP_CHECK(d->context, launch->n_args <= DEVICE_MAX_ARGS, CRP_ERR_INTERNAL, "kernel %s: %u arguments (at most %d)",
              entry, launch->n_args, DEVICE_MAX_ARGS);
    for (uint32_t i = 0; i < launch->n_args; i++) {
        const device_arg *arg = &launch->args[i];
        const void *value = arg->kind == DEVICE_ARG_BYTES ? arg->bytes : arg->buffer;
        CRP_CHECK(d->context, value != NULL, CRP_ERR_INTERNAL, "kernel %s: argument %u is missing", entry, i);
    }
    return CRP_OK;
}

static void list_device(crp_context *context, const device_ops *ops, uint32_t index, device_visitor visitor, void *user)
{
    static const device_options defaults = {0};
    device *d = NULL;
    device_info info;
    crp_status status = ops->open(context, index, &defaults, &d);
    if (status == CRP_OK) {
        status = ops->info(d, &info);
    }
    if (status == CRP_OK) {
        visitor(user, ops->kind, &info, NULL);
    } else {
        visitor(user, ops->kind, NULL, crp_context_error(context));
    }
    device_close(&d);
}

void device_list(crp_context *context, device_visitor visitor, void *user)
{
    for (unsigned i = 0; i < N_KINDS; i++) {
        uint32_t n = 0;
        context_clear(context);
        if (kinds[i]->count(context, &n) != CRP_OK || n == 0) {
            visitor(user, kinds[i]->kind, NULL, crp_context_error(context));
        }
        for (uint32_t index = 0; index < n; index++) {
            list_device(context, kinds[i], index, visitor, user);
        }
    }
    context_clear(context); /* an absent device is no failure of a list */
}
