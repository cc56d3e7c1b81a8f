"""What can go wrong around a run: devices that are not there, disks that are full, folders that cannot be written."""
import os
import resource
import shutil
import subprocess

import pytest

from conftest import SLAB


def has_gpu():
    return shutil.which("nvidia-smi") is not None and subprocess.run(["nvidia-smi", "-L"], capture_output=True).returncode == 0


@pytest.mark.skipif(has_gpu(), reason="a GPU is here")
def test_no_gpu_is_said(slab):
    code, out, err = slab("run", "slab.mci", "--device", "cuda:0")
    assert code == 1 and out == ""
    assert "cuda" in err.lower() and "driver" in err.lower()
    assert slab.files() == ["slab.mci"], "nothing is written"


@pytest.mark.parametrize("device", ["opencl:99", "cpu:7"])
def test_no_such_device(slab, device):
    code, out, err = slab("run", "slab.mci", "--device", device)
    assert code == 1 and out == "" and device.split(":")[0] in err.lower()


@pytest.mark.parametrize("command", ["run", "check"])
def test_too_little_memory(slab, command):
    """Refused before the first photon, whatever the machine has, with the numbers that are to blame."""
    slab.write("slab.mci", SLAB.format(n=1000).replace("20 10 5", "60000 60000 30"))
    slab.environment["CORPUSCLE_MEMORY"] = "1000000000"
    code, out, err = slab(command, "slab.mci")
    assert code == 1 and out == ""
    assert "nr = 60000, nz = 60000" in err and "bytes needed, 1000000000 available" in err and "fewer bins" in err
    assert slab.files() == ["slab.mci"], "nothing is written"


def test_unwritable_folder(slab):
    """/proc refuses root too."""
    code, out, err = slab("run", "slab.mci", "-o", "/proc/slab.h5")
    assert code == 2 and out == "" and "/proc" in err
    assert slab.files() == ["slab.mci"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_read_only_folder(slab):
    slab.folder.chmod(0o555)
    try:
        code, _, err = slab("run", "slab.mci")
    finally:
        slab.folder.chmod(0o755)
    assert code == 2 and "ermission" in err


def test_unwritable_mco(slab):
    """The .mco that the input names lies in a folder that is not there: said before the first photon."""
    slab.write("slab.mci", SLAB.format(n=10**12).replace("slab.mco", "gone/slab.mco"))
    code, _, err = slab("run", "slab.mci")
    assert code == 2 and "gone" in err


def test_full_disk_keeps_the_earlier_statepoint(slab):
    """Files may grow to 4 kB only: the new result file does not fit, and the old one stays."""
    slab.ok("run", "slab.mci", "-q")
    before = slab.folder.joinpath("slab.h5").read_bytes()
    code, out, err = slab("run", "slab.mci", "-n", "30000", "--restart", "slab.h5",
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)))
    assert code == 1 and out == ""
    assert "slab.h5" in err and err.count("corpuscle: ") == 1
    assert slab.folder.joinpath("slab.h5").read_bytes() == before
    assert slab.files() == ["slab.h5", "slab.mci", "slab.mco"], "no temporary file is left"


def mounts():
    return os.geteuid() == 0 and subprocess.run(["sh", "-c", "d=$(mktemp -d) && mount -t tmpfs -o size=64k tmpfs $d && "
                                                 "umount $d; r=$?; rmdir $d; exit $r"], capture_output=True).returncode == 0


@pytest.mark.skipif(not mounts(), reason="cannot mount a small file system here")
def test_full_file_system(slab, tmp_path):
    small = tmp_path / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", small], check=True)
    try:
        (small / "filler").write_bytes(b"x" * 60000)
        code, out, err = slab("run", "slab.mci", "-o", "small/slab.h5")
        assert code == 1 and out == "" and "small/slab.h5" in err and "o space" in err
        assert [p.name for p in small.iterdir()] == ["filler"]
    finally:
        subprocess.run(["umount", small], check=True)


@pytest.mark.parametrize("args", [["run", "slab.mci", "--json", "-q"], ["new", "light-slab"], ["check", "slab.mci"],
                                  ["info", "build"], ["--help"]])
def test_full_stdout(slab, args):
    with open("/dev/full", "w") as full:
        code, _, err = slab(*args, stdout=full)
    assert code == 1 and "standard output" in err


def test_closed_pipe(slab):
    """A reader that has gone is no reason to lose the result file."""
    read_end, write_end = os.pipe()
    os.close(read_end)
    code, _, err = slab("run", "slab.mci", "--json", stdout=write_end)
    os.close(write_end)
    assert code == 1 and "standard output" in err
    assert "slab.h5" in slab.files()


def test_broken_result_file(slab):
    slab.ok("run", "slab.mci", "-q")
    whole = slab.folder.joinpath("slab.h5").read_bytes()
    slab.folder.joinpath("cut.h5").write_bytes(whole[:len(whole) // 2])
    for args in (["info", "cut.h5"], ["run", "slab.mci", "--restart", "cut.h5"], ["export", "cut.h5", "--to", "csv"]):
        code, out, err = slab(*args)
        assert code == 2 and out == "" and "cut.h5" in err
