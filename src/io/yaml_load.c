/** YAML and JSON input of any kind: parse, look at `kind`, hand over to that kind's loader. */
#include "core/yaml_tree.h"
#include "model/light/light_yaml.h"

#include <string.h>

typedef struct yaml_loader {
    const char *kind;
    crp_status (*load)(crp_context *context, const char *path, const yaml_node *root, const crp_input_options *options,
                       crp_input **input);
} yaml_loader;

/* A new kind of model adds its line here and its name to KINDS. */
static const yaml_loader loaders[] = {{"light", light_yaml_load}};
#define KINDS "light"

static crp_status load_by_kind(crp_context *context, const char *path, const yaml_node *root,
                               const crp_input_options *options, crp_input **input)
{
    CRP_CHECK(context, root->kind == YAML_KIND_MAPPING, CRP_ERR_CONFIG,
              "%s:%u:%u: the file must be a mapping of keys to values, not %s (it begins with \"version: 1\")", path,
              root->line, root->column, yaml_kind_words(root->kind));
    const yaml_node *kind = yaml_node_find(root, "kind");
    CRP_CHECK(context, kind != NULL && kind->kind == YAML_KIND_SCALAR, CRP_ERR_CONFIG,
              "%s:%u:%u: kind is missing (it says what the model is) add it like kind: light", path, root->line,
              root->column);
    for (size_t i = 0; i < sizeof loaders / sizeof loaders[0]; i++) {
        if (strcmp(kind->text, loaders[i].kind) == 0) {
            return loaders[i].load(context, path, root, options, input);
        }
    }
    return context_fail(context, CRP_ERR_UNSUPPORTED,
                        "%s:%u:%u: kind = %.60s is not known (kinds that exist: " KINDS ")", path, kind->line,
                        kind->column, kind->text);
}

crp_status yaml_load(crp_context *context, const char *path, const char *text, size_t n_bytes,
                     const crp_input_options *options, crp_input **input)
{
    yaml_tree *tree = NULL;
    CRP_TRY(yaml_tree_parse(context, path, text, n_bytes, &tree));
    crp_status status = load_by_kind(context, path, yaml_tree_root(tree), options, input);
    yaml_tree_destroy(&tree);
    return status;
}
