/** Operations across the lanes of a warp, for the target at hand. */
#ifndef DIVERGENCE_LANES_H
#define DIVERGENCE_LANES_H

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace divergence
{

/**
 * Can votes be written for this module's target? NVPTX: yes. A host: calls of corpuscle_div_ballot and
 * corpuscle_div_active_mask, which the CPU oracle provides (32 lanes as fibres).
 */
bool has_votes(const llvm::Module &m);

/** The lanes that run together here, as a 32-bit mask. */
llvm::Value *emit_active_mask(llvm::IRBuilderBase &b);

/** One bit for each lane of `mask` whose `predicate` holds; all lanes of the mask must come. */
llvm::Value *emit_ballot(llvm::IRBuilderBase &b, llvm::Value *mask, llvm::Value *predicate);

} // namespace divergence

#endif
