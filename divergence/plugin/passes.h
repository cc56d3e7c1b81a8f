/** The passes, as LLVM's new pass manager wants them. */
#ifndef DIVERGENCE_PASSES_H
#define DIVERGENCE_PASSES_H

#include "settings.h"

#include "llvm/IR/PassManager.h"

namespace divergence
{

/** Merge divergent inner loops with the loops around them. */
struct loop_merge_pass : llvm::PassInfoMixin<loop_merge_pass> {
    explicit loop_merge_pass(const pass_settings &what) : base(what)
    {
    }
    llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &manager);
    static bool isRequired()
    {
        return true;
    }
    pass_settings base;
};

/** Let lanes wait at the dear side of a branch in a loop until there are enough of them. */
struct iteration_delay_pass : llvm::PassInfoMixin<iteration_delay_pass> {
    explicit iteration_delay_pass(const pass_settings &what) : base(what)
    {
    }
    llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &manager);
    static bool isRequired()
    {
        return true;
    }
    pass_settings base;
};

/** Do once what both sides of a divergent branch do alike. */
struct branch_distribute_pass : llvm::PassInfoMixin<branch_distribute_pass> {
    explicit branch_distribute_pass(const pass_settings &what) : base(what)
    {
    }
    llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &manager);
    static bool isRequired()
    {
        return true;
    }
    pass_settings base;
};

/** Give a kernel that treats one item a thread a loop over items. */
struct persist_pass : llvm::PassInfoMixin<persist_pass> {
    explicit persist_pass(const pass_settings &what) : base(what)
    {
    }
    llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &manager);
    static bool isRequired()
    {
        return true;
    }
    pass_settings base;
};
/** Was this kernel made persistent here? */
bool is_persistent(const llvm::Function &f);
/** Warps of it that the GPU holds at once. */
unsigned warps_held(const llvm::Function &f);

/** Fix floating-point contraction, so that moving code changes no rounding. */
struct contract_pass : llvm::PassInfoMixin<contract_pass> {
    explicit contract_pass(const pass_settings &)
    {
    }
    llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &manager);
    static bool isRequired()
    {
        return true;
    }
};

/** Number loops and branches (sites.h). */
struct sites_pass : llvm::PassInfoMixin<sites_pass> {
    llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &manager);
    static bool isRequired()
    {
        return true;
    }
};

/** Make the kernels record trip counts and branches. */
struct record_pass : llvm::PassInfoMixin<record_pass> {
    llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &manager);
    static bool isRequired()
    {
        return true;
    }
};

/** Drop debug information, which is there for the remarks. */
struct strip_pass : llvm::PassInfoMixin<strip_pass> {
    llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &manager);
    static bool isRequired()
    {
        return true;
    }
};

} // namespace divergence

#endif
