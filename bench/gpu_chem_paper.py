#!/usr/bin/env python3
"""The published algorithm (method paper) on a GPU: the same bits as on the CPU, its G values beside Table 5 of Tian, Jiang and Jia
2017, its time beside their Table 6 and gMicroMC on an H200; its biases with one fixed step; and irt on one core.

    bench/gpu_chem_paper.py build/corpuscle [--device cuda:0] [--data DIR] [--only digests,biases,tables]

DIR holds electron_750keV.bin and proton_5MeV.bin (gMicroMC's format, other tracks than the paper's). G values of two programs on
other tracks are a plausibility band, not a check.
"""
import sys
from math import sqrt

from chem_bias import EXPECTED, PAIRS, exact_part, pair_case
from common import Failed, table
from gpu import guarded
from gpu_chem import LIMIT, SPECIES, begin, books, of_file, parser_of, run

# Table 5: molecules per 100 eV at 1 us.
TABLE_5 = {"electron": {"Geant4-DNA 10.2, Table 5": (2.51, 3.03, .66, 3.00, .49, .39, .45),
                        "gMicroMC 2017, Table 5": (2.51, 3.07, .72, 3.06, .53, .36, .41)},
           "proton": {"Geant4-DNA 10.2, Table 5": (1.38, 1.97, .73, 2.05, .63, .66, .70),
                      "gMicroMC 2017, Table 5": (1.40, 1.97, .80, 2.15, .60, .70, .67)}}
# Table 6 [s]: Titan Black, Geant4-DNA on one core; then gMicroMC on an H200, measured on these tracks.
TABLE_6 = {"electron": (599.2, 102865.0, 15.9), "proton": (489.0, 96446.0, 12.6)}
MOST_IRT = {"electron": 0.5}  # seconds on one core
SPUR = """version: 1
kind: chem
chem: {method: paper}
time: {start: 1 ps, end: 200 ps, outputs_per_decade: 5}
source: {kind: spur, radius: 2 nm, tracks: 20, energy: 100 eV, molecules: [{species: e_aq, count: 20}, {species: OH, count: 20},
  {species: H3O+, count: 20}]}
"""


def digests(report, program, device, files):
    write(program, "spur.yaml", SPUR)
    cases = [("spurs", ("spur.yaml", "-n", 4))]
    cases += [(f"{name} to 2 ps", (*of_file(*f), "--method", "paper", "--set", "time.end=2ps")) for name, f in files.items()]
    rows = []
    for name, options in cases:
        a, b = (run(program, *options, "--device", d) for d in ("cpu", device))
        right = report.check(f"digest of {name}", a["digest"] == b["digest"] and books(b), f"{a['digest'][:12]} {b['digest'][:12]}")
        rows.append([name, a["digest"][:12], right])
    report.section("Method paper: the same bits on CPU and GPU", table(["model", "digest", ""], rows), "paper_digests", rows)


def write(program, name, text):
    with open(f"{program.folder.name}/{name}", "w", encoding="utf-8") as file:
        file.write(text)


def biases(report, program, device, files, pairs=100000):
    """One fixed step, Eq. 4 off: what Eq. 2 with Eq. 5 makes of isolated pairs, as measured by another program."""
    rows = []
    for name, radius, d_a, d_b in PAIRS:
        w = exact_part(radius, d_a, d_b)
        for step, expected in EXPECTED[name].items():
            for file, text in pair_case("paper", radius, d_a, d_b, step).items():
                write(program, file, text)
            r = run(program, "pair.yaml", "-n", pairs // 1000, "--device", device)
            part = 1.0 - r["G"]["A"][0]
            error = sqrt(part * (1 - part) / pairs) / w
            spread = sqrt(error ** 2 + .007 ** 2 * (1 + expected))  # theirs: 30 000 pairs
            right = report.check(f"bias of {name}, {step:g} ps", abs(part / w - 1 - expected) < LIMIT * spread, f"{part / w - 1:+.1%}")
            rows.append([name, f"{step:g}", f"{w:.4f}", f"{part / w - 1:+.1%}", f"{expected:+.1%}", f"{error:.1%}", right])
    report.section(f"Eq. 2 + Eq. 5 with one fixed step: part of {pairs} isolated pairs that has reacted after 1 ns",
                   table(["pair", "step [ps]", "exact value", "paper", "known", "+-", ""], rows), "biases", rows)


def tables(report, program, device, files):
    for name, track in files.items():
        rows = [[source, *values, "-"] for source, values in TABLE_5[name].items()]
        paper = run(program, *of_file(*track), "--method", "paper", "--device", device)
        exact = run(program, *of_file(*track), "--device", device, "-n", 16)
        irt = run(program, *of_file(*track), "--method", "irt", "--device", "cpu", "--threads", 1)
        for method, r in (("paper", paper), ("exact", exact), ("irt, one core", irt)):
            seconds = r["device_seconds"] / r["histories"]
            rows.append([f"method {method}, this track", *(f"{r['G'][s][0]:.3f}" for s in SPECIES), f"{seconds:.3g} s"])
            report.check(f"books of {method}, {name}", books(r))
        titan, geant, h200 = TABLE_6[name]
        seconds = paper["device_seconds"]
        report.check(f"paper, {name}", seconds <= h200 / 10, f"{seconds:.3g} s, at most {h200 / 10:.3g}")
        report.check(f"irt, {name}", irt["seconds"] <= MOST_IRT.get(name, 1e9), f"{irt['seconds']:.3g} s on one core")
        body = table([f"{name}, G at 1 us", *SPECIES, "time"], rows)
        body += (f"\n\nTime of the algorithm: {seconds:.3g} s here; gMicroMC on an H200 {h200} s; Table 6: Titan Black {titan} s, "
                 f"Geant4-DNA on one core {geant:.0f} s.")
        report.section(f"The paper's Tables 5 and 6, {name}", body, f"tables_{name}", rows)


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--only", default="digests,biases,tables")
    options = parser.parse_args()
    program, report, files = begin(options, "gpu-chem-paper", "Chemistry on a GPU: the published algorithm")
    for part in (digests, biases, tables):
        if part.__name__ in options.only.split(","):
            guarded(report, part, program, options.device, files)
    return report.finish()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        sys.exit(f"gpu_chem_paper.py: {failure}")
