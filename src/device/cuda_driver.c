/* Opens libcuda and binds its functions; messages that tell why there is no GPU. */
#include "device/cuda_driver.h"

#include "core/context.h"
#include "device/library.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CUDA_SYMBOL(name, member) {name, offsetof(cuda_driver, member)}

static const library_symbol cuda_symbols[] = {
    CUDA_SYMBOL("cuInit", init),
    CUDA_SYMBOL("cuDriverGetVersion", driver_get_version),
    CUDA_SYMBOL("cuGetErrorName", get_error_name),
    CUDA_SYMBOL("cuGetErrorString", get_error_string),
    CUDA_SYMBOL("cuDeviceGetCount", device_get_count),
    CUDA_SYMBOL("cuDeviceGet", device_get),
    CUDA_SYMBOL("cuDeviceGetName", device_get_name),
    CUDA_SYMBOL("cuDeviceGetAttribute", device_get_attribute),
    CUDA_SYMBOL("cuDeviceTotalMem_v2", device_total_mem),
    CUDA_SYMBOL("cuDevicePrimaryCtxRetain", primary_context_retain),
    CUDA_SYMBOL("cuDevicePrimaryCtxRelease_v2", primary_context_release),
    CUDA_SYMBOL("cuCtxSetCurrent", context_set_current),
    CUDA_SYMBOL("cuMemGetInfo_v2", mem_get_info),
    CUDA_SYMBOL("cuMemAlloc_v2", mem_alloc),
    CUDA_SYMBOL("cuMemAllocManaged", mem_alloc_managed),
    CUDA_SYMBOL("cuMemFree_v2", mem_free),
    CUDA_SYMBOL("cuMemcpyHtoDAsync_v2", memcpy_to_device),
    CUDA_SYMBOL("cuMemcpyDtoHAsync_v2", memcpy_to_host),
    CUDA_SYMBOL("cuMemsetD8Async", memset_bytes),
    CUDA_SYMBOL("cuStreamCreate", stream_create),
    CUDA_SYMBOL("cuStreamDestroy_v2", stream_destroy),
    CUDA_SYMBOL("cuStreamSynchronize", stream_synchronize),
    CUDA_SYMBOL("cuEventCreate", event_create),
    CUDA_SYMBOL("cuEventDestroy_v2", event_destroy),
    CUDA_SYMBOL("cuEventRecord", event_record),
    CUDA_SYMBOL("cuEventElapsedTime", event_elapsed_time),
    CUDA_SYMBOL("cuModuleLoadDataEx", module_load_data),
    CUDA_SYMBOL("cuModuleUnload", module_unload),
    CUDA_SYMBOL("cuModuleGetFunction", module_get_function),
    CUDA_SYMBOL("cuFuncGetAttribute", function_get_attribute),
    CUDA_SYMBOL("cuFuncSetAttribute", function_set_attribute),
    CUDA_SYMBOL("cuLaunchKernel", launch_kernel),
    CUDA_SYMBOL("cuLaunchCooperativeKernel", launch_cooperative),
};

static const library_symbol split_symbols[] = {
    CUDA_SYMBOL("cuDeviceGetP2PAttribute", device_get_p2p_attribute),
    CUDA_SYMBOL("cuCtxEnablePeerAccess", enable_peer_access),
    CUDA_SYMBOL("cuMemHostAlloc", host_alloc),
    CUDA_SYMBOL("cuMemFreeHost", host_free),
    CUDA_SYMBOL("cuStreamQuery", stream_query),
    CUDA_SYMBOL("cuModuleGetGlobal_v2", module_get_global),
    CUDA_SYMBOL("cuMemcpyPeerAsync", memcpy_peer),
    CUDA_SYMBOL("cuMemGetAllocationGranularity", memory_granularity),
    CUDA_SYMBOL("cuMemAddressReserve", address_reserve),
    CUDA_SYMBOL("cuMemAddressFree", address_free),
    CUDA_SYMBOL("cuMemCreate", memory_create),
    CUDA_SYMBOL("cuMemRelease", memory_release),
    CUDA_SYMBOL("cuMemMap", memory_map),
    CUDA_SYMBOL("cuMemUnmap", memory_unmap),
    CUDA_SYMBOL("cuMemSetAccess", memory_set_access),
};

static crp_status open_library(crp_context *context, cuda_driver *out)
{
    const char *own = getenv("CORPUSCLE_CUDA_DRIVER");
    const char *path = own != NULL && own[0] != '\0' ? own : "libcuda.so.1";
    const char *missing = NULL;
    char reason[300];
    out->library = library_open(path, reason, sizeof reason);
    out->is_absent = out->library == NULL;
    CRP_CHECK(context, out->library != NULL, CRP_ERR_DEVICE,
              "no NVIDIA driver (%s) %s", reason,
              path == own ? "correct or unset CORPUSCLE_CUDA_DRIVER" : "install it, or use the device cpu");
    CRP_CHECK(context,
              library_bind(out->library, out, cuda_symbols, sizeof cuda_symbols / sizeof cuda_symbols[0], &missing),
              CRP_ERR_DEVICE, "the NVIDIA driver is too old (%s has no %s) update the driver", path, missing);
    out->can_split = library_bind(out->library, out, split_symbols, sizeof split_symbols / sizeof split_symbols[0], &missing);
    return CRP_OK;
}

static crp_status initialise(crp_context *context, cuda_driver *out)
{
    char text[256];
    int n = 0;
    out->driver_get_version(&out->version);
    cuda_result result = out->init(0);
    if (result == CUDA_SUCCESS) {
        result = out->device_get_count(&n);
    }
    out->is_absent = result == CUDA_ERROR_NO_DEVICE || (result == CUDA_SUCCESS && n == 0);
    CRP_CHECK(context, result != CUDA_ERROR_NO_DEVICE && (result != CUDA_SUCCESS || n > 0), CRP_ERR_DEVICE,
              "an NVIDIA driver (CUDA %d.%d) but no NVIDIA GPU (none is plugged in, passed through, or left visible by "
              "CUDA_VISIBLE_DEVICES)",
              out->version / 1000, out->version % 1000 / 10);
    CRP_CHECK(context, result == CUDA_SUCCESS, CRP_ERR_DEVICE,
              "the NVIDIA driver (CUDA %d.%d) does not start (%s) check it with nvidia-smi", out->version / 1000,
              out->version % 1000 / 10, cuda_driver_error(out, result, text, sizeof text));
    return CRP_OK;
}

crp_status cuda_driver_open(crp_context *context, cuda_driver *out)
{
    memset(out, 0, sizeof *out);
    crp_status status = open_library(context, out);
    if (status == CRP_OK) {
        status = initialise(context, out);
    }
    if (status != CRP_OK) {
        bool is_absent = out->is_absent;
        cuda_driver_close(out);
        out->is_absent = is_absent;
    }
    return status;
}

void cuda_driver_close(cuda_driver *driver)
{
    /* The library stays in memory: a driver that has started keeps threads and exit handlers of its own. */
    memset(driver, 0, sizeof *driver);
}

const char *cuda_driver_error(const cuda_driver *driver, cuda_result result, char *text, size_t n_text)
{
    const char *name = NULL, *words = NULL;
    if (driver->get_error_name(result, &name) != CUDA_SUCCESS || name == NULL) {
        snprintf(text, n_text, "driver error %d", result);
        return text;
    }
    driver->get_error_string(result, &words);
    snprintf(text, n_text, "%s: %s", name, words == NULL ? "no description" : words);
    return text;
}
