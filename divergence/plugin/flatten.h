/**
 * A loop and loops inside it become one loop with a program counter per lane.
 *
 * The body of the outer loop is cut at *gather points*: the headers of the merged loops, and every block that lanes
 * reach from more than one stretch of code. In topological order they form a chain of guards, run through once a turn:
 *
 *     head:   pc == 0 ?  outer body up to the first gather point
 *     join k: pc == k ?  code of gather point k
 *     latch:  a lane that is not done goes round; all others leave and go where their pc says
 *
 * A back edge of a merged loop, an exit, and every edge to a later stretch set the lane's pc and go to the next join.
 * So each lane runs its original blocks in its original order, lanes of different outer iterations meet at the joins,
 * and the only back edge leaves the latch, which no later pass splits again.
 *
 * A gather point may have a *gate*: lanes wait there until enough of them have come (iteration delaying).
 */
#ifndef DIVERGENCE_FLATTEN_H
#define DIVERGENCE_FLATTEN_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"

#include <optional>

namespace divergence
{

/** Lanes wait at a gather point until `threshold` have come, none has other work, or `patience` turns have passed. */
struct gate {
    unsigned threshold = 1;
    unsigned patience = 64;
};

struct flatten_plan {
    llvm::Loop *outer = nullptr;
    /** Merged loops; with a loop all loops between it and `outer` are here too. */
    llvm::SmallVector<llvm::Loop *, 4> cut;
    /** Body steps a turn, for merged loops without merged loops inside. */
    llvm::DenseMap<llvm::Loop *, unsigned> steps;
    /**
     * With gates: turns of `outer` past them, for lanes that do not want in, before the votes are taken. Their code,
     * all blocks but those behind a gate, stands as often.
     */
    unsigned turns = 1;
    /** Further gather points, with gates; each block has one predecessor, and `outer` or a merged loop is its
     * innermost. */
    llvm::SmallVector<std::pair<llvm::BasicBlock *, gate>, 2> gates;
    /** A gate for the outer body. */
    std::optional<gate> refill;
};

/** What came out, for the remark. */
struct flatten_result {
    unsigned n_gathers = 0; /**< guards in the chain, without the head */
    unsigned n_exits = 0;   /**< ways out of the merged loop */
    unsigned n_slots = 0;   /**< values that lanes carry from guard to guard, before promotion */
};

/**
 * Carry the plan out. The caller has made sure that find_unsupported and has_irreducible_cycle find nothing. Analyses
 * of the function are invalid afterwards.
 */
flatten_result flatten(llvm::Function &f, const flatten_plan &plan, llvm::LoopInfo &loops);

/** Was this loop made by flatten? */
bool is_flattened(const llvm::Loop &loop);
/** Does it have gates? */
bool is_delayed(const llvm::Loop &loop);

} // namespace divergence

#endif
