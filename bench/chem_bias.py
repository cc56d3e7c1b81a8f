#!/usr/bin/env python3
"""Table of biases: the part of isolated pairs that has reacted after 1 ns, by method and time step, against the exact value.

    bench/chem_bias.py build/corpuscle [--pairs 100000]

Pairs of docs/theory/chem.md: e_aq + H3O+ and e_aq + OH, 1 nm apart, radii 0.20056 and 0.50618 nm.
"""
import argparse
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

PAIRS = [("e_aq + H3O+", 0.20056, 4.9, 9.0), ("e_aq + OH", 0.50618, 4.9, 2.8)]
STEPS = [1, 10, 100, 999]
UNIT = 4 * math.pi * 6.02214076e23 * 1e-15  # k/(R D) in 1/(M s), nm, 1e-9 m2/s: 1e-9 m 1e-9 m2/s 1e3 l/m3
END = 1000.0  # ps, from 1 ps


def reacted(program, folder, method, radius, d_a, d_b, step, n):
    (folder / "pair.set").write_text(
        "rate_convention k\n"
        f"species A D={d_a} formula=H2O\nspecies B D={d_b} formula=H2O\n"
        f"reaction A + B -> H2O k={UNIT * radius * (d_a + d_b)!r}\n")
    path = folder / "pair.yaml"
    path.write_text(
        "version: 1\nkind: chem\n"
        f"chem: {{set: pair.set, method: {method}, step: {step} ps, dynamic_step: false}}\n"
        f"time: {{start: 1 ps, end: {END + 1} ps, outputs_per_decade: 1}}\n"
        "source: {kind: pair, tracks: 1000, distance: 1 nm, energy: 100 eV, molecules: [{species: A, count: 1}, "
        "{species: B, count: 1}]}\n")
    done = subprocess.run([program, "run", path, "-n", str(n // 1000), "--json", "-q", "-o", folder / "pair.h5"],
                          capture_output=True, text=True, timeout=600, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr)
    series = json.loads(done.stdout.splitlines()[-1])["series"][0]
    return 1.0 - series["of"]["A"]["mean"][-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--pairs", type=int, default=100000)
    args = parser.parse_args()
    print("| pair | step (ps) | exact value | method exact | method paper (Eq. 2 + Eq. 5) | statistics |")
    print("| --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as name:
        for pair, radius, d_a, d_b in PAIRS:
            d = 1e-3 * (d_a + d_b)
            w = radius * math.erfc((1 - radius) / math.sqrt(4 * d * END))
            error = 100 * math.sqrt(w * (1 - w) / args.pairs) / w
            for step in STEPS:
                cells = [reacted(args.program, Path(name), m, radius, d_a, d_b, step, args.pairs) / w - 1 for m in ("exact", "paper")]
                print(f"| {pair} | {step:g} | {w:.4f} | " + " | ".join(f"{100 * c:+.1f} %" for c in cells) +
                      f" | +- {error:.1f} % |", flush=True)


if __name__ == "__main__":
    main()
