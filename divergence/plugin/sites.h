/**
 * Sites: loops and branches of a module, numbered. The numbering is made before any other pass, in the recording
 * compile and in the one that uses the record, and stays with the code as metadata.
 */
#ifndef DIVERGENCE_SITES_H
#define DIVERGENCE_SITES_H

#include "llvm/IR/Module.h"

#include <cstdint>
#include <optional>

namespace divergence
{

/** Layout of the record, in 16-bit words; docs/formats/divprofile.md. */
enum : unsigned {
    RECORD_SITES = 64,    /**< sites that are recorded at most */
    RECORD_LAUNCHED = 32, /**< behind "crpdiv2\0", hash (8 bytes), zero: warps of the grid, 32 bits a site */
    RECORD_HEADER = RECORD_LAUNCHED + 2 * RECORD_SITES,
    RECORD_WARPS = 64, /**< warps, spread over the grid */
    RECORD_LANES = 32,
    RECORD_VALUES = 63, /**< values a lane and site; a count stands in front */
    RECORD_CELL = RECORD_VALUES + 1,
    RECORD_WORDS = RECORD_HEADER + RECORD_SITES * RECORD_WARPS * RECORD_LANES * RECORD_CELL
};

/** Number of the loop whose header this is, or of the branch that ends the block. */
std::optional<unsigned> loop_site(const llvm::BasicBlock &header);
std::optional<unsigned> branch_site(const llvm::BasicBlock &block);

/** This end of a block no longer is the branch or loop that was numbered. */
void drop_sites(llvm::Instruction &end);
/** The number of the loop whose header ends so, to go with the block when its end is replaced; may be null. */
llvm::MDNode *loop_note(const llvm::Instruction &end);
void set_loop_note(llvm::Instruction &end, llvm::MDNode *note);

/** Hash over functions and sites: a record fits a module only if both agree. */
uint64_t sites_hash(const llvm::Module &m);

} // namespace divergence

#endif
