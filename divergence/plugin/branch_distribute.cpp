/* Branch distribution: what both sides of a divergent branch do alike is done once, with operands chosen by side. */
#include "align.h"
#include "cost.h"
#include "legality.h"
#include "passes.h"
#include "profile_data.h"
#include "remarks.h"
#include "settings.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

namespace divergence
{

static const char *const PASS = "branch-distribute";

namespace
{

/* if (condition) first; else second; both go on at `join`. */
struct diamond {
    BasicBlock *head = nullptr, *first = nullptr, *second = nullptr, *join = nullptr;
    Value *condition = nullptr;
    alignment rows;
    double gain = 0.0;
};

class distributor
{
  public:
    distributor(Function &function, FunctionAnalysisManager &manager, const pass_settings &base)
        : f(function), uniformity(manager.getResult<UniformityInfoAnalysis>(function)),
          wanted(settings_for(function, PASS, base))
    {
    }
    bool run(SmallPtrSetImpl<BasicBlock *> &seen);

  private:
    bool find(BasicBlock *block, diamond &d) const;
    bool try_block(BasicBlock *block);
    double expected_gain(const diamond &d) const;
    void apply(diamond &d);
    void share(diamond &d, const aligned_pair &row, BasicBlock *into);
    size_t split(diamond &d, size_t at, BasicBlock *&current);
    void join_phis(diamond &d, BasicBlock *last);
    void repair(ArrayRef<BasicBlock *> gaps);
    bool tell(const diamond &d, verdict v, const std::string &text) const;

    Function &f;
    UniformityInfo &uniformity;
    pass_settings wanted;
};

static SmallVector<Instruction *, 32> body_of(BasicBlock *block)
{
    SmallVector<Instruction *, 32> body;
    for (Instruction &i : *block) {
        if (!i.isTerminator() && !i.isDebugOrPseudoInst()) {
            body.push_back(&i);
        }
    }
    return body;
}

static bool is_side(BasicBlock *side, BasicBlock *head)
{
    auto *end = dyn_cast<BranchInst>(side->getTerminator());
    return end && end->isUnconditional() && side->getSinglePredecessor() == head && !isa<PHINode>(side->front()) &&
           !side->hasAddressTaken();
}

bool distributor::find(BasicBlock *block, diamond &d) const
{
    auto *end = dyn_cast<BranchInst>(block->getTerminator());
    bool is_wanted = end && end->isConditional() && (wanted.force || uniformity.hasDivergentTerminator(*block));
    if (!is_wanted || end->getSuccessor(0) == end->getSuccessor(1)) {
        return false;
    }
    d.head = block;
    d.first = end->getSuccessor(0);
    d.second = end->getSuccessor(1);
    d.condition = end->getCondition();
    if (!is_side(d.first, block) || !is_side(d.second, block)) {
        return false;
    }
    d.join = d.first->getSingleSuccessor();
    return d.join == d.second->getSingleSuccessor() && d.join != block;
}

/* With a record: only executions in which lanes went both ways gain. */
double distributor::expected_gain(const diamond &d) const
{
    double save = d.rows.before - d.rows.after;
    auto recorded = recorded_branches(f, *d.head);
    if (!recorded || recorded->dear.empty()) {
        return d.rows.before / std::max(1.0, d.rows.after);
    }
    double before = 0.0, after = 0.0;
    for (const auto &lanes : recorded->dear) {
        bool any[3] = {false, false, false};
        for (uint8_t way : lanes) {
            any[way] = true;
        }
        double mean = 0.5 * d.rows.before;
        before += any[0] && any[1] ? d.rows.before : any[0] || any[1] ? mean : 0.0;
        after += any[0] || any[1] ? d.rows.before - save : 0.0;
    }
    return before / std::max(1.0, after);
}

bool distributor::tell(const diamond &d, verdict v, const std::string &text) const
{
    remark(f, {d.head->getTerminator()->getDebugLoc(), d.head}, PASS, v, text);
    return v == verdict::done;
}

bool distributor::try_block(BasicBlock *block)
{
    diamond d;
    if (!find(block, d) || !align(body_of(d.first), body_of(d.second), d.rows)) {
        return false;
    }
    bool is_small = d.rows.n_common == 0 || d.rows.before - d.rows.after < 8.0;
    if (!wanted.force && is_small) {
        return false;
    }
    if (d.rows.n_common == 0) {
        return false;
    }
    if (!wanted.convergent_safe) { /* a convergent operation may stay under the branch, but not change company */
        BasicBlock *sides[] = {d.first, d.second};
        if (auto obstacle = find_blocker(sides, false)) {
            return tell(d, verdict::declined, "not distributed: " + obstacle->reason);
        }
    }
    d.gain = expected_gain(d);
    std::string numbers =
        format("predicted %.2f times for the branch; %u common instructions, %.0f to %.0f issue slots", d.gain,
               d.rows.n_common, d.rows.before, d.rows.after);
    if (!wanted.force && d.gain < settings().margin) {
        return tell(d, verdict::declined, "not distributed: no gain expected (" + numbers + ")");
    }
    if (settings().report) {
        return tell(d, verdict::analysis, "would distribute (" + numbers + ")");
    }
    tell(d, verdict::done, "distributed (" + numbers + ")");
    apply(d);
    return true;
}

/* One instruction for both sides, at the end of `into`. */
void distributor::share(diamond &d, const aligned_pair &row, BasicBlock *into)
{
    Instruction *kept = row.first, *gone = row.second;
    IRBuilder<> b(into);
    b.SetCurrentDebugLocation(kept->getDebugLoc());
    for (unsigned i = 0; i < kept->getNumOperands(); ++i) {
        Value *x = kept->getOperand(i), *y = gone->getOperand(i);
        if (x != y) {
            kept->setOperand(i, b.Insert(SelectInst::Create(d.condition, x, y)));
        }
    }
    kept->moveBefore(*into, into->end());
    kept->andIRFlags(gone);
    combineMetadataForCSE(kept, gone, true);
    kept->applyMergedLocation(kept->getDebugLoc(), gone->getDebugLoc());
    if (auto *load = dyn_cast<LoadInst>(kept)) {
        load->setAlignment(std::min(load->getAlign(), cast<LoadInst>(gone)->getAlign()));
    } else if (auto *store = dyn_cast<StoreInst>(kept)) {
        store->setAlignment(std::min(store->getAlign(), cast<StoreInst>(gone)->getAlign()));
    }
    gone->replaceAllUsesWith(kept);
    gone->eraseFromParent();
}

/* Rows from `at` on that are not common go under the branch again; returns the row after them. */
size_t distributor::split(diamond &d, size_t at, BasicBlock *&current)
{
    BasicBlock *sides[2] = {nullptr, nullptr};
    BasicBlock *after = BasicBlock::Create(f.getContext(), "div.meet", &f, d.join);
    for (; at < d.rows.rows.size() && !d.rows.rows[at].is_common(); ++at) {
        unsigned side = d.rows.rows[at].first ? 0 : 1;
        Instruction *i = side == 0 ? d.rows.rows[at].first : d.rows.rows[at].second;
        if (!sides[side]) {
            sides[side] = BasicBlock::Create(f.getContext(), side == 0 ? "div.then" : "div.else", &f, after);
        }
        i->moveBefore(*sides[side], sides[side]->end());
    }
    IRBuilder<> b(current);
    b.CreateCondBr(d.condition, sides[0] ? sides[0] : after, sides[1] ? sides[1] : after);
    for (BasicBlock *side : sides) {
        if (side) {
            IRBuilder<>(side).CreateBr(after);
        }
    }
    current = after;
    return at;
}

void distributor::join_phis(diamond &d, BasicBlock *last)
{
    IRBuilder<> b(last->getTerminator());
    for (PHINode &phi : d.join->phis()) {
        Value *x = phi.getIncomingValueForBlock(d.first), *y = phi.getIncomingValueForBlock(d.second);
        Value *both = x == y ? x : b.Insert(SelectInst::Create(d.condition, x, y));
        phi.removeIncomingValue(d.first, false);
        phi.removeIncomingValue(d.second, false);
        phi.addIncoming(both, last);
    }
}

/* Values of one side that are used after it: through stack slots, which become phis. */
void distributor::repair(ArrayRef<BasicBlock *> gaps)
{
    SmallVector<AllocaInst *, 8> slots;
    for (BasicBlock *block : gaps) {
        SmallVector<Instruction *, 8> crossing;
        for (Instruction &i : *block) {
            if (any_of(i.users(), [&](User *user) { return cast<Instruction>(user)->getParent() != block; })) {
                crossing.push_back(&i);
            }
        }
        for (Instruction *i : crossing) {
            slots.push_back(DemoteRegToStack(*i));
        }
    }
    DominatorTree tree(f);
    PromoteMemToReg(slots, tree);
}

void distributor::apply(diamond &d)
{
    SmallPtrSet<BasicBlock *, 16> before;
    for (BasicBlock &block : f) {
        before.insert(&block);
    }
    for (BasicBlock *side : {d.first, d.second}) { /* debug records of moved code would point nowhere */
        for (Instruction &i : make_early_inc_range(*side)) {
            if (i.isDebugOrPseudoInst()) {
                i.eraseFromParent();
            }
        }
    }
    d.head->getTerminator()->eraseFromParent();
    BasicBlock *current = d.head;
    for (size_t at = 0; at < d.rows.rows.size();) {
        if (d.rows.rows[at].is_common()) {
            share(d, d.rows.rows[at++], current);
        } else {
            at = split(d, at, current);
        }
    }
    IRBuilder<>(current).CreateBr(d.join);
    join_phis(d, current);
    d.first->eraseFromParent();
    d.second->eraseFromParent();
    SmallVector<BasicBlock *, 8> gaps;
    for (BasicBlock &block : f) {
        if (!before.count(&block)) {
            gaps.push_back(&block);
        }
    }
    repair(gaps);
}

bool distributor::run(SmallPtrSetImpl<BasicBlock *> &seen)
{
    if (wanted.off) {
        return false;
    }
    for (BasicBlock &block : f) {
        if (seen.insert(&block).second && try_block(&block)) {
            return true;
        }
    }
    return false;
}

} // namespace

PreservedAnalyses branch_distribute_pass::run(Function &f, FunctionAnalysisManager &manager)
{
    bool has_changed = false;
    size_t most = is_wanted(f) ? f.size() : 0; /* what is left under a branch is not looked at without end */
    SmallPtrSet<BasicBlock *, 32> seen;
    for (; most > 0 && distributor(f, manager, base).run(seen); --most) {
        has_changed = true;
        manager.invalidate(f, PreservedAnalyses::none());
        seen.clear(); /* blocks were deleted: their addresses may come again */
    }
    return has_changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace divergence
