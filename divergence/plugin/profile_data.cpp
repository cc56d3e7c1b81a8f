#include "profile_data.h"

#include "remarks.h"
#include "settings.h"
#include "sites.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>
#include <vector>

using namespace llvm;

namespace divergence
{

/* The values of one site: [warp][lane] -> list. */
using lane_values = std::vector<uint16_t>;

static const uint16_t *find_record(const MemoryBuffer &file, uint64_t hash)
{
    const char *data = file.getBufferStart();
    const size_t n_bytes = RECORD_WORDS * sizeof(uint16_t);
    for (size_t at = 0; at + n_bytes <= file.getBufferSize(); at += n_bytes) {
        uint64_t found;
        memcpy(&found, data + at + 8, sizeof found);
        if (memcmp(data + at, "crpdiv2", 8) == 0 && found == hash) {
            return reinterpret_cast<const uint16_t *>(data + at);
        }
    }
    return nullptr;
}

/* The file is read once; a module whose hash it does not hold is told once. */
static const uint16_t *record_for(const Module &m)
{
    static std::unique_ptr<MemoryBuffer> file;
    static uint64_t known_hash = 0;
    static const uint16_t *known = nullptr;
    if (settings().profile.empty()) {
        return nullptr;
    }
    uint64_t hash = sites_hash(m);
    if (file && hash == known_hash) {
        return known;
    }
    if (!file) {
        auto opened = MemoryBuffer::getFile(settings().profile);
        if (!opened) {
            errs() << "divergence: cannot read " << settings().profile << ": " << opened.getError().message() << "\n";
            file = MemoryBuffer::getMemBuffer("");
        } else {
            file = std::move(*opened);
        }
    }
    known_hash = hash;
    known = find_record(*file, hash);
    if (!known) {
        errs() << "divergence: " << settings().profile << " holds no record of " << m.getSourceFileName()
               << " (the source or its options changed since) record again\n";
    }
    return known;
}

static lane_values values_of(const uint16_t *record, unsigned site, unsigned warp, unsigned lane)
{
    size_t cell = RECORD_HEADER + (((size_t)site * RECORD_WARPS + warp) * RECORD_LANES + lane) * RECORD_CELL;
    unsigned n = std::min<unsigned>(record[cell], RECORD_VALUES);
    return lane_values(record + cell + 1, record + cell + 1 + n);
}

/* Rows of 32 lanes, one row a visit, warps behind one another (`warps`: where a further one begins); `ended` where a
 * lane had no further visit. */
template <typename Word>
static std::vector<std::vector<Word>> rows_of(const uint16_t *record, unsigned site, Word ended,
                                              std::vector<size_t> *warps)
{
    std::vector<std::vector<Word>> rows;
    for (unsigned warp = 0; warp < RECORD_WARPS; ++warp) {
        size_t first = rows.size();
        if (warps && first > 0 && (warps->empty() || warps->back() != first)) {
            warps->push_back(first);
        }
        for (unsigned lane = 0; lane < RECORD_LANES; ++lane) {
            lane_values values = values_of(record, site, warp, lane);
            for (size_t k = 0; k < values.size(); ++k) {
                if (first + k == rows.size()) {
                    rows.push_back(std::vector<Word>(RECORD_LANES, ended));
                }
                rows[first + k][lane] = (Word)(values[k] - 1); /* one was added, so that zero is nothing */
            }
        }
    }
    return rows;
}

/* The last warps may not have come there. */
static void drop_empty_end(std::vector<size_t> &warps, size_t n_rows)
{
    if (!warps.empty() && warps.back() == n_rows) {
        warps.pop_back();
    }
}

std::optional<trip_trace> recorded_trips(const Function &f, const Loop &loop)
{
    const uint16_t *record = record_for(*f.getParent());
    auto site = loop_site(*loop.getHeader());
    if (!record || !site) {
        return std::nullopt;
    }
    trip_trace t;
    t.trips = rows_of<uint16_t>(record, *site, 0xffff, &t.warps);
    drop_empty_end(t.warps, t.trips.size());
    memcpy(&t.n_launched, record + RECORD_LAUNCHED + 2 * *site, sizeof t.n_launched);
    return t.trips.empty() ? std::nullopt : std::optional<trip_trace>(t);
}

static bool has_values(const uint16_t *record, unsigned site)
{
    const uint16_t *first = record + RECORD_HEADER + (size_t)site * RECORD_WARPS * RECORD_LANES * RECORD_CELL;
    for (unsigned cell = 0; cell < RECORD_WARPS * RECORD_LANES; ++cell) {
        if (first[(size_t)cell * RECORD_CELL] != 0) {
            return true;
        }
    }
    return false;
}

bool was_passed_by(const Function &f, const Loop &loop)
{
    const uint16_t *record = record_for(*f.getParent());
    auto site = loop_site(*loop.getHeader());
    if (!record || !site || has_values(record, *site)) {
        return false;
    }
    return any_of(f, [&](const BasicBlock &block) {
        auto one = loop_site(block), other = branch_site(block);
        return (one && has_values(record, *one)) || (other && has_values(record, *other));
    });
}

std::optional<branch_trace> recorded_branches(const Function &f, const BasicBlock &block)
{
    const uint16_t *record = record_for(*f.getParent());
    auto site = branch_site(block);
    if (!record || !site) {
        return std::nullopt;
    }
    branch_trace t;
    t.dear = rows_of<uint8_t>(record, *site, 2, &t.warps);
    drop_empty_end(t.warps, t.dear.size());
    return t.dear.empty() ? std::nullopt : std::optional<branch_trace>(t);
}

} // namespace divergence
