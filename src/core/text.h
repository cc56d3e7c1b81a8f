/** Text that is formed in memory before it goes anywhere, so that what fails leaves nothing half-written. */
#ifndef CORE_TEXT_H
#define CORE_TEXT_H

#include "core/context.h"

#include <stdio.h>

/** A text in the making. `bytes` and `n_bytes` are valid once it is closed; a zero byte stands behind them. */
typedef struct text_buffer {
    FILE *file; /**< what is written here is the text */
    char *bytes;
    size_t n_bytes;
} text_buffer;

/** Begin a text. Errors: CRP_ERR_MEMORY. */
crp_status text_open(crp_context *context, text_buffer *text);

/**
 * End a text, which text_open began.
 *
 * @param status  what the writing of the text came to
 * @return `status`, or CRP_ERR_MEMORY when the text did not fit. With CRP_OK `text->bytes` is the caller's, to be freed
 *         with free(); else there is nothing left to free.
 */
crp_status text_close(crp_context *context, text_buffer *text, crp_status status);

#endif
