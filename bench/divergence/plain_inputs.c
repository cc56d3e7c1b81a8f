/*
 * Writes what the plain light kernel gets for a model: params.bin (passed by value), layers.bin, table.bin, and the
 * number of tally words on standard output. Usage: plain_inputs MODEL.mci PHOTONS FOLDER
 */
#include "core/context.h"
#include "engine/plan.h"
#include "model/light/light_plan.h"

#include <stdio.h>
#include <stdlib.h>

static crp_context *context;

static void check(crp_status status)
{
    if (status != CRP_OK) {
        fprintf(stderr, "plain_inputs: %s\n", crp_context_error(context));
        exit(1);
    }
}

static void write_file(const char *folder, const char *name, const void *data, size_t n_bytes)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(data, 1, n_bytes, file) != n_bytes || fclose(file) != 0) {
        fprintf(stderr, "plain_inputs: cannot write %s\n", path);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: plain_inputs MODEL.mci PHOTONS FOLDER\n");
        return 2;
    }
    crp_input *input = NULL;
    crp_plan *plan = NULL;
    crp_input_options options = crp_input_options_default();
    plan_shape shape = {.grid = 1};
    unsigned char params[1024];
    size_t n_params = 0;
    check(crp_context_create(&context));
    check(crp_input_load(context, argv[1], &options, &input));
    check(light_plan_create(context, crp_input_model(input, 0), 1, &plan));
    check(light_params_of_launch(plan, NULL, &shape, 0, (uint64_t)atof(argv[2]), params, &n_params));
    write_file(argv[3], "params.bin", params, n_params);
    write_file(argv[3], "layers.bin", plan->tables[0].data, plan->tables[0].n_bytes);
    write_file(argv[3], "table.bin", plan->tables[1].data, plan->tables[1].n_bytes);
    printf("%zu\n", plan->n_words);
    plan_destroy(&plan);
    crp_input_destroy(&input);
    crp_context_destroy(&context);
    return 0;
}
