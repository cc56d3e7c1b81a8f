/**
 * What a rearrangement costs and brings, in issue slots of a warp.
 *
 * A warp is played through turn by turn, once as the program stands and once rearranged, with trip counts and branches
 * that were recorded (profile_data.h) or, without a record, drawn from a distribution that the shape of the code
 * suggests.
 */
#ifndef DIVERGENCE_COST_H
#define DIVERGENCE_COST_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instruction.h"

#include <cstdint>
#include <vector>

namespace divergence
{

enum { LANES = 32 };

/** Issue slots of one instruction on a GPU: 0 for what vanishes, more for 64-bit, division, special functions, memory.
 */
double instruction_cost(const llvm::Instruction &i);

/** Sum over blocks; a loop of LoopInfo below `around` that the caller did not name counts its body `trips` times. */
double block_cost(const llvm::BasicBlock &block);

/** Share of the cost of these blocks that is arithmetic; the rest waits for memory and gains nothing from fuller warps.
 */
double arithmetic_share(llvm::ArrayRef<llvm::BasicBlock *> blocks);

/** Body executions by lane: trips[n][lane] for the n-th time the lane comes to the inner loop; 0xffff: the lane had
 * ended. */
struct trip_trace {
    std::vector<std::vector<uint16_t>> trips;
    std::vector<size_t> warps; /**< rows where a further warp begins; none: all rows are one warp's */
    unsigned n_launched = 0;   /**< warps of the launch that was recorded */
};

/** How trip counts of an inner loop may be spread when nothing was recorded. */
enum class spread { none, uniform, geometric };

/** `n` visits by 32 lanes with the given mean; fixed numbers, the same in every run. */
trip_trace make_trace(spread kind, unsigned mean, unsigned n);

/**
 * The same for a persistent kernel: as many of the recorded warps as share the place of one on a GPU that holds so many
 * are one warp's, whose lanes go on to their next item when they are done.
 */
trip_trace behind_one_another(const trip_trace &t, unsigned warps_held);

/** Mean over visits of the longest lane's trips. */
double longest_mean(const trip_trace &t);

/** Issue costs of the pieces of a nest. */
struct nest_cost {
    double body = 0;   /**< one turn of the inner loop */
    double outer = 0;  /**< prologue and epilogue, once for each visit */
    double turn = 18;  /**< added to each merged turn: guards and the lane's program counter (measured, H200) */
    double end = 10;   /**< added when a lane ends a visit */
    double others = 0; /**< turns that a lane spends in merged loops beside the main one, a visit */
};

/** Slots for all visits as the program stands: each visit lasts as long as its longest lane. */
double nested_cost(const nest_cost &c, const trip_trace &t);

/** The same merged, with `steps` body executions a turn, and new visits begun when `refill` lanes want one. */
double merged_cost(const nest_cost &c, const trip_trace &t, unsigned steps, unsigned refill);

/** Which way each lane went at a branch: dear[n][lane] for the n-th iteration; 2: the lane had ended. */
struct branch_trace {
    std::vector<std::vector<uint8_t>> dear;
    std::vector<size_t> warps; /**< rows where a further warp begins; none: all rows are one warp's */
};
branch_trace make_branches(double probability, unsigned n);

/** Issue costs of the pieces of a loop with a branch. */
struct branch_cost {
    double dear = 0, cheap = 0; /**< the two sides */
    double common = 0;          /**< the rest of an iteration */
    double turn = 44; /**< votes and guards; fits 12 cells of bench/divergence/synthetic.cu on an H200 within 8 % */
};
double branching_cost(const branch_cost &c, const branch_trace &t);
/** `turns`: iterations on the cheap way between two votes, at most. */
double delayed_cost(const branch_cost &c, const branch_trace &t, unsigned threshold, unsigned patience, unsigned turns);

} // namespace divergence

#endif
