/* The same photons on an OpenCL device (PoCL where there is no other) as on the CPU. */
#define LIGHT_DEVICE "opencl:0"
#include "cross/light_device_main.h"
