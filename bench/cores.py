"""The models of bench/gpu_multi.py --full on the cores of one machine: threads of one process, and processes of one thread under
MPI; rate, efficiency against one core, and the same digest whatever ran. In turn; the fastest of each, since others on the
machine can only make a run slower."""
import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from common import EXAMPLES, ROOT, Failed, Program, machine, processor, save, slug, table, today
from gpu_multi import Case, mpi_prefix, track


def parse():
    parser = argparse.ArgumentParser(prog="bench/cores.py", description=__doc__)
    parser.add_argument("--program", default=os.environ.get("CORPUSCLE", str(ROOT / "build" / "corpuscle")))
    parser.add_argument("--cores", help="numbers of cores by comma; default 1, 2, 4 ... and all")
    parser.add_argument("--scale", type=float, default=1.0, help="histories, as a part of the full numbers (three minutes on two cores)")
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--output", type=Path, default=ROOT / "bench" / "results", help="folder for the two result files")
    return parser.parse_args()


def counts_of(options):
    if options.cores:
        return [int(n) for n in options.cores.split(",")]
    n_cores = len(os.sched_getaffinity(0))
    return sorted({2**k for k in range(n_cores.bit_length()) if 2**k <= n_cores} | {n_cores})


def cases_of(program, options):
    folder = Path(program.folder.name)
    program.call("convert", EXAMPLES / "skin7.mci", "-o", folder / "skin7.yaml")
    yield Case("skin7, all tallies", folder / "skin7.yaml", 2e6, options.repeats, ("scores.fluence=true",))
    textures = [f"facets.{f}.texture.{k}=100" for f in ("wall", "inlet", "outlet") for k in "uv"]
    settings = [word for s in ["length_over_radius=100", "sides=100", *textures] for word in ("--set", s)]
    program.call("new", "gas-tube", "-o", folder / "tube.yaml", *settings)
    yield Case("G(100,100), textures", folder / "tube.yaml", 1.2e6, options.repeats)
    options.full = False
    electron = track(program, options)
    yield Case(electron.name, electron.path, 4, options.repeats)


def ways_of(program, counts):
    ways = {f"{n} threads": (n, {}) for n in counts}
    if shutil.which("mpirun") is not None and program.path.with_name("libcorpuscle-mpi.so").exists():
        ways.update({f"{n} processes": (1, {"prefix": [*mpi_prefix(n), "--bind-to", "none"]}) for n in counts if n > 1})
    return ways


def measure(program, case, ways, scale):
    seconds, digests = {way: [] for way in ways}, set()
    for _ in range(case.repeats):
        for way, (threads, keywords) in ways.items():
            r = program.run(case.path, max(case.histories * scale, 1), "--device", "cpu", "--threads", threads, *case.arguments,
                            "--save-every", "24h", timeout=600, **keywords)
            seconds[way].append(r["seconds"])
            digests.add(r["digest"])
    return seconds, digests


def main():
    options = parse()
    program = Program(options.program)
    counts, rows, data, failures = counts_of(options), [], [], []
    ways = ways_of(program, counts)
    first = program.run(EXAMPLES / "skin5_633.mci", 1000, "--device", "cpu")
    facts = {"date": today(), "program": program.call("--version").strip(), "machine": machine(), "commit": first["commit"]}
    for case in cases_of(program, options):
        seconds, digests = measure(program, case, ways, options.scale)
        one = min(seconds[next(iter(ways))])
        for way in ways:
            n = int(way.split()[0])
            speedup = one / min(seconds[way])
            rows.append([case.name, way, f"{min(seconds[way]):.3f}", f"{case.histories * options.scale / min(seconds[way]):.4g}",
                         f"{speedup:.3f}", f"{100 * speedup / n:.1f} %", sorted(digests)[0][:12]])
        failures += [f"{case.name}: digests differ: {sorted(digests)}"] if len(digests) != 1 else []
        data.append({"model": case.name, "seconds": seconds, "digests": sorted(digests)})
    text = table(["model", "on", "transport (s)", "histories/s", "times one", "efficiency", "digest"], rows)
    verdict = "FAILED " + "; ".join(failures) if failures else "One digest for each model."
    paths = save(options.output, f"{facts['date']}-cores-{slug(processor())}-{facts['commit'][:8]}", "Cores of one machine", facts,
                 [("Rates", text), ("Digests", verdict)], {"models": data})
    print(f"{text}\n{verdict}\nwrote " + " and ".join(map(str, paths)))
    return 1 if failures else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failed, OSError, subprocess.SubprocessError) as failure:
        sys.exit(f"cores.py: {failure}")
