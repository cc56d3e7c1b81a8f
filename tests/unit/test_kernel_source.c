/* Flattening of kernel sources: order, each file once, relative paths, line marks, what is missing. */
#include "core/context.h"
#include "device/kernel_source.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FILE_OF(path, text) {path, text, sizeof(text) - 1}

static const kernel_file files[] = {
    FILE_OF("port.h", "#define PORT 1\n"),
    FILE_OF("light/params.h", "#include \"port.h\"\nint params;\n"),
    FILE_OF("light/event.h", "  #  include\t\"params.h\" /* beside */\n#include \"../port.h\"\nint event;\n"),
    FILE_OF("entry/light.h", "#include \"light/event.h\"\n#include \"light/params.h\"\nint entry;\n"),
    FILE_OF("cycle.h", "int before;\n#include \"cycle.h\"\nint after;"),
    FILE_OF("broken.h", "\n\n#include \"absent.h\"\n"),
    FILE_OF("escape.h", "#include \"../../etc/passwd\"\n"),
    {NULL, NULL, 0},
};

static crp_context *context;

static void check(const char *file, const char *wanted)
{
    char *text = NULL;
    if (kernel_source_flatten_from(context, files, file, &text) != CRP_OK) {
        fail_msg("%s", crp_context_error(context));
    }
    assert_string_equal(text, wanted);
    free(text);
}

static void test_each_file_once(void **state)
{
    (void)state;
    check("entry/light.h", "#line 1 \"entry/light.h\"\n"
                           "#line 1 \"light/event.h\"\n"
                           "#line 1 \"light/params.h\"\n"
                           "#line 1 \"port.h\"\n"
                           "#define PORT 1\n"
                           "#line 2 \"light/params.h\"\n"
                           "int params;\n"
                           "#line 2 \"light/event.h\"\n"
                           "#line 3 \"light/event.h\"\n"
                           "int event;\n"
                           "#line 2 \"entry/light.h\"\n"
                           "#line 3 \"entry/light.h\"\n"
                           "int entry;\n");
}

static void test_cycle_and_no_last_newline(void **state)
{
    (void)state;
    check("cycle.h", "#line 1 \"cycle.h\"\nint before;\n#line 3 \"cycle.h\"\nint after;\n");
}

static void test_text_in_place_of_a_path(void **state)
{
    (void)state;
    check("@#include \"port.h\"\nint x;", "#line 1 \"inline\"\n#line 1 \"port.h\"\n#define PORT 1\n"
                                          "#line 2 \"inline\"\nint x;\n");
}

static void check_fails(const char *file, const char *part)
{
    char *text = (char *)1;
    assert_int_equal(kernel_source_flatten_from(context, files, file, &text), CRP_ERR_INTERNAL);
    assert_null(text);
    assert_non_null(strstr(crp_context_error(context), part));
}

static void test_absent_files(void **state)
{
    (void)state;
    check_fails("broken.h", "kernel/broken.h:3: #include \"absent.h\"");
    check_fails("escape.h", "kernel/escape.h:1:");
    check_fails("nothing.h", "\"nothing.h\" is not embedded");
}

/* The embedded table holds the bytes of the files that lie in kernel/. */
static void test_embedded_bytes(void **state)
{
    (void)state;
    for (const kernel_file *file = kernel_files; file->path != NULL; file++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/kernel/%s", CRP_SOURCE_DIR, file->path);
        FILE *disk = fopen(path, "rb");
        assert_non_null(disk);
        char *bytes = malloc(file->n_bytes + 2);
        assert_int_equal(fread(bytes, 1, file->n_bytes + 1, disk), file->n_bytes);
        assert_memory_equal(bytes, file->text, file->n_bytes);
        assert_int_equal(file->text[file->n_bytes], 0);
        free(bytes);
        fclose(disk);
    }
}

/* No kernel file includes a system header, and all that they include is there. */
static void test_every_file_flattens(void **state)
{
    (void)state;
    for (const kernel_file *file = kernel_files; file->path != NULL; file++) {
        char *text = NULL;
        if (kernel_source_flatten(context, file->path, &text) != CRP_OK) {
            fail_msg("%s", crp_context_error(context));
        }
        assert_null(strstr(text, "#include <"));
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_file_once),          cmocka_unit_test(test_cycle_and_no_last_newline),
        cmocka_unit_test(test_text_in_place_of_a_path), cmocka_unit_test(test_absent_files),
        cmocka_unit_test(test_embedded_bytes),          cmocka_unit_test(test_every_file_flattens)};
    if (crp_context_create(&context) != CRP_OK) {
        return 1;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    crp_context_destroy(&context);
    return failed;
}
