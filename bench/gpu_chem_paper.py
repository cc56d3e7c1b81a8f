#!/usr/bin/env python3
"""The published algorithm (method paper) on a GPU: the same bits as on the CPU, its G values beside Table 5 of Tian, Jiang and Jia
2017, its time beside their Table 6 and gMicroMC on an H200; and irt on the CPU. About 3 minutes.

    bench/gpu_chem_paper.py build/corpuscle [--device cuda:0] [--data DIR]

DIR holds electron_750keV.bin and proton_5MeV.bin (gMicroMC's format, other tracks than the paper's). G values of two programs on
other tracks are a plausibility band, not a check.
"""
import argparse
import sys
import tempfile
from pathlib import Path

from gpu_chem import FILES, ROOT, check, failures, run

SPECIES = ("e_aq", "OH", "H", "H3O+", "H2", "OH-", "H2O2")
# Table 5: molecules per 100 eV at 1 us.
TABLE_5 = {"electron": {"Geant4-DNA 10.2": (2.51, 3.03, .66, 3.00, .49, .39, .45), "gMicroMC 2017": (2.51, 3.07, .72, 3.06, .53, .36, .41)},
           "proton": {"Geant4-DNA 10.2": (1.38, 1.97, .73, 2.05, .63, .66, .70), "gMicroMC 2017": (1.40, 1.97, .80, 2.15, .60, .70, .67)}}
# Table 6 [s]: Titan Black, Geant4-DNA on one core; then gMicroMC on an H200, measured on these tracks.
TABLE_6 = {"electron": (599.2, 102865.0, 15.9), "proton": (489.0, 96446.0, 12.6)}
SPUR = """version: 1
kind: chem
chem: {method: paper}
time: {start: 1 ps, end: 200 ps, outputs_per_decade: 5}
source: {kind: spur, radius: 2 nm, tracks: 20, energy: 100 eV, molecules: [{species: e_aq, count: 20}, {species: OH, count: 20},
  {species: H3O+, count: 20}]}
"""


def digests(program, device, folder, files):
    print("Digests, CPU and GPU")
    spur = Path(folder) / "spur.yaml"
    spur.write_text(SPUR)
    cases = [("spurs", spur, ("-n", 4))]
    cases += [(f"{name} to 3 ps", path, ("--energy", f"{e}eV", "--method", "paper", "--set", "time.end=3ps")) for name, (path, e) in files.items()]
    for name, path, options in cases:
        a, b = (run(program, path, "--device", d, *options, folder=folder) for d in ("cpu", device))
        if a is not None and b is not None:
            check(name, a["digest"] == b["digest"], f"{a['digest'][:16]} {b['digest'][:16]}")
            faults = {k: v for k, v in b["events"].items() if "balance" in k and v}
            check(f"{name}: books", not faults, str(faults or ""))


def yields(result):
    g = {x["of"]: x["mean"] for x in result["results"] if x["name"] == "G"}
    return tuple(g[s] for s in SPECIES)


def show(name, values):
    print(f"  {name:30}" + "".join(f"{v:8.3f}" for v in values), flush=True)


def tables(program, device, folder, files):
    for name, (path, energy) in files.items():
        print(f"{name}: G at 1 us\n  {'':30}" + "".join(f"{s:>8}" for s in SPECIES))
        for source, values in TABLE_5[name].items():
            show(source + ", Table 5", values)
        r = run(program, path, "--energy", f"{energy}eV", "--method", "paper", "--device", device, folder=folder)
        if r is not None:
            show("method paper, this track", yields(r))
            titan, geant, h200 = TABLE_6[name]
            seconds = r["device_seconds"]
            check(f"{name}: time", seconds <= h200 / 10, f"{seconds:.3g} s (gMicroMC on an H200 {h200} s, on a Titan Black {titan} s, "
                  f"Geant4-DNA on one core {geant:.0f} s; at most {h200 / 10:.2f})")
        exact = run(program, path, "--energy", f"{energy}eV", "--device", device, folder=folder)
        if exact is not None:
            show("method exact, this track", yields(exact))
        irt = run(program, path, "--energy", f"{energy}eV", "--method", "irt", "--device", "cpu", "--threads", 1, folder=folder)
        if irt is not None:
            show("method irt, this track", yields(irt))
            print(f"  irt: {irt['seconds']:.3g} s on one core" + (" (at most 0.5)" if name == "electron" else ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--data", default=str(ROOT.parent / "shared" / "data" / "chem"))
    args = parser.parse_args()
    files = {k: (Path(args.data) / f, e) for k, (f, e) in FILES.items() if (Path(args.data) / f).exists()}
    if not files:
        print(f"SKIPPED: the two tracks (no {args.data})")
    with tempfile.TemporaryDirectory() as folder:
        digests(args.program, args.device, folder, files)
        tables(args.program, args.device, folder, files)
    print(f"{len(failures)} failed" + "".join("\n  " + f for f in failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
