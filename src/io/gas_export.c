/** The formats that results of `gas` go to: see gas_export.h. */
#include "io/gas_export.h"

#include "io/gas_csv.h"
#include "io/gas_vtkhdf.h"
#include "io/molflow_write.h"

const module_export gas_exports[] = {
    {.format = "vtkhdf", .endings = {".vtkhdf"}, .is_binary = true, .form = gas_vtkhdf_form},
    {.format = "molflow", .endings = {".zip", ".xml"}, .takes_model = true, .form = molflow_form},
    {.format = "facets", .endings = {".csv"}, .form = gas_facets_form},
    {.format = "leaks", .form = gas_leaks_form},
    {.format = NULL},
};
