/**
 * Formulas of a model: "A2/SUMDES", "SUM(H,3,8)", "AVG(P,S1)", "A[pump]/D[inlet]".
 *
 * Numbers, + - * / ^ and brackets; functions sin cos tan asin acos atan sinh cosh tanh exp ln log2 log10 inv sqrt abs
 * and pow(x,y); constants PI, Kb (J/K), R (J/mol/K), Na (1/mol). Of facet n, from 1: An, Dn, Hn (absorbed, desorbed,
 * hits), MCHn (the same as Hn), Pn (mbar), DENn (1/m3), Zn (1/m2/s), Vn (mean speed, m/s), Tn (K), ARn (cm2), FORCEn,
 * FORCEXn, FORCEYn, FORCEZn (N). Of the model: SUMABS, SUMDES, SUMHIT, MFP and MPP (mean free and mean pumping path,
 * cm), DESR and ABSR (molecules desorbed and absorbed, 1/s), QCONST (mbar l/s), QCONST_N (1/s). SUM and AVG take a
 * quantity and facets from .. to, or a group Sk, from 1; averages are weighted by area. In place of a number any
 * quantity takes the name of a surface or group in square brackets: the sum of A, D, H, AR and forces, the average of
 * the others. Upper and lower case are the same.
 *
 * Counts are per desorbed molecule, whatever the length of the run: SUMDES is 1.
 */
#ifndef MODEL_GAS_GAS_FORMULA_H
#define MODEL_GAS_GAS_FORMULA_H

#include "model/gas/gas.h"

/* X(enum, word, is additive) */
#define GAS_QUANTITY_LIST(X)                                                                                           \
    X(GAS_Q_ABSORBED, "A", true)                                                                                       \
    X(GAS_Q_DESORBED, "D", true)                                                                                       \
    X(GAS_Q_HITS, "H", true)                                                                                           \
    X(GAS_Q_MC_HITS, "MCH", true)                                                                                      \
    X(GAS_Q_PRESSURE, "P", false)                                                                                      \
    X(GAS_Q_DENSITY, "DEN", false)                                                                                     \
    X(GAS_Q_IMPINGEMENT, "Z", false)                                                                                   \
    X(GAS_Q_MEAN_SPEED, "V", false)                                                                                    \
    X(GAS_Q_TEMPERATURE, "T", false)                                                                                   \
    X(GAS_Q_AREA, "AR", true)                                                                                          \
    X(GAS_Q_FORCE, "FORCE", true)                                                                                      \
    X(GAS_Q_FORCE_X, "FORCEX", true)                                                                                   \
    X(GAS_Q_FORCE_Y, "FORCEY", true)                                                                                   \
    X(GAS_Q_FORCE_Z, "FORCEZ", true)

#define GAS_GLOBAL_LIST(X)                                                                                             \
    X(GAS_Q_SUM_ABSORBED, "SUMABS")                                                                                    \
    X(GAS_Q_SUM_DESORBED, "SUMDES")                                                                                    \
    X(GAS_Q_SUM_HITS, "SUMHIT")                                                                                        \
    X(GAS_Q_SUM_MC_HITS, "SUMMCHIT")                                                                                   \
    X(GAS_Q_MEAN_FREE_PATH, "MFP")                                                                                     \
    X(GAS_Q_MEAN_PUMPING_PATH, "MPP")                                                                                  \
    X(GAS_Q_DESORPTION_RATE, "DESR")                                                                                   \
    X(GAS_Q_ABSORPTION_RATE, "ABSR")                                                                                   \
    X(GAS_Q_GAS_FLOW, "QCONST")                                                                                        \
    X(GAS_Q_MOLECULES, "QCONST_N")

#define GAS_QUANTITY_ENUM(name, word, is_additive) name,
#define GAS_GLOBAL_ENUM(name, word) name,
typedef enum gas_quantity {
    GAS_QUANTITY_LIST(GAS_QUANTITY_ENUM) GAS_N_FACET_QUANTITIES,
    GAS_Q_FIRST_GLOBAL_ = GAS_N_FACET_QUANTITIES - 1,
    GAS_GLOBAL_LIST(GAS_GLOBAL_ENUM) GAS_N_QUANTITIES
} gas_quantity;
#undef GAS_QUANTITY_ENUM
#undef GAS_GLOBAL_ENUM

/** Value of a quantity of one facet, from 0, or (facet ignored) of the model. */
typedef double (*gas_quantity_value)(void *user, gas_quantity quantity, uint32_t facet);

typedef struct gas_expression gas_expression;

/**
 * Read a formula.
 *
 * @param name  of the formula, for messages
 * @return CRP_OK; CRP_ERR_CONFIG "formula <name>: problem at <where> (why) suggestion"; CRP_ERR_MEMORY
 */
crp_status gas_expression_create(crp_context *context, const gas_model *model, const char *name, const char *text,
                                 gas_expression **expression);
/** Free and set to NULL. Accepts a pointer to NULL. */
void gas_expression_destroy(gas_expression **expression);

/** Value of an expression; NaN or infinite where mathematics has no other answer (0/0 of a facet without hits). */
double gas_expression_value(const gas_expression *expression, gas_quantity_value value, void *user);

#endif
