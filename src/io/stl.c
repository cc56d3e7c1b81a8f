/** Reader of STL files: see stl.h. */
#include "io/stl.h"

#include "core/units.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { HEADER = 80, TRIANGLE = 50, COUNT_END = 84, MAX_WORD = 32 };

/* Coordinates beyond this are a wrong file; squares of them must not overflow anywhere. */
static const double max_coordinate = 1e11;

typedef struct stl_text {
    crp_context *context;
    const char *path;
    const char *at, *end;
    uint32_t line;
    double scale;
    geom_mesh *mesh;
} stl_text;

/* --------------------------------------------------------------------------------------------------------- recognition
 */

static uint32_t little_u32(const char *bytes)
{
    const unsigned char *b = (const unsigned char *)bytes;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static bool is_binary(const char *bytes, size_t n_bytes)
{
    return n_bytes >= COUNT_END && n_bytes - COUNT_END == (uint64_t)TRIANGLE * little_u32(bytes + HEADER);
}

/** A binary file with something behind its triangles, as some programs write. */
static bool has_tail(const char *bytes, size_t n_bytes)
{
    return n_bytes >= COUNT_END && little_u32(bytes + HEADER) > 0 &&
           n_bytes - COUNT_END > (uint64_t)TRIANGLE * little_u32(bytes + HEADER);
}

static bool begins_with(const char *at, const char *end, const char *word)
{
    size_t n = strlen(word);
    return (size_t)(end - at) >= n && strncasecmp(at, word, n) == 0 && (at + n == end || isspace((unsigned char)at[n]));
}

static const char *skip_space(const char *at, const char *end)
{
    while (at < end && isspace((unsigned char)*at)) {
        at++;
    }
    return at;
}

/* `solid NAME` and then `facet` or `endsolid`: a name alone could be anything. */
static bool is_ascii(const char *bytes, size_t n_bytes)
{
    const char *end = bytes + n_bytes, *at = skip_space(bytes, end);
    if (!begins_with(at, end, "solid")) {
        return false;
    }
    while (at < end && *at != '\n' && *at != '\r') {
        at++;
    }
    at = skip_space(at, end);
    return at == end || begins_with(at, end, "facet") || begins_with(at, end, "endsolid");
}

bool stl_recognise(const char *bytes, size_t n_bytes)
{
    return is_binary(bytes, n_bytes) || is_ascii(bytes, n_bytes);
}

/* ---------------------------------------------------------------------------------------------------------------
 * binary */

static double little_real(const char *bytes)
{
    uint32_t bits = little_u32(bytes);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

/** Three vertices of its own and a facet, turned round. */
static crp_status add_triangle(crp_context *context, geom_mesh *mesh, const geom_point corners[3])
{
    uint32_t first = mesh->n_vertices;
    const uint32_t turned[3] = {first + 2, first + 1, first};
    for (int i = 0; i < 3; i++) {
        CRP_TRY(mesh_add_vertex(context, mesh, corners[i]));
    }
    CRP_TRY(mesh_add_facet(context, mesh, mesh->n_bodies - 1, false));
    return mesh_add_loop(context, mesh, turned, 3);
}

static bool is_fine(double value)
{
    return fabs(value) <= max_coordinate; /* false for NaN */
}

static crp_status read_binary(crp_context *context, const char *path, const char *bytes, double scale, geom_mesh *mesh)
{
    uint32_t n = little_u32(bytes + HEADER);
    CRP_CHECK(context, n > 0, CRP_ERR_FORMAT, "%s: has no triangles (a binary STL file that says 0)", path);
    CRP_TRY(mesh_add_body(context, mesh, "solid"));
    mesh->rounding = 6e-8;
    for (uint32_t i = 0; i < n; i++) {
        const char *at = bytes + COUNT_END + (size_t)TRIANGLE * i + 12; /* behind the normal */
        geom_point corners[3];
        for (int k = 0; k < 3; k++, at += 12) {
            double value[3] = {little_real(at), little_real(at + 4), little_real(at + 8)};
            for (int axis = 0; axis < 3; axis++) {
                CRP_CHECK(
                    context, is_fine(value[axis]), CRP_ERR_FORMAT,
                    "%s: triangle %u of %u: corner %d: %c = %g (must be finite and below %g): export the part again",
                    path, i + 1, n, k + 1, "xyz"[axis], value[axis], max_coordinate);
            }
            corners[k] = (geom_point){value[0] * scale, value[1] * scale, value[2] * scale};
        }
        CRP_TRY(add_triangle(context, mesh, corners));
    }
    return CRP_OK;
}

/* ----------------------------------------------------------------------------------------------------------------
 * ASCII */

/** The next word, lower case, cut to MAX_WORD - 1 letters; "" at the end of the file. */
static void next_word(stl_text *text, char word[MAX_WORD])
{
    size_t n = 0;
    while (text->at < text->end && isspace((unsigned char)*text->at)) {
        text->line += *text->at++ == '\n';
    }
    while (text->at < text->end && !isspace((unsigned char)*text->at)) {
        char c = *text->at++;
        if (n + 1 < MAX_WORD) {
            word[n++] = (char)(isprint((unsigned char)c) ? tolower((unsigned char)c) : '?');
        }
    }
    word[n] = '\0';
}

static crp_status fail_at(const stl_text *text, const char *found, const char *wanted)
{
    if (found[0] == '\0') {
        return context_fail(text->context, CRP_ERR_FORMAT,
                            "%s:%u: the file ends where %s must stand (is it cut?): export the part again", text->path,
                            text->line, wanted);
    }
    return context_fail(text->context, CRP_ERR_FORMAT, "%s:%u: found `%s` where %s must stand", text->path, text->line,
                        found, wanted);
}

static crp_status expect(stl_text *text, const char *wanted)
{
    char word[MAX_WORD], quoted[MAX_WORD + 2];
    next_word(text, word);
    if (strcmp(word, wanted) == 0) {
        return CRP_OK;
    }
    snprintf(quoted, sizeof quoted, "`%s`", wanted);
    return fail_at(text, word, quoted);
}

static crp_status read_coordinate(stl_text *text, bool is_used, double *value)
{
    char word[MAX_WORD];
    const char *end;
    next_word(text, word);
    *value = units_scan_real(word, &end);
    bool is_number = end != word && *end == '\0' && is_fine(*value);
    if (is_number || (!is_used && word[0] != '\0')) {
        return CRP_OK;
    }
    return fail_at(text, word, "a finite coordinate");
}

/* `facet normal x y z outer loop vertex x y z ... endloop endfacet`, its first word read already. Some programs write
 * nan for the normal of a sliver: normals are not used. */
static crp_status read_facet(stl_text *text)
{
    double value[3];
    geom_point corners[3];
    CRP_TRY(expect(text, "normal"));
    for (int axis = 0; axis < 3; axis++) {
        CRP_TRY(read_coordinate(text, false, &value[axis]));
    }
    CRP_TRY(expect(text, "outer"));
    CRP_TRY(expect(text, "loop"));
    for (int k = 0; k < 3; k++) {
        CRP_TRY(expect(text, "vertex"));
        for (int axis = 0; axis < 3; axis++) {
            CRP_TRY(read_coordinate(text, true, &value[axis]));
        }
        corners[k] = (geom_point){value[0] * text->scale, value[1] * text->scale, value[2] * text->scale};
    }
    CRP_TRY(expect(text, "endloop"));
    CRP_TRY(expect(text, "endfacet"));
    return add_triangle(text->context, text->mesh, corners);
}

/* The rest of the line names the solid, in printable characters. */
static crp_status read_name(stl_text *text)
{
    char name[MESH_NAME_LENGTH];
    size_t n = 0;
    while (text->at < text->end && (*text->at == ' ' || *text->at == '\t')) {
        text->at++;
    }
    while (text->at < text->end && *text->at != '\n' && *text->at != '\r') {
        unsigned char c = (unsigned char)*text->at++;
        if (n + 1 < sizeof name) {
            name[n++] = (char)(c >= 0x20 && c < 0x7f ? c : '_');
        }
    }
    while (n > 0 && name[n - 1] == ' ') {
        n--;
    }
    name[n] = '\0';
    return mesh_add_body(text->context, text->mesh, n > 0 ? name : "solid");
}

static crp_status read_solid(stl_text *text)
{
    char word[MAX_WORD];
    CRP_TRY(read_name(text));
    for (;;) {
        next_word(text, word);
        if (strcmp(word, "facet") == 0) {
            CRP_TRY(read_facet(text));
        } else if (strcmp(word, "endsolid") == 0) {
            break;
        } else {
            return fail_at(text, word, "`facet` or `endsolid`");
        }
    }
    while (text->at < text->end && *text->at != '\n' && *text->at != '\r') {
        text->at++; /* the name once more */
    }
    return CRP_OK;
}

static crp_status read_ascii(stl_text *text)
{
    char word[MAX_WORD];
    text->mesh->rounding = 5e-7; /* six or seven digits are usual */
    for (next_word(text, word); word[0] != '\0'; next_word(text, word)) {
        if (strcmp(word, "solid") != 0) {
            return fail_at(text, word, "`solid` or the end of the file");
        }
        CRP_TRY(read_solid(text));
    }
    CRP_CHECK(text->context, text->mesh->n_facets > 0, CRP_ERR_FORMAT, "%s: has no triangles", text->path);
    return CRP_OK;
}

crp_status stl_read(crp_context *context, const char *path, const char *bytes, size_t n_bytes, double scale,
                    geom_mesh **mesh)
{
    CRP_TRY(mesh_create(context, mesh));
    crp_status status;
    if (is_binary(bytes, n_bytes)) {
        status = read_binary(context, path, bytes, scale, *mesh);
    } else if (has_tail(bytes, n_bytes)) { /* four letters would be a number too large for any file */
        context_log(context, CRP_LOG_WARNING, "stl", "%s: %zu bytes behind its %u triangles are not looked at", path,
                    n_bytes - COUNT_END - (size_t)TRIANGLE * little_u32(bytes + HEADER), little_u32(bytes + HEADER));
        status = read_binary(context, path, bytes, scale, *mesh);
    } else if (is_ascii(bytes, n_bytes)) {
        stl_text text = {context, path, bytes, bytes + n_bytes, 1, scale, *mesh};
        status = read_ascii(&text);
    } else if (n_bytes >= COUNT_END) {
        status = context_fail(context, CRP_ERR_FORMAT,
                              "%s: is not STL (no `solid ... facet`, and its length of %zu bytes does not fit the %u "
                              "triangles of a binary file): is it cut?",
                              path, n_bytes, little_u32(bytes + HEADER));
    } else {
        status = context_fail(context, CRP_ERR_FORMAT, "%s: is not STL (too short: %zu bytes)", path, n_bytes);
    }
    if (status != CRP_OK) {
        mesh_destroy(mesh);
    }
    return status;
}
