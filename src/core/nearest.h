/** Which known name did the user mean? Edit distance, for messages about unknown keys and names. */
#ifndef CORE_NEAREST_H
#define CORE_NEAREST_H

#include <stddef.h>

/** Names longer than this are compared by their first letters only. */
enum { NEAREST_MAX_LENGTH = 64 };

/**
 * Edit distance: the fewest insertions, deletions, changes and swaps of neighbouring letters that turn a into b.
 * Upper and lower case count as equal.
 *
 * Ref: F. Damerau, 1964 (the "optimal string alignment" form).
 */
size_t nearest_distance(const char *a, const char *b);

/**
 * The name nearest to `word`, or NULL when none is near enough to be a likely slip of the pen.
 *
 * @param names  n strings; ties go to the first
 */
const char *nearest_name(const char *word, const char *const *names, size_t n);

/**
 * The same over names inside an array of structs: the i-th name begins at `first + i * stride` bytes.
 */
const char *nearest_inline(const char *word, const char *first, size_t stride, size_t n);

#endif
