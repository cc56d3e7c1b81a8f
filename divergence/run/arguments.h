/** Kernel arguments as a user writes them: u32=7, f32=0.5, buf:4M, buf:4M:random:1, buf:4M:index, file:PATH,
 * bytes:PATH for a structure by value. */
#ifndef DIVRUN_ARGUMENTS_H
#define DIVRUN_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

enum { ARGUMENTS_MAX = 64 };

typedef struct argument {
    bool is_buffer;
    unsigned char scalar[8]; /**< value, in its own width */
    bool is_value;           /**< `data` is passed by value */
    unsigned char *data;     /**< buffer: what it holds before the kernel runs */
    size_t n_bytes;          /**< of the buffer */
    bool is_float;           /**< compared as float when it differs, for the message */
} argument;

/** Parse one; false after a message. */
bool argument_parse(const char *text, argument *out);
void argument_free(argument *a);

/** "4k", "16M", "2G" or a plain number of bytes; 0 if it is none. */
size_t size_parse(const char *text);

#endif
