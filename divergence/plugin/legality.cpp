#include "legality.h"

#include "remarks.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace divergence
{

/* Operations of PTX that concern one lane only. What is not here is taken for convergent. */
static bool is_lane_local_operation(StringRef name)
{
    static const StringSet<> known = {
        "add",      "addc",   "sub",   "subc",      "mul",  "mul24", "mad",   "mad24",    "madc",     "fma",
        "div",      "rem",    "abs",   "neg",       "min",  "max",   "sad",   "dp4a",     "dp2a",     "mov",
        "cvt",      "cvta",   "ld",    "ldu",       "st",   "atom",  "red",   "set",      "setp",     "selp",
        "slct",     "and",    "or",    "xor",       "not",  "cnot",  "shl",   "shr",      "shf",      "lop3",
        "prmt",     "bfe",    "bfi",   "bfind",     "brev", "popc",  "clz",   "fns",      "rcp",      "sqrt",
        "rsqrt",    "sin",    "cos",   "lg2",       "ex2",  "tanh",  "testp", "copysign", "prefetch", "prefetchu",
        "isspacep", "membar", "fence", "nanosleep", "vadd", "vsub",  "vmin",  "vmax",     "vabsdiff", "vadd2",
        "vadd4",    "trap",   "szext", "bmsk",
    };
    return known.contains(name);
}

static bool is_lane_local_statement(StringRef statement)
{
    statement = statement.trim(" \t\r\n{}");
    if (statement.empty() || statement.starts_with(".reg") || statement.starts_with("//")) {
        return true;
    }
    if (statement.starts_with("@")) {
        auto [guard, rest] = statement.split(' ');
        statement = rest.trim();
    }
    StringRef operation = statement.take_while([](char c) { return isalnum(c) || c == '_'; });
    return is_lane_local_operation(operation) && !statement.contains("%clusterid");
}

bool is_lane_local_assembly(StringRef text)
{
    SmallVector<StringRef, 8> statements;
    text.split(statements, ';');
    for (StringRef statement : statements) {
        SmallVector<StringRef, 4> lines; /* braces stand alone or before a statement */
        statement.split(lines, '\n');
        for (StringRef line : lines) {
            if (!is_lane_local_statement(line)) {
                return false;
            }
        }
    }
    return true;
}

/* What CUDA provides for single lanes and clang, which sees no body, takes for convergent. */
static bool is_lane_local_function(const Function &callee)
{
    static const StringSet<> known = {"__assertfail", "vprintf", "malloc", "free"};
    return callee.isDeclaration() && known.contains(callee.getName());
}

bool is_convergent(const Instruction &i)
{
    const auto *call = dyn_cast<CallBase>(&i);
    if (!call) {
        return false;
    }
    if (const auto *assembly = dyn_cast<InlineAsm>(call->getCalledOperand())) {
        return call->isConvergent() && !is_lane_local_assembly(assembly->getAsmString());
    }
    const Function *callee = call->getCalledFunction();
    if (callee && callee->isIntrinsic()) {
        AttributeList attributes = Intrinsic::getAttributes(i.getContext(), callee->getIntrinsicID());
        return attributes.hasFnAttr(Attribute::Convergent);
    }
    return call->isConvergent() && !(callee && is_lane_local_function(*callee));
}

static bool is_volatile_shared(const Instruction &i)
{
    const Value *pointer = getLoadStorePointerOperand(&i);
    return pointer && i.isVolatile() && pointer->stripPointerCasts()->getType()->getPointerAddressSpace() == 3;
}

std::optional<blocker> find_blocker(ArrayRef<BasicBlock *> blocks, bool convergent_safe)
{
    const Instruction *volatile_load = nullptr, *volatile_store = nullptr;
    for (const BasicBlock *block : blocks) {
        for (const Instruction &i : *block) {
            if (is_convergent(i) && !convergent_safe) {
                return blocker{&i, describe(i) + " needs its lanes together"};
            }
            if (is_volatile_shared(i)) {
                (isa<LoadInst>(i) ? volatile_load : volatile_store) = &i;
            }
        }
    }
    if (volatile_load && volatile_store && !convergent_safe) {
        return blocker{volatile_store, "lanes may hand over data through volatile shared memory"};
    }
    return std::nullopt;
}

std::optional<blocker> find_unsupported(ArrayRef<BasicBlock *> blocks)
{
    for (const BasicBlock *block : blocks) {
        const Instruction *end = block->getTerminator();
        bool is_known =
            isa<BranchInst>(end) || isa<SwitchInst>(end) || isa<ReturnInst>(end) || isa<UnreachableInst>(end);
        if (!is_known || block->isEHPad()) {
            return blocker{end, std::string("unsupported control flow (") + end->getOpcodeName() + ")"};
        }
        for (const Instruction &i : *block) {
            if (i.getType()->isTokenTy()) {
                return blocker{&i, "token values (" + describe(i) + ") cannot cross blocks"};
            }
            if (isa<AllocaInst>(i)) {
                return blocker{&i, "the stack grows inside the loop"};
            }
            const auto *call = dyn_cast<CallInst>(&i);
            if (call && (call->isMustTailCall() || call->hasFnAttr(Attribute::ReturnsTwice))) {
                return blocker{&i, describe(i) + " cannot be moved"};
            }
        }
    }
    return std::nullopt;
}

bool has_irreducible_cycle(const Loop &loop, const LoopInfo &loops)
{
    LoopBlocksRPO order(const_cast<Loop *>(&loop));
    order.perform(&loops);
    SmallPtrSet<const BasicBlock *, 32> seen;
    for (const BasicBlock *block : order) {
        seen.insert(block);
        for (const BasicBlock *next : successors(block)) {
            if (!loop.contains(next) || !seen.count(next)) {
                continue;
            }
            const Loop *inner = loops.getLoopFor(next);
            if (!inner || inner->getHeader() != next || !inner->contains(block)) {
                return true;
            }
        }
    }
    return false;
}

bool can_copy(ArrayRef<BasicBlock *> blocks)
{
    for (const BasicBlock *block : blocks) {
        if (block->hasAddressTaken()) {
            return false;
        }
        for (const Instruction &i : *block) {
            const auto *call = dyn_cast<CallBase>(&i);
            if (call && call->cannotDuplicate()) {
                return false;
            }
        }
    }
    return true;
}

static StringRef kind_of(StringRef name)
{
    static const std::pair<const char *, const char *> kinds[] = {
        {"barrier", "barrier"}, {"bar.", "barrier"},         {"vote", "vote"},
        {"activemask", "vote"}, {"shfl", "shuffle"},         {"match", "match"},
        {"redux", "reduction"}, {"mma", "matrix operation"}, {"assembly", "assembly"},
    };
    for (auto &[part, kind] : kinds) {
        if (name.contains(part)) {
            return kind;
        }
    }
    return "call";
}

std::string describe(const Instruction &i)
{
    const auto *call = dyn_cast<CallBase>(&i);
    std::string name = i.getOpcodeName();
    if (call && call->isInlineAsm()) {
        StringRef text = cast<InlineAsm>(call->getCalledOperand())->getAsmString();
        name = "assembly \"" + text.substr(0, 40).str() + (text.size() > 40 ? "...\"" : "\"");
        name = (kind_of(text) == "call" ? "assembly" : kind_of(text).str()) + " (" + name + ")";
    } else if (call) {
        const Function *callee = call->getCalledFunction();
        StringRef called = callee ? callee->getName() : "through a pointer";
        name = kind_of(called).str() + " (" + called.str() + ")";
    }
    if (i.getDebugLoc()) {
        name += " at " + place_name(*i.getFunction(), i.getDebugLoc());
    }
    return name;
}

} // namespace divergence
