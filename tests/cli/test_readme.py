"""Every command of the README, in a fresh copy of the sources, one after the other as a reader would type them."""
import os
import re
import shutil
import subprocess

import pytest

from conftest import ROOT, PROGRAM

BLOCK = re.compile(r"^```sh( gpu)?\n(.*?)^```", re.M | re.S)


def blocks():
    return [(bool(gpu), text) for gpu, text in BLOCK.findall((ROOT / "README.md").read_text())]


def has_gpu():
    return shutil.which("nvidia-smi") is not None and subprocess.run(["nvidia-smi", "-L"], capture_output=True).returncode == 0


@pytest.fixture
def clone(tmp_path):
    """The files that git knows, or would take; without build/."""
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                           capture_output=True).stdout.decode().split("\0")
    for name in filter(None, names):
        if (ROOT / name).is_file():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, tmp_path / name)
    return tmp_path


def test_every_command(clone):
    found = blocks()
    assert len(found) >= 6, "the README shows how to build, run, extend, use a GPU and check"
    environment = dict(os.environ, CORPUSCLE_CACHE=str(clone / "cache"))
    for is_gpu, text in found:
        done = subprocess.run(["bash", "-e", "-c", text], cwd=clone, env=environment, capture_output=True, text=True)
        if is_gpu and not has_gpu():
            assert done.returncode == 1 and "cuda" in done.stderr.lower(), text
            continue
        assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
    for name in ["skin7.h5", "skin7.mco", "skin5_633.h5", "my.yaml", "my.h5", "A_z.csv", "slab_vandehulst.h5"]:
        assert (clone / name).stat().st_size > 0, name


def test_published_value(clone):
    """The number that the README names comes out."""
    text = (ROOT / "README.md").read_text()
    assert "Rd = 0.09739" in text and "Tt = 0.66096" in text
    done = subprocess.run([PROGRAM, "run", "examples/light/slab_vandehulst.mci", "-n", "1e6"], cwd=clone,
                          capture_output=True, text=True, check=True)
    for name, exact in {"Rd": 0.09739, "Tt": 0.66096}.items():
        mean, std_dev = map(float, re.search(rf"^  {name} +(\S+) \+- (\S+)", done.stderr, re.M).groups())
        assert abs(mean - exact) < 5.0 * std_dev, (name, mean, std_dev)


def test_links(clone):
    """Every file that a Markdown page links to is there."""
    for page in clone.rglob("*.md"):
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.relative_to(clone)}: {target}"


def test_options_page_is_complete():
    """docs/user/options.md names every option that some command has, with the commands that take it."""
    page = (ROOT / "docs" / "user" / "options.md").read_text()
    rows = {m.group(1): {c.strip() for c in m.group(2).split(",")}
            for m in re.finditer(r"^\| .*?`--([a-z-]+)[^|]*?` \| ([^|]*) \|", page.replace("\\|", "/"), re.M)}
    takes = {}
    for command in ["run", "check", "info", "export", "compare", "convert", "new", "bench"]:
        text = subprocess.run([PROGRAM, command, "--help"], capture_output=True, text=True, check=True).stdout
        for option in re.findall(r"^  .{4}--([a-z-]+)", text, re.M):
            takes.setdefault(option, set()).add(command)
    everywhere = set(takes["quiet"])
    assert {name: {"all"} if c == everywhere else c for name, c in takes.items()} == rows
