"""Vacuum on the ray tracer of a GPU (device optix): the published study again, speed and leaks against their goals, transmission
against exact values, the precision of single against double precision."""
import argparse
import json
import math
import os
import sys
from pathlib import Path

from common import ROOT, Failed, Program, machine, slug, table, today
from gpu import Report, guarded
from gpu_gas import TUBES, gas_run

# GHit/s to reach on one H200, whose ray tracer works without units, with triangles; leaks a hit with both safeguards.
GOALS = {100: 2.5, 1000: 1.6}
MOST_LEAKS = 1e-7
EXPERIMENTS = ("mesh", "threads", "copies", "random", "safeguards")
# What the study gives in its text: misses a hit, tube of 1000 walls.
STUDY_MISSES = {"culling": "1.35e-7", "offset": "1.44e-6", "both": "5.3e-11"}


def make_tube(program, ratio, sides, equal_area):
    path = Path(program.folder.name) / f"tube-{ratio}-{sides}-{equal_area}.yaml"
    if not path.exists():
        program.call("new", "gas-tube", "--set", f"length_over_radius={ratio}", "--set", f"sides={sides}", "--set",
                     f"equal_area={equal_area}", "-o", path)
    return path


def transmission(r):
    w = next(x for x in r["results"] if x["name"] == "transmission" and x["of"] == "inlet->outlet")
    return w["mean"], w["std_dev"]


def speed(report, program, device, scale):
    """The rate of a long run, by its wall time: launches overlap, as they do for users."""
    rows, data = [], []
    for sides, goal in GOALS.items():
        path, n = make_tube(program, 100, sides, 0), int(1.2e8 * scale)
        for name, where in (("optix, triangles", [device]), ("optix, positions facet", [device, "--set", "optix.positions=facet"]),
                            ("cuda", [device.replace("optix", "cuda")])):
            gas_run(program, path, 1000, "--device", *where)  # programs are made before the clock runs
            r = gas_run(program, path, max(n, 1000), "--device", *where, "--batches", 4)
            hits, leaks = r["events"]["hits"], r["events"]["leaks"]
            rate = hits / r["seconds"] / 1e9
            reached = "-"
            if name == "optix, triangles" and scale >= 1.0 and device.startswith("optix"):
                reached = report.check(f"{sides} walls: speed", rate >= goal, f"{rate:.2f} of {goal} GHit/s")
                report.check(f"{sides} walls: leaks", leaks < MOST_LEAKS * hits, f"{leaks} in {hits:.3g}")
            rows.append([sides, name, f"{hits:.3g}", f"{r['seconds']:.2f}", f"{rate:.3f}", goal if "tri" in name else "-", reached,
                         f"{leaks / hits:.1e}"])
            data.append({"sides": sides, "device": name, "hits": hits, "leaks": leaks, "seconds": r["seconds"], "digest": r["digest"]})
    head = ["walls", "device", "hits", "seconds", "GHit/s", "goal", "reached", "leaks a hit"]
    report.section("Speed and leaks, L/R = 100", table(head, rows), "speed", data)


def study(report, program, device, experiments, histories, folder):
    """The tables of `corpuscle bench gas-optix`; of EXPERIMENT.jsonl in the folder, where it is given, which has its lines."""
    for experiment in experiments:
        extra = [] if histories is None else ["-n", int(histories)]
        if folder is not None:
            text = (folder / f"{experiment}.jsonl").read_text()
        else:
            text = program.call("bench", f"gas-optix:{experiment}", "--device", device, "--json", "-q", *extra)
        data = [json.loads(line) for line in text.splitlines()]
        rows = {}
        for d in data:
            row = rows.setdefault(d["variant"], {})
            row[d["walls"]] = d
        lines = []
        for variant, row in rows.items():
            line = [variant]
            for walls in (100, 1000):
                if walls not in row:
                    line += ["-", "-"]
                    continue
                line += [f"{row[walls]['rate']['value']:.0f}", f"{row[walls]['leaks_per_hit']:.1e}"]
                known = row[walls].get("study")
                if experiment == "mesh":
                    line += [known["rtx2060"], known["rtx3090"]]
            if experiment == "safeguards":
                line.append(STUDY_MISSES.get(variant.split(",")[0], "-") if "ray" in variant else "-")
            lines.append(line)
        each = ["MHit/s, {}", "leaks a hit"] + (["RTX 2060", "RTX 3090"] if experiment == "mesh" else [])
        head = [experiment] + [h.format(walls) for walls in (100, 1000) for h in each]
        head += ["study's misses, 1000 walls"] if experiment == "safeguards" else []
        report.section(f"The study: {experiment}", table(head, lines), f"study_{experiment}", data)


def check_same(report, program, device):
    """What is varied for speed changes no digit; and results agree with the CPU's by z-score."""
    path, rows = make_tube(program, 100, 100, 0), []
    settings = ["optix.threads=65536", "optix.copies=1", "optix.batch=4", "optix.depth=1", "optix.depth=16", "optix.registers=64"]
    base = gas_run(program, path, 1e6, "--device", device)
    for s in settings:
        r = gas_run(program, path, 1e6, "--device", device, "--set", s)
        rows.append([s, r["digest"][:12], report.check(f"digest with {s}", r["digest"] == base["digest"])])
    report.section("The same digits", table(["setting", "digest", "as without"], rows), "same", rows)


def compare(report, program, device):
    """Every number of the summary against the CUDA device's, other seed: z-scores."""
    rows = []
    cases = {"tube": ("gas-tube", ["length_over_radius=10", "sides=100"]), "elbow": ("gas-elbow", ["arm_in=2", "arm_out=1"]),
             "chamber": ("gas-chamber", ["bodies=1", "segments=8"]),
             "rough tube": ("gas-tube", ["length_over_radius=10", "sides=60", "facets.wall.reflection.diffuse=0.7",
                                         "facets.wall.reflection.specular=0.2", "facets.wall.sticking=0.01",
                                         "facets.wall.accommodation=0.5"]),
             "two-sided tube": ("gas-tube", ["length_over_radius=10", "sides=60", "facets.wall.two_sided=true"])}
    for name, (starter, settings) in cases.items():
        path = Path(program.folder.name) / f"{slug(name)}.yaml"
        program.call("new", starter, *[a for s in settings for a in ("--set", s)], "-o", path)
        n = 4e5 if name == "chamber" else 4e6
        other = gas_run(program, path, n, "--device", device.replace("optix", "cuda"), "--seed", 7)
        for mesh in ("triangles", "polygons"):
            r = gas_run(program, path, n, "--device", device, "--set", f"optix.mesh={mesh}")
            z = []
            for a, b in zip(r["results"], other["results"]):
                s = math.hypot(a["std_dev"], b["std_dev"])
                if s > 0 and a["name"] != "leaks":
                    z.append((abs(a["mean"] - b["mean"]) / s, a["name"], a["of"]))
            worst = max(z, key=lambda x: x[0])
            right = report.check(f"{name}, {mesh}: z", worst[0] < 6.5, str(worst))
            rows.append([name, mesh, len(z), f"{worst[0]:.1f}", f"{worst[1]} {worst[2]}", right, r["events"]["leaks"],
                         f"{r['events']['hits']:.2g}"])
    head = ["model", "mesh", "numbers", "largest z", "of", "", "leaks", "hits"]
    report.section("Against the CUDA device (4e6 molecules, chamber 4e5, other seed)", table(head, rows), "compare", rows)


def tubes(report, program, device, histories, ratios):
    rows, data = [], []
    for ratio in ratios:
        exact, paper_gpu, paper_cpu = TUBES[ratio]
        r = gas_run(program, make_tube(program, ratio, 200, 1), histories, "--device", device, "--batches", 16)
        mean, sigma = transmission(r)
        leaks, hits = r["events"]["leaks"], r["events"]["hits"]
        # 200 walls of the circle's area: the perimeter, and 1 - W of short tubes with it, is larger by pi^2 / (6 n^2) = 4.1e-5.
        z = max(0.0, abs(mean - exact) - 4.2e-5 * exact) / math.sqrt(exact * (1 - exact) / r["histories"])
        right = report.check(f"L/R = {ratio}", z < 5.1, f"{mean:.8f} for {exact}")
        rows.append([ratio, f"{r['histories']:.2g}", f"{hits:.2g}", leaks, f"{mean:.8f}", exact, f"{mean / exact - 1:+.1e}",
                     f"{sigma / exact:.1e}", f"{z:.1f}", right, f"{hits / r['seconds'] / 1e9:.2f}",
                     *("-" if p is None else f"{p / exact - 1:+.1e}" for p in (paper_gpu, paper_cpu))])
        data.append({"length_over_radius": ratio, "histories": r["histories"], "mean": mean, "std_dev": sigma, "exact": exact,
                     "leaks": leaks, "hits": hits, "seconds": r["seconds"]})
        head = ["L/R", "molecules", "hits", "leaks", "W", "exact", "W/exact - 1", "1 sigma", "z", "", "GHit/s", "study's GPU",
                "study's CPU"]
        report.sections = [s for s in report.sections if not s[0].startswith("Transmission")]
        report.section("Transmission of tubes (200 walls, equal area)", table(head, rows), "tubes", data)


def precision(report, program, device, histories):
    """The study's figure 7: 50 sets of molecules, single against double precision of geometry and rays."""
    exact, rows, data = TUBES[100][0], [], []
    text = program.call("bench", "gas-optix:precision", "--device", device, "--json", "-q", "-n", int(histories))
    for d in map(json.loads, text.splitlines()):
        # The study's tubes are inscribed: W is lower than the circle's by pi^2 / (3 n^2).
        expected = exact * (1 - math.pi ** 2 / (3 * d["walls"] ** 2))
        sigma = math.sqrt(exact * (1 - exact) / (d["runs"] * d["histories"]))
        z = (d["mean"] - expected) / sigma
        right = report.check(f"{d['variant']}, {d['walls']} walls", abs(z) < 5.1, f"z = {z:.1f}")
        rows.append([d["walls"], d["variant"], d["runs"], f"{d['histories']:.0e}", f"{d['mean']:.7f}",
                     f"{d['least']:.6f} to {d['largest']:.6f}", f"{d['mean'] - exact:+.1e}", f"{expected:.7f}", f"{z:+.1f}", right,
                     f"{d['leaks_per_hit']:.1e}"])
        data.append(d)
    head = ["walls", "geometry", "runs", "molecules", "mean W", "span", "mean - circle's W", "polygon's W", "z", "", "leaks a hit"]
    report.section(f"Precision (exact W of the circular tube {exact})", table(head, rows), "precision", data)


def parse():
    parser = argparse.ArgumentParser(prog="bench/gpu_optix.py", description=__doc__)
    parser.add_argument("--program", default=os.environ.get("CORPUSCLE", str(ROOT / "build" / "corpuscle")))
    parser.add_argument("--device", default="optix:0")
    parser.add_argument("--only", default="speed,study,same,compare,tubes,precision", help="parts to run, by comma")
    parser.add_argument("--scale", type=float, default=1.0, help="molecules of the speed part, as a part of the full numbers")
    parser.add_argument("--experiments", default=",".join(EXPERIMENTS), help="of the study")
    parser.add_argument("--study-histories", type=float, help="molecules of each row of the study")
    parser.add_argument("--study-lines", type=Path, help="folder with what `bench gas-optix:EXPERIMENT --json` printed before")
    parser.add_argument("--ratios", default=",".join(str(r) for r in TUBES if r <= 500), help="L/R of the tubes, by comma")
    parser.add_argument("--histories", type=float, default=1e9, help="molecules of each tube")
    parser.add_argument("--precision-histories", type=float, default=1e7, help="molecules of each of the 50 sets")
    parser.add_argument("--output", type=Path, default=ROOT / "bench" / "results")
    return parser.parse_args()


def main():
    options = parse()
    program, report = Program(options.program), Report()
    program.environment.setdefault("CORPUSCLE_CACHE", os.path.join(program.folder.name, "kernels"))
    first = gas_run(program, make_tube(program, 100, 100, 0), 1000, "--device", options.device)
    devices = [line for line in program.call("info", "devices").splitlines() if line.startswith(options.device)]
    facts = {"date": today(), "program": program.call("--version").strip(), "machine": machine(), "device": first["device"],
             "commit": first["commit"], "driver": " ".join(devices[0].split()) if devices else "?"}
    only = options.only.split(",")
    report.begin(options.output, facts, "gpu-optix-" + slug("-".join(only)) if len(only) < 6 else "gpu-optix",
                 "Vacuum on the ray tracer of a GPU")
    if "speed" in only:
        guarded(report, speed, program, options.device, options.scale)
    if "same" in only:
        guarded(report, check_same, program, options.device)
    if "compare" in only:
        guarded(report, compare, program, options.device)
    if "study" in only:
        guarded(report, study, program, options.device, options.experiments.split(","), options.study_histories,
                options.study_lines)
    if "tubes" in only:
        guarded(report, tubes, program, options.device, options.histories, [int(r) for r in options.ratios.split(",")])
    if "precision" in only:
        guarded(report, precision, program, options.device, options.precision_histories)
    return report.finish()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        sys.exit(f"gpu_optix.py: {failure}")
