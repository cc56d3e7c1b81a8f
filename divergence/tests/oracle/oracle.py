"""
CPU oracle of the divergence passes: kernels written for one lane are compiled for the host, once as they are and once with passes
forced, and run on 32 lanes; every word of memory must be the same.

    oracle.py --tools BIN --plugin SO --compare PROGRAM FILE.c ...      hand-written kernels
    oracle.py ... --fuzz N [--seed S]                                   N random nests

The last line is "N kernels, N transforms made, N decided on a record, N wrong".
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import nests  # noqa: E402

BATCH = 40
CLANG = ["-O2", "-fPIC", "-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops", "-ffp-contract=off",
         "-fno-math-errno", "-w", "-emit-llvm", "-c"]
CLEAN = "instcombine<no-verify-fixpoint>,gvn,adce"
PROFILED = "branch-distribute,loop-simplify,loop-merge,loop-simplify,iteration-delay"
VARIANTS = {
    "merge": "loop-merge<force;steps=1>",
    "merge-steps": "loop-merge<force;steps=3>",
    "merge-part": "loop-merge<force;steps=2;depth=1>",
    "merge-refill": "loop-merge<force;steps=2;refill=5;patience=9>",
    "delay": "iteration-delay<force;threshold=6;patience=5>",
    "delay-turns": "iteration-delay<force;threshold=5;steps=3;patience=7>",
    "distribute": "branch-distribute<force>",
    "all": "branch-distribute<force>,loop-merge<force;steps=2>,loop-simplify,iteration-delay<force;threshold=3>",
}


class Oracle:
    def __init__(self, args, folder):
        self.args, self.folder = args, folder
        self.n_kernels = self.n_made = self.n_wrong = self.n_recorded = 0

    def call(self, *command, may_fail=False):
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True, timeout=300)
        if done.returncode != 0 and not may_fail:
            sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
        return done

    def tool(self, name):
        return Path(self.args.tools) / name

    def library(self, bitcode, name):
        out = self.folder / f"{name}.so"
        self.call(self.tool("clang"), "-O0", "-fPIC", "-shared", "-w", bitcode, "-o", out, "-lm")  # as the passes left it
        return out

    def wrong(self, source, name, why):
        self.n_wrong += 1
        kept = Path(f"{source.stem}-{name}.c").absolute()
        kept.write_text(source.read_text())
        print(f"WRONG {source.name} {name}: {why}\n  kept as {kept}")

    def opt(self, before, after, passes, remarks, *options):
        remarks.unlink(missing_ok=True)
        return self.call(self.tool("opt"), f"-load-pass-plugin={self.args.plugin}", "-divergence-all-functions",
                         f"-divergence-remarks={remarks}", "-verify-each", *options, f"-passes={passes}", before, "-o", after,
                         may_fail=True)

    def record(self, before, base, source):
        """Instrumented code computes the same, and the model's own choice with its record does too."""
        after, remarks, record = (self.folder / f"record.{end}" for end in ("bc", "txt", "divprofile"))
        number = "function(loop-simplify),divergence-sites"
        done = self.opt(before, after, f"{number},divergence-record", remarks)
        if done.returncode == 0:
            done = self.call(self.args.compare, base, self.library(after, "record"), record, may_fail=True)
        if done.returncode != 0:
            self.wrong(source, "record", done.stdout + done.stderr[:3000])
            return
        chosen = f"{number},function({PROFILED},{CLEAN})"
        self.compare(source, "profiled", base, after, remarks,
                     self.opt(before, after, chosen, remarks, f"-divergence-profile={record}"))

    def compare(self, source, name, base, after, remarks, done):
        if done.returncode != 0 or "holds no record" in done.stderr:
            self.wrong(source, name, "opt failed\n" + done.stderr[:3000])
            return
        text = remarks.read_text() if remarks.exists() else ""
        self.n_made += len(re.findall(r": (?:merged|delayed|distributed) \(", text))
        self.n_recorded += len(re.findall(r"(?:trip counts|branch): recorded", text))
        result = self.call(self.args.compare, base, self.library(after, name), may_fail=True)
        if result.returncode != 0:
            self.wrong(source, name, result.stdout + result.stderr)
        else:
            self.n_kernels += int(result.stdout.split()[0])

    def check(self, source):
        before = self.folder / "before.bc"
        self.call(self.tool("clang"), *CLANG, source, "-o", before)
        base = self.library(before, "base")
        for name, passes in VARIANTS.items():
            if self.args.only and name not in self.args.only:
                continue
            after, remarks = self.folder / f"{name}.bc", self.folder / f"{name}.txt"
            self.compare(source, name, base, after, remarks,
                         self.opt(before, after, f"function(loop-simplify,{passes},{CLEAN})", remarks))
        if not self.args.only:
            self.record(before, base, source)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", required=True, help="folder with clang and opt of LLVM 19")
    parser.add_argument("--plugin", required=True)
    parser.add_argument("--compare", required=True)
    parser.add_argument("--fuzz", type=int, default=0, help="number of random nests")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="*", help="variants")
    parser.add_argument("files", nargs="*")
    args = parser.parse_args()
    if args.fuzz and os.environ.get("CRP_TEST_LONG"):
        args.fuzz = max(args.fuzz, 10000)
    with tempfile.TemporaryDirectory() as folder:
        oracle = Oracle(args, Path(folder))
        for name in args.files:
            oracle.check(Path(name))
        for first in range(0, args.fuzz, BATCH):
            source = oracle.folder / f"nests-{args.seed}-{first}.c"
            source.write_text(nests.program(f"{args.seed}:{first}", min(BATCH, args.fuzz - first)))
            oracle.check(source)
            done = first + BATCH
            if done % 1000 == 0:
                print(f"{done} nests, {oracle.n_wrong} wrong", flush=True)
    print(f"{oracle.n_kernels} kernels, {oracle.n_made} transforms made, {oracle.n_recorded} decided on a record, "
          f"{oracle.n_wrong} wrong")
    blind = oracle.n_made == 0 or (oracle.n_recorded == 0 and not args.only)
    return 1 if oracle.n_wrong or blind else 0


if __name__ == "__main__":
    sys.exit(main())
