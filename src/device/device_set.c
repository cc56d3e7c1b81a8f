/* Several devices in one text: see device_set.h. */
#include "device/device_set.h"

#include "core/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const device_ops *const kinds[] = {&device_ops_cpu, &device_ops_cuda, &device_ops_opencl, &device_ops_optix};

enum { N_KINDS = sizeof kinds / sizeof *kinds };

static crp_status append_name(crp_context *context, const char *text, device_set *set, const char *kind, uint32_t index)
{
    char name[sizeof set->names[0]];
    bool is_cpu = strcmp(kind, "cpu") == 0 && index == 0;
    if (is_cpu) {
        snprintf(name, sizeof name, "cpu");
    } else {
        snprintf(name, sizeof name, "%s:%u", kind, index);
    }
    for (uint32_t i = 0; i < set->n; i++) {
        CRP_CHECK(context, strcmp(set->names[i], name) != 0, CRP_ERR_ARG,
                  "device %s is named twice in \"%s\" (it can do the same work only once) name each device once", name, text);
    }
    CRP_CHECK(context, set->n < DEVICE_SET_MAX, CRP_ERR_ARG,
              "\"%s\" names more than %d devices (one process drives that many) start several with mpirun", text,
              (int)DEVICE_SET_MAX);
    memcpy(set->names[set->n++], name, sizeof name);
    return CRP_OK;
}

static crp_status add_all(crp_context *context, const char *text, device_set *set, const device_ops *ops)
{
    char reason[1024];
    uint32_t n = 0;
    context_clear(context);
    if (ops->count(context, &n) != CRP_OK || n == 0) {
        snprintf(reason, sizeof reason, "%s", crp_context_error(context));
        return context_fail(context, CRP_ERR_DEVICE, "device %s:all: %s", ops->kind, reason);
    }
    for (uint32_t i = 0; i < n; i++) {
        CRP_TRY(append_name(context, text, set, ops->kind, i));
        set->is_one_of_all[set->n - 1] = true;
    }
    return CRP_OK;
}

/* "0,1,3" up to `end`. */
static crp_status add_numbers(crp_context *context, const char *text, device_set *set, const device_ops *ops,
                              const char *numbers, const char *end)
{
    while (numbers <= end) {
        size_t n = strspn(numbers, "0123456789");
        const char *after = numbers + n;
        CRP_CHECK(context, n > 0 && n < 10 && after <= end && (after == end || *after == ','), CRP_ERR_ARG,
                  "\"%.*s\" is no list of %s devices (in \"%s\") write numbers with commas or \"all\", such as %s:0,1 or "
                  "%s:all", (int)(end - numbers), numbers, ops->kind, text, ops->kind, ops->kind);
        CRP_TRY(append_name(context, text, set, ops->kind, (uint32_t)strtoul(numbers, NULL, 10)));
        numbers = after + 1;
    }
    return CRP_OK;
}

static crp_status add_term(crp_context *context, const char *text, device_set *set, const char *term, size_t n_term)
{
    const char *end = term + n_term, *colon = memchr(term, ':', n_term);
    size_t n_kind = colon == NULL ? n_term : (size_t)(colon - term);
    CRP_CHECK(context, !(n_kind == 4 && strncmp(term, "auto", 4) == 0), CRP_ERR_ARG,
              "\"auto\" stands alone (in \"%s\" it is with others) name the devices, or leave the choice to auto", text);
    for (unsigned i = 0; i < N_KINDS; i++) {
        const device_ops *ops = kinds[i];
        if (strlen(ops->kind) == n_kind && strncmp(term, ops->kind, n_kind) == 0) {
            if (colon == NULL) {
                return append_name(context, text, set, ops->kind, 0);
            }
            return (size_t)(end - colon) == 4 && strncmp(colon, ":all", 4) == 0
                       ? add_all(context, text, set, ops)
                       : add_numbers(context, text, set, ops, colon + 1, end);
        }
    }
    return context_fail(context, CRP_ERR_ARG,
                        "device \"%.*s\" is unknown (in \"%s\") devices are written cpu, cuda:0, cuda:0,1, cuda:all, opencl:0, "
                        "optix:0 and joined by +; list those of this machine with: corpuscle info devices", (int)n_term, term, text);
}

crp_status device_set_parse(crp_context *context, const char *text, device_set *set)
{
    *set = (device_set){0};
    if (strpbrk(text, "+,") == NULL && strstr(text, ":all") == NULL) { /* one device: device_open knows what to say */
        set->n = 1;
        CRP_CHECK(context, (size_t)snprintf(set->names[0], sizeof set->names[0], "%s", text) < sizeof set->names[0],
                  CRP_ERR_ARG, "device \"%s\" is unknown: list the devices of this machine with: corpuscle info devices", text);
        return CRP_OK;
    }
    for (const char *term = text;; term++) {
        size_t n = strcspn(term, "+");
        CRP_TRY(add_term(context, text, set, term, n));
        term += n;
        if (*term == '\0') {
            return CRP_OK;
        }
    }
}
