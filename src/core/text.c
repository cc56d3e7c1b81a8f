/** Text that is formed in memory: see text.h. */
#include "core/text.h"

#include <stdbool.h>
#include <stdlib.h>

crp_status text_open(crp_context *context, text_buffer *text)
{
    *text = (text_buffer){0};
    text->file = open_memstream(&text->bytes, &text->n_bytes);
    CRP_CHECK(context, text->file != NULL, CRP_ERR_MEMORY, "not enough memory to form a text");
    return CRP_OK;
}

crp_status text_close(crp_context *context, text_buffer *text, crp_status status)
{
    bool is_whole = ferror(text->file) == 0;
    is_whole = fclose(text->file) == 0 && is_whole;
    text->file = NULL;
    if (status == CRP_OK && !is_whole) {
        status = context_fail(context, CRP_ERR_MEMORY, "not enough memory to form a text");
    }
    if (status != CRP_OK) {
        free(text->bytes);
        text->bytes = NULL;
    }
    return status;
}
