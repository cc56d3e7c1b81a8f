/* Flattens a kernel entry and all it includes into one text, for compilers that have no file system. */
#include "device/kernel_source.h"

#include "core/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILES = 256, MAX_PATH = 256 };

typedef struct flattening {
    crp_context *context;
    const kernel_file *files;
    bool taken[MAX_FILES];
    char *text;
    size_t n_bytes, n_reserved;
} flattening;

static crp_status append(flattening *f, const char *bytes, size_t n)
{
    if (f->n_bytes + n + 1 > f->n_reserved) {
        size_t wanted = 2 * (f->n_bytes + n + 1);
        char *larger = realloc(f->text, wanted);
        CRP_CHECK(f->context, larger != NULL, CRP_ERR_MEMORY,
                  "not enough memory for a kernel's source (%zu bytes needed)", wanted);
        f->text = larger;
        f->n_reserved = wanted;
    }
    memcpy(f->text + f->n_bytes, bytes, n);
    f->n_bytes += n;
    f->text[f->n_bytes] = '\0';
    return CRP_OK;
}

static crp_status append_line_mark(flattening *f, const char *path, unsigned line)
{
    char mark[MAX_PATH + 32];
    int n = snprintf(mark, sizeof mark, "#line %u \"%s\"\n", line, path);
    return append(f, mark, (size_t)n);
}

/* Index of a file of that path, or MAX_FILES. */
static size_t find(const flattening *f, const char *path)
{
    for (size_t i = 0; f->files[i].path != NULL && i < MAX_FILES; i++) {
        if (strcmp(f->files[i].path, path) == 0) {
            return i;
        }
    }
    return MAX_FILES;
}

/* Folder of `from` joined with `name`, with "." and ".." resolved, so that one file has one spelling.
 * False when it does not fit or leads out of kernel/. */
static bool join(const char *from, const char *name, char path[MAX_PATH])
{
    const char *slash = strrchr(from, '/');
    size_t n_folder = slash == NULL ? 0 : (size_t)(slash - from);
    size_t n = 0;
    char raw[2 * MAX_PATH];
    int n_raw = snprintf(raw, sizeof raw, "%.*s/%s", (int)n_folder, from, name);
    if (n_raw < 0 || (size_t)n_raw >= sizeof raw) {
        return false;
    }
    for (const char *part = raw; *part != '\0';) {
        part += strspn(part, "/");
        size_t length = strcspn(part, "/");
        if (length == 2 && strncmp(part, "..", 2) == 0) {
            if (n == 0) {
                return false;
            }
            while (n > 0 && path[--n] != '/') {
            }
        } else if (length > 0 && !(length == 1 && part[0] == '.')) {
            if (n + length + 2 > MAX_PATH) {
                return false;
            }
            if (n > 0) {
                path[n++] = '/';
            }
            memcpy(path + n, part, length);
            n += length;
        }
        part += length;
    }
    path[n] = '\0';
    return n > 0;
}

/* The name in a line `#include "name"`; false for any other line. */
static bool parse_include(const char *line, const char *end, char name[MAX_PATH])
{
    static const char blanks[] = " \t";
    line += strspn(line, blanks);
    if (*line != '#') {
        return false;
    }
    line += 1 + strspn(line + 1, blanks);
    if (strncmp(line, "include", 7) != 0) {
        return false;
    }
    line += 7 + strspn(line + 7, blanks);
    if (line >= end || *line != '"') {
        return false;
    }
    const char *close = memchr(line + 1, '"', (size_t)(end - line - 1));
    if (close == NULL || close - line > MAX_PATH) {
        return false;
    }
    size_t n = (size_t)(close - line - 1);
    memcpy(name, line + 1, n);
    name[n] = '\0';
    return true;
}

static crp_status append_text(flattening *f, const char *path, const char *text);

static crp_status append_included(flattening *f, const char *from, unsigned line, const char *name)
{
    char path[MAX_PATH];
    size_t i = join(from, name, path) ? find(f, path) : MAX_FILES;
    if (i == MAX_FILES && join("", name, path)) {
        i = find(f, path);
    }
    CRP_CHECK(f->context, i < MAX_FILES, CRP_ERR_INTERNAL,
              "kernel/%s:%u: #include \"%s\" is not among the embedded kernel files (looked beside it and in kernel/)",
              from, line, name);
    if (!f->taken[i]) {
        f->taken[i] = true;
        CRP_TRY(append_text(f, f->files[i].path, f->files[i].text));
    }
    return append_line_mark(f, from, line + 1);
}

static crp_status append_text(flattening *f, const char *path, const char *text)
{
    CRP_TRY(append_line_mark(f, path, 1));
    unsigned line = 1;
    for (const char *next = text; *next != '\0'; line++) {
        const char *newline = strchr(next, '\n');
        const char *end = newline == NULL ? next + strlen(next) : newline;
        char name[MAX_PATH];
        if (parse_include(next, end, name)) {
            CRP_TRY(append_included(f, path, line, name));
        } else {
            CRP_TRY(append(f, next, (size_t)(end - next)));
            CRP_TRY(append(f, "\n", 1));
        }
        next = newline == NULL ? end : newline + 1;
    }
    return CRP_OK;
}

crp_status kernel_source_flatten_from(crp_context *context, const kernel_file *files, const char *file, char **text)
{
    flattening f = {.context = context, .files = files};
    crp_status status;
    *text = NULL;
    if (file[0] == '@') {
        status = append_text(&f, "inline", file + 1);
    } else {
        size_t i = find(&f, file);
        CRP_CHECK(context, i < MAX_FILES, CRP_ERR_INTERNAL,
                  "kernel file \"%s\" is not embedded in this program (it is not in kernel/, or was added after the "
                  "build was configured)", file);
        f.taken[i] = true;
        status = append_text(&f, files[i].path, files[i].text);
    }
    if (status != CRP_OK) {
        free(f.text);
        return status;
    }
    *text = f.text;
    return CRP_OK;
}

crp_status kernel_source_flatten(crp_context *context, const char *file, char **text)
{
    return kernel_source_flatten_from(context, kernel_files, file, text);
}

const char *kernel_source_label(const device_kernel_source *source)
{
    return source->file[0] == '@' ? "inline" : source->file;
}

/* Whether `joined` is the source's defines with one blank between them. */
static bool same_defines(const device_kernel_source *source, const char *joined)
{
    if (source->ahead != NULL) {
        return strcmp(source->ahead, joined) == 0;
    }
    for (size_t i = 0; i < source->n_defines; i++) {
        size_t n = strlen(source->defines[i]);
        if (strncmp(joined, source->defines[i], n) != 0) {
            return false;
        }
        joined += n;
        if (i + 1 < source->n_defines && *joined++ != ' ') {
            return false;
        }
    }
    return *joined == '\0';
}

const kernel_ptx *kernel_ptx_find(const kernel_ptx *table, const device_kernel_source *source)
{
    for (; table->entry != NULL; table++) {
        if (strcmp(table->entry, source->entry) == 0 && table->math == source->math && table->block >= source->block &&
            same_defines(source, table->defines)) {
            return table;
        }
    }
    return NULL;
}

int kernel_ptx_version(const char *text)
{
    int major = 0, minor = 0;
    const char *mark = strstr(text, "\n.version ");
    return mark != NULL && sscanf(mark, " .version %d.%d", &major, &minor) == 2 ? 10 * major + minor : 0;
}
