#include "align.h"

#include "cost.h"
#include "legality.h"

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

/* Selects that sharing takes, if what can be shared earlier was. */
static double select_cost(const Instruction &a, const Instruction &b)
{
    double sum = 0.0;
    for (unsigned i = 0; i < a.getNumOperands(); ++i) {
        const Value *x = a.getOperand(i), *y = b.getOperand(i);
        const auto *p = dyn_cast<Instruction>(x), *q = dyn_cast<Instruction>(y);
        bool may_be_shared = p && q && p->getParent() == a.getParent() && q->getParent() == b.getParent() &&
                             p->getOpcode() == q->getOpcode();
        if (x != y && !may_be_shared) {
            sum += SELECT * (x->getType()->getPrimitiveSizeInBits() > 32 || x->getType()->isPointerTy() ? 2.0 : 1.0);
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
    out.after = at(i, j).cost[state];
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
