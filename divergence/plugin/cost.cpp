#include "cost.h"

#include "llvm/ADT/bit.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include <algorithm>
#include <cmath>
#include <optional>

using namespace llvm;

namespace divergence
{

static double call_cost(const CallBase &call)
{
    if (const auto *assembly = dyn_cast<InlineAsm>(call.getCalledOperand())) {
        return 1.0 + StringRef(assembly->getAsmString()).count(';');
    }
    const Function *callee = call.getCalledFunction();
    if (!callee || !callee->isIntrinsic()) {
        return 40.0;
    }
    if (isa<DbgInfoIntrinsic>(call) || call.isLifetimeStartOrEnd() || callee->getIntrinsicID() == Intrinsic::assume) {
        return 0.0;
    }
    StringRef name = callee->getName();
    for (const char *special : {"sqrt", "sin", "cos", "exp", "log", "pow", "ex2", "lg2", "rcp", "div"}) {
        if (name.contains(special)) {
            return name.contains("approx") ? 4.0 : 10.0;
        }
    }
    return name.contains("sreg") ? 0.0 : 1.0;
}

double instruction_cost(const Instruction &i)
{
    if (isa<PHINode>(i) || isa<BitCastInst>(i) || isa<AllocaInst>(i) || i.isDebugOrPseudoInst()) {
        return 0.0;
    }
    if (const auto *call = dyn_cast<CallBase>(&i)) {
        return call_cost(*call);
    }
    if (isa<AtomicRMWInst>(i) || isa<AtomicCmpXchgInst>(i)) {
        return 8.0;
    }
    if (isa<LoadInst>(i) || isa<StoreInst>(i)) {
        return 4.0;
    }
    Type *type = i.getType()->getScalarType();
    double width = type->isDoubleTy() || type->isIntegerTy(64) ? 2.0 : 1.0;
    switch (i.getOpcode()) {
    case Instruction::FDiv:
        return 9.0 * width;
    case Instruction::FRem:
        return 40.0;
    case Instruction::UDiv:
    case Instruction::SDiv:
    case Instruction::URem:
    case Instruction::SRem: /* by a constant: multiply and shift */
        return (isa<Constant>(i.getOperand(1)) ? 4.0 : 18.0) * width;
    case Instruction::GetElementPtr:
    case Instruction::ZExt:
    case Instruction::Trunc:
    case Instruction::AddrSpaceCast:
        return 0.5;
    default:
        return width;
    }
}

double block_cost(const BasicBlock &block)
{
    double sum = 0;
    for (const Instruction &i : block) {
        sum += instruction_cost(i);
    }
    return sum;
}

double arithmetic_share(ArrayRef<BasicBlock *> blocks)
{
    double issue = 0, waits = 0;
    for (const BasicBlock *block : blocks) {
        for (const Instruction &i : *block) {
            issue += instruction_cost(i);
            const Value *pointer = getLoadStorePointerOperand(&i);
            if (pointer && !isa<AllocaInst>(pointer->stripPointerCasts()) &&
                pointer->getType()->getPointerAddressSpace() != 3 &&
                pointer->getType()->getPointerAddressSpace() != 4) {
                waits += 12.0; /* bandwidth, not latency: other warps hide that */
            }
        }
    }
    return issue / std::max(1.0, issue + waits);
}

/* Numbers that are the same in every run: splitmix64. */
static double uniform_number(uint64_t &state)
{
    state += 0x9e3779b97f4a7c15ull;
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

trip_trace make_trace(spread kind, unsigned mean, unsigned n)
{
    trip_trace t;
    uint64_t state = 1;
    for (unsigned visit = 0; visit < n; ++visit) {
        std::vector<uint16_t> lanes(LANES);
        for (uint16_t &trips : lanes) {
            double u = uniform_number(state);
            double x = mean;
            if (kind == spread::uniform) {
                x = 1.0 + std::floor(u * (2.0 * mean - 1.0));
            } else if (kind == spread::geometric) {
                x = 1.0 + std::floor(std::log(1.0 - u) / std::log(1.0 - 1.0 / mean));
            }
            trips = (uint16_t)std::min(x, 60000.0);
        }
        t.trips.push_back(lanes);
    }
    return t;
}

/* First row behind the k-th warp. */
static size_t end_of_warp(const trip_trace &t, size_t k)
{
    return k < t.warps.size() ? t.warps[k] : t.trips.size();
}

static size_t end_of_warp(const branch_trace &t, size_t k)
{
    return k < t.warps.size() ? t.warps[k] : t.dear.size();
}

/* Visits of each lane in rows [first, end), without the gaps of lanes that had ended. */
static std::vector<std::vector<uint16_t>> close_gaps(const trip_trace &t, size_t first, size_t end)
{
    std::vector<std::vector<uint16_t>> rows;
    for (unsigned lane = 0; lane < LANES; ++lane) {
        size_t n = 0;
        for (size_t row = first; row < end; ++row) {
            if (t.trips[row][lane] != 0xffff) {
                if (n == rows.size()) {
                    rows.push_back(std::vector<uint16_t>(LANES, 0xffff));
                }
                rows[n++][lane] = t.trips[row][lane];
            }
        }
    }
    return rows;
}

trip_trace behind_one_another(const trip_trace &t, unsigned warps_held)
{
    const size_t n_warps = t.warps.size() + 1;
    const size_t share = std::clamp<size_t>(t.n_launched / std::max(1u, warps_held), 1, n_warps);
    trip_trace out;
    out.n_launched = t.n_launched;
    for (size_t k = 0, first = 0; k < n_warps; k += share) {
        size_t end = end_of_warp(t, std::min(k + share, n_warps) - 1);
        if (k > 0) {
            out.warps.push_back(out.trips.size());
        }
        auto rows = close_gaps(t, first, end);
        out.trips.insert(out.trips.end(), rows.begin(), rows.end());
        first = end;
    }
    return out;
}

/* Trips of the longest lane in a visit; none when no lane makes it. */
static std::optional<unsigned> longest_of(const std::vector<uint16_t> &lanes)
{
    std::optional<unsigned> longest;
    for (uint16_t trips : lanes) {
        if (trips != 0xffff) {
            longest = std::max<unsigned>(longest.value_or(0), trips);
        }
    }
    return longest;
}

double longest_mean(const trip_trace &t)
{
    double sum = 0.0, n = 0.0;
    for (const auto &lanes : t.trips) {
        if (auto longest = longest_of(lanes)) {
            sum += *longest;
            n += 1.0;
        }
    }
    return n == 0.0 ? 0.0 : sum / n;
}

double nested_cost(const nest_cost &c, const trip_trace &t)
{
    double sum = 0;
    for (const auto &lanes : t.trips) {
        auto longest = longest_of(lanes);
        sum += longest ? c.outer + c.body * *longest : 0.0;
    }
    return sum;
}

namespace
{
struct lane {
    size_t visit = 0;  /* next visit */
    size_t end = 0;    /* behind the last of this warp */
    unsigned left = 0; /* body executions left in this one */
    bool is_in = false;
};
} // namespace

/* Begin a visit; false when the lane has none left. */
static bool begin_visit(lane &l, const trip_trace &t, unsigned index, unsigned others)
{
    if (l.visit >= l.end || t.trips[l.visit][index] == 0xffff) {
        return false;
    }
    l.left = t.trips[l.visit++][index] + others;
    l.is_in = true;
    return true;
}

static bool wants_visit(const lane &l, const trip_trace &t, unsigned index)
{
    return !l.is_in && l.visit < l.end && t.trips[l.visit][index] != 0xffff;
}

static double merged_warp(const nest_cost &c, const trip_trace &t, size_t first, size_t end, unsigned steps,
                          unsigned refill)
{
    lane lanes[LANES];
    std::fill(std::begin(lanes), std::end(lanes), lane{first, end});
    double sum = 0;
    double turn = c.turn + (refill > 1 ? 12.0 : 0.0) + 5.0 * (steps - 1);
    for (;;) {
        unsigned n_waiting = 0, n_in = 0;
        for (unsigned i = 0; i < LANES; ++i) {
            n_waiting += wants_visit(lanes[i], t, i);
            n_in += lanes[i].is_in;
        }
        if (n_waiting + n_in == 0) {
            return sum;
        }
        if (n_waiting > 0 && (n_waiting >= refill || n_in == 0)) {
            sum += c.outer;
            for (unsigned i = 0; i < LANES; ++i) {
                if (!lanes[i].is_in) {
                    begin_visit(lanes[i], t, i, (unsigned)c.others);
                }
            }
        }
        sum += turn;
        bool ends = false;
        for (unsigned s = 0; s < steps; ++s) {
            bool any = false;
            for (lane &l : lanes) {
                if (l.is_in && l.left > 0) {
                    --l.left;
                    any = true;
                }
            }
            sum += any ? c.body : 0.0;
        }
        for (lane &l : lanes) {
            if (l.is_in && l.left == 0) {
                l.is_in = false;
                ends = true;
            }
        }
        sum += ends ? c.end : 0.0;
    }
}

double merged_cost(const nest_cost &c, const trip_trace &t, unsigned steps, unsigned refill)
{
    double sum = 0.0;
    for (size_t k = 0, first = 0; k <= t.warps.size(); ++k) {
        sum += merged_warp(c, t, first, end_of_warp(t, k), steps, refill);
        first = end_of_warp(t, k);
    }
    return sum;
}

branch_trace make_branches(double probability, unsigned n)
{
    branch_trace t;
    uint64_t state = 7;
    for (unsigned k = 0; k < n; ++k) {
        std::vector<uint8_t> lanes(LANES);
        for (uint8_t &dear : lanes) {
            dear = uniform_number(state) < probability ? 1 : 0;
        }
        t.dear.push_back(lanes);
    }
    return t;
}

double branching_cost(const branch_cost &c, const branch_trace &t)
{
    double sum = 0;
    for (const auto &lanes : t.dear) {
        bool any[3] = {false, false, false};
        for (uint8_t way : lanes) {
            any[way] = true;
        }
        sum += any[0] || any[1] ? c.common : 0.0;
        sum += (any[0] ? c.cheap : 0.0) + (any[1] ? c.dear : 0.0);
    }
    return sum;
}

namespace
{
/* A warp in a delayed loop. */
struct delayed_warp {
    const branch_trace &t;
    size_t end;       /* behind the last row of this warp */
    size_t at[LANES]; /* iteration that the lane begins next */
    bool waits[LANES] = {false};

    bool has_more(unsigned i) const
    {
        return at[i] < end && t.dear[at[i]][i] != 2;
    }
    /* The lanes that do not wait begin an iteration; what it costs. */
    double begin(const branch_cost &c)
    {
        bool fresh = false, cheap = false;
        for (unsigned i = 0; i < LANES; ++i) {
            if (!waits[i] && has_more(i)) {
                fresh = true;
                waits[i] = t.dear[at[i]++][i] == 1;
                cheap |= !waits[i];
            }
        }
        return (fresh ? c.common : 0.0) + (cheap ? c.cheap : 0.0);
    }
};
} // namespace

static double delayed_warp_cost(const branch_cost &c, delayed_warp w, unsigned threshold, unsigned patience,
                                unsigned turns)
{
    unsigned age = 0;
    double sum = 0;
    for (;;) {
        double work = 0.0;
        for (unsigned k = 0; k < turns; ++k) {
            work += w.begin(c);
        }
        unsigned n_waiting = 0, n_others = 0;
        for (unsigned i = 0; i < LANES; ++i) {
            n_waiting += w.waits[i];
            n_others += !w.waits[i] && w.has_more(i);
        }
        if (n_waiting + n_others == 0 && work == 0.0) {
            return sum;
        }
        sum += c.turn + work;
        ++age;
        if (n_waiting == 0 || (n_waiting < threshold && n_others > 0 && age <= patience)) {
            age = n_waiting == 0 ? 0 : age;
            continue;
        }
        sum += c.dear;
        age = 0;
        std::fill(std::begin(w.waits), std::end(w.waits), false);
    }
}

double delayed_cost(const branch_cost &c, const branch_trace &t, unsigned threshold, unsigned patience, unsigned turns)
{
    double sum = 0.0;
    for (size_t k = 0, first = 0; k <= t.warps.size(); ++k) {
        delayed_warp w{t, end_of_warp(t, k), {}, {}};
        std::fill(std::begin(w.at), std::end(w.at), first);
        sum += delayed_warp_cost(c, w, threshold, patience, turns);
        first = w.end;
    }
    return sum;
}

} // namespace divergence
