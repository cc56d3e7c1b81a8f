/* The YAML tree: what is read, with positions, and what is refused. */
#include "core/yaml_tree.h"

#include "unit/yaml_test.h"

static yaml_tree *parse(const char *text)
{
    yaml_tree *tree = NULL;
    assert_ok(yaml_tree_parse(context, "f.yaml", text, strlen(text), &tree));
    return tree;
}

static void refuse_bytes(const char *text, size_t n, const char *message)
{
    yaml_tree *tree = (yaml_tree *)&tree;
    assert_int_equal(yaml_tree_parse(context, "f.yaml", text, n, &tree), CRP_ERR_FORMAT);
    assert_null(tree);
    assert_message(message);
}

static void refuse(const char *text, const char *message)
{
    refuse_bytes(text, strlen(text), message);
}

static void reads_mappings_sequences_scalars(void **state)
{
    (void)state;
    yaml_tree *tree = parse("# comment\na: 1 # one\nb:\n  - x y\n  - {c: 'q: r', d: [1, 2]}\ne:\n");
    const yaml_node *root = yaml_tree_root(tree), *b = yaml_node_find(root, "b"), *item;
    assert_int_equal(root->kind, YAML_KIND_MAPPING);
    assert_int_equal(root->n_items, 3);
    assert_string_equal(root->keys[2]->text, "e");
    assert_string_equal(yaml_node_find(root, "a")->text, "1");
    assert_int_equal(yaml_node_find(root, "a")->line, 2);
    assert_int_equal(yaml_node_find(root, "a")->column, 4);
    assert_int_equal(b->kind, YAML_KIND_SEQUENCE);
    assert_string_equal(b->items[0]->text, "x y");
    item = b->items[1];
    assert_string_equal(yaml_node_find(item, "c")->text, "q: r");
    assert_true(yaml_node_find(item, "c")->is_quoted);
    assert_int_equal(yaml_node_find(item, "d")->n_items, 2);
    assert_int_equal(item->line, 5);
    assert_int_equal(item->column, 5);
    assert_true(yaml_node_is_null(yaml_node_find(root, "e")));
    assert_null(yaml_node_find(root, "z"));
    assert_null(yaml_node_find(b, "a"));
    assert_null(yaml_node_find(NULL, "a"));
    yaml_tree_destroy(&tree);
    assert_null(tree);
    yaml_tree_destroy(&tree);
}

static void scalars_know_where_they_stand(void **state)
{
    (void)state;
    const char *text = "a: 12 /cm # why\nb: {c: \"x y\", d: last}\n";
    yaml_tree *tree = parse(text);
    const yaml_node *a = yaml_node_find(yaml_tree_root(tree), "a"), *b = yaml_node_find(yaml_tree_root(tree), "b");
    const yaml_node *c = yaml_node_find(b, "c"), *d = yaml_node_find(b, "d");
    assert_int_equal(a->end - a->begin, 6);
    assert_memory_equal(text + a->begin, "12 /cm", 6);
    assert_memory_equal(text + c->begin, "\"x y\"", c->end - c->begin);
    assert_memory_equal(text + d->begin, "last", d->end - d->begin);
    yaml_tree_destroy(&tree);
}

static void reads_json(void **state)
{
    (void)state;
    yaml_tree *tree = parse("{\n\t\"a\": [1.5e3, true, null, \"x\\ty\\u00e9\\/\"],\n\t\"b\" : {\"c\":\"~\"},\"d\":-1}");
    const yaml_node *root = yaml_tree_root(tree), *a = yaml_node_find(root, "a");
    assert_string_equal(a->items[0]->text, "1.5e3");
    assert_string_equal(a->items[1]->text, "true");
    assert_true(yaml_node_is_null(a->items[2]));
    assert_string_equal(a->items[3]->text, "x\ty\xc3\xa9/");
    assert_false(yaml_node_is_null(yaml_node_find(yaml_node_find(root, "b"), "c")));
    assert_string_equal(yaml_node_find(root, "d")->text, "-1");
    yaml_tree_destroy(&tree);
}

static void reads_windows_line_ends_and_byte_order_mark(void **state)
{
    (void)state;
    yaml_tree *tree = parse("\xef\xbb\xbf"
                            "a: 1\r\nb: x\r\n");
    assert_string_equal(yaml_node_find(yaml_tree_root(tree), "a")->text, "1");
    assert_string_equal(yaml_node_find(yaml_tree_root(tree), "b")->text, "x");
    yaml_tree_destroy(&tree);
}

static void aliases_share_their_node(void **state)
{
    (void)state;
    yaml_tree *tree = parse("a: &dermis {n: 1.4}\nb: [*dermis, *dermis]\nc: &s text\nd: *s\n");
    const yaml_node *root = yaml_tree_root(tree), *b = yaml_node_find(root, "b");
    assert_ptr_equal(b->items[0], yaml_node_find(root, "a"));
    assert_ptr_equal(b->items[1], b->items[0]);
    assert_string_equal(yaml_node_find(root, "d")->text, "text");
    yaml_tree_destroy(&tree);
    tree = parse("a: &x 1\nb: &x 2\nc: *x\n");
    assert_string_equal(yaml_node_find(yaml_tree_root(tree), "c")->text, "2");
    yaml_tree_destroy(&tree);
}

static void refuses_with_line_and_column(void **state)
{
    (void)state;
    refuse("", "f.yaml: the file is empty");
    refuse("# only a comment\n", "the file is empty");
    refuse("a: 1\nb: 2\na: 3\n", "f.yaml:3:1: duplicate key \"a\" (first given at line 1)");
    refuse("{a: 1, b: {x: 1, x: 2}}", "f.yaml:1:18: duplicate key \"x\"");
    refuse("a: 1\n---\nb: 2\n", "f.yaml:2:1: a second document begins");
    refuse("{[1]: 2}", "f.yaml:1:2: a key must be a plain word, not a list");
    refuse("? {a: 1}\n: 2\n", "a key must be a plain word, not a mapping");
    refuse("a: &k x\n*k : 2\n", "a key must be a plain word, not an alias");
    refuse("a: !!python/object x\n", "is not supported");
    refuse("a: ! x\n", "is not supported");
    refuse("a: *b\n", "f.yaml:1:4: unknown alias *b");
    refuse("a: &b [*b]\n", "unknown alias *b");
    refuse("a: [1, 2\n", "f.yaml:2:1:");
    refuse("a: 1\n\tb: 2\n", "f.yaml:2:1:");
    refuse("a:\n\t- 1\n", "indent with blanks, not tabs");
    refuse("a: b: c\n", "mapping values are not allowed");
    refuse("a: \"x\n", "f.yaml:");
    refuse("a: \xff\xfe\n", "the file must be UTF-8 text");
    refuse("a: \"x\\0y\"\n", "f.yaml:1:4: a zero byte inside a text");
    refuse_bytes("a: 1\0b", 6, "f.yaml:");
    refuse_bytes("a: x", YAML_TREE_MAX_BYTES + (size_t)1, "too large");
}

static void refuses_deep_nesting(void **state)
{
    (void)state;
    char text[4 * YAML_TREE_MAX_DEPTH];
    yaml_tree *tree = NULL;
    for (int depth = YAML_TREE_MAX_DEPTH; depth <= YAML_TREE_MAX_DEPTH + 1; depth++) {
        memset(text, '[', (size_t)depth);
        memset(text + depth, ']', (size_t)depth);
        text[2 * depth] = '\0';
        if (depth == YAML_TREE_MAX_DEPTH) {
            tree = parse(text);
            yaml_tree_destroy(&tree);
        } else {
            refuse(text, "nested too deeply");
        }
    }
    char *deep = malloc(1000001);
    memset(deep, '[', 1000000);
    deep[1000000] = '\0';
    refuse(deep, "nested too deeply");
    free(deep);
}

/* Nine lists of nine aliases each, the last expands to a billion: refused after a few hundred bytes. */
static void refuses_a_billion_laughs(void **state)
{
    (void)state;
    char text[4096] = "a0: &a0 [lol]\n";
    for (int i = 1; i < 10; i++) {
        size_t used = strlen(text);
        used += (size_t)snprintf(text + used, sizeof text - used, "a%d: &a%d [", i, i);
        for (int k = 0; k < 10; k++) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s*a%d", k == 0 ? "" : ", ", i - 1);
        }
        snprintf(text + used, sizeof text - used, "]\n");
    }
    refuse(text, "too many values");
}

static void refuses_too_many_keys_and_anchors(void **state)
{
    (void)state;
    char *text = malloc(200000);
    size_t used = 0;
    for (int i = 0; i <= YAML_TREE_MAX_KEYS; i++) {
        used += (size_t)sprintf(text + used, "k%d: 1\n", i);
    }
    refuse(text, "too many keys");
    used = 0;
    for (int i = 0; i <= 1000; i++) {
        used += (size_t)sprintf(text + used, "- &a%d 1\n", i);
    }
    refuse(text, "too many anchors");
    free(text);
}

static void reads_many_items(void **state)
{
    (void)state;
    char *text = malloc(400000);
    size_t used = 0;
    for (int i = 0; i < 20000; i++) {
        used += (size_t)sprintf(text + used, "- {n: %d}\n", i);
    }
    yaml_tree *tree = parse(text);
    const yaml_node *root = yaml_tree_root(tree);
    assert_int_equal(root->n_items, 20000);
    assert_string_equal(yaml_node_find(root->items[19999], "n")->text, "19999");
    yaml_tree_destroy(&tree);
    free(text);
}

/* Any text survives writing and reading; characters drawn to include the troublesome ones. */
static void written_strings_come_back(void **state)
{
    (void)state;
    static const char *const pieces[] = {"a",
                                         " ",
                                         "\"",
                                         "\\",
                                         ":",
                                         "#",
                                         "'",
                                         "\t",
                                         "\n",
                                         "\x01",
                                         "\x7f",
                                         "\xc2\x80",
                                         "\xc2\x85",
                                         "\xc3\xa9",
                                         "\xe2\x80\xa8",
                                         "\xef\xbb\xbf",
                                         "\xef\xbf\xbd",
                                         "\xf0\x9f\x98\x80",
                                         "%",
                                         "{",
                                         "-",
                                         "\xe6\x97\xa5",
                                         "\r",
                                         "/"};
    uint64_t random = 4;
    for (int i = 0; i < 2000; i++) {
        char original[128] = "", *written = NULL;
        size_t n_bytes = 0, n_pieces = next_random(&random) % 20;
        for (size_t k = 0; k < n_pieces; k++) {
            strcat(original, pieces[next_random(&random) % (sizeof pieces / sizeof pieces[0])]);
        }
        FILE *file = open_memstream(&written, &n_bytes);
        fputs("a: ", file);
        yaml_write_string(file, original);
        fputs("\n", file);
        fclose(file);
        yaml_tree *tree = parse(written);
        assert_string_equal(yaml_node_find(yaml_tree_root(tree), "a")->text, original);
        yaml_tree_destroy(&tree);
        free(written);
    }
}

static void bytes_that_are_not_utf8_are_replaced(void **state)
{
    (void)state;
    char *written = NULL;
    size_t n_bytes = 0;
    FILE *file = open_memstream(&written, &n_bytes);
    yaml_write_string(file, "a\xff"
                            "b\xc3(\xed\xa0\x80\xc0\x80");
    fclose(file);
    yaml_tree *tree = parse(written);
    assert_non_null(strstr(yaml_tree_root(tree)->text, "\xef\xbf\xbd"));
    yaml_tree_destroy(&tree);
    free(written);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_mappings_sequences_scalars),
        cmocka_unit_test(scalars_know_where_they_stand),
        cmocka_unit_test(reads_json),
        cmocka_unit_test(reads_windows_line_ends_and_byte_order_mark),
        cmocka_unit_test(aliases_share_their_node),
        cmocka_unit_test(refuses_with_line_and_column),
        cmocka_unit_test(refuses_deep_nesting),
        cmocka_unit_test(refuses_a_billion_laughs),
        cmocka_unit_test(refuses_too_many_keys_and_anchors),
        cmocka_unit_test(reads_many_items),
        cmocka_unit_test(written_strings_come_back),
        cmocka_unit_test(bytes_that_are_not_utf8_are_replaced),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
