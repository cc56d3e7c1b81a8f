#!/usr/bin/env python3
"""Tables of biases: the part of isolated pairs that has reacted after 1 ns, by method and time step, against the exact value; and
what independent reaction times (irt) make of molecules that are not independent.

    bench/chem_bias.py build/corpuscle [--pairs 100000] [--irt] [--device auto]

Pairs of docs/theory/chem.md: e_aq + H3O+ and e_aq + OH, 1 nm apart, radii 0.20056 and 0.50618 nm. The last column has the biases of
Eq. 2 with Eq. 5 as another program found them.
"""
import argparse
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

PAIRS = [("e_aq + H3O+", 0.20056, 4.9, 9.0), ("e_aq + OH", 0.50618, 4.9, 2.8)]
# Eq. 2 + Eq. 5 by step [ps]: measured with a program of its own, 30 000 pairs or more.
EXPECTED = {"e_aq + H3O+": {1: -.364, 3: -.278, 10: -.088, 100: .87, 1000: 2.59},
            "e_aq + OH": {1: -.598, 10: -.409, 100: -.101, 1000: .477}}
UNIT = 4 * math.pi * 6.02214076e23 * 1e-15  # k/(R D) in 1/(M s), nm, 1e-9 m2/s: 1e-9 m 1e-9 m2/s 1e3 l/m3
LASTS = 1000.0  # ps
DISTANCE = 1.0  # nm


def exact_part(radius, d_a, d_b):
    """W(t) of Smoluchowski: the part that has reacted."""
    return radius / DISTANCE * math.erfc((DISTANCE - radius) / math.sqrt(4e-3 * (d_a + d_b) * LASTS))


def pair_case(method, radius, d_a, d_b, step):
    """Files of a run of pairs A, B with one fixed step: G(A) is the part that is left."""
    return {"pair.set": "rate_convention k\n"
            f"species A D={d_a} formula=H2O\nspecies B D={d_b} formula=H2O\n"
            f"reaction A + B -> H2O k={UNIT * radius * (d_a + d_b)!r}\n",
            "pair.yaml": "version: 1\nkind: chem\n"
            f"chem: {{set: pair.set, method: {method}, step: {step} ps, dynamic_step: false}}\n"
            f"time: {{start: 1 ps, end: {LASTS + 1} ps, outputs_per_decade: 1}}\n"
            f"source: {{kind: pair, tracks: 1000, distance: {DISTANCE} nm, energy: 100 eV, molecules: [{{species: A, count: 1}}, "
            "{species: B, count: 1}]}\n"}


def reacted(options, folder, method, radius, d_a, d_b, step):
    for name, text in pair_case(method, radius, d_a, d_b, step).items():
        (folder / name).write_text(text)
    done = subprocess.run([options.program, "run", folder / "pair.yaml", "-n", str(options.pairs // 1000), "--json", "-q", "-o",
                           folder / "pair.h5", "--device", options.device], capture_output=True, text=True, timeout=600, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr)
    series = json.loads(done.stdout.splitlines()[-1])["series"][0]
    return 1.0 - series["of"]["A"]["mean"][-1]


# Spurs of 1000, normal about a point: what they show, D of A and B, counts, width [nm], the set.
MODEL = ("rate_convention k\nspecies A D={d_a} formula=H2O\nspecies B D={d_b} formula=H2O\nspecies P D=5 formula=H2O\n"
         "reaction A + {other} -> {product} k=1e10\n")
SPURS = [("one A that stands, 20 B that move", 0, 5, {"A": 1, "B": 20}, 2, None),
         ("one A that moves, 20 B that stand", 5, 0, {"A": 1, "B": 20}, 2, None),
         ("one A, 20 B, all move", 2.5, 2.5, {"A": 1, "B": 20}, 2, None),
         ("20 A that react with each other", 5, 0, {"A": 20}, 2, "A"),
         ("48 radicals of water, 6 nm", 0, 0, {"e_aq": 16, "OH": 16, "H3O+": 16}, 6, "paper"),
         ("48 radicals of water, 3 nm", 0, 0, {"e_aq": 16, "OH": 16, "H3O+": 16}, 3, "paper"),
         ("48 radicals of water, 1.5 nm", 0, 0, {"e_aq": 16, "OH": 16, "H3O+": 16}, 1.5, "paper")]


def left(options, folder, method, case, copies):
    """The part of the first species that is left after 1 us, and its error."""
    _, d_a, d_b, counts, width, kind = case
    (folder / "spur.set").write_text(MODEL.format(d_a=d_a, d_b=d_b, other="A" if kind == "A" else "B", product="P + P"))
    (folder / "spur.yaml").write_text(
        f"version: 1\nkind: chem\nchem: {{set: {'paper' if kind == 'paper' else 'spur.set'}, method: {method}}}\n"
        f"source: {{kind: spur, tracks: 1000, radius: {width} nm, energy: 100 eV, molecules: ["
        + ", ".join(f"{{species: {s}, count: {n}}}" for s, n in counts.items()) + "]}\n")
    done = subprocess.run([options.program, "run", folder / "spur.yaml", "-n", str(copies), "--json", "-q", "-o", folder / "spur.h5",
                           "--device", options.device if method == "exact" else "cpu"],
                          capture_output=True, text=True, timeout=600, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr)
    name, n = next(iter(counts.items()))
    g = {r["of"]: r for r in json.loads(done.stdout.splitlines()[-1])["results"] if r["name"] == "G"}[name]
    return g["mean"] / n, g["std_dev"] / n


def irt_table(options):
    print("| spur | exact | irt | irt / exact - 1 | statistics |\n| --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as name:
        for case in SPURS:
            (x, s_x), (y, s_y) = (left(options, Path(name), m, case, options.copies) for m in ("exact", "irt"))
            print(f"| {case[0]} | {x:.4f} | {y:.4f} | {100 * (y / x - 1):+.1f} % | +- {100 * math.hypot(s_x / x, s_y / y):.1f} % |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--pairs", type=int, default=100000)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--irt", action="store_true", help="the table of irt")
    parser.add_argument("--copies", type=int, default=20, help="of 1000 spurs, for irt")
    options = parser.parse_args()
    if options.irt:
        return irt_table(options)
    print("| pair | step (ps) | exact value | method exact | method paper (Eq. 2 + Eq. 5) | statistics | Eq. 2 + Eq. 5 elsewhere |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as name:
        for pair, radius, d_a, d_b in PAIRS:
            w = exact_part(radius, d_a, d_b)
            error = 100 * math.sqrt(w * (1 - w) / options.pairs) / w
            for step, known in EXPECTED[pair].items():
                cells = [reacted(options, Path(name), m, radius, d_a, d_b, step) / w - 1 for m in ("exact", "paper")]
                print(f"| {pair} | {step:g} | {w:.4f} | " + " | ".join(f"{100 * c:+.1f} %" for c in cells) +
                      f" | +- {error:.1f} % | {100 * known:+.1f} % |", flush=True)
    return None


if __name__ == "__main__":
    main()
