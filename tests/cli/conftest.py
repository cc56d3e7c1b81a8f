"""Helpers of the command line tests: run the program in a fresh folder."""
import json
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("CORPUSCLE", str(ROOT / "build" / "corpuscle"))

# van de Hulst's slab: 4 events a photon, so that millions of photons take a second.
SLAB = """\
1.0
1
slab.mco A
{n}
0.001 0.01
20 10 5
1
1.0
1.0 10 90 0.75 0.02
1.0
"""

TWO_RUNS = """\
1.0
2
first.mco A
{n}
0.001 0.01
20 10 5
1
1.0
1.0 10 90 0.75 0.02
1.0
second.mco A
{n}
0.001 0.01
20 10 5
1
1.0
1.5 10 90 0 0.02
1.0
"""


class Program:
    """The program in one folder; every call returns code, stdout and stderr."""

    def __init__(self, folder):
        self.folder = folder
        self.environment = dict(os.environ, CORPUSCLE_CACHE=str(folder / "cache"), LC_ALL="C.UTF-8")

    def popen(self, *args, **more):
        more.setdefault("stdout", subprocess.PIPE)
        more.setdefault("stderr", subprocess.PIPE)
        more.setdefault("cwd", self.folder)
        return subprocess.Popen([PROGRAM, *map(str, args)], env=self.environment, text=True, **more)

    def __call__(self, *args, **more):
        process = self.popen(*args, **more)
        process.stdout_text, process.stderr_text = process.communicate(timeout=300)
        return process.returncode, process.stdout_text, process.stderr_text

    def ok(self, *args, **more):
        code, out, err = self(*args, **more)
        assert code == 0, f"{args}: exit {code}\n{err}"
        return out, err

    def json(self, *args):
        """Run with --json and give the objects, one a line."""
        out, _ = self.ok(*args, "--json")
        return [json.loads(line) for line in out.splitlines()]

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def files(self):
        return sorted(p.name for p in self.folder.iterdir() if p.name != "cache")


@pytest.fixture
def corpuscle(tmp_path):
    return Program(tmp_path)


@pytest.fixture
def slab(corpuscle):
    """The program in a folder with slab.mci of 20000 photons."""
    corpuscle.write("slab.mci", SLAB.format(n=20000))
    return corpuscle
