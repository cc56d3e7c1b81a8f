"""
Iteration delaying and branch distribution on a GPU: the synthetic kernels of divergence/benchmarks over their cells.

    gpu_branches.py prepare FOLDER   compile every cell: as it is, as the model wants, recording; with records once they are there
    gpu_branches.py run FOLDER       run what is in FOLDER on the GPU, results compared bit by bit; print the table
    gpu_branches.py record FOLDER    run the recording kernels
    gpu_branches.py all FOLDER       prepare, record, prepare, run: on a machine with both LLVM and a GPU

The steps are apart because machines with a GPU need not have LLVM. Under 2 minutes on the GPU.
"""
import argparse
import subprocess
import sys
from pathlib import Path

from common import ROOT, save, table, today

SOURCES = ROOT / "divergence" / "benchmarks"
THREADS, BLOCK = 132 * 2048, 256
PROBABILITIES = (0.03, 0.1, 0.25, 0.5)
# Kernel, macros, iterations, what a, b, ... are, passes for the forced builds.
DELAY = {"kernel": "delay", "n": 384, "floats": ("0.75", "0.3"), "forced": ["iteration-delay<threshold=%d>" % h for h in (4, 8, 16, 24)]}
DISTRIBUTE = {"kernel": "distribute", "n": 384, "floats": ("0.75", "0.3", "0.6", "0.2"), "forced": ["branch-distribute"]}
SHAPES = [
    (DELAY, "64:16", {"DEAR": 64, "CHEAP": 16}), (DELAY, "256:16", {"DEAR": 256, "CHEAP": 16}),
    (DELAY, "256:64", {"DEAR": 256, "CHEAP": 64}), (DELAY, "64:64", {"DEAR": 64, "CHEAP": 64}),
    (DISTRIBUTE, "2 own, 64 alike", {"OWN": 2, "ALIKE": 64}), (DISTRIBUTE, "8 own, 8 alike", {"OWN": 8, "ALIKE": 8}),
    (DISTRIBUTE, "32 own, 32 alike", {"OWN": 32, "ALIKE": 32}), (DISTRIBUTE, "64 own, 16 alike", {"OWN": 64, "ALIKE": 16}),
]
# Where gains are known to be: the smallest that counts.
GOALS = {("256:16", 0.03): 1.3, ("256:16", 0.1): 1.3, ("256:16", 0.25): 1.3, ("256:64", 0.1): 1.3,
         **{("2 own, 64 alike", p): 1.2 for p in PROBABILITIES}}
FLOOR = 0.97


def stem(shape):
    kind, _, macros = shape
    return "_".join([kind["kernel"], *map(str, macros.values())])


def call(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=300)
    if done.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done


def compile_shape(tools, folder, shape):
    kind, _, macros = shape
    source = SOURCES / f"{kind['kernel']}.cu"
    start = [tools / "corpuscle-divcc", source, *(f"-D{k}={v}" for k, v in macros.items())]
    name = folder / stem(shape)
    call(*start, "-o", f"{name}.base.cubin", "--passes", "none")
    call(*start, "-o", f"{name}.auto.cubin", "--remarks", f"{name}.auto.txt")
    call(*start, "-o", f"{name}.record.cubin", "--profile")
    for k, passes in enumerate(kind["forced"]):
        call(*start, "-o", f"{name}.forced{k}.cubin", "--passes", passes)
    for p in PROBABILITIES:
        record = Path(f"{name}.p{p}.profile")
        if record.exists():
            remarks = record.with_suffix(".txt")
            remarks.unlink(missing_ok=True)
            call(*start, "-o", record.with_suffix(".cubin"), "--profile-use", record, "--remarks", remarks)


def launch(tools, shape, p, files, *more):
    kind = shape[0]
    words = [f"--arg=buf:{4 * THREADS}", f"--arg=u32={kind['n']}", f"--arg=u32={int(p * 2**32)}",
             *(f"--arg=f32={x}" for x in kind["floats"])]
    words = [part for word in words for part in word.split("=", 1)]
    return call(tools / "corpuscle-divrun", *files, "--kernel", kind["kernel"], "--grid", THREADS // BLOCK, "--block", BLOCK,
                *words, *more)


def record(tools, folder):
    for shape in SHAPES:
        for p in PROBABILITIES:
            name = folder / stem(shape)
            out = Path(f"{name}.p{p}.profile")
            out.unlink(missing_ok=True)
            launch(tools, shape, p, [f"{name}.record.cubin"], "--repeat", 1, "--profile", out)


def run_cell(tools, folder, shape, p):
    """Speed-ups over the base by build, whether every result is the same, and the base's time."""
    name = folder / stem(shape)
    builds = {"auto": f"{name}.auto.cubin", "recorded": f"{name}.p{p}.cubin",
              **{f"forced{k}": f"{name}.forced{k}.cubin" for k in range(len(shape[0]["forced"]))}}
    builds = {key: path for key, path in builds.items() if Path(path).exists()}
    done = launch(tools, shape, p, [f"{name}.base.cubin", *builds.values()], "--repeat", 7)
    lines = [line for line in done.stdout.splitlines() if " ms " in line]
    if len(lines) != len(builds) + 1:
        raise SystemExit(f"{name} p={p}: {done.stdout}{done.stderr}")
    speed = {key: float(line.split()[3]) for key, line in zip(builds, lines[1:])}
    return speed, done.returncode == 0, float(lines[0].split()[1])


def run(tools, folder):
    rows, data, failures = [], [], []
    for shape in SHAPES:
        for p in PROBABILITIES:
            speed, is_same, ms = run_cell(tools, folder, shape, p)
            goal = GOALS.get((shape[1], p), FLOOR)
            by_model = {key: x for key, x in speed.items() if not key.startswith("forced")}
            best = max(by_model.values())
            is_right = is_same and best >= goal and min(by_model.values()) >= FLOOR
            failures += [] if is_right else [f"{shape[0]['kernel']} {shape[1]} p={p}"]
            forced = " / ".join(f"{x:.2f}" for key, x in speed.items() if key.startswith("forced"))
            cells = [f"{by_model[key]:.2f}" if key in by_model else "-" for key in ("auto", "recorded")]
            rows.append([shape[0]["kernel"], shape[1], p, f"{ms:.3f}", *cells, forced, goal, "ok" if is_right else "FAILED"])
            data.append({"kernel": shape[0]["kernel"], "shape": shape[1], "p": p, "base_ms": ms, "same": is_same, **speed})
    text = table(["kernel", "shape", "p", "base ms", "auto", "recorded", "forced", "goal", ""], rows)
    print(text)
    head = "Speed-ups over the same compiler without the pass; forced: thresholds 4 / 8 / 16 / 24 for delay"
    facts = {"date": today(), "failed": failures or "nothing"}
    for path in save(folder, "branches", "Iteration delaying and branch distribution, synthetic", facts, [(head, text)],
                     {"cells": data}):
        print(path, file=sys.stderr)
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["prepare", "record", "run", "all"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tools", type=Path, default=ROOT / "build", help="folder with corpuscle-divcc and corpuscle-divrun")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    steps = ["prepare", "record", "prepare", "run"] if args.what == "all" else [args.what]
    code = 0
    for step in steps:
        if step == "prepare":
            for shape in SHAPES:
                compile_shape(args.tools.resolve(), args.folder, shape)
        elif step == "record":
            record(args.tools.resolve(), args.folder)
        else:
            code = run(args.tools.resolve(), args.folder)
    return code


if __name__ == "__main__":
    sys.exit(main())
