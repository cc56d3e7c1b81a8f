/** Stack slots that carry values between blocks while control flow is rebuilt: who is live where, and which can be one.
 */
#ifndef DIVERGENCE_SLOTS_H
#define DIVERGENCE_SLOTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

namespace divergence
{

/** Slots are allocas with loads and stores only. */
class slot_set
{
  public:
    slot_set(llvm::Function &function, llvm::ArrayRef<llvm::AllocaInst *> all);

    /** Liveness for the control flow as it is now. */
    void find_live();
    bool is_live_in(unsigned slot, const llvm::BasicBlock *block) const;
    unsigned size() const
    {
        return slots.size();
    }
    llvm::AllocaInst *at(unsigned slot) const
    {
        return slots[slot];
    }

    /**
     * Let slots share one where a value is copied from one to the other and both are never live with different values.
     * A store of poison says that a slot's value is no longer wanted; such stores go where a sharer still needs its
     * own.
     */
    void coalesce();

  private:
    int slot_of(const llvm::Instruction &i) const;
    void walk_back(const llvm::Instruction &i, llvm::BitVector &live) const;
    void find_interference();
    void find_interference(llvm::BasicBlock &block);
    void join_copies();
    void try_join(unsigned a, unsigned b);
    void drop_kills();
    unsigned leader(unsigned slot) const;

    llvm::Function &f;
    llvm::SmallVector<llvm::AllocaInst *, 32> slots;
    llvm::DenseMap<const llvm::Value *, unsigned> index;
    llvm::DenseMap<const llvm::BasicBlock *, llvm::BitVector> live_in, live_out;
    llvm::SmallVector<llvm::BitVector, 32> clashes; /* by slot; leaders hold those of all that joined */
    llvm::SmallVector<unsigned, 32> parent;
    llvm::SmallVector<llvm::BitVector, 32> members;
};

} // namespace divergence

#endif
