/* Lists of molecules from files: recognises the format and hands over to its reader. */
#include "model/chem/chem.h"

#include "core/context.h"
#include "core/file.h"
#include "io/gmicromc.h"

#include <stdlib.h>
#include <string.h>

crp_status chem_file_read(crp_context *context, const char *path, chem_model *model)
{
    void *bytes = NULL;
    size_t n_bytes = 0;
    CRP_TRY(file_read(context, path, &bytes, &n_bytes));
    const char *format = model->source.format;
    crp_status status;
    if (strcmp(format, "gmicromc") == 0 || (format[0] == '\0' && gmicromc_recognise(bytes, n_bytes))) {
        status = gmicromc_read(context, path, bytes, n_bytes, model);
    } else {
        status = context_fail(context, CRP_ERR_FORMAT, "%s: is no list of molecules in a known format (gmicromc: a multiple of "
                              "24 bytes with species ids 0 to 10): name its format with --format", path);
    }
    free(bytes);
    return status;
}
