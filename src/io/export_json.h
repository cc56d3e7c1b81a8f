/** The summary of a run as one JSON object. Format: docs/formats/json.md. */
#ifndef IO_EXPORT_JSON_H
#define IO_EXPORT_JSON_H

#include "engine/result.h"

#include <stdio.h>

/** Write the object and a newline, on one line. Errors: CRP_ERR_IO when the stream failed. */
crp_status result_write_json(crp_context *context, const crp_result *result, FILE *file);

#endif
