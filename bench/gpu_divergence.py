#!/usr/bin/env python3
"""
The divergence tool on a GPU, in two steps, since the machine with the GPU may lack LLVM and the machine with LLVM a GPU:

    bench/gpu_divergence.py build FOLDER [--hecbench SOURCES] [--profiles FOLDER/profiles]   here: needs the build and a CUDA toolkit
    python3 FOLDER/gpu_divergence.py run FOLDER [--limit SECONDS]                            there: needs a driver and, for HeCBench,
                                                                                             libcudart.so; tables on standard output

`run` compares every variant's results with the original's bit by bit (HeCBench programs: what they print, without times), and
leaves records of trip counts in profiles.tar; unpack it here, and a second `build --profiles` lets the model use them.
HeCBench (zjin-lcf/HeCBench) is fetched by you, built outside this tree, and nothing of it is kept here.
"""
import argparse
import concurrent.futures
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
THREADS, BLOCK = 270336, 256

# kernel, cells (second argument), first argument, transform parameters to force
NESTS = ["nest_4_1", "nest_16_1", "nest_64_1", "nest_16_64", "nest_64_64"]
RARE = ["rare_64_16", "rare_256_16", "rare_256_64"]
SIDES = [f"{kind}_{shape}" for kind in ("sides", "given") for shape in ("2_64", "8_8", "32_32", "64_16")]
SPREADS = {0: "constant", 1: "uniform", 2: "geometric", 3: "bimodal"}
RATES = [30, 100, 250, 500]
CELLS = ([(k, 96, s) for k in NESTS for s in SPREADS] + [(k, 384, p) for k in RARE for p in RATES]
         + [(k, 384, p) for k in SIDES for p in (100, 500)])
FORCED = {"merge1": "loop-merge<steps=1;refill=1>", "merge4": "loop-merge<steps=4;refill=1>",
          "delay8": "iteration-delay<threshold=8>", "delay16": "iteration-delay<threshold=16>",
          "delay16x1": "iteration-delay<threshold=16;steps=1>",
          "distribute": "branch-distribute"}
PLAIN = {"original": "none", "merged": "loop-merge<steps=1;refill=1>", "merged-2-steps": "loop-merge<steps=2;refill=1>",
         "delayed": "iteration-delay<threshold=8>", "distributed": "branch-distribute",
         "merged+distributed": "branch-distribute,loop-merge<steps=1;refill=1>", "auto": None}
# Programs of HeCBench with loops or branches that may diverge, that take no data files, and arguments for some milliseconds.
SMALL = {"feynman-kac": "1", "mandelbrot": "100", "libor": "10", "rainflow": "100000 10", "nqueen": "15 7 3", "tissue": "32 10",
         "jaccard": "1024 512 20", "vmc": "10", "mr": "5", "myocyte": "5", "romberg": "128 64 20", "mt": "10",
         "simplemoc": "-s 1000000 -e 128 -n 1", "wyllie": "1000000 1 10", "sssp": "-g 120 -t 1 -w 10 -r 5",
         "rsbench": "-s large -m event -l 4000000", "xsbench": "-s large -g 1130 -m event -G hash -h 1000 -l 2000000 -r 3", "sph": "", "bonds": "2",
         "bn": "result 2", "d3q19-bgk": "128", "ert": "1024 256", "is": "256 256 256", "memtest": "5", "mergeVS": "20", "wlcpow": "10",
         "minisweep": "--niterations 1 --ncell_x 32 --ncell_y 32 --ncell_z 64 --ne 64 --na 32 --nblock_z 64", "vol2col": "10",
         "xlqc": "dp", "zoom": "1 3 2160 4096 20", "wedford": "512 512 8192 3", "channelSum": "224 224 10", "asmooth": "2048 200 9 5", "s8n": "1513 2048 3",
         "particles": "20", 
         "quicksort": "1 2048 2048", "metropolis": "-l 32 11 -t 4.7 0.1 -a 1 2 200 10 -h 1.0 -z 7919"}
PROGRAMS = """feynman-kac rsbench xsbench nqueen rainflow d3q19-bgk wlcpow is ert bn mr jaccard tissue metropolis myocyte langford libor
 aobench vmc romberg mt lci sssp quicksort eigenvalue simplemoc wyllie md5hash egs multinomial mergeVS memtest grrt""".split()
# Seconds for one run, where 8 are too few.
LONG = {"feynman-kac": 20.0}
# Flags for the makefile's EXTRA_CFLAGS: these ask for nvcc by name, although any CUDA compiler will do.
EXTRA = {"xsbench": "-D__NVCC__"}
# Programs whose trip counts are recorded on the GPU, for a second build.
RECORDED = "rsbench xsbench nqueen mr jaccard tissue rainflow myocyte d3q19-bgk ert".split()
# Builds beside the model's own choice.
FORCED_PROGRAMS = {
    "feynman-kac": {"steps4": "loop-merge<steps=4;refill=1>"},
    "mandelbrot": {"persist1": "persist,loop-merge<steps=1;refill=1>", "persist4": "persist,loop-merge<steps=4;refill=1>"},
    "nqueen": {"persist2": "persist,loop-merge<depth=1;steps=2;refill=1>",
               "persist4": "persist,loop-merge<depth=1;steps=4;refill=1>"},
    "rsbench": {"persist1": "persist,loop-merge<depth=1;steps=1;refill=1>"},
    "xsbench": {"persist1": "persist,loop-merge<depth=1;steps=1;refill=1>"},
    "grrt": {"persist1": "persist,loop-merge<depth=1;steps=1;refill=1>"},
    "sph": {"delay8": "iteration-delay<threshold=8>", "delay16": "iteration-delay<threshold=16>"},
}


# --------------------------------------------------------------------------------------------------------------- build

def call(command, cwd=None, env=None, limit=180):
    return subprocess.run([str(c) for c in command], cwd=cwd, env=env, capture_output=True, text=True, errors="replace", timeout=limit)


def must(command, **more):
    done = call(command, **more)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done


def cell_name(kernel, value):
    return f"{kernel}-{value}"


def cell_options(kernel, count, value):
    return ["--kernel", kernel, "--grid", THREADS // BLOCK, "--block", BLOCK, "--arg", f"buf:{THREADS * 4}", "--arg", f"u32={count}",
            "--arg", f"u32={value}"]


def profile_of(folder, name):
    """Path of an unpacked record, or None."""
    packed = folder / f"{name}.divprofile.gz" if folder else None
    if packed is None or not packed.exists():
        return None
    path = Path(tempfile.gettempdir()) / f"{name}.divprofile"
    path.write_bytes(gzip.decompress(packed.read_bytes()))
    return path


def build_synthetic(divcc, out, profiles):
    source, folder = ROOT / "bench/divergence/synthetic.cu", out / "synthetic"
    folder.mkdir(parents=True, exist_ok=True)
    must([divcc, source, "-o", folder / "original.cubin", "--passes", "none", "--quiet"])
    must([divcc, source, "-o", folder / "record.cubin", "--profile", "--quiet"])
    for name, passes in FORCED.items():
        must([divcc, source, "-o", folder / f"{name}.cubin", "--passes", passes, "--quiet"])
    must([divcc, source, "-o", folder / "auto.cubin", "--quiet", "--remarks", folder / "auto.txt"])
    for kernel, _, value in CELLS:
        name = cell_name(kernel, value)
        record = profile_of(profiles, name)
        if record:
            must([divcc, source, "-o", folder / f"auto-{name}.cubin", "--quiet", "--profile-use", record, "--remarks",
                  folder / f"auto-{name}.txt"])


def build_plain(build, divcc, out):
    folder = out / "plain"
    folder.mkdir(parents=True, exist_ok=True)
    flags = ["-I", ROOT / "kernel", "-I", ROOT / "examples/light/plain", "-ffp-contract=off", "--quiet"]
    source = ROOT / "examples/light/plain/plain.cu"
    for name, passes in PLAIN.items():
        more = ["--passes", passes] if passes else ["--remarks", folder / "auto.txt"]
        must([divcc, source, "-o", folder / f"{name}.cubin", *flags, *more])
    must([divcc, ROOT / "bench/divergence/plain_merged.cu", "-o", folder / "by-hand.cubin", "--passes", "none", *flags])
    must(["ninja", "-C", build, "div_plain_inputs"])
    for model, photons in (("skin7", 6e6), ("skin5_633", 2e7)):
        inputs = folder / model
        inputs.mkdir(exist_ok=True)
        words = must([build / "div_plain_inputs", ROOT / f"examples/light/{model}.mci", photons, inputs]).stdout
        (inputs / "words.txt").write_text(words)


def build_walk(divcc, out):
    folder, source = out / "walk", ROOT / "examples/divergence/walk.cu"
    folder.mkdir(parents=True, exist_ok=True)
    must([divcc, source, "-o", folder / "original.cubin", "--passes", "none", "--quiet"])
    must([divcc, source, "-o", folder / "auto.cubin", "--quiet"])
    must([divcc, source, "-o", folder / "record.cubin", "--profile", "--quiet"])


def run_line(folder):
    """Arguments of the program by its own `make run`; None if it needs a data file that is not here."""
    lines = [line for line in call(["make", "-n", "run"], cwd=folder).stdout.splitlines() if "./" in line]
    if not lines:
        return None
    words = lines[-1].strip().split()
    at = next((i for i, w in enumerate(words) if w.startswith("./")), None)
    return None if at is None else words[at + 1:]


def copy_source(sources, name, place):
    """A copy of the program's folder, and links to what its makefile names beside it."""
    work = place / "src" / f"{name}-cuda"
    shutil.copytree(sources / f"{name}-cuda", work)
    beside = set(re.findall(r"\.\./([\w.-]+)", (work / "Makefile").read_text())) | {"include"}
    for other in beside - {f"{name}-cuda"}:
        if (sources / other).exists():
            (work.parent / other).symlink_to(sources / other)
    return work


def make_program(work, divcc, name, flags):
    """By the program's own makefile. Returns (path, "") or (None, why not)."""
    call(["make", "clean"], cwd=work)
    env = {**os.environ, "CORPUSCLE_DIVCC_FLAGS": f"-cudart shared --quiet {flags}"}
    try:
        done = call(["make", f"CC={divcc}", f"NVCC={divcc}", "ARCH=sm_90", "program=divmain", f"EXTRA_CFLAGS={EXTRA.get(name, '')}"],
                    cwd=work, env=env)
    except subprocess.TimeoutExpired:
        return None, "takes too long"
    found = [p for p in (work / "divmain", work / "main", work / name) if p.exists()]
    if done.returncode != 0 or not found:
        why = re.findall(r"^.*(?:error|failed).*$", done.stdout + done.stderr, re.M)
        return None, why[0][:160] if why else ""
    return found[0], ""


def build_program(divcc, sources, name, out, record):
    """
    One program by the model (`auto`, with its record if there is one), as it is, forced, and recording. Where the model changes
    nothing and nothing is forced there is the original alone. Returns a row for the table.
    """
    if not (sources / f"{name}-cuda").exists():
        return {"name": name, "state": "not there"}
    with tempfile.TemporaryDirectory() as place:
        work, remarks, kept = copy_source(sources, name, Path(place)), Path(place) / "remarks.txt", out / "programs" / name
        arguments = SMALL[name].split() if name in SMALL else run_line(work)
        if arguments is None or any("/" in a for a in arguments):
            return {"name": name, "state": "needs data"}
        variants = {"auto": f"--remarks {remarks}" + (f" --profile-use {record}" if record else ""), "original": "--passes none"}
        variants.update({v: f"--passes {passes}" for v, passes in FORCED_PROGRAMS.get(name, {}).items()})
        if name in RECORDED and not record:
            variants["record"] = "--profile"
        made = []
        for variant, flags in variants.items():
            program, why = make_program(work, divcc, name, flags)
            if program is None:
                return {"name": name, "state": "does not build", "why": why}
            if variant == "auto":
                made = re.findall(r"(merged|delayed|distributed|made persistent) \(", remarks.read_text() if remarks.exists() else "")
            if variant != "auto" or made:
                kept.mkdir(parents=True, exist_ok=True)
                shutil.copy(program, kept / variant)
                call(["strip", kept / variant])
        (kept / "remarks.txt").write_text(remarks.read_text() if remarks.exists() else "")
        (kept / "arguments.json").write_text(json.dumps(arguments))
        return {"name": name, "state": "built", "made": len(made), "builds": list(variants)}


def build_programs(divcc, sources, out, profiles, names, jobs):
    rows = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        work = [pool.submit(build_program, divcc, sources, name, out, profile_of(profiles, name))
                for name in dict.fromkeys(names or PROGRAMS)]
        for done in concurrent.futures.as_completed(work):
            rows.append(done.result())
            print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
    (out / "programs.json").write_text(json.dumps(sorted(rows, key=lambda r: r["name"]), indent=1))
    must(["gcc", "-O1", "-fPIC", "-shared", ROOT / "bench/divergence/kernel_times.c", "-o", out / "kernel_times.so", "-ldl"])


def build_all(args):
    build, out = Path(args.build).resolve(), Path(args.folder).resolve()
    out.mkdir(parents=True, exist_ok=True)
    divcc, profiles = build / "corpuscle-divcc", Path(args.profiles).resolve() if args.profiles else None
    shutil.copy(build / "corpuscle-divrun", out)
    shutil.copy(__file__, out)
    if not args.programs:  # else these programs alone
        build_synthetic(divcc, out, profiles)
        build_plain(build, divcc, out)
        build_walk(divcc, out)
    if args.hecbench:
        build_programs(divcc, Path(args.hecbench).resolve(), out, profiles, args.programs, args.jobs)
    size = sum(p.stat().st_size for p in out.rglob("*") if p.is_file())
    print(f"{out}: {size / 2**20:.1f} MiB")


# ----------------------------------------------------------------------------------------------------------------- run

class Runner:
    def __init__(self, folder, limit, out):
        self.folder, self.end, self.out = folder, time.time() + limit, out
        self.profiles = folder / "profiles"
        self.profiles.mkdir(exist_ok=True)

    def left(self):
        return self.end - time.time()

    def keep_profile(self, path, name):
        if path.exists() and path.stat().st_size > 0:
            with gzip.open(self.profiles / f"{name}.divprofile.gz", "wb", 6) as out:
                out.write(path.read_bytes())
        path.unlink(missing_ok=True)

    def compare(self, files, *options):
        """{file: (times faster, same bits)}; the first is the original."""
        done = call([self.folder / "corpuscle-divrun", *files, *options], limit=120)
        rows = {}
        for line in done.stdout.splitlines():
            m = re.match(r"(\S+)\s+([\d.]+) ms\s+([\d.]+) times\s+(\d+) registers\s+(\S+)", line)
            if m:
                rows[Path(m[1]).stem] = (float(m[2]), float(m[3]), m[5])
        if done.returncode not in (0, 1) or len(rows) < len(files):
            print(f"FAILED {' '.join(map(str, files))}: {done.stderr.strip()[:300]}")
        return rows

    def synthetic(self):
        folder = self.folder / "synthetic"
        print("\n## Synthetic benchmarks: times faster than the original\n")
        print("| kernel, cell | ms | " + " | ".join([*FORCED, "auto"]) + " |")
        print("|---" * (len(FORCED) + 3) + "|")
        for kernel, count, value in CELLS:
            if self.left() < 10:
                print("(out of time)")
                return
            name = cell_name(kernel, value)
            wanted = [f for f in FORCED if f[:2] == {"nest": "me", "rare": "de", "side": "di", "give": "di"}[kernel[:4]]]
            auto = folder / f"auto-{name}.cubin"
            auto = auto if auto.exists() else folder / "auto.cubin"
            wanted = [f for f in wanted if (folder / f"{f}.cubin").exists()]
            files = [folder / "original.cubin", *(folder / f"{f}.cubin" for f in wanted), auto]
            rows = self.compare(files, *cell_options(kernel, count, value), "--repeat", 5)
            cells = []
            for f in [*FORCED, auto.stem]:
                row = rows.get(f)
                cells.append("" if row is None else f"{row[1]:.2f}" + ("" if row[2] == "same" else " " + row[2]))
            label = SPREADS[value] if kernel.startswith("nest") else f"{value / 10:g} %"
            print(f"| {kernel}, {label} | {rows.get('original', (0,))[0]:.3f} | " + " | ".join(cells) + " |", flush=True)
            if auto.stem == "auto":
                self.record_cell(kernel, count, value)

    def record_cell(self, kernel, count, value):
        path = self.folder / "record.tmp"
        call([self.folder / "corpuscle-divrun", self.folder / "synthetic/record.cubin", *cell_options(kernel, count, value), "--repeat",
              1, "--profile", path], limit=30)
        self.keep_profile(path, cell_name(kernel, value))

    def records(self):
        """Of the synthetic cells only, for a second `build`."""
        for kernel, count, value in CELLS:
            if self.left() > 2:
                self.record_cell(kernel, count, value)

    def walk(self):
        """The example of docs/divergence: steps of 0.3 and of 0.1 in a disc."""
        print("\n## examples/divergence/walk.cu\n\n| step | original, ms | times | |\n|---|---|---|---|")
        folder = self.folder / "walk"
        for step in ("0.3", "0.1"):
            options = ["--kernel", "walk", "--grid", THREADS // BLOCK, "--block", BLOCK, "--arg", f"buf:{THREADS * 8}", "--arg",
                       f"buf:{THREADS * 4}", "--arg", "u32=100", "--arg", f"f32={step}"]
            rows = self.compare([folder / "original.cubin", folder / "auto.cubin"], *options)
            if len(rows) == 2:
                print(f"| {step} | {rows['original'][0]:.3f} | {rows['auto'][1]:.2f} | {rows['auto'][2]} |", flush=True)
            path = self.folder / "record.tmp"
            call([self.folder / "corpuscle-divrun", folder / "record.cubin", *options, "--repeat", 1, "--profile", path], limit=60)
            self.keep_profile(path, f"walk-{step}")

    def plain(self):
        print("\n## The plain light kernel: times faster than the original, words of all tallies compared\n")
        print("| model | ms | " + " | ".join([n for n in PLAIN if n != "original"]) + " | by hand | pass / hand |")
        print("|---" * (len(PLAIN) + 3) + "|")
        folder = self.folder / "plain"
        for model in ("skin7", "skin5_633"):
            inputs = folder / model
            words = int((inputs / "words.txt").read_text())
            options = ["--grid", 132 * 6, "--block", 256, "--arg", f"bytes:{inputs / 'params.bin'}", "--arg",
                       f"file:{inputs / 'layers.bin'}", "--arg", f"file:{inputs / 'table.bin'}", "--arg", f"buf:{words * 8}",
                       "--arg", "buf:4", "--repeat", 3]
            rows = self.compare([folder / f"{n}.cubin" for n in PLAIN], "--kernel", "plain_transport", *options)
            # The kernel by hand has another name: its words are compared with the original's through a file of the results.
            hand = self.compare([folder / "by-hand.cubin"], "--kernel", "plain_transport_merged", *options)
            if "original" not in rows or "by-hand" not in hand:
                continue
            cells = [f"{rows[n][1]:.2f}" + ("" if rows[n][2] == "same" else " " + rows[n][2]) for n in PLAIN if n != "original"]
            by_hand = hand["by-hand"][0]
            print(f"| {model} | {rows['original'][0]:.2f} | " + " | ".join(cells)
                  + f" | {rows['original'][0] / by_hand:.2f} | {by_hand / rows['merged'][0]:.2f} |", flush=True)

    def run_program(self, path, arguments, profile=None):
        times = self.folder / "times.tmp"
        times.unlink(missing_ok=True)
        env = {**os.environ, "LD_PRELOAD": str(self.folder / "kernel_times.so"), "KERNEL_TIMES": str(times)}
        libraries = [p for p in ("/usr/local/cuda/lib64", "/usr/local/cuda/targets/x86_64-linux/lib") if os.path.isdir(p)]
        env["LD_LIBRARY_PATH"] = ":".join(libraries + [env.get("LD_LIBRARY_PATH", "")])
        if profile:
            env["CORPUSCLE_PROFILE"] = str(profile)
            env.pop("LD_PRELOAD")
        try:
            with tempfile.TemporaryDirectory() as place:  # some programs write files
                done = call([path, *arguments], cwd=place, env=env, limit=max(2.0, min(LONG.get(path.parent.name, 8.0), self.left())))
        except subprocess.TimeoutExpired:
            return None
        kernels, copied = {}, ""
        for line in times.read_text().splitlines() if times.exists() else []:
            name, launches, ms = line.rsplit(" ", 2)
            if name == "=":
                copied = f"{launches} bytes, {ms}"
                continue
            kernels[name] = kernels.get(name, 0.0) + float(ms)
        return done.returncode, done.stdout, kernels, copied

    def program(self, name):
        """One row: kernel times of the original and of every other build, best of two runs, and whether they print the same."""
        folder = self.folder / "programs" / name
        arguments = json.loads((folder / "arguments.json").read_text())
        builds = {p.name for p in folder.iterdir() if not p.suffix} - {"record", "original"}
        variants = (["original"] if (folder / "original").exists() else []) + sorted(builds)
        if "original" not in variants:
            return f"| {name} | only recorded | | |"
        results = {v: [] for v in variants}
        begin = time.time()
        for turn in range(3 if len(variants) > 1 else 2):
            if turn > 0 and time.time() - begin > 4.0:
                break
            for variant in variants:
                got = self.run_program(folder / variant, arguments)
                first = results["original"][0][0] if results["original"] else 0
                fails = got is not None and (not got[2] or (variant != "original" and got[0] != first))
                if got is None or fails:  # a program may judge its own result badly, but then in every build
                    return f"| {name} | {'too long' if got is None else f'exit code {got[0]}'} ({variant}) | | |"
                results[variant].append(got)
        best = {v: min(sum(r[2].values()) for r in runs) for v, runs in results.items()}
        first = results["original"][0]
        if len(results["original"]) == 1 and any(results_of(results[v][0]) != results_of(first) for v in variants[1:]):
            again = self.run_program(folder / "original", arguments)  # does it differ from itself?
            results["original"] += [again] if again else []
        steady = all(results_of(r) == results_of(first) for r in results["original"])
        cells = []
        for v in variants[1:]:
            same = "same" if results_of(results[v][0]) == results_of(first) else "differs" if steady else "as the original from itself"
            if same != "same":
                same += difference(first, results[v][0])
            cells.append(f"{v} {best['original'] / max(best[v], 1e-9):.3f} ({same})")
        if len(variants) == 1:
            spread = [sum(r[2].values()) for r in results["original"]]
            cells = [f"declined: the code is the same ({max(spread) / max(min(spread), 1e-9):.3f} between its own runs)"]
        remarks = folder / "remarks.txt"
        made = len(re.findall(r"(merged|delayed|distributed|persistent) \(", remarks.read_text())) if remarks.exists() else ""
        self.kernels(name, results)
        return f"| {name} {' '.join(arguments)} | {best['original']:.3f} | {'; '.join(cells)} | {made} |"

    def kernels(self, name, results):
        """By kernel, for whoever looks for the cause."""
        best = {v: {k: min(r[2].get(k, 0.0) for r in runs) for k in runs[0][2]} for v, runs in results.items()}
        with open(Path(self.out) / "kernels.txt", "a") as file:
            for kernel, ms in best["original"].items():
                print(name, kernel[:60], f"{ms:.3f} ms", *(f"{v} {ms / max(b.get(kernel, 0.0), 1e-9):.3f}" for v, b in best.items()
                                                        if v != "original"), file=file)

    def record(self, name):
        folder = self.folder / "programs" / name
        if (folder / "record").exists():
            path = self.folder / "record.tmp"
            path.unlink(missing_ok=True)
            begin = time.time()
            got = self.run_program(folder / "record", json.loads((folder / "arguments.json").read_text()), path)
            size = path.stat().st_size if path.exists() else 0
            print(f"record of {name}: {'too long' if got is None else f'exit code {got[0]}'}, {time.time() - begin:.1f} s, {size} bytes",
                  flush=True)
            self.keep_profile(path, name)

    def programs(self):
        there = {p.parent.name for p in (self.folder / "programs").glob("*/arguments.json")}
        names = [n for n in PROGRAMS if n in there] + sorted(there - set(PROGRAMS))
        for name in [n for n in RECORDED if n in names]:
            if self.left() > 8:
                self.record(name)
        print("\n## HeCBench: milliseconds in all kernels of the original, times faster, transforms made\n\n"
              "| program | original | | made |\n|---|---|---|---|")
        for name in names:
            print(self.program(name) if self.left() > 8 else f"| {name} | not run: out of time | | |", flush=True)


def results_of(run):
    """What a run printed and what it copied from the GPU."""
    return printed(run[1]), run[3]


def difference(a, b):
    lines = [f"{x.strip()} / {y.strip()}" for x, y in zip(printed(a[1]), printed(b[1])) if x != y]
    return f": {lines[0][:80]}" if lines else ": what it copies from the GPU" if a[3] != b[3] else ""


def printed(text):
    """What a program printed, without lines and numbers that depend on time."""
    dull = re.compile(r"time|second|\bms\b|\bus\b|\bns\b|GB/s|MB/s|lookups/s|flop|rate|speed|throughput|bandwidth|performance|[\d.]+ ?s\b", re.I)
    return [line for line in text.splitlines() if not dull.search(line)]


def run_all(args):
    folder = Path(args.folder).resolve()
    runner = Runner(folder, args.limit, args.out or folder)
    print(f"{subprocess.run(['nvidia-smi', '-L'], capture_output=True, text=True).stdout.strip()}")
    sections = {"walk": runner.walk, "synthetic": runner.synthetic, "plain": runner.plain, "programs": runner.programs,
                "records": runner.records}
    for name in args.sections or [n for n in sections if n != "records"]:
        sections[name]()
    with tarfile.open(Path(args.out or folder) / "profiles.tar", "w") as packed:
        packed.add(runner.profiles, "profiles")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    b = commands.add_parser("build")
    b.add_argument("folder")
    b.add_argument("--build", default=ROOT / "build", help="build folder of Corpuscle")
    b.add_argument("--hecbench", help="folder src of HeCBench")
    b.add_argument("--programs", nargs="*")
    b.add_argument("--profiles")
    b.add_argument("--jobs", type=int, default=2)
    r = commands.add_parser("run")
    r.add_argument("folder")
    r.add_argument("--out", help="folder for profiles.tar, the records (default FOLDER)")
    r.add_argument("--limit", type=float, default=170.0, help="seconds for all of it")
    r.add_argument("--sections", nargs="*", choices=["walk", "synthetic", "plain", "programs", "records"])
    args = parser.parse_args()
    build_all(args) if args.command == "build" else run_all(args)


if __name__ == "__main__":
    main()
