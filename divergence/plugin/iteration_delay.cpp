/* Iteration delaying: lanes that want the dear side of a branch in a loop wait until there are enough of them. */
#include "cost.h"
#include "flatten.h"
#include "lanes.h"
#include "legality.h"
#include "passes.h"
#include "profile_data.h"
#include "remarks.h"
#include "settings.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"

#include <algorithm>
#include <cmath>

using namespace llvm;

namespace divergence
{

static const char *const PASS = "iteration-delay";

namespace
{

struct branching {
    Loop *loop = nullptr;
    BasicBlock *block = nullptr; /* ends with the branch */
    BasicBlock *dear = nullptr;  /* first block of the dear side */
    branch_cost cost;
    unsigned threshold = 0;
    double gain = 0.0;
    const char *basis = "";
};

class delayer
{
  public:
    delayer(Function &function, FunctionAnalysisManager &manager, const pass_settings &base)
        : f(function), loops(manager.getResult<LoopAnalysis>(function)),
          tree(manager.getResult<DominatorTreeAnalysis>(function)),
          uniformity(manager.getResult<UniformityInfoAnalysis>(function)), wanted(settings_for(function, PASS, base))
    {
    }
    bool run(SmallPtrSetImpl<BasicBlock *> &seen);

  private:
    double side_cost(BasicBlock *branch, BasicBlock *side, Loop *loop) const;
    double blocks_cost(function_ref<bool(BasicBlock *)> is_in, Loop *loop) const;
    std::optional<branching> measure(BasicBlock *block, Loop *loop) const;
    std::optional<branching> find_dearest(Loop *loop) const;
    void choose(branching &b) const;
    double gain_of(const branching &b, const branch_trace &t, unsigned threshold) const;
    bool try_loop(Loop *loop);
    bool tell(const branching &b, verdict v, const std::string &text) const;

    Function &f;
    LoopInfo &loops;
    DominatorTree &tree;
    UniformityInfo &uniformity;
    pass_settings wanted;
};

/* Loops inside an iteration count as eight turns. */
double delayer::blocks_cost(function_ref<bool(BasicBlock *)> is_in, Loop *loop) const
{
    double sum = 0.0;
    for (BasicBlock *block : loop->blocks()) {
        if (is_in(block)) {
            unsigned deeper = loops.getLoopDepth(block) - loop->getLoopDepth();
            sum += block_cost(*block) * std::pow(8.0, std::min(deeper, 3u));
        }
    }
    return sum;
}

/* What only this side runs: the blocks that its first block dominates. */
double delayer::side_cost(BasicBlock *branch, BasicBlock *side, Loop *loop) const
{
    if (side->getSinglePredecessor() != branch) {
        return 0.0;
    }
    return blocks_cost([&](BasicBlock *block) { return tree.dominates(side, block); }, loop);
}

std::optional<branching> delayer::measure(BasicBlock *block, Loop *loop) const
{
    auto *end = dyn_cast<BranchInst>(block->getTerminator());
    bool is_wanted = end && end->isConditional() && loops.getLoopFor(block) == loop &&
                     (wanted.force || may_diverge(uniformity, *block));
    if (!is_wanted) {
        return std::nullopt;
    }
    BasicBlock *sides[2] = {end->getSuccessor(0), end->getSuccessor(1)};
    if (sides[0] == sides[1] || !loop->contains(sides[0]) || !loop->contains(sides[1])) {
        return std::nullopt;
    }
    double costs[2] = {side_cost(block, sides[0], loop), side_cost(block, sides[1], loop)};
    unsigned dear = costs[0] >= costs[1] ? 0 : 1;
    bool is_guard = costs[1 - dear] == 0.0 && any_of(loop->getSubLoops(), [&](Loop *sub) {
        return tree.dominates(sides[dear], sub->getHeader()); /* most lanes go in: nothing is rare */
    });
    if ((is_guard && !wanted.force) || sides[dear] == loop->getHeader() || loops.getLoopFor(sides[dear]) != loop ||
        sides[dear]->getSinglePredecessor() != block) {
        return std::nullopt;
    }
    branching b;
    b.loop = loop;
    b.block = block;
    b.dear = sides[dear];
    b.cost.dear = costs[dear];
    b.cost.cheap = costs[1 - dear];
    b.cost.common = blocks_cost([](BasicBlock *) { return true; }, loop) - costs[0] - costs[1];
    return b;
}

std::optional<branching> delayer::find_dearest(Loop *loop) const
{
    std::optional<branching> best;
    for (BasicBlock *block : loop->blocks()) {
        auto found = measure(block, loop);
        if (found && (!best || found->cost.dear > best->cost.dear)) {
            best = found;
        }
    }
    return best;
}

double delayer::gain_of(const branching &b, const branch_trace &t, unsigned threshold) const
{
    return branching_cost(b.cost, t) / std::max(1.0, delayed_cost(b.cost, t, threshold, wanted.patience));
}

/* Without a record the side may be rare or common: the gain is the mean over both. */
void delayer::choose(branching &b) const
{
    SmallVector<branch_trace, 4> cases;
    if (auto recorded = recorded_branches(f, *b.block)) {
        bool is_first = cast<BranchInst>(b.block->getTerminator())->getSuccessor(0) == b.dear;
        for (auto &lanes : recorded->dear) {
            for (uint8_t &way : lanes) {
                way = way == 2 ? 2 : (way == 1) == is_first ? 1 : 0;
            }
        }
        cases.push_back(*recorded);
        b.basis = "recorded";
    } else {
        for (double p : {0.03, 0.1, 0.25, 0.5}) {
            cases.push_back(make_branches(p, 128));
        }
        b.basis = "not recorded";
    }
    for (unsigned threshold : {4u, 8u, 16u, 24u}) {
        if (wanted.threshold != 0 && wanted.threshold != threshold) {
            continue;
        }
        double product = 1.0;
        for (const branch_trace &t : cases) {
            product *= gain_of(b, t, threshold);
        }
        double gain = std::pow(product, 1.0 / (double)cases.size());
        if (gain > b.gain) {
            b.gain = gain;
            b.threshold = threshold;
        }
    }
    if (wanted.threshold != 0) {
        b.threshold = wanted.threshold;
    }
}

bool delayer::tell(const branching &b, verdict v, const std::string &text) const
{
    remark(f, {b.block->getTerminator()->getDebugLoc(), b.block}, PASS, v, text);
    return v == verdict::done;
}

bool delayer::try_loop(Loop *loop)
{
    auto found = find_dearest(loop);
    if (!found) {
        return false;
    }
    branching b = *found;
    if (!wanted.force && b.cost.dear < 40.0) { /* votes alone cost more: not worth a line */
        return false;
    }
    auto obstacle = find_blocker(loop->getBlocks(), wanted.convergent_safe);
    obstacle = obstacle ? obstacle : find_unsupported(loop->getBlocks());
    if (!obstacle && (!loop->isLoopSimplifyForm() || has_irreducible_cycle(*loop, loops))) {
        obstacle = blocker{b.block->getTerminator(), "the loop has more than one entry (irreducible)"};
    }
    if (!obstacle && !has_votes(*f.getParent())) {
        obstacle = blocker{b.block->getTerminator(), "no votes between lanes on this target"};
    }
    if (obstacle) {
        return tell(b, verdict::declined, "not delayed: " + obstacle->reason);
    }
    choose(b);
    std::string numbers = format("predicted %.2f times; sides %.0f and %.0f, rest %.0f instructions; branch: %s",
                                 b.gain, b.cost.dear, b.cost.cheap, b.cost.common, b.basis);
    if (!wanted.force && b.gain < settings().margin) {
        return tell(b, verdict::declined, "not delayed: no gain expected (" + numbers + ")");
    }
    double whole = b.cost.dear + b.cost.common;
    bool is_recorded = StringRef(b.basis) == "recorded";
    if (!wanted.force && !is_recorded && whole < 0.97 * (whole + b.cost.turn)) { /* lanes may always agree */
        return tell(b, verdict::declined, "not delayed: how often lanes differ is not known (" + numbers +
                                              "); record a run with --profile, or force it");
    }
    std::string what =
        format("(the dear side waits for %u lanes or %u turns; ", b.threshold, wanted.patience) + numbers + ")";
    if (settings().report) {
        return tell(b, verdict::analysis, "would delay " + what);
    }
    tell(b, verdict::done, "delayed " + what);
    flatten_plan plan;
    plan.outer = loop;
    plan.gates.push_back({b.dear, gate{b.threshold, wanted.patience}});
    flatten(f, plan, loops);
    return true;
}

bool delayer::run(SmallPtrSetImpl<BasicBlock *> &seen)
{
    if (wanted.off) {
        return false;
    }
    SmallVector<Loop *, 8> all = loops.getLoopsInPreorder();
    for (Loop *loop : reverse(all)) { /* inner loops first: they hold the work */
        bool is_new = !is_delayed(*loop) && seen.insert(loop->getHeader()).second;
        if (is_new && try_loop(loop)) {
            return true;
        }
    }
    return false;
}

} // namespace

PreservedAnalyses iteration_delay_pass::run(Function &f, FunctionAnalysisManager &manager)
{
    bool has_changed = false;
    SmallPtrSet<BasicBlock *, 16> seen;
    while (is_wanted(f) && delayer(f, manager, base).run(seen)) {
        has_changed = true;
        manager.invalidate(f, PreservedAnalyses::none());
    }
    return has_changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace divergence
