/** Files of other programs that become gas models. Called by crp_input_load, which looks at the contents to choose. */
#ifndef IO_GAS_LOAD_H
#define IO_GAS_LOAD_H

#include "geom/mesh.h"
#include "model/gas/gas.h"

/** STL: see docs/formats/stl.md. Errors: those of stl_read, CRP_ERR_GEOMETRY when nothing with an area is left, and of
 * settings and validation. */
crp_status stl_load(crp_context *context, const char *path, const char *bytes, size_t n_bytes,
                    const crp_input_options *options, crp_input **input);

/** Molflow XML: see docs/formats/molflow.md. Errors: those of molflow_read_xml, CRP_ERR_UNSUPPORTED for features that
 * are not there and not ignored, and of settings and validation. */
crp_status molflow_load(crp_context *context, const char *path, const char *text, size_t n_bytes,
                        const crp_input_options *options, crp_input **input);

/** A ZIP with the same. */
crp_status molflow_zip_load(crp_context *context, const char *path, const char *bytes, size_t n_bytes,
                            const crp_input_options *options, crp_input **input);

/**
 * The mesh of an STL file as it is simulated: welded, and coplanar facets joined. Also for `check`.
 * Errors: as stl_load.
 */
crp_status stl_prepare(crp_context *context, const char *path, const char *bytes, size_t n_bytes,
                       const crp_input_options *options, geom_mesh **mesh);

#endif
