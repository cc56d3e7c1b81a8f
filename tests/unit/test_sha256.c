/* SHA-256 against the published vectors (FIPS 180-4 examples, NIST CAVS), whole and in pieces. */
#include "core/sha256.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char two_blocks[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
static const char four_blocks[] = "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqr"
                                  "lmnopqrsmnopqrstnopqrstu";

static void check(const char *text, const char *wanted)
{
    char hex[65];
    sha256_of(text, strlen(text), hex);
    assert_string_equal(hex, wanted);
}

static void test_published_vectors(void **state)
{
    (void)state;
    check("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    check("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    check(two_blocks, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    check(four_blocks, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
}

static void test_million_letters(void **state)
{
    (void)state;
    char hex[65], piece[999];
    sha256 s;
    memset(piece, 'a', sizeof piece);
    sha256_init(&s);
    for (size_t left = 1000000; left > 0;) { /* pieces that are no multiple of the block */
        size_t n = left < sizeof piece ? left : sizeof piece;
        sha256_update(&s, piece, n);
        left -= n;
    }
    sha256_hex(&s, hex);
    assert_string_equal(hex, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/* Every length around the padding's corners, cut at every place, gives the digest of the whole. */
static void test_pieces(void **state)
{
    (void)state;
    unsigned char data[150];
    char whole[65], pieces[65];
    for (size_t i = 0; i < sizeof data; i++) {
        data[i] = (unsigned char)(i * 37);
    }
    for (size_t n = 0; n <= sizeof data; n++) {
        sha256_of(data, n, whole);
        for (size_t cut = 0; cut <= n; cut++) {
            sha256 s;
            sha256_init(&s);
            sha256_update(&s, data, cut);
            sha256_update(&s, data + cut, n - cut);
            sha256_hex(&s, pieces);
            assert_string_equal(pieces, whole);
        }
    }
}

/* The processor's instructions and plain C: one state after any blocks, where there are such instructions. */
static void test_both_ways(void **state)
{
    (void)state;
    uint8_t blocks[64 * 7];
    uint32_t one[8] = {1, 2, 3, 4, 5, 6, 7, 8}, other[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    for (size_t i = 0; i < sizeof blocks; i++) {
        blocks[i] = (uint8_t)(i * i * 31 + 7);
    }
    if (!sha256_has_lanes()) {
        skip();
    }
    for (size_t n = 0; n <= 7; n++) {
        sha256_compress_plain(one, sha256_constants, blocks, n);
        sha256_compress_lanes(other, sha256_constants, blocks, n);
        assert_memory_equal(one, other, sizeof one);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_both_ways),
        cmocka_unit_test(test_published_vectors), cmocka_unit_test(test_million_letters),
                                       cmocka_unit_test(test_pieces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
