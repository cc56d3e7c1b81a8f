/** The list of modules: a new kind of model is one line here. */
#include "model/chem/chem.h"
#include "model/gas/gas.h"
#include "model/light/light.h"

#include <string.h>

const crp_module *const modules[] = {
    &module_light,
    &module_gas,
    &module_chem,
    NULL,
};

const crp_module *module_find(const char *name)
{
    for (size_t i = 0; modules[i] != NULL; i++) {
        if (strcmp(modules[i]->name, name) == 0) {
            return modules[i];
        }
    }
    return NULL;
}
