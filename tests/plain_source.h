/** The plain kernel of examples/light/plain as a source for the device. cmocka.h comes before. */
#ifndef TESTS_PLAIN_SOURCE_H
#define TESTS_PLAIN_SOURCE_H

#include <stdio.h>
#include <stdlib.h>

/** plain.c as it stands, "@" in front: text in place of a path among the embedded files. Free with free(). */
static char *plain_source(void)
{
    FILE *file = fopen(CRP_SOURCE_DIR "/examples/light/plain/plain.c", "r");
    assert_non_null(file);
    char *text = calloc(1, 20000);
    assert_non_null(text);
    text[0] = '@';
    size_t n = fread(text + 1, 1, 19998, file);
    assert_true(n > 1000 && n < 19998);
    fclose(file);
    return text;
}

#endif
