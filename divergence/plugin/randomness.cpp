#include "randomness.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace llvm::PatternMatch;

namespace divergence
{

static constexpr unsigned MOST = 200, STEPS = 2;

/* x ^ x >> n or x ^ x << n; xorwow shifts another word: a ^ b << n counts too. */
static bool is_xorshift(const Instruction &i)
{
    Value *a = nullptr, *b = nullptr;
    if (!match(&i, m_Xor(m_Value(a), m_Value(b)))) {
        return false;
    }
    auto is_shift = [](const Value *v) { return match(v, m_Shift(m_Value(), m_ConstantInt())); };
    return is_shift(a) || is_shift(b);
}

/* By a constant with bits all over; address arithmetic and divisions by small numbers have none of these. */
static bool is_mixing_product(const Instruction &i)
{
    ConstantInt *factor = nullptr;
    if (!match(&i, m_c_Mul(m_Value(), m_ConstantInt(factor))) || !factor->getValue()[0]) {
        return false;
    }
    const APInt &bits = factor->getValue();
    return bits.getActiveBits() > 16 && bits.popcount() >= 8 && (~bits).popcount() >= 8;
}

bool is_random(const Value *condition)
{
    SmallPtrSet<const Instruction *, 32> seen;
    SmallVector<const Value *, 64> stack(1, condition);
    unsigned n_steps = 0;
    while (!stack.empty() && seen.size() < MOST) {
        const auto *i = dyn_cast<Instruction>(stack.pop_back_val());
        bool is_followed = i && !i->mayReadFromMemory() && seen.insert(i).second;
        if (!is_followed) {
            continue;
        }
        n_steps += is_xorshift(*i) || is_mixing_product(*i);
        if (n_steps >= STEPS) {
            return true;
        }
        stack.append(i->op_begin(), i->op_end());
    }
    return false;
}

} // namespace divergence
