#include "meld.h"

#include "sites.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

namespace divergence
{

static const char *const GAP = "corpuscle.divergence.gap";

namespace
{

/* Which lanes run the code that is being written: those of one side, or all. */
enum class company { first, second, all };

typedef MapVector<BasicBlock *, BasicBlock *> block_map;
typedef MapVector<AllocaInst *, std::pair<Value *, Value *>> edge_values; /* by slot: what each side hands over */

class melder
{
  public:
    melder(BasicBlock *head, BasicBlock *end, const side &true_side, const side &false_side, const alignment &what)
        : f(*head->getParent()), branch(head), join(end), t(true_side), s(false_side), plan(what),
          condition(cast<BranchInst>(head->getTerminator())->getCondition()), current(head), b(head->getContext())
    {
        for (const side *one : {&t, &s}) {
            for (BasicBlock *block : one->blocks) {
                inner.insert(block);
                has_scopes |= any_of(*block, [](Instruction &i) { return isa<NoAliasScopeDeclInst>(i); });
            }
        }
    }
    void run();

  private:
    void share_slots();
    void share_gap_values(const item_row &row_t, const item_row &row_f, const step_list &steps);
    void note_guarded(const item_row &row_t, const item_row &row_f, const step_list &steps);
    void share_operands(const Instruction &x, const Instruction &y);
    AllocaInst *new_slot(Type *type);
    AllocaInst *slot_of(const Value *v);
    AllocaInst *edge_of(const PHINode *phi);

    bool is_inner(const Value *v) const
    {
        const auto *i = dyn_cast<Instruction>(v);
        return i && inner.count(i->getParent());
    }
    Value *read(Value *v);
    Value *pick(Value *x, Value *y);
    void assign(AllocaInst *slot, Value *x, Value *y);

    void emit_row(const item_row &row_t, const item_row &row_f, const step_list &steps);
    void emit_gap(const item_row &row_t, const item_row &row_f, ArrayRef<step> gap);
    void emit_items(const item_row &row_t, const item_row &row_f, ArrayRef<step> gap, company whose);
    void emit_single(const item &i, bool is_first);
    void emit_pair(const item &x, const item &y, const region_match *inside);
    void emit_phi(PHINode *x, PHINode *y);
    void emit_instructions(Instruction *x, Instruction *y);
    void emit_region(const item &i, bool is_first);
    void emit_regions(const item &x, const item &y, const region_match &inside);
    void collect_edges(BasicBlock *from, ArrayRef<BasicBlock *> to, bool is_first, edge_values &out);
    void emit_edges(BasicBlock *from_t, BasicBlock *from_f);
    void store_edges(const edge_values &all);
    void emit_end(Instruction *x, Instruction *y, const block_map &to);
    BasicBlock *new_block(const char *name);
    void go_on_at(BasicBlock *block)
    {
        current = block;
        b.SetInsertPoint(block);
        selects.clear();
    }
    void leave();
    void clean();

    Function &f;
    BasicBlock *branch, *join;
    const side &t, &s;
    const alignment &plan;
    Value *condition;
    BasicBlock *current;
    IRBuilder<> b;
    company who = company::all;
    SmallPtrSet<const BasicBlock *, 16> inner;
    bool has_scopes = false; /* declarations of alias scopes go, so what refers to them must */
    DenseMap<const Value *, AllocaInst *> values;
    DenseMap<const PHINode *, AllocaInst *> edges;
    DenseMap<std::pair<Value *, Value *>, Value *> selects; /* of values from outside, in this block */
    SmallPtrSet<AllocaInst *, 16> shared;                   /* hold values of either side */
    SmallPtrSet<const Instruction *, 16> guarded;
    SmallVector<AllocaInst *, 32> slots;
    SmallVector<BasicBlock *, 16> made;
};

/* --- slots --- */

AllocaInst *melder::new_slot(Type *type)
{
    const DataLayout &layout = f.getParent()->getDataLayout();
    auto *slot = new AllocaInst(type, layout.getAllocaAddrSpace(), nullptr, "", f.getEntryBlock().begin());
    slots.push_back(slot);
    return slot;
}

AllocaInst *melder::slot_of(const Value *v)
{
    AllocaInst *&slot = values[v];
    return slot ? slot : slot = new_slot(v->getType());
}

/* Where edges leave what a phi is to be. The slot of a phi at the join takes values of both sides. */
AllocaInst *melder::edge_of(const PHINode *phi)
{
    AllocaInst *&slot = edges[phi];
    if (!slot) {
        slot = new_slot(phi->getType());
        if (phi->getParent() == join) {
            shared.insert(slot);
        }
    }
    return slot;
}

void melder::share_slots()
{
    for (auto [x, y] : plan.partners) {
        if (x->getType()->isVoidTy()) {
            continue;
        }
        shared.insert(values[y] = slot_of(x));
        if (const auto *phi = dyn_cast<PHINode>(x)) {
            shared.insert(edges[cast<PHINode>(y)] = edge_of(phi));
        }
    }
    note_guarded(t.row, s.row, plan.steps);
    share_gap_values(t.row, s.row, plan.steps);
}

void melder::note_guarded(const item_row &row_t, const item_row &row_f, const step_list &steps)
{
    for (const step &k : steps) {
        if (k.inside) {
            for (const block_match &m : k.inside->blocks) {
                note_guarded(m.row_t, m.row_f, m.steps);
            }
        }
        if (!k.is_guarded) {
            continue;
        }
        const item &i = k.t >= 0 ? row_t[k.t] : row_f[k.f];
        guarded.insert(i.at);
        for (const BasicBlock *block : i.blocks) {
            for (const Instruction &each : *block) {
                guarded.insert(&each);
            }
        }
    }
}

/* Values that only guarded code makes, and that a pair takes as one operand: in one slot, no select is needed. */
void melder::share_operands(const Instruction &x, const Instruction &y)
{
    for (unsigned k = 0; k < x.getNumOperands(); ++k) {
        const auto *p = dyn_cast<Instruction>(x.getOperand(k)), *q = dyn_cast<Instruction>(y.getOperand(k));
        if (p && q && guarded.count(p) && guarded.count(q) && !values.count(p) && !values.count(q)) {
            shared.insert(values[q] = slot_of(p));
        }
    }
}

void melder::share_gap_values(const item_row &row_t, const item_row &row_f, const step_list &steps)
{
    for (const step &k : steps) {
        if (k.t < 0 || k.f < 0) {
            continue;
        }
        if (row_t[k.t].what == item::instruction) {
            share_operands(*row_t[k.t].at, *row_f[k.f].at);
        }
        for (size_t n = 0; k.inside && n < k.inside->blocks.size(); ++n) {
            const block_match &m = k.inside->blocks[n];
            share_gap_values(m.row_t, m.row_f, m.steps);
        }
    }
}

Value *melder::read(Value *v)
{
    return is_inner(v) ? b.CreateLoad(v->getType(), slot_of(v)) : v;
}

/* The operand of a pair. */
Value *melder::pick(Value *x, Value *y)
{
    if (x == y || isa<UndefValue>(y)) {
        return read(x);
    }
    if (isa<UndefValue>(x) || (is_inner(x) && is_inner(y) && slot_of(x) == slot_of(y))) {
        return read(y);
    }
    if (is_inner(x) || is_inner(y)) {
        Value *a = read(x), *c = read(y);
        return b.Insert(SelectInst::Create(condition, a, c));
    }
    Value *&chosen = selects[{x, y}];
    return chosen ? chosen : chosen = b.Insert(SelectInst::Create(condition, x, y));
}

/* x, y: what lanes of the first and second side store; null: nothing. */
void melder::assign(AllocaInst *slot, Value *x, Value *y)
{
    if (x && y) {
        b.CreateStore(x == y ? x : b.Insert(SelectInst::Create(condition, x, y)), slot);
        return;
    }
    Value *v = x ? x : y;
    if (who == company::all && shared.count(slot)) { /* leave the other lanes what they have */
        Value *old = b.CreateLoad(v->getType(), slot);
        v = b.Insert(SelectInst::Create(condition, x ? v : old, x ? old : v));
    }
    b.CreateStore(v, slot);
}

/* --- edges --- */

/* What the phis of the blocks `to` get from `from`. */
void melder::collect_edges(BasicBlock *from, ArrayRef<BasicBlock *> to, bool is_first, edge_values &out)
{
    SmallPtrSet<BasicBlock *, 4> seen;
    for (BasicBlock *next : to) {
        if (!seen.insert(next).second) {
            continue;
        }
        for (PHINode &phi : next->phis()) {
            auto &entry = out[edge_of(&phi)];
            (is_first ? entry.first : entry.second) = phi.getIncomingValueForBlock(from);
        }
    }
}

void melder::store_edges(const edge_values &all)
{
    SmallVector<std::pair<AllocaInst *, std::pair<Value *, Value *>>, 8> read_before;
    for (auto &[slot, from] : all) { /* all values are read before one is stored: phis change at once */
        Value *x = from.first, *y = from.second;
        if (x && y) {
            x = y = pick(x, y);
        } else {
            x = x ? read(x) : nullptr;
            y = y ? read(y) : nullptr;
        }
        read_before.push_back({slot, {x, y}});
    }
    for (auto &[slot, from] : read_before) {
        assign(slot, from.first, from.second);
    }
}

void melder::emit_edges(BasicBlock *from_t, BasicBlock *from_f)
{
    edge_values all;
    if (from_t) {
        SmallVector<BasicBlock *, 4> to(successors(from_t));
        collect_edges(from_t, to, true, all);
    }
    if (from_f) {
        SmallVector<BasicBlock *, 4> to(successors(from_f));
        collect_edges(from_f, to, false, all);
    }
    store_edges(all);
}

/* --- code --- */

BasicBlock *melder::new_block(const char *name)
{
    made.push_back(BasicBlock::Create(f.getContext(), name, &f, join));
    return made.back();
}

void melder::emit_phi(PHINode *x, PHINode *y)
{
    PHINode *phi = x ? x : y;
    Value *v = b.CreateLoad(phi->getType(), edge_of(phi));
    assign(slot_of(phi), x ? v : nullptr, y ? v : nullptr);
}

template <typename Access> static void lower_alignment(Instruction *kept, const Instruction *gone)
{
    if (auto *access = dyn_cast<Access>(kept)) {
        access->setAlignment(std::min(access->getAlign(), cast<Access>(gone)->getAlign()));
    }
}

/* One or both null-safe: a copy of x (or y) with operands of both. */
void melder::emit_instructions(Instruction *x, Instruction *y)
{
    Instruction *from = x ? x : y, *copy = from->clone();
    b.SetCurrentDebugLocation(from->getDebugLoc());
    for (unsigned k = 0; k < from->getNumOperands(); ++k) {
        Value *v = from->getOperand(k);
        copy->setOperand(k, x && y ? pick(v, y->getOperand(k)) : read(v));
    }
    b.Insert(copy);
    copy->takeName(from);
    if (has_scopes) {
        copy->setMetadata(LLVMContext::MD_alias_scope, nullptr);
        copy->setMetadata(LLVMContext::MD_noalias, nullptr);
    }
    if (x && y) {
        copy->andIRFlags(y);
        combineMetadataForCSE(copy, y, true);
        copy->applyMergedLocation(x->getDebugLoc(), y->getDebugLoc());
        lower_alignment<LoadInst>(copy, y);
        lower_alignment<StoreInst>(copy, y);
        lower_alignment<AtomicRMWInst>(copy, y);
        lower_alignment<AtomicCmpXchgInst>(copy, y);
    } else if (who == company::all) {
        copy->dropUBImplyingAttrsAndMetadata();
    }
    if (!copy->getType()->isVoidTy()) {
        assign(slot_of(from), x ? copy : nullptr, y ? copy : nullptr);
    }
}

/* The end of a block: a copy with targets of the new control flow. */
void melder::emit_end(Instruction *x, Instruction *y, const block_map &to)
{
    Instruction *from = x ? x : y, *copy = from->clone();
    b.SetCurrentDebugLocation(from->getDebugLoc());
    for (unsigned k = 0; k < from->getNumOperands(); ++k) {
        Value *v = from->getOperand(k);
        if (auto *block = dyn_cast<BasicBlock>(v)) {
            auto found = to.find(block);
            assert(found != to.end());
            copy->setOperand(k, found->second);
        } else {
            copy->setOperand(k, x && y ? pick(v, y->getOperand(k)) : read(v));
        }
    }
    if (x && y) {
        copy->setMetadata(LLVMContext::MD_prof, nullptr);
        drop_sites(*copy); /* what was recorded is of one side only */
    }
    b.Insert(copy);
}

/* A region of one side. */
void melder::emit_region(const item &i, bool is_first)
{
    BasicBlock *meet = new_block("div.after"), *head = i.at->getParent();
    block_map to;
    to.insert({i.after, meet});
    for (BasicBlock *block : i.blocks) {
        to.insert({block, new_block("div.inner")});
    }
    auto end_of = [&](BasicBlock *block) {
        emit_edges(is_first ? block : nullptr, is_first ? nullptr : block);
        Instruction *end = block->getTerminator();
        emit_end(is_first ? end : nullptr, is_first ? nullptr : end, to);
    };
    if (i.is_loop) {
        b.CreateBr(to[head]);
    } else {
        end_of(head);
    }
    for (BasicBlock *block : i.blocks) {
        go_on_at(to[block]);
        item_row row = straight_row(block);
        for (const item &each : row) {
            emit_single(each, is_first);
        }
        end_of(block);
    }
    go_on_at(meet);
}

/* Two regions of one shape. */
void melder::emit_regions(const item &x, const item &y, const region_match &inside)
{
    BasicBlock *meet = new_block("div.after");
    block_map to;
    to.insert({x.after, meet});
    for (const block_match &m : inside.blocks) {
        to.insert({m.t, new_block("div.both")});
    }
    if (x.is_loop) {
        b.CreateBr(to[x.at->getParent()]);
    } else {
        emit_edges(x.at->getParent(), y.at->getParent());
        emit_end(x.at, y.at, to);
    }
    for (const block_match &m : inside.blocks) {
        go_on_at(to[m.t]);
        emit_row(m.row_t, m.row_f, m.steps);
        emit_edges(m.t, m.f);
        emit_end(m.t->getTerminator(), m.f->getTerminator(), to);
    }
    go_on_at(meet);
}

void melder::emit_single(const item &i, bool is_first)
{
    Instruction *x = is_first ? i.at : nullptr, *y = is_first ? nullptr : i.at;
    switch (i.what) {
    case item::phi:
        return emit_phi(cast_or_null<PHINode>(x), cast_or_null<PHINode>(y));
    case item::instruction:
        return emit_instructions(x, y);
    case item::edge:
        return emit_edges(x ? x->getParent() : nullptr, y ? y->getParent() : nullptr);
    case item::region:
        return emit_region(i, is_first);
    }
}

void melder::emit_pair(const item &x, const item &y, const region_match *inside)
{
    switch (x.what) {
    case item::phi:
        return emit_phi(cast<PHINode>(x.at), cast<PHINode>(y.at));
    case item::instruction:
        return emit_instructions(x.at, y.at);
    case item::edge:
        return emit_edges(x.at->getParent(), y.at->getParent());
    case item::region:
        return emit_regions(x, y, *inside);
    }
}

void melder::emit_items(const item_row &row_t, const item_row &row_f, ArrayRef<step> gap, company whose)
{
    for (const step &k : gap) {
        bool is_first = k.t >= 0;
        if (whose == company::all || is_first == (whose == company::first)) {
            emit_single(is_first ? row_t[k.t] : row_f[k.f], is_first);
        }
    }
}

void melder::emit_gap(const item_row &row_t, const item_row &row_f, ArrayRef<step> gap)
{
    if (!gap.front().is_guarded) {
        emit_items(row_t, row_f, gap, company::all);
        return;
    }
    bool has_t = any_of(gap, [](const step &k) { return k.t >= 0; });
    bool has_f = any_of(gap, [](const step &k) { return k.f >= 0; });
    BasicBlock *then = has_t ? new_block("div.then") : nullptr, *other = has_f ? new_block("div.else") : nullptr;
    BasicBlock *meet = new_block("div.meet");
    BranchInst *guard = b.CreateCondBr(condition, then ? then : meet, other ? other : meet);
    guard->setMetadata(GAP, MDNode::get(f.getContext(), {}));
    for (auto [block, whose] : {std::pair(then, company::first), std::pair(other, company::second)}) {
        if (block) {
            go_on_at(block);
            who = whose;
            emit_items(row_t, row_f, gap, whose);
            b.CreateBr(meet);
        }
    }
    who = company::all;
    go_on_at(meet);
}

void melder::emit_row(const item_row &row_t, const item_row &row_f, const step_list &steps)
{
    for (size_t k = 0; k < steps.size(); ++k) {
        size_t begin = k;
        while (k < steps.size() && (steps[k].t < 0 || steps[k].f < 0)) {
            ++k;
        }
        if (k > begin) {
            emit_gap(row_t, row_f, ArrayRef(steps).slice(begin, k - begin));
        }
        if (k < steps.size()) {
            emit_pair(row_t[steps[k].t], row_f[steps[k].f], steps[k].inside.get());
        }
    }
}

/* To the join, whose phis get what both sides have left for them; the old blocks go. */
void melder::leave()
{
    for (PHINode &phi : join->phis()) {
        phi.addIncoming(b.CreateLoad(phi.getType(), edge_of(&phi)), current);
    }
    b.CreateBr(join);
    SmallVector<BasicBlock *, 16> old(t.blocks.begin(), t.blocks.end());
    old.append(s.blocks.begin(), s.blocks.end());
    DeleteDeadBlocks(old, nullptr, true);
}

void melder::clean()
{
    DominatorTree tree(f);
    SmallVector<AllocaInst *, 32> live;
    for (AllocaInst *slot : slots) {
        if (slot->use_empty()) {
            slot->eraseFromParent();
        } else {
            live.push_back(slot);
        }
    }
    PromoteMemToReg(live, tree);
    for (BasicBlock *block : made) {
        MergeBlockIntoPredecessor(block);
    }
}

void melder::run()
{
    share_slots();
    edge_values entry;
    collect_edges(branch, t.first, true, entry);
    collect_edges(branch, s.first, false, entry);
    Instruction *end = branch->getTerminator();
    MDNode *back_note = nullptr; /* a side may have held the back edge */
    for (const side *one : {&t, &s}) {
        for (BasicBlock *block : one->blocks) {
            if (is_contained(successors(block), join) && block->getTerminator()->getMetadata(LLVMContext::MD_loop)) {
                back_note = block->getTerminator()->getMetadata(LLVMContext::MD_loop);
            }
        }
    }
    b.SetCurrentDebugLocation(end->getDebugLoc());
    MDNode *site = loop_note(*end);
    end->eraseFromParent();
    go_on_at(branch);
    store_edges(entry);
    emit_row(t.row, s.row, plan.steps);
    leave();
    current->getTerminator()->setMetadata(LLVMContext::MD_loop, back_note);
    clean();
    set_loop_note(*branch->getTerminator(), site);
}

} // namespace

void meld(BasicBlock *branch, BasicBlock *join, const side &t, const side &f, const alignment &a)
{
    melder(branch, join, t, f, a).run();
}

bool is_gap_guard(const BasicBlock &block)
{
    return block.getTerminator()->getMetadata(GAP) != nullptr;
}

} // namespace divergence
