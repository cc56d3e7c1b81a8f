#!/usr/bin/env python3
"""Chemistry on a GPU: the same bits as on the CPU, the converged yields, time per track, compute-sanitizer on a small run.

    bench/gpu_chem.py build/corpuscle [--device cuda:0] [--data DIR] [--quick]

DIR holds electron_750keV.bin and proton_5MeV.bin (gMicroMC's format); without them only built-in sources are run, and it says so.
"""
import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FILES = {"electron": ("electron_750keV.bin", 750035), "proton": ("proton_5MeV.bin", 386411)}
# Molecules per 100 eV at 1 us, 20 steps a decade, mean and spread of one run.
YIELDS = {
    "electron": {"e_aq": (2.245, .007), "OH": (3.732, .004), "H": (.599, .007), "H3O+": (3.059, .010), "H2": (.736, .004),
                 "OH-": (.814, .008), "H2O2": (.292, .0024)},
    "proton": {"e_aq": (1.25, .0125), "OH": (2.68, .027), "H": (.61, .006), "H3O+": (2.04, .02), "H2": (.87, .009),
               "OH-": (.79, .008), "H2O2": (.464, .005)},
}
# Seconds a track: copies in one launch, the most that is allowed, and the aim.
SPEEDS = [("electron", 1, 10e-3, 3e-3), ("proton", 1, 10e-3, 3e-3), ("electron", 100, 5e-3, 1e-3), ("proton", 100, 5e-3, 1e-3)]
failures = []


def run(program, path, *options, timeout=150, folder=None):
    command = [program, "run", str(path), "--json", "-q", "-o", str(Path(folder) / "bench.h5"), *map(str, options)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        failures.append(f"{' '.join(command)}: more than {timeout} s")
        return None
    if done.returncode != 0:
        failures.append(f"{' '.join(command)}: {done.stderr.strip()[-400:]}")
        return None
    return json.loads(done.stdout.splitlines()[-1])


def check(what, is_right, detail=""):
    print(f"  {'ok    ' if is_right else 'FAILED'} {what} {detail}", flush=True)
    if not is_right:
        failures.append(f"{what} {detail}")


def starters(program, folder):
    for name in ("chem-water", "chem-fricke", "chem-oxygen"):
        path = Path(folder) / f"{name}.yaml"
        if subprocess.run([program, "new", name, "-o", path], capture_output=True, check=False).returncode == 0:
            yield name, path


def digests(program, device, inputs, folder):
    print("Digests, CPU and GPU")
    for name, path, options in inputs:
        results = [run(program, path, "--device", d, *options, folder=folder) for d in ("cpu", device)]
        if None in results:
            check(name, False, "did not run")
            continue
        a, b = results
        check(name, a["digest"] == b["digest"], f"{a['digest'][:16]} {b['digest'][:16]} {a['seconds']:.3g} s "
              f"{b['device_seconds'] * 1e3:.3g} ms")
        faults = {k: v for k, v in b["events"].items() if "balance" in k and v}
        check(f"{name}: books", not faults, str(faults or ""))


def yields(program, device, files, folder):
    print("Yields at 1 us")
    for name, (path, energy) in files.items():
        r = run(program, path, "--energy", f"{energy}eV", "--device", device, "-n", 16, folder=folder)
        if r is None:
            continue
        g = {x["of"]: (x["mean"], x["std_dev"]) for x in r["results"] if x["name"] == "G"}
        for species, (mean, spread) in YIELDS[name].items():
            found, error = g[species]
            error = (error ** 2 + spread ** 2) ** .5
            check(f"{name} {species:5}", abs(found - mean) < 4 * error, f"{found:.4f} where {mean} is known, z = {(found - mean) / error:+.1f}")


def steps(program, device, files, folder):
    """20 and 200 steps a decade agree within 1 % on every yield (16 copies each)."""
    print("20 against 200 steps a decade")
    for name, (path, energy) in files.items():
        both = [run(program, path, "--energy", f"{energy}eV", "--device", device, "-n", 16, "--set", f"chem.steps_per_decade={n}",
                    folder=folder) for n in (20, 200)]
        if None in both:
            continue
        few, many = ({x["of"]: (x["mean"], x["std_dev"]) for x in r["results"] if x["name"] == "G"} for r in both)
        for species in few:
            error = (few[species][1] ** 2 + many[species][1] ** 2) ** .5
            gap = few[species][0] - many[species][0]
            check(f"{name} {species:5}", abs(gap) <= .01 * many[species][0] + 4 * error,
                  f"{few[species][0]:.4f} {many[species][0]:.4f} ({100 * gap / many[species][0]:+.2f} %, +- {100 * error / many[species][0]:.2f} %)")


def speeds(program, device, files, folder):
    print("Time a track (20 steps a decade, 1 ps to 1 us)")
    for name, copies, most, aim in SPEEDS:
        if name not in files:
            continue
        path, energy = files[name]
        times = []
        for _ in range(3):
            r = run(program, path, "--energy", f"{energy}eV", "--device", device, "-n", copies, "--batches", 1 if copies == 1 else 4,
                    folder=folder)
            if r is not None:
                times.append((r["device_seconds"] / copies, r["seconds"] / copies))
        if times:
            kernel, wall = min(times)
            check(f"{name} x {copies}", kernel <= most, f"{kernel * 1e3:.3g} ms in the kernel, {wall * 1e3:.3g} ms wall (at most "
                  f"{most * 1e3:g}, aim {aim * 1e3:g})")
    if "electron" in files:
        path, energy = files["electron"]
        r = run(program, path, "--energy", f"{energy}eV", "--device", device, "-n", 81, "--batches", 1, folder=folder)
        if r is not None:
            check("1e7 species at once", r["device_seconds"] <= 1.0, f"{r['device_seconds']:.3g} s in the kernel")


def sanitizer(program, device, path, folder):
    tool = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    if not Path(tool).exists():
        print("SKIPPED: no compute-sanitizer here")
        return
    for kind in ("memcheck", "racecheck"):
        command = [tool, "--tool", kind, "--error-exitcode", "9", program, "run", str(path), "-n", "1", "--device", device, "-q",
                   "-o", str(Path(folder) / "s.h5"), "--set", "source.tracks=20", "--set", "time.end=100ps"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
            check(f"compute-sanitizer {kind}", done.returncode == 0, (done.stdout + done.stderr).strip()[-200:].replace("\n", " "))
        except subprocess.TimeoutExpired:
            check(f"compute-sanitizer {kind}", False, "took more than 100 s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--data", default=str(ROOT.parent / "shared" / "data" / "chem"))
    parser.add_argument("--quick", action="store_true", help="digests and speed only")
    args = parser.parse_args()
    files = {k: (Path(args.data) / f, e) for k, (f, e) in FILES.items() if (Path(args.data) / f).exists()}
    if not files:
        print(f"SKIPPED: the two tracks (no {args.data})")
    with tempfile.TemporaryDirectory() as folder:
        small = list(starters(args.program, folder))
        inputs = [(name, path, ("-n", 10, "--method", "exact")) for name, path in small]
        inputs += [(f"{name}, {space}", path, ("-n", 4, "--set", f"space.kind={space}", "--set", "space.box=60nm", "--set",
                                               "time.end=1ns")) for name, path in small[:1] for space in ("periodic", "reflecting")]
        inputs += [(f"{name} to 1 ns", path, ("--energy", f"{e}eV", "-n", 1, "--set", "time.end=1ns"))
                   for name, (path, e) in files.items()]
        digests(args.program, args.device, inputs, folder)
        speeds(args.program, args.device, files, folder)
        if not args.quick:
            yields(args.program, args.device, files, folder)
            steps(args.program, args.device, files, folder)
            if small:
                sanitizer(args.program, args.device, small[0][1], folder)
    print(f"{len(failures)} failed" + "".join("\n  " + f for f in failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
