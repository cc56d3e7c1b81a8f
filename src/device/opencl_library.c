/* Opens libOpenCL and binds its functions. */
#include "device/opencl_library.h"

#include "core/context.h"
#include "device/library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPENCL_SYMBOL(name, member) {name, offsetof(opencl_library, member)}

static const library_symbol opencl_symbols[] = {
    OPENCL_SYMBOL("clGetPlatformIDs", get_platform_ids),
    OPENCL_SYMBOL("clGetPlatformInfo", get_platform_info),
    OPENCL_SYMBOL("clGetDeviceIDs", get_device_ids),
    OPENCL_SYMBOL("clGetDeviceInfo", get_device_info),
    OPENCL_SYMBOL("clCreateContext", create_context),
    OPENCL_SYMBOL("clReleaseContext", release_context),
    OPENCL_SYMBOL("clCreateCommandQueue", create_command_queue),
    OPENCL_SYMBOL("clReleaseCommandQueue", release_command_queue),
    OPENCL_SYMBOL("clCreateBuffer", create_buffer),
    OPENCL_SYMBOL("clReleaseMemObject", release_mem_object),
    OPENCL_SYMBOL("clEnqueueWriteBuffer", enqueue_write_buffer),
    OPENCL_SYMBOL("clEnqueueReadBuffer", enqueue_read_buffer),
    OPENCL_SYMBOL("clEnqueueFillBuffer", enqueue_fill_buffer),
    OPENCL_SYMBOL("clCreateProgramWithSource", create_program_with_source),
    OPENCL_SYMBOL("clBuildProgram", build_program),
    OPENCL_SYMBOL("clGetProgramBuildInfo", get_program_build_info),
    OPENCL_SYMBOL("clReleaseProgram", release_program),
    OPENCL_SYMBOL("clCreateKernel", create_kernel),
    OPENCL_SYMBOL("clReleaseKernel", release_kernel),
    OPENCL_SYMBOL("clSetKernelArg", set_kernel_arg),
    OPENCL_SYMBOL("clGetKernelWorkGroupInfo", get_kernel_work_group_info),
    OPENCL_SYMBOL("clEnqueueNDRangeKernel", enqueue_nd_range_kernel),
    OPENCL_SYMBOL("clFlush", flush),
    OPENCL_SYMBOL("clFinish", finish),
    OPENCL_SYMBOL("clReleaseEvent", release_event),
    OPENCL_SYMBOL("clGetEventProfilingInfo", get_event_profiling_info),
};

crp_status opencl_library_open(crp_context *context, opencl_library *out)
{
    const char *own = getenv("CORPUSCLE_OPENCL");
    const char *path = own != NULL && own[0] != '\0' ? own : "libOpenCL.so.1";
    const char *missing = NULL;
    char reason[300];
    memset(out, 0, sizeof *out);
    out->library = library_open(path, reason, sizeof reason);
    CRP_CHECK(context, out->library != NULL, CRP_ERR_DEVICE, "no OpenCL (%s) %s", reason,
              path == own ? "correct or unset CORPUSCLE_OPENCL"
                          : "install a loader (package ocl-icd-libopencl1) and a driver, or use the device cpu");
    CRP_CHECK(
        context,
        library_bind(out->library, out, opencl_symbols, sizeof opencl_symbols / sizeof opencl_symbols[0], &missing),
        CRP_ERR_DEVICE, "the OpenCL library is older than OpenCL 1.2 (%s has no %s) install a newer one", path,
        missing);
    return CRP_OK;
}

const char *opencl_error(opencl_int result)
{
    static const struct {
        opencl_int value;
        const char *name;
    } names[] = {
        {-1, "CL_DEVICE_NOT_FOUND"},
        {-2, "CL_DEVICE_NOT_AVAILABLE"},
        {-3, "CL_COMPILER_NOT_AVAILABLE"},
        {-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
        {-5, "CL_OUT_OF_RESOURCES"},
        {-6, "CL_OUT_OF_HOST_MEMORY"},
        {-11, "CL_BUILD_PROGRAM_FAILURE"},
        {-30, "CL_INVALID_VALUE"},
        {-33, "CL_INVALID_DEVICE"},
        {-36, "CL_INVALID_COMMAND_QUEUE"},
        {-38, "CL_INVALID_MEM_OBJECT"},
        {-43, "CL_INVALID_BUILD_OPTIONS"},
        {-44, "CL_INVALID_PROGRAM"},
        {-45, "CL_INVALID_PROGRAM_EXECUTABLE"},
        {-46, "CL_INVALID_KERNEL_NAME"},
        {-48, "CL_INVALID_KERNEL"},
        {-49, "CL_INVALID_ARG_INDEX"},
        {-50, "CL_INVALID_ARG_VALUE"},
        {-51, "CL_INVALID_ARG_SIZE"},
        {-52, "CL_INVALID_KERNEL_ARGS"},
        {-54, "CL_INVALID_WORK_GROUP_SIZE"},
        {-55, "CL_INVALID_WORK_ITEM_SIZE"},
        {-61, "CL_INVALID_BUFFER_SIZE"},
        {-63, "CL_INVALID_GLOBAL_WORK_SIZE"},
        {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
    };
    static _Thread_local char number[40];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i].value == result) {
            return names[i].name;
        }
    }
    snprintf(number, sizeof number, "OpenCL error %d", result);
    return number;
}
