"""Several GPUs of one machine: rate, efficiency against one, and the same digest however many there were; and one track that
outgrows its GPU, which with --only split is shown on one GPU too."""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import split_track
from common import EXAMPLES, ROOT, Failed, Program, machine, save, slug, table, today

# Efficiency against one GPU: 1.95 times with two.
GOALS = {2: 0.975, 4: 0.98, 8: 0.95}
# A track of 124 thousand radicals (gMicroMC's format), where it is at hand; else a built-in cylinder of radicals.
TRACK = ROOT.parent / "shared" / "data" / "chem" / "electron_750keV.bin"


@dataclass
class Case:
    """What is measured: a model, how many histories, and how often."""

    name: str
    path: Path
    histories: float
    repeats: int
    settings: tuple = ()

    @property
    def arguments(self):
        return [word for setting in self.settings for word in ("--set", setting)]


def gpus(program):
    lines = [line.split()[0] for line in program.call("info", "devices").splitlines()]
    return [name for name in lines if name.startswith("cuda:")]


class Clock:
    """Seconds left of what the script may take."""

    def __init__(self, budget):
        self.end = time.perf_counter() + budget

    def left(self):
        return self.end - time.perf_counter()


def some(devices, n):
    return "cuda:" + ",".join(d.split(":")[1] for d in devices[:n])


def mpi_prefix(n):
    prefix = ["mpirun", "-n", n, "--oversubscribe"]
    return prefix + (["--allow-run-as-root"] if os.geteuid() == 0 else [])


def time_run(program, case, clock, on):
    r = program.run(case.path, case.histories, "--device", on, *case.arguments, "--save-every", "24h", timeout=max(clock.left(), 5))
    run = {"model": case.name, "on": on, "seconds": r["seconds"], "wall": program.wall, "device": r["device"],
           "histories": r["histories"], "digest": r["digest"], "shares": [d["histories"] / r["histories"] for d in r["devices"]]}
    print(f"  {case.name} on {on}: {r['seconds']:.3f} s, {r['histories'] / r['seconds']:.4g} histories/s, "
          f"digest {r['digest'][:12]}, wall {program.wall:.1f} s", file=sys.stderr, flush=True)
    return run


def measure(program, case, devices, counts, clock, failures):
    """Every number of GPUs in turn; more repeats only while there is time."""
    runs = {n: [] for n in counts}
    program.run(case.path, max(case.histories // 100, 1), "--device", some(devices, max(counts)),
                *case.arguments, timeout=max(clock.left(), 5))
    for k in range(case.repeats):
        for n in counts:
            if k > 0 and clock.left() < 1.5 * runs[n][0]["wall"] + 10:
                continue
            runs[n].append(time_run(program, case, clock, some(devices, n)))
    return judge(case, runs, failures), [run for n in counts for run in runs[n]]


def judge(case, runs, failures):
    rows, digests = [], {run["digest"] for n in runs for run in runs[n]}
    seconds = {n: statistics.median(run["seconds"] for run in runs[n]) for n in runs}
    least = min(runs)
    for n in runs:
        speedup = least * seconds[least] / seconds[n]
        first, goal = runs[n][0], GOALS.get(n, 0.95)
        rows.append([case.name, f"{first['histories']:.4g}", n, f"{seconds[n]:.3f}", f"{first['histories'] / seconds[n]:.4g}",
                     f"{speedup:.3f}", f"{100 * speedup / n:.1f} %", f"{first['wall'] - first['seconds']:.2f}",
                     f"{100 * min(first['shares']):.1f} to {100 * max(first['shares']):.1f} %", first["digest"][:12]])
        if n > least and speedup / n < goal * (1 if least == 1 else 0.99):
            failures.append(f"{case.name}: {speedup:.3f} times one GPU with {n}, not {goal * n:.2f}")
    if len(digests) != 1:
        failures.append(f"{case.name}: digests differ: {sorted(digests)}")
    return rows


def tube(program, options, seconds, counts):
    """G(100,100): 101 hits a molecule, and as many as there is time for on every number of GPUs."""
    path = Path(program.folder.name) / "tube.yaml"
    textures = [f"facets.{f}.texture.{k}=100" for f in ("wall", "inlet", "outlet") for k in "uv"] if options.full else []
    settings = [word for s in ["length_over_radius=100", "sides=100", *textures] for word in ("--set", s)]
    program.call("new", "gas-tube", "-o", path, *settings)
    rate = 2.9e9 if options.full else 4.5e9
    return Case("G(100,100)" + (", textures" if options.full else ""), path,
                min(options.hits, rate * max(seconds, 1.0) / sum(1 / n for n in counts)) / 101, 1)


def track(program, options):
    path, n = Path(program.folder.name) / "electron.yaml", 400 if options.full else 200
    if not TRACK.exists():
        print(f"  no {TRACK.name}: the built-in cylinder of radicals in its place", file=sys.stderr)
        program.call("new", "chem-track", "-o", path)
        return Case("cylinder of radicals", path, n, 2)
    path.write_text(f"version: 1\nkind: chem\nname: electron\nsource: {{file: {TRACK}, energy: 750035 eV}}\n")
    return Case("electron, 750 keV", path, n, 2)


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
    parser.add_argument("--gpus", help="numbers of GPUs by comma, 1,2,4; default 1 and all")
    parser.add_argument("--only", choices=["rates", "split"], help="one of the parts")
    parser.add_argument("--case", action="append", metavar="FILE:N", help="measure these instead")
    parser.add_argument("--full", action="store_true", help="all tallies of light, textures on every facet, 400 tracks")
    parser.add_argument("--hits", type=float, default=1e11, help="of the tube, at most")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--budget", type=float, default=170, help="seconds that all may take; what does not fit is left out")
    parser.add_argument("--output", type=Path, default=ROOT / "bench" / "results", help="folder for the two result files")
    return parser.parse_args()


def cases_of(options, program, clock, counts):
    if options.case:
        for text in options.case:
            path, n = text.rsplit(":", 1)
            yield Case(Path(path).stem, Path(path).resolve(), float(n), options.repeats)
        return
    if options.full:
        program.call("convert", EXAMPLES / "skin7.mci", "-o", Path(program.folder.name) / "skin7.yaml")
        yield Case("skin7, all tallies", Path(program.folder.name) / "skin7.yaml", 3e9, options.repeats, ("scores.fluence=true",))
    else:
        yield Case("skin7", EXAMPLES / "skin7.mci", 3e9, options.repeats)
    yield track(program, options)
    yield tube(program, options, clock.left() - 8 * len(counts) - 10, counts)


def checks(program, devices, options, clock, failures):
    """Digests of other ways to run, as far as there is time."""
    sections = []
    if clock.left() > 35:
        sections.append(("Mixed and resumed", table(["run", "devices", "digest", ""], mixed(program, devices, failures))))
    plugin = Path(options.program).resolve().with_name("libcorpuscle-mpi.so")
    if clock.left() > 30 and shutil.which("mpirun") is not None and plugin.exists():
        n, path = len(devices), EXAMPLES / "skin5_633.mci"
        one = program.run(path, 2e8, "--device", devices[0], timeout=30)
        ranks = program.run(path, 2e8, timeout=60, prefix=mpi_prefix(n))
        failures += [] if ranks["digest"] == one["digest"] else ["ranks: another digest"]
        sections.append((f"{n} processes", f"{ranks['device']}: digest {ranks['digest'][:12]}, {ranks['seconds']:.2f} s"))
    if clock.left() > 65:
        sections.append(("Sanitizer", table(["tool", "result"], sanitize(program, devices, failures))))
    return sections


def main():
    options = parse()
    program, failures, clock = Program(options.program), [], Clock(options.budget)
    program.environment.setdefault("CORPUSCLE_CACHE", os.path.join(program.folder.name, "kernels"))
    devices = gpus(program)
    counts = [int(n) for n in options.gpus.split(",")] if options.gpus else [1, len(devices)]
    if options.only != "split" and (len(devices) < max(counts) or len(set(counts)) < 2):
        sys.exit(f"gpu_multi: {len(devices)} GPUs are here, and {counts} were to be compared")
    devices = devices[:max(counts)]
    first = program.run(EXAMPLES / "skin5_633.mci", 1000, "--device", devices[0])
    facts = {"date": today(), "program": program.call("--version").strip(), "machine": machine(), "device": first["device"],
             "devices": ", ".join(devices), "commit": first["commit"]}
    rows, runs, sections = [], [], []
    for case in cases_of(options, program, clock, counts) if options.only != "split" else []:
        try:
            more, data = measure(program, case, devices, counts, clock, failures)
            rows, runs = rows + more, runs + data
        except (Failed, OSError, KeyError, ValueError, subprocess.SubprocessError) as error:
            failures.append(f"{case.name}: {error}")
    if options.only != "split":
        sections.append(("Rates", table(["model", "histories", "GPUs", "transport (s)", "histories/s", "times one", "efficiency",
                                         "start and files (s)", "shares", "digest"], rows)))
    if options.only == "split" or (options.only is None and clock.left() > 40):
        rows, more = split_track.measure(program, devices, clock, failures)
        sections.append(("One track that outgrows its GPU", table(split_track.HEAD, rows)))
        runs += more
    sections += checks(program, devices, options, clock, failures) if options.only is None else []
    sections.append(("What failed", "\n".join(f"- {f}" for f in failures) or "None."))
    name = f"{facts['date']}-gpu-multi-{slug(facts['device'].split('(')[-1])}-{facts['commit'][:8]}"
    paths = save(options.output, name, "Several GPUs", facts, sections, {"runs": runs, "failures": failures})
    print("\n".join(f"\n{head}\n{body}" for head, body in sections))
    print("wrote " + " and ".join(map(str, paths)))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
