/**
 * A Molflow document with other values: see molflow_write.h. Everything is copied byte by byte, but for start tags of
 * which a value has changed, and the results.
 */
#include "core/context.h"
#include "core/units.h"
#include "io/gas_numbers.h"
#include "io/molflow_write.h"
#include "model/gas/gas_facet.h"

#include <expat.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 64 };

static const char wrapper_begin[] = "<old>", wrapper_end[] = "</old>";

typedef struct editor {
    crp_context *context;
    const char *path;
    const char *text;
    size_t n_text;
    const gas_model *model;
    const crp_result *result;
    FILE *file;
    XML_Parser parser;
    crp_status status;
    int64_t shift; /* of byte numbers: what we put before the text */
    bool is_wrapped, had_wrapper;
    int64_t copied;  /* up to here */
    int64_t tag_end; /* of the last start tag */
    uint32_t depth;  /* of open elements, without the wrapper */
    uint32_t top;    /* depth of Geometry and its like: 1 under a root, 0 without */
    char names[MAX_DEPTH][32];
    uint32_t n_facets; /* begun */
    bool has_results;
    double *areas;
} editor;

static void stop(editor *e, crp_status status)
{
    e->status = status;
    XML_StopParser(e->parser, XML_FALSE);
}

/** Copy what stands before byte `end`. */
static void copy_to(editor *e, int64_t end)
{
    if (end > e->copied) {
        fwrite(e->text + e->copied, 1, (size_t)(end - e->copied), e->file);
        e->copied = end;
    }
}

static int64_t here(const editor *e)
{
    return (int64_t)XML_GetCurrentByteIndex(e->parser) - e->shift;
}

static bool is_in(const editor *e, uint32_t level, const char *name)
{
    return e->depth > e->top + level && strcmp(e->names[e->top + level], name) == 0;
}

/* -------------------------------------------------------------------------------------------------------------- values
 */

/** A value that an attribute must have. */
typedef struct new_value {
    const char *name;
    double value;
} new_value;

static bool differs(const char *text, double value)
{
    const char *end;
    double old = strcmp(text, "true") == 0 ? 1 : strcmp(text, "false") == 0 ? 0 : units_scan_real(text, &end);
    /* Values went through other units and back. */
    return fabs(old - value) > 1e-13 * fabs(value);
}

static bool has_value(const XML_Char **attributes, const char *name, double value)
{
    for (; attributes[0] != NULL; attributes += 2) {
        if (strcmp(attributes[0], name) == 0) {
            return !differs(attributes[1], value);
        }
    }
    return false;
}

static const new_value *find_value(const new_value *values, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(values[i].name, name) == 0) {
            return &values[i];
        }
    }
    return NULL;
}

/** Write the start tag in hand with new values; attributes that it lacks are added. Nothing is done when all are the
 * same. */
static void edit_tag(editor *e, const char *name, const XML_Char **attributes, const new_value *values, size_t n)
{
    bool is_changed = false;
    int64_t begin = here(e), length = XML_GetCurrentByteCount(e->parser);
    for (const XML_Char **a = attributes; a[0] != NULL; a += 2) {
        const new_value *v = find_value(values, n, a[0]);
        is_changed = is_changed || (v != NULL && differs(a[1], v->value));
    }
    if (!is_changed) {
        return;
    }
    copy_to(e, begin);
    fprintf(e->file, "<%s", name);
    for (const XML_Char **a = attributes; a[0] != NULL; a += 2) {
        const new_value *v = find_value(values, n, a[0]);
        if (v != NULL && differs(a[1], v->value)) {
            molflow_put_real(e->file, a[0], v->value);
        } else {
            molflow_put_text(e->file, a[0], a[1]);
        }
    }
    fputs(e->text[begin + length - 2] == '/' ? " />" : ">", e->file);
    e->copied = begin + length;
}

static void edit_facet(editor *e, const char *name, const XML_Char **attributes)
{
    uint32_t f = e->n_facets - 1;
    const gas_surface *s = &e->model->surfaces[e->model->facets[f].surface];
    if (strcmp(name, "Sticking") == 0) {
        edit_tag(e, name, attributes, (new_value[]){{"constValue", s->sticking}}, 1);
    } else if (strcmp(name, "Opacity") == 0) {
        edit_tag(e, name, attributes, (new_value[]){{"constValue", s->opacity}, {"is2sided", s->is_two_sided}}, 2);
    } else if (strcmp(name, "Temperature") == 0) {
        edit_tag(e, name, attributes, (new_value[]){{"value", s->temperature}, {"accFactor", s->accommodation}}, 2);
    } else if (strcmp(name, "Reflection") == 0) {
        const new_value values[] = {
            {"diffusePart", s->diffuse}, {"specularPart", s->specular}, {"cosineExponent", s->cosine_exponent}};
        edit_tag(e, name, attributes, values, 3);
    } else if (strcmp(name, "Outgassing") == 0) {
        double outgassing = gas_facet_outgassing(e->model, f, gas_facet_frame(e->model, f).area, e->areas);
        const new_value values[] = {
            {"constValue", outgassing}, {"desType", s->desorption}, {"desExponent", s->desorption_exponent}};
        bool was_silent = has_value(attributes, "desType", 0); /* such a facet may keep a number that does not count */
        edit_tag(e, name, attributes, values, outgassing > 0 ? 3 : was_silent ? 0 : 1);
    }
}

/* -------------------------------------------------------------------------------------------------------------
 * elements */

static void put_results(editor *e)
{
    e->has_results = true;
    if (e->result != NULL) {
        crp_status status = molflow_write_results(e->context, e->model, e->result, e->file);
        if (status != CRP_OK) {
            stop(e, status);
        }
    }
}

static void XMLCALL on_start(void *user, const XML_Char *name, const XML_Char **attributes)
{
    editor *e = user;
    if (e->status != CRP_OK) {
        return;
    }
    if (e->is_wrapped && !e->had_wrapper) {
        e->had_wrapper = true;
        return;
    }
    e->tag_end = here(e) + XML_GetCurrentByteCount(e->parser);
    if (e->depth >= MAX_DEPTH) {
        stop(e, context_fail(e->context, CRP_ERR_FORMAT, "%s: elements stand inside one another more than %d deep",
                             e->path, MAX_DEPTH));
        return;
    }
    strncpy(e->names[e->depth], name, sizeof e->names[0] - 1);
    e->names[e->depth][sizeof e->names[0] - 1] = '\0';
    e->depth++;
    if (e->depth == e->top + 1 && strcmp(name, "MolflowResults") == 0) {
        copy_to(e, here(e));
    } else if (e->depth == e->top + 3 && is_in(e, 1, "Facets") && strcmp(name, "Facet") == 0 &&
               is_in(e, 0, "Geometry")) {
        if (++e->n_facets > e->model->n_facets) {
            stop(e,
                 context_fail(e->context, CRP_ERR_CONFIG, "%s: has more facets than the model (%u): it is another one",
                              e->path, e->model->n_facets));
        }
    } else if (e->depth == e->top + 4 && is_in(e, 2, "Facet") && is_in(e, 0, "Geometry")) {
        edit_facet(e, name, attributes);
    } else if (e->depth == e->top + 5 && is_in(e, 3, "Recordings") && is_in(e, 0, "Geometry") && e->result != NULL &&
               strcmp(name, "Texture") == 0) {
        /* Molflow stops reading results where a texture of directions is announced and not there. */
        edit_tag(e, name, attributes, (new_value[]){{"countDir", 0}}, 1);
    } else if (e->depth == e->top + 2 && is_in(e, 0, "MolflowSimuSettings") && strcmp(name, "Gas") == 0) {
        edit_tag(e, name, attributes, (new_value[]){{"mass", 1000 * e->model->mass}}, 1);
    }
}

static void XMLCALL on_end(void *user, const XML_Char *name)
{
    editor *e = user;
    if (e->status != CRP_OK || e->depth == 0) {
        return;
    }
    if (e->depth == e->top + 1 && strcmp(name, "MolflowResults") == 0) {
        int64_t length = XML_GetCurrentByteCount(e->parser); /* 0 for <a/> */
        put_results(e); /* or, without a result, nothing: the old ones belong to other values */
        e->copied = length > 0 ? here(e) + length : e->tag_end;
    } else if (e->depth == 1 && e->top == 1 && !e->has_results && e->result != NULL) {
        copy_to(e, here(e));
        fputc('\t', e->file);
        put_results(e);
        fputc('\n', e->file);
    }
    e->depth--;
}

static void XMLCALL on_doctype(void *user, const XML_Char *name, const XML_Char *system, const XML_Char *public_id,
                               int has_internal)
{
    editor *e = user;
    (void)name;
    (void)system;
    (void)public_id;
    (void)has_internal;
    stop(e, context_fail(e->context, CRP_ERR_FORMAT, "%s: has a DOCTYPE (Molflow writes none): remove it", e->path));
}

static crp_status feed(editor *e, const char *text, size_t n, bool is_last)
{
    static const size_t piece = 1 << 24;
    do {
        size_t now = n < piece ? n : piece;
        enum XML_Status parsed = XML_Parse(e->parser, text, (int)now, is_last && now == n);
        if (e->status != CRP_OK) {
            return e->status;
        }
        CRP_CHECK(e->context, parsed == XML_STATUS_OK, CRP_ERR_FORMAT, "%s:%lu: is not well-formed XML (%s)", e->path,
                  (unsigned long)XML_GetCurrentLineNumber(e->parser), XML_ErrorString(XML_GetErrorCode(e->parser)));
        text += now;
        n -= now;
    } while (n > 0);
    return CRP_OK;
}

/** Files before 2.8 have several top elements: as in the reader they get a root, which is not written. */
static crp_status edit_all(editor *e)
{
    const char *root = strstr(e->text, "<SimulationEnvironment"), *geometry = strstr(e->text, "<Geometry");
    CRP_CHECK(e->context, geometry != NULL, CRP_ERR_FORMAT, "%s: has no <Geometry> (is it a Molflow model?)", e->path);
    if (root != NULL && root < geometry) {
        CRP_TRY(feed(e, e->text, e->n_text, true));
    } else {
        const char *declaration = strstr(e->text, "<?xml"),
                   *end = declaration == NULL ? NULL : strstr(declaration, "?>");
        const char *first = declaration != NULL && declaration < geometry && end != NULL ? end + 2 : e->text;
        e->is_wrapped = true;
        e->top = 0;
        e->shift = (int64_t)sizeof wrapper_begin - 1 - (first - e->text);
        CRP_TRY(feed(e, wrapper_begin, sizeof wrapper_begin - 1, false));
        CRP_TRY(feed(e, first, e->n_text - (size_t)(first - e->text), false));
        CRP_TRY(feed(e, wrapper_end, sizeof wrapper_end - 1, true));
    }
    copy_to(e, (int64_t)e->n_text);
    if (!e->has_results && e->result != NULL) {
        put_results(e);
        CRP_TRY(e->status);
    }
    CRP_CHECK(e->context, e->n_facets == e->model->n_facets, CRP_ERR_CONFIG,
              "%s: has %u facets, the model %u: it is another one", e->path, e->n_facets, e->model->n_facets);
    return CRP_OK;
}

crp_status molflow_edit(crp_context *context, const char *path, const char *text, size_t n_text, const gas_model *model,
                        const crp_result *result, FILE *file)
{
    editor e = {.context = context,
                .path = path,
                .text = text,
                .n_text = n_text,
                .model = model,
                .result = result,
                .file = file,
                .top = 1};
    CRP_TRY(gas_surface_areas(context, model, &e.areas));
    e.parser = XML_ParserCreate(NULL);
    crp_status status = CRP_ERR_MEMORY;
    if (e.parser == NULL) {
        status = context_fail(context, CRP_ERR_MEMORY, "%s: not enough memory to read it", path);
    } else {
        XML_SetUserData(e.parser, &e);
        XML_SetElementHandler(e.parser, on_start, on_end);
        XML_SetStartDoctypeDeclHandler(e.parser, on_doctype);
        status = edit_all(&e);
        XML_ParserFree(e.parser);
    }
    free(e.areas);
    return status;
}
