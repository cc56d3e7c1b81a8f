#include "align.h"

#include "cost.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/Local.h"

#include <algorithm>

using namespace llvm;

namespace divergence
{

/* --- can two be one? --- */

/* One access by a chosen address: it must not take a known kind of memory for an unknown one, which is slower. */
static bool have_same_memory(const Value *p, const Value *q)
{
    const Value *a = getUnderlyingObject(p), *b = getUnderlyingObject(q);
    auto is_own = [](const Value *v) { /* on the stack, or in the parameters */
                                       const auto *argument = dyn_cast<Argument>(v);
                                       return isa<AllocaInst>(v) || (argument && argument->hasByValAttr());
    };
    return a == b || (!is_own(a) && !is_own(b) &&
                      a->getType()->getPointerAddressSpace() == b->getType()->getPointerAddressSpace());
}

/* Operands that must be constants, or be known, for good code: called functions, lengths of copies, places in vectors.
 */
static bool may_differ(const Instruction &i, unsigned operand)
{
    if (const auto *call = dyn_cast<CallBase>(&i)) {
        bool is_called = &call->getCalledOperandUse() == &i.getOperandUse(operand);
        bool is_known = isa<MemIntrinsic>(i) || (is_called && isa<Constant>(i.getOperand(operand)));
        return !is_known && canReplaceOperandWithVariable(&i, operand);
    }
    if (isa<ExtractElementInst>(i) || isa<InsertElementInst>(i)) {
        return operand + 1 < i.getNumOperands();
    }
    return canReplaceOperandWithVariable(&i, operand);
}

/* Flags that change what the back end computes; the others only say what may be assumed. */
static bool has_same_rounding(const Instruction &a, const Instruction &b)
{
    if (!isa<FPMathOperator>(a)) {
        return true;
    }
    return a.hasApproxFunc() == b.hasApproxFunc() && a.hasAllowReciprocal() == b.hasAllowReciprocal() &&
           a.hasAllowContract() == b.hasAllowContract() && a.hasAllowReassoc() == b.hasAllowReassoc();
}

bool can_be_one(const Instruction &a, const Instruction &b)
{
    if (isa<PHINode>(a) || isa<PHINode>(b)) {
        return isa<PHINode>(a) && isa<PHINode>(b) && a.getType() == b.getType();
    }
    if (!a.isSameOperationAs(&b, Instruction::CompareIgnoringAlignment) || !has_same_rounding(a, b)) {
        return false;
    }
    for (unsigned k = 0; k < a.getNumOperands(); ++k) {
        bool is_same = a.getOperand(k) == b.getOperand(k);
        if (!is_same && (!may_differ(a, k) || !may_differ(b, k))) {
            return false;
        }
    }
    const Value *pa = getLoadStorePointerOperand(&a), *pb = getLoadStorePointerOperand(&b);
    return !pa || have_same_memory(pa, pb);
}

/*
 * A fused product and sum with an immediate operand reads two registers. With three, the two banks of the register file
 * (one read a cycle each) hold it up: 1.67 cycles on an H200 where a select had put a register for the immediate.
 */
static double register_cost(const Instruction &a, const Instruction &b)
{
    const auto *call = dyn_cast<IntrinsicInst>(&a);
    if (!call || call->getIntrinsicID() != Intrinsic::fma || !a.getType()->isFloatTy()) {
        return 0.0;
    }
    bool had = false, has = false;
    for (unsigned k = 0; k < 3; ++k) {
        had |= isa<Constant>(a.getOperand(k)) || isa<Constant>(b.getOperand(k));
        has |= isa<Constant>(a.getOperand(k)) && a.getOperand(k) == b.getOperand(k);
    }
    return had && !has ? 0.67 : 0.0;
}

/* --- the alignment of two rows --- */

namespace
{

class aligner
{
  public:
    aligner(const side &t, const side &f, const LoopInfo &info, unsigned depth_of_branch)
        : loops(info), depth(depth_of_branch)
    {
        note_uses(t, blocks_t, uses_t);
        note_uses(f, blocks_f, uses_f);
    }
    step_list align_rows(const item_row &t, const item_row &f, double *score);
    void note_partners(const item_row &t, const item_row &f, const step_list &steps);
    void count(const item_row &t, const item_row &f, const step_list &steps, double factor, alignment &out);
    void forget_selects()
    {
        selected.clear();
    }
    partner_map partners;
    bool is_first = true;

  private:
    typedef SmallPtrSet<const BasicBlock *, 16> block_set;
    typedef DenseMap<const Value *, unsigned> use_counts;
    static void note_uses(const side &s, block_set &blocks, use_counts &uses);
    double select_cost(Value *a, Value *b) const;
    double operand_cost(Value *a, Value *b) const;
    double pair_score(const item &a, const item &b, std::shared_ptr<region_match> &inside);
    std::shared_ptr<region_match> match_regions(const item &a, const item &b);
    bool match_blocks(const item &a, const item &b, std::vector<std::pair<BasicBlock *, BasicBlock *>> &out) const;
    void count_operands(const Instruction &a, const Instruction &b, alignment &out);
    void count_gap(const item_row &t, const item_row &f, ArrayRef<step> gap, double factor, alignment &out) const;

    const LoopInfo &loops;
    unsigned depth;
    block_set blocks_t, blocks_f;
    use_counts uses_t, uses_f;
    DenseMap<std::pair<const Instruction *, const Instruction *>, std::shared_ptr<region_match>> known;
    DenseSet<std::pair<const Value *, const Value *>> selected;
};

void aligner::note_uses(const side &s, block_set &blocks, use_counts &uses)
{
    for (BasicBlock *block : s.blocks) {
        blocks.insert(block);
        for (Instruction &i : *block) {
            for (Value *v : i.operands()) {
                ++uses[v];
            }
        }
    }
}

/* Slots for one select; 0: none is needed. */
double aligner::select_cost(Value *a, Value *b) const
{
    if (a == b || isa<UndefValue>(a) || isa<UndefValue>(b)) {
        return 0.0;
    }
    const auto *from_t = dyn_cast<Instruction>(a), *from_f = dyn_cast<Instruction>(b);
    bool is_inner = from_t && from_f && blocks_t.count(from_t->getParent()) && blocks_f.count(from_f->getParent());
    if (is_inner && (is_first ? from_t->getOpcode() == from_f->getOpcode() : partners.lookup(a) == b)) {
        return 0.0;
    }
    Type *type = a->getType()->getScalarType();
    bool is_wide = type->isDoubleTy() || type->isIntegerTy(64) || type->isPointerTy();
    return is_wide ? 2.0 : 1.0;
}

/* One select serves all pairs that take the same two values. */
double aligner::operand_cost(Value *a, Value *b) const
{
    double cost = select_cost(a, b);
    return cost == 0.0 ? 0.0 : cost / std::max(1u, std::min(uses_t.lookup(a), uses_f.lookup(b)));
}

/* Blocks of the two regions side by side, from their entries on; false if the shapes differ. */
bool aligner::match_blocks(const item &a, const item &b, std::vector<std::pair<BasicBlock *, BasicBlock *>> &out) const
{
    DenseMap<BasicBlock *, BasicBlock *> to, back;
    auto pair_up = [&](BasicBlock *x, BasicBlock *y) {
        if ((x == a.after) != (y == b.after)) {
            return false;
        }
        if (x == a.after) {
            return true;
        }
        auto [found, is_new] = to.insert({x, y});
        auto [other, is_new_back] = back.insert({y, x});
        return found->second == y && other->second == x;
    };
    auto pair_ends = [&](Instruction *x, Instruction *y) {
        if (x->getOpcode() != y->getOpcode() || x->getNumSuccessors() != y->getNumSuccessors()) {
            return false;
        }
        if (auto *ways = dyn_cast<SwitchInst>(x)) {
            auto *others = cast<SwitchInst>(y);
            for (auto c = ways->case_begin(), d = others->case_begin(); c != ways->case_end(); ++c, ++d) {
                if (c->getCaseValue() != d->getCaseValue()) {
                    return false;
                }
            }
        }
        for (unsigned k = 0; k < x->getNumSuccessors(); ++k) {
            if (!pair_up(x->getSuccessor(k), y->getSuccessor(k))) {
                return false;
            }
        }
        return true;
    };
    if (a.is_loop != b.is_loop || a.blocks.size() != b.blocks.size()) {
        return false;
    }
    if (a.is_loop ? !pair_up(a.at->getParent(), b.at->getParent()) : !pair_ends(a.at, b.at)) {
        return false;
    }
    for (BasicBlock *x : a.blocks) { /* reverse post-order: a block comes after one that leads to it */
        auto found = to.find(x);
        if (found == to.end() || !pair_ends(x->getTerminator(), found->second->getTerminator())) {
            return false;
        }
        out.push_back({x, found->second});
    }
    return true;
}

std::shared_ptr<region_match> aligner::match_regions(const item &a, const item &b)
{
    auto [found, is_new] = known.insert({{a.at, b.at}, nullptr});
    if (!is_new) {
        return found->second;
    }
    std::vector<std::pair<BasicBlock *, BasicBlock *>> pairs;
    if (!match_blocks(a, b, pairs)) {
        return nullptr;
    }
    auto made = std::make_shared<region_match>();
    made->score = GUARD_COST;
    for (auto [t, f] : pairs) {
        block_match m;
        m.t = t;
        m.f = f;
        double factor = loop_factor(t, depth, loops), score = 0.0;
        m.row_t = straight_row(t, factor);
        m.row_f = straight_row(f, factor);
        m.steps = align_rows(m.row_t, m.row_f, &score);
        made->score += score;
        made->blocks.push_back(std::move(m));
    }
    known[{a.at, b.at}] = made;
    return made;
}

/* Slots saved if a and b become one; -1 if they cannot. */
double aligner::pair_score(const item &a, const item &b, std::shared_ptr<region_match> &inside)
{
    if (a.what != b.what) {
        return -1.0;
    }
    if (a.what == item::edge) {
        return 0.01;
    }
    if (a.what == item::region) {
        inside = match_regions(a, b);
        return inside ? inside->score : -1.0;
    }
    if (!can_be_one(*a.at, *b.at)) {
        return -1.0;
    }
    if (a.what == item::phi) {
        return 0.3;
    }
    double score = std::min(a.cost, b.cost) + 0.05 - register_cost(*a.at, *b.at);
    for (unsigned k = 0; k < a.at->getNumOperands(); ++k) {
        score -= operand_cost(a.at->getOperand(k), b.at->getOperand(k));
    }
    return score;
}

namespace
{
/* Best score of the rows' first i and j items, by what they end with: a pair, a gap that all lanes run, a gap with a
 * guard. */
struct cell {
    double score[3] = {-1e30, -1e30, -1e30};
    uint8_t from[3] = {0, 0, 0}; /* kind before */
    uint8_t is_t[3] = {0, 0, 0}; /* gap: the item is of the first row */
};
enum { PAIR, OPEN, GUARDED };
} // namespace

static void improve(cell &c, unsigned kind, double score, unsigned from, bool is_t)
{
    if (score > c.score[kind]) {
        c.score[kind] = score;
        c.from[kind] = (uint8_t)from;
        c.is_t[kind] = is_t;
    }
}

static void extend_gap(cell &c, const cell &before, const item &i, bool is_t)
{
    if (i.is_safe) {
        improve(c, OPEN, before.score[PAIR] - 0.25 * i.cost, PAIR, is_t);
        improve(c, OPEN, before.score[OPEN] - 0.25 * i.cost, OPEN, is_t);
    }
    improve(c, GUARDED, before.score[PAIR] - GUARD_COST, PAIR, is_t);
    improve(c, GUARDED, before.score[OPEN] - GUARD_COST, OPEN, is_t);
    improve(c, GUARDED, before.score[GUARDED], GUARDED, is_t);
}

static unsigned best_kind(const cell &c)
{
    return (unsigned)(std::max_element(c.score, c.score + 3) - c.score);
}

/* Every gap has a guard as a whole or none. */
static void settle_guards(step_list &steps)
{
    for (size_t begin = 0; begin < steps.size();) {
        size_t end = begin;
        bool is_guarded = false;
        while (end < steps.size() && (steps[end].t < 0 || steps[end].f < 0)) {
            is_guarded |= steps[end++].is_guarded;
        }
        for (size_t k = begin; k < end; ++k) {
            steps[k].is_guarded = is_guarded;
        }
        begin = std::max(end, begin + 1);
    }
}

step_list aligner::align_rows(const item_row &t, const item_row &f, double *score)
{
    size_t n = t.size(), m = f.size();
    std::vector<cell> cells((n + 1) * (m + 1));
    auto at = [&](size_t i, size_t j) -> cell & { return cells[i * (m + 1) + j]; };
    DenseMap<std::pair<unsigned, unsigned>, std::shared_ptr<region_match>> regions;
    at(0, 0).score[PAIR] = 0.0;
    for (size_t i = 0; i <= n; ++i) {
        for (size_t j = 0; j <= m; ++j) {
            cell &c = at(i, j);
            std::shared_ptr<region_match> inside;
            double pair = i > 0 && j > 0 ? pair_score(t[i - 1], f[j - 1], inside) : -1.0;
            if (pair > 0.0) {
                unsigned from = best_kind(at(i - 1, j - 1));
                improve(c, PAIR, at(i - 1, j - 1).score[from] + pair, from, false);
                if (inside) {
                    regions[{(unsigned)i, (unsigned)j}] = inside;
                }
            }
            if (i > 0) {
                extend_gap(c, at(i - 1, j), t[i - 1], true);
            }
            if (j > 0) {
                extend_gap(c, at(i, j - 1), f[j - 1], false);
            }
        }
    }
    step_list steps;
    unsigned kind = best_kind(at(n, m));
    *score = at(n, m).score[kind];
    for (size_t i = n, j = m; i > 0 || j > 0;) {
        const cell &c = at(i, j);
        step s;
        s.is_guarded = kind == GUARDED;
        bool is_t = kind == PAIR || c.is_t[kind], is_f = kind == PAIR || !c.is_t[kind];
        unsigned from = c.from[kind];
        if (kind == PAIR) {
            s.inside = regions.lookup({(unsigned)i, (unsigned)j});
        }
        s.t = is_t ? (int)--i : -1;
        s.f = is_f ? (int)--j : -1;
        steps.push_back(s);
        kind = from;
    }
    std::reverse(steps.begin(), steps.end());
    settle_guards(steps);
    return steps;
}

void aligner::note_partners(const item_row &t, const item_row &f, const step_list &steps)
{
    for (const step &s : steps) {
        if (s.t < 0 || s.f < 0) {
            continue;
        }
        partners[t[s.t].at] = f[s.f].at;
        for (size_t k = 0; s.inside && k < s.inside->blocks.size(); ++k) {
            const block_match &m = s.inside->blocks[k];
            note_partners(m.row_t, m.row_f, m.steps);
        }
    }
    known.clear();
}

void aligner::count_operands(const Instruction &a, const Instruction &b, alignment &out)
{
    for (unsigned k = 0; k < a.getNumOperands(); ++k) {
        Value *x = a.getOperand(k), *y = b.getOperand(k);
        double cost = isa<BasicBlock>(x) ? 0.0 : select_cost(x, y);
        if (cost > 0.0 && selected.insert({x, y}).second) {
            out.pairs += cost;
            ++out.n_selects;
        }
    }
}

void aligner::count_gap(const item_row &t, const item_row &f, ArrayRef<step> gap, double factor, alignment &out) const
{
    bool is_guarded = !gap.empty() && gap.front().is_guarded;
    out.n_gaps += is_guarded;
    out.pairs += is_guarded ? factor * GUARD_COST : 0.0;
    for (const step &s : gap) {
        const item &i = s.t >= 0 ? t[s.t] : f[s.f];
        (!is_guarded ? out.speculated : s.t >= 0 ? out.gap_t : out.gap_f) += i.cost;
    }
}

void aligner::count(const item_row &t, const item_row &f, const step_list &steps, double factor, alignment &out)
{
    for (size_t k = 0; k < steps.size(); ++k) {
        size_t begin = k;
        while (k < steps.size() && (steps[k].t < 0 || steps[k].f < 0)) {
            ++k;
        }
        count_gap(t, f, ArrayRef(steps).slice(begin, k - begin), factor, out);
        if (k == steps.size()) {
            return;
        }
        const item &a = t[steps[k].t], &b = f[steps[k].f];
        if (a.what == item::instruction) {
            out.pairs += std::max(a.cost, b.cost) * (1.0 + register_cost(*a.at, *b.at));
            ++out.n_pairs;
            count_operands(*a.at, *b.at, out);
        } else if (steps[k].inside) {
            for (const block_match &m : steps[k].inside->blocks) {
                double inner = loop_factor(m.t, depth, loops);
                count(m.row_t, m.row_f, m.steps, inner, out);
                out.pairs += inner * instruction_cost(*m.t->getTerminator());
                count_operands(*m.t->getTerminator(), *m.f->getTerminator(), out);
            }
            count_operands(*a.at, *b.at, out);
        }
    }
}

} // namespace

static unsigned count_instructions(const side &s)
{
    unsigned n = 0;
    for (const BasicBlock *block : s.blocks) {
        for (const Instruction &i : *block) {
            n += !i.isTerminator() && !isa<PHINode>(i) && !is_hint(i);
        }
    }
    return n;
}

/* The first round takes values of one opcode for partners, the next ones know better. */
alignment align(const side &t, const side &f, const LoopInfo &loops)
{
    unsigned depth = loops.getLoopDepth(t.first->getSinglePredecessor());
    aligner a(t, f, loops, depth);
    alignment best;
    double best_cost = 1e30;
    for (unsigned round = 0; round < 3; ++round) {
        double score = 0.0;
        alignment out;
        out.steps = a.align_rows(t.row, f.row, &score);
        a.partners.clear();
        a.note_partners(t.row, f.row, out.steps);
        a.is_first = false;
        out.partners = a.partners;
        out.n_t = count_instructions(t);
        out.n_f = count_instructions(f);
        a.count(t.row, f.row, out.steps, 1.0, out);
        a.forget_selects();
        double cost = out.pairs + out.speculated + out.gap_t + out.gap_f;
        if (cost < best_cost) {
            best_cost = cost;
            best = std::move(out);
        }
    }
    return best;
}

} // namespace divergence
