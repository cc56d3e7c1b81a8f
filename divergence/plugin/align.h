/** Two sequences of instructions, aligned so that what both do stands side by side. */
#ifndef DIVERGENCE_ALIGN_H
#define DIVERGENCE_ALIGN_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instruction.h"

namespace divergence
{

/** One row: both (matched), or one with the other null. */
struct aligned_pair {
    llvm::Instruction *first = nullptr, *second = nullptr;
    bool is_common() const
    {
        return first && second;
    }
};

struct alignment {
    llvm::SmallVector<aligned_pair, 32> rows;
    double before = 0; /**< issue cost of both sides one after the other */
    double after = 0;  /**< with the common part run once, selects and further branches included */
    unsigned n_common = 0;
};

/**
 * Can one instruction do the work of both, given the operands by selection? Same operation, types, ordering and scope;
 * not convergent; operands that differ may be variables.
 */
bool can_share(const llvm::Instruction &a, const llvm::Instruction &b);

/** Alignment of least cost (Gotoh's algorithm: opening a gap costs a branch), or none if the sequences are too long. */
bool align(llvm::ArrayRef<llvm::Instruction *> first, llvm::ArrayRef<llvm::Instruction *> second, alignment &out);

} // namespace divergence

#endif
