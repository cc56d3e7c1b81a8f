/* The plain kernel for nvcc; NVRTC takes plain.c as it is. */
#include "plain.c"
