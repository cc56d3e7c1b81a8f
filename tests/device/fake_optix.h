/* What the fake OptiX library saw last. */
#ifndef TESTS_DEVICE_FAKE_OPTIX_H
#define TESTS_DEVICE_FAKE_OPTIX_H

#include <stdbool.h>
#include <stddef.h>

enum { FAKE_OPTIX_NUMBERS = 1024, FAKE_OPTIX_PARAMETERS = 256 };

typedef struct fake_optix_record {
    int abi;
    char complaint[200]; /* a condition that was not met; "" */
    char *text;          /* PTX of the last module */
    char groups[1024];   /* kind and name of each program, ended by ";" */
    unsigned n_groups, depth, stack, primitive_flags, argument_bytes, threads;
    unsigned n_made, n_destroyed, n_launches;
    bool is_boxes;
    unsigned n_shapes, n_records, n_of_kind[8], flags[8];
    unsigned n_numbers;
    float numbers[FAKE_OPTIX_NUMBERS];
} fake_optix_record;

#endif
