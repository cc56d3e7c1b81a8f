/* The schema: every type, every message, defaults, settings; over structs made up for the purpose. Nearest names too.
 */
#include "core/schema.h"

#include "core/nearest.h"
#include "unit/yaml_test.h"

typedef struct part {
    char name[8];
    double length;
} part;

typedef struct thing {
    double speed, share;
    uint32_t small, mode;
    uint64_t large;
    bool is_on;
    char letter, title[8];
    part *parts;
    uint32_t n_parts;
} thing;

static const char *check_share(double x)
{
    return x <= 0.5 ? NULL : "must be at most a half";
}

static crp_status check_title(crp_context *c, const char *where, const char *text)
{
    return strcmp(text, "bad") == 0 ? context_fail(c, CRP_ERR_CONFIG, "%s = bad is bad", where) : CRP_OK;
}

#define AT(member) .offset = offsetof(thing, member), .size = sizeof(((thing *)0)->member)
static const char *const modes[] = {"slow", "quick", NULL}, *const letters[] = {"A", "B", NULL};

static const schema_field part_fields[] = {
    {.key = "name", .type = SCHEMA_TEXT, .offset = offsetof(part, name), .size = 8, .doc = "name of the part"},
    {.key = "length",
     .type = SCHEMA_REAL,
     .need = SCHEMA_REQUIRED,
     .offset = offsetof(part, length),
     .dimension = UNIT_LENGTH,
     .unit = "cm",
     .has_range = true,
     .min = 0,
     .max = 100,
     .keyword = "infinite",
     .keyword_value = 1e8,
     .doc = "its length",
     .example = "2 mm"},
};
static const schema_table part_table = {"part", part_fields, 2, sizeof(part), offsetof(part, name)};
static const schema_field inner_fields[] = {
    {.key = "small",
     .type = SCHEMA_COUNT,
     AT(small),
     .has_range = true,
     .min = 1,
     .max = 9,
     .fallback = "3",
     .doc = "small count"},
    {.key = "large", .type = SCHEMA_COUNT, AT(large), .doc = "large count"},
    {.key = "narrow", .type = SCHEMA_COUNT, AT(small), .doc = "32 bits"},
};
static const schema_table inner_table = {"inner", inner_fields, 3, 0, SCHEMA_NO_FIELD};
static const schema_field must_fields[] = {
    {.key = "share",
     .type = SCHEMA_REAL,
     .need = SCHEMA_REQUIRED,
     AT(share),
     .dimension = UNIT_FRACTION,
     .check = check_share,
     .doc = "a share",
     .example = "10%"},
};
static const schema_table must_table = {"must", must_fields, 1, 0, SCHEMA_NO_FIELD};
static const schema_field thing_fields[] = {
    {.key = "version",
     .type = SCHEMA_COUNT,
     .need = SCHEMA_FIXED,
     .object = SCHEMA_NO_FIELD,
     .has_range = true,
     .min = 1,
     .max = 1,
     .doc = "version"},
    {.key = "speed", .type = SCHEMA_REAL, AT(speed), .dimension = UNIT_NUMBER, .fallback = "2.5", .doc = "speed"},
    {.key = "mode", .type = SCHEMA_CHOICE, AT(mode), .choices = modes, .fallback = "quick", .doc = "mode"},
    {.key = "letter", .type = SCHEMA_CHOICE, AT(letter), .choices = letters, .fallback = "A", .doc = "letter"},
    {.key = "is_on", .type = SCHEMA_BOOL, AT(is_on), .doc = "switch"},
    {.key = "title", .type = SCHEMA_TEXT, AT(title), .check_text = check_title, .doc = "title"},
    {.key = "inner", .type = SCHEMA_SECTION, .table = &inner_table, .doc = "inner values"},
    {.key = "must", .type = SCHEMA_SECTION, .table = &must_table, .doc = "needed values", .example = "{share: 10%}"},
    {.key = "parts",
     .type = SCHEMA_LIST,
     AT(parts),
     .count_offset = offsetof(thing, n_parts),
     .table = &part_table,
     .doc = "the parts"},
};
static const schema_table thing_table = {"thing", thing_fields, sizeof thing_fields / sizeof thing_fields[0], 0,
                                         SCHEMA_NO_FIELD};

static crp_status load(const char *text, thing *t)
{
    yaml_tree *tree = NULL;
    void *objects[] = {t};
    assert_ok(yaml_tree_parse(context, "f.yaml", text, strlen(text), &tree));
    crp_status status = schema_load(context, "f.yaml", yaml_tree_root(tree), &thing_table, objects);
    yaml_tree_destroy(&tree);
    return status;
}

static void reads_every_type(void **state)
{
    (void)state;
    thing t = {0};
    assert_ok(load("version: 1\nspeed: -1.5\nmode: slow\nletter: B\nis_on: true\ntitle: \"a \xc3\xa9\"\n"
                   "inner: {small: 9, large: 1e19}\nmust: {share: 25%}\n"
                   "parts:\n  - {name: one, length: 20 mm}\n  - {length: infinite}\n",
                   &t));
    assert_true(t.speed == -1.5 && t.share == 0.25 && t.small == 9 && t.large == 10000000000000000000u);
    assert_int_equal(t.mode, 0);
    assert_int_equal(t.letter, 'B');
    assert_true(t.is_on);
    assert_string_equal(t.title, "a \xc3\xa9");
    assert_int_equal(t.n_parts, 2);
    assert_string_equal(t.parts[0].name, "one");
    assert_true(t.parts[0].length == 2 && t.parts[1].length == 1e8);
    free(t.parts);
}

static void missing_keys_get_defaults(void **state)
{
    (void)state;
    thing t = {.large = 7, .is_on = true};
    assert_ok(load("must: {share: 0}\nversion: 1\n", &t));
    assert_true(t.speed == 2.5 && t.small == 3 && t.large == 7 && t.mode == 1 && t.letter == 'A' && t.is_on);
    assert_int_equal(t.n_parts, 0);
}

static void minus_zero_is_zero(void **state)
{
    (void)state;
    thing t = {0};
    assert_ok(load("{version: 1, must: {share: -0.0}}", &t));
    uint64_t bits;
    memcpy(&bits, &t.share, sizeof bits);
    assert_true(bits == 0);
}

#define HEAD "version: 1\nmust: {share: 10%}\n"

static void wrong_files_get_one_clear_message(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"version: 1\n", "f.yaml:1:1: must is missing (needed values) add it like must: {share: 10%}"},
        {"version: 1\nmust: {}\n", "f.yaml:2:7: must.share is missing (a share) add it like share: 10%"},
        {"must: {share: 1%}\n", "version is missing"},
        {"version: 2\nmust: {share: 1%}\n", "f.yaml:1:10: version = 2 must lie in [1, 1] (version)"},
        {HEAD "sped: 1\n", "f.yaml:3:1: sped is not a known key (known: version, speed, mode"},
        {HEAD "sped: 1\n", "did you mean speed"},
        {HEAD "xyzzy: 1\n", "xyzzy is not a known key"},
        {HEAD "inner: {smal: 1}\n",
         "f.yaml:3:9: inner.smal is not a known key (known: small, large, narrow) did you mean small"},
        {HEAD "speed:\n", "f.yaml:3:7: speed has no value"},
        {HEAD "inner: null\n", "inner has no value"},
        {HEAD "speed: [1]\n", "f.yaml:3:8: speed must be a single value, not a list (speed)"},
        {HEAD "inner: 3\n", "inner must be a mapping of keys to values, not a scalar"},
        {HEAD "parts: {length: 1}\n", "parts must be a list, not a mapping (the parts)"},
        {HEAD "parts: []\n", "parts must have 1 to"},
        {HEAD "parts: [3]\n", "f.yaml:3:9: parts[1] must be a mapping"},
        {HEAD "parts: [{length: 1}, {name: x}]\n",
         "f.yaml:3:22: parts[2].length is missing (its length) add it like length: 2 mm"},
        {HEAD "parts: [{length: -3 mm}]\n", "f.yaml:3:18: parts[1].length = -3 mm must lie in [0, 100] (its length)"},
        {HEAD "parts: [{length: 3 s}]\n", "parts[1].length = 3 s must be a length"},
        {HEAD "parts: [{length: 3, name: 12345678}]\n", "is too long (8 bytes, room for 7)"},
        {"version: 1\nmust: {share: 60%}\n", "f.yaml:2:15: must.share = 60% must be at most a half (a share)"},
        {HEAD "mode: quik\n", "mode = quik must be one of: slow, quick (mode) did you mean quick"},
        {HEAD "letter: C\n", "letter = C must be one of: A, B"},
        {HEAD "is_on: yes\n", "is_on = yes must be true or false (switch)"},
        {HEAD "title: bad\n", "f.yaml:3:8: title = bad is bad"},
        {HEAD "title: \"a\\nb\"\n", "must be one line of text (character 2 is a control character)"},
        {HEAD "inner: {small: 0}\n", "inner.small = 0 must lie in [1, 9]"},
        {HEAD "inner: {narrow: 4294967296}\n", "is too large (the largest is 4294967295)"},
        {HEAD "inner: {large: 1.5}\n", "must be a whole number"},
        {"- 1\n", "f.yaml:1:1: the file must be a mapping of keys to values, not a list"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        thing t = {0};
        if (load(cases[i][0], &t) != CRP_ERR_CONFIG) {
            fail_msg("accepted: %s", cases[i][0]);
        }
        assert_message(cases[i][1]);
        free(t.parts);
    }
}

static void a_long_key_is_cut_in_messages(void **state)
{
    (void)state;
    char text[20000] = HEAD;
    thing t = {0};
    size_t used = strlen(text);
    memset(text + used, 'k', 900);
    strcpy(text + used + 900, ": 1\n");
    assert_int_equal(load(text, &t), CRP_ERR_CONFIG);
    assert_message("is not a known key");
}

/* ---------------------------------------------------------------------------------------------- settings */

static thing *built;

static crp_status set(const char *setting)
{
    void *objects[] = {built};
    return schema_set(context, &thing_table, objects, setting);
}

static void settings_change_built_objects(void **state)
{
    (void)state;
    part parts[] = {{"dermis", 1}, {"fat", 2}, {"skin", 3}, {"fat", 4}};
    thing t = {.parts = parts, .n_parts = 4};
    built = &t;
    assert_ok(set("speed=4e3"));
    assert_ok(set("inner.large=4294967306"));
    assert_ok(set("must.share=1%"));
    assert_ok(set("mode=slow"));
    assert_ok(set("title=x=y"));
    assert_ok(set("parts.2.length=3 mm"));
    assert_ok(set("parts[1].length=0.05 m"));
    assert_ok(set("parts[skin].length=infinite"));
    assert_ok(set("parts.dermis.name=top"));
    assert_ok(set("parts.[4].length=7"));
    assert_true(t.speed == 4000 && t.large == 4294967306u && t.share == 0.01 && t.mode == 0);
    assert_string_equal(t.title, "x=y");
    assert_true(parts[0].length == 5 && parts[1].length == 0.3 && parts[2].length == 1e8 && parts[3].length == 7);
    assert_string_equal(parts[0].name, "top");
    built = NULL;
}

static void wrong_settings_change_nothing(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "not of the form path=value"},
        {"speed", "not of the form path=value"},
        {"=1", "not of the form"},
        {"parts[1=2", "not of the form"},
        {"parts[].length=2", "not of the form"},
        {"a..b=1", "not of the form"},
        {"a.b.c.d.e.f.g.h.i=1", "too many parts"},
        {"sped=1", "--set sped=1: sped is not a known key"},
        {"sped=1", "did you mean speed"},
        {"inner.lage=1", "inner.lage is not a known key (known: small, large, narrow) did you mean large"},
        {"inner=1", "inner holds several values (it is a section) name one, such as inner.small"},
        {"parts=1", "parts holds several values (it is a list) name one, such as parts[1].length"},
        {"parts.1=1", "parts[1] holds several values (it is a section)"},
        {"parts.0.length=1", "parts has no element 0 (it has 4, counted from 1)"},
        {"parts.5.length=1", "parts has no element 5 (it has 4, counted from 1)"},
        {"parts.99999999999999999999.length=1", "too large"},
        {"parts.dermi.length=1", "has no element named \"dermi\" (it has 4, counted from 1) did you mean dermis"},
        {"parts.fat.length=1", "parts has 2 elements named \"fat\" (the first are 2 and 4) say which by its number"},
        {"parts.1.lenght=1", "parts[1].lenght is not a known key (known: name, length) did you mean length"},
        {"speed.x=1", "speed is a single value"},
        {"version=1", "version cannot be set"},
        {"speed=fast", "--set speed=fast: speed = fast is not a number"},
        {"speed=", "speed = \"\" is not a number"},
        {"parts.1.length=-1", "--set parts.1.length=-1: parts[1].length = -1 must lie in [0, 100] (its length)"},
        {"parts.1.length=1 s", "must be a length"},
        {"must.share=0.7", "must be at most a half"},
        {"is_on=1", "must be true or false"},
        {"title=12345678", "too long"},
        {"title=bad", "title = bad is bad"},
    };
    part parts[] = {{"dermis", 1}, {"fat", 2}, {"skin", 3}, {"fat", 4}}, copy[4];
    thing t = {.parts = parts, .n_parts = 4, .speed = 1, .title = "old"}, before = t;
    memcpy(copy, parts, sizeof copy);
    built = &t;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (set(cases[i][0]) != CRP_ERR_CONFIG) {
            fail_msg("accepted: %s", cases[i][0]);
        }
        assert_message(cases[i][1]);
        assert_memory_equal(&t, &before, sizeof t);
        assert_memory_equal(parts, copy, sizeof copy);
    }
    built = NULL;
}

static void an_absent_object_cannot_be_set(void **state)
{
    (void)state;
    built = NULL;
    assert_int_equal(set("speed=1"), CRP_ERR_CONFIG);
    assert_message("speed cannot be set here");
}

/* ------------------------------------------------------------------------------------------------ visits */

static void collect(void *user, const char *path, const schema_field *field)
{
    assert_non_null(field->doc);
    strcat(strcat(user, path), " ");
}

static void the_visitor_sees_every_field(void **state)
{
    (void)state;
    char paths[512] = "";
    schema_visit(&thing_table, collect, paths);
    assert_string_equal(paths, "version speed mode letter is_on title inner inner.small inner.large inner.narrow must "
                               "must.share parts[] parts[].name parts[].length ");
}

static void distances_are_right(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        size_t distance;
    } cases[] = {
        {"", "", 0},
        {"abc", "", 3},
        {"mua", "mu_a", 1},
        {"mus", "mu_s", 1},
        {"mu_a", "mu_s", 1},
        {"lenght", "length", 1},
        {"MU_A", "mu_a", 0},
        {"kitten", "sitting", 3},
        {"ab", "ba", 1},
        {"thickness", "thikness", 1},
        {"abcdef", "fedcba", 5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(nearest_distance(cases[i].a, cases[i].b), cases[i].distance);
        assert_int_equal(nearest_distance(cases[i].b, cases[i].a), cases[i].distance);
    }
}

static void the_nearest_name_is_near(void **state)
{
    (void)state;
    static const char *const names[] = {"n", "mu_a", "mu_s", "g", "thickness"};
    assert_string_equal(nearest_name("mua", names, 5), "mu_a");
    assert_string_equal(nearest_name("mus", names, 5), "mu_s");
    assert_string_equal(nearest_name("thicknes", names, 5), "thickness");
    assert_string_equal(nearest_name("G", names, 5), "g");
    assert_null(nearest_name("temperature", names, 5));
    assert_null(nearest_name("x", names, 5)); /* one letter is no hint */
    assert_null(nearest_name("mua", names, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_type),
        cmocka_unit_test(missing_keys_get_defaults),
        cmocka_unit_test(minus_zero_is_zero),
        cmocka_unit_test(wrong_files_get_one_clear_message),
        cmocka_unit_test(a_long_key_is_cut_in_messages),
        cmocka_unit_test(settings_change_built_objects),
        cmocka_unit_test(wrong_settings_change_nothing),
        cmocka_unit_test(an_absent_object_cannot_be_set),
        cmocka_unit_test(the_visitor_sees_every_field),
        cmocka_unit_test(distances_are_right),
        cmocka_unit_test(the_nearest_name_is_near),
    };
    return cmocka_run_group_tests(tests, make_context, drop_context);
}
