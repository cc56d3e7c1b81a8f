#include "flatten.h"

#include "lanes.h"
#include "slots.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

#include <map>

using namespace llvm;

namespace divergence
{

static const char *const MARK = "corpuscle.divergence.flattened";
static const char *const DELAYED = "corpuscle.divergence.delayed";

namespace
{

class flattener
{
  public:
    flattener(Function &function, const flatten_plan &what, LoopInfo &info)
        : f(function), plan(what), loops(info), b(function.getContext()), entry(what.outer->getLoopPreheader())
    {
    }
    flatten_result run();

  private:
    void order_blocks();
    void find_gathers();
    bool assign_stages();
    void demote();
    void demote_phis(BasicBlock *block);
    void find_codes();
    void end_lives();
    void copy_steps();
    void copy_loop(Loop *loop, unsigned n);
    void copy_turns();
    SmallVector<BasicBlock *, 8> blocks_past_gates() const;
    BasicBlock *first_block(unsigned k) const
    {
        return k == 0 && head_copy ? head_copy : gathers[k];
    }
    void build_chain();
    void build_guard(unsigned k);
    Value *gate_opens(const gate &g, Value *is_here);
    void build_latch();
    void build_exits();
    void rewire();
    void rewire_edge(BasicBlock *from, unsigned i);
    bool is_cut_back_edge(BasicBlock *from, BasicBlock *to) const;
    BasicBlock *stub(BasicBlock *from, BasicBlock *to, unsigned code);
    void mark_loop();
    void promote();

    AllocaInst *slot(Type *type, const Twine &name);
    BasicBlock *source(BasicBlock *block) const
    {
        auto found = origin.find(block);
        return found == origin.end() ? block : found->second;
    }
    const gate *gate_of(unsigned k) const
    {
        auto found = gates.find(k);
        return found == gates.end() ? nullptr : &found->second;
    }

    Function &f;
    const flatten_plan &plan;
    LoopInfo &loops;
    IRBuilder<> b;
    BasicBlock *entry;                                /* preheader of the outer loop */
    SmallVector<BasicBlock *, 32> order;              /* body in topological order */
    SmallPtrSet<BasicBlock *, 8> is_gather;           /* without the outer header */
    DenseMap<BasicBlock *, unsigned> stage;           /* gather point last passed */
    SmallVector<BasicBlock *, 8> gathers;             /* by code; [0] is the outer header */
    std::map<unsigned, gate> gates;                   /* by code */
    SmallVector<BasicBlock *, 8> joins;               /* by code; one more: the latch */
    SmallVector<BasicBlock *, 4> exits;               /* targets outside, code = n + index */
    DenseMap<BasicBlock *, BasicBlock *> origin;      /* copy -> original */
    DenseMap<BasicBlock *, BasicBlock *> next_header; /* block of copy i -> header of copy i + 1 */
    SmallVector<AllocaInst *, 32> slots;
    SmallVector<std::pair<BasicBlock *, BasicBlock *>, 16> stubs; /* where a pc is set; what it leads to */
    SmallVector<BitVector, 8> codes_at;                           /* by join: values of pc that lanes can have there */
    SmallVector<std::pair<unsigned, unsigned>, 16> settings;      /* stage where a pc is set, its value */
    BasicBlock *head_copy = nullptr; /* where a turn begins, if the way past the gates was copied */
    AllocaInst *pc = nullptr;
    AllocaInst *alive = nullptr; /* of these, the ones not done at the last latch */
    Value *mask = nullptr;       /* lanes that entered, where there are gates */
};

AllocaInst *flattener::slot(Type *type, const Twine &name)
{
    const DataLayout &layout = f.getParent()->getDataLayout();
    auto *made = new AllocaInst(type, layout.getAllocaAddrSpace(), nullptr, name, f.getEntryBlock().begin());
    slots.push_back(made);
    return made;
}

bool flattener::is_cut_back_edge(BasicBlock *from, BasicBlock *to) const
{
    if (to == plan.outer->getHeader()) {
        return true;
    }
    for (Loop *loop : plan.cut) {
        if (loop->getHeader() == to && loop->contains(source(from))) {
            return true;
        }
    }
    return false;
}

void flattener::order_blocks()
{
    LoopBlocksRPO rpo(plan.outer);
    rpo.perform(&loops);
    order.append(rpo.begin(), rpo.end());
}

/* One walk: number the gather points, and make a gather point of every block with edges from different stretches. */
bool flattener::assign_stages()
{
    bool is_stable = true;
    SmallPtrSet<BasicBlock *, 32> seen;
    stage.clear();
    gathers.assign(1, plan.outer->getHeader());
    for (BasicBlock *block : order) {
        seen.insert(block);
        if (block == plan.outer->getHeader()) {
            stage[block] = 0;
            continue;
        }
        if (is_gather.count(block)) {
            stage[block] = gathers.size();
            gathers.push_back(block);
            continue;
        }
        unsigned low = ~0u, high = 0;
        for (BasicBlock *from : predecessors(block)) {
            if (seen.count(from) && from != block) {
                low = std::min(low, stage[from]);
                high = std::max(high, stage[from]);
            }
        }
        stage[block] = high;
        if (low != high) {
            is_gather.insert(block);
            is_stable = false;
        }
    }
    return is_stable;
}

void flattener::find_gathers()
{
    for (Loop *loop : plan.cut) {
        is_gather.insert(loop->getHeader());
        auto found = plan.steps.find(loop);
        if (found != plan.steps.end() &&
            found->second > 1) { /* what follows the loop stands once, not after each copy */
            SmallVector<BasicBlock *, 4> ends;
            loop->getUniqueExitBlocks(ends);
            for (BasicBlock *end : ends) {
                if (plan.outer->contains(end) && end != plan.outer->getHeader()) {
                    is_gather.insert(end);
                }
            }
        }
    }
    for (auto &[block, g] : plan.gates) {
        is_gather.insert(block);
    }
    while (!assign_stages()) {
    }
    for (auto &[block, g] : plan.gates) {
        gates[stage[block]] = g;
    }
    if (plan.refill) {
        gates[0] = *plan.refill;
    }
}

void flattener::demote_phis(BasicBlock *block)
{
    while (auto *phi = dyn_cast<PHINode>(&block->front())) {
        if (phi->getNumIncomingValues() == 1) { /* of LCSSA form */
            phi->replaceAllUsesWith(phi->getIncomingValue(0));
            phi->eraseFromParent();
            continue;
        }
        if (AllocaInst *made = DemotePHIToStack(phi)) {
            slots.push_back(made);
        }
    }
}

/* Values that cross blocks go through stack slots; promote() turns the slots into phis again. */
void flattener::demote()
{
    SmallVector<BasicBlock *, 4> ends;
    plan.outer->getUniqueExitBlocks(ends);
    for (BasicBlock *block : order) {
        demote_phis(block);
    }
    for (BasicBlock *block : ends) {
        demote_phis(block);
    }
    SmallVector<Instruction *, 64> crossing;
    for (BasicBlock *block : order) {
        for (Instruction &i : *block) {
            if (any_of(i.users(), [&](User *user) { return cast<Instruction>(user)->getParent() != block; })) {
                crossing.push_back(&i);
            }
        }
    }
    for (Instruction *i : crossing) {
        if (AllocaInst *made = DemoteRegToStack(*i)) {
            slots.push_back(made);
        }
    }
}

/* What was known of aliases holds within one turn of the loop; copies stand side by side. */
static void forget_aliases(BasicBlock *block)
{
    for (Instruction &i : make_early_inc_range(*block)) {
        i.setMetadata(LLVMContext::MD_alias_scope, nullptr);
        i.setMetadata(LLVMContext::MD_noalias, nullptr);
        if (isa<NoAliasScopeDeclInst>(i)) {
            i.eraseFromParent();
        }
    }
}

/* Copies 1 to n - 1 of a loop's body; the back edge of each leads to the header of the next. */
void flattener::copy_loop(Loop *loop, unsigned n)
{
    SmallVector<BasicBlock *, 8> body(loop->block_begin(), loop->block_end());
    SmallVector<BasicBlock *, 8> previous(body);
    for_each(body, forget_aliases);
    for (unsigned copy = 1; copy < n; ++copy) {
        ValueToValueMapTy map;
        SmallVector<BasicBlock *, 8> made;
        for (BasicBlock *block : body) {
            BasicBlock *twin = CloneBasicBlock(block, map, ".step" + Twine(copy), &f);
            map[block] = twin;
            made.push_back(twin);
            origin[twin] = block;
            stage[twin] = stage[block];
            order.push_back(twin);
        }
        remapInstructionsInBlocks(made, map);
        auto *header = cast<BasicBlock>(map[loop->getHeader()]);
        for (BasicBlock *twin : made) { /* the map led it to the copy's own header */
            twin->getTerminator()->replaceSuccessorWith(header, loop->getHeader());
        }
        for (BasicBlock *block : previous) {
            next_header[block] = header;
        }
        previous = made;
    }
}

/* All blocks that are reached without passing a gate. */
SmallVector<BasicBlock *, 8> flattener::blocks_past_gates() const
{
    SmallPtrSet<BasicBlock *, 16> reached;
    for (BasicBlock *block : order) {
        bool is_first = block == plan.outer->getHeader();
        bool has_gate = any_of(plan.gates, [&](auto &g) { return g.first == block; });
        bool is_next = any_of(predecessors(block), [&](BasicBlock *from) { return reached.count(from) != 0; });
        if (is_first || (is_next && !has_gate)) {
            reached.insert(block);
        }
    }
    SmallVector<BasicBlock *, 8> found;
    copy_if(order, std::back_inserter(found), [&](BasicBlock *block) { return reached.count(block) != 0; });
    return found;
}

/* Copies 1 to n - 1 of an iteration that passes the gates come first in a turn, the original last; all are of the first
 * stretch. */
void flattener::copy_turns()
{
    SmallVector<BasicBlock *, 8> body = blocks_past_gates(), previous;
    for_each(order, forget_aliases); /* the dear side stands beside copies of other iterations too */
    BasicBlock *header = plan.outer->getHeader();
    for (unsigned copy = 1; copy < plan.turns; ++copy) {
        ValueToValueMapTy map;
        SmallVector<BasicBlock *, 8> made;
        for (BasicBlock *block : body) {
            BasicBlock *twin = CloneBasicBlock(block, map, ".turn" + Twine(copy), &f);
            map[block] = twin;
            made.push_back(twin);
            origin[twin] = block;
            stage[twin] = 0;
            order.push_back(twin);
        }
        remapInstructionsInBlocks(made, map);
        auto *head = cast<BasicBlock>(map[header]);
        for (BasicBlock *twin : made) { /* the map led it to the copy's own header */
            twin->getTerminator()->replaceSuccessorWith(head, header);
        }
        for (BasicBlock *block : previous) {
            next_header[block] = head;
        }
        head_copy = head_copy ? head_copy : head;
        previous = made;
    }
    for (BasicBlock *block : previous) {
        next_header[block] = header;
    }
}

void flattener::copy_steps()
{
    if (plan.turns > 1) {
        copy_turns();
    }
    for (Loop *loop : plan.cut) {
        auto found = plan.steps.find(loop);
        if (found != plan.steps.end() && found->second > 1) {
            copy_loop(loop, found->second);
        }
    }
}

BasicBlock *flattener::stub(BasicBlock *from, BasicBlock *to, unsigned code)
{
    BasicBlock *made = BasicBlock::Create(f.getContext(), "div.set", &f, from->getNextNode());
    b.SetInsertPoint(made);
    b.SetCurrentDebugLocation(from->getTerminator()->getDebugLoc());
    b.CreateStore(b.getInt32(code), pc);
    b.CreateBr(joins[stage[from] + 1]);
    stubs.push_back({made, to});
    settings.push_back({stage[from], code});
    return made;
}

void flattener::rewire_edge(BasicBlock *from, unsigned i)
{
    Instruction *end = from->getTerminator();
    BasicBlock *to = end->getSuccessor(i);
    unsigned n = gathers.size();
    if (!plan.outer->contains(source(to))) {
        unsigned exit = find(exits, to) - exits.begin();
        if (exit == exits.size()) {
            exits.push_back(to);
        }
        end->setSuccessor(i, stub(from, to, n + exit));
    } else if (is_cut_back_edge(from, to)) {
        auto next = next_header.find(from);
        bool steps_on = next != next_header.end() && source(next->second) == to;
        end->setSuccessor(i, steps_on ? next->second : stub(from, to, stage[to]));
    } else if (stage[to] != stage[from]) {
        end->setSuccessor(i, stub(from, to, stage[to]));
    }
}

void flattener::rewire()
{
    for (BasicBlock *block : order) {
        Instruction *end = block->getTerminator();
        for (unsigned i = 0; i < end->getNumSuccessors(); ++i) {
            rewire_edge(block, i);
        }
        if (Loop *loop = loops.getLoopFor(source(block))) {
            bool is_cut = loop == plan.outer || is_contained(plan.cut, loop);
            if (is_cut) { /* unroll and vectorise hints no longer fit */
                end->setMetadata(LLVMContext::MD_loop, nullptr);
            }
        }
    }
}

/* Lanes at gather point k run on if they are enough, if no lane has other work, or if they have waited long enough. */
Value *flattener::gate_opens(const gate &g, Value *is_here)
{
    AllocaInst *age = slot(b.getInt32Ty(), "div.age");
    IRBuilder<> before(entry->getTerminator());
    before.CreateStore(before.getInt32(0), age);
    /* Lanes that were not done at the last latch; one that has left since is counted once too often, until the next. */
    Value *waiting = emit_ballot(b, mask, is_here);
    Value *others = b.CreateAnd(b.CreateLoad(b.getInt32Ty(), alive), b.CreateNot(waiting));
    Value *count = b.CreateUnaryIntrinsic(Intrinsic::ctpop, waiting);
    Value *turns = b.CreateLoad(b.getInt32Ty(), age);
    Value *enough = b.CreateICmpUGE(count, b.getInt32(g.threshold));
    Value *idle = b.CreateICmpEQ(others, b.getInt32(0));
    Value *old = b.CreateICmpUGE(turns, b.getInt32(g.patience));
    Value *opens = b.CreateOr(b.CreateOr(enough, idle), old, "div.opens");
    Value *none = b.CreateICmpEQ(waiting, b.getInt32(0));
    Value *reset = b.CreateOr(opens, none);
    b.CreateStore(b.CreateSelect(reset, b.getInt32(0), b.CreateAdd(turns, b.getInt32(1))), age);
    return opens;
}

void flattener::build_guard(unsigned k)
{
    b.SetInsertPoint(joins[k]);
    b.SetCurrentDebugLocation(gathers[k]->getTerminator()->getDebugLoc());
    if (codes_at[k].count() == 1 && codes_at[k][k] && !gate_of(k)) {
        b.CreateBr(first_block(k));
        return;
    }
    Value *here = b.CreateLoad(b.getInt32Ty(), pc, "div.pc");
    Value *is_here = b.CreateICmpEQ(here, b.getInt32(k), "div.here");
    if (const gate *g = gate_of(k)) {
        is_here = b.CreateAnd(is_here, gate_opens(*g, is_here));
    }
    b.CreateCondBr(is_here, first_block(k), joins[k + 1]);
}

/* Which values of pc reach which join? Where there is one only, its guard would ask what is known. */
void flattener::find_codes()
{
    unsigned n = gathers.size(), n_codes = n + exits.size();
    codes_at.assign(n + 1, BitVector(n_codes));
    codes_at[0].set(0);
    for (BitVector before; before != codes_at[0];) {
        before = codes_at[0];
        for (unsigned k = 0; k < n; ++k) {
            BitVector out = codes_at[k];
            if (!gate_of(k)) {
                out.reset(k);
            }
            for (auto [from, code] : settings) {
                if (from == k) {
                    out.set(code);
                }
            }
            codes_at[k + 1] |= out;
        }
        BitVector back = codes_at[n];
        if (!mask) { /* lanes with an exit's code do not come back */
            back.reset(n, n_codes);
        }
        codes_at[0] |= back;
    }
}

/* In a stub: values that nothing after it needs end here, so that no register carries them round. */
void flattener::end_lives()
{
    slot_set carried(f, slots);
    carried.find_live();
    SmallVector<AllocaInst *, 32> own(slots.begin(), slots.end());
    build_chain();
    for (auto [made, to] : stubs) {
        for (unsigned i = 0; i < carried.size(); ++i) {
            if (!carried.is_live_in(i, to)) {
                Type *type = carried.at(i)->getAllocatedType();
                new StoreInst(PoisonValue::get(type), carried.at(i), made->getTerminator()->getIterator());
            }
        }
    }
    slot_set(f, own).coalesce();
}

/* The only back edge. With gates every lane that entered stays for the votes until all are done. */
void flattener::build_latch()
{
    b.SetInsertPoint(joins[gathers.size()]);
    b.SetCurrentDebugLocation(plan.outer->getStartLoc());
    Value *here = b.CreateLoad(b.getInt32Ty(), pc, "div.pc");
    Value *goes_on = b.CreateICmpULT(here, b.getInt32(gathers.size()), "div.more");
    if (mask) {
        Value *left = emit_ballot(b, mask, goes_on);
        b.CreateStore(left, alive);
        goes_on = b.CreateICmpNE(left, b.getInt32(0), "div.any");
    }
    BasicBlock *out = BasicBlock::Create(f.getContext(), "div.exit", &f);
    b.CreateCondBr(goes_on, joins[0], out);
    joins.push_back(out);
}

void flattener::build_exits()
{
    b.SetInsertPoint(joins.back());
    b.SetCurrentDebugLocation(plan.outer->getStartLoc());
    if (exits.empty()) { /* a loop without end */
        b.CreateUnreachable();
        return;
    }
    Value *here = b.CreateLoad(b.getInt32Ty(), pc, "div.pc");
    SwitchInst *ways = b.CreateSwitch(here, exits.back(), exits.size() - 1);
    for (unsigned i = 0; i + 1 < exits.size(); ++i) {
        ways->addCase(b.getInt32(gathers.size() + i), exits[i]);
    }
}

void flattener::build_chain()
{
    pc = slot(b.getInt32Ty(), "div.pc.slot");
    b.SetInsertPoint(entry->getTerminator());
    b.CreateStore(b.getInt32(0), pc);
    if (!gates.empty()) {
        mask = emit_active_mask(b);
        alive = slot(b.getInt32Ty(), "div.alive");
        b.CreateStore(mask, alive);
    }
    for (unsigned k = 0; k <= gathers.size(); ++k) {
        const char *name = k == 0 ? "div.head" : k == gathers.size() ? "div.latch" : "div.join";
        joins.push_back(BasicBlock::Create(f.getContext(), name, &f, gathers[std::min<size_t>(k, gathers.size() - 1)]));
    }
    rewire();
    find_codes();
    for (unsigned k = 0; k < gathers.size(); ++k) {
        build_guard(k);
    }
    build_latch();
    build_exits();
    entry->getTerminator()->replaceSuccessorWith(plan.outer->getHeader(), joins[0]);
}

void flattener::mark_loop()
{
    LLVMContext &context = f.getContext();
    auto note = [&](const char *text) { return MDNode::get(context, MDString::get(context, text)); };
    MDNode *id = MDNode::getDistinct(context, {nullptr, note("llvm.loop.unroll.disable"), note(MARK)});
    if (mask) {
        id = MDNode::getDistinct(context, {nullptr, note("llvm.loop.unroll.disable"), note(MARK), note(DELAYED)});
    }
    id->replaceOperandWith(0, id);
    joins[gathers.size()]->getTerminator()->setMetadata(LLVMContext::MD_loop, id);
}

void flattener::promote()
{
    DominatorTree tree(f);
    SmallVector<AllocaInst *, 32> live;
    for (AllocaInst *made : slots) {
        if (made->use_empty()) {
            made->eraseFromParent();
        } else if (isAllocaPromotable(made)) {
            live.push_back(made);
        }
    }
    PromoteMemToReg(live, tree);
}

flatten_result flattener::run()
{
    order_blocks();
    find_gathers();
    demote();
    copy_steps();
    end_lives();
    mark_loop();
    flatten_result result;
    result.n_gathers = gathers.size() - 1;
    result.n_exits = exits.size();
    result.n_slots = slots.size();
    promote();
    return result;
}

} // namespace

flatten_result flatten(Function &f, const flatten_plan &plan, LoopInfo &loops)
{
    return flattener(f, plan, loops).run();
}

bool is_flattened(const Loop &loop)
{
    return findOptionMDForLoop(&loop, MARK) != nullptr;
}

bool is_delayed(const Loop &loop)
{
    return findOptionMDForLoop(&loop, DELAYED) != nullptr;
}

} // namespace divergence
