/** The context: see context.h. */
#include "core/context.h"

#include <stdio.h>
#include <stdlib.h>

struct crp_context {
    crp_log_callback log;
    void *log_user;
    const struct comm *comm;
    char error[2048];
};

crp_status crp_context_create(crp_context **context)
{
    if (context == NULL) {
        return CRP_ERR_ARG;
    }
    *context = calloc(1, sizeof **context);
    return *context == NULL ? CRP_ERR_MEMORY : CRP_OK;
}

void crp_context_destroy(crp_context **context)
{
    if (context != NULL) {
        free(*context);
        *context = NULL;
    }
}

void crp_context_set_log(crp_context *context, crp_log_callback callback, void *user)
{
    context->log = callback;
    context->log_user = user;
}

const char *crp_context_error(const crp_context *context)
{
    return context->error;
}

const char *crp_status_text(crp_status status)
{
    switch (status) {
#define CRP_STATUS_CASE(name, value, text) \
    case name:                             \
        return text;
        CRP_STATUS_LIST(CRP_STATUS_CASE)
#undef CRP_STATUS_CASE
    default:
        return "unknown status";
    }
}

void context_set_comm(crp_context *context, const struct comm *c)
{
    context->comm = c;
}

const struct comm *context_comm(const crp_context *context)
{
    return context->comm;
}

crp_status context_fail(crp_context *context, crp_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(context->error, sizeof context->error, format, args);
    va_end(args);
    return status;
}

void context_clear(crp_context *context)
{
    context->error[0] = '\0';
}

void context_log(crp_context *context, crp_log_level level, const char *component, const char *format, ...)
{
    if (context->log == NULL) {
        return;
    }
    char line[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    context->log(context->log_user, level, component, line);
}
