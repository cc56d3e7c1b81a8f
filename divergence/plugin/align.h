/**
 * The two sides of a branch as sequences, and which parts of them can be one.
 *
 * A side is a chain of blocks from its first one to the block where the sides meet; what lies between two links of the
 * chain (an inner branch, a loop) is a *region*. So a side is a row of items: instructions, regions, and the edges that
 * hand values to phis. Two rows are aligned as sequences of genes are (Needleman and Wunsch 1970, gaps with an opening
 * cost as Gotoh 1982): a pair saves one execution and costs a select for each operand that differs; what has no partner
 * is a gap.
 */
#ifndef DIVERGENCE_ALIGN_H
#define DIVERGENCE_ALIGN_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

#include <memory>
#include <optional>
#include <vector>

namespace divergence
{

/** Slots that a guard around a gap costs: branch and re-convergence. */
constexpr double GUARD_COST = 4.0;

struct item {
    enum kind { phi, instruction, edge, region };
    kind what = instruction;
    /** The phi or instruction; of an edge and of a region the terminator that it begins with. */
    llvm::Instruction *at = nullptr;
    double cost = 0.0;
    /** Region: blocks in reverse post-order; its first block is among them if it is a loop (`is_loop`), else not. */
    llvm::SmallVector<llvm::BasicBlock *, 4> blocks;
    bool is_loop = false;
    /** Region: the block that all its ways out lead to. */
    llvm::BasicBlock *after = nullptr;
    /** May lanes of the other side run it too? */
    bool is_safe = false;
};
typedef std::vector<item> item_row;

/** One side of a branch. */
struct side {
    llvm::BasicBlock *first = nullptr;
    llvm::SmallVector<llvm::BasicBlock *, 8> blocks;
    item_row row;
    double cost = 0.0;
};

/**
 * The side that begins at `first` and ends at `join`; none if it has several entries, ways out that miss the join, or a
 * cycle that is no loop. Costs of loops inside count eight turns.
 */
std::optional<side> find_side(llvm::BasicBlock *branch, llvm::BasicBlock *first, llvm::BasicBlock *join,
                              const llvm::DominatorTree &tree, const llvm::PostDominatorTree &post,
                              const llvm::LoopInfo &loops);

struct region_match;

/** Is it a hint to the optimiser: no code, and wrong where other lanes run it? */
bool is_hint(const llvm::Instruction &i);

/** How often a block of loops inside counts: eight times a level below `depth`. */
double loop_factor(const llvm::BasicBlock *block, unsigned depth, const llvm::LoopInfo &loops);

/** Phis and instructions of a block, without its end and without hints to the optimiser. */
item_row straight_row(llvm::BasicBlock *block, double factor = 1.0);

/** Items of the two rows by index, -1: none. Steps with one item lie in a gap. */
struct step {
    int t = -1, f = -1;
    bool is_guarded = false;              /**< gap: run by its own lanes only */
    std::shared_ptr<region_match> inside; /**< pair of regions */
};
typedef std::vector<step> step_list;

struct block_match {
    llvm::BasicBlock *t, *f;
    item_row row_t, row_f;
    step_list steps;
};

/** Regions of one shape: each block has its counterpart. */
struct region_match {
    std::vector<block_match> blocks;
    double score = 0.0;
};

/** Values of the two sides that are one after the transform: partner of a value of the first side in the second. */
typedef llvm::DenseMap<const llvm::Value *, const llvm::Value *> partner_map;

struct alignment {
    step_list steps;
    partner_map partners;
    unsigned n_pairs = 0;      /**< instructions that have become one, pairs */
    unsigned n_t = 0, n_f = 0; /**< instructions of the sides */
    unsigned n_selects = 0;
    unsigned n_gaps = 0;             /**< guarded ones */
    double pairs = 0.0;              /**< cost of all pairs with their selects */
    double speculated = 0.0;         /**< cost of gaps without guard */
    double gap_t = 0.0, gap_f = 0.0; /**< cost behind guards */
};

/** The alignment that saves most. */
alignment align(const side &t, const side &f, const llvm::LoopInfo &loops);

/** May two instructions become one, with selected operands? */
bool can_be_one(const llvm::Instruction &a, const llvm::Instruction &b);

} // namespace divergence

#endif
