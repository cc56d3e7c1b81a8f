"""Original MCML and corpuscle on the same .mci, alternating, one core each, in user time."""
import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from common import EXACT, EXAMPLES, ROOT, Failed, Program, machine, median, processor, save, slug, spread, table, today

CASES = {"5-layer 633 nm": ("skin5_633", 1_000_000), "7-layer 600 nm": ("skin7", 300_000)}
ISAS = ["x86-64-v3", "x86-64-v4"]
# At least so many times MCML, and the aim.
GOALS = {"x86-64-v3": (4.0, None), "x86-64-v4": (4.0, 8.0)}
# A comparison of speed is of no use if the programs compute different things. Ours must agree with the exact values within so
# many standard errors. MCML gets a wider margin: its generator, ran3, makes it wrong by 2 to 3 % in the 5-layer Tt (with
# drand48 in its place the same sources are right).
OURS_SIGMA = 5.0
MCML_RELATIVE = {"Rd": 0.02, "Tt": 0.08}


def build_mcml(folder, flags):
    """Compile the user's sources outside the source tree; returns a Program."""
    if os.environ.get("MCML"):
        return Program(os.environ["MCML"])
    source = os.environ.get("MCML_SRC", "")
    files = sorted(Path(source).glob("mcml*.c")) if source else []
    if not files:
        raise SystemExit("mcml.sh: set MCML_SRC to the folder with mcmlmain.c, mcmlgo.c, mcmlio.c and mcmlnr.c of "
                         "MCML 1.2.x (or MCML to a program that was built from them)")
    target = Path(folder) / "mcml"
    command = [os.environ.get("CC", "cc"), *flags.split(), "-w", "-o", target, *files, "-lm"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"mcml.sh: {' '.join(map(str, command))} failed\n{done.stderr[-2000:]}")
    return Program(target)


def write_mci(folder, name, histories):
    """The example with another number of photons, in a form that both programs read alike."""
    text = (EXAMPLES / f"{name}.mci").read_text()
    text, n = re.subn(r"^\d+(\s+# number of photons)$", rf"{histories}\1", text, flags=re.M)
    if n != 1:
        raise SystemExit(f"mcml.sh: {name}.mci has no line with the number of photons")
    path = Path(folder) / f"{name}.mci"
    path.write_text(text)
    return path


def mco_totals(path):
    """Rd and Tt of a .mco: the second and the last number of its RAT section."""
    section = Path(path).read_text().split("\nRAT", 1)[1].splitlines()[1:5]
    values = [float(line.split()[0]) for line in section]
    return {"Rd": values[1], "Tt": values[3]}


def measure(mcml, ours, case, histories, options):
    """User seconds of every repetition: {"MCML": [...], isa: [...]}; our digest; mean Rd and Tt of both programs."""
    name = CASES[case][0]
    model = write_mci(mcml.folder.name, name, histories)
    pin = ["taskset", "-c", str(options.cpu)] if shutil.which("taskset") else []
    seconds, digests, peers = {"MCML": [], **{isa: [] for isa in options.isa}}, set(), []
    for repetition in range(options.repeat):
        mcml.call(model, prefix=pin)
        seconds["MCML"].append(mcml.user)
        peers.append(mco_totals(Path(mcml.folder.name) / f"{name}.mco"))
        for isa in options.isa:
            r = ours.run(model, histories, "--device", "cpu", "--threads", 1, prefix=pin,
                         environment={"CORPUSCLE_ISA": isa, "OMP_NUM_THREADS": "1"})
            seconds[isa].append(ours.user)
            digests.add(r["digest"])
        print(f"{case}, {repetition + 1} of {options.repeat}: " +
              ", ".join(f"{k} {v[-1]:.2f} s" for k, v in seconds.items()), file=sys.stderr, flush=True)
    if len(digests) != 1:
        raise Failed(f"{case}: several digests: {digests}")
    means = {k: (sum(p[k] for p in peers) / len(peers), r["mean"][k], r["std_dev"][k]) for k in EXACT[name]}
    return seconds, digests.pop(), means


def rightness(case, means):
    """Rows of deviations from the exact values; raises if a program computes something else."""
    rows = []
    for k, (peer, ours, sigma) in means.items():
        exact = EXACT[CASES[case][0]][k]
        if abs(peer / exact - 1.0) > MCML_RELATIVE[k] + OURS_SIGMA * sigma / exact:
            raise Failed(f"{case}: {k} is {peer} by MCML, exact {exact}: it does not run the same model")
        if abs(ours - exact) > OURS_SIGMA * sigma:
            raise Failed(f"{case}: {k} is {ours} +- {sigma} here, exact {exact}")
        rows.append([case, k, exact, f"{peer:.6f}", f"{peer / exact - 1.0:+.1e}", f"{ours:.6f}",
                     f"{ours / exact - 1.0:+.1e}", f"{sigma / exact:.1e}"])
    return rows


def rows_of(case, histories, seconds):
    rows = []
    for what, times in seconds.items():
        # The ratio of neighbours in time, so that slow changes of a shared machine cancel.
        ratios = [a / b for a, b in zip(seconds["MCML"], times)]
        goal, aim = GOALS.get(what, (None, None))
        ratio = median(ratios)
        reached = "" if goal is None else "aim" if aim and ratio >= aim else "yes" if ratio >= goal else "no"
        rows.append([case, what, f"{histories:.2g}", f"{median(times):.3f}", f"{100 * spread(times):.1f} %",
                     f"{histories / median(times) / 1e3:.1f}", f"{ratio:.2f}", goal or "", aim or "", reached])
    return rows


def parse():
    parser = argparse.ArgumentParser(prog="bench/mcml.sh", description=__doc__)
    parser.add_argument("--program", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--repeat", type=int, default=5, help="alternations (5)")
    parser.add_argument("--scale", type=float, default=1.0, help="part of the photons: 1000000 and 300000")
    parser.add_argument("--isa", nargs="*", default=ISAS, help="instruction sets to measure")
    parser.add_argument("--flags", default="-O3", help="compiler flags for MCML (-O3)")
    parser.add_argument("--cpu", type=int, default=max(os.sched_getaffinity(0)), help="processor to run on (the last)")
    parser.add_argument("--output", type=Path, default=ROOT / "bench" / "results", help="folder for the two result files")
    return parser.parse_args()


def supported(isas):
    flags = Path("/proc/cpuinfo").read_text().split("flags", 1)[1].split("\n", 1)[0].split()
    needs = {"x86-64-v3": {"avx2", "fma"}, "x86-64-v4": {"avx512f", "avx512dq", "avx512vl", "avx512bw"}}
    return [isa for isa in isas if needs.get(isa, set()) <= set(flags)]


def main():
    options = parse()
    options.isa = supported(options.isa)
    ours = Program(options.program)
    mcml = build_mcml(ours.folder.name, options.flags)
    compiler = subprocess.run([os.environ.get("CC", "cc"), "--version"], capture_output=True, text=True).stdout
    facts = {"date": today(), "program": ours.call("--version").strip(), "machine": machine(),
             "MCML built with": f"{options.flags}, {compiler.splitlines()[0]}" if compiler else options.flags,
             "measured": f"user time of the whole process, one thread on one processor, median of {options.repeat} "
                         "alternations; ratios are medians of neighbouring runs"}
    rows, right, data = [], [], []
    for case, (_, full) in CASES.items():
        histories = max(int(full * options.scale), 1000)
        seconds, digest, means = measure(mcml, ours, case, histories, options)
        rows += rows_of(case, histories, seconds)
        right += rightness(case, means)
        data.append({"case": case, "histories": histories, "user_seconds": seconds, "digest": digest, "means": means})
    head = ["case", "program", "photons", "user s", "spread", "photons/ms", "x MCML", "goal", "aim", "reached"]
    text = table(head, rows)
    check = table(["case", "", "exact", "MCML", "off by", "corpuscle", "off by", "its sigma"], right)
    commit = re.sub(r"^.*\((.*)\)$", r"\1", facts["program"])
    name = f"{facts['date']}-mcml-{slug(processor())}-{commit[:8]}"
    paths = save(options.output, name, "Against original MCML, one core", facts, [("Ratios", text), ("Right", check)],
                 {"cases": data})
    print(f"{text}\n\n{check}")
    print("wrote " + " and ".join(map(str, paths)))
    return 1 if any(row[-1] == "no" for row in rows) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        sys.exit(f"mcml.sh: {failure}")
