/* Iteration delaying: lanes that want the dear side of a branch in a loop wait until there are enough of them. */
#include "cost.h"
#include "flatten.h"
#include "lanes.h"
#include "legality.h"
#include "passes.h"
#include "profile_data.h"
#include "randomness.h"
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
static constexpr double NO_LOSS = 0.97;
static constexpr double BOLD_GAIN = 1.2; /* without a record, where lanes may always agree */

namespace
{

struct branching {
    Loop *loop = nullptr;
    BasicBlock *block = nullptr; /* ends with the branch */
    BasicBlock *dear = nullptr;  /* first block of the dear side */
    branch_cost cost;
    unsigned threshold = 0;
    unsigned turns = 1; /* on the cheap way between two votes */
    double gain = 0.0;
    double least = 0.0; /* of the cases that were looked at */
    const char *basis = "";
};

struct gain_range {
    double mean, least;
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
    gain_range gain_of(const branching &b, ArrayRef<branch_trace> cases, unsigned threshold, unsigned turns) const;
    SmallVector<branch_trace, 4> cases_of(branching &b) const;
    bool is_bold(const branching &b) const;
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

/* Mean and least over the cases. */
gain_range delayer::gain_of(const branching &b, ArrayRef<branch_trace> cases, unsigned threshold, unsigned turns) const
{
    double product = 1.0, least = 1e30;
    for (const branch_trace &t : cases) {
        double delayed = delayed_cost(b.cost, t, threshold, wanted.patience, turns);
        double gain = branching_cost(b.cost, t) / std::max(1.0, delayed);
        product *= gain;
        least = std::min(least, gain);
    }
    return {std::pow(product, 1.0 / (double)cases.size()), least};
}

/* The gain if all lanes always agree: votes for nothing. */
static double agreeing_gain(const branching &b)
{
    double dear = b.cost.dear + b.cost.common, cheap = b.cost.cheap + b.cost.common;
    return std::min(dear / (dear + b.cost.turn), cheap / (cheap + b.cost.turn / b.turns));
}

/* Recorded, or, since the side may be rare or common, a few probabilities. */
SmallVector<branch_trace, 4> delayer::cases_of(branching &b) const
{
    SmallVector<branch_trace, 4> cases;
    auto *end = cast<BranchInst>(b.block->getTerminator());
    if (auto recorded = recorded_branches(f, *b.block)) {
        bool is_first = end->getSuccessor(0) == b.dear;
        for (auto &lanes : recorded->dear) {
            for (uint8_t &way : lanes) {
                way = way == 2 ? 2 : (way == 1) == is_first ? 1 : 0;
            }
        }
        cases.push_back(*recorded);
        b.basis = "recorded";
        return cases;
    }
    for (double p : {0.03, 0.1, 0.25, 0.5}) {
        cases.push_back(make_branches(p, 128));
    }
    b.basis = is_random(end->getCondition()) ? "random" : "not recorded";
    return cases;
}

/* The variant that the model likes best; one that loses in no case before one that does in some. */
void delayer::choose(branching &b) const
{
    SmallVector<branch_trace, 4> cases = cases_of(b);
    bool may_copy = can_copy(b.loop->getBlocks());
    for (unsigned threshold : {4u, 8u, 16u, 24u}) {
        for (unsigned turns : {1u, 2u, 4u}) {
            bool is_asked = (wanted.threshold == 0 || wanted.threshold == threshold) &&
                            (wanted.steps == 0 || wanted.steps == turns);
            bool is_possible = turns == 1 || (may_copy && turns * (b.cost.common + b.cost.cheap) < 600.0);
            if (!is_asked || !is_possible) {
                continue;
            }
            gain_range gain = gain_of(b, cases, threshold, turns);
            bool is_safe = gain.least >= NO_LOSS, was_safe = b.least >= NO_LOSS;
            bool is_better = gain.mean > b.gain * (turns > b.turns ? 1.02 : 1.0); /* more code must bring something */
            if (is_safe != was_safe ? is_safe : is_better) {
                b.gain = gain.mean;
                b.least = gain.least;
                b.threshold = threshold;
                b.turns = turns;
            }
        }
    }
    b.threshold = wanted.threshold != 0 ? wanted.threshold : b.threshold;
    b.turns = wanted.steps != 0 && may_copy ? wanted.steps : b.turns;
}

/* Could the change lose, for all that is known? */
bool delayer::is_bold(const branching &b) const
{
    StringRef basis = b.basis;
    bool is_unsure = basis != "random" && basis != "recorded";
    return basis == "random" ? b.least < NO_LOSS : is_unsure && (b.gain < BOLD_GAIN || agreeing_gain(b) < NO_LOSS);
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
    if (!wanted.force && is_bold(b)) {
        return tell(b, verdict::declined,
                    "not delayed: how often lanes differ is not known (" + numbers +
                        "); record a run with --profile, or force it");
    }
    std::string what = format("(the dear side waits for %u lanes or %u turns, %u cheap iteration%s a turn; ",
                              b.threshold, wanted.patience, b.turns, b.turns == 1 ? "" : "s") +
                       numbers + ")";
    if (settings().report) {
        return tell(b, verdict::analysis, "would delay " + what);
    }
    tell(b, verdict::done, "delayed " + what);
    flatten_plan plan;
    plan.outer = loop;
    plan.turns = b.turns;
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
