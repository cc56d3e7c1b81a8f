/** The formats that results of `gas` go to. */
#ifndef IO_GAS_EXPORT_H
#define IO_GAS_EXPORT_H

#include "engine/plan.h"

/** vtkhdf (mesh), molflow (XML, ZIP), facets and leaks (CSV). */
extern const module_export gas_exports[];

#endif
