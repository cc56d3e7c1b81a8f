/* The shared library is the static one, whole. */
typedef int crp_empty_translation_unit;
