#include "align.h"

#include "cost.h"
#include "legality.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Local.h"

#include <algorithm>
#include <vector>

using namespace llvm;

namespace divergence
{

static const double GAP = 5.0;    /* a branch and the meeting after it */
static const double SELECT = 1.0; /* one operand chosen */

bool can_share(const Instruction &a, const Instruction &b)
{
    if (!a.isSameOperationAs(&b, Instruction::CompareIgnoringAlignment) || is_convergent(a) || is_convergent(b)) {
        return false;
    }
    if (isa<PHINode>(a) || a.isTerminator() || isa<AllocaInst>(a) || a.getType()->isTokenTy()) {
        return false;
    }
    const auto *call = dyn_cast<CallBase>(&a);
    if (call && (call->hasOperandBundles() || call->isInlineAsm() || call->isMustTailCall() ||
                 call->getCalledOperand() != cast<CallBase>(b).getCalledOperand())) {
        return false;
    }
    for (unsigned i = 0; i < a.getNumOperands(); ++i) {
        bool is_same = a.getOperand(i) == b.getOperand(i);
        if (!is_same && (!canReplaceOperandWithVariable(&a, i) || a.getOperand(i)->getType()->isMetadataTy())) {
            return false;
        }
    }
    return true;
}

static double width_of(const Value *v)
{
    return v->getType()->getPrimitiveSizeInBits() > 32 || v->getType()->isPointerTy() ? 2.0 : 1.0;
}

static double uses_of(const Value *v)
{
    return isa<Constant>(v) ? 1.0 : std::max(1.0, (double)v->getNumUses());
}

static bool is_inside(const Value *v, const Instruction &at)
{
    const auto *i = dyn_cast<Instruction>(v);
    return i && i->getParent() == at.getParent();
}

/*
 * Selects that sharing takes, if what can be shared earlier was. Between two values is chosen once, however often they are
 * used: the cost is shared out here, and recount() counts exactly.
 */
static double select_cost(const Instruction &a, const Instruction &b)
{
    double sum = 0.0;
    for (unsigned i = 0; i < a.getNumOperands(); ++i) {
        const Value *x = a.getOperand(i), *y = b.getOperand(i);
        bool is_x_inside = is_inside(x, a), is_y_inside = is_inside(y, b);
        bool may_be_shared = is_x_inside && is_y_inside &&
                             cast<Instruction>(x)->getOpcode() == cast<Instruction>(y)->getOpcode();
        if (x != y && !may_be_shared) {
            double n_uses = std::min(uses_of(x), uses_of(y));
            sum += SELECT * width_of(x) * (is_x_inside || is_y_inside ? 1.0 / n_uses : 0.1);
        }
    }
    return sum;
}

/* Issue slots of the alignment as it came out. */
static double recount(const alignment &found)
{
    DenseMap<const Value *, const Value *> twin; /* what the second side's value became */
    DenseSet<std::pair<const Value *, const Value *>> chosen;
    double sum = 0.0;
    bool is_gap = false;
    for (const aligned_pair &row : found.rows) {
        sum += instruction_cost(row.first ? *row.first : *row.second);
        sum += !row.is_common() && !is_gap ? GAP : 0.0;
        is_gap = !row.is_common();
        if (is_gap) {
            continue;
        }
        twin[row.second] = row.first;
        for (unsigned i = 0; i < row.first->getNumOperands(); ++i) {
            const Value *x = row.first->getOperand(i), *y = row.second->getOperand(i);
            auto became = twin.find(y);
            y = became == twin.end() ? y : became->second;
            if (x != y && chosen.insert({x, y}).second) {
                sum += SELECT * width_of(x);
            }
        }
    }
    return sum;
}

namespace
{

enum step : uint8_t { NONE, BOTH, FIRST, SECOND };

struct cell {
    double cost[2] = {1e30, 1e30}; /* last row common; last row a gap */
    step from[2] = {NONE, NONE};
    uint8_t state[2] = {0, 0}; /* of the cell before */
};

class table
{
  public:
    table(ArrayRef<Instruction *> a, ArrayRef<Instruction *> b)
        : first(a), second(b), cells((a.size() + 1) * (b.size() + 1))
    {
    }
    void fill();
    void read_back(alignment &out);

  private:
    cell &at(size_t i, size_t j)
    {
        return cells[i * (second.size() + 1) + j];
    }
    void offer(cell &to, unsigned state, double cost, step from, unsigned before)
    {
        if (cost < to.cost[state]) {
            to.cost[state] = cost;
            to.from[state] = from;
            to.state[state] = before;
        }
    }
    void extend(cell &to, const cell &before, double cost, step from);

    ArrayRef<Instruction *> first, second;
    std::vector<cell> cells;
};

void table::extend(cell &to, const cell &before, double cost, step from)
{
    if (from == BOTH) {
        offer(to, 0, before.cost[0] + cost, from, 0);
        offer(to, 0, before.cost[1] + cost, from, 1);
    } else {
        offer(to, 1, before.cost[0] + GAP + cost, from, 0);
        offer(to, 1, before.cost[1] + cost, from, 1);
    }
}

void table::fill()
{
    at(0, 0).cost[0] = 0.0;
    for (size_t i = 0; i <= first.size(); ++i) {
        for (size_t j = 0; j <= second.size(); ++j) {
            if (i > 0) {
                extend(at(i, j), at(i - 1, j), instruction_cost(*first[i - 1]), FIRST);
            }
            if (j > 0) {
                extend(at(i, j), at(i, j - 1), instruction_cost(*second[j - 1]), SECOND);
            }
            if (i > 0 && j > 0 && can_share(*first[i - 1], *second[j - 1])) {
                double cost = instruction_cost(*first[i - 1]) + select_cost(*first[i - 1], *second[j - 1]);
                extend(at(i, j), at(i - 1, j - 1), cost, BOTH);
            }
        }
    }
}

void table::read_back(alignment &out)
{
    size_t i = first.size(), j = second.size();
    unsigned state = at(i, j).cost[0] <= at(i, j).cost[1] ? 0 : 1;
    while (i > 0 || j > 0) {
        const cell &c = at(i, j);
        aligned_pair row;
        row.first = c.from[state] != SECOND ? first[--i] : nullptr;
        row.second = c.from[state] != FIRST ? second[--j] : nullptr;
        out.n_common += row.is_common();
        out.rows.push_back(row);
        state = c.state[state];
    }
    std::reverse(out.rows.begin(), out.rows.end());
    out.after = recount(out);
}

} // namespace

bool align(ArrayRef<Instruction *> first, ArrayRef<Instruction *> second, alignment &out)
{
    if (first.size() * second.size() > 4000000) {
        return false;
    }
    out.before = GAP;
    for (Instruction *i : first) {
        out.before += instruction_cost(*i);
    }
    for (Instruction *i : second) {
        out.before += instruction_cost(*i);
    }
    table t(first, second);
    t.fill();
    t.read_back(out);
    return true;
}

} // namespace divergence
