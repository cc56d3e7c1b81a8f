/* divergence-sites numbers loops and branches; divergence-record makes the kernels count. */
#include "sites.h"

#include "passes.h"
#include "remarks.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

namespace divergence
{

static const char *const LOOP = "corpuscle.loop";
static const char *const BRANCH = "corpuscle.branch";
static const char *const HASH = "corpuscle.sites";

static std::optional<unsigned> site_of(const BasicBlock &block, const char *kind)
{
    const MDNode *note = block.getTerminator()->getMetadata(kind);
    if (!note) {
        return std::nullopt;
    }
    return mdconst::extract<ConstantInt>(note->getOperand(0))->getZExtValue();
}

std::optional<unsigned> loop_site(const BasicBlock &header)
{
    return site_of(header, LOOP);
}

std::optional<unsigned> branch_site(const BasicBlock &block)
{
    return site_of(block, BRANCH);
}

void drop_sites(Instruction &end)
{
    end.setMetadata(LOOP, nullptr);
    end.setMetadata(BRANCH, nullptr);
}

MDNode *loop_note(const Instruction &end)
{
    return end.getMetadata(LOOP);
}

void set_loop_note(Instruction &end, MDNode *note)
{
    end.setMetadata(LOOP, note);
}

uint64_t sites_hash(const Module &m)
{
    const NamedMDNode *note = m.getNamedMetadata(HASH);
    return note ? mdconst::extract<ConstantInt>(note->getOperand(0)->getOperand(0))->getZExtValue() : 0;
}

namespace
{

class numberer
{
  public:
    explicit numberer(Module &module) : m(module)
    {
    }
    void add(Function &f, LoopInfo &loops, UniformityInfo &uniformity);
    void finish();

  private:
    void note(BasicBlock &block, const char *kind);
    void mix(uint64_t word)
    {
        hash = (hash ^ word) * 0x100000001b3ull;
    }

    Module &m;
    unsigned n_sites = 0;
    uint64_t hash = 0xcbf29ce484222325ull;
};

void numberer::note(BasicBlock &block, const char *kind)
{
    if (n_sites == RECORD_SITES) {
        return;
    }
    Instruction *end = block.getTerminator();
    auto *number = ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(m.getContext()), n_sites++));
    end->setMetadata(kind, MDNode::get(m.getContext(), number));
    mix(kind[sizeof "corpuscle." - 1]);
    mix(end->getNumSuccessors());
    mix(block.size());
}

/* Divergent loops and branches inside loops. */
void numberer::add(Function &f, LoopInfo &loops, UniformityInfo &uniformity)
{
    for (char c : f.getName()) {
        mix(c);
    }
    for (BasicBlock &block : f) {
        Loop *loop = loops.getLoopFor(&block);
        if (loop && loop->getHeader() == &block) {
            SmallVector<BasicBlock *, 4> ends;
            loop->getExitingBlocks(ends);
            if (any_of(ends, [&](BasicBlock *end) { return may_diverge(uniformity, *end); })) {
                note(block, LOOP);
            }
        }
        auto *end = dyn_cast<BranchInst>(block.getTerminator());
        bool is_inside = loop && end && end->isConditional() && loop->contains(end->getSuccessor(0)) &&
                         loop->contains(end->getSuccessor(1));
        if (is_inside && may_diverge(uniformity, block)) {
            note(block, BRANCH);
        }
    }
}

void numberer::finish()
{
    auto *number = ConstantAsMetadata::get(ConstantInt::get(Type::getInt64Ty(m.getContext()), hash));
    m.getOrInsertNamedMetadata(HASH)->addOperand(MDNode::get(m.getContext(), number));
}

/* ------------------------------------------------------------------------------------------------- recording */

/*
 * Where a lane records: 32 times the place of its warp among those that record, and its number; -1 where its warp does
 * not. And one value for one lane, appended to the lane's cell.
 */
const char *const RECORDER = R"(
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.z()
define internal i32 @corpuscle_record_warps() nounwind {
  %nx = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %ny = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %nz = call i32 @llvm.nvvm.read.ptx.sreg.ntid.z()
  %mx = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %my = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
  %mz = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.z()
  %n1 = mul i32 %nx, %ny
  %n2 = mul i32 %n1, %nz
  %n3 = add i32 %n2, 31
  %per_block = lshr i32 %n3, 5
  %m1 = mul i32 %mx, %my
  %blocks = mul i32 %m1, %mz
  %warps = mul i32 %blocks, %per_block
  ret i32 %warps
}
define internal i32 @corpuscle_record_place() nounwind {
  %warps = call i32 @corpuscle_record_warps()
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %tz = call i32 @llvm.nvvm.read.ptx.sreg.tid.z()
  %nx = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %ny = call i32 @llvm.nvvm.read.ptx.sreg.ntid.y()
  %nz = call i32 @llvm.nvvm.read.ptx.sreg.ntid.z()
  %bx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %by = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %bz = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
  %mx = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %my = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
  %t1 = mul i32 %tz, %ny
  %t2 = add i32 %t1, %ty
  %t3 = mul i32 %t2, %nx
  %thread = add i32 %t3, %tx
  %n1 = mul i32 %nx, %ny
  %n2 = mul i32 %n1, %nz
  %n3 = add i32 %n2, 31
  %per_block = lshr i32 %n3, 5
  %b1 = mul i32 %bz, %my
  %b2 = add i32 %b1, %by
  %b3 = mul i32 %b2, %mx
  %block = add i32 %b3, %bx
  %w1 = lshr i32 %thread, 5
  %w2 = mul i32 %block, %per_block
  %warp = add i32 %w1, %w2
  %s1 = udiv i32 %warps, 64
  %s2 = icmp eq i32 %s1, 0
  %stride = select i1 %s2, i32 1, i32 %s1
  %slot = udiv i32 %warp, %stride
  %rest = urem i32 %warp, %stride
  %c1 = icmp eq i32 %rest, 0
  %c2 = icmp ult i32 %slot, 64
  %is_one = and i1 %c1, %c2
  %lane = and i32 %thread, 31
  %p1 = mul i32 %slot, 32
  %p2 = add i32 %p1, %lane
  %place = select i1 %is_one, i32 %p2, i32 -1
  ret i32 %place
}
define internal void @corpuscle_record(ptr %record, i64 %hash, i32 %site, i32 %value, i32 %place) noinline nounwind {
  %a1 = mul i32 %site, 2048
  %a2 = add i32 %a1, %place
  %a3 = mul i32 %a2, 64
  %a4 = add i32 %a3, 160
  %at = zext i32 %a4 to i64
  %cell = getelementptr i16, ptr %record, i64 %at
  %n = load volatile i16, ptr %cell
  %has_room = icmp ult i16 %n, 63
  br i1 %has_room, label %write, label %done
write:
  %n.next = add i16 %n, 1
  store volatile i16 %n.next, ptr %cell
  %k = zext i16 %n.next to i64
  %to = getelementptr i16, ptr %cell, i64 %k
  %small = icmp ult i32 %value, 65534
  %capped = select i1 %small, i32 %value, i32 65534
  %plus = add i32 %capped, 1
  %word = trunc i32 %plus to i16
  store volatile i16 %word, ptr %to
  %s4 = mul i32 %site, 2
  %s5 = add i32 %s4, 32
  %s6 = zext i32 %s5 to i64
  %launched = getelementptr i16, ptr %record, i64 %s6
  %warps = call i32 @corpuscle_record_warps()
  store volatile i32 %warps, ptr %launched, align 4
  store volatile i64 14203943864267363, ptr %record
  %h = getelementptr i8, ptr %record, i64 8
  store volatile i64 %hash, ptr %h
  br label %done
done:
  ret void
}
)";

class recorder
{
  public:
    explicit recorder(Module &module) : m(module)
    {
    }
    bool prepare();
    void add(Function &f, LoopInfo &loops);

  private:
    /* A value that is recorded in front of an instruction. */
    struct event {
        Instruction *before;
        unsigned site;
        Value *value;
    };
    void record(const event &e, Value *place);
    void count_turns(Loop *loop, unsigned site);
    Value *place_in(Function &f);

    Module &m;
    GlobalVariable *memory = nullptr;
    FunctionCallee call;
    Function *find_place = nullptr; /* none on the host, where all record */
    SmallVector<AllocaInst *, 8> slots;
    SmallVector<event, 16> events;
};

/* The memory is the header's (corpuscle_profile.h), which the host can read at the end, or our own. */
bool recorder::prepare()
{
    for (GlobalVariable &g : m.globals()) {
        if (g.getName().contains("corpuscle_profile")) {
            memory = &g;
        }
    }
    LLVMContext &context = m.getContext();
    if (!memory) {
        auto *type = ArrayType::get(Type::getInt16Ty(context), RECORD_WORDS);
        memory = new GlobalVariable(m, type, false, GlobalValue::ExternalLinkage, Constant::getNullValue(type),
                                    "corpuscle_profile", nullptr, GlobalValue::NotThreadLocal, 1);
        memory->setAlignment(Align(16));
    }
    if (!Triple(m.getTargetTriple()).isNVPTX()) { /* the host's oracle */
        call = m.getOrInsertFunction("corpuscle_record", Type::getVoidTy(context), PointerType::get(context, 0),
                                     Type::getInt64Ty(context), Type::getInt32Ty(context), Type::getInt32Ty(context));
        return true;
    }
    SMDiagnostic error;
    auto part = parseAssemblyString(RECORDER, error, context);
    part->setDataLayout(m.getDataLayout());
    part->setTargetTriple(m.getTargetTriple());
    for (const char *name : {"corpuscle_record", "corpuscle_record_place"}) { /* else the linker takes nothing */
        part->getFunction(name)->setLinkage(GlobalValue::ExternalLinkage);
    }
    if (Linker::linkModules(m, std::move(part))) {
        return false;
    }
    for (const char *name : {"corpuscle_record", "corpuscle_record_place"}) {
        m.getFunction(name)->setLinkage(GlobalValue::InternalLinkage);
    }
    call = FunctionCallee(m.getFunction("corpuscle_record"));
    find_place = m.getFunction("corpuscle_record_place");
    return true;
}

/* Most warps do not record: for them it is one branch. */
void recorder::record(const event &e, Value *place)
{
    Instruction *at = e.before;
    if (place) {
        IRBuilder<> b(at);
        at = SplitBlockAndInsertIfThen(b.CreateICmpSGE(place, b.getInt32(0)), at->getIterator(), false);
    }
    IRBuilder<> b(at);
    SmallVector<Value *, 5> arguments = {b.CreateAddrSpaceCast(memory, b.getPtrTy()), b.getInt64(sites_hash(m)),
                                         b.getInt32(e.site), b.CreateZExt(e.value, b.getInt32Ty())};
    if (place) {
        arguments.push_back(place);
    }
    b.CreateCall(call, arguments);
}

void recorder::count_turns(Loop *loop, unsigned site)
{
    Function &f = *loop->getHeader()->getParent();
    IRBuilder<> b(&*f.getEntryBlock().begin());
    AllocaInst *turns = b.CreateAlloca(b.getInt32Ty(), nullptr, "div.turns");
    slots.push_back(turns);
    b.SetInsertPoint(loop->getLoopPreheader()->getTerminator());
    b.CreateStore(b.getInt32(0), turns);
    b.SetInsertPoint(&*loop->getHeader()->getFirstInsertionPt());
    b.CreateStore(b.CreateAdd(b.CreateLoad(b.getInt32Ty(), turns), b.getInt32(1)), turns);
    SmallVector<BasicBlock *, 4> ends;
    loop->getUniqueExitBlocks(ends);
    for (BasicBlock *end : ends) {
        b.SetInsertPoint(&*end->getFirstInsertionPt());
        Instruction *count = b.CreateLoad(b.getInt32Ty(), turns);
        events.push_back({count->getNextNode(), site, count});
    }
}

Value *recorder::place_in(Function &f)
{
    if (!find_place || events.empty()) {
        return nullptr;
    }
    BasicBlock &entry = f.getEntryBlock();
    return IRBuilder<>(&entry, entry.getFirstNonPHIOrDbgOrAlloca()).CreateCall(find_place, {}, "div.place");
}

void recorder::add(Function &f, LoopInfo &loops)
{
    for (BasicBlock &block : f) {
        if (auto site = branch_site(block)) {
            auto *end = cast<BranchInst>(block.getTerminator());
            events.push_back({end, *site, end->getCondition()});
        }
    }
    for (Loop *loop : loops.getLoopsInPreorder()) {
        auto site = loop_site(*loop->getHeader());
        if (site && loop->isLoopSimplifyForm()) {
            count_turns(loop, *site);
        }
    }
    Value *place = place_in(f);
    for (const event &e : events) { /* blocks are split here, when the loops have been read */
        record(e, place);
    }
    events.clear();
    DominatorTree tree(f);
    PromoteMemToReg(slots, tree);
    slots.clear();
}

} // namespace

PreservedAnalyses sites_pass::run(Module &m, ModuleAnalysisManager &manager)
{
    auto &functions = manager.getResult<FunctionAnalysisManagerModuleProxy>(m).getManager();
    numberer n(m);
    for (Function &f : m) {
        if (is_wanted(f)) {
            n.add(f, functions.getResult<LoopAnalysis>(f), functions.getResult<UniformityInfoAnalysis>(f));
        }
    }
    n.finish();
    return PreservedAnalyses::all();
}

PreservedAnalyses record_pass::run(Module &m, ModuleAnalysisManager &manager)
{
    auto &functions = manager.getResult<FunctionAnalysisManagerModuleProxy>(m).getManager();
    SmallVector<Function *, 16> all;
    for (Function &f : m) {
        if (is_wanted(f)) {
            all.push_back(&f);
        }
    }
    recorder r(m);
    if (!r.prepare()) {
        return PreservedAnalyses::none();
    }
    for (Function *f : all) {
        r.add(*f, functions.getResult<LoopAnalysis>(*f));
    }
    return PreservedAnalyses::none();
}

} // namespace divergence
