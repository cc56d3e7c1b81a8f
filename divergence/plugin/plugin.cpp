/* Entry of the plug-in: the names that opt's -passes= knows. */
#include "passes.h"

#include "llvm/IR/DebugInfo.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace divergence;

/* "name" or "name<parameters>". */
static bool matches(StringRef text, StringRef name, pass_settings &out)
{
    if (!text.consume_front(name)) {
        return false;
    }
    if (text.empty()) {
        return true;
    }
    std::string error;
    if (!text.consume_front("<") || !text.consume_back(">") || !parse_settings(text, out, error)) {
        errs() << "divergence: " << name << ": " << (error.empty() ? "parameters go in <...>" : error) << "\n";
        return false;
    }
    return true;
}

template <typename Pass> static bool add(StringRef text, StringRef name, FunctionPassManager &passes)
{
    pass_settings what;
    if (!matches(text, name, what)) {
        return false;
    }
    passes.addPass(Pass(what));
    return true;
}

static bool add_function_pass(StringRef name, FunctionPassManager &passes, ArrayRef<PassBuilder::PipelineElement>)
{
    return add<loop_merge_pass>(name, "loop-merge", passes) ||
           add<iteration_delay_pass>(name, "iteration-delay", passes) ||
           add<branch_distribute_pass>(name, "branch-distribute", passes) ||
           add<persist_pass>(name, "persist", passes) || add<contract_pass>(name, "divergence-contract", passes);
}

static bool add_module_pass(StringRef name, ModulePassManager &passes, ArrayRef<PassBuilder::PipelineElement>)
{
    if (name == "divergence-strip") {
        passes.addPass(strip_pass());
    } else if (name == "divergence-sites") {
        passes.addPass(sites_pass());
    } else if (name == "divergence-record") {
        passes.addPass(record_pass());
    } else {
        return false;
    }
    return true;
}

PreservedAnalyses strip_pass::run(Module &m, ModuleAnalysisManager &)
{
    return StripDebugInfo(m) ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

static void register_all(PassBuilder &builder)
{
    builder.registerPipelineParsingCallback(add_function_pass);
    builder.registerPipelineParsingCallback(add_module_pass);
}

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo llvmGetPassPluginInfo()
{
    return {LLVM_PLUGIN_API_VERSION, "corpuscle-divergence", "0.1", register_all};
}
