#include "arguments.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t size_parse(const char *text)
{
    char *end = NULL;
    double n = strtod(text, &end);
    double unit = *end == 'k' ? 1024.0 : *end == 'M' ? 1048576.0 : *end == 'G' ? 1073741824.0 : 1.0;
    bool is_right = end != text && n > 0.0 && n * unit <= 1e12 && (*end == '\0' || (unit > 1.0 && end[1] == '\0'));
    return is_right ? (size_t)(n * unit) : 0;
}

static bool complain(const char *text, const char *why)
{
    fprintf(stderr,
            "corpuscle-divrun: argument '%s' %s; write u32=7, i32=, u64=, i64=, f32=0.5, f64=, buf:4M, "
            "buf:4M:random:SEED, buf:4M:index, file:PATH or bytes:PATH\n",
            text, why);
    return false;
}

static bool parse_scalar(const char *text, argument *out)
{
    const char *value = strchr(text, '=') + 1;
    char *end = NULL;
    if (strncmp(text, "f32=", 4) == 0) {
        float f = strtof(value, &end);
        memcpy(out->scalar, &f, sizeof f);
    } else if (strncmp(text, "f64=", 4) == 0) {
        double f = strtod(value, &end);
        memcpy(out->scalar, &f, sizeof f);
    } else if (strncmp(text, "i32=", 4) == 0 || strncmp(text, "i64=", 4) == 0) {
        int64_t n = strtoll(value, &end, 0);
        memcpy(out->scalar, &n, sizeof n); /* little endian: the low half comes first */
    } else if (strncmp(text, "u32=", 4) == 0 || strncmp(text, "u64=", 4) == 0) {
        uint64_t n = strtoull(value, &end, 0);
        memcpy(out->scalar, &n, sizeof n);
    } else {
        return complain(text, "has an unknown type");
    }
    return (end != value && *end == '\0') || complain(text, "is no number");
}

/* Words of a generator that is the same everywhere. */
static void fill_random(unsigned char *data, size_t n_bytes, uint64_t seed)
{
    for (size_t i = 0; i < n_bytes; ++i) {
        if (i % 4 == 0) {
            seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        }
        data[i] = (unsigned char)(seed >> (32 + 8 * (i % 4)));
    }
}

static bool parse_buffer(const char *text, argument *out)
{
    char size[32], kind[32] = "zero";
    unsigned long long seed = 1;
    if (sscanf(text, "buf:%31[^:]:%31[^:]:%llu", size, kind, &seed) < 1 || (out->n_bytes = size_parse(size)) == 0) {
        return complain(text, "has no size");
    }
    out->data = calloc(out->n_bytes, 1);
    if (out->data == NULL) {
        return complain(text, "does not fit into memory");
    }
    if (strcmp(kind, "random") == 0) {
        fill_random(out->data, out->n_bytes, seed);
    } else if (strcmp(kind, "index") == 0) {
        for (size_t i = 0; i + 4 <= out->n_bytes; i += 4) {
            uint32_t k = (uint32_t)(i / 4);
            memcpy(out->data + i, &k, 4);
        }
    } else if (strcmp(kind, "zero") != 0) {
        return complain(text, "has an unknown filling");
    }
    return true;
}

static bool parse_file(const char *text, argument *out)
{
    FILE *file = fopen(strchr(text, ':') + 1, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0) {
        return complain(text, "cannot be read");
    }
    long n = ftell(file);
    rewind(file);
    out->data = n > 0 ? malloc((size_t)n) : NULL;
    bool is_right = out->data != NULL && fread(out->data, 1, (size_t)n, file) == (size_t)n;
    out->n_bytes = is_right ? (size_t)n : 0;
    fclose(file);
    return is_right || complain(text, "cannot be read");
}

bool argument_parse(const char *text, argument *out)
{
    memset(out, 0, sizeof *out);
    if (strncmp(text, "bytes:", 6) == 0) {
        out->is_value = true;
        return parse_file(text, out);
    }
    if (strncmp(text, "buf:", 4) == 0 || strncmp(text, "file:", 5) == 0) {
        out->is_buffer = true;
        return text[0] == 'b' ? parse_buffer(text, out) : parse_file(text, out);
    }
    return strchr(text, '=') != NULL ? parse_scalar(text, out) : complain(text, "is not understood");
}

void argument_free(argument *a)
{
    free(a->data);
    a->data = NULL;
}
