/** What the user asked for: options of opt, parameters of a pass, annotations in the source. */
#ifndef DIVERGENCE_SETTINGS_H
#define DIVERGENCE_SETTINGS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/Function.h"

#include <string>

namespace divergence
{

/** Options that hold for all passes of a run of opt (-divergence-...). */
struct run_settings {
    std::string remarks;        /**< file that gets the remarks; "-" is stderr, "" none */
    std::string profile;        /**< what an instrumented run has recorded (profile_data.h) */
    bool report = false;        /**< analyse only, change nothing */
    bool all_functions = false; /**< kernels are not marked as such (host code, tests): take every function */
    double margin = 1.10;       /**< smallest predicted speed-up that is worth a change */
    unsigned processors = 132;  /**< multiprocessors of the GPU, for persist */
    std::string registers;      /**< "kernel registers registers": without and with the passes; "" where not known */
};
const run_settings &settings();

/** Parameters of one pass: "loop-merge<force;steps=4>". Zero means: the cost model chooses. */
struct pass_settings {
    bool force = false;           /**< apply wherever it is legal, whatever the cost model says */
    unsigned steps = 0;           /**< loop-merge: body steps a turn */
    unsigned depth = 0;           /**< loop-merge: at most so many levels are merged into the outer loop */
    unsigned refill = 0;          /**< loop-merge: lanes that must wait before the outer body runs; 1 is at once */
    unsigned threshold = 0;       /**< iteration-delay: lanes that must wait before the dear side runs */
    unsigned patience = 64;       /**< votes: turns after which waiting lanes are served whatever their number */
    bool convergent_safe = false; /**< the user vouches that convergent operations do not mind */
    bool off = false;             /**< this function is left alone */
};

/** Read "force;steps=4"; false and a message in `error` for an unknown word. */
bool parse_settings(llvm::StringRef text, pass_settings &out, std::string &error);

/**
 * The settings for one function: those of the pass, changed by annotations of the source:
 * __attribute__((annotate("div.loop-merge:force;steps=4"))), "div.loop-merge:off", "div.off", "div.force",
 * "div.assume_convergent_safe".
 */
pass_settings settings_for(const llvm::Function &f, llvm::StringRef pass, const pass_settings &base);

/** Could lanes part at this block's end? On a host, which knows no lanes, wherever there is a choice. */
bool may_diverge(llvm::UniformityInfo &uniformity, const llvm::BasicBlock &block);

/** Is this function one that the passes look at: a kernel, or any with a body where all are wanted. */
bool is_wanted(const llvm::Function &f);

/** Is it a GPU kernel by calling convention or nvvm.annotations? */
bool is_kernel(const llvm::Function &f);

} // namespace divergence

#endif
