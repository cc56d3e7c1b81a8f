/** Status codes of every public function: one list, from which the enum, the texts and the docs come. */
#ifndef CORPUSCLE_STATUS_H
#define CORPUSCLE_STATUS_H

#if defined(__GNUC__)
#define CRP_API __attribute__((visibility("default")))
#else
#define CRP_API
#endif

/* X(name, value, text) */
#define CRP_STATUS_LIST(X)                                                    \
    X(CRP_OK, 0, "success")                                                   \
    X(CRP_ERR_ARG, -1, "wrong argument in a call of the library")             \
    X(CRP_ERR_CONFIG, -2, "wrong or missing value in the input")              \
    X(CRP_ERR_FORMAT, -3, "a file does not have the form it should have")     \
    X(CRP_ERR_IO, -4, "a file cannot be read or written")                     \
    X(CRP_ERR_MEMORY, -5, "not enough memory")                                \
    X(CRP_ERR_DEVICE, -6, "a device is absent or failed")                     \
    X(CRP_ERR_COMPILE, -7, "a kernel could not be compiled")                  \
    X(CRP_ERR_UNSUPPORTED, -8, "asked for something that is not there")       \
    X(CRP_ERR_GEOMETRY, -9, "the geometry is not valid")                      \
    X(CRP_ERR_NUMERIC, -10, "too many histories ended in impossible states")  \
    X(CRP_ERR_CANCELLED, -11, "stopped on request, a statepoint was written") \
    X(CRP_ERR_PRECISION, -12, "the precision asked for was not reached")      \
    X(CRP_ERR_INTERNAL, -13, "a fault in the program itself")

#define CRP_STATUS_ENUM(name, value, text) name = value,
typedef enum crp_status { CRP_STATUS_LIST(CRP_STATUS_ENUM) CRP_STATUS_END_ = 1 } crp_status;
#undef CRP_STATUS_ENUM

#ifdef __cplusplus
extern "C" {
#endif

/** The text of a status code; "unknown status" for any other number. Static storage. */
CRP_API const char *crp_status_text(crp_status status);

#ifdef __cplusplus
}
#endif
#endif
