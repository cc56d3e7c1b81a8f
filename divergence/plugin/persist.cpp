/*
 * Persist: a kernel that treats one item a thread gets a loop over items, which loop merging can then merge with the
 * kernel's own loop. The launch stays as it is: the blocks beyond those that a GPU holds at once return, and the others
 * take their work, block number by block number, each thread the item of its own place in the block.
 */
#include "cost.h"
#include "legality.h"
#include "passes.h"
#include "profile_data.h"
#include "remarks.h"
#include "settings.h"
#include "trips.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace divergence
{

static const char *const PASS = "persist";
static const char *const MARK = "corpuscle-persistent";
enum { THREADS_HELD = 2048, REGISTERS = 65536 }; /* of one multiprocessor */

namespace
{

class persister
{
  public:
    persister(Function &function, FunctionAnalysisManager &manager, const pass_settings &base)
        : f(function), loops(manager.getResult<LoopAnalysis>(function)),
          uniformity(manager.getResult<UniformityInfoAnalysis>(function)),
          evolution(manager.getResult<ScalarEvolutionAnalysis>(function)), wanted(settings_for(function, PASS, base))
    {
    }
    bool run();

  private:
    Loop *find_loop() const;
    std::optional<blocker> find_obstacle() const;
    double predict(Loop *loop, const char *&basis) const;
    unsigned choose_size();
    void apply();
    Value *product(IRBuilderBase &b, ArrayRef<Intrinsic::ID> registers) const;
    Value *linear_block(IRBuilderBase &b) const;
    void replace_block_index(IRBuilderBase &b, Value *block);
    bool tell(Loop *loop, verdict v, const std::string &text) const;

    Function &f;
    LoopInfo &loops;
    UniformityInfo &uniformity;
    ScalarEvolution &evolution;
    pass_settings wanted;
};

bool persister::tell(Loop *loop, verdict v, const std::string &text) const
{
    remark(f, {loop->getStartLoc(), loop->getHeader()}, PASS, v, text);
    return v == verdict::done;
}

static double loop_cost(const Loop &loop)
{
    double cost = 0.0;
    for (BasicBlock *block : loop.blocks()) {
        cost += block_cost(*block);
    }
    return cost;
}

/* A loop that goes round in steps of the grid's size: the kernel makes its own outer loop. */
static bool goes_by_grid(const Loop &loop, ScalarEvolution &evolution)
{
    return any_of(loop.getHeader()->phis(), [&](PHINode &phi) {
        const auto *counted =
            evolution.isSCEVable(phi.getType()) ? dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(&phi)) : nullptr;
        return counted && SCEVExprContains(counted->getStepRecurrence(evolution), [](const SCEV *part) {
                   const auto *value = dyn_cast<SCEVUnknown>(part);
                   const auto *call = value ? dyn_cast<IntrinsicInst>(value->getValue()) : nullptr;
                   return call && call->getCalledFunction()->getName().contains("sreg.nctaid");
               });
    });
}

/* The dearest divergent loop that has no loop around it; there may be loops inside. */
Loop *persister::find_loop() const
{
    Loop *best = nullptr;
    for (Loop *loop : loops) {
        SmallVector<BasicBlock *, 4> ends;
        loop->getExitingBlocks(ends);
        bool is_divergent = any_of(ends, [&](BasicBlock *end) { return may_diverge(uniformity, *end); });
        if (is_divergent && !goes_by_grid(*loop, evolution) && (!best || loop_cost(*loop) > loop_cost(*best))) {
            best = loop;
        }
    }
    return best;
}

static bool uses_shared_memory(const Instruction &i)
{
    return any_of(i.operands(), [](const Use &use) {
        const Value *v = use->stripPointerCasts();
        return v->getType()->isPointerTy() && v->getType()->getPointerAddressSpace() == 3;
    });
}

/* Could this wait for what another block writes? */
static bool may_wait(const Instruction &i, bool is_in_loop)
{
    if (auto *load = dyn_cast<LoadInst>(&i)) {
        return load->isVolatile() || load->isAtomic();
    }
    bool is_atomic = isa<AtomicRMWInst>(i) || isa<AtomicCmpXchgInst>(i);
    return is_atomic && !i.use_empty() && is_in_loop;
}

static std::optional<blocker> find_assembly(const Instruction &i, const InlineAsm &assembly)
{
    StringRef text = assembly.getAsmString();
    for (const char *word : {"%ctaid", "%gridid", "%smid", "%warpid", "ld.volatile", "ld.relaxed", "ld.acquire"}) {
        if (text.contains(word)) {
            return blocker{&i, describe(i) + " depends on the block"};
        }
    }
    return std::nullopt;
}

static std::optional<blocker> find_call(const Instruction &i, SmallPtrSetImpl<const Function *> &seen);

/* A function that is called: what it does must not depend on the block, since its block index is not replaced. */
static std::optional<blocker> find_in_callee(const Function &callee, SmallPtrSetImpl<const Function *> &seen)
{
    if (!seen.insert(&callee).second) {
        return std::nullopt;
    }
    for (const Instruction &i : instructions(callee)) {
        const auto *intrinsic = dyn_cast<IntrinsicInst>(&i);
        bool reads_index = intrinsic && intrinsic->getCalledFunction()->getName().contains("sreg.ctaid");
        if (reads_index || uses_shared_memory(i) || may_wait(i, true)) {
            return blocker{&i, describe(i) + " depends on the block, or waits for another"};
        }
        if (auto found = find_call(i, seen)) {
            return found;
        }
    }
    return std::nullopt;
}

static std::optional<blocker> find_call(const Instruction &i, SmallPtrSetImpl<const Function *> &seen)
{
    const auto *call = dyn_cast<CallBase>(&i);
    if (!call) {
        return std::nullopt;
    }
    if (const auto *assembly = dyn_cast<InlineAsm>(call->getCalledOperand())) {
        return find_assembly(i, *assembly);
    }
    const Function *callee = call->getCalledFunction();
    if (callee && callee->isIntrinsic()) {
        return std::nullopt;
    }
    bool is_known = callee && !callee->isDeclaration() && !find_in_callee(*callee, seen);
    return is_known ? std::nullopt : std::optional(blocker{&i, describe(i) + " may depend on the block"});
}

std::optional<blocker> persister::find_obstacle() const
{
    SmallVector<BasicBlock *, 32> blocks;
    for (BasicBlock &block : f) {
        blocks.push_back(&block);
    }
    if (auto found = find_blocker(blocks, false)) {
        return found;
    }
    ArrayRef<BasicBlock *> inner(blocks);
    if (auto found = find_unsupported(inner.drop_front())) {
        return found;
    }
    SmallPtrSet<const Function *, 8> seen;
    for (Instruction &i : instructions(f)) {
        if (uses_shared_memory(i)) {
            return blocker{&i, "shared memory belongs to one block"};
        }
        if (may_wait(i, loops.getLoopFor(i.getParent()) != nullptr)) {
            return blocker{&i, describe(i) + " may wait for another block"};
        }
        if (auto found = find_call(i, seen)) {
            return found;
        }
    }
    return std::nullopt;
}

/* Registers a thread of this kernel, without the passes and with them; 0 where not known. */
static std::pair<unsigned, unsigned> registers_of(const Function &f)
{
    auto file = MemoryBuffer::getFile(settings().registers);
    SmallVector<StringRef, 16> lines;
    if (file) {
        (*file)->getBuffer().split(lines, '\n', -1, false);
    }
    for (StringRef line : lines) {
        SmallVector<StringRef, 3> words;
        line.split(words, ' ', -1, false);
        unsigned before = 0, after = 0;
        if (words.size() == 3 && words[0] == f.getName() && !words[1].getAsInteger(10, before) &&
            !words[2].getAsInteger(10, after)) {
            return {before, after};
        }
    }
    return {0, 0};
}

/* Threads of this kernel that a multiprocessor holds, in blocks of 256, at so many registers, which are given out by
 * eight. */
static unsigned threads_held(unsigned registers)
{
    unsigned threads = registers == 0 ? (unsigned)THREADS_HELD : REGISTERS / (unsigned)alignTo(registers, 8);
    return std::clamp<unsigned>(alignDown(threads, 256), 256, THREADS_HELD);
}

/* What a multiprocessor will hold, and whether the kernel has to be kept to the registers that it had for that. */
static unsigned threads_held(const Function &f, unsigned *most_registers)
{
    auto [before, after] = registers_of(f);
    if (before != 0 && threads_held(after) < 0.7 * threads_held(before)) {
        *most_registers = (unsigned)alignTo(before, 8);
        return threads_held(before);
    }
    return threads_held(after);
}

/* The gain of merging the new loop over items with the kernel's own. Recorded warps are the items of one lane after
 * another. */
double persister::predict(Loop *loop, const char *&basis) const
{
    nest_cost c;
    for (BasicBlock &block : f) {
        c.outer += loops.getLoopFor(&block) ? 0.0 : block_cost(block);
    }
    for (Loop *other : loops) {
        c.outer += other == loop ? 0.0 : warp_turns(*other, evolution) * turn_cost(*other, loops, evolution);
    }
    c.body = turn_cost(*loop, loops, evolution);
    c.outer += 75.0; /* the next block's number, and its index from that: four divisions */
    trip_trace t;
    if (auto recorded = recorded_trips(f, *loop)) {
        t = behind_one_another(*recorded, divergence::warps_held(f));
        basis = "recorded";
    } else {
        bool is_counted = evolution.hasLoopInvariantBackedgeTakenCount(loop);
        t = make_trace(is_counted ? spread::uniform : spread::geometric, is_counted ? 8 : 16, 8);
        basis = is_counted ? "count computed by lane" : "ends at no fixed count";
    }
    double nested = nested_cost(c, t), best = 0.0;
    for (unsigned steps : {1u, 2u, 4u}) {
        best = std::max(best, nested / std::max(1.0, merged_cost(c, t, steps, 1)));
    }
    double share = arithmetic_share(loop->getBlocks());
    return 1.0 / (share / best + (1.0 - share));
}

Value *persister::product(IRBuilderBase &b, ArrayRef<Intrinsic::ID> registers) const
{
    Value *all = nullptr;
    for (Intrinsic::ID id : registers) {
        Value *one = b.CreateIntrinsic(b.getInt32Ty(), id, {});
        all = all ? b.CreateMul(all, one) : one;
    }
    return all;
}

/* (z * ny + y) * nx + x */
Value *persister::linear_block(IRBuilderBase &b) const
{
    auto read = [&](Intrinsic::ID id) { return b.CreateIntrinsic(b.getInt32Ty(), id, {}); };
    Value *z = b.CreateMul(read(Intrinsic::nvvm_read_ptx_sreg_ctaid_z), read(Intrinsic::nvvm_read_ptx_sreg_nctaid_y));
    Value *zy = b.CreateAdd(z, read(Intrinsic::nvvm_read_ptx_sreg_ctaid_y));
    Value *row = b.CreateMul(zy, read(Intrinsic::nvvm_read_ptx_sreg_nctaid_x));
    return b.CreateAdd(row, read(Intrinsic::nvvm_read_ptx_sreg_ctaid_x));
}

/* What the body reads as its block index is computed from the linear one. */
void persister::replace_block_index(IRBuilderBase &b, Value *block)
{
    Value *nx = product(b, {Intrinsic::nvvm_read_ptx_sreg_nctaid_x});
    Value *ny = product(b, {Intrinsic::nvvm_read_ptx_sreg_nctaid_y});
    Value *row = b.CreateUDiv(block, nx);
    Value *virtual_index[3] = {b.CreateURem(block, nx), b.CreateURem(row, ny), b.CreateUDiv(row, ny)};
    static const Intrinsic::ID ids[3] = {Intrinsic::nvvm_read_ptx_sreg_ctaid_x, Intrinsic::nvvm_read_ptx_sreg_ctaid_y,
                                         Intrinsic::nvvm_read_ptx_sreg_ctaid_z};
    for (BasicBlock &part : f) {
        if (&part == &f.getEntryBlock()) {
            continue;
        }
        for (Instruction &i : make_early_inc_range(part)) {
            auto *call = dyn_cast<IntrinsicInst>(&i);
            for (unsigned k = 0; call && k < 3; ++k) {
                if (call->getIntrinsicID() == ids[k]) {
                    call->replaceAllUsesWith(virtual_index[k]);
                    call->eraseFromParent();
                    break;
                }
            }
        }
    }
}

/*
 * The grid that works is as large as what the GPU holds, so that all items are dealt out at once. A kernel of which it
 * would hold less than before by a third is kept to the registers that it had.
 */
unsigned persister::choose_size()
{
    unsigned most_registers = 0, held = threads_held(f, &most_registers);
    if (most_registers != 0) {
        LLVMContext &context = f.getContext();
        auto *limit = ConstantInt::get(Type::getInt32Ty(context), most_registers);
        Metadata *note[] = {ValueAsMetadata::get(&f), MDString::get(context, "maxnreg"),
                            ConstantAsMetadata::get(limit)};
        f.getParent()->getOrInsertNamedMetadata("nvvm.annotations")->addOperand(MDNode::get(context, note));
    }
    return held;
}

void persister::apply()
{
    BasicBlock *entry = &f.getEntryBlock();
    auto first = entry->begin();
    while (isa<AllocaInst>(*first)) {
        ++first;
    }
    BasicBlock *body = entry->splitBasicBlock(first, "persist.body");
    BasicBlock *latch = BasicBlock::Create(f.getContext(), "persist.next");
    BasicBlock *out = BasicBlock::Create(f.getContext(), "persist.out");
    for (BasicBlock &block : f) {
        if (auto *end = dyn_cast<ReturnInst>(block.getTerminator())) {
            end->eraseFromParent();
            BranchInst::Create(latch, &block);
        }
    }
    latch->insertInto(&f);
    out->insertInto(&f);
    entry->getTerminator()->eraseFromParent();
    IRBuilder<> b(entry);
    Value *threads = product(b, {Intrinsic::nvvm_read_ptx_sreg_ntid_x, Intrinsic::nvvm_read_ptx_sreg_ntid_y,
                                 Intrinsic::nvvm_read_ptx_sreg_ntid_z});
    Value *a_processor = b.CreateUDiv(b.getInt32(choose_size()), threads);
    a_processor = b.CreateBinaryIntrinsic(Intrinsic::umax, a_processor, b.getInt32(1)); /* blocks larger than that */
    Value *held = b.CreateMul(a_processor, b.getInt32(settings().processors), "persist.held");
    Value *all = product(b, {Intrinsic::nvvm_read_ptx_sreg_nctaid_x, Intrinsic::nvvm_read_ptx_sreg_nctaid_y,
                             Intrinsic::nvvm_read_ptx_sreg_nctaid_z});
    Value *mine = linear_block(b);
    b.CreateCondBr(b.CreateICmpULT(mine, held), body, out);
    IRBuilder<>(out).CreateRetVoid();

    b.SetInsertPoint(body, body->begin());
    PHINode *block = b.CreatePHI(b.getInt32Ty(), 2, "persist.block");
    block->addIncoming(mine, entry);
    replace_block_index(b, block);
    b.SetInsertPoint(latch);
    Value *next = b.CreateAdd(block, held);
    block->addIncoming(next, latch);
    b.CreateCondBr(b.CreateICmpULT(next, all), body, out);
    f.addFnAttr(MARK);
}

bool persister::run()
{
    bool is_fit = !wanted.off && is_kernel(f) && !f.hasFnAttribute(MARK) && f.getReturnType()->isVoidTy();
    Loop *loop = is_fit ? find_loop() : nullptr;
    if (!loop) {
        return false;
    }
    if (auto obstacle = find_obstacle()) {
        return tell(loop, verdict::declined, "not made persistent: " + obstacle->reason);
    }
    const char *basis = "";
    double gain = predict(loop, basis);
    std::string numbers = format("predicted %.2f times after merging; trip counts: %s", gain, basis);
    bool is_recorded = StringRef(basis) == "recorded";
    if (!wanted.force && gain < settings().margin) {
        return tell(loop, verdict::declined, "not made persistent: no gain expected (" + numbers + ")");
    }
    if (!wanted.force && !is_recorded) { /* whether a grid is larger than a GPU holds, the source does not say */
        return tell(loop, verdict::declined,
                    "not made persistent: the number of items is not known (" + numbers +
                        "); record a run with --profile, or force it");
    }
    if (settings().report) {
        return tell(loop, verdict::analysis, "would make the kernel persistent (" + numbers + ")");
    }
    tell(loop, verdict::done, "kernel made persistent (" + numbers + ")");
    apply();
    return true;
}

} // namespace

unsigned warps_held(const Function &f)
{
    unsigned unused = 0;
    return settings().processors * threads_held(f, &unused) / 32;
}

bool is_persistent(const Function &f)
{
    return f.hasFnAttribute(MARK);
}

PreservedAnalyses persist_pass::run(Function &f, FunctionAnalysisManager &manager)
{
    bool is_gpu = Triple(f.getParent()->getTargetTriple()).isNVPTX();
    bool has_changed = is_gpu && is_wanted(f) && persister(f, manager, base).run();
    return has_changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace divergence
