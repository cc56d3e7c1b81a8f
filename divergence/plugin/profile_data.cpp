#include "profile_data.h"

using namespace llvm;

namespace divergence
{

std::optional<trip_trace> recorded_trips(const Function &, const Loop &)
{
    return std::nullopt;
}

std::optional<branch_trace> recorded_branches(const Function &, const BasicBlock &)
{
    return std::nullopt;
}

} // namespace divergence
