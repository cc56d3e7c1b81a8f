"""Several GPUs of one machine: rate, efficiency against one, and the same digest however many there were."""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

from common import EXAMPLES, ROOT, Failed, Program, machine, save, slug, table, today

GOAL = 0.975  # of so many times one GPU: 1.95 times with two


def gpus(program):
    lines = [line.split()[0] for line in program.call("info", "devices").splitlines()]
    return [name for name in lines if name.startswith("cuda:")]


class Case:
    """One model and number of histories, timed on several sets of devices in turn."""

    def __init__(self, program, path, histories):
        self.program, self.path, self.histories = program, path, histories
        self.seconds, self.digests, self.runs = {}, {}, []

    def run(self, name, *arguments, **keywords):
        r = self.program.run(self.path, self.histories, *arguments, timeout=170, **keywords)
        self.seconds.setdefault(name, []).append(r["seconds"])
        self.digests.setdefault(name, set()).add(r["digest"])
        self.runs.append({"model": self.path.stem, "on": name, "seconds": r["seconds"], "wall": self.program.wall,
                          "device": r["device"], "histories": r["histories"], "digest": r["digest"]})
        print(f"  {self.path.stem} on {name}: {r['seconds']:.3f} s, {r['histories'] / r['seconds'] / 1e6:.1f} thousand/ms",
              file=sys.stderr, flush=True)

    def median(self, name):
        return statistics.median(self.seconds[name])


def mpi_prefix(n):
    prefix = ["mpirun", "-n", n, "--oversubscribe"]
    return prefix + (["--allow-run-as-root"] if os.geteuid() == 0 else [])


def measure(program, path, histories, devices, repeats, with_mpi, failures):
    case, n = Case(program, path, histories), len(devices)
    sets = {"one": ["--device", devices[0]], "all": ["--device", "cuda:" + ",".join(d.split(":")[1] for d in devices)]}
    case.program.run(path, max(int(histories / 100), 1000), *sets["all"], timeout=170)  # kernels compiled, GPUs awake
    for _ in range(repeats):
        for name, arguments in sets.items():
            case.run(name, *arguments)
    if with_mpi:
        case.run("ranks", prefix=mpi_prefix(n))
    case.run("last alone", "--device", devices[-1])
    rows, one = [], statistics.median(case.seconds["one"] + case.seconds["last alone"])
    for name in case.seconds:
        used = n if name in ("all", "ranks") else 1
        speedup = one / case.median(name)
        rows.append([path.stem, f"{histories:.0e}", f"{used} ({name})", f"{case.median(name):.3f}",
                     f"{histories / case.median(name) / 1e6:.1f}", f"{speedup:.3f}", f"{100 * speedup / used:.1f} %",
                     ", ".join(sorted(d[:12] for d in case.digests[name]))])
        if name == "all" and speedup / used < GOAL:
            failures.append(f"{path.stem}: {speedup:.3f} times one GPU with {used}, not {GOAL * used:.2f}")
    if len(set().union(*case.digests.values())) != 1:
        failures.append(f"{path.stem}: digests differ: {case.digests}")
    return rows, case.runs


def mixed(program, devices, failures):
    """The CPU beside all GPUs, and a run that goes on with another set: the digest of one GPU."""
    path, n = EXAMPLES / "skin5_633.mci", 20_000_000
    names = "cuda:" + ",".join(d.split(":")[1] for d in devices)
    folder = Path(program.folder.name)
    one = program.run(path, n, "--device", devices[0], timeout=100)
    both = program.run(path, n, "--device", f"cpu+{names}", timeout=100)
    program.run(path, n // 32 * 8, "--device", devices[0], "--batches", 8, "-o", folder / "part.h5", timeout=100)
    resumed = program.run(path, n, "--device", names, "--restart", folder / "part.h5", timeout=100)
    rows = [[name, r["device"][:60], r["digest"][:12], "ok" if r["digest"] == one["digest"] else "FAILED"]
            for name, r in (("one", one), ("CPU and all", both), ("a quarter on one, the rest on all", resumed))]
    failures += [f"{row[0]}: another digest" for row in rows if row[-1] != "ok"]
    return rows


def sanitize(program, devices, failures):
    tool = shutil.which("compute-sanitizer")
    if tool is None:
        return [["memcheck", "compute-sanitizer is not here"]]
    names = "cuda:" + ",".join(d.split(":")[1] for d in devices)
    try:
        program.call("run", EXAMPLES / "skin5_633.mci", "-n", 20000, "--device", names, "-q", timeout=60,
                     prefix=[tool, "--tool", "memcheck", "--error-exitcode", "9"])
        return [["memcheck", f"nothing found on {names}"]]
    except (Failed, OSError, subprocess.SubprocessError) as error:
        failures.append(f"memcheck: {error}")
        return [["memcheck", "FAILED"]]


def parse():
    parser = argparse.ArgumentParser(prog="bench/gpu_multi.py", description=__doc__)
    parser.add_argument("--program", default=os.environ.get("CORPUSCLE", str(ROOT / "build" / "corpuscle")))
    parser.add_argument("--case", action="append", metavar="FILE:N", help="measure these in place of light's skin7 with 3e9")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--devices", help="cuda:0,cuda:1 in place of all; cpu tries the script without a GPU")
    parser.add_argument("--output", type=Path, default=ROOT / "bench" / "results", help="folder for the two result files")
    return parser.parse_args()


def main():
    options = parse()
    program, failures = Program(options.program), []
    program.environment.setdefault("CORPUSCLE_CACHE", os.path.join(program.folder.name, "kernels"))
    devices = options.devices.split(",") if options.devices else gpus(program)
    if len(devices) < 2:
        sys.exit("gpu_multi: fewer than two GPUs are here")
    cases = [(EXAMPLES / "skin7.mci", 3e9)]
    if options.case:
        cases = [(Path(c.rsplit(":", 1)[0]).resolve(), float(c.rsplit(":", 1)[1])) for c in options.case]
    first = program.run(EXAMPLES / "skin5_633.mci", 1000, "--device", devices[0])
    facts = {"date": today(), "program": program.call("--version").strip(), "machine": machine(), "device": first["device"],
             "devices": ", ".join(devices), "commit": first["commit"]}
    with_mpi = shutil.which("mpirun") is not None and Path(options.program).resolve().with_name("libcorpuscle-mpi.so").exists()
    rows, runs = [], []
    for path, histories in cases:
        try:
            more, data = measure(program, path, histories, devices, options.repeats, with_mpi, failures)
            rows, runs = rows + more, runs + data
        except (Failed, OSError, KeyError, ValueError, subprocess.SubprocessError) as error:
            failures.append(f"{path.stem}: {error}")
    sections = [("Rates", table(["model", "histories", "GPUs", "transport (s)", "thousand/ms", "times one", "efficiency",
                                 "digest"], rows))]
    sections.append(("Mixed and resumed", table(["run", "devices", "digest", ""], mixed(program, devices, failures))))
    sections.append(("Sanitizer", table(["tool", "result"], sanitize(program, devices, failures))))
    sections.append(("What failed", "\n".join(f"- {f}" for f in failures) or "None."))
    name = f"{facts['date']}-gpu-multi-{slug(facts['device'].split('(')[-1])}-{facts['commit'][:8]}"
    paths = save(options.output, name, "Several GPUs", facts, sections, {"runs": runs, "failures": failures})
    print("\n".join(f"\n{head}\n{body}" for head, body in sections))
    print("wrote " + " and ".join(map(str, paths)))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
