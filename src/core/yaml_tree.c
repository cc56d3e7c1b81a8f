/** YAML text to tree, over libyaml's event parser. */
#include "core/yaml_tree.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum { CHUNK_BYTES = 1 << 14, MAX_ANCHORS = 1000 };

/* Nodes, texts and arrays live in chunks that are freed together with the tree. */
typedef struct chunk {
    struct chunk *next;
    size_t n_used, n_bytes;
    max_align_t data[];
} chunk;

struct yaml_tree {
    chunk *chunks;
    yaml_node *root;
};

typedef struct anchor {
    const char *name;
    yaml_node *node;
} anchor;

/* A mapping or sequence under construction: its children stand in `stack` from `first` on. */
typedef struct frame {
    yaml_node *node;
    const char *anchor;
    size_t first;
} frame;

typedef struct builder {
    crp_context *context;
    const char *path;
    yaml_tree *tree;
    frame frames[YAML_TREE_MAX_DEPTH];
    size_t depth;
    yaml_node **stack; /* keys and values of all open collections */
    size_t n_stack, n_room;
    anchor *anchors;
    size_t n_anchors;
    size_t n_nodes; /* made so far, aliases expanded */
} builder;

/* ------------------------------------------------------------------------------------------------ memory */

static void *tree_allocate(yaml_tree *tree, size_t n_bytes)
{
    size_t rounded = (n_bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    chunk *c = tree->chunks;
    if (c == NULL || c->n_bytes - c->n_used < rounded) {
        size_t room = rounded > CHUNK_BYTES ? rounded : CHUNK_BYTES;
        c = malloc(sizeof *c + room);
        if (c == NULL) {
            return NULL;
        }
        *c = (chunk){.next = tree->chunks, .n_bytes = room};
        tree->chunks = c;
    }
    void *p = (char *)c->data + c->n_used;
    c->n_used += rounded;
    return memset(p, 0, rounded);
}

static const char *tree_copy_text(yaml_tree *tree, const void *text, size_t length)
{
    char *copy = tree_allocate(tree, length + 1);
    return copy == NULL ? NULL : memcpy(copy, text, length);
}

void yaml_tree_destroy(yaml_tree **tree)
{
    if (tree == NULL || *tree == NULL) {
        return;
    }
    for (chunk *c = (*tree)->chunks; c != NULL;) {
        chunk *next = c->next;
        free(c);
        c = next;
    }
    free(*tree);
    *tree = NULL;
}

/* ------------------------------------------------------------------------------------------------ errors */

#define FAIL_AT(b, mark, ...) fail_at((b), (mark).line + 1, (mark).column + 1, __VA_ARGS__)

static crp_status __attribute__((format(printf, 4, 5)))
fail_at(builder *b, size_t line, size_t column, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return context_fail(b->context, CRP_ERR_FORMAT, "%s:%zu:%zu: %s", b->path, line, column, text);
}

static crp_status fail_memory(builder *b)
{
    return context_fail(b->context, CRP_ERR_MEMORY, "%s: not enough memory to read the file", b->path);
}

/* libyaml's own words, with a hint for the two commonest slips. */
static crp_status fail_syntax(builder *b, const yaml_parser_t *parser)
{
    const char *problem = parser->problem == NULL ? "not YAML" : parser->problem, *hint = "";
    if (parser->error == YAML_MEMORY_ERROR) {
        return fail_memory(b);
    }
    if (parser->error == YAML_READER_ERROR) {
        return context_fail(b->context, CRP_ERR_FORMAT, "%s: %s (at byte %zu) the file must be UTF-8 text", b->path,
                            problem, parser->problem_offset);
    }
    if (strstr(problem, "cannot start any token") != NULL) {
        hint = " indent with blanks, not tabs, and put text with special characters in quotes";
    } else if (strstr(problem, "mapping values are not allowed") != NULL) {
        hint = " indent all keys of a mapping alike, and put text that contains ': ' in quotes";
    }
    if (parser->context == NULL) {
        return FAIL_AT(b, parser->problem_mark, "%s%s", problem, hint);
    }
    return FAIL_AT(b, parser->problem_mark, "%s (%s)%s", problem, parser->context, hint);
}

/* ------------------------------------------------------------------------------------------------- build */

static crp_status push(builder *b, yaml_node *node)
{
    if (b->n_stack == b->n_room) {
        size_t room = b->n_room == 0 ? 64 : 2 * b->n_room;
        yaml_node **bigger = realloc(b->stack, room * sizeof *bigger);
        if (bigger == NULL) {
            return fail_memory(b);
        }
        b->stack = bigger;
        b->n_room = room;
    }
    b->stack[b->n_stack++] = node;
    return CRP_OK;
}

static bool expects_key(const builder *b)
{
    if (b->depth == 0) {
        return false;
    }
    const frame *top = &b->frames[b->depth - 1];
    return top->node->kind == YAML_KIND_MAPPING && (b->n_stack - top->first) % 2 == 0;
}

/* The keys of an open mapping stand at every second place from its first on. */
static crp_status check_key(builder *b, const yaml_node *key)
{
    const frame *top = &b->frames[b->depth - 1];
    if ((b->n_stack - top->first) / 2 >= YAML_TREE_MAX_KEYS) {
        return fail_at(b, key->line, key->column, "too many keys (a mapping holds up to %d)", YAML_TREE_MAX_KEYS);
    }
    for (size_t i = top->first; i < b->n_stack; i += 2) {
        if (strcmp(b->stack[i]->text, key->text) == 0) {
            return fail_at(b, key->line, key->column,
                           "duplicate key \"%.60s\" (first given at line %u) keep one of them", key->text,
                           b->stack[i]->line);
        }
    }
    return CRP_OK;
}

static crp_status count_nodes(builder *b, size_t n, const yaml_mark_t *mark)
{
    b->n_nodes += n;
    return b->n_nodes <= YAML_TREE_MAX_NODES
               ? CRP_OK
               : FAIL_AT(b, *mark, "too many values (up to %d, each use of an alias counted)", YAML_TREE_MAX_NODES);
}

/* A finished value: into the open collection, or the root. */
static crp_status add_value(builder *b, yaml_node *node)
{
    if (b->depth == 0) {
        b->tree->root = node;
        return CRP_OK;
    }
    b->frames[b->depth - 1].node->n_nodes += node->n_nodes;
    return push(b, node);
}

static crp_status add_anchor(builder *b, const char *name, yaml_node *node)
{
    if (name == NULL) {
        return CRP_OK;
    }
    if (b->anchors == NULL) {
        b->anchors = malloc(MAX_ANCHORS * sizeof *b->anchors);
        if (b->anchors == NULL) {
            return fail_memory(b);
        }
    }
    if (b->n_anchors == MAX_ANCHORS) {
        return fail_at(b, node->line, node->column, "too many anchors (up to %d)", MAX_ANCHORS);
    }
    b->anchors[b->n_anchors++] = (anchor){name, node};
    return CRP_OK;
}

static crp_status new_node(builder *b, yaml_kind kind, const yaml_event_t *event, const yaml_char_t *tag,
                           yaml_node **node)
{
    if (tag != NULL) {
        return FAIL_AT(b, event->start_mark,
                       "the tag \"%.60s\" is not supported (types follow from the keys) leave it out",
                       (const char *)tag);
    }
    if (kind != YAML_KIND_SCALAR && expects_key(b)) {
        return FAIL_AT(b, event->start_mark, "a key must be a plain word, not %s", yaml_kind_words(kind));
    }
    CRP_TRY(count_nodes(b, 1, &event->start_mark));
    *node = tree_allocate(b->tree, sizeof **node);
    if (*node == NULL) {
        return fail_memory(b);
    }
    (*node)->kind = kind;
    (*node)->line = (uint32_t)event->start_mark.line + 1;
    (*node)->column = (uint32_t)event->start_mark.column + 1;
    (*node)->n_nodes = 1;
    return CRP_OK;
}

static crp_status copy_anchor_name(builder *b, const yaml_char_t *name, const char **copy)
{
    *copy = NULL;
    if (name != NULL) {
        *copy = tree_copy_text(b->tree, name, strlen((const char *)name));
        return *copy == NULL ? fail_memory(b) : CRP_OK;
    }
    return CRP_OK;
}

static crp_status add_scalar(builder *b, const yaml_event_t *event)
{
    yaml_node *node;
    const char *name;
    size_t length = event->data.scalar.length;
    CRP_TRY(new_node(b, YAML_KIND_SCALAR, event, event->data.scalar.tag, &node));
    if (memchr(event->data.scalar.value, '\0', length) != NULL) {
        return FAIL_AT(b, event->start_mark, "a zero byte inside a text (texts end there)");
    }
    node->text = tree_copy_text(b->tree, event->data.scalar.value, length);
    if (node->text == NULL) {
        return fail_memory(b);
    }
    node->is_quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    node->begin = event->start_mark.index;
    node->end = event->end_mark.index;
    if (expects_key(b)) {
        CRP_TRY(check_key(b, node));
    }
    CRP_TRY(copy_anchor_name(b, event->data.scalar.anchor, &name));
    CRP_TRY(add_anchor(b, name, node));
    return add_value(b, node);
}

static crp_status open_collection(builder *b, yaml_kind kind, const yaml_event_t *event, const yaml_char_t *tag,
                                  const yaml_char_t *anchor_name)
{
    yaml_node *node;
    const char *name;
    if (b->depth == YAML_TREE_MAX_DEPTH) {
        return FAIL_AT(b, event->start_mark, "nested too deeply (up to %d levels)", YAML_TREE_MAX_DEPTH);
    }
    CRP_TRY(new_node(b, kind, event, tag, &node));
    CRP_TRY(copy_anchor_name(b, anchor_name, &name));
    b->frames[b->depth++] = (frame){node, name, b->n_stack};
    return CRP_OK;
}

static crp_status close_collection(builder *b)
{
    frame top = b->frames[--b->depth];
    bool is_mapping = top.node->kind == YAML_KIND_MAPPING;
    size_t n = b->n_stack - top.first, n_items = is_mapping ? n / 2 : n;
    yaml_node **memory = tree_allocate(b->tree, n * sizeof *memory + 1);
    if (memory == NULL) {
        return fail_memory(b);
    }
    top.node->items = memory;
    top.node->keys = is_mapping ? memory + n_items : NULL;
    top.node->n_items = n_items;
    for (size_t i = 0; i < n_items; i++) {
        top.node->items[i] = b->stack[top.first + (is_mapping ? 2 * i + 1 : i)];
        if (is_mapping) {
            top.node->keys[i] = b->stack[top.first + 2 * i];
        }
    }
    b->n_stack = top.first;
    CRP_TRY(add_anchor(b, top.anchor, top.node));
    return add_value(b, top.node);
}

static crp_status add_alias(builder *b, const yaml_event_t *event)
{
    const char *name = (const char *)event->data.alias.anchor;
    if (expects_key(b)) {
        return FAIL_AT(b, event->start_mark, "a key must be a plain word, not an alias");
    }
    for (size_t i = b->n_anchors; i-- > 0;) { /* the latest of that name, as YAML has it */
        if (strcmp(b->anchors[i].name, name) == 0) {
            CRP_TRY(count_nodes(b, b->anchors[i].node->n_nodes, &event->start_mark));
            return add_value(b, b->anchors[i].node);
        }
    }
    return FAIL_AT(b, event->start_mark, "unknown alias *%.60s (no finished value before it is marked &%.60s)", name,
                   name);
}

static crp_status handle_event(builder *b, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return add_scalar(b, event);
    case YAML_SEQUENCE_START_EVENT:
        return open_collection(b, YAML_KIND_SEQUENCE, event, event->data.sequence_start.tag,
                               event->data.sequence_start.anchor);
    case YAML_MAPPING_START_EVENT:
        return open_collection(b, YAML_KIND_MAPPING, event, event->data.mapping_start.tag,
                               event->data.mapping_start.anchor);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return close_collection(b);
    case YAML_ALIAS_EVENT:
        return add_alias(b, event);
    case YAML_DOCUMENT_START_EVENT:
        return b->tree->root == NULL
                   ? CRP_OK
                   : FAIL_AT(b, event->start_mark, "a second document begins (a file holds one) remove \"---\"");
    default:
        return CRP_OK;
    }
}

static crp_status build(builder *b, yaml_parser_t *parser)
{
    bool is_done = false;
    while (!is_done) {
        yaml_event_t event;
        if (!yaml_parser_parse(parser, &event)) {
            return fail_syntax(b, parser);
        }
        is_done = event.type == YAML_STREAM_END_EVENT;
        crp_status status = handle_event(b, &event);
        yaml_event_delete(&event);
        CRP_TRY(status);
    }
    CRP_CHECK(b->context, b->tree->root != NULL, CRP_ERR_FORMAT, "%s: the file is empty", b->path);
    return CRP_OK;
}

crp_status yaml_tree_parse(crp_context *context, const char *path, const char *text, size_t n_bytes, yaml_tree **tree)
{
    builder b = {.context = context, .path = path};
    yaml_parser_t parser;
    *tree = NULL;
    CRP_CHECK(context, n_bytes <= YAML_TREE_MAX_BYTES, CRP_ERR_FORMAT, "%s: too large (%zu bytes, up to %d are read)",
              path, n_bytes, YAML_TREE_MAX_BYTES);
    b.tree = calloc(1, sizeof *b.tree);
    if (b.tree == NULL || !yaml_parser_initialize(&parser)) {
        free(b.tree);
        return fail_memory(&b);
    }
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, n_bytes);
    crp_status status = build(&b, &parser);
    yaml_parser_delete(&parser);
    free(b.stack);
    free(b.anchors);
    if (status != CRP_OK) {
        yaml_tree_destroy(&b.tree);
    }
    *tree = b.tree;
    return status;
}

/* -------------------------------------------------------------------------------------------------- read */

const yaml_node *yaml_tree_root(const yaml_tree *tree)
{
    return tree->root;
}

const yaml_node *yaml_node_find(const yaml_node *node, const char *key)
{
    if (node == NULL || node->kind != YAML_KIND_MAPPING) {
        return NULL;
    }
    for (size_t i = 0; i < node->n_items; i++) {
        if (strcmp(node->keys[i]->text, key) == 0) {
            return node->items[i];
        }
    }
    return NULL;
}

bool yaml_node_is_null(const yaml_node *node)
{
    return node->kind == YAML_KIND_SCALAR && !node->is_quoted &&
           (node->text[0] == '\0' || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0);
}

const char *yaml_kind_words(yaml_kind kind)
{
    return kind == YAML_KIND_SCALAR ? "a scalar" : kind == YAML_KIND_SEQUENCE ? "a list" : "a mapping";
}

/* ------------------------------------------------------------------------------------------------- write */

/* Code point at p and its length in bytes; a byte that is not UTF-8 gives U+FFFD. */
static uint32_t next_code_point(const unsigned char *p, size_t *length)
{
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n = p[0] < 0x80 ? 1 : p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : p[0] >= 0xc0 ? 2 : 0;
    uint32_t code = n == 1 ? p[0] : (uint32_t)(p[0] & (0x7f >> n));
    *length = 1;
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80) {
            return 0xfffd;
        }
        code = code << 6 | (p[i] & 0x3f);
    }
    if (n == 0 || code < least[n] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
        return 0xfffd;
    }
    *length = n;
    return code;
}

/* Characters that YAML readers refuse or take for line ends when they stand there as themselves. */
static bool must_escape(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029 || code == 0xfeff ||
           code == 0xfffe || code == 0xffff;
}

void yaml_write_string(FILE *file, const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    fputc('"', file);
    while (*p != '\0') {
        size_t length;
        uint32_t code = next_code_point(p, &length);
        if (code == '"' || code == '\\') {
            fprintf(file, "\\%c", (int)code);
        } else if (must_escape(code)) {
            fprintf(file, "\\u%04X", (unsigned)code);
        } else if (code == 0xfffd && length == 1) {
            fputs("\xef\xbf\xbd", file);
        } else {
            fwrite(p, 1, length, file);
        }
        p += length;
    }
    fputc('"', file);
}
