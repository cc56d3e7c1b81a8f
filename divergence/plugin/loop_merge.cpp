/* Loop merging: an inner loop whose trip count differs between lanes, and the loops around it, become one loop. */
#include "cost.h"
#include "flatten.h"
#include "lanes.h"
#include "legality.h"
#include "passes.h"
#include "profile_data.h"
#include "randomness.h"
#include "remarks.h"
#include "settings.h"
#include "trips.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <algorithm>

using namespace llvm;

namespace divergence
{

static const char *const PASS = "loop-merge";

namespace
{

/* What is known about a nest, and what would be done. */
struct nest {
    Loop *outer = nullptr;
    unsigned depth = 1; /* levels of loops inside that are merged */
    SmallVector<Loop *, 4> cut;
    Loop *main = nullptr; /* the dearest of the innermost merged loops */
    nest_cost cost;
    trip_trace trace, worst;
    bool is_safe = false;
    double share = 1.0;
    bool is_recorded = false;
    const char *basis = "";
    unsigned steps = 1, refill = 1;
    double gain = 0.0;
};

class merger
{
  public:
    merger(Function &function, FunctionAnalysisManager &manager, const pass_settings &base)
        : f(function), loops(manager.getResult<LoopAnalysis>(function)),
          tree(manager.getResult<DominatorTreeAnalysis>(function)),
          uniformity(manager.getResult<UniformityInfoAnalysis>(function)),
          evolution(manager.getResult<ScalarEvolutionAnalysis>(function)), wanted(settings_for(function, PASS, base))
    {
    }
    bool run(SmallPtrSetImpl<BasicBlock *> &declined);

  private:
    bool try_loop(Loop *outer, SmallPtrSetImpl<BasicBlock *> &declined);
    bool is_divergent(const Loop *loop) const;
    void collect(Loop *around, nest &n, unsigned level) const;
    std::optional<blocker> find_obstacle(const nest &n) const;
    trip_trace worst_case(const nest &n) const;
    bool is_safe(const nest &n, unsigned steps, unsigned refill) const;
    void estimate(nest &n);
    nest without_others(const nest &all) const;
    nest nest_of(Loop *outer, unsigned depth);
    nest best_nest(Loop *outer);
    void choose(nest &n) const;
    void add_blocks(const Loop *around, const nest &n, double factor, nest_cost &c) const;
    double other_turns(const nest &n) const;
    trip_trace expect(nest &n);
    std::string numbers(const nest &n) const;
    void apply(const nest &n);
    bool decline(Loop *outer, const nest &n, const std::string &why, SmallPtrSetImpl<BasicBlock *> &declined);

    Function &f;
    LoopInfo &loops;
    DominatorTree &tree;
    UniformityInfo &uniformity;
    ScalarEvolution &evolution;
    pass_settings wanted;
};

bool merger::is_divergent(const Loop *loop) const
{
    SmallVector<BasicBlock *, 4> ends;
    loop->getExitingBlocks(ends);
    return any_of(ends, [&](BasicBlock *end) { return may_diverge(uniformity, *end); });
}

static bool has_divergent_inside(const Loop *loop, function_ref<bool(const Loop *)> is_divergent)
{
    return is_divergent(loop) ||
           any_of(loop->getSubLoops(), [&](const Loop *sub) { return has_divergent_inside(sub, is_divergent); });
}

/*
 * Merged are the divergent loops inside, and those with divergent loops inside, down to n.depth levels; uniform ones
 * stay as they are.
 */
void merger::collect(Loop *around, nest &n, unsigned level) const
{
    for (Loop *sub : around->getSubLoops()) {
        bool is_wanted = wanted.force || has_divergent_inside(sub, [&](const Loop *l) { return is_divergent(l); });
        if (level <= n.depth && is_wanted && !is_flattened(*sub)) {
            n.cut.push_back(sub);
            collect(sub, n, level + 1);
        }
    }
}

std::optional<blocker> merger::find_obstacle(const nest &n) const
{
    ArrayRef<BasicBlock *> blocks = n.outer->getBlocks();
    if (auto found = find_blocker(blocks, wanted.convergent_safe)) {
        return found;
    }
    if (auto found = find_unsupported(blocks)) {
        return found;
    }
    if (!n.outer->isLoopSimplifyForm() || has_irreducible_cycle(*n.outer, loops)) {
        return blocker{n.outer->getHeader()->getTerminator(), "the loop has more than one entry (irreducible)"};
    }
    SmallVector<BasicBlock *, 4> ends;
    n.outer->getExitBlocks(ends);
    if (any_of(ends, [](BasicBlock *end) { return end->isEHPad(); })) {
        return blocker{n.outer->getHeader()->getTerminator(), "an exception leaves the loop"};
    }
    return std::nullopt;
}

/* Turns of a lane in merged loops beside the main one, a visit. */
double merger::other_turns(const nest &n) const
{
    double sum = 0.0;
    for (Loop *loop : n.cut) {
        bool is_beside = !loop->contains(n.main) && none_of(n.cut, [&](Loop *l) { return l->getParentLoop() == loop; });
        sum += is_beside ? warp_turns(*loop, evolution) : 0.0;
    }
    return sum;
}

/* Blocks of `around` itself and of loops inside that stay: part of the outer cost; merged loops: of the body. */
void merger::add_blocks(const Loop *around, const nest &n, double factor, nest_cost &c) const
{
    for (BasicBlock *block : around->blocks()) {
        if (loops.getLoopFor(block) == around) {
            (around == n.main ? c.body : c.outer) += factor * block_cost(*block);
        }
    }
    for (Loop *sub : around->getSubLoops()) {
        bool is_cut = is_contained(n.cut, sub);
        if (!is_cut && around == n.main) { /* a loop that stays, inside the body */
            c.body += factor * warp_turns(*sub, evolution) * turn_cost(*sub, loops, evolution);
        } else {
            add_blocks(sub, n, is_cut ? factor : factor * warp_turns(*sub, evolution), c);
        }
    }
}

/* Does the loop end when something that goes up or down in equal steps reaches a bound? */
static bool ends_by_counter(const Loop &loop, ScalarEvolution &evolution)
{
    SmallVector<BasicBlock *, 4> ends;
    loop.getExitingBlocks(ends);
    return any_of(ends, [&](BasicBlock *end) {
        auto *branch = dyn_cast<BranchInst>(end->getTerminator());
        auto *compare = branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
        return compare && any_of(compare->operands(), [&](Value *side) {
                   const auto *counted = evolution.isSCEVable(side->getType())
                                             ? dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(side))
                                             : nullptr;
                   return counted && counted->getLoop() == &loop && counted->isAffine();
               });
    });
}

static bool has_loads_in_count(const SCEV *count)
{
    return SCEVExprContains(count, [](const SCEV *part) {
        const auto *value = dyn_cast<SCEVUnknown>(part);
        return value && isa<LoadInst>(value->getValue());
    });
}

/* Without a record: what does the way the loop ends say about its trip counts? */
trip_trace merger::expect(nest &n)
{
    unsigned visits = 32;
    if (unsigned known = evolution.getSmallConstantTripCount(n.outer)) {
        visits = std::min(known, 64u);
    } else if (evolution.hasLoopInvariantBackedgeTakenCount(n.outer) && is_divergent(n.outer) &&
               !n.outer->getParentLoop()) {
        visits = 4; /* every n-th item a thread: there may be few items */
    }
    const SCEV *count = evolution.getBackedgeTakenCount(n.main);
    if (isa<SCEVCouldNotCompute>(count) && ends_by_counter(*n.main, evolution)) {
        n.basis = "count read from memory"; /* in every turn anew, since it may change */
        return make_trace(spread::uniform, 8, visits);
    }
    if (isa<SCEVCouldNotCompute>(count)) {
        n.basis = "ends at no fixed count";
        return make_trace(spread::geometric, 16, visits);
    }
    if (unsigned known = evolution.getSmallConstantTripCount(n.main)) {
        n.basis = "constant trip count";
        return make_trace(spread::none, std::min(known, 1000u), visits);
    }
    n.basis = has_loads_in_count(count) ? "count read from memory" : "count computed by lane";
    return make_trace(spread::uniform, 8, visits);
}

void merger::estimate(nest &n)
{
    double dearest = -1.0;
    for (Loop *loop : n.cut) {
        double cost = 0.0;
        for (BasicBlock *block : loop->blocks()) {
            cost += block_cost(*block);
        }
        bool is_innermost = none_of(n.cut, [&](Loop *other) { return other->getParentLoop() == loop; });
        cost = was_passed_by(f, *loop) ? 0.0 : cost;
        if (is_innermost && cost > dearest) {
            dearest = cost;
            n.main = loop;
        }
    }
    add_blocks(n.outer, n, 1.0, n.cost);
    n.cost.turn = 14.0 + 4.0 * (double)n.cut.size();
    n.cost.others = other_turns(n);
    n.share = arithmetic_share(n.main->getBlocks());
    if (auto recorded = recorded_trips(f, *n.main)) {
        n.trace =
            is_persistent(f) && !n.outer->getParentLoop() ? behind_one_another(*recorded, warps_held(f)) : *recorded;
        n.is_recorded = true;
        n.basis = "recorded";
    } else {
        n.trace = expect(n);
    }
    n.worst = worst_case(n);
}

/*
 * Without a record: a loop that ends on random numbers has lanes that differ, but may make few turns; lanes of any
 * other loop may agree, and then merging only costs. Neither may lose.
 */
trip_trace merger::worst_case(const nest &n) const
{
    SmallVector<BasicBlock *, 4> ends;
    n.main->getExitingBlocks(ends);
    bool is_drawn = any_of(ends, [](BasicBlock *end) {
        auto *branch = dyn_cast<BranchInst>(end->getTerminator());
        return branch && branch->isConditional() && is_random(branch->getCondition());
    });
    return is_drawn ? make_trace(spread::geometric, 2, 32) : make_trace(spread::none, 16, 16);
}

bool merger::is_safe(const nest &n, unsigned steps, unsigned refill) const
{
    return n.is_recorded || nested_cost(n.cost, n.worst) > 0.96 * merged_cost(n.cost, n.worst, steps, refill);
}

/* The variant that the model likes best among those that cannot lose; if there is none, among all. */
void merger::choose(nest &n) const
{
    bool may_copy = can_copy(n.main->getBlocks());
    bool may_vote = has_votes(*f.getParent());
    double nested = nested_cost(n.cost, n.trace);
    for (unsigned steps : {1u, 2u, 4u, 8u}) {
        for (unsigned refill : {1u, 8u}) {
            bool is_asked =
                (wanted.steps == 0 || wanted.steps == steps) && (wanted.refill == 0 || wanted.refill == refill);
            bool is_possible = (steps == 1 || (may_copy && n.cost.body * steps < 3000)) && (refill == 1 || may_vote);
            double ratio = nested / std::max(1.0, merged_cost(n.cost, n.trace, steps, refill));
            double gain = 1.0 / (n.share / ratio + (1.0 - n.share)); /* waiting for memory stays as it is */
            if (!is_asked || !is_possible) {
                continue;
            }
            bool safe = is_safe(n, steps, refill);
            /* Up to four steps at equal predictions: guards also make lanes wait for results, which is not played (4
             * steps gave 6 and 8 % over one on rather large bodies, HeCBench's feynman-kac and nqueen, on an H200). */
            double least = steps > n.steps && steps <= 4 ? n.gain - 0.005 : n.gain + 0.02;
            if (safe == n.is_safe ? gain > least : safe) {
                n.gain = gain;
                n.is_safe = safe;
                n.steps = steps;
                n.refill = refill;
            }
        }
    }
    if (wanted.steps != 0 && may_copy) {
        n.steps = wanted.steps;
    }
    if (wanted.refill != 0 && may_vote) {
        n.refill = wanted.refill;
    }
}

std::string merger::numbers(const nest &n) const
{
    return format("predicted %.2f times; body %.0f, outer %.0f instructions; trip counts: %s", n.gain, n.cost.body,
                  n.cost.outer, n.basis);
}

void merger::apply(const nest &n)
{
    flatten_plan plan;
    plan.outer = n.outer;
    plan.cut.assign(n.cut.begin(), n.cut.end());
    if (n.steps > 1) {
        for (Loop *loop : n.cut) {
            bool is_innermost = none_of(n.cut, [&](Loop *other) { return other->getParentLoop() == loop; });
            if (is_innermost && can_copy(loop->getBlocks())) {
                plan.steps[loop] = n.steps;
            }
        }
    }
    if (n.refill > 1) {
        plan.refill = gate{n.refill, wanted.patience};
    }
    flatten(f, plan, loops);
}

bool merger::decline(Loop *outer, const nest &n, const std::string &why, SmallPtrSetImpl<BasicBlock *> &declined)
{
    declined.insert(outer->getHeader());
    Loop *shown = n.main ? n.main : n.cut.empty() ? outer : n.cut.back();
    remark(f, {shown->getStartLoc(), shown->getHeader()}, PASS, verdict::declined, "not merged: " + why);
    return false;
}

/* Only the main loop and those around it: a cheap loop beside it is run through where it stands. */
nest merger::without_others(const nest &all) const
{
    nest n;
    n.outer = all.outer;
    n.depth = all.depth;
    for (Loop *loop : all.cut) {
        if (loop->contains(all.main)) {
            n.cut.push_back(loop);
        }
    }
    return n;
}

/* The nest down to that level, with the model's best variant. */
nest merger::nest_of(Loop *outer, unsigned depth)
{
    nest n;
    n.outer = outer;
    n.depth = depth;
    collect(outer, n, 1);
    if (!n.cut.empty()) {
        estimate(n);
        choose(n);
    }
    return n;
}

/*
 * Which of the loops inside are merged, and down to which level. Forced: all, down to the level that is asked for. By
 * the model without a record: all or nothing, for what a part would bring depends on trip counts most of all.
 */
nest merger::best_nest(Loop *outer)
{
    unsigned limit = wanted.depth != 0 ? wanted.depth : ~0u;
    nest best = nest_of(outer, limit);
    size_t n_before = 0;
    bool is_open = wanted.force || any_of(best.cut, [&](Loop *l) { return recorded_trips(f, *l).has_value(); });
    for (unsigned depth = wanted.force ? limit : 1; is_open && depth <= limit; ++depth) {
        nest all = nest_of(outer, depth);
        if (all.cut.size() == n_before) {
            break;
        }
        n_before = all.cut.size();
        nest few = without_others(all);
        if (few.cut.size() < all.cut.size()) {
            estimate(few);
            choose(few);
        }
        for (nest *n : {&few, &all}) { /* the smaller change, if they are about equal */
            bool is_known = n->is_recorded || !best.is_recorded;
            bool is_first = n->is_recorded && !best.is_recorded;
            best = is_first || (is_known && n->gain > best.gain + 0.02) ? *n : best;
        }
        is_open = depth != limit;
    }
    return best;
}

bool merger::try_loop(Loop *outer, SmallPtrSetImpl<BasicBlock *> &declined)
{
    if (is_flattened(*outer)) {
        return false;
    }
    nest n = best_nest(outer);
    if (n.cut.empty()) {
        return false;
    }
    if (auto obstacle = find_obstacle(n)) {
        return decline(outer, n, obstacle->reason, declined);
    }
    if (!wanted.force && n.gain < settings().margin) {
        return decline(outer, n, "no gain expected (" + numbers(n) + ")", declined);
    }
    if (!wanted.force && !n.is_safe) {
        return decline(outer, n,
                       "lanes may all make the same or few turns, and would lose (" + numbers(n) +
                           "); record a run with --profile, or force it",
                       declined);
    }
    std::string what =
        format("%u loop%s into the one at %s, %u step%s a turn", (unsigned)n.cut.size(), n.cut.size() == 1 ? "" : "s",
               place_name(f, outer->getStartLoc()).c_str(), n.steps, n.steps == 1 ? "" : "s");
    what += n.refill > 1 ? format(", refill at %u lanes; ", n.refill) : std::string("; ");
    if (settings().report) {
        declined.insert(outer->getHeader());
        remark(f, {n.main->getStartLoc(), n.main->getHeader()}, PASS, verdict::analysis,
               "would merge (" + what + numbers(n) + ")");
        return false;
    }
    remark(f, {n.main->getStartLoc(), n.main->getHeader()}, PASS, verdict::done, "merged (" + what + numbers(n) + ")");
    apply(n);
    return true;
}

/* Outermost first: the widest merge that is legal and pays; then the loops inside what was declined. */
bool merger::run(SmallPtrSetImpl<BasicBlock *> &declined)
{
    if (wanted.off) {
        return false;
    }
    for (Loop *loop : loops) {
        bool is_one = loop->isInnermost() && is_divergent(loop) && settings().report;
        if (is_one && declined.insert(loop->getHeader()).second) { /* for kernels that were merged by hand */
            remark(f, {loop->getStartLoc(), loop->getHeader()}, PASS, verdict::analysis, "one loop already");
        }
    }
    for (Loop *loop : loops.getLoopsInPreorder()) {
        if (!loop->isInnermost() && !declined.count(loop->getHeader()) && try_loop(loop, declined)) {
            return true;
        }
    }
    return false;
}

} // namespace

PreservedAnalyses loop_merge_pass::run(Function &f, FunctionAnalysisManager &manager)
{
    bool has_changed = false;
    SmallPtrSet<BasicBlock *, 16> declined;
    while (is_wanted(f) && merger(f, manager, base).run(declined)) {
        has_changed = true;
        manager.invalidate(f, PreservedAnalyses::none());
    }
    return has_changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace divergence
