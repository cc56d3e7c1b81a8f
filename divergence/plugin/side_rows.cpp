/* Sides of a branch as rows of items. */
#include "align.h"
#include "cost.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IntrinsicInst.h"

#include <algorithm>
#include <cmath>

using namespace llvm;

namespace divergence
{

bool is_hint(const Instruction &i)
{
    if (i.isDebugOrPseudoInst() || i.isLifetimeStartOrEnd()) {
        return true;
    }
    const auto *call = dyn_cast<IntrinsicInst>(&i);
    return call && (call->getIntrinsicID() == Intrinsic::assume ||
                    call->getIntrinsicID() == Intrinsic::experimental_noalias_scope_decl);
}

double loop_factor(const BasicBlock *block, unsigned depth, const LoopInfo &loops)
{
    unsigned deeper = loops.getLoopDepth(block) - std::min(depth, loops.getLoopDepth(block));
    return std::pow(8.0, std::min(deeper, 3u));
}

item_row straight_row(BasicBlock *block, double factor)
{
    item_row row;
    for (Instruction &i : *block) {
        if (i.isTerminator() || is_hint(i)) {
            continue;
        }
        item made;
        made.what = isa<PHINode>(i) ? item::phi : item::instruction;
        made.at = &i;
        made.cost = factor * instruction_cost(i);
        made.is_safe = isa<PHINode>(i) || isSafeToSpeculativelyExecute(&i);
        row.push_back(made);
    }
    return row;
}

static void add_straight(BasicBlock *block, double factor, item_row &row)
{
    item_row more = straight_row(block, factor);
    row.insert(row.end(), more.begin(), more.end());
}

/* Blocks between the end of `block` and `after`; false if they are too many, or a loop that begins elsewhere. */
static bool collect_region(BasicBlock *block, BasicBlock *after, item &out)
{
    SmallPtrSet<BasicBlock *, 16> seen;
    SmallVector<BasicBlock *, 16> stack(successors(block));
    while (!stack.empty()) {
        BasicBlock *at = stack.pop_back_val();
        if (at == after || !seen.insert(at).second) {
            continue;
        }
        out.is_loop |= at == block;
        if (seen.size() > 500) {
            return false;
        }
        stack.append(succ_begin(at), succ_end(at));
    }
    ReversePostOrderTraversal<Function *> order(block->getParent());
    for (BasicBlock *at : order) {
        if (seen.count(at)) {
            out.blocks.push_back(at);
        }
    }
    return !out.is_loop || out.blocks.front() == block;
}

static bool add_link(BasicBlock *block, BasicBlock *next, unsigned depth, const LoopInfo &loops, side &out)
{
    item end;
    end.at = block->getTerminator();
    end.after = next;
    if (block->getUniqueSuccessor() == next && isa<BranchInst>(end.at) && cast<BranchInst>(end.at)->isUnconditional()) {
        end.what = item::edge;
        end.is_safe = true;
        add_straight(block, loop_factor(block, depth, loops), out.row);
        out.row.push_back(end);
        return true;
    }
    end.what = item::region;
    if (!collect_region(block, next, end)) {
        return false;
    }
    if (!end.is_loop) {
        add_straight(block, loop_factor(block, depth, loops), out.row);
        end.cost = instruction_cost(*end.at);
    }
    for (BasicBlock *inner : end.blocks) {
        end.cost += loop_factor(inner, depth, loops) * block_cost(*inner);
    }
    out.row.push_back(end);
    return true;
}

std::optional<side> find_side(BasicBlock *branch, BasicBlock *first, BasicBlock *join, const DominatorTree &tree,
                              const PostDominatorTree &post, const LoopInfo &loops)
{
    side out;
    out.first = first;
    if (first == join || first->getSinglePredecessor() != branch) {
        return std::nullopt;
    }
    unsigned depth = loops.getLoopDepth(branch);
    for (BasicBlock *block = first; block != join;) {
        const auto *node = post.getNode(block);
        BasicBlock *next = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
        if (!next || !add_link(block, next, depth, loops, out)) {
            return std::nullopt;
        }
        const item &last = out.row.back();
        if (!last.is_loop) {
            out.blocks.push_back(block);
        }
        out.blocks.append(last.blocks.begin(), last.blocks.end());
        block = next;
    }
    SmallPtrSet<BasicBlock *, 16> seen; /* a block in two regions: one of them has a second entry */
    for (BasicBlock *block : out.blocks) {
        if (!tree.dominates(first, block) || block == branch || block == join || !seen.insert(block).second) {
            return std::nullopt;
        }
    }
    for (const item &i : out.row) {
        out.cost += i.cost;
    }
    return out;
}

} // namespace divergence
