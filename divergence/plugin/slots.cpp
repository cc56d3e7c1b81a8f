#include "slots.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"

using namespace llvm;

namespace divergence
{

slot_set::slot_set(Function &function, ArrayRef<AllocaInst *> all) : f(function)
{
    for (AllocaInst *slot : all) {
        index[slot] = slots.size();
        slots.push_back(slot);
    }
}

/* The slot that a load or store touches, or -1. */
int slot_set::slot_of(const Instruction &i) const
{
    const Value *pointer = getLoadStorePointerOperand(&i);
    auto found = pointer ? index.find(pointer) : index.end();
    return found == index.end() ? -1 : (int)found->second;
}

void slot_set::walk_back(const Instruction &i, BitVector &live) const
{
    int slot = slot_of(i);
    if (slot >= 0) {
        live[slot] = isa<LoadInst>(i);
    }
}

void slot_set::find_live()
{
    live_in.clear();
    live_out.clear();
    for (BasicBlock &block : f) {
        live_in[&block] = live_out[&block] = BitVector(slots.size());
    }
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (BasicBlock *block : post_order(&f)) {
            BitVector live(slots.size());
            for (BasicBlock *next : successors(block)) {
                live |= live_in[next];
            }
            live_out[block] = live;
            for (const Instruction &i : reverse(*block)) {
                walk_back(i, live);
            }
            if (live != live_in[block]) {
                live_in[block] = live;
                has_changed = true;
            }
        }
    }
}

bool slot_set::is_live_in(unsigned slot, const BasicBlock *block) const
{
    auto found = live_in.find(block);
    return found != live_in.end() && found->second[slot];
}

/* A store to a slot clashes with every other live slot that is not known to hold the same value. */
void slot_set::find_interference(BasicBlock &block)
{
    SmallVector<std::pair<Instruction *, BitVector>, 16> touched;
    BitVector live = live_out[&block];
    for (Instruction &i : reverse(block)) {
        if (slot_of(i) >= 0) {
            touched.push_back({&i, live});
        }
        walk_back(i, live);
    }
    DenseMap<unsigned, Value *> content;
    for (auto &[i, after] : reverse(touched)) {
        unsigned slot = slot_of(*i);
        auto *store = dyn_cast<StoreInst>(i);
        Value *value = store ? store->getValueOperand() : i;
        if (store && !isa<PoisonValue>(value)) {
            for (unsigned other : after.set_bits()) {
                if (other != slot && content.lookup(other) != value) {
                    clashes[slot].set(other);
                    clashes[other].set(slot);
                }
            }
        }
        content[slot] = value;
    }
}

unsigned slot_set::leader(unsigned slot) const
{
    while (parent[slot] != slot) {
        slot = parent[slot];
    }
    return slot;
}

void slot_set::try_join(unsigned a, unsigned b)
{
    a = leader(a);
    b = leader(b);
    bool fits = a != b && slots[a]->getAllocatedType() == slots[b]->getAllocatedType();
    if (!fits || clashes[a].anyCommon(members[b]) || clashes[b].anyCommon(members[a])) {
        return;
    }
    parent[b] = a;
    members[a] |= members[b];
    clashes[a] |= clashes[b];
}

void slot_set::join_copies()
{
    DenseMap<Value *, unsigned> holder;        /* value -> a slot that it was stored to */
    for (BasicBlock *block : post_order(&f)) { /* late copies first: values on their way round a loop */
        for (Instruction &i : *block) {
            auto *store = dyn_cast<StoreInst>(&i);
            int slot = slot_of(i);
            if (!store || slot < 0 || isa<Constant>(store->getValueOperand())) {
                continue;
            }
            Value *value = store->getValueOperand();
            auto *load = dyn_cast<LoadInst>(value);
            int from = load ? slot_of(*load) : -1;
            if (from >= 0) {
                try_join(slot, from);
            }
            auto [found, is_new] = holder.insert({value, slot});
            if (!is_new) {
                try_join(slot, found->second);
            }
        }
    }
}

/* A slot's end of life must not end that of a sharer. */
void slot_set::drop_kills()
{
    for (BasicBlock &block : f) {
        BitVector live = live_out[&block];
        for (Instruction &i : make_early_inc_range(reverse(block))) {
            auto *store = dyn_cast<StoreInst>(&i);
            int slot = slot_of(i);
            walk_back(i, live);
            if (store && slot >= 0 && isa<PoisonValue>(store->getValueOperand())) {
                BitVector sharers = members[leader(slot)];
                sharers.reset(slot);
                if (sharers.anyCommon(live)) {
                    store->eraseFromParent();
                }
            }
        }
    }
}

void slot_set::coalesce()
{
    find_live();
    clashes.assign(slots.size(), BitVector(slots.size()));
    members = clashes;
    parent.resize(slots.size());
    for (unsigned i = 0; i < slots.size(); ++i) {
        parent[i] = i;
        members[i].set(i);
    }
    for (BasicBlock &block : f) {
        find_interference(block);
    }
    join_copies();
    drop_kills();
    for (unsigned i = 0; i < slots.size(); ++i) {
        if (leader(i) != i) {
            slots[i]->replaceAllUsesWith(slots[leader(i)]);
        }
    }
}

} // namespace divergence
