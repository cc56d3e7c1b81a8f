"""Check and time a GPU: digests against the CPU, sanitizers, speed, small runs and, on request, accuracy."""
import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from common import EXACT, EXAMPLES, ROOT, Failed, Program, machine, median, save, slug, table, today

# Thousand photons/ms to reach and to aim for on one H200, and what GPU-MCML ("fast") does there.
GOALS = {
    ("5-layer 633 nm", "strict"): (1050, 1400), ("7-layer 600 nm", "strict"): (310, 420),
    ("5-layer 633 nm", "fast"): (1300, 1700), ("7-layer 600 nm", "fast"): (390, 520),
}
GPU_MCML = {"5-layer 633 nm": 619, "7-layer 600 nm": 182}
# The goal of accuracy, relative to the exact value.
TOLERANCE = {"Rd": 6e-5, "Tt": 2e-4}

DRIVER_START = """
import ctypes, time
start = time.perf_counter()
cuda = ctypes.CDLL("libcuda.so.1")
device, context = ctypes.c_int(), ctypes.c_void_p()
assert cuda.cuInit(0) == 0 and cuda.cuDeviceGet(ctypes.byref(device), 0) == 0
assert cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device) == 0
print(time.perf_counter() - start)
"""


class Report:
    """Prints as it goes, remembers what failed, and writes the result files after every part, so that a run that is cut
    short loses nothing."""

    def __init__(self):
        self.sections, self.data, self.failures = [], {}, []
        self.where = None

    def begin(self, folder, facts, what, title):
        """Result files are DATE-WHAT-DEVICE-COMMIT in that folder. `facts`: date, device, commit and more, for their heads."""
        device = re.sub(r"^[^(]*[(](.*)[)]$", r"\1", facts["device"])
        self.where = (folder, f"{facts['date']}-{what}-{slug(device)}-{facts['commit'][:8]}", title, facts)
        self.say("\n".join(f"{k}: {v}" for k, v in facts.items()))

    def save(self):
        failures = "\n".join(f"- {f}" for f in self.failures) or "None."
        sections = self.sections + [("What failed", failures)]
        return sections, save(*self.where, sections, {**self.data, "failures": self.failures})

    def finish(self):
        """Print all tables; the exit code."""
        sections, paths = self.save()
        print("\n".join(f"\n{head}\n{body}" for head, body in sections))
        print("wrote " + " and ".join(map(str, paths)))
        return 1 if self.failures else 0

    def say(self, text):
        print(text, file=sys.stderr, flush=True)

    def check(self, what, is_right, why=""):
        if not is_right:
            self.failures.append(f"{what}: {why}" if why else what)
            self.say(f"FAILED {what} {why}")
        return "ok" if is_right else "FAILED"

    def section(self, head, body, key, data):
        self.sections.append((head, body))
        self.data[key] = data
        self.say(f"\n{head}\n{body}")
        self.save()


def yaml_models(program):
    """Models that .mci files cannot express: with fluence, and with a backward scatterer."""
    folder = Path(program.folder.name)
    program.call("new", "light-skin7", "-o", folder / "skin7_fluence.yaml")
    glass = (EXAMPLES / "glass_tissue_glass.mci")
    program.call("convert", glass, "-o", folder / "glass_fluence.yaml")
    text = (folder / "glass_fluence.yaml").read_text()
    changed = re.sub(r"fluence: *false", "fluence: true", text)
    (folder / "glass_fluence.yaml").write_text(changed)
    return [folder / "skin7_fluence.yaml", folder / "glass_fluence.yaml"]


def digest_cases(program, scale):
    cases = [(EXAMPLES / "skin5_633.mci", 2e6), (EXAMPLES / "skin7.mci", 1e6)]
    others = sorted(p for p in EXAMPLES.glob("*.mci") if p.stem not in ("skin5_633", "skin7", "two_runs"))
    cases += [(p, 2e5) for p in others] + [(p, 1e5) for p in yaml_models(program)]
    return [(path, max(int(n * scale), 1000)) for path, n in cases]


def check_lanes(report, name, r):
    """Every photon ended once, none was lost, and the weight adds up."""
    events, mean = r["events"], r["mean"]
    report.check(f"{name}: photons ended", events["ended_photons"] == r["histories"],
                 f"{events['ended_photons']} of {r['histories']}")
    for fault in ("lost_photons", "step_limit_photons", "dropped_weight"):
        report.check(f"{name}: {fault}", events[fault] == 0, str(events[fault]))
    total = sum(mean[k] for k in ("Rsp", "Rd", "Tt", "A"))
    report.check(f"{name}: Rsp + Rd + Tt + A", abs(total - 1.0) < 1e-12, repr(total))


def check_digests(report, program, device, scale):
    rows, data = [], []
    for path, n in digest_cases(program, scale):
        cpu = program.run(path, n, "--device", "cpu")
        gpu = program.run(path, n, "--device", device)
        other = program.run(path, n, "--device", device, "--batches", 5)
        fast = program.run(path, n, "--device", device, "--math", "fast")
        fast_again = program.run(path, n, "--device", device, "--math", "fast", "--batches", 7)
        for what, r in ((f"{path.stem} on the CPU", cpu), (f"{path.stem} strict", gpu), (f"{path.stem} fast", fast)):
            check_lanes(report, what, r)
        same = report.check(f"{path.stem}: strict digest", gpu["digest"] == cpu["digest"] == other["digest"],
                            f"cpu {cpu['digest'][:12]}, {device} {gpu['digest'][:12]}, 5 batches {other['digest'][:12]}")
        steady = report.check(f"{path.stem}: fast digest by batches", fast["digest"] == fast_again["digest"])
        # The same photons in other arithmetic: they differ far less than independent ones would.
        z = {k: (fast["mean"][k] - gpu["mean"][k]) / gpu["std_dev"][k] for k in ("Rd", "A") if gpu["std_dev"][k]}
        worst = max(map(abs, z.values()), default=0.0)
        report.check(f"{path.stem}: fast against strict", worst < 3.0, f"{worst:.2f} standard errors")
        rows.append([path.stem, n, cpu["digest"][:12], gpu["digest"][:12], same, steady, f"{worst:.2f}"])
        data.append({"model": path.stem, "histories": n, "cpu": cpu["digest"], "gpu": gpu["digest"],
                     "fast": fast["digest"], "fast_minus_strict_in_sigma": z})
    head = ["model", "photons", "CPU", "GPU", "equal", "fast, other batches", "fast - strict (sigma)"]
    report.section("Same integers", table(head, rows), "digests", data)


def check_resumed(report, program, device, scale):
    """Fast math too gives one digest, whether a run was stopped and extended or not."""
    folder, n = Path(program.folder.name), max(int(1e6 * scale), 3200) // 32 * 32
    rows = []
    for math in ("strict", "fast"):
        model = EXAMPLES / "skin5_633.mci"
        whole = program.run(model, n, "--device", device, "--math", math)
        if whole["math"] != math:  # a CPU, which has one math only
            continue
        program.run(model, n // 4, "--batches", 8, "--device", device, "--math", math, "-o", folder / "part.h5")
        resumed = program.run(model, n, "--device", device, "--math", math, "--restart", folder / "part.h5",
                              "-o", folder / "part.h5")
        rows.append([math, n, report.check(f"resumed in {math} math", whole["digest"] == resumed["digest"])])
    report.section("A run resumed at a quarter", table(["math", "photons", "same digest"], rows), "resumed", rows)


def sanitize(report, program, device, seconds):
    tool = shutil.which("compute-sanitizer") or shutil.which("compute-sanitizer", path="/usr/local/cuda/bin")
    if tool is None or not device.startswith("cuda"):
        report.section("compute-sanitizer", "Not run: " + ("there is no such program." if tool is None else
                       f"{device} is no CUDA device."), "sanitizer", None)
        return
    folder = Path(program.folder.name)
    models = [EXAMPLES / "skin5_633.mci", EXAMPLES / "glass_tissue_glass.mci", EXAMPLES / "manual3.mci",
              folder / "glass_fluence.yaml"]
    rows = []
    for check in ("memcheck", "racecheck", "initcheck", "synccheck"):
        for model in models if check in ("memcheck", "racecheck") else models[:1]:
            prefix = [tool, "--tool", check, "--error-exitcode", "9"]
            try:
                program.run(model, 2000, "--device", device, "--batches", 2, prefix=prefix + ["--log-file", folder / "log"],
                            timeout=seconds)
                outcome = report.check(f"{check} {model.stem}", True)
            except subprocess.TimeoutExpired:
                outcome = f"not ended in {seconds} s"
            except Failed as failure:
                log = (folder / "log").read_text() if (folder / "log").exists() else ""
                text = log + str(failure)
                unsupported = "Device not supported" in text or "Unable to" in text
                outcome = "not supported here" if unsupported else report.check(f"{check} {model.stem}", False, text[-800:])
            rows.append([check, model.stem, outcome])
    report.section("compute-sanitizer, 2000 photons", table(["tool", "model", "result"], rows), "sanitizer", rows)


def speed(report, program, device, scale):
    rows, data = [], []
    for math in ("strict", "fast"):
        if scale == 1.0:
            measured = program.bench("--device", device, "--math", math)
        else:
            measured = program.bench("--device", device, "--math", math, "-n", int(1e6 * scale * 100))
        for m in measured:
            goal, aim = GOALS[m["case"], math]
            rate, wall = m["rate"]["value"] / 1e3, m["histories"] / m["seconds"] / 1e6
            reached = "aim" if rate >= aim else "yes" if rate >= goal else "no"
            rows.append([m["case"], m["math"], f"{m['histories']:.3g}", f"{m['seconds']:.3f}", f"{wall:.4g}", f"{rate:.4g}",
                         f"{rate / GPU_MCML[m['case']]:.2f}", goal, aim, reached])
            data.append({**m, "goal": goal, "aim": aim})
            if scale == 1.0 and device.startswith("cuda"):
                report.check(f"speed of {m['case']}, {math}", rate >= goal, f"{rate:.1f} below {goal} thousand photons/ms")
    head = ["case", "math", "photons", "seconds", "k photons/ms", "in kernels", "x GPU-MCML", "goal", "aim", "reached"]
    report.section("Speed in thousand photons/ms (median of three; GPU-MCML: 619 and 182 on an H200)", table(head, rows),
                   "speed", data)


def driver_start():
    """Seconds until a fresh process has a context on the GPU, whatever program it runs; None without a driver."""
    times = []
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", DRIVER_START], capture_output=True, text=True)
        if done.returncode != 0:
            return None
        times.append(float(done.stdout))
    return median(times)


def small_runs(report, program, device):
    """The whole program, from its start to its end, kernel in the cache; and the first time, when it is compiled."""
    model, start = EXAMPLES / "skin5_633.mci", driver_start()
    rows, data = [], []
    cache = Path(program.folder.name) / "cache"
    for name, extra, environment in (("first run, nothing cached", ["--device", device], {"CORPUSCLE_CACHE": str(cache)}),
                                     ("cached", ["--device", device], {"CORPUSCLE_CACHE": str(cache)}),
                                     ("--device auto", [], {"CORPUSCLE_CACHE": str(cache)})):
        walls = []
        for _ in range(1 if name.startswith("first") else 5):
            r = program.run(model, 1e5, *extra, environment=environment)
            walls.append(program.wall)
        wall, uses_gpu = median(walls), not r["device"].startswith("cpu")
        beyond = wall - (start or 0.0) if uses_gpu else wall
        if name == "cached":
            report.check("1e5 photons in half a second beyond the driver's start", beyond < 0.5, f"{beyond:.3f} s")
        rows.append([name, r["device"].split(" ")[0], f"{wall:.3f}", f"{beyond:.3f}", f"{r['seconds']:.3f}"])
        data.append({"run": name, "device": r["device"], "wall": wall, "beyond_driver": beyond, "transport": r["seconds"]})
    text = "none" if start is None else f"{start:.3f} s"
    head = ["1e5 photons, 5 layers", "device", "wall (s)", "beyond driver (s)", "transport (s)"]
    report.section(f"Small runs (the driver's own start: {text})", table(head, rows), "small_runs",
                   {"driver_start": start, "runs": data})


def accuracy(report, program, device, histories):
    rows, data = [], []
    for name, exact in EXACT.items():
        for math in ("strict", "fast"):
            r = program.run(EXAMPLES / f"{name}.mci", histories, "--device", device, "--math", math)
            for k, value in exact.items():
                off, sigma = r["mean"][k] / value - 1.0, r["std_dev"][k] / value
                # At fewer photons than asked for, the noise of the run is allowed for.
                limit = TOLERANCE[k] + (0.0 if histories >= 1e10 else 5.0 * sigma)
                right = report.check(f"{name} {math}: {k} at {histories:.0e} photons", abs(off) < limit, f"{off:+.2e}")
                rows.append([name, math, k, f"{r['mean'][k]:.8f}", value, f"{off:+.1e}", f"{sigma:.1e}", TOLERANCE[k], right])
                data.append({"model": name, "math": math, "name": k, "mean": r["mean"][k], "exact": value,
                             "relative": off, "sigma": sigma, "seconds": r["seconds"], "digest": r["digest"]})
    head = ["model", "math", "", "mean", "exact", "mean/exact - 1", "1 sigma", "limit", ""]
    report.section(f"Accuracy, {histories:.0e} photons", table(head, rows), "accuracy", data)


def parse():
    parser = argparse.ArgumentParser(prog="bench/gpu.sh", description=__doc__)
    parser.add_argument("--program", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--device", default="cuda:0", help="cuda:0 (default), opencl:0, or cpu to try the script itself")
    parser.add_argument("--accuracy", action="store_true", help="also 1e10 photons of both skin models, strict and fast")
    parser.add_argument("--accuracy-histories", type=float, default=1e10, help="so many instead of 1e10")
    parser.add_argument("--scale", type=float, default=1.0, help="photons of all other runs, as a part of the full numbers")
    parser.add_argument("--only", default="digests,resumed,sanitizer,speed,small,accuracy", help="parts to run, by comma")
    parser.add_argument("--sanitizer-seconds", type=float, default=60.0, help="time for each call of compute-sanitizer")
    parser.add_argument("--plain", help="path of test_cross_plain_cuda: also time the plain nested kernel")
    parser.add_argument("--output", type=Path, default=ROOT / "bench" / "results", help="folder for the two result files")
    return parser.parse_args()


def guarded(report, part, *arguments):
    """One part that breaks must not lose the others."""
    try:
        part(report, *arguments)
    except (Failed, OSError, KeyError, ValueError, subprocess.SubprocessError) as error:
        report.check(part.__name__, False, f"{type(error).__name__}: {error}")


def main():
    options = parse()
    program, report = Program(options.program), Report()
    program.environment.setdefault("CORPUSCLE_CACHE", os.path.join(program.folder.name, "kernels"))
    only, device = options.only.split(","), options.device
    facts = {"date": today(), "program": program.call("--version").strip(), "machine": machine()}
    first = program.run(EXAMPLES / "skin5_633.mci", 1000, "--device", device)
    facts["device"], facts["commit"] = first["device"], first["commit"]
    devices = [line for line in program.call("info", "devices").splitlines() if line.startswith(device)]
    facts["driver"] = re.sub(r" +", " ", devices[0]) if devices else "?"
    report.begin(options.output, facts, "gpu", "Checks and speed on a GPU")
    if "speed" in only:
        guarded(report, speed, program, device, options.scale)
    if "small" in only:
        guarded(report, small_runs, program, device)
    if "digests" in only:
        guarded(report, check_digests, program, device, options.scale)
    if "resumed" in only:
        guarded(report, check_resumed, program, device, options.scale)
    if options.accuracy and "accuracy" in only:
        guarded(report, accuracy, program, device, options.accuracy_histories)
    if options.plain:
        text = subprocess.run([options.plain, "--time"], capture_output=True, text=True)
        report.check("plain kernel", text.returncode == 0, text.stderr[-500:])
        lines = [line for line in text.stdout.splitlines() if "photons/ms" in line]
        report.section("The plain nested kernel", "\n".join(f"- {line}" for line in lines), "plain", lines)
    if "sanitizer" in only:
        yaml_models(program)
        guarded(report, sanitize, program, device, options.sanitizer_seconds)
    return report.finish()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        sys.exit(f"gpu.sh: {failure}")
