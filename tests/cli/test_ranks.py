"""Several processes under mpirun: the digits of one, and what happens when one of them fails, differs or dies."""
import json
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from conftest import PROGRAM, SLAB, TWO_RUNS

PLUGIN = Path(PROGRAM).with_name("libcorpuscle-mpi.so")
pytestmark = pytest.mark.skipif(shutil.which("mpirun") is None or not PLUGIN.exists(), reason="no MPI here")

FLAGS = ["--oversubscribe", "--bind-to", "none"] + (["--allow-run-as-root"] if os.geteuid() == 0 else [])
CPU = ["--device", "cpu", "--threads", "1"]


def program(environment=()):
    return [*(["env", *environment] if environment else []), PROGRAM]


def start(corpuscle, parts, **more):
    """mpirun of (processes, command) pairs."""
    command = ["mpirun", *FLAGS]
    for i, (n, words) in enumerate(parts):
        command += [":"] if i else []
        command += ["-n", str(n), *map(str, words)]
    # MPI keeps memory to the end, which a sanitizer would take for ours.
    environment = dict(corpuscle.environment, TMPDIR="/tmp", ASAN_OPTIONS="detect_leaks=0")
    return subprocess.Popen(command, cwd=corpuscle.folder, env=environment, text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, start_new_session=True, **more)


def ranks(corpuscle, parts, timeout=100):
    process = start(corpuscle, parts)
    out, err = process.communicate(timeout=timeout)
    return process.returncode, out, err


def run_json(corpuscle, n, *args):
    code, out, err = ranks(corpuscle, [(n, [*program(), "run", *args, "--json", "-q", *CPU])])
    assert code == 0, err
    return [json.loads(line) for line in out.splitlines()]


def numbers(run):
    return run["digest"], run["histories"], run["events"], [(r["name"], r["mean"], r["std_dev"]) for r in run["results"]]


@pytest.fixture
def reference(slab):
    return slab, numbers(slab.json("run", "slab.mci", "-o", "one.h5", "-q", *CPU)[0])


@pytest.mark.parametrize("n", [1, 2, 4])
def test_same_digits(reference, n):
    """Digest, means, standard errors and counters are those of one process; one object is printed, one file written."""
    slab, expected = reference
    run, = run_json(slab, n, "slab.mci")
    assert numbers(run) == expected
    assert slab.files() == ["one.h5", "slab.h5", "slab.mci", "slab.mco"]
    code, out, _ = slab("compare", "one.h5", "slab.h5")
    assert code == 0 and "same bits" in out
    assert [d["rank"] for d in run["devices"]] == list(range(n)) and sum(d["histories"] for d in run["devices"]) == 20000
    assert slab.json("info", "slab.h5")[0] == run


@pytest.mark.parametrize("starter, n", [("gas-elbow", 20000), ("chem-water", 6)])
def test_other_modules(corpuscle, starter, n):
    corpuscle.ok("new", starter, "-o", "model.yaml")
    alone, = corpuscle.json("run", "model.yaml", "-n", str(n), "-o", "one.h5", "-q", *CPU)
    together, = run_json(corpuscle, 3, "model.yaml", "-n", str(n))
    assert numbers(together) == numbers(alone)


def test_more_ranks_than_histories(corpuscle):
    corpuscle.write("slab.mci", SLAB.format(n=5))
    alone, = corpuscle.json("run", "slab.mci", "-o", "one.h5", "-q", *CPU)
    together, = run_json(corpuscle, 4, "slab.mci")
    assert numbers(together) == numbers(alone)


def test_resumed_with_other_numbers(reference):
    """A quarter on three processes, half on one, the rest on two."""
    slab, expected = reference
    run_json(slab, 3, "slab.mci", "-n", "5000", "--batches", "8")
    slab.ok("run", "slab.mci", "-n", "10000", "--restart", "slab.h5", "-q", *CPU)
    run, = run_json(slab, 2, "slab.mci", "-n", "20000", "--restart", "slab.h5")
    assert numbers(run) == expected


def test_several_models(corpuscle):
    corpuscle.write("two.mci", TWO_RUNS.format(n=20000))
    alone = corpuscle.json("run", "two.mci", "-o", "one.h5", "-q", *CPU)
    together = run_json(corpuscle, 2, "two.mci")
    assert [numbers(r) for r in together] == [numbers(r) for r in alone]
    again = run_json(corpuscle, 2, "two.mci", "--restart", "two.h5")
    assert [r["digest"] for r in again] == [r["digest"] for r in alone]


def test_trigger(corpuscle):
    """Rank 0 decides, and all stop after the same batch as one process does."""
    corpuscle.write("slab.mci", SLAB.format(n=4000000))
    args = ["slab.mci", "--until", "rel_err(Rd)<1%", "--batches", "200"]
    alone, = corpuscle.json("run", *args, "-o", "one.h5", "-q", *CPU)
    together, = run_json(corpuscle, 2, *args)
    assert numbers(together) == numbers(alone) and alone["histories"] < 4000000


def test_hosts_that_differ(reference):
    """Another instruction set, another kind of device and a clock that is days off on one of the ranks."""
    slab, expected = reference
    run = ["run", "slab.mci", "--json", "-q", "--threads", "1"]
    parts = [(1, [*program(["CORPUSCLE_ISA=x86-64-v2"]), *run, "--device", "cpu"]), (1, [*program(), *run, "--device", "cpu"])]
    if os.uname().machine != "x86_64":
        parts[0] = parts[1]
    days_off = ["unshare", "--time", "--monotonic", "1000000", "--boottime", "1000000"]
    if subprocess.run([*days_off, "true"], capture_output=True).returncode == 0:
        parts.append((1, [*days_off, *program(), *run, "--device", "cpu"]))
    if slab("run", "slab.mci", "-n", "1000", "--device", "opencl:0", "-q", "-o", "opencl.h5")[0] == 0:
        parts.append((1, [*program(), *run, "--device", "opencl:0"]))
    code, out, err = ranks(slab, parts)
    assert code == 0, err
    assert numbers(json.loads(out)) == expected


def test_progress_names_all_devices(slab):
    code, _, err = ranks(slab, [(2, [*program(), "run", "slab.mci", "--progress", "json", *CPU])])
    lines = [json.loads(line)["progress"] for line in err.splitlines() if line.startswith("{")]
    assert code == 0 and len(lines) == 32, "rank 0 alone reports"
    devices = lines[-1]["devices"]
    assert [d["device"][:10] for d in devices] == ["rank 0 cpu", "rank 1 cpu"]
    assert abs(sum(d["share"] for d in devices) - 1) < 1e-5 and sum(d["histories"] for d in devices) == 20000


SRUN = """#!/bin/sh
# What srun would do, on one machine: drop its own options, start two processes; and a small run.
while case $1 in --*) true ;; *) false ;; esac; do shift; done
exec mpirun {flags} -n 2 "$@" -n 20000 --batches 8 --device cpu --threads 1
"""


def test_slurm_script(corpuscle):
    """The script of docs/user/devices.md, as it stands there: run, and submitted again."""
    page = (Path(__file__).resolve().parents[2] / "docs" / "user" / "devices.md").read_text()
    script = corpuscle.write("job.sh", re.search(r"```sh\n(#!/bin/sh\n#SBATCH.*?)```", page, re.DOTALL).group(1))
    corpuscle.write("skin.mci", SLAB.format(n=20000))
    (corpuscle.folder / "bin").mkdir()
    srun = corpuscle.write("bin/srun", SRUN.format(flags=" ".join(FLAGS)))
    srun.chmod(0o755)
    (corpuscle.folder / "bin" / "corpuscle").symlink_to(PROGRAM)
    environment = dict(corpuscle.environment, ASAN_OPTIONS="detect_leaks=0", PATH=f"{corpuscle.folder}/bin:{os.environ['PATH']}")
    for text in ("wrote skin.h5", "finished already"):
        done = subprocess.run(["sh", str(script)], cwd=corpuscle.folder, env=environment, capture_output=True, text=True,
                              timeout=100)
        assert done.returncode == 0 and text in done.stderr, done.stderr
    assert corpuscle.json("info", "skin.h5")[0]["histories"] == 20000


# ------------------------------------------------------------------------------------------------------------ faults

def test_one_error_message(slab):
    """What all ranks see is said once; what one sees is said with its name; and nothing is written."""
    for parts, text, code in [
        ([(3, [*program(), "run", "gone.mci"])], "gone.mci: cannot be opened", 2),
        ([(3, [*program(), "run", "slab.mci", "--device", "opencl:99"])], "device opencl:99", 1),
        ([(1, [*program(), "run", "slab.mci"]), (1, [*program(), "run", "slab.mci", "--device", "opencl:99"])],
         "rank 1 on ", 1),
        ([(1, [*program(), "run", "slab.mci"]), (1, [*program(), "run", "slab.mci", "--set", "layers[1].mu_a=5 /cm"])],
         "the input is another one than that of rank 0", 2),
        ([(2, [*program(), "run", "slab.mci", "-o", "/proc/slab.h5"])], "/proc", 2),
    ]:
        got, out, err = ranks(slab, parts)
        said = [line for line in err.splitlines() if line.startswith("corpuscle: ")]
        assert got == code and out == "" and len(said) == 1 and text in said[0], err
        assert slab.files() == ["slab.mci"]


def test_without_the_plugin(slab):
    code, out, err = ranks(slab, [(2, [*program(["CORPUSCLE_MPI=/nonexistent/library.so"]), "run", "slab.mci"])])
    assert code == 2 and out == "" and "this is one of 2 processes" in err and "/nonexistent/library.so" in err
    assert slab.files() == ["slab.mci"]


def rank_of(folder):
    """Of a process, by its folder in /proc; None if it is no rank of ours."""
    try:
        environment, name = (folder / "environ").read_text(), (folder / "comm").read_text().strip()
    except OSError:
        return None
    found = re.search("OMPI_COMM_WORLD_RANK=([0-9]+)", environment)
    return int(found.group(1)) if found and name == "corpuscle" else None


def parent_of(folder):
    try:
        return int((folder / "stat").read_text().rsplit(")", 1)[1].split()[1])
    except OSError:
        return None


def processes_of(mpirun):
    """Rank -> process, of the children of this mpirun."""
    children = [f for f in Path("/proc").iterdir() if f.name.isdigit() and parent_of(f) == mpirun.pid]
    return {rank_of(f): int(f.name) for f in children if rank_of(f) is not None}


def wait_for_save(corpuscle, name):
    for _ in range(600):
        if name in corpuscle.files():
            return
        time.sleep(0.05)
    raise AssertionError("nothing was saved")


def long_run(corpuscle, n=10**9, batches=2000):
    corpuscle.write("slab.mci", SLAB.format(n=n))
    return ["run", "slab.mci", "--batches", str(batches), "--save-every", "0s", "-o", "long.h5", *CPU]


def test_a_rank_dies(corpuscle):
    """Killed with SIGKILL: the run ends with an error, and three other processes finish it with the digits of one."""
    corpuscle.write("slab.mci", SLAB.format(n=200000))
    probe, = corpuscle.json("run", "slab.mci", "-o", "one.h5", "-q", *CPU)
    n = int(probe["histories"] / probe["seconds"] * 6)  # some seconds, whatever this machine's speed
    args = long_run(corpuscle, n, 200)
    process = start(corpuscle, [(4, [*program(), *args])])
    wait_for_save(corpuscle, "long.h5")
    os.kill(processes_of(process)[2], signal.SIGKILL)
    _, err = process.communicate(timeout=60)
    assert process.returncode != 0 and "rank 2" in err and "signal 9" in err
    done, = corpuscle.json("info", "long.h5")
    assert 0 < done["histories"] < n
    expected, = corpuscle.json("run", "slab.mci", "-o", "one.h5", "-q", "--batches", "200", "--device", "cpu")
    code, out, err = ranks(corpuscle, [(3, [*program(), *args, "--restart", "long.h5", "--json", "-q"])])
    assert code == 0, err
    assert numbers(json.loads(out)) == numbers(expected)


def test_interrupt(corpuscle):
    """SIGUSR1 to all, as srun sends it: stopped at the end of a batch, saved, exit code 130."""
    process = start(corpuscle, [(2, [*program(), *long_run(corpuscle)])])
    wait_for_save(corpuscle, "long.h5")
    for pid in processes_of(process).values():
        os.kill(pid, signal.SIGUSR1)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130 and "--restart long.h5" in err, err
    assert corpuscle.json("info", "long.h5")[0]["histories"] > 0
    assert "long.h5.lock" not in corpuscle.files()


def test_interrupt_of_another_rank(corpuscle):
    """One rank alone is asked to stop: all do."""
    process = start(corpuscle, [(2, [*program(), *long_run(corpuscle)])])
    wait_for_save(corpuscle, "long.h5")
    os.kill(processes_of(process)[1], signal.SIGUSR1)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130 and "--restart long.h5" in err, err


def test_full_disk(corpuscle):
    """Rank 0 cannot save: one message, and all ranks end."""
    corpuscle.write("slab.mci", SLAB.format(n=20000))
    limited = ["sh", "-c", 'ulimit -f 8; exec "$@"', "sh"]
    code, out, err = ranks(corpuscle, [(1, [*limited, *program(), "run", "slab.mci", *CPU]),
                                       (2, [*program(), "run", "slab.mci", *CPU])])
    assert code == 1 and out == "" and err.count("corpuscle: ") == 1 and "slab.h5" in err
    assert corpuscle.files() == ["slab.mci"]
