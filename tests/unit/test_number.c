/** Numbers and strings as text: shortest digits that read back, whatever the locale; JSON that is valid. */
#include "core/json.h"
#include "core/number.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_prints(double value, const char *expected)
{
    char text[NUMBER_TEXT];
    assert_string_equal(number_print(text, value), expected);
}

static void test_known(void **state)
{
    (void)state;
    assert_prints(0.04, "0.04");
    assert_prints(0, "0");
    assert_prints(-0.0, "-0");
    assert_prints(1.0 / 3, "0.3333333333333333");
    assert_prints(0.1 + 0.2, "0.30000000000000004");
    assert_prints(-1e300, "-1e+300");
    assert_prints(5e-324, "5e-324");
    assert_prints(0.0001, "0.0001");
    assert_prints(1000, "1000");
    assert_prints(1e8, "100000000");
    assert_prints(1e22, "1e+22");
    assert_prints(123456789, "123456789");
    assert_prints((double)NAN, "nan");
    assert_prints(-(double)INFINITY, "-inf");
}

static void test_every_bit_comes_back(void **state)
{
    (void)state;
    uint64_t bits = 88172645463325252u;
    for (int i = 0; i < 20000; i++) {
        bits ^= bits << 13; /* xorshift64, Marsaglia 2003 */
        bits ^= bits >> 7;
        bits ^= bits << 17;
        double value, back;
        char text[NUMBER_TEXT];
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) {
            continue;
        }
        back = strtod(number_print(text, value), NULL);
        assert_memory_equal(&back, &value, sizeof value);
    }
}

static void assert_json(const char *text, const char *expected)
{
    char *bytes = NULL;
    size_t n = 0;
    FILE *file = open_memstream(&bytes, &n);
    json_write_string(file, text);
    fclose(file);
    assert_string_equal(bytes, expected);
    free(bytes);
}

static void test_json_strings(void **state)
{
    (void)state;
    assert_json("", "\"\"");
    assert_json("a\"b\\c", "\"a\\\"b\\\\c\"");
    assert_json("\n\t\x01\x7f", "\"\\u000a\\u0009\\u0001\\u007f\"");
    assert_json("\xc2\xb5m \xe2\x82\xac \xf0\x9f\x99\x82", "\"\xc2\xb5m \xe2\x82\xac \xf0\x9f\x99\x82\"");
    assert_json("\xb5m", "\"\\ufffdm\"");                                /* Latin-1 */
    assert_json("\xc0\xaf", "\"\\ufffd\\ufffd\"");                       /* overlong */
    assert_json("\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"");            /* surrogate */
    assert_json("\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""); /* beyond Unicode */
    assert_json("x\xe2\x82", "\"x\\ufffd\\ufffd\"");                     /* cut short */
}

static void test_json_numbers(void **state)
{
    (void)state;
    const double values[] = {0.25, 1e100, (double)NAN, (double)INFINITY, -(double)INFINITY};
    char *bytes = NULL;
    size_t n = 0;
    FILE *file = open_memstream(&bytes, &n);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        json_write_real(file, values[i]);
        fputc(' ', file);
    }
    fclose(file);
    assert_string_equal(bytes, "0.25 1e+100 null null null ");
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known),        cmocka_unit_test(test_every_bit_comes_back),
        cmocka_unit_test(test_json_strings), cmocka_unit_test(test_json_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
