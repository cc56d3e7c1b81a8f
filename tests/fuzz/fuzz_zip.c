/* Fuzz target of the ZIP reader: whatever the bytes, it answers, within the limits. */
#include "core/context.h"
#include "io/molflow.h"
#include "require.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    crp_context *context = NULL;
    char *text = NULL, name[256];
    size_t n_text = 0;
    REQUIRE(crp_context_create(&context) == CRP_OK);
    crp_status status = zip_unpack_xml(context, "fuzz", (const char *)data, size, &text, &n_text, name);
    if (status == CRP_OK) {
        REQUIRE(text[n_text] == '\0' && strlen(name) > 4);
        REQUIRE(n_text <= (size_t)1 << 26 || n_text / 500 <= size);
    } else {
        REQUIRE(status == CRP_ERR_FORMAT && text == NULL);
    }
    free(text);
    crp_context_destroy(&context);
    return 0;
}
