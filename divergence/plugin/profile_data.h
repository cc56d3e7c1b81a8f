/** What an instrumented run has recorded: trip counts and branch directions by lane (the file of -divergence-profile).
 */
#ifndef DIVERGENCE_PROFILE_DATA_H
#define DIVERGENCE_PROFILE_DATA_H

#include "cost.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Function.h"

#include <optional>

namespace divergence
{

/** Trip counts of a loop, all recorded warps behind one another; none if the file does not have it. */
std::optional<trip_trace> recorded_trips(const llvm::Function &f, const llvm::Loop &loop);

/** Is it known that no recorded lane came to this loop, though some came to others of the function? */
bool was_passed_by(const llvm::Function &f, const llvm::Loop &loop);

/** Directions of the branch that ends this block: 1 where the first successor was taken. */
std::optional<branch_trace> recorded_branches(const llvm::Function &f, const llvm::BasicBlock &block);

} // namespace divergence

#endif
