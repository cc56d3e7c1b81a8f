/** Does a branch follow random numbers? Then lanes part there, recorded or not. */
#ifndef DIVERGENCE_RANDOMNESS_H
#define DIVERGENCE_RANDOMNESS_H

#include "llvm/IR/Value.h"

namespace divergence
{

/**
 * Is `condition` computed from what a random number generator or a hash function makes? Both mix bits: x ^ x >> n, x ^
 * x << n, and products with large constants (splitmix, PCG, Philox, xorwow, LCG, Murmur). Two such steps among the 200
 * instructions behind the condition count as yes. Says nothing of probabilities, only that lanes are independent.
 */
bool is_random(const llvm::Value *condition);

} // namespace divergence

#endif
