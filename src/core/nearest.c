/** Edit distance and the nearest of a list of names. */
#include "core/nearest.h"

#include <stdint.h>
#include <string.h>

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static size_t clipped_length(const char *text)
{
    size_t n = strlen(text);
    return n < NEAREST_MAX_LENGTH ? n : NEAREST_MAX_LENGTH;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

size_t nearest_distance(const char *a, const char *b)
{
    uint32_t rows[3][NEAREST_MAX_LENGTH + 1]; /* rows i - 2, i - 1 and i of the distance matrix, in turn */
    size_t n_a = clipped_length(a), n_b = clipped_length(b);
    for (size_t j = 0; j <= n_b; j++) {
        rows[0][j] = (uint32_t)j;
    }
    for (size_t i = 1; i <= n_a; i++) {
        uint32_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
        row[0] = (uint32_t)i;
        for (size_t j = 1; j <= n_b; j++) {
            char x = lower(a[i - 1]), y = lower(b[j - 1]);
            uint32_t d = least(above[j] + 1, row[j - 1] + 1);
            d = least(d, above[j - 1] + (x == y ? 0 : 1));
            if (i > 1 && j > 1 && x == lower(b[j - 2]) && lower(a[i - 2]) == y) {
                d = least(d, above2[j - 2] + 1);
            }
            row[j] = d;
        }
    }
    return rows[n_a % 3][n_b];
}

/* A third of the longer word may be wrong; one letter always. */
static size_t tolerance(const char *a, const char *b)
{
    size_t n_a = clipped_length(a), n_b = clipped_length(b), longer = n_a > n_b ? n_a : n_b;
    return longer < 6 ? (longer < 2 ? 0 : 1) : longer / 3;
}

static void consider(const char *word, const char *name, const char **best, size_t *distance)
{
    size_t d = nearest_distance(word, name);
    if (d <= tolerance(word, name) && (*best == NULL || d < *distance)) {
        *best = name;
        *distance = d;
    }
}

const char *nearest_name(const char *word, const char *const *names, size_t n)
{
    const char *best = NULL;
    size_t distance = 0;
    for (size_t i = 0; i < n; i++) {
        consider(word, names[i], &best, &distance);
    }
    return best;
}

const char *nearest_inline(const char *word, const char *first, size_t stride, size_t n)
{
    const char *best = NULL;
    size_t distance = 0;
    for (size_t i = 0; i < n; i++) {
        consider(word, first + i * stride, &best, &distance);
    }
    return best;
}
