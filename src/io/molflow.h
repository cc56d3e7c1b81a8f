/**
 * Molflow XML, also inside a ZIP: see docs/formats/molflow.md. Files of all versions that write XML are read: with the
 * root SimulationEnvironment (2.8 and later) and without. Only constant flow is simulated: what else a model asks for
 * is noted as a feature that is not there, by facet. What is not known is skipped.
 */
#ifndef IO_MOLFLOW_H
#define IO_MOLFLOW_H

#include "model/gas/gas.h"

/** Does the text begin like a Molflow XML file? */
bool molflow_recognise_xml(const char *bytes, size_t n_bytes);
/** Does it begin like a ZIP? */
bool zip_recognise(const char *bytes, size_t n_bytes);

/**
 * Read the XML text of a model. Lengths become m, masses kg/mol. Nothing is validated beyond the form of the file.
 *
 * @param path  for messages
 * @param gas   an empty model
 * Errors: CRP_ERR_FORMAT with file, line and facet: not well-formed, with a DOCTYPE (entities), too deep, not numbers,
 * vertices or facets out of order, indices out of range; CRP_ERR_UNSUPPORTED: a SynRad file; CRP_ERR_MEMORY.
 */
crp_status molflow_read_xml(crp_context *context, const char *path, const char *text, size_t n_bytes, gas_model *gas);

/**
 * Unpack the one file ending in .xml from a ZIP.
 *
 * @param[out] text  with a zero byte behind; free with free()
 * @param[out] name  of the file in the ZIP; at least 256 bytes
 * Errors: CRP_ERR_FORMAT: broken, no or several XML files, encrypted, more than 2^30 bytes, or more than 2^26 bytes and
 * more than 500 times those packed (a ZIP bomb); CRP_ERR_MEMORY.
 */
crp_status zip_unpack_xml(crp_context *context, const char *path, const char *bytes, size_t n_bytes, char **text,
                          size_t *n_text, char name[256]);

/** A ZIP with one file in it. Free `bytes` with free(). Errors: CRP_ERR_IO, CRP_ERR_MEMORY. */
crp_status zip_pack(crp_context *context, const char *name, const char *text, size_t n_text, void **bytes,
                    size_t *n_bytes);

#endif
