#include "lanes.h"

#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace divergence
{

static bool is_nvptx(const Module &m)
{
    return Triple(m.getTargetTriple()).isNVPTX();
}

bool has_votes(const Module &m)
{
    Triple triple(m.getTargetTriple());
    return triple.isNVPTX() || triple.isX86() || triple.isAArch64();
}

/* A vote of the host's oracle: convergent, with effects that nothing may be moved across. */
static FunctionCallee host_vote(Module &m, StringRef name, FunctionType *type)
{
    FunctionCallee callee = m.getOrInsertFunction(name, type);
    if (auto *f = dyn_cast<Function>(callee.getCallee())) {
        f->addFnAttr(Attribute::Convergent);
        f->addFnAttr(Attribute::NoUnwind);
    }
    return callee;
}

Value *emit_active_mask(IRBuilderBase &b)
{
    Module &m = *b.GetInsertBlock()->getModule();
    if (is_nvptx(m)) {
        return b.CreateIntrinsic(b.getInt32Ty(), Intrinsic::nvvm_activemask, {});
    }
    auto callee = host_vote(m, "corpuscle_div_active_mask", FunctionType::get(b.getInt32Ty(), false));
    return b.CreateCall(callee);
}

Value *emit_ballot(IRBuilderBase &b, Value *mask, Value *predicate)
{
    Module &m = *b.GetInsertBlock()->getModule();
    if (is_nvptx(m)) {
        return b.CreateIntrinsic(b.getInt32Ty(), Intrinsic::nvvm_vote_ballot_sync, {mask, predicate});
    }
    auto *type = FunctionType::get(b.getInt32Ty(), {b.getInt32Ty(), b.getInt32Ty()}, false);
    auto callee = host_vote(m, "corpuscle_div_ballot", type);
    return b.CreateCall(callee, {mask, b.CreateZExt(predicate, b.getInt32Ty())});
}

} // namespace divergence
