/* The same photons on an NVIDIA GPU as on the CPU. */
#define LIGHT_DEVICE "cuda:0"
#include "cross/light_device_main.h"
