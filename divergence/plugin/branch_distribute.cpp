/* Branch distribution: what both sides of a divergent branch do alike is done once, with operands chosen by side. */
#include "align.h"
#include "cost.h"
#include "legality.h"
#include "meld.h"
#include "passes.h"
#include "profile_data.h"
#include "randomness.h"
#include "remarks.h"
#include "settings.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

#include <algorithm>
#include <cmath>

using namespace llvm;

namespace divergence
{

static const char *const PASS = "branch-distribute";
static constexpr size_t MOST_ITEMS = 1500; /* of a side: the alignment takes their product in time and memory */
static constexpr double SMALL = 8.0;       /* a side below is not worth a line */
/* Without a record the lanes may always agree: then a change must promise more, and not lose much. */
static constexpr double BOLD_GAIN = 1.2, BOLD_LOSS = 0.97;

namespace
{

/* if (condition) t; else f; both meet at `join`. */
struct diamond {
    BasicBlock *head = nullptr, *join = nullptr;
    side t, f;
    alignment a;
    double rest = 0.0;  /* what else the innermost loop around it, or the function, does */
    double share = 1.0; /* of it arithmetic */
    double gain = 0.0;
    bool is_bold = false; /* lanes may always agree, and then it would lose */
    const char *basis = "not recorded";
};

/* How often lanes of a warp come to the first side, the second, any of them. */
struct ways {
    double t, f;
};

class distributor
{
  public:
    distributor(Function &function, FunctionAnalysisManager &manager, const pass_settings &base)
        : f(function), loops(manager.getResult<LoopAnalysis>(function)),
          tree(manager.getResult<DominatorTreeAnalysis>(function)),
          post(manager.getResult<PostDominatorTreeAnalysis>(function)),
          uniformity(manager.getResult<UniformityInfoAnalysis>(function)), wanted(settings_for(function, PASS, base))
    {
    }
    bool run(SmallPtrSetImpl<BasicBlock *> &seen);

  private:
    bool is_candidate(BasicBlock *block) const;
    bool find(BasicBlock *block, diamond &d) const;
    bool has_cycle_of_two_entries(const side &one) const;
    std::optional<blocker> find_obstacle(const diamond &d) const;
    double cost_behind(BasicBlock *first) const;
    bool tell_shape(BasicBlock *block) const;
    void measure_rest(diamond &d) const;
    void estimate(diamond &d) const;
    bool try_block(BasicBlock *block);
    bool tell(const diamond &d, verdict v, const std::string &text) const;
    std::string numbers(const diamond &d) const;

    Function &f;
    LoopInfo &loops;
    DominatorTree &tree;
    PostDominatorTree &post;
    UniformityInfo &uniformity;
    pass_settings wanted;
};

bool distributor::is_candidate(BasicBlock *block) const
{
    auto *end = dyn_cast<BranchInst>(block->getTerminator());
    return end && end->isConditional() && end->getSuccessor(0) != end->getSuccessor(1) && !is_gap_guard(*block) &&
           !isa<Constant>(end->getCondition()) && (wanted.force || may_diverge(uniformity, *block));
}

bool distributor::find(BasicBlock *block, diamond &d) const
{
    Instruction *end = block->getTerminator();
    const auto *node = post.getNode(block);
    d.head = block;
    d.join = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
    if (!d.join) {
        return false;
    }
    auto t = find_side(block, end->getSuccessor(0), d.join, tree, post, loops);
    auto f = find_side(block, end->getSuccessor(1), d.join, tree, post, loops);
    if (!t || !f) {
        return false;
    }
    d.t = std::move(*t);
    d.f = std::move(*f);
    return true;
}

double distributor::cost_behind(BasicBlock *first) const
{
    double sum = 0.0;
    if (first->getSinglePredecessor()) {
        SmallVector<BasicBlock *, 16> behind;
        tree.getDescendants(first, behind);
        for (BasicBlock *block : behind) {
            sum += block_cost(*block);
        }
    }
    return sum;
}

/* A word on sides of some size whose shape is in the way. */
bool distributor::tell_shape(BasicBlock *block) const
{
    Instruction *end = block->getTerminator();
    if (std::min(cost_behind(end->getSuccessor(0)), cost_behind(end->getSuccessor(1))) >= SMALL) {
        remark(f, {end->getDebugLoc(), block}, PASS, verdict::declined,
               "not distributed: the sides do not meet again, or have other ways in or out");
    }
    return false;
}

void distributor::measure_rest(diamond &d) const
{
    SmallVector<BasicBlock *, 32> around;
    const Loop *loop = loops.getLoopFor(d.head);
    if (loop) {
        around.append(loop->block_begin(), loop->block_end());
    } else {
        for (BasicBlock &block : f) {
            around.push_back(&block);
        }
    }
    unsigned depth = loop ? loop->getLoopDepth() : 0;
    double sum = 0.0;
    for (BasicBlock *block : around) {
        sum += block_cost(*block) * std::pow(8.0, std::min(loops.getLoopDepth(block) - depth, 3u));
    }
    d.rest = std::max(0.0, sum - d.t.cost - d.f.cost);
    d.share = arithmetic_share(around);
}

static double gain_of(const diamond &d, const ways &w)
{
    const alignment &a = d.a;
    double before = d.rest + GUARD_COST + w.t * d.t.cost + w.f * d.f.cost;
    double after = d.rest + a.pairs + a.speculated + w.t * a.gap_t + w.f * a.gap_f;
    double ratio = before / std::max(1.0, after);
    return 1.0 / (d.share / ratio + (1.0 - d.share)); /* waiting for memory stays as it is */
}

/* Without a record the branch may be balanced or nearly always taken: the gain is the mean over cases. */
void distributor::estimate(diamond &d) const
{
    auto recorded = recorded_branches(f, *d.head);
    if (recorded && !recorded->dear.empty()) {
        double n = 0.0, any_t = 0.0, any_f = 0.0;
        for (const auto &lanes : recorded->dear) {
            bool any[3] = {false, false, false};
            for (uint8_t way : lanes) {
                any[way] = true;
            }
            n += any[0] || any[1];
            any_t += any[1];
            any_f += any[0];
        }
        d.basis = "recorded";
        d.gain = gain_of(d, {any_t / std::max(1.0, n), any_f / std::max(1.0, n)});
        return;
    }
    double product = 1.0;
    const double cases[] = {0.03, 0.1, 0.25, 0.5, 0.75, 0.9, 0.97};
    for (double p : cases) {
        product *= gain_of(d, {1.0 - std::pow(1.0 - p, LANES), 1.0 - std::pow(p, LANES)});
    }
    d.gain = std::pow(product, 1.0 / (double)std::size(cases));
    if (is_random(cast<BranchInst>(d.head->getTerminator())->getCondition())) {
        d.basis = "random";
        return;
    }
    double worst = std::min(gain_of(d, {1.0, 0.0}), gain_of(d, {0.0, 1.0}));
    d.is_bold = d.gain < BOLD_GAIN || worst < BOLD_LOSS;
}

bool distributor::tell(const diamond &d, verdict v, const std::string &text) const
{
    remark(f, {d.head->getTerminator()->getDebugLoc(), d.head}, PASS, v, text);
    return v == verdict::done;
}

std::string distributor::numbers(const diamond &d) const
{
    const alignment &a = d.a;
    return format(
        "%u of %u and %u instructions in common, %u select%s, %u guarded gap%s; predicted %.2f times; sides %.0f and "
        "%.0f, together %.0f, rest %.0f issue slots; branch: %s",
        a.n_pairs, a.n_t, a.n_f, a.n_selects, a.n_selects == 1 ? "" : "s", a.n_gaps, a.n_gaps == 1 ? "" : "s", d.gain,
        d.t.cost, d.f.cost, a.pairs + a.speculated + a.gap_t + a.gap_f, d.rest, d.basis);
}

/* The blocks are in topological order: an edge back leads to the head of a loop, or the cycle is no loop. */
bool distributor::has_cycle_of_two_entries(const side &one) const
{
    DenseMap<const BasicBlock *, unsigned> place;
    for (unsigned k = 0; k < one.blocks.size(); ++k) {
        place[one.blocks[k]] = k;
    }
    for (const BasicBlock *block : one.blocks) {
        for (const BasicBlock *next : successors(block)) {
            auto found = place.find(next);
            const Loop *loop = loops.getLoopFor(next);
            bool is_back = found != place.end() && found->second <= place[block];
            if (is_back && (!loop || loop->getHeader() != next || !loop->contains(block))) {
                return true;
            }
        }
    }
    return false;
}

std::optional<blocker> distributor::find_obstacle(const diamond &d) const
{
    for (const side *one : {&d.t, &d.f}) {
        if (auto found = find_blocker(one->blocks, wanted.convergent_safe)) {
            return found;
        }
        if (auto found = find_unsupported(one->blocks)) {
            return found;
        }
        const Instruction *end = one->first->getTerminator();
        if (any_of(one->blocks, [](const BasicBlock *block) { return block->hasAddressTaken(); })) {
            return blocker{end, "the address of a block is taken"};
        }
        if (has_cycle_of_two_entries(*one)) {
            return blocker{end, "a cycle in a side has more than one entry (irreducible)"};
        }
        if (one->row.size() > MOST_ITEMS) {
            return blocker{end, format("a side has more than %zu instructions", MOST_ITEMS)};
        }
    }
    return std::nullopt;
}

bool distributor::try_block(BasicBlock *block)
{
    diamond d;
    if (!is_candidate(block)) {
        return false;
    }
    if (!find(block, d)) {
        return tell_shape(block);
    }
    bool is_small = std::min(d.t.cost, d.f.cost) < SMALL;
    if (auto obstacle = find_obstacle(d)) {
        return !is_small && tell(d, verdict::declined, "not distributed: " + obstacle->reason);
    }
    d.a = align(d.t, d.f, loops);
    if (d.a.n_pairs == 0 || (is_small && !wanted.force)) {
        return false;
    }
    measure_rest(d);
    estimate(d);
    if (!wanted.force && d.gain < settings().margin) {
        return tell(d, verdict::declined, "not distributed: no gain expected (" + numbers(d) + ")");
    }
    if (!wanted.force && d.is_bold) {
        return tell(d, verdict::declined,
                    "not distributed: how often lanes differ is not known (" + numbers(d) +
                        "); record a run with --profile, or force it");
    }
    if (settings().report) {
        return tell(d, verdict::analysis, "would distribute (" + numbers(d) + ")");
    }
    tell(d, verdict::done, "distributed (" + numbers(d) + ")");
    meld(d.head, d.join, d.t, d.f, d.a);
    return true;
}

/* Inner branches first: melded ones are straight code, which aligns best. */
bool distributor::run(SmallPtrSetImpl<BasicBlock *> &seen)
{
    if (wanted.off) {
        return false;
    }
    for (auto *node : post_order(&tree)) {
        BasicBlock *block = node->getBlock();
        if (seen.insert(block).second && try_block(block)) {
            return true;
        }
    }
    return false;
}

} // namespace

/* --- a few ways at once: a chain of branches, whose sides can be aligned two by two --- */

static constexpr unsigned MOST_WAYS = 4;

/* The ways of a switch that a chain can replace: distinct blocks entered from here only, two of them of some size. */
static bool is_chain_better(const SwitchInst &ways)
{
    const BasicBlock *block = ways.getParent();
    SmallPtrSet<const BasicBlock *, 8> seen;
    unsigned n_large = 0;
    for (const BasicBlock *next : successors(block)) {
        if (next->getSinglePredecessor() != block || !seen.insert(next).second) {
            return false;
        }
        n_large += block_cost(*next) >= SMALL;
    }
    return ways.getNumCases() >= 1 && seen.size() <= MOST_WAYS && n_large >= 2;
}

static void replace_by_chain(SwitchInst *ways)
{
    BasicBlock *block = ways->getParent(), *last = ways->getDefaultDest();
    Function &f = *block->getParent();
    Value *value = ways->getCondition();
    IRBuilder<> b(ways);
    SmallVector<std::pair<ConstantInt *, BasicBlock *>, 4> cases;
    for (auto &way : ways->cases()) {
        cases.push_back({way.getCaseValue(), way.getCaseSuccessor()});
    }
    if (isa<UnreachableInst>(last->getFirstNonPHIOrDbg())) { /* no lane goes there */
        last->removePredecessor(block);
        last = cases.pop_back_val().second;
    }
    BasicBlock *at = block;
    for (size_t k = 0; k < cases.size(); ++k) {
        bool is_end = k + 1 == cases.size();
        BasicBlock *next = is_end ? last : BasicBlock::Create(f.getContext(), "div.way", &f, cases[k + 1].second);
        b.CreateCondBr(b.CreateICmpEQ(value, cases[k].first), cases[k].second, next);
        cases[k].second->replacePhiUsesWith(block, at);
        if (is_end) {
            last->replacePhiUsesWith(block, at);
        } else {
            at = next;
            b.SetInsertPoint(at);
        }
    }
    if (cases.empty()) {
        b.CreateBr(last);
    }
    ways->eraseFromParent();
}

static bool replace_switches(Function &f, FunctionAnalysisManager &manager, const pass_settings &wanted)
{
    auto &uniformity = manager.getResult<UniformityInfoAnalysis>(f);
    SmallVector<SwitchInst *, 4> found;
    for (BasicBlock &block : f) {
        auto *ways = dyn_cast<SwitchInst>(block.getTerminator());
        if (ways && (wanted.force || may_diverge(uniformity, block)) && is_chain_better(*ways)) {
            found.push_back(ways);
        }
    }
    for (SwitchInst *ways : found) {
        replace_by_chain(ways);
    }
    return !found.empty();
}

PreservedAnalyses branch_distribute_pass::run(Function &f, FunctionAnalysisManager &manager)
{
    bool has_changed = false;
    pass_settings wanted = settings_for(f, PASS, base);
    if (is_wanted(f) && !wanted.off && !settings().report && replace_switches(f, manager, wanted)) {
        has_changed = true;
        manager.invalidate(f, PreservedAnalyses::none());
    }
    size_t most = is_wanted(f) ? f.size() : 0; /* each change takes a branch away; guards are not looked at again */
    SmallPtrSet<BasicBlock *, 32> seen;
    for (; most > 0 && distributor(f, manager, base).run(seen); --most) {
        has_changed = true;
        manager.invalidate(f, PreservedAnalyses::none());
        seen.clear(); /* blocks were deleted: their addresses may come again */
    }
    return has_changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace divergence
