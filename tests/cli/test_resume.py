"""Interrupted, killed, extended: the digits are those of a run that was left alone."""
import random
import signal
import time

import pytest

from conftest import SLAB, TWO_RUNS

SECONDS = 4.0  # of the long run below, whatever this machine's speed


@pytest.fixture
def long_run(corpuscle):
    """A slab that takes about SECONDS, in 200 batches, each saved."""
    corpuscle.write("slab.mci", SLAB.format(n=1000000))
    probe, = corpuscle.json("run", "slab.mci", "--device", "cpu", "-o", "probe.h5", "-q")
    n = int(probe["histories"] / probe["seconds"] * SECONDS)
    args = ["run", "slab.mci", "-n", str(n), "--batches", "200", "--device", "cpu", "--save-every", "0s", "-o", "long.h5"]
    return corpuscle, n, args


def whole(corpuscle, n):
    run, = corpuscle.json("run", "slab.mci", "-n", str(n), "--device", "cpu", "-o", "whole.h5", "-q")
    return run


def wait_for_batches(process, count):
    """Read JSON progress until `count` batches are done."""
    for line in process.stderr:
        if f'"batches_done":{count},' in line:
            return
    raise AssertionError("the run ended too early")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupt(long_run, number):
    corpuscle, n, args = long_run
    process = corpuscle.popen(*args, "--progress", "json", "--json")
    wait_for_batches(process, 5)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert out == "" and "--restart long.h5" in err
    done = corpuscle.json("info", "long.h5")[0]["histories"]
    assert 0 < done < n, "it stopped at a batch"
    assert "slab.mco" in corpuscle.files()  # of the probe
    resumed, = corpuscle.json(*args, "--restart", "long.h5", "-q")
    reference = whole(corpuscle, n)
    assert resumed["histories"] == n and resumed["digest"] == reference["digest"]
    assert [(r["mean"]) for r in resumed["results"]] == [(r["mean"]) for r in reference["results"]]


def test_second_interrupt_ends_at_once(corpuscle):
    corpuscle.write("slab.mci", SLAB.format(n=10**12))
    process = corpuscle.popen("run", "slab.mci", "--device", "cpu", "--batches", "2", "--progress", "plain")
    time.sleep(0.7)
    process.send_signal(signal.SIGINT)
    time.sleep(0.2)
    assert process.poll() is None, "the first waits for the batch"
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=5)
    assert process.returncode == 130


def test_kill_ten_times(long_run):
    corpuscle, n, args = long_run
    moments = random.Random(20240607)
    for _ in range(10):
        restart = ["--restart", "long.h5"] if "long.h5" in corpuscle.files() else []
        process = corpuscle.popen(*args, *restart, "-q")
        time.sleep(moments.uniform(0.05, 0.3))
        process.kill()
        process.communicate(timeout=30)
        assert process.returncode == -signal.SIGKILL, "it was to be killed, and had ended"
    assert 0 < corpuscle.json("info", "long.h5")[0]["histories"] < n, "no kill came after a save"
    resumed, = corpuscle.json(*args, "--restart", "long.h5", "-q")
    reference = whole(corpuscle, n)
    assert resumed["histories"] == n
    assert resumed["digest"] == reference["digest"]
    assert not [name for name in corpuscle.files() if name.endswith(".tmp")], "a resumed run clears up"


def test_extend(slab):
    slab.ok("run", "slab.mci", "-n", "10000", "-q")
    extended, = slab.json("run", "slab.mci", "-n", "30000", "--restart", "slab.h5", "-q")
    whole_run, = slab.json("run", "slab.mci", "-n", "30000", "-o", "whole.h5", "-q")
    assert extended["histories"] == 30000 and extended["digest"] == whole_run["digest"]


def test_finished_stays_as_it_is(slab):
    first, = slab.json("run", "slab.mci", "-q")
    before = slab.folder.joinpath("slab.h5").read_bytes()
    out, err = slab.ok("run", "slab.mci", "--restart", "slab.h5", "--json")
    assert "finished already" in err and first["digest"] in out
    assert slab.folder.joinpath("slab.h5").read_bytes() == before


def test_extend_into_another_file(slab):
    slab.ok("run", "slab.mci", "-q")
    before = slab.folder.joinpath("slab.h5").read_bytes()
    extended, = slab.json("run", "slab.mci", "-n", "25000", "--restart", "slab.h5", "-o", "more.h5", "-q")
    assert extended["histories"] == 25000
    assert slab.folder.joinpath("slab.h5").read_bytes() == before


@pytest.mark.parametrize("more, word", [
    (["--seed", "2"], "seed"),
    (["--math", "fast"], "math"),
    (["--set", "layers[1].mu_a=11 /cm"], "input"),
    (["-n", "100"], "100"),
])
def test_what_does_not_fit_is_refused(slab, more, word):
    slab.ok("run", "slab.mci", "-q")
    before = slab.folder.joinpath("slab.h5").read_bytes()
    code, out, err = slab("run", "slab.mci", "--restart", "slab.h5", *more)
    assert code == 2 and out == "" and word in err
    assert slab.folder.joinpath("slab.h5").read_bytes() == before


def test_several_runs(corpuscle):
    """A file whose second run was interrupted: the first is kept, the second goes on."""
    corpuscle.write("two.mci", TWO_RUNS.format(n=20000))
    reference = corpuscle.json("run", "two.mci", "-o", "whole.h5", "-q")
    corpuscle.write("two.mci", TWO_RUNS.format(n=20000))
    code, _, _ = corpuscle("run", "two.mci", "-q", "--time-limit", "1e-9s", "--batches", "40")
    assert code == 0, "each run stopped after its first batch"
    runs = corpuscle.json("info", "two.h5")
    assert [r["histories"] for r in runs] == [500, 500]
    code, _, err = corpuscle("run", "two.mci", "-q", "--restart", "two.h5")
    assert code == 2 and "-o" in err, "extending the first in place would lose the second"
    resumed = corpuscle.json("run", "two.mci", "-q", "--restart", "two.h5", "-o", "three.h5")
    assert [r["digest"] for r in resumed] == [r["digest"] for r in reference]
    again = corpuscle.json("run", "two.mci", "-q", "--restart", "three.h5")
    assert [r["digest"] for r in again] == [r["digest"] for r in reference]


def test_many_short_runs_interrupted(corpuscle):
    """Short runs are written together; what an interrupt cut off is run again, and nothing twice or never."""
    n = 400
    body = SLAB.format(n=10).split("\n", 2)[2]
    text = f"1.0\n{n}\n" + "".join(body.replace("slab.mco", f"s{i}.mco") for i in range(n))
    corpuscle.write("many.mci", text)
    process = corpuscle.popen("run", "many.mci", "-q", "--save-every", "0s", "--device", "cpu", "--threads", "1")
    while "s60.mco" not in corpuscle.files():
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode == 130
    done = len(corpuscle.json("info", "many.h5"))
    assert 60 <= done < n
    resumed = corpuscle.json("run", "many.mci", "-q", "--restart", "many.h5", "--device", "cpu", "--threads", "1")
    assert len(resumed) == n and len(corpuscle.json("info", "many.h5")) == n
    assert len({r["digest"] for r in resumed}) == 1, "equal runs give equal digits"
