/** May lanes be let out of step here? */
#ifndef DIVERGENCE_LEGALITY_H
#define DIVERGENCE_LEGALITY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instruction.h"

#include <optional>
#include <string>

namespace divergence
{

/** Why a region cannot be rearranged, and the instruction that is in the way. */
struct blocker {
    const llvm::Instruction *at = nullptr;
    std::string reason;
};

/**
 * Does this instruction's outcome depend on which lanes run it together: barrier, vote, shuffle, match, matrix
 * operation, unknown assembly, call of a function not known to be free of these? LLVM marks them `convergent`; for
 * intrinsics the declaration counts and not the call (libclc marks calls of llvm.fma), and for assembly its text (clang
 * marks all assembly of CUDA).
 */
bool is_convergent(const llvm::Instruction &i);

/** Is every statement of this PTX text one whose effect does not depend on other lanes? */
bool is_lane_local_assembly(llvm::StringRef text);

/**
 * The first thing in these blocks that forbids a change of the interleaving of lanes. Hand-over through volatile shared
 * memory counts as one: without barriers it relies on lanes being in step.
 */
std::optional<blocker> find_blocker(llvm::ArrayRef<llvm::BasicBlock *> blocks, bool convergent_safe);

/** The first thing that the rebuilding of control flow cannot handle (exception edges, tokens, moving allocas). */
std::optional<blocker> find_unsupported(llvm::ArrayRef<llvm::BasicBlock *> blocks);

/** Is there a cycle in the loop's body that is no loop of LoopInfo (more than one entry)? */
bool has_irreducible_cycle(const llvm::Loop &loop, const llvm::LoopInfo &loops);

/** May the loop's blocks be copied? Not with noduplicate calls or blocks whose address is taken. */
bool can_copy(llvm::ArrayRef<llvm::BasicBlock *> blocks);

/** "barrier (llvm.nvvm.barrier0) at walk.cu:12:9" for a remark. */
std::string describe(const llvm::Instruction &i);

} // namespace divergence

#endif
