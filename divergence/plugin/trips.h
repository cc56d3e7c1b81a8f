/**
 * What is known or assumed about the turns of loops: for costs of loops that stay as they are, and for nests.
 */
#ifndef DIVERGENCE_TRIPS_H
#define DIVERGENCE_TRIPS_H

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"

namespace divergence
{

/** Turns of a warp in a loop, those of its longest lane: as recorded (none where no lane came), else the constant
 * count, else 8. */
double warp_turns(const llvm::Loop &loop, llvm::ScalarEvolution &evolution);

/** Issue slots of one turn of a loop, with all turns of the loops inside. */
double turn_cost(const llvm::Loop &loop, const llvm::LoopInfo &loops, llvm::ScalarEvolution &evolution);

} // namespace divergence

#endif
