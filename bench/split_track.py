"""One track that outgrows its GPU: split over all GPUs of the machine (two parts on one GPU where there is only one), in the
host's memory, and with room for it; the same digest every time. A section of gpu_multi.py."""
import ctypes
import json
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

from common import Failed

# Molecules of the track whose time counts, and of the one that the CPU does too.
LARGE, SMALL = 4_000_000, 100_000
# Bytes of working memory for a molecule and its buckets; a GPU is made to believe that it has 0.7 of what the track needs.
BYTES, SHARE = 205, 0.8
# Of radicals in the cube, per nm3: 5 mmol/l.
DENSITY = 3e-3
# The end of the run whose pages cross the bus: 20 steps; and what is left on the GPU for context, input and a part of the track.
PAGED, LEFT = ("--set", "time.end=10ps"), 1.2e9
SAYS = {"room": None, "split": "which work on it together", "host": "works in part in the host's memory"}


def cube(program, n):
    path = Path(program.folder.name) / f"cube{n}.yaml"
    share = {"OH": 0.3, "e_aq": 0.3, "H3O+": 0.3, "H": 0.1}
    molecules = ", ".join(f"{{species: {name}, count: {int(part * n)}}}" for name, part in share.items())
    path.write_text(f"version: 1\nkind: chem\nname: cube\ntime: {{end: 100 ns}}\n"
                    f"source: {{kind: uniform, length: {(n / DENSITY) ** (1 / 3):.1f} nm, energy: 1 MeV, molecules: [{molecules}]}}\n")
    return path


def hold(left):
    """Take the memory of the first GPU but so many bytes; say how many bytes are left, and keep it until the input ends."""
    cuda = ctypes.CDLL("libcuda.so.1")
    device, context, free, total, pointer = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_size_t(), ctypes.c_size_t(), ctypes.c_uint64()

    def ask(name, *arguments):
        if getattr(cuda, name)(*arguments) != 0:
            raise SystemExit(f"{name} failed")

    ask("cuInit", 0)
    ask("cuDeviceGet", ctypes.byref(device), 0)
    ask("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    ask("cuCtxSetCurrent", context)
    ask("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
    ask("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(free.value - int(left)))
    ask("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
    print(free.value, flush=True)
    sys.stdin.read()


@contextmanager
def held(left):
    """The GPU while another process has nearly all of its memory."""
    other = subprocess.Popen([sys.executable, __file__, str(left)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        if not other.stdout.readline().strip().isdigit():
            raise Failed("no process can take the memory of the GPU")
        yield
    finally:
        other.stdin.close()
        other.wait()


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


class Table:
    """Runs of one track, side by side."""

    def __init__(self, program, clock, failures, n):
        self.program, self.clock, self.failures, self.n = program, clock, failures, n
        self.path, self.digests, self.first, self.rows, self.runs = cube(program, n), set(), None, [], []

    def take(self, name, device, settings, says, *arguments, is_first=False, is_warm=True):
        """A run and its row; before it one of a few steps, for which the kernel is made."""
        try:
            if not is_warm:
                run(self.program, self.path, device, settings, says, min(max(self.clock.left(), 5), 25), "--set", "time.end=2ps")
            r = run(self.program, self.path, device, settings, says, min(max(self.clock.left(), 5), 40), *arguments)
        except (Failed, OSError, ValueError, subprocess.SubprocessError) as error:
            self.failures.append(f"a track of {self.n} molecules, {name}: {error}")
            return
        self.digests.add(r["digest"])
        self.first = r["seconds"] if is_first else self.first
        self.rows.append([f"{self.n:.3g}", name, f"{r['seconds']:.3f}", f"{r['seconds'] / self.first:.2f}" if self.first else "",
                          r["digest"][:12]])
        self.runs.append({"molecules": self.n, "way": name, **r})
        print(f"  {self.n} molecules, {name}: {r['seconds']:.3f} s, wall {r['wall']:.1f} s, digest {r['digest'][:12]}; {r['said']}",
              file=sys.stderr, flush=True)

    def end(self):
        if len(self.digests) > 1:
            self.failures.append(f"a track of {self.n} molecules: digests differ: {sorted(self.digests)}")
        return self.rows, self.runs


def measure(program, devices, clock, failures):
    """Rows for the table, and the runs."""
    rows, runs = [], []
    for n in (SMALL, LARGE):
        t = Table(program, clock, failures, n)
        if n == SMALL:
            t.take("CPU", "cpu", {}, SAYS["room"])
        for i, (name, device, settings, says) in enumerate(ways(devices, n)):
            t.take(name, device, settings, says, is_first=i == 0, is_warm=n == LARGE)
        rows, runs = rows + t.end()[0], runs + t.end()[1]
    t = Table(program, clock, failures, LARGE)
    t.take("with room, 20 steps", devices[0], {}, SAYS["room"], *PAGED, is_first=True)
    try:
        with held(LEFT):
            t.take("another process has the GPU's memory, 20 steps", devices[0], {}, SAYS["host"], *PAGED)
    except (Failed, OSError) as error:
        failures.append(f"a GPU whose memory is taken: {error}")
    return rows + t.end()[0], runs + t.end()[1]


HEAD = ["molecules", "track", "seconds", "times the first", "digest"]

if __name__ == "__main__":
    hold(float(sys.argv[1]))
