/* The disk cache of kernels: round trip, every kind of broken file, folders that cannot be written, keys. */
#include "device/kernel_cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static crp_context *context;
static char folder[512];
static int n_log_lines;
static crp_log_level last_level;

static const char image[] = "machine code, or nearly so";
static char key[65];

static void take_log(void *user, crp_log_level level, const char *component, const char *line)
{
    (void)user;
    (void)line;
    assert_string_equal(component, "cache");
    n_log_lines++;
    last_level = level;
}

static int set_up(void **state)
{
    (void)state;
    static int n;
    snprintf(folder, sizeof folder, "%s/test_kernel_cache.%d.%d/deep/er", CRP_BINARY_DIR, (int)getpid(), n++);
    setenv("CORPUSCLE_CACHE", folder, 1);
    const char *const options[] = {"-a", "-b"};
    kernel_cache_key("text", options, 2, "NVRTC 13.0", "sm_90", key);
    kernel_cache_store(context, key, image, sizeof image);
    n_log_lines = 0;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    char command[700];
    folder[strlen(folder) - strlen("/deep/er")] = '\0';
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static bool load(void)
{
    void *found = NULL;
    size_t n = 0;
    if (!kernel_cache_load(context, key, &found, &n)) {
        assert_null(found);
        return false;
    }
    assert_int_equal(n, sizeof image);
    assert_memory_equal(found, image, n);
    free(found);
    return true;
}

static char *path_of_key(void)
{
    static char path[1024];
    assert_true(kernel_cache_path(key, path, sizeof path));
    return path;
}

static void test_round_trip(void **state)
{
    (void)state;
    assert_true(load());
    assert_int_equal(n_log_lines, 0);
    struct stat s;
    assert_int_equal(stat(folder, &s), 0);
    assert_int_equal(s.st_mode & 0777, 0700);
}

/* Cut the file at every length: each is noticed, removed and reported once. */
static void test_truncated(void **state)
{
    (void)state;
    struct stat s;
    assert_int_equal(stat(path_of_key(), &s), 0);
    for (off_t n = 0; n < s.st_size; n++) {
        kernel_cache_store(context, key, image, sizeof image);
        assert_int_equal(truncate(path_of_key(), n), 0);
        n_log_lines = 0;
        assert_false(load());
        assert_int_equal(n_log_lines, 1);
        assert_int_equal(last_level, CRP_LOG_WARNING);
        assert_int_equal(access(path_of_key(), F_OK), -1);
    }
    kernel_cache_store(context, key, image, sizeof image);
    assert_true(load());
}

/* Change any single byte, header or image. */
static void test_corrupted(void **state)
{
    (void)state;
    struct stat s;
    assert_int_equal(stat(path_of_key(), &s), 0);
    for (long i = 0; i < (long)s.st_size; i++) {
        kernel_cache_store(context, key, image, sizeof image);
        FILE *file = fopen(path_of_key(), "r+b");
        assert_non_null(file);
        fseek(file, i, SEEK_SET);
        int c = fgetc(file);
        fseek(file, i, SEEK_SET);
        fputc(c ^ 0x10, file);
        fclose(file);
        assert_false(load());
        assert_int_equal(access(path_of_key(), F_OK), -1);
    }
}

static void test_longer_than_stated(void **state)
{
    (void)state;
    FILE *file = fopen(path_of_key(), "ab");
    fputc(0, file);
    fclose(file);
    assert_false(load());
}

/* The file of one key under the name of another. */
static void test_renamed(void **state)
{
    (void)state;
    char old[1024];
    snprintf(old, sizeof old, "%s", path_of_key());
    key[0] = key[0] == '0' ? '1' : '0';
    assert_int_equal(rename(old, path_of_key()), 0);
    assert_false(load());
}

static void test_absent_is_silent(void **state)
{
    (void)state;
    assert_int_equal(unlink(path_of_key()), 0);
    assert_false(load());
    assert_int_equal(n_log_lines, 0);
}

static void test_unwritable_folder_is_a_debug_line(void **state)
{
    (void)state;
    setenv("CORPUSCLE_CACHE", "/dev/null/cache", 1);
    kernel_cache_store(context, key, image, sizeof image);
    assert_int_equal(n_log_lines, 1);
    assert_int_equal(last_level, CRP_LOG_DEBUG);
    assert_false(load());
    setenv("CORPUSCLE_CACHE", folder, 1);
}

static void test_failed_rename_leaves_nothing(void **state)
{
    (void)state;
    char command[1200];
    /* A folder where the file should appear: the rename fails, and the temporary file must go. */
    unlink(path_of_key());
    assert_int_equal(mkdir(path_of_key(), 0700), 0);
    kernel_cache_store(context, key, image, sizeof image);
    assert_int_equal(last_level, CRP_LOG_DEBUG);
    snprintf(command, sizeof command, "test $(ls '%s' | wc -l) = 1", folder);
    assert_int_equal(system(command), 0);
}

static void test_folder_by_environment(void **state)
{
    (void)state;
    char path[1024];
    unsetenv("CORPUSCLE_CACHE");
    setenv("XDG_CACHE_HOME", "/xdg", 1);
    setenv("HOME", "/home/someone", 1);
    assert_true(kernel_cache_path("k", path, sizeof path));
    assert_string_equal(path, "/xdg/corpuscle/k.cubin");
    setenv("XDG_CACHE_HOME", "relative", 1);
    assert_true(kernel_cache_path("k", path, sizeof path));
    assert_string_equal(path, "/home/someone/.cache/corpuscle/k.cubin");
    unsetenv("HOME");
    assert_false(kernel_cache_path("k", path, sizeof path));
    kernel_cache_store(context, key, image, sizeof image);
    assert_int_equal(last_level, CRP_LOG_DEBUG);
    assert_false(load());
}

static void test_key_tells_everything_apart(void **state)
{
    (void)state;
    const char *const ab[] = {"-a", "-b"}, *const joined[] = {"-a-b"}, *const ba[] = {"-b", "-a"};
    char keys[7][65];
    kernel_cache_key("text", ab, 2, "NVRTC 13.0", "sm_90", keys[0]);
    kernel_cache_key("text ", ab, 2, "NVRTC 13.0", "sm_90", keys[1]);
    kernel_cache_key("text", joined, 1, "NVRTC 13.0", "sm_90", keys[2]);
    kernel_cache_key("text", ba, 2, "NVRTC 13.0", "sm_90", keys[3]);
    kernel_cache_key("text", ab, 2, "NVRTC 12.8", "sm_90", keys[4]);
    kernel_cache_key("text", ab, 2, "NVRTC 13.0", "sm_80", keys[5]);
    kernel_cache_key("text-a", ab + 1, 1, "NVRTC 13.0", "sm_90", keys[6]);
    for (int i = 0; i < 7; i++) {
        for (int j = 0; j < i; j++) {
            assert_string_not_equal(keys[i], keys[j]);
        }
    }
    kernel_cache_key("text", ab, 2, "NVRTC 13.0", "sm_90", keys[1]);
    assert_string_equal(keys[0], keys[1]);
}

#define CACHE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {CACHE_TEST(test_round_trip),
                                       CACHE_TEST(test_truncated),
                                       CACHE_TEST(test_corrupted),
                                       CACHE_TEST(test_longer_than_stated),
                                       CACHE_TEST(test_renamed),
                                       CACHE_TEST(test_absent_is_silent),
                                       CACHE_TEST(test_unwritable_folder_is_a_debug_line),
                                       CACHE_TEST(test_failed_rename_leaves_nothing),
                                       CACHE_TEST(test_folder_by_environment),
                                       cmocka_unit_test(test_key_tells_everything_apart)};
    if (crp_context_create(&context) != CRP_OK) {
        return 1;
    }
    crp_context_set_log(context, take_log, NULL);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    crp_context_destroy(&context);
    return failed;
}
