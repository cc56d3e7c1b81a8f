"""Two runs that write one file: the second is refused, and no lock outlives its run."""
import signal
import time

import pytest

from conftest import SLAB


@pytest.fixture
def running(corpuscle):
    """A run that has begun and will not end by itself."""
    corpuscle.write("slab.mci", SLAB.format(n=10**12))
    process = corpuscle.popen("run", "slab.mci", "-o", "out.h5", "--device", "cpu", "--threads", "1", "--batches", "1000000",
                              "-q", "--save-every", "0s")
    for _ in range(600):
        if "out.h5" in corpuscle.files():
            break
        time.sleep(0.05)
    yield corpuscle, process
    process.kill()
    process.communicate(timeout=30)


def test_second_is_refused(running):
    corpuscle, process = running
    for restart in ([], ["--restart", "out.h5"]):
        code, out, err = corpuscle("run", "slab.mci", "-n", "1000", "-o", "out.h5", *([] if not restart else ["-n", str(10**12)]),
                                   *restart)
        assert code == 2 and out == "" and "out.h5: another run is writing it (process " in err and "-o" in err
        assert f"process {process.pid} on " in err
    assert process.poll() is None, "the first goes on"
    corpuscle.ok("run", "slab.mci", "-n", "1000", "-o", "other.h5", "-q")
    link = corpuscle.folder / "link.h5"
    link.symlink_to("out.h5")
    code, _, err = corpuscle("run", "slab.mci", "-n", "1000", "-o", "link.h5")
    assert code == 2 and "another run is writing it" in err, "the same file by another name"


def test_kill_leaves_no_lock(running):
    corpuscle, process = running
    process.kill()
    process.communicate(timeout=30)
    done = corpuscle.json("info", "out.h5")[0]["histories"]
    more, = corpuscle.json("run", "slab.mci", "-n", str(done + 1000), "--restart", "out.h5", "-q")
    assert more["histories"] == done + 1000
    assert "out.h5.lock" not in corpuscle.files()


def test_interrupt_leaves_no_lock(running):
    corpuscle, process = running
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 130 and "out.h5.lock" not in corpuscle.files()


def test_stale_file_is_in_nobodys_way(slab):
    slab.write("slab.h5.lock", "process 1 on elsewhere")
    slab.ok("run", "slab.mci", "-q")
    assert slab.files() == ["slab.h5", "slab.mci", "slab.mco"]
