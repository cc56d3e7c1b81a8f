/** Layered tissue: the validated model of `light`. Lengths in cm, coefficients in 1/cm, as MCML. */
#ifndef MODEL_LIGHT_LIGHT_H
#define MODEL_LIGHT_LIGHT_H

#include "model/model.h"

typedef struct light_layer {
    char name[64];  /**< "" if the file gives none */
    double n;       /**< refractive index, > 0 */
    double mu_a;    /**< absorption coefficient [1/cm], >= 0 */
    double mu_s;    /**< scattering coefficient [1/cm], >= 0 */
    double g;       /**< anisotropy of Henyey-Greenstein, in [-1, 1] */
    double d;       /**< thickness [cm], > 0 (MCML's 0 too); semi-infinite: >= 1e8, only sensible in the last layer */
} light_layer;

typedef struct light_model {
    uint32_t n_layers;          /**< >= 1 */
    light_layer *layers;        /**< from the top; owned */
    double n_above, n_below;    /**< ambient media, > 0 */
    double dz, dr;              /**< grid [cm], > 0 */
    uint32_t nz, nr, na;        /**< >= 1; the angular bins divide [0, pi/2] */
    double weight_threshold;    /**< roulette below this weight; default 1e-4 */
    double roulette_chance;     /**< survival chance, 1/m for an integer m of 2 to 1000; default 0.1 */
    bool score_fluence;         /**< also tally the fluence Phi(r, z); default false for .mci, true for YAML */
    char mco_path[1024];        /**< .mco to write, "" if none */
    char mco_format;            /**< 'A' or 'B', as in the file */
    char mci_version[16];       /**< token of the first line, "1.0" */
} light_model;

/** `light` as the engine, the readers and the program know it. */
extern const crp_module module_light;

/** Default-filled model with room for n layers; NULL when out of memory. Free with light_model_destroy. */
light_model *light_model_create(uint32_t n_layers);
void light_model_destroy(void *model);

/**
 * Check every range; the message is "<where>: problem (why) suggestion".
 * @param where   prefix of the messages, "skin.mci:14" for a line or the path of a key; the caller may instead check
 *                field by field with light_check_* below to name the exact line.
 */
crp_status light_model_validate(crp_context *context, const char *where, const light_model *model);

/** Range checks shared by all readers: return NULL when fine, else a static sentence: what must hold. */
const char *light_check_index(double n);
const char *light_check_coefficient(double mu);
const char *light_check_anisotropy(double g);
const char *light_check_thickness(double d);
const char *light_check_grid_step(double step);
const char *light_check_grid_count(double count); /* 1 to 1e6, whole */

#endif
