"""Vacuum on a GPU: digests against the CPU, leaks, hits per second, sanitizers and, on request, tubes at 1e11 hits."""
import argparse
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from common import ROOT, Failed, Program, machine, median, slug, table, today
from gpu import Report, guarded

# Molecules, and GHit/s to reach and to aim for on one H200.
CASES = {
    "G(100,100)": ("gas-tube", ["length_over_radius=100", "sides=100"], 6e8, 7.5, 18),
    "G(100,1000)": ("gas-tube", ["length_over_radius=100", "sides=1000"], 4e8, 5.0, 12),
    "G(100,10000)": ("gas-tube", ["length_over_radius=100", "sides=10000"], 1.6e8, 2.7, 6),
    "G(100,100), 100 x 100 textures": ("gas-tube", ["length_over_radius=100", "sides=100"]
                                       + [f"facets.{f}.texture.{k}=100" for f in ("wall", "inlet", "outlet") for k in "uv"],
                                       4e8, 5.6, 13.5),
    "chamber, 1 M triangles": ("gas-chamber", ["bodies=104", "segments=100"], 1.6e7, 0.7, 1.5),
}
# With 100 x 100 textures no less than this part of the rate without.
TEXTURED = 0.75
BATCHES = 16
# Records with words and nodes in shared memory; the tree, with words in global memory; textures. Small: sanitizers are slow.
SANITIZED = {"tube": ("gas-tube", "length_over_radius=5", "sides=100"), "tree": ("gas-chamber", "bodies=8", "segments=24"),
             "textures": ("gas-tube", "length_over_radius=5", "sides=100", "facets.wall.texture.u=20", "facets.wall.texture.v=20")}
SMALL = {"G(100,100)": 20000, "G(100,1000)": 10000, "G(100,10000)": 3000, "G(100,100), 100 x 100 textures": 10000,
         "chamber, 1 M triangles": 3000}
# Circular tubes: Clausing's equation, eight digits; and W of Table 2 of Baehr and Lang, among others ("Development of a hardware-accelerated
# simulation kernel for ultra-high vacuum with Nvidia RTX GPUs"; 1e9 molecules, tubes of 100 walls): its GPU, its CPU. Two of its
# references are misprinted (L/R = 5: 0.3102523, 200: 0.0129948).
TUBES = {
    1: (0.67198390, 0.67192400, 0.67201900), 2: (0.51423053, 0.51416070, 0.51406400),
    5: (0.31052528, 0.31044060, 0.31041900), 8: (0.22526312, 0.22521630, 0.22526600),
    10: (0.19094243, 0.19090100, 0.19087900), 20: (0.10932071, 0.10928520, 0.10932500),
    50: (0.0484764, 0.04845371, 0.04847840), 80: (0.0312473, 0.03123623, 0.03123400),
    100: (0.02527636, 0.02526948, 0.02527330), 200: (0.01294476, 0.01294084, 0.01293520),
    500: (0.00526303, 0.00524651, 0.00524247), 1000: (0.0026476, None, None),
}


def gas_run(program, path, n, *extra, **keywords):
    return program.run(path, n, "--save-every", "24h", *extra, **keywords)


def make_models(program):
    folder, paths = Path(program.folder.name), {}
    for name, (starter, settings, *_) in CASES.items():
        paths[name] = folder / (slug(name) + ".yaml")
        arguments = [a for s in settings for a in ("--set", s)]
        program.call("new", starter, *arguments, "-o", paths[name])
    return paths


def digests(report, program, paths, device):
    rows = []
    for name, path in paths.items():
        ways = enumerate((["cpu"], [device], [device, "--batches", 5]))
        with ThreadPoolExecutor(3) as pool: # the large models take seconds to read
            cpu, gpu, again = pool.map(lambda way: gas_run(program, path, SMALL[name], "-o", f"digest{way[0]}.h5", "--device", *way[1]),
                                       ways)
        same = report.check(f"{name}: digest", cpu["digest"] == gpu["digest"] == again["digest"],
                            f"cpu {cpu['digest'][:12]}, gpu {gpu['digest'][:12]}, 5 batches {again['digest'][:12]}")
        rows.append([name, SMALL[name], cpu["digest"][:12], gpu["digest"][:12], same, cpu["events"]["leaks"]])
    report.section("Same integers", table(["model", "molecules", "CPU", "GPU", "equal", "leaks"], rows), "digests", rows)


def speed(report, program, paths, device, scale, repeats):
    rows, data = [], []
    for name, path in paths.items():
        n, goal, aim = CASES[name][2:]
        # A launch ends with its slowest molecule, so it must have many for the rate of the kernel to show; and of four batches
        # side by side the statistics would all come at the end, when the device waits.
        runs = [gas_run(program, path, max(int(n * scale), 1000), "--device", device, "--batches", BATCHES)
                for _ in range(repeats)]
        kernel = median([r["events"]["hits"] / r["device_seconds"] / 1e9 for r in runs if r["device_seconds"]])
        rates = [r["events"]["hits"] / r["seconds"] / 1e9 for r in runs]
        hits, leaks, rate = runs[0]["events"]["hits"], runs[0]["events"]["leaks"], median(rates)
        report.check(f"{name}: leaks", leaks == 0, f"{leaks} in {hits:.3g} hits")
        if scale == 1.0 and device.startswith("cuda"):
            report.check(f"speed of {name}", rate >= goal, f"{rate:.2f} below {goal} GHit/s")
        reached = "aim" if rate >= aim else "yes" if rate >= goal else "no"
        rows.append([name, f"{hits:.3g}", leaks, f"{runs[0]['seconds']:.2f}", f"{rate:.3f}", f"{kernel:.3f}", goal, aim, reached])
        data.append({"case": name, "hits": hits, "leaks": leaks, "rate_ghit": rates, "kernel_ghit": kernel, "digest": runs[0]["digest"]})
    head = ["case", "hits", "leaks", "seconds", "GHit/s", "of the kernel", "goal", "aim", "reached"]
    both = {d["case"]: median(d["rate_ghit"]) for d in data}
    plain, textured = both.get("G(100,100)"), both.get("G(100,100), 100 x 100 textures")
    line = ""
    if plain and textured:
        line = f"\n\nWith textures {textured / plain:.2f} of the rate without (goal {TEXTURED})."
        if scale == 1.0 and device.startswith("cuda"):
            report.check("textures against none", textured >= TEXTURED * plain, f"{textured / plain:.2f}")
    report.section(f"Speed (median of {repeats}; wall time from the first launch to the last statistics, {BATCHES} batches)",
                   table(head, rows) + line, "speed", data)


def sanitize(report, program, device, seconds):
    tool = shutil.which("compute-sanitizer") or shutil.which("compute-sanitizer", path="/usr/local/cuda/bin")
    if tool is None or not device.startswith("cuda"):
        report.section("compute-sanitizer", "Not run.", "sanitizer", None)
        return
    folder, rows = Path(program.folder.name), []
    paths = {}
    for name, (starter, *settings) in SANITIZED.items():
        paths[name] = folder / (slug(name) + ".yaml")
        program.call("new", starter, *[a for s in settings for a in ("--set", s)], "-o", paths[name])
    for check in ("memcheck", "racecheck"):
        for name in SANITIZED:
            prefix = [tool, "--tool", check, "--error-exitcode", "9", "--log-file", folder / "log"]
            try:
                gas_run(program, paths[name], 300, "--device", device, "--batches", 2, prefix=prefix, timeout=seconds)
                outcome = report.check(f"{check} {name}", True)
            except subprocess.TimeoutExpired:
                outcome = f"not ended in {seconds} s"
            except Failed as failure:
                log = (folder / "log").read_text() if (folder / "log").exists() else ""
                text = log + str(failure)
                unsupported = "Device not supported" in text or "Unable to" in text
                outcome = "not supported here" if unsupported else report.check(f"{check} {name}", False, text[-800:])
            rows.append([check, name, outcome])
    report.section("compute-sanitizer", table(["tool", "model", "result"], rows), "sanitizer", rows)


def accuracy(report, program, device, hits, ratios):
    rows, data, folder = [], [], Path(program.folder.name)
    for ratio in ratios:
        exact, paper_gpu, paper_cpu = TUBES[ratio]
        path = folder / "accurate.yaml"
        program.call("new", "gas-tube", "--set", f"length_over_radius={ratio}", "--set", "sides=200", "--set", "equal_area=1",
                     "-o", path)
        n = hits * (1.0 if ratio == 100 else 0.2)
        r = gas_run(program, path, int(n / (1 + ratio)), "--device", device)
        w = next(x for x in r["results"] if x["name"] == "transmission" and x["of"] == "inlet->outlet")
        off, sigma = w["mean"] / exact - 1, w["std_dev"] / exact
        right = report.check(f"L/R = {ratio}", abs(off) < 5 * sigma + 4.2e-5, f"{off:+.1e} +- {sigma:.1e}")
        rows.append([ratio, f"{r['events']['hits']:.2g}", r["events"]["leaks"], f"{w['mean']:.8f}", exact, f"{off:+.1e}",
                     f"{sigma:.1e}", right, *("-" if p is None else f"{p / exact - 1:+.1e}" for p in (paper_gpu, paper_cpu))])
        data.append({"length_over_radius": ratio, "mean": w["mean"], "std_dev": w["std_dev"], "exact": exact,
                     "leaks": r["events"]["leaks"], "hits": r["events"]["hits"], "seconds": r["seconds"]})
    head = ["L/R", "hits", "leaks", "W", "exact", "W/exact - 1", "1 sigma", "", "paper's GPU", "paper's CPU"]
    # 200 walls of the circle's area: the perimeter, and 1 - W of short tubes with it, is larger by pi^2 / (6 n^2) = 4.1e-5.
    report.section("Circular tubes (200 walls, equal area)", table(head, rows), "accuracy", data)


def parse():
    parser = argparse.ArgumentParser(prog="bench/gpu_gas.py", description=__doc__)
    parser.add_argument("--program", default=os.environ.get("CORPUSCLE", str(ROOT / "build" / "corpuscle")))
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--scale", type=float, default=1.0, help="molecules of the speed part, as a part of the full numbers")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", default="digests,speed,sanitizer")
    parser.add_argument("--cases", default="", help="only those whose name has this in it")
    parser.add_argument("--accuracy", action="store_true", help="also tubes, L/R = 100 at 1e11 hits")
    parser.add_argument("--accuracy-hits", type=float, default=1e11, help="at L/R = 100; a fifth of it at others")
    parser.add_argument("--ratios", default=",".join(map(str, TUBES)), help="L/R of the tubes, by comma")
    parser.add_argument("--sanitizer-seconds", type=float, default=15.0)
    parser.add_argument("--output", type=Path, default=ROOT / "bench" / "results")
    return parser.parse_args()


def main():
    options = parse()
    program, report = Program(options.program), Report()
    program.environment.setdefault("CORPUSCLE_CACHE", os.path.join(program.folder.name, "kernels"))
    paths = {k: v for k, v in make_models(program).items() if options.cases in k}
    first = gas_run(program, paths[next(iter(paths))], 1000, "--device", options.device)
    facts = {"date": today(), "program": program.call("--version").strip(), "machine": machine(),
             "device": first["device"], "commit": first["commit"]}
    report.begin(options.output, facts, "gpu-gas", "Vacuum on a GPU")
    only = options.only.split(",")
    if "speed" in only:
        guarded(report, speed, program, paths, options.device, options.scale, options.repeats)
    if "digests" in only:
        guarded(report, digests, program, paths, options.device)
    if options.accuracy:
        guarded(report, accuracy, program, options.device, options.accuracy_hits, [int(r) for r in options.ratios.split(",")])
    if "sanitizer" in only and not options.cases:
        guarded(report, sanitize, program, options.device, options.sanitizer_seconds)
    return report.finish()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        sys.exit(f"gpu_gas.py: {failure}")
