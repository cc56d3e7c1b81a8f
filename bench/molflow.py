"""molflowCLI and corpuscle on the same Molflow file, alternating, one thread each, in user time; and results of both."""
import argparse
import json
import math
import os
import re
import sys
import zipfile
from pathlib import Path

from common import ROOT, Failed, Program, machine, median, processor, save, slug, spread, table, today

SIDES = [100, 1000]
# At least so many times molflowCLI per core, and the aim, for the tube of 100 sides.
GOAL, AIM = 2.5, 7.0
# Circular tube of L/R = 100 by Clausing's equation; a polygon of n sides inscribed in the circle has pi^2 / (3 n^2) less.
CLAUSING = 0.02527636
SIGMAS = 5.0


def exact(sides):
    return CLAUSING * (1 - math.pi ** 2 / (3 * sides ** 2))


def make_model(ours, sides):
    """A ZIP for both programs: the tube of our starter, as Molflow has it."""
    folder = Path(ours.folder.name)
    yaml, path = folder / f"tube{sides}.yaml", folder / f"tube{sides}.zip"
    ours.call("new", "gas-tube", "--set", "length_over_radius=100", "--set", f"sides={sides}", "-o", yaml)
    ours.call("convert", yaml, "-o", path)
    return path


def selected(text, name):
    """Facets of a selection, from 0."""
    items = re.search(rf'<Selection id="\d+" name="{name}"[^>]*>(.*?)</Selection>', text, re.S)
    if items is None:
        raise Failed(f"the model has no selection {name}")
    return [int(i) for i in re.findall(r'facet="(\d+)"', items.group(1))]


def peer_results(path):
    """Hits, desorbed, and the part that the outlet absorbed, of a file that molflowCLI wrote."""
    with zipfile.ZipFile(path) as archive:
        text = archive.read(next(n for n in archive.namelist() if n.endswith(".xml"))).decode()
    results = text[text.index("<MolflowResults"):]
    total = dict(re.findall(r'(\w+)="([^"]*)"', re.search(r"<Global>\s*<Hits ([^>]*)>", results).group(1)))
    facets = {int(i): dict(re.findall(r'(\w+)="([^"]*)"', hits))
              for i, hits in re.findall(r'<Facet id="(\d+)">\s*<Hits ([^>]*)>', results)}
    desorbed = sum(float(f["nbDes"]) for f in facets.values())
    absorbed = sum(float(facets[i]["nbAbsEquiv"]) for i in selected(text, "outlet"))
    return float(total["totalHit"]), desorbed, absorbed


def run_peer(peer, model, seconds, repetition):
    out = Path(peer.folder.name) / f"out{repetition}"
    # It needs the folders that lie beside it, and writes where it is run.
    peer.call("-f", model, "-t", seconds, "-j", 1, "--outputPath", out, "-o", "out.zip", "--noProgress", timeout=600)
    return peer_results(out / "out.zip")


def run_ours(ours, model, molecules):
    """Hits, and the transmission between the selections of the starter."""
    r = json.loads(ours.call("run", model, "-n", molecules, "--device", "cpu", "--threads", 1, "--json", "-q",
                             environment={"OMP_NUM_THREADS": "1"}))
    w = next(x for x in r["results"] if x["name"] == "transmission" and x["of"] == "inlet->outlet")
    return r["events"]["hits"], w["mean"], w["std_dev"]


def measure(peer, ours, sides, options):
    model = make_model(ours, sides)
    rates, desorbed, absorbed, mine = {"molflowCLI": [], "corpuscle": []}, 0, 0, None
    for repetition in range(options.repeat):
        hits, n, a = run_peer(peer, model, options.seconds, repetition)
        rates["molflowCLI"].append(hits / peer.user / 1e6)
        desorbed, absorbed = desorbed + n, absorbed + a
        hits, *mine = run_ours(ours, model, options.molecules)
        rates["corpuscle"].append(hits / ours.user / 1e6)
        print(f"n = {sides}, {repetition + 1} of {options.repeat}: " +
              ", ".join(f"{k} {v[-1]:.2f} MHit/s" for k, v in rates.items()), file=sys.stderr, flush=True)
    w = absorbed / desorbed
    return rates, (w, math.sqrt(w * (1 - w) / desorbed)), tuple(mine)


def rightness(sides, peer, mine):
    """Both against the exact value; raises if ours is off. Molflow stops in mid-flight, which makes its W too small."""
    if abs(mine[0] - exact(sides)) > SIGMAS * mine[1]:
        raise Failed(f"n = {sides}: W = {mine[0]} +- {mine[1]}, exact {exact(sides)}")
    return [[f"G(100,{sides})", who, f"{exact(sides):.7f}", f"{w:.6f}", f"{s:.6f}", f"{(w - exact(sides)) / s:+.1f}"]
            for who, (w, s) in (("molflowCLI", peer), ("corpuscle", mine))]


def rows_of(sides, rates):
    ratios = [b / a for a, b in zip(rates["molflowCLI"], rates["corpuscle"])]
    rows = []
    for who, values in rates.items():
        is_ours = who == "corpuscle"
        ratio = median(ratios) if is_ours else 1.0
        goal = GOAL if is_ours and sides == 100 else ""
        reached = "" if goal == "" else "aim" if ratio >= AIM else "yes" if ratio >= GOAL else "no"
        rows.append([f"G(100,{sides})", who, f"{median(values):.2f}", f"{100 * spread(values):.0f} %", f"{ratio:.2f}", goal,
                     AIM if goal else "", reached])
    return rows


def parse():
    parser = argparse.ArgumentParser(prog="bench/molflow.sh", description=__doc__)
    parser.add_argument("--program", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--repeat", type=int, default=3, help="alternations (3)")
    parser.add_argument("--seconds", type=int, default=10, help="of each run of molflowCLI (10)")
    parser.add_argument("--molecules", type=int, default=400000, help="of each run of ours (400000)")
    parser.add_argument("--sides", type=int, nargs="*", default=SIDES, help="of the tubes")
    parser.add_argument("--output", type=Path, default=ROOT / "bench" / "results", help="folder for the two result files")
    return parser.parse_args()


def main():
    options = parse()
    if not os.environ.get("MOLFLOWCLI"):
        raise SystemExit("molflow.sh: set MOLFLOWCLI to the program molflowCLI (2.9), built from its public sources")
    ours, peer = Program(options.program), Program(os.environ["MOLFLOWCLI"])
    for beside in ("parameter_catalog", "desorption_yields"):
        source = peer.path.parent / beside
        if source.is_dir():
            (Path(peer.folder.name) / beside).symlink_to(source)
    facts = {"date": today(), "program": ours.call("--version").strip(), "machine": machine(),
             "measured": f"wall hits over the user time of the whole process, one thread, median of {options.repeat} "
                         "alternations; ratios are medians of neighbouring runs"}
    rows, right, data = [], [], []
    for sides in options.sides:
        rates, theirs, mine = measure(peer, ours, sides, options)
        rows += rows_of(sides, rates)
        right += rightness(sides, theirs, mine)
        data.append({"sides": sides, "rates": rates, "molflow": theirs, "corpuscle": mine})
    text = table(["case", "program", "MHit/s", "spread", "x molflowCLI", "goal", "aim", "reached"], rows)
    check = table(["case", "program", "exact W", "W", "its sigma", "z"], right)
    commit = re.sub(r"^.*\((.*)\)$", r"\1", facts["program"])
    name = f"{facts['date']}-molflow-{slug(processor())}-{commit[:8]}"
    paths = save(options.output, name, "Against molflowCLI, one core", facts, [("Rates", text), ("Right", check)],
                 {"cases": data})
    print(f"{text}\n\n{check}")
    print("wrote " + " and ".join(map(str, paths)))
    return 1 if any(row[-1] == "no" for row in rows) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        sys.exit(f"molflow.sh: {failure}")
