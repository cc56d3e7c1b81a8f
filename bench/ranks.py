"""What MPI costs: one process alone, under mpirun, and with the plug-in; then more processes. In turn, medians."""
import argparse
import os
import shutil
import statistics
import subprocess
import sys

from common import EXAMPLES, ROOT, Failed, Program, machine, table

GOAL = 0.01  # of the time, for one process


def prefix(n):
    words = ["mpirun", "-n", n, "--oversubscribe", "--bind-to", "none"]
    return words + (["--allow-run-as-root"] if os.geteuid() == 0 else [])


def parse():
    parser = argparse.ArgumentParser(prog="bench/ranks.py", description=__doc__)
    parser.add_argument("--program", default=os.environ.get("CORPUSCLE", str(ROOT / "build" / "corpuscle")))
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("-n", type=float, default=2e6, help="photons of the 5-layer model")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--ranks", default="2", help="more numbers of processes, by comma; they share the machine")
    return parser.parse_args()


def main():
    options = parse()
    program = Program(options.program)
    plugin = program.path.with_name("libcorpuscle-mpi.so")
    if shutil.which("mpirun") is None or not plugin.exists():
        sys.exit("ranks.py: needs mpirun, and libcorpuscle-mpi.so beside the program")
    ways = {"alone": {}, "mpirun -n 1": {"prefix": prefix(1)},
            "mpirun -n 1, plug-in": {"prefix": prefix(1), "environment": {"CORPUSCLE_MPI": str(plugin)}}}
    ways.update({f"mpirun -n {n}": {"prefix": prefix(int(n))} for n in options.ranks.split(",") if n})
    seconds, cpu, digests = {name: [] for name in ways}, {name: [] for name in ways}, set()
    for _ in range(options.repeats):
        for name, keywords in ways.items():
            r = program.run(EXAMPLES / "skin5_633.mci", options.n, "--device", options.device, "--threads", options.threads,
                            timeout=300, **keywords)
            seconds[name].append(r["seconds"])
            cpu[name].append(program.user)
            digests.add(r["digest"])
    # Neighbours in time are compared, and the fastest of each: others on this machine can only make a run slower.
    rows, failures, is_busy = [], [], os.getloadavg()[0] > 0.5 * (os.cpu_count() or 1) + options.threads
    for name in ways:
        ratios = [a / b - 1 for a, b in zip(seconds[name], seconds["alone"])]
        fastest = min(seconds[name]) / min(seconds["alone"]) - 1
        rows.append([name, f"{statistics.median(seconds[name]):.3f}", f"{100 * statistics.median(ratios):+.2f} %",
                     f"{100 * fastest:+.2f} %", f"{statistics.median(cpu[name]):.2f}"])
        if name.startswith("mpirun -n 1") and fastest > GOAL and not is_busy:
            failures.append(f"{name}: {100 * fastest:.2f} % slower than alone")
    if len(digests) != 1:
        failures.append(f"digests differ: {digests}")
    print(machine())
    print(table([f"{options.n:.0e} photons, {options.threads} threads a process", "transport (s)", "against alone",
                 "fastest against fastest", "processor time (s), mpirun's own included"], rows))
    if is_busy:
        print("the machine is too busy to judge a difference of 1 %")
    print("FAILED " + "; ".join(failures) if failures else "one digest" if is_busy else "one digest, and MPI costs less than 1 %")
    return 1 if failures else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Failed, OSError, subprocess.SubprocessError) as failure:
        sys.exit(f"ranks.py: {failure}")
