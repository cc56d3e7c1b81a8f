#!/usr/bin/env python3
"""Chemistry on a GPU: the same bits as on the CPU, time a track, yields at 1 us, and steps of time; into bench/results.

    bench/gpu_chem.py build/corpuscle [--device cuda:0] [--data DIR] [--quick | --only digests,speed,yields,steps,irt,resumed,sanitizer]

DIR holds electron_750keV.bin and proton_5MeV.bin (gMicroMC's format); without them only built-in sources are run, and it says so.
The method `paper` has a script of its own, gpu_chem_paper.py.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from common import ROOT, Failed, Program, machine, table, today
from gpu import Report, guarded

FILES = {"electron": ("electron_750keV.bin", 750035), "proton": ("proton_5MeV.bin", 386411)}
SPECIES = ("e_aq", "OH", "H", "H3O+", "H2", "OH-", "H2O2")
# Molecules per 100 eV at 1 us, 20 steps a decade, mean and spread of one run, by another program (docs/theory/chem.md).
YIELDS = {
    "electron": {"e_aq": (2.245, .007), "OH": (3.732, .004), "H": (.599, .007), "H3O+": (3.059, .010), "H2": (.736, .004),
                 "OH-": (.814, .008), "H2O2": (.292, .0024)},
    "proton": {"e_aq": (1.25, .0125), "OH": (2.68, .027), "H": (.61, .006), "H3O+": (2.04, .02), "H2": (.87, .009),
               "OH-": (.79, .008), "H2O2": (.464, .005)},
}
# Seconds a track: copies, the most that is allowed, and the aim.
SPEEDS = [("electron", 1, 10e-3, 3e-3), ("proton", 1, 10e-3, 3e-3), ("electron", 100, 5e-3, 1e-3), ("proton", 100, 5e-3, 1e-3)]
# The same of `irt`, whose tracks each are one block's: one alone takes about as long as on a core of a CPU.
IRT_SPEEDS = [("electron", 1, 1.0), ("electron", 100, 10e-3), ("electron", 528, 5e-3), ("proton", 1, 2.0), ("proton", 100, 20e-3)]
# A spur of so many molecules that `irt` gives it a block of many threads.
CROWD = """version: 1
kind: chem
source: {kind: spur, radius: 8 nm, tracks: 2, energy: 1 keV, molecules: [{species: e_aq, count: 400}, {species: OH, count: 400},
  {species: H3O+, count: 400}]}
"""
LIMIT = 4.5  # of |z|: once in a thousand runs of this script


def run(program, path, *options, timeout=150):
    """The result object of a run; G, and its errors, by species in `G`."""
    text = program.call("run", path, "--json", "-q", "-o", "bench.h5", *options, timeout=timeout)
    r = json.loads(text.splitlines()[-1])
    r["G"] = {x["of"]: (x["mean"], x["std_dev"]) for x in r["results"] if x["name"] == "G"}
    return r


def books(r):
    return not any(v for k, v in r["events"].items() if "out_of_balance" in k)


def of_file(path, energy):
    return path, "--energy", f"{energy}eV"


def models(program, files):
    """(name, arguments of run): starters, boxes, and the tracks to 1 ns."""
    folder, cases = Path(program.folder.name), []
    for name in ("chem-water", "chem-oxygen", "chem-track"):
        program.call("new", name, "-o", f"{name}.yaml")
        cases.append((name, (folder / f"{name}.yaml", "-n", 2 if name == "chem-track" else 10, "--method", "exact",
                             "--set", "time.end=10ns")))
    for space in ("periodic", "reflecting"):
        cases.append((f"chem-water, {space}", (folder / "chem-water.yaml", "-n", 4, "--set", f"space.kind={space}",
                                               "--set", "space.box=20nm", "--set", "time.end=1ns")))
    cases += [(f"{name} to 1 ns", (*of_file(path, e), "-n", 1, "--set", "time.end=1ns")) for name, (path, e) in files.items()]
    return cases


def digests(report, program, device, files):
    rows = []
    for name, options in models(program, files):
        a, b = (run(program, *options, "--device", d) for d in ("cpu", device))
        right = report.check(f"digest of {name}", a["digest"] == b["digest"], f"{a['digest'][:12]} {b['digest'][:12]}")
        right = report.check(f"books of {name}", books(b)) if right == "ok" else right
        rows.append([name, b["histories"], a["digest"][:12], f"{a['seconds']:.3g} s", f"{b['device_seconds'] * 1e3:.3g} ms", right])
    report.section("The same bits on CPU and GPU", table(["model", "tracks", "digest", "CPU", "GPU", ""], rows), "digests", rows)


def yields(report, program, device, files, copies):
    rows = []
    for name, (path, energy) in files.items():
        r = run(program, *of_file(path, energy), "--device", device, "-n", copies)
        for species, (mean, spread) in YIELDS[name].items():
            found, error = r["G"][species]
            z = (found - mean) / (error ** 2 + spread ** 2) ** .5
            right = report.check(f"G({species}) of the {name}", abs(z) < LIMIT and books(r), f"{found:.4f}, z = {z:+.1f}")
            rows.append([name, species, f"{found:.4f}", f"{error:.4f}", mean, spread, f"{z:+.1f}", right])
    report.section(f"G at 1 us, 20 steps a decade, {copies} copies",
                   table(["track", "species", "G", "+-", "known", "+-", "z", ""], rows), "yields", rows)


def steps(report, program, device, files, copies):
    """20 and 200 steps a decade agree within 1 % on every yield."""
    rows = []
    for name, (path, energy) in files.items():
        few, many = (run(program, *of_file(path, energy), "--device", device, "-n", copies, "--seed", n, "--set",
                         f"chem.steps_per_decade={n}")["G"] for n in (20, 200))
        for species in SPECIES:
            error = (few[species][1] ** 2 + many[species][1] ** 2) ** .5 / many[species][0]
            gap = few[species][0] / many[species][0] - 1
            right = report.check(f"steps, G({species}) of the {name}", abs(gap) <= .01 + LIMIT * error, f"{gap:+.2%} +- {error:.2%}")
            rows.append([name, species, f"{few[species][0]:.4f}", f"{many[species][0]:.4f}", f"{gap:+.2%}", f"{error:.2%}", right])
    report.section(f"G at 1 us: 20 against 200 steps a decade, {copies} copies each (within 1 %)",
                   table(["track", "species", "20", "200", "difference", "+-", ""], rows), "steps", rows)


def speed(report, program, device, files):
    rows = []
    for name, copies, most, aim in SPEEDS:
        if name not in files:
            continue
        times = []
        for _ in range(3):
            r = run(program, *of_file(*files[name]), "--device", device, "-n", copies, "--batches", 1 if copies == 1 else 4)
            times.append((r["device_seconds"] / copies * 1e3, r["seconds"] / copies * 1e3))
        kernel, wall = min(times)
        right = report.check(f"{name} x {copies}", kernel <= most * 1e3, f"{kernel:.3g} ms a track")
        rows.append([f"{name} x {copies}", f"{kernel:.3g}", f"{wall:.3g}", most * 1e3, aim * 1e3, right])
    if "electron" in files:
        r = run(program, *of_file(*files["electron"]), "--device", device, "-n", 81, "--batches", 1)
        right = report.check("1e7 species", r["device_seconds"] <= 1.0, f"{r['device_seconds']:.3g} s")
        rows.append(["1e7 species at once", f"{r['device_seconds'] * 1e3:.4g}", f"{r['seconds'] * 1e3:.4g}", 1000, "-", right])
    report.section("Time (20 steps a decade, 1 ps to 1 us), ms a track",
                   table(["input", "in the kernel", "wall", "at most", "aim", ""], rows), "speed", rows)


def irt(report, program, device, files):
    """Independent reaction times: digests of spurs and tracks against the CPU, time a track of one and of many side by side."""
    rows = []
    for name in ("chem-water", "chem-oxygen", "chem-fricke", "chem-track"):
        program.call("new", name, "-o", f"{name}.yaml")
        path = Path(program.folder.name) / f"{name}.yaml"
        files = {**files, name: (path, None)}
    (Path(program.folder.name) / "crowd.yaml").write_text(CROWD)
    files["crowd"] = (Path(program.folder.name) / "crowd.yaml", None)
    for name, (path, energy) in files.items():
        options = (path, "--method", "irt", "-n", 1, *(("--energy", f"{energy}eV") if energy else ()))
        a, b = (run(program, *options, "--device", d) for d in ("cpu", device))
        right = report.check(f"irt, digest of {name}", a["digest"] == b["digest"] and books(b), f"{a['digest'][:12]} {b['digest'][:12]}")
        rows.append([name, b["histories"], a["digest"][:12], f"{a['device_seconds'] * 1e3:.3g}", f"{b['device_seconds'] * 1e3:.3g}", right])
    report.section("irt: the same bits, ms of all tracks", table(["model", "tracks", "digest", "CPU", "GPU", ""], rows), "irt", rows)
    rows = []
    for name, copies, most in IRT_SPEEDS:
        if name in files:
            r = min((run(program, *of_file(*files[name]), "--method", "irt", "--device", device, "-n", copies, "--batches", 1)
                     for _ in range(2)), key=lambda r: r["device_seconds"])
            kernel = r["device_seconds"] / copies
            right = report.check(f"irt, {name} x {copies}", kernel <= most, f"{kernel * 1e3:.3g} ms a track")
            rows.append([f"{name} x {copies}", f"{kernel * 1e3:.3g}", f"{r['seconds'] / copies * 1e3:.3g}", most * 1e3, right])
    r = run(program, "chem-water.yaml", "--method", "irt", "--device", device, "-n", 2000, "--batches", 1)
    rows.append([f"chem-water, {r['histories']} spurs", *(f"{r[k] / r['histories'] * 1e3:.3g}" for k in ("device_seconds", "seconds")), "-", "ok"])
    report.section("irt: time (1 ps to 1 us), ms a track", table(["input", "in the kernel", "wall", "at most", ""], rows), "irt speed", rows)


def resumed(report, program, device, files):
    """A run that stopped at a part of its copies and went on has the digits of one that did not."""
    program.call("new", "chem-water", "-o", "resumed.yaml")
    options = (Path(program.folder.name) / "resumed.yaml", "-n", 20, "--batches", 10, "--device", device, "-q")
    whole = run(program, *options)
    program.call("run", *options, "--time-limit", "1e-9s", "-o", "part.h5")
    text = program.call("run", *options, "--restart", "part.h5", "--json")
    right = report.check("resumed", json.loads(text.splitlines()[-1])["digest"] == whole["digest"])
    report.section("Resumed after the first batch", table(["model", "digest", ""], [["chem-water", whole["digest"][:12], right]]),
                   "resumed", whole["digest"])


def sanitizer(report, program, device, files):
    """For `exact` a few hundred molecules, four steps: racecheck slows its shared memory down a thousandfold."""
    tool, rows = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer", []
    if not Path(tool).exists():
        report.section("compute-sanitizer", "Skipped: none here.", "sanitizer", [])
        return
    program.call("new", "chem-water", "-o", "sanitized.yaml")
    (Path(program.folder.name) / "crowd.yaml").write_text(CROWD)
    runs = (("sanitized.yaml", "exact", 20), ("sanitized.yaml", "irt", 20), ("crowd.yaml", "irt", 1))
    for kind, (path, method, n_tracks) in ((kind, run) for kind in ("memcheck", "racecheck", "synccheck") for run in runs):
        n_tracks, end = (10, "1.4ps") if method == "exact" and kind != "memcheck" else (n_tracks, "100ps")
        what = f"{method}, {n_tracks} of {'chem-water' if n_tracks > 1 else 'crowd'}"
        try:
            program.call("run", path, "-n", 1, "--device", device, "-q", "-o", "s.h5", "--set", f"source.tracks={n_tracks}", "--set",
                         f"time.end={end}", "--method", method, prefix=(tool, "--tool", kind, "--error-exitcode", 9), timeout=100)
            outcome = report.check(f"{kind} of {what}", True)
        except (Failed, subprocess.TimeoutExpired) as error:
            outcome = report.check(f"{kind} of {what}", False, str(error)[-300:])
        rows.append([kind, what, outcome])
    report.section("compute-sanitizer", table(["tool", "run", "result"], rows), "sanitizer", rows)


def begin(options, what, title):
    """Program, report and the tracks that are there."""
    files = {k: (Path(options.data).resolve() / f, e) for k, (f, e) in FILES.items() if (Path(options.data) / f).exists()}
    if not files:
        print(f"SKIPPED: the two tracks (no {options.data})", file=sys.stderr)
    program, report = Program(options.program), Report()
    program.environment.setdefault("CORPUSCLE_CACHE", os.path.join(program.folder.name, "kernels"))
    program.call("new", "chem-water", "-o", "first.yaml")
    first = run(program, "first.yaml", "-n", 1, "--device", options.device, "--set", "time.end=30ps")
    facts = {"date": today(), "program": program.call("--version").strip(), "machine": machine(), "device": first["device"],
             "commit": first["commit"]}
    report.begin(options.output, facts, what, title)
    return program, report, files


def parser_of(description):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", default=os.environ.get("CORPUSCLE", str(ROOT / "build" / "corpuscle")))
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--data", default=str(ROOT.parent / "shared" / "data" / "chem"))
    parser.add_argument("--output", type=Path, default=ROOT / "bench" / "results")
    return parser


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--quick", action="store_true", help="digests and speed only")
    parser.add_argument("--only", default="digests,speed,yields,steps,irt,resumed,sanitizer")
    parser.add_argument("--copies", type=int, default=64, help="of yields and steps")
    options = parser.parse_args()
    only = ("digests,speed" if options.quick else options.only).split(",")
    program, report, files = begin(options, "gpu-chem", "Chemistry on a GPU")
    parts = {"digests": (digests,), "speed": (speed,), "yields": (yields, options.copies), "steps": (steps, options.copies),
             "irt": (irt,), "resumed": (resumed,), "sanitizer": (sanitizer,)}
    for name, (part, *more) in parts.items():
        if name in only:
            guarded(report, part, program, options.device, files, *more)
    return report.finish()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        sys.exit(f"gpu_chem.py: {failure}")
