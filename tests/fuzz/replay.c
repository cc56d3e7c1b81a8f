/* Runs a fuzz target without libFuzzer: every seed of a folder, then mutations of them drawn with a fixed seed. */
#include "require.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SEEDS = 256, MAX_BYTES = 1 << 16 };

typedef struct seed {
    uint8_t *data;
    size_t size;
} seed;

static uint64_t state = 0x9e3779b97f4a7c15u;

/* xorshift64*: the same mutations on every machine. */
static size_t draw(size_t below)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return below == 0 ? 0 : (size_t)((state * 2685821657736338717u) >> 33) % below;
}

static size_t read_seeds(const char *folder, seed *seeds)
{
    size_t n = 0;
    struct dirent **entries;
    int n_entries = scandir(folder, &entries, NULL, alphasort); /* sorted: the order of a folder is not fixed */
    for (int i = 0; i < n_entries; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        FILE *file = entries[i]->d_name[0] == '.' ? NULL : fopen(path, "rb");
        if (file != NULL && n < MAX_SEEDS) {
            seeds[n].data = malloc(MAX_BYTES);
            if (seeds[n].data == NULL) {
                exit(1);
            }
            seeds[n].size = fread(seeds[n].data, 1, MAX_BYTES, file);
            n++;
        }
        if (file != NULL) {
            fclose(file);
        }
        free(entries[i]);
    }
    if (n_entries >= 0) {
        free(entries);
    }
    return n;
}

/* Copies exactly `size` bytes to their own block, so that valgrind or ASan sees a read beyond them. */
static void try_input(const uint8_t *data, size_t size)
{
    uint8_t *exact = malloc(size > 0 ? size : 1);
    if (exact == NULL) {
        exit(1);
    }
    memcpy(exact, data, size);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

static void insert(uint8_t *data, size_t *size, size_t at, const uint8_t *piece, size_t n)
{
    if (*size + n > MAX_BYTES) {
        return;
    }
    memmove(data + at + n, data + at, *size - at);
    memcpy(data + at, piece, n);
    *size += n;
}

static void mutate(uint8_t *data, size_t *size, const seed *other)
{
    static const char *const pieces[] = {"0", "-1", "1e9", "99999999999999999999", "nan", "inf", "\r\n", "\n", "\t", "#",
                                         "0x7f", "1e-999", "\xff", "\xef\xbb\xbf", ".", ",", "- ", ": ", "{", "}", "[", "\""};
    size_t at = draw(*size + 1), n = draw(24) + 1;
    switch (draw(7)) {
    case 0: /* flip a bit */
        if (at < *size) {
            data[at] ^= (uint8_t)(1u << draw(8));
        }
        break;
    case 1: /* any byte */
        if (at < *size) {
            data[at] = (uint8_t)draw(256);
        }
        break;
    case 2: /* cut out */
        n = n < *size - at ? n : *size - at;
        memmove(data + at, data + at + n, *size - at - n);
        *size -= n;
        break;
    case 3: /* cut off */
        *size = draw(8) == 0 ? at : *size;
        break;
    case 4: { /* a word that parsers stumble over */
        const char *piece = pieces[draw(sizeof pieces / sizeof pieces[0])];
        insert(data, size, at, (const uint8_t *)piece, strlen(piece));
        break;
    }
    case 5: /* a piece of another seed */
        if (other->size > n) {
            insert(data, size, at, other->data + draw(other->size - n), n);
        }
        break;
    default: /* a digit for a digit */
        for (; at < *size; at++) {
            if (data[at] >= '0' && data[at] <= '9') {
                data[at] = (uint8_t)('0' + draw(10));
                break;
            }
        }
    }
}

int main(int argc, char **argv)
{
    static seed seeds[MAX_SEEDS];
    static uint8_t data[MAX_BYTES];
    size_t n_seeds = argc == 3 ? read_seeds(argv[2], seeds) : 0;
    if (n_seeds == 0) {
        fprintf(stderr, "usage: %s MUTATIONS FOLDER (with at least one seed)\n", argv[0]);
        return 2;
    }
    for (size_t i = 0; i < n_seeds; i++) {
        try_input(seeds[i].data, seeds[i].size);
    }
    for (long k = strtol(argv[1], NULL, 10); k > 0; k--) {
        const seed *base = &seeds[draw(n_seeds)];
        size_t size = base->size;
        memcpy(data, base->data, size);
        for (size_t rounds = draw(6) + 1; rounds > 0; rounds--) {
            mutate(data, &size, &seeds[draw(n_seeds)]);
        }
        try_input(data, size);
    }
    for (size_t i = 0; i < n_seeds; i++) {
        free(seeds[i].data);
    }
    return 0;
}
