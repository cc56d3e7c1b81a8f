/* Removed in CUDA 13; clang 19 still includes it. It needs to hold nothing. */
