#include "remarks.h"

#include "settings.h"

#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdarg>
#include <set>

using namespace llvm;

namespace divergence
{

std::string format(const char *text, ...)
{
    char line[1000];
    va_list args;
    va_start(args, text);
    vsnprintf(line, sizeof line, text, args);
    va_end(args);
    return line;
}

std::string place_name(const Function &f, const DebugLoc &where)
{
    if (where && where.getLine() != 0) {
        StringRef file = where->getScope()->getFilename();
        return file.str() + ":" + std::to_string(where.getLine()) + ":" + std::to_string(where.getCol());
    }
    if (const DISubprogram *sub = f.getSubprogram()) {
        return sub->getFilename().str() + ":" + std::to_string(sub->getLine()) + ":1";
    }
    return sys::path::filename(f.getParent()->getSourceFileName()).str() + ": " + f.getName().str();
}

static void write_line(const std::string &line)
{
    const std::string &path = settings().remarks;
    static std::set<std::string> written; /* a loop may be looked at more than once */
    if (path.empty() || !written.insert(line).second) {
        return;
    }
    if (path == "-") {
        errs() << line << "\n";
        return;
    }
    std::error_code error;
    raw_fd_ostream out(path, error, sys::fs::OF_Append | sys::fs::OF_Text);
    if (error) {
        errs() << "divergence: cannot write " << path << ": " << error.message() << "\n";
        return;
    }
    out << line << "\n";
}

void remark(Function &f, place at, StringRef pass, verdict v, const std::string &text)
{
    write_line(place_name(f, at.where) + ": " + pass.str() + ": " + text);
    OptimizationRemarkEmitter emitter(&f);
    const BasicBlock *block = at.block ? at.block : &f.getEntryBlock();
    DiagnosticLocation location(at.where);
    std::string name = pass.str(); /* the emitter keeps the pointer */
    if (v == verdict::done) {
        emitter.emit(OptimizationRemark(name.c_str(), "Done", location, block) << text);
    } else if (v == verdict::declined) {
        emitter.emit(OptimizationRemarkMissed(name.c_str(), "NotDone", location, block) << text);
    } else {
        emitter.emit(OptimizationRemarkAnalysis(name.c_str(), "Analysis", location, block) << text);
    }
}

} // namespace divergence
