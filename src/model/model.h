/** A validated model and an input file's list of them. */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "engine/plan.h"

struct crp_model {
    const crp_module *module;
    char name[128];
    char digest[65];            /**< SHA-256 of the normalised text */
    char *normalised;           /**< the YAML that module->write_yaml gives for it; owned */
    char source_path[1024];     /**< the file it came from */
    char *files;                /**< settings with the whole path of every file that the input names, one a line
                                     ("source.file=/data/track.csv"); NULL: it names none. Owned */
    bool is_moved;              /**< write_full: for another folder, so that files go by their whole path */
    uint64_t histories;         /**< 0: not given */
    uint32_t batches;           /**< 0: not given */
    uint64_t seed;              /**< 0: not given */
    char until[128];            /**< "": not given */
    void *data;                 /**< the module's model struct, e.g. light_model */
};

struct crp_input {
    crp_model **models;
    size_t n_models;
};

/** All kinds of models, ended by NULL (modules.c). */
extern const crp_module *const modules[];

/** The module of that name, or NULL. */
const crp_module *module_find(const char *name);

/** Make an empty model of a module; `data` passes into its ownership. After filling it call model_finish. */
crp_status model_create(crp_context *context, const crp_module *module, const char *source_path, void *data,
                        crp_model **model);
/** Form the normalised text and the digest. */
crp_status model_finish(crp_context *context, crp_model *model);
/** Free a model with its data and set the pointer to NULL. Accepts NULL and a pointer to NULL. */
void model_destroy(crp_model **model);

/** How many histories -n 1 stands for: 1, unless the module counts copies of an input of many parts. */
uint64_t model_histories_of_copy(const crp_model *model);

/** Append a finished model to an input (which may be NULL at first). */
crp_status input_append(crp_context *context, crp_input **input, crp_model *model);

/** Readers by kind of file. `path` is for messages. Called by crp_input_load, which looks at the contents to choose. */
crp_status mci_load(crp_context *context, const char *path, const char *text, size_t n_bytes,
                    const crp_input_options *options, crp_input **input);
crp_status yaml_load(crp_context *context, const char *path, const char *text, size_t n_bytes,
                     const crp_input_options *options, crp_input **input);

#endif
