#include "trips.h"

#include "cost.h"
#include "profile_data.h"

using namespace llvm;

namespace divergence
{

double warp_turns(const Loop &loop, ScalarEvolution &evolution)
{
    if (auto recorded = recorded_trips(*loop.getHeader()->getParent(), loop)) {
        return longest_mean(*recorded);
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
