/** The formats that results of `chem` go to: positions at log-spaced times. */
#ifndef IO_CHEM_EXPORT_H
#define IO_CHEM_EXPORT_H

#include "engine/plan.h"

/** xyz (text) and vtkhdf (points with time, for ParaView). */
extern const module_export chem_exports[];

#endif
