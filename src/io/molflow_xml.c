/**
 * The parser of Molflow XML: see molflow.h. Expat in one pass, with a stack of places. A DOCTYPE, which is where entity
 * bombs live, is refused at once: Molflow writes none.
 */
#include "io/molflow.h"
#include "io/molflow_read.h"

#include <ctype.h>
#include <expat.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char root_name[] = "SimulationEnvironment";

/* ------------------------------------------------------------------------------------------------- the first element
 */

/** The name of the first element, behind a byte order mark, blanks, comments, declarations; NULL if there is none. */
static const char *first_element(const char *bytes, size_t n_bytes)
{
    const char *at = bytes, *end = bytes + n_bytes;
    if (n_bytes >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0) {
        at += 3;
    }
    for (;;) {
        while (at < end && isspace((unsigned char)*at)) {
            at++;
        }
        if (end - at < 2 || *at != '<') {
            return NULL;
        }
        bool is_doctype = end - at >= 9 && memcmp(at, "<!DOCTYPE", 9) == 0;
        if ((at[1] != '?' && at[1] != '!') || is_doctype) { /* a DOCTYPE is the parser's to refuse */
            return at + 1;
        }
        bool is_comment = end - at >= 4 && memcmp(at, "<!--", 4) == 0;
        while (at < end && !(*at == '>' && (!is_comment || memcmp(at - 2, "--", 2) == 0))) {
            at++;
        }
        if (at == end) {
            return NULL;
        }
        at++;
    }
}

static bool is_named(const char *element, const char *end, const char *name)
{
    size_t n = strlen(name);
    return (size_t)(end - element) > n && memcmp(element, name, n) == 0 &&
           (isspace((unsigned char)element[n]) || element[n] == '>' || element[n] == '/');
}

bool molflow_recognise_xml(const char *bytes, size_t n_bytes)
{
    const char *at = bytes, *end = bytes + n_bytes;
    if (n_bytes >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0) {
        at += 3;
    }
    while (at < end && isspace((unsigned char)*at)) {
        at++;
    }
    return end - at >= 2 && *at == '<' && (isalpha((unsigned char)at[1]) || at[1] == '?' || at[1] == '!');
}

/* ------------------------------------------------------------------------------------------------------------- parsing
 */

typedef struct xml_state {
    molflow_reader reader;
    XML_Parser parser;
    bool is_wrapped; /* several top elements, for which we made a root */
    bool had_top;    /* the root has been seen */
} xml_state;

static void stop(xml_state *s, crp_status status)
{
    s->reader.status = status;
    XML_StopParser(s->parser, XML_FALSE);
}

static crp_status check_root(xml_state *s, const char *name, const char **attributes)
{
    molflow_reader *r = &s->reader;
    if (s->is_wrapped) {
        return CRP_OK;
    }
    const char *type = molflow_attribute(attributes, "type");
    if (strcmp(name, root_name) != 0) {
        return molflow_fail(r, "the file begins with <%.40s> (a Molflow file with <%s> or <Geometry>)", name,
                            root_name);
    }
    if (type != NULL && strcmp(type, "molflow") != 0) {
        molflow_fail(r, "is a file of type `%.40s` (only Molflow models are read)", type);
        return CRP_ERR_UNSUPPORTED; /* the message stands */
    }
    return CRP_OK;
}

static void XMLCALL on_start(void *user, const XML_Char *name, const XML_Char **attributes)
{
    xml_state *s = user;
    molflow_reader *r = &s->reader;
    molflow_handler begin = NULL;
    if (r->status != CRP_OK) {
        return;
    }
    r->line = (uint32_t)XML_GetCurrentLineNumber(s->parser);
    if (r->depth >= MOLFLOW_MAX_DEPTH) {
        stop(s,
             molflow_fail(r, "<%.40s> stands inside %d others (no Molflow file is so deep)", name, MOLFLOW_MAX_DEPTH));
        return;
    }
    molflow_place place = PLACE_TOP;
    crp_status status = CRP_OK;
    if (!s->had_top) {
        s->had_top = true;
        status = check_root(s, name, attributes);
    } else {
        place = molflow_find_child(r->places[r->depth - 1], name, &begin);
    }
    r->places[r->depth++] = place;
    if (status == CRP_OK && begin != NULL) {
        status = begin(r, attributes);
    }
    if (status != CRP_OK) {
        stop(s, status);
    }
}

static void XMLCALL on_end(void *user, const XML_Char *name)
{
    xml_state *s = user;
    molflow_reader *r = &s->reader;
    (void)name;
    if (r->status != CRP_OK || r->depth == 0) {
        return;
    }
    r->line = (uint32_t)XML_GetCurrentLineNumber(s->parser);
    crp_status status = molflow_leave(r, r->places[--r->depth]);
    if (status != CRP_OK) {
        stop(s, status);
    }
}

static void XMLCALL on_doctype(void *user, const XML_Char *name, const XML_Char *system, const XML_Char *public_id,
                               int has_internal)
{
    xml_state *s = user;
    (void)name;
    (void)system;
    (void)public_id;
    (void)has_internal;
    s->reader.line = (uint32_t)XML_GetCurrentLineNumber(s->parser);
    stop(s, molflow_fail(&s->reader,
                         "has a DOCTYPE (Molflow writes none, and entities can blow up a small file): remove it"));
}

static crp_status feed(xml_state *s, const char *text, size_t n, bool is_last)
{
    static const size_t piece = 1 << 24; /* expat counts bytes as int */
    do {
        size_t now = n < piece ? n : piece;
        enum XML_Status parsed = XML_Parse(s->parser, text, (int)now, is_last && now == n);
        if (s->reader.status != CRP_OK) {
            return s->reader.status;
        }
        if (parsed != XML_STATUS_OK) {
            s->reader.line = (uint32_t)XML_GetCurrentLineNumber(s->parser);
            return molflow_fail(&s->reader, "is not well-formed XML (%s): is it cut or edited?",
                                XML_ErrorString(XML_GetErrorCode(s->parser)));
        }
        text += now;
        n -= now;
    } while (n > 0);
    return CRP_OK;
}

/** Old files have no root: we open one on the line of their first element, and close it at the end. */
static crp_status feed_wrapped(xml_state *s, const char *first, const char *end)
{
    CRP_TRY(feed(s, "<old>", 5, false));
    CRP_TRY(feed(s, first, (size_t)(end - first), false));
    return feed(s, "</old>", 6, true);
}

static crp_status parse(xml_state *s, const char *text, size_t n_bytes)
{
    const char *end = text + n_bytes, *first = first_element(text, n_bytes);
    if (first == NULL) {
        s->reader.line = 1;
        return molflow_fail(&s->reader, "holds no XML element (is it cut?)");
    }
    s->is_wrapped = is_named(first, end, "Geometry") || is_named(first, end, "Interface") ||
                    is_named(first, end, "MolflowSimuSettings");
    return s->is_wrapped ? feed_wrapped(s, first - 1, end) : feed(s, text, n_bytes, true);
}

crp_status molflow_read_xml(crp_context *context, const char *path, const char *text, size_t n_bytes, gas_model *gas)
{
    xml_state s = {.reader = {.context = context, .path = path, .gas = gas, .line = 1}};
    s.parser = XML_ParserCreate(NULL);
    CRP_CHECK(context, s.parser != NULL, CRP_ERR_MEMORY, "%s: not enough memory to read it", path);
    XML_SetUserData(s.parser, &s);
    XML_SetElementHandler(s.parser, on_start, on_end);
    XML_SetStartDoctypeDeclHandler(s.parser, on_doctype);
    crp_status status = parse(&s, text, n_bytes);
    if (status == CRP_OK) {
        status = molflow_end(&s.reader);
    }
    XML_ParserFree(s.parser);
    free(s.reader.corners);
    free(s.reader.selected);
    return status;
}
