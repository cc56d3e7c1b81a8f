/** What the passes tell the user: one line a finding, and LLVM's own remarks for those who use opt. */
#ifndef DIVERGENCE_REMARKS_H
#define DIVERGENCE_REMARKS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/DebugLoc.h"
#include "llvm/IR/Function.h"

#include <string>

namespace divergence
{

enum class verdict { done, declined, analysis };

/** A place in the source; falls back to the function where there is no debug information. */
struct place {
    llvm::DebugLoc where;
    const llvm::BasicBlock *block = nullptr;
};

/**
 * Report one finding, e.g. "walk.cu:12:9: loop-merge: merged (depth 2, ...)". The line is appended to the file of
 * -divergence-remarks (or printed to stderr if that is "-"), and an OptimizationRemark goes to LLVM's streamers.
 */
void remark(llvm::Function &f, place at, llvm::StringRef pass, verdict v, const std::string &text);

/** "walk.cu:12:9", or "walk.cu: function" where there is no line. */
std::string place_name(const llvm::Function &f, const llvm::DebugLoc &where);

/** printf into a std::string. */
std::string format(const char *text, ...) __attribute__((format(printf, 1, 2)));

} // namespace divergence

#endif
