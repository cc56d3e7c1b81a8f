/**
 * What tests of the fake CUDA driver share. Include after cmocka.h.
 */
#ifndef TESTS_DEVICE_FAKE_CUDA_H
#define TESTS_DEVICE_FAKE_CUDA_H

#include "context_fixture.h"
#include "device/device.h"
#include "device/kernel_source.h"

#include <stdio.h>
#include <string.h>

FIXTURE_FN void check_says(const char *text, const char *part)
{
    if (strstr(text, part) == NULL) {
        fail_msg("\"%s\" is not in: %s", part, text);
    }
}

FIXTURE_FN bool has_kernel(void)
{
    device *gpu = NULL;
    FIXTURE_OK(device_open(fixture_context, "cuda:0", NULL, &gpu));
    bool has = kernel_ptx_texts[0].entry != NULL || strstr(gpu->info.detail, "no NVRTC") == NULL;
    device_close(&gpu);
    return has;
}

/* Skip, loudly, where no kernel can be made. */
FIXTURE_FN void need_kernel(void)
{
    if (!has_kernel()) {
        fprintf(stderr, "SKIPPED: neither NVRTC nor PTX of the build is here\n");
        skip();
    }
}

#endif
