#include "trips.h"

#include "cost.h"
#include "profile_data.h"

using namespace llvm;

namespace divergence
{

double warp_turns(const Loop &loop, ScalarEvolution &evolution)
{
    const Function &f = *loop.getHeader()->getParent();
    if (auto recorded = recorded_trips(f, loop)) {
        return longest_mean(*recorded);
    }
    if (was_passed_by(f, loop)) {
        return 0.0;
    }
    unsigned n = evolution.getSmallConstantTripCount(&loop);
    return n == 0 ? 8.0 : (double)n;
}

double turn_cost(const Loop &loop, const LoopInfo &loops, ScalarEvolution &evolution)
{
    double sum = 0.0;
    for (BasicBlock *block : loop.blocks()) {
        sum += loops.getLoopFor(block) == &loop ? block_cost(*block) : 0.0;
    }
    for (Loop *sub : loop.getSubLoops()) {
        sum += warp_turns(*sub, evolution) * turn_cost(*sub, loops, evolution);
    }
    return sum;
}

} // namespace divergence
