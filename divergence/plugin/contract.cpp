/*
 * Contraction decided once. LLVM's back end fuses a product and a sum where both stand in one block, so moving code
 * between blocks could change roundings. Here the same fusion is written out as llvm.fma, and the permission to fuse is
 * withdrawn.
 */
#include "passes.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace divergence
{

static BinaryOperator *product(Value *v, const BasicBlock *block)
{
    auto *i = dyn_cast<BinaryOperator>(v);
    bool is_one = i && i->getOpcode() == Instruction::FMul && i->hasAllowContract() && i->getParent() == block;
    return is_one ? i : nullptr;
}

/* a*b + c, a*b - c, c - a*b */
static Value *fuse(BinaryOperator *sum)
{
    IRBuilder<> b(sum);
    b.setFastMathFlags(sum->getFastMathFlags());
    bool is_difference = sum->getOpcode() == Instruction::FSub;
    BinaryOperator *left = product(sum->getOperand(0), sum->getParent());
    BinaryOperator *right = product(sum->getOperand(1), sum->getParent());
    if (left && right && right->hasOneUse() && !left->hasOneUse()) {
        left = nullptr;
    }
    if (left) {
        Value *c = is_difference ? b.CreateFNeg(sum->getOperand(1)) : sum->getOperand(1);
        return b.CreateIntrinsic(Intrinsic::fma, {sum->getType()}, {left->getOperand(0), left->getOperand(1), c});
    }
    if (right) {
        Value *a = is_difference ? b.CreateFNeg(right->getOperand(0)) : right->getOperand(0);
        return b.CreateIntrinsic(Intrinsic::fma, {sum->getType()}, {a, right->getOperand(1), sum->getOperand(0)});
    }
    return nullptr;
}

static bool is_sum(const Instruction &i)
{
    return (i.getOpcode() == Instruction::FAdd || i.getOpcode() == Instruction::FSub) && i.hasAllowContract();
}

static bool fuse_all(Function &f)
{
    SmallVector<BinaryOperator *, 32> sums;
    for (BasicBlock &block : f) {
        for (Instruction &i : block) {
            if (is_sum(i)) {
                sums.push_back(cast<BinaryOperator>(&i));
            }
        }
    }
    bool has_changed = false;
    for (BinaryOperator *sum : sums) {
        if (Value *fused = fuse(sum)) {
            fused->takeName(sum);
            if (auto *i = dyn_cast<Instruction>(fused)) {
                i->setDebugLoc(sum->getDebugLoc());
            }
            sum->replaceAllUsesWith(fused);
            sum->eraseFromParent();
            has_changed = true;
        }
    }
    return has_changed;
}

/* llvm.fmuladd leaves the choice to the back end; NVPTX always fuses, so say so. */
static bool settle_fmuladd(Function &f)
{
    bool has_changed = false;
    for (BasicBlock &block : f) {
        for (Instruction &i : make_early_inc_range(block)) {
            auto *call = dyn_cast<IntrinsicInst>(&i);
            if (call && call->getIntrinsicID() == Intrinsic::fmuladd) {
                call->setCalledFunction(Intrinsic::getDeclaration(f.getParent(), Intrinsic::fma, {call->getType()}));
                has_changed = true;
            }
        }
    }
    return has_changed;
}

PreservedAnalyses contract_pass::run(Function &f, FunctionAnalysisManager &)
{
    Triple triple(f.getParent()->getTargetTriple());
    bool has_changed = (triple.isNVPTX() || triple.isAMDGPU()) && settle_fmuladd(f);
    has_changed |= fuse_all(f);
    for (BasicBlock &block : f) {
        for (Instruction &i : make_early_inc_range(block)) {
            if (isa<FPMathOperator>(i) && (i.hasAllowContract() || i.hasAllowReassoc())) {
                i.setHasAllowContract(false);
                i.setHasAllowReassoc(false);
                has_changed = true;
            }
            if (isa<BinaryOperator>(i) && i.getOpcode() == Instruction::FMul && i.use_empty()) {
                i.eraseFromParent();
            }
        }
    }
    return has_changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace divergence
