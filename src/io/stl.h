/** STL files, ASCII (any number of solids) and binary: see docs/formats/stl.md. */
#ifndef IO_STL_H
#define IO_STL_H

#include "geom/mesh.h"

/**
 * Is this an STL file? Binary: the length fits the number of triangles. ASCII: it begins with `solid` and has a facet
 * (or nothing) soon after.
 */
bool stl_recognise(const char *bytes, size_t n_bytes);

/**
 * Read all triangles, three vertices of its own for each, one body for each solid. The order of the corners is turned
 * round: normals of STL files point out of the solid, which here is the gas, and ours point into the gas. The normals
 * in the file are not used.
 *
 * @param path   for messages
 * @param scale  length of one unit of the file [cm]
 * Errors: CRP_ERR_FORMAT with line (ASCII) or triangle (binary): cut files, what is not a number, NaN, infinity, no
 * triangles at all; CRP_ERR_MEMORY.
 */
crp_status stl_read(crp_context *context, const char *path, const char *bytes, size_t n_bytes, double scale,
                    geom_mesh **mesh);

#endif
