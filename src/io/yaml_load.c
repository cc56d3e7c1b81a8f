/** YAML and JSON input of any kind: parse, look at `kind`, hand over to that kind's loader. */
#include "core/yaml_tree.h"
#include "model/model.h"

#include <string.h>

static crp_status fail_kind(crp_context *context, const char *path, const yaml_node *kind)
{
    char known[512] = "";
    for (size_t i = 0; modules[i] != NULL; i++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", i == 0 ? "" : ", ", modules[i]->name);
    }
    return context_fail(context, CRP_ERR_UNSUPPORTED, "%s:%u:%u: kind = %.60s is not known (kinds that exist: %s)",
                        path, kind->line, kind->column, kind->text, known);
}

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
    const crp_module *module = module_find(kind->text);
    return module == NULL ? fail_kind(context, path, kind) : module->load_yaml(context, path, root, options, input);
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
