/*
 * Linked into a program built with `corpuscle-divcc --profile`: at its end, what the kernels have recorded is appended
 * to the file $CORPUSCLE_PROFILE (corpuscle.divprofile if unset).
 *
 * The driver of the GPU goes away in exit handlers of its own, which it registers when it is first used; the last
 * registered runs first. So ours is registered behind the first launch. The linker sends launches and resets here
 * (--wrap).
 */
#include <cuda_runtime_api.h>

#include <stdio.h>
#include <stdlib.h>

enum { SYMBOLS_MAX = 256, WORDS = 160 + 64 * 64 * 32 * 64 };

static const void *symbols[SYMBOLS_MAX];
static int n_symbols;

void corpuscle_profile_add(const void *symbol)
{
    if (n_symbols < SYMBOLS_MAX) {
        symbols[n_symbols++] = symbol;
    }
}

/* Whether anything was written. */
static int write_one(const void *symbol, unsigned short *words, FILE *file)
{
    size_t n_bytes = WORDS * sizeof *words;
    if (cudaMemcpyFromSymbol(words, symbol, n_bytes, 0, cudaMemcpyDeviceToHost) != cudaSuccess) {
        fprintf(stderr, "corpuscle: nothing was recorded (%s)\n", cudaGetErrorString(cudaGetLastError()));
        return 0;
    }
    /* The magic number in front: a kernel has recorded. */
    return words[0] != 0 && fwrite(words, 1, n_bytes, file) == n_bytes;
}

static void write_all(void)
{
    const char *path = getenv("CORPUSCLE_PROFILE");
    FILE *file = fopen(path == NULL || path[0] == '\0' ? "corpuscle.divprofile" : path, "ab");
    unsigned short *words = malloc(WORDS * sizeof *words);
    int n_written = 0;
    for (int i = 0; file != NULL && words != NULL && i < n_symbols; ++i) {
        n_written += write_one(symbols[i], words, file);
    }
    if (n_written == 0) {
        fprintf(stderr, "corpuscle: the record is empty (no kernel with divergent loops or branches has run)\n");
    }
    if (file == NULL || fclose(file) != 0) {
        fprintf(stderr, "corpuscle: the record could not be written\n");
    }
    free(words);
}

static int is_written;

static void write_once(void)
{
    if (!is_written) {
        is_written = 1;
        write_all();
    }
}

cudaError_t __real_cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **args, size_t shared,
                                    cudaStream_t stream);
cudaError_t __wrap_cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **args, size_t shared,
                                    cudaStream_t stream)
{
    static int is_known;
    cudaError_t result = __real_cudaLaunchKernel(kernel, grid, block, args, shared, stream);
    if (!is_known) {
        is_known = 1;
        atexit(write_once);
    }
    return result;
}

/* A reset clears what was recorded. */
cudaError_t __real_cudaDeviceReset(void);
cudaError_t __wrap_cudaDeviceReset(void)
{
    write_once();
    return __real_cudaDeviceReset();
}
