"""One track that outgrows its GPU: split over all GPUs of the machine (two parts on one GPU where there is only one), in the
host's memory, and with room for it; the same digest every time. A section of gpu_multi.py."""
import json
import os
import subprocess
import sys
from pathlib import Path

from common import Failed

# Molecules of the track whose time counts, and of the one that the CPU does too.
LARGE, SMALL = 8_000_000, 40_000
# Bytes of working memory for a molecule and its buckets; a GPU is made to believe that it has 0.7 of what the track needs.
BYTES, SHARE = 210, 0.7
# Of radicals in the cube, per nm3: 5 mmol/l.
DENSITY = 3e-3
SAYS = {"room": None, "split": "which work on it together", "host": "works in part in the host's memory"}


def cube(program, n):
    path = Path(program.folder.name) / f"cube{n}.yaml"
    share = {"OH": 0.3, "e_aq": 0.3, "H3O+": 0.3, "H": 0.1}
    molecules = ", ".join(f"{{species: {name}, count: {int(part * n)}}}" for name, part in share.items())
    path.write_text(f"version: 1\nkind: chem\nname: cube\ntime: {{end: 100 ns}}\n"
                    f"source: {{kind: uniform, length: {(n / DENSITY) ** (1 / 3):.1f} nm, energy: 1 MeV, molecules: [{molecules}]}}\n")
    return path


def run(program, path, device, settings, says, seconds, *arguments):
    """One run of one track, and that it went the way it was to go."""
    text = program.call("run", path, "-n", 1, "--json", "--device", device, *arguments, environment=settings, timeout=seconds)
    said = " ".join(line for line in program.stderr.splitlines() if "warning" in line)
    if (says is not None and says not in said) or (says is None and said != ""):
        raise Failed(f"not the way it was to go: {said}")
    result = json.loads(text)
    return {"seconds": result["seconds"], "digest": result["digest"], "said": said, "wall": program.wall}


def ways(devices, n):
    """Name of a way, device, settings, what it says."""
    less = {"CORPUSCLE_CUDA_MEMORY": str(int(SHARE * BYTES * n))}
    twin = {"CORPUSCLE_CUDA_TWIN": "1"} if len(devices) == 1 else {}
    every = "cuda:" + ",".join(d.split(":")[1] for d in devices)
    yield "with room, one GPU", devices[0], {}, SAYS["room"]
    yield "split, two parts on one GPU" if twin else f"split over {len(devices)} GPUs", every, {**less, **twin}, SAYS["split"]
    yield "one GPU and the host's memory", devices[0], less, SAYS["host"]


def measure(program, devices, clock, failures):
    """Rows for the table, and the runs."""
    rows, runs = [], []
    for n in (SMALL, LARGE):
        path, digests, first = cube(program, n), set(), None
        cpu = [("CPU", "cpu", {}, SAYS["room"])] if n == SMALL else []
        for name, device, settings, says in [*cpu, *ways(devices, n)]:
            try:
                if n == LARGE: # the kernels are there; memory is opened to the GPU the first time
                    run(program, path, device, settings, says, min(max(clock.left(), 5), 25), "--set", "time.end=2ps")
                r = run(program, path, device, settings, says, min(max(clock.left(), 5), 40))
            except (Failed, OSError, ValueError, subprocess.SubprocessError) as error:
                failures.append(f"a track of {n} molecules, {name}: {error}")
                continue
            digests.add(r["digest"])
            first = first if name.startswith(("CPU", "split", "one GPU and")) else r["seconds"]
            rows.append([f"{n:.3g}", name, f"{r['seconds']:.3f}", f"{r['seconds'] / first:.2f}" if first else "", r["digest"][:12]])
            runs.append({"molecules": n, "way": name, **r})
            print(f"  {n} molecules, {name}: {r['seconds']:.3f} s, wall {r['wall']:.1f} s, digest {r['digest'][:12]}; {r['said']}",
                  file=sys.stderr, flush=True)
        if len(digests) > 1:
            failures.append(f"a track of {n} molecules: digests differ: {sorted(digests)}")
    return rows, runs


HEAD = ["molecules", "track", "seconds", "times the first", "digest"]
