"""The driver and the runner as a user calls them: outputs, remarks, faults with their remedies. No toolkit, no GPU needed."""
import os
import re
import subprocess
from pathlib import Path

import pytest

BUILD = Path(os.environ["CRP_BUILD"])
ROOT = Path(__file__).resolve().parents[3]
WALK = ROOT / "examples/divergence/walk.cu"
CUDA = next((p for p in (os.environ.get("CUDA_PATH"), "/usr/local/cuda") if p and Path(p, "bin/ptxas").exists()), None)
needs_toolkit = pytest.mark.skipif(CUDA is None, reason="no CUDA toolkit here")

NEST = """
KERNEL void walk(GLOBAL float *out, int n)
{
    int lane = LANE;
    float sum = 0.0f;
    for (int i = 0; i < n; ++i) {
        float x = 0.001f * (float)(lane + i);
        while (x < 5.0f) {
            x = x * x * 0.3f + 0.9f * x + 0.11f;
            x = x * 1.01f + x * x * 0.01f + x * x * x * 0.001f;
            x = x * 1.001f + 1.0f / (4.0f + x);
            sum += x;
        }
        sum = sum * 0.5f;
    }
    out[lane] = sum;
}
"""
LANGUAGES = {
    "k.c": "#define KERNEL __attribute__((nvptx_kernel))\n#define GLOBAL\n#define LANE __nvvm_read_ptx_sreg_tid_x()\n" + NEST,
    "k.cl": "#define KERNEL __kernel\n#define GLOBAL __global\n#define LANE get_local_id(0)\n" + NEST,
    "k.cu": "#define KERNEL extern \"C\" __global__\n#define GLOBAL\n#define LANE threadIdx.x\n" + NEST,
}


def call(program, *args, **more):
    env = {k: v for k, v in os.environ.items() if k != "CORPUSCLE_DIVCC_FLAGS"} | more.pop("env", {})
    return subprocess.run([BUILD / program, *map(str, args)], capture_output=True, text=True, timeout=300, env=env, **more)


def divcc(*args, **more):
    return call("corpuscle-divcc", *args, **more)


def test_example_without_a_toolkit(tmp_path):
    done = divcc(WALK, "-o", tmp_path / "walk.ptx", "--arch", "sm_90", "--cuda-path", "none")
    assert done.returncode == 0, done.stderr
    assert re.search(r"^\S*walk\.cu:\d+:\d+: loop-merge: merged \(.*predicted 1\.\d+ times", done.stderr, re.M)
    text = (tmp_path / "walk.ptx").read_text()
    assert ".target sm_90" in text and ".entry walk" in text and ".loc" not in text


@pytest.mark.parametrize("name", LANGUAGES)
def test_languages(tmp_path, name):
    source = tmp_path / name
    source.write_text(LANGUAGES[name])
    done = divcc(source, "-o", tmp_path / "k.ptx", "--passes", "loop-merge<steps=2>", "--cuda-path", "none")
    assert done.returncode == 0, done.stderr
    assert f"{name}:" in done.stderr and "loop-merge: merged (1 loop" in done.stderr and "2 steps a turn" in done.stderr
    assert ".entry walk" in (tmp_path / "k.ptx").read_text()


def test_bitcode_in_and_out(tmp_path):
    first = divcc(WALK, "-o", tmp_path / "walk.bc", "--passes", "none", "--cuda-path", "none")
    second = divcc(tmp_path / "walk.bc", "-o", tmp_path / "walk.ll", "--passes", "loop-merge")
    assert first.returncode == second.returncode == 0, first.stderr + second.stderr
    assert "loop-merge" not in first.stderr and "merged (" in second.stderr
    assert "div.head" in (tmp_path / "walk.ll").read_text()


def test_report_changes_nothing(tmp_path):
    plain, report = tmp_path / "plain.ll", tmp_path / "report.ll"
    assert divcc(WALK, "-o", plain, "--passes", "none", "--cuda-path", "none").returncode == 0
    done = divcc(WALK, "-o", report, "--report", "--cuda-path", "none")
    assert "loop-merge: would merge (" in done.stderr
    assert re.sub("ModuleID.*", "", plain.read_text()) == re.sub("ModuleID.*", "", report.read_text())
    alone = divcc(WALK, "--report", "--cuda-path", "none", cwd=tmp_path)
    assert alone.returncode == 0 and "would merge (" in alone.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["plain.ll", "report.ll"]


def test_margin_and_allow(tmp_path):
    done = divcc(WALK, "-o", tmp_path / "w.ptx", "--margin", "9", "--cuda-path", "none")
    assert "loop-merge: not merged: no gain expected (predicted" in done.stderr
    done = divcc(WALK, "-o", tmp_path / "w.ptx", "--allow", "branch-distribute", "--cuda-path", "none")
    assert done.returncode == 0 and "loop-merge" not in done.stderr


ITEMS = """
extern "C" __global__ void items(float *out, int n)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id < n) {
        float x = 0.001f * (float)(id & 1023), sum = 0.0f;
        while (x < 5.0f) {
            x = x * x * 0.3f + 0.9f * x + 0.11f;
            x = x * 1.01f + x * x * 0.01f + x * x * x * 0.001f;
            x = x * 1.001f + 1.0f / (4.0f + x);
            sum += x;
        }
        out[id] = sum;
    }
}
"""


def test_persistent_for_a_number_of_multiprocessors(tmp_path):
    (tmp_path / "k.cu").write_text(ITEMS)
    done = divcc(tmp_path / "k.cu", "-o", tmp_path / "k.ll", "--passes", "persist,loop-merge", "--processors", 7, "--cuda-path", "none")
    assert done.returncode == 0, done.stderr
    remarks = re.findall(r"persist: kernel made persistent|loop-merge: merged", done.stderr)
    assert remarks == ["persist: kernel made persistent", "loop-merge: merged"]
    assert re.search(r"%persist\.held = mul (nuw |nsw )*i32 %\w+, 7\b", (tmp_path / "k.ll").read_text())


def record_of(tmp_path, source, launched):
    """A made-up record: in the one loop of `source`, 64 warps of so many launched; one lane in eight makes 64 turns, the others 2."""
    assert divcc(source, "-o", tmp_path / "sites.ll", "--passes", "none", "--cuda-path", "none").returncode == 0
    text = (tmp_path / "sites.ll").read_text()
    note = re.search(r"!corpuscle.sites = !\{(!\d+)\}", text)[1]
    fingerprint = int(re.search(rf"^{note} = !\{{i64 (-?\d+)\}}", text, re.M)[1]) % 2**64
    words = bytearray(2 * (160 + 64 * 64 * 32 * 64))
    words[:8], words[8:16], words[64:68] = b"crpdiv2\0", fingerprint.to_bytes(8, "little"), launched.to_bytes(4, "little")
    for warp in range(64):
        for lane in range(32):
            cell = 2 * (160 + (warp * 32 + lane) * 64)
            words[cell] = 1
            words[cell + 2] = 1 + (64 if (warp * 7 + lane * 11 + warp * lane) % 8 == 0 else 2)
    (tmp_path / "made.divprofile").write_bytes(words)
    return tmp_path / "made.divprofile"


@pytest.mark.parametrize("launched, is_made", [(132 * 64 * 32, True), (132 * 64, False)])
def test_persistent_when_recorded_items_are_many_and_unequal(tmp_path, launched, is_made):
    """With one item for each place on the GPU there is nothing to merge, with 32 there is."""
    (tmp_path / "k.cu").write_text(ITEMS)
    record = record_of(tmp_path, tmp_path / "k.cu", launched)
    done = divcc(tmp_path / "k.cu", "-o", tmp_path / "k.ll", "--profile-use", record, "--cuda-path", "none")
    assert done.returncode == 0, done.stderr
    assert ("kernel made persistent (predicted" in done.stderr) == is_made, done.stderr
    assert ("loop-merge: merged (" in done.stderr) == is_made, done.stderr


@needs_toolkit
def test_remarks_come_once_and_registers_are_limited(tmp_path):
    """persist looks at a trial translation first; a limit of registers goes to ptxas."""
    (tmp_path / "k.cu").write_text(ITEMS)
    options = ["--passes", "persist,loop-merge<steps=4>", "--verbose"]
    done = divcc(tmp_path / "k.cu", "-o", tmp_path / "k.cubin", *options, "-maxrregcount=24", "--remarks", tmp_path / "remarks.txt")
    assert done.returncode == 0, done.stderr
    assert "--maxrregcount=24" in done.stderr and "-divergence-registers=" in done.stderr
    assert len((tmp_path / "remarks.txt").read_text().splitlines()) == 2


def test_annotation_and_remarks_file(tmp_path):
    source, remarks = tmp_path / "k.cu", tmp_path / "remarks.txt"
    source.write_text(LANGUAGES["k.cu"].replace("KERNEL void", '__attribute__((annotate("div.loop-merge:force;steps=3"))) KERNEL void'))
    done = divcc(source, "-o", tmp_path / "k.ptx", "--margin", "50", "--quiet", "--remarks", remarks, "--cuda-path", "none")
    assert done.returncode == 0 and done.stderr == ""
    assert "3 steps a turn" in remarks.read_text()


def test_recording_build(tmp_path):
    done = divcc(WALK, "-o", tmp_path / "walk.ptx", "--profile", "--cuda-path", "none")
    assert done.returncode == 0, done.stderr
    assert ".global .align 16 .b8 corpuscle_profile" in (tmp_path / "walk.ptx").read_text()


def test_a_record_of_something_else_is_noticed(tmp_path):
    record = tmp_path / "r.divprofile"
    record.write_bytes(b"crpdiv2\0" + bytes(2 * (160 + 64 * 64 * 32 * 64) - 8))
    done = divcc(WALK, "-o", tmp_path / "walk.ptx", "--profile-use", record, "--cuda-path", "none")
    assert done.returncode == 0 and "holds no record" in done.stderr and "record again" in done.stderr
    done = divcc(WALK, "-o", tmp_path / "walk.ptx", "--profile-use", tmp_path / "none", "--cuda-path", "none")
    assert done.returncode == 0 and "cannot read" in done.stderr


FAULTS = [
    (["--passes", "loop-marge"], 1, "unknown pass 'loop-marge' (known: loop-merge"),
    (["--passes", "loop-merge<stops=3>"], 1, "unknown parameter 'stops=3'"),
    (["--frobnicate"], 2, "unknown option '--frobnicate'"),
    (["--arch", "sm_42"], 1, "does not know this GPU"),
    (["--cuda-path", "/nowhere"], 1, "holds no toolkit"),
]


@pytest.mark.parametrize("args, code, words", FAULTS)
def test_faults(tmp_path, args, code, words):
    more = [] if "--cuda-path" in args else ["--cuda-path", "none"]
    done = divcc(WALK, "-o", tmp_path / "w.ptx", *args, *more)
    assert done.returncode == code and words in done.stderr
    assert "PLEASE submit a bug report" not in done.stderr and not (tmp_path / "w.ptx").exists()


def test_missing_things_are_named(tmp_path):
    done = divcc(WALK, "-o", tmp_path / "w.cubin", "--cuda-path", "none", env={"PATH": "/usr/bin:/bin"})
    assert done.returncode == 1 and "no ptxas" in done.stderr and ".ptx" in done.stderr
    done = divcc(tmp_path / "absent.cu", "-o", tmp_path / "w.ptx")
    assert done.returncode == 1 and "cannot read" in done.stderr
    assert divcc().returncode == 2
    source = tmp_path / "k.cu"
    source.write_text("#include <cooperative_groups.h>\n" + LANGUAGES["k.cu"])
    done = divcc(source, "-o", tmp_path / "k.ptx", "--cuda-path", "none")
    assert done.returncode == 1 and "name it with --cuda-path" in done.stderr


def test_old_shuffle_is_reported(tmp_path):
    source = tmp_path / "k.ll"
    source.write_text('target triple = "nvptx64-nvidia-cuda"\ndefine void @k(ptr %p, i32 %x) {\n'
                      "  %v = call i32 @llvm.nvvm.shfl.idx.i32(i32 %x, i32 0, i32 31)\n  store i32 %v, ptr %p\n  ret void\n}\n"
                      "declare i32 @llvm.nvvm.shfl.idx.i32(i32, i32, i32)\n")
    done = divcc(source, "-o", tmp_path / "k.ptx", "--arch", "sm_90")
    assert done.returncode != 0 and "_sync form, or compile this file with nvcc" in done.stderr


PROGRAM = """#include <cstdio>
__global__ void walk(float *out, int n)
{
    float s = 0.0f;
    for (int i = 0; i < n; ++i) {
        float x = 0.001f * (threadIdx.x + i);
        while (x < 50.0f) x = x * 1.01f + 0.01f * x * x + 0.3f;
        s += x;
    }
    out[threadIdx.x] = s;
}
int main()
{
    walk<<<1, 32>>>(nullptr, 1);
    printf("%s\\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
"""


@needs_toolkit
@pytest.mark.parametrize("flags", ["", "--profile"])
def test_whole_program(tmp_path, flags):
    (tmp_path / "main.cu").write_text(PROGRAM)
    (tmp_path / "Makefile").write_text("main: main.o\n\t$(CXX) main.o -o $@\nmain.o: main.cu\n"
                                       "\t$(CXX) -std=c++17 -O3 -Xcompiler -Wall -arch=sm_90 -c main.cu -o main.o\n")
    env = os.environ | {"CORPUSCLE_DIVCC_FLAGS": f"{flags} --passes loop-merge"}
    made = subprocess.run(["make", f"CXX={BUILD / 'corpuscle-divcc'}"], cwd=tmp_path, env=env, capture_output=True, text=True,
                          timeout=300)
    assert made.returncode == 0, made.stderr
    assert ("merged (" in made.stderr) == (flags == "")
    run = subprocess.run([tmp_path / "main"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert run.stdout.strip() != ""  # without a GPU CUDA's own words


@needs_toolkit
def test_machine_code(tmp_path):
    done = divcc(WALK, "-o", tmp_path / "walk.cubin", "--cuda-path", CUDA)
    assert done.returncode == 0 and (tmp_path / "walk.cubin").read_bytes()[:4] == b"\x7fELF"


@needs_toolkit
def test_own_photon_kernel_is_merged(tmp_path):
    """The mirror: every loop of the light kernel that lanes leave at different times is one loop already, none would merge."""
    (tmp_path / "k.cu").write_text('#include "entry/light_gpu.h"\n')
    done = divcc(tmp_path / "k.cu", "--report", "-ffp-contract=off", "-DCK_STRICT=1", "-DCK_BLOCK=1024", "-DCK_BLOCKS_PER_UNIT=1",
                 "-I", ROOT / "kernel")
    assert done.returncode == 0, done.stderr
    assert re.search(r"entry/light_gpu\.h:\d+:\d+: loop-merge: one loop already", done.stderr), done.stderr
    assert "would merge" not in done.stderr and "loop-merge: not merged" not in done.stderr


def test_runner_faults(tmp_path):
    missing = {"CORPUSCLE_CUDA_DRIVER": "/nonexistent/libcuda.so"}
    done = call("corpuscle-divrun", "a.cubin", "--kernel", "k", "--grid", 1, "--block", 32, env=missing)
    assert done.returncode == 2 and "no NVIDIA driver" in done.stderr
    for args, words in ((["--arg", "u31=5"], "unknown type"), (["--arg", "buf:zero"], "no size"), (["--grid", "0"], "--grid takes"),
                        (["--arg", "file:/nonexistent"], "cannot be read"), (["--repeat", "0"], "1 to 100"), (["--x", "1"], "unknown option")):
        done = call("corpuscle-divrun", "a.cubin", "--kernel", "k", *args, env=missing)
        assert done.returncode == 2 and words in done.stderr
    assert call("corpuscle-divrun", "--help").returncode == 0
