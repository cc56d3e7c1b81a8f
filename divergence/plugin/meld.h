/** Two sides of a branch become one row of code, as an alignment says. */
#ifndef DIVERGENCE_MELD_H
#define DIVERGENCE_MELD_H

#include "align.h"

namespace divergence
{

/**
 * Rewrite `branch`, whose sides `t` (condition true) and `f` meet at `join`: pairs are done once with operands chosen
 * by the condition, guarded gaps stay under the condition, other gaps are run by all lanes. Each lane does its original
 * operations in their original order. Values go through stack slots, partners share one, and the slots become phis at
 * the end. Analyses of the function are invalid afterwards.
 */
void meld(llvm::BasicBlock *branch, llvm::BasicBlock *join, const side &t, const side &f, const alignment &a);

/** Does this block end with the guard of a gap that meld has made? */
bool is_gap_guard(const llvm::BasicBlock &block);

} // namespace divergence

#endif
