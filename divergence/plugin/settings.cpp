#include "settings.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/CallingConv.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/TargetParser/Triple.h"

using namespace llvm;

namespace divergence
{

static run_settings current;

static cl::opt<std::string, true> remarks_option("divergence-remarks", cl::location(current.remarks),
                                                 cl::desc("file that gets the remarks of the divergence passes"));
static cl::opt<std::string, true> profile_option("divergence-profile", cl::location(current.profile),
                                                 cl::desc("recorded trip counts and branches"));
static cl::opt<bool, true> report_option("divergence-report", cl::location(current.report),
                                         cl::desc("analyse, change nothing"));
static cl::opt<bool, true> all_option("divergence-all-functions", cl::location(current.all_functions),
                                      cl::desc("look at every function, not at kernels only"));
static cl::opt<double, true> margin_option("divergence-margin", cl::location(current.margin),
                                           cl::desc("smallest predicted speed-up that is worth a change"));
static cl::opt<unsigned, true> processors_option("divergence-processors", cl::location(current.processors),
                                                 cl::desc("multiprocessors of the GPU"));

static cl::opt<std::string, true> registers_option("divergence-registers", cl::location(current.registers),
                                                   cl::desc("registers of the kernels without and with the passes"));

const run_settings &settings()
{
    return current;
}

static bool parse_word(StringRef word, pass_settings &out)
{
    auto [key, value] = word.split('=');
    if (value.empty()) {
        if (key == "force") {
            out.force = true;
        } else if (key == "off") {
            out.off = true;
        } else if (key == "assume_convergent_safe") {
            out.convergent_safe = true;
        } else {
            return false;
        }
        return true;
    }
    unsigned number = 0;
    if (value.getAsInteger(10, number) || number > 4096) {
        return false;
    }
    struct {
        const char *name;
        unsigned *field;
    } fields[] = {{"steps", &out.steps},
                  {"depth", &out.depth},
                  {"refill", &out.refill},
                  {"threshold", &out.threshold},
                  {"patience", &out.patience}};
    for (auto &f : fields) {
        if (key == f.name) {
            *f.field = number;
            return true;
        }
    }
    return false;
}

bool parse_settings(StringRef text, pass_settings &out, std::string &error)
{
    SmallVector<StringRef, 8> words;
    text.split(words, ';', -1, false);
    for (StringRef word : words) {
        if (!parse_word(word.trim(), out)) {
            error = "unknown parameter '" + word.str() +
                    "' (known: force, off, steps=N, depth=N, refill=N, threshold=N, patience=N)";
            return false;
        }
    }
    return true;
}

/* One annotation string of a function; unknown ones may belong to other tools. */
static void apply_annotation(StringRef text, StringRef pass, pass_settings &out)
{
    if (!text.consume_front("div.")) {
        return;
    }
    auto [name, parameters] = text.split(':');
    std::string error;
    if (parameters.empty() && name != pass) {
        parse_settings(name, out, error);
    } else if (name == pass || (name == "merge" && pass == "loop-merge")) {
        parse_settings(parameters.empty() ? "force" : parameters, out, error);
    }
}

pass_settings settings_for(const Function &f, StringRef pass, const pass_settings &base)
{
    pass_settings out = base;
    const GlobalVariable *all = f.getParent()->getGlobalVariable("llvm.global.annotations");
    const auto *array = all && all->hasInitializer() ? dyn_cast<ConstantArray>(all->getInitializer()) : nullptr;
    for (unsigned i = 0; array && i < array->getNumOperands(); ++i) {
        const auto *entry = dyn_cast<ConstantStruct>(array->getOperand(i));
        if (!entry || entry->getNumOperands() < 2 || entry->getOperand(0)->stripPointerCasts() != &f) {
            continue;
        }
        const auto *text = dyn_cast<GlobalVariable>(entry->getOperand(1)->stripPointerCasts());
        const auto *data =
            text && text->hasInitializer() ? dyn_cast<ConstantDataArray>(text->getInitializer()) : nullptr;
        if (data && data->isCString()) {
            apply_annotation(data->getAsCString(), pass, out);
        }
    }
    return out;
}

bool may_diverge(UniformityInfo &uniformity, const BasicBlock &block)
{
    return uniformity.hasDivergentTerminator(block) || current.all_functions;
}

bool is_kernel(const Function &f)
{
    if (f.getCallingConv() == CallingConv::PTX_Kernel || f.getCallingConv() == CallingConv::AMDGPU_KERNEL ||
        f.getCallingConv() == CallingConv::SPIR_KERNEL) {
        return true;
    }
    const NamedMDNode *notes = f.getParent()->getNamedMetadata("nvvm.annotations");
    for (unsigned i = 0; notes && i < notes->getNumOperands(); ++i) {
        const MDNode *node = notes->getOperand(i);
        const auto *value =
            node->getNumOperands() >= 2 ? dyn_cast_or_null<ValueAsMetadata>(node->getOperand(0)) : nullptr;
        const auto *key = value ? dyn_cast_or_null<MDString>(node->getOperand(1)) : nullptr;
        if (key && key->getString() == "kernel" && value->getValue()->stripPointerCasts() == &f) {
            return true;
        }
    }
    return false;
}

bool is_wanted(const Function &f)
{
    if (f.isDeclaration() || f.hasOptNone()) {
        return false;
    }
    Triple triple(f.getParent()->getTargetTriple());
    bool is_gpu = triple.isNVPTX() || triple.isAMDGPU();
    return is_gpu || current.all_functions;
}

} // namespace divergence
