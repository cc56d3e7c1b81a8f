#!/usr/bin/env python3
"""Golden digests of the light examples: check them, or write new ones and show whether the physics moved.

    tools/make_golden.py                     run, compare, exit 1 if a digest differs
    tools/make_golden.py --update            the same, then write tests/golden/light.txt
    tools/make_golden.py --old PROGRAM ...   besides, z of every bin of every tally against an older program

The file keeps mean and standard error of the totals beside each digest, so z of old against new needs no old program:
"draws moved" gives |z| of order 1, "result moved" gives z far above the limit. What moved the draws, runs of the same seed are
then as good as independent.
"""
import argparse
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import NormalDist

ROOT = Path(__file__).resolve().parents[1]
GOLDEN = ROOT / "tests" / "golden" / "light.txt"
EXAMPLES = ROOT / "examples" / "light"
FLUENCE = "scores.fluence=true"
FAMILY_ERROR = 1e-4
PHOTONS = {"skin7.mci": 8000, "vein7_700.mci": 15000, "skin5_633.mci": 20000}
HEADER = """\
# Digests of the light examples on strict math: file, run, setting, photons, seed, digest. Indented: totals, mean and standard
# error. Written by tools/make_golden.py --update, checked by tests/golden/test_light_examples.c.
"""


def plan():
    """What is run: (file, setting, photons, seed)."""
    for path in sorted(EXAMPLES.glob("*.mci")):
        yield path.name, "-", PHOTONS.get(path.name, 30000), 1
    for name in ("airgap.mci", "glass_tissue_glass.mci", "giovanelli.mci"):
        yield name, FLUENCE, 10000, 2


def run(program, name, setting, photons, seed, folder):
    """All runs of a file: the JSON objects, and the result file."""
    output = Path(folder) / f"{name}_{setting}_{seed}_{Path(program).resolve().as_posix().replace('/', '_')}.h5"
    command = [program, "run", str(EXAMPLES / name), "-n", str(photons), "--seed", str(seed), "--device", "cpu", "--json",
               "-q", "-o", str(output)]
    command += ["--set", setting] if setting != "-" else []
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")
    return [json.loads(line) for line in done.stdout.splitlines()], output


def read_golden():
    """(file, run, setting, photons, seed) -> (digest, {name: (mean, error)})."""
    rows, values = {}, None
    if not GOLDEN.exists():
        return rows
    for line in GOLDEN.read_text().splitlines():
        words = line.split()
        if not words or line.startswith("#"):
            continue
        if line.startswith(" "):
            values[words[0]] = (float(words[1]), float(words[2]))
        else:
            values = {}
            rows[(words[0], int(words[1]), words[2], int(words[3]), int(words[4]))] = (words[5], values)
    return rows


def named_results(document):
    """{name: (mean, standard error)} of one JSON object; layers as absorbed_fraction[1]."""
    return {r["name"] + (f"[{r['of']}]" if r["of"] else ""): (r["mean"], r["std_dev"] or 0.0) for r in document["results"]}


def z_scores(old, new):
    for name, (mean, error) in new.items():
        if name in old:
            spread = math.hypot(error, old[name][1])
            moved = mean - old[name][0]
            is_equal = abs(moved) <= 1e-8 * abs(mean)  # to the digits of the file
            yield name, old[name], (mean, error), 0.0 if is_equal else moved / spread if spread > 0 else math.inf


def show(key, old, new):
    """Print z of each total; return whether one lies beyond the limit."""
    scores = list(z_scores(old, new))
    limit = NormalDist().inv_cdf(1 - FAMILY_ERROR / 2 / max(1, len(scores))) * 1.25  # t with 31 degrees of freedom is wider
    print(f"{key[0]}, run {key[1]}, {key[2]}, {key[3]} photons:")
    for name, before, after, z in scores:
        note = "   THE RESULT MOVED" if abs(z) > limit else ""
        print(f"    {name:22s} {before[0]:.7f} +- {before[1]:.7f} -> {after[0]:.7f} +- {after[1]:.7f}  z = {z:6.2f}{note}")
    return any(abs(z) > limit for *_, z in scores)


def compare_programs(old_program, program, name, setting, photons, seed, folder):
    """z of every bin, by `corpuscle compare`. Another seed for the old one, else equal draws would give equal runs."""
    before = run(old_program, name, setting, photons, seed + 1000, folder)[1]
    documents, after = run(program, name, setting, photons, seed, folder)
    has_moved = False
    for group in range(1, len(documents) + 1):
        done = subprocess.run([program, "compare", str(before), str(after), "--group", str(group)], capture_output=True,
                              text=True, check=False)
        print(done.stdout + done.stderr, end="")
        has_moved = has_moved or done.returncode != 0
    return has_moved


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=str(ROOT / "build" / "corpuscle"), help="default: build/corpuscle")
    parser.add_argument("--old", help="an older corpuscle to compare every bin with")
    parser.add_argument("--update", action="store_true", help="write the new digests")
    options = parser.parse_args()
    options.program = str(Path(options.program).resolve())
    options.old = str(Path(options.old).resolve()) if options.old else None
    golden, lines = read_golden(), [HEADER]
    n_changed, has_moved = 0, False
    with tempfile.TemporaryDirectory() as folder:
        for name, setting, photons, seed in plan():
            documents, _ = run(options.program, name, setting, photons, seed, folder)
            for i, document in enumerate(documents, start=1):
                key, values = (name, i, setting, photons, seed), named_results(document)
                digest, old_values = golden.get(key, ("none", {}))
                if digest != document["digest"]:
                    n_changed += 1
                    has_moved = show(key, old_values, values) or has_moved
                lines.append(f"{name} {i} {setting} {photons} {seed} {document['digest']}\n")
                lines += [f"    {k} {mean:.9g} {error:.3g}\n" for k, (mean, error) in values.items()]
            if options.old:
                has_moved = compare_programs(options.old, options.program, name, setting, photons, seed, folder) or has_moved
    print(f"{n_changed} of {len(golden)} digests differ" + ("; A RESULT MOVED: explain it before you commit" if has_moved else
                                                           "; no total moved beyond its error" if n_changed else ""))
    if options.update:
        GOLDEN.write_text("".join(lines))
        return 1 if has_moved else 0
    return 1 if n_changed else 0


if __name__ == "__main__":
    sys.exit(main())
