/** Several devices in one text: "cuda:all", "cuda:0,1", "cpu+cuda:0". */
#ifndef DEVICE_DEVICE_SET_H
#define DEVICE_DEVICE_SET_H

#include "device/device.h"

enum { DEVICE_SET_MAX = 64 };

typedef struct device_set {
    uint32_t n;
    char names[DEVICE_SET_MAX][24]; /**< as device_open takes them, each once: "cpu", "cuda:0" */
    bool is_one_of_all[DEVICE_SET_MAX]; /**< nobody named it: one that does not open may be left out */
} device_set;

/**
 * Take a text apart: terms joined by "+", each a kind, alone or followed by a colon and numbers joined by "," or by "all"
 * (all devices of that kind that there are). A text that names one device is kept as it is, "auto" too.
 * Errors: CRP_ERR_ARG (a device named twice, a kind or number that cannot be, "auto" together with others), CRP_ERR_DEVICE
 * ("all" of a kind of which there is none).
 */
crp_status device_set_parse(crp_context *context, const char *text, device_set *set);

#endif
