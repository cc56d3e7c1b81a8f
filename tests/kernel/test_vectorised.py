"""The lane loops of the CPU kernels are vectorised, with whole registers: by the compiler's own report."""
import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
KERNEL = ROOT / "kernel"
# Those whose lanes are arrays; a molecule of gas_cpu.c is followed alone.
SOURCES = sorted(p for p in (KERNEL / "entry").glob("*_cpu.c") if "lanes.h" in p.read_text())
COMPILER = os.environ.get("CRP_CC", "gcc")
IS_CLANG = "Clang" in os.environ.get("CRP_CC_ID", "GNU")
FLAGS = os.environ.get("CRP_KERNEL_FLAGS", "-O3 -fopenmp-simd -ffp-contract=off -fno-math-errno -fno-trapping-math").split()
# Bytes of a register. x86-64-v2 has neither gathers nor fma: nothing to ask for there.
WIDTH = {"v3": 32, "v4": 64}
ISAS = [isa for isa in os.environ.get("CRP_ISAS", "v3 v4").split() if isa in WIDTH]
ISA_FLAGS = {"v3": "-march=x86-64-v3 -mtune=haswell",
             "v4": "-march=x86-64-v4 -mtune=skylake-avx512 -mprefer-vector-width=512"}


def report(source, isa, text=None, extra=()):
    """Compile; give the loops the compiler vectorised as a list of (line, bytes of a register)."""
    flags = os.environ.get("CRP_ISA_FLAGS_" + isa, ISA_FLAGS[isa]).split()
    note = ["-Rpass=loop-vectorize"] if IS_CLANG else ["-fopt-info-vec-optimized"]
    command = [COMPILER, "-std=gnu11", "-c", "-o", os.devnull, f"-I{KERNEL}", f"-I{KERNEL / 'entry'}", f"-DCK_ISA={isa}",
               "-x", "c", *FLAGS, *flags, *extra, *note, "-" if text is not None else str(source)]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = []
    for line in done.stderr.splitlines():
        match = re.search(r":(\d+):\d+: (?:optimized|remark): (?:loop vectorized using (\d+) byte|vectorized loop "
                          r"\(vectorization width: (\d+))", line)
        if match:
            # clang 14 keeps to 32 bytes on x86-64-v4 by its own tuning; its widths count 4-byte lanes
            found.append((int(match[1]), int(match[2]) if match[2] else 4 * int(match[3])))
    return found


def simd_loops(text):
    """Lines of `#pragma omp simd`, with the line of the loop's end."""
    lines = text.splitlines()
    loops = []
    for i, line in enumerate(lines, start=1):
        if line.strip().startswith("#pragma omp simd"):
            indent = len(lines[i]) - len(lines[i].lstrip())
            end = next(k for k in range(i + 1, len(lines)) if lines[k].startswith(" " * indent + "}"))
            loops.append((i, end + 1))
    return loops


def missing(text, found, width):
    """The simd loops that no report of full width stands for."""
    return [first for first, last in simd_loops(text)
            if not any(first <= line <= last and n >= width for line, n in found)]


def wanted_width(isa):
    return 32 if IS_CLANG else WIDTH[isa]


@pytest.mark.parametrize("isa", ISAS)
@pytest.mark.parametrize("source", SOURCES, ids=lambda p: p.name)
def test_simd_loops_are_vectorised(source, isa):
    text = source.read_text()
    assert simd_loops(text), "the file has no `omp simd` loop at all"
    lost = missing(text, report(source, isa), wanted_width(isa))
    assert not lost, f"{source.name}: the loops at lines {lost} are not vectorised with {wanted_width(isa)}-byte registers"


@pytest.mark.parametrize("isa", ISAS)
def test_both_builds_of_the_light_loop(isa):
    """fly_and_scatter exists for forward and for any g, and both are vectorised."""
    source = KERNEL / "entry" / "light_cpu.c"
    text = source.read_text()
    first, last = simd_loops(text)[0]
    line_of_function = text[:text.index("fly_and_scatter(lanes")].count("\n") + 1
    assert line_of_function < first
    found = [n for line, n in report(source, isa) if first <= line <= last and n >= wanted_width(isa)]
    assert len(found) >= 2


@pytest.mark.parametrize("isa", ISAS)
def test_a_scalar_loop_is_seen(isa):
    """With the vectoriser off, or a call in the loop, the check above must fail."""
    source = KERNEL / "entry" / "light_cpu.c"
    text = source.read_text()
    off = ["-fno-vectorize" if IS_CLANG else "-fno-tree-vectorize", "-fno-openmp", "-fno-openmp-simd"]
    assert missing(text, report(source, isa, extra=off), wanted_width(isa)) == [first for first, _ in simd_loops(text)]
    broken = "extern float unknown(float);\n" + text.replace("s->x[i] = a.photon.x;", "s->x[i] = unknown(a.photon.x);")
    assert broken.count("unknown(") == 2
    assert missing(broken, report(source, isa, text=broken), wanted_width(isa))[:1] == [simd_loops(broken)[0][0]]
