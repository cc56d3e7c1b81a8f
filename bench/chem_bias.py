#!/usr/bin/env python3
"""Table of biases: the part of isolated pairs that has reacted after 1 ns, by method and time step, against the exact value.

    bench/chem_bias.py build/corpuscle [--pairs 100000] [--device auto]

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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--pairs", type=int, default=100000)
    parser.add_argument("--device", default="auto")
    options = parser.parse_args()
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


if __name__ == "__main__":
    main()
