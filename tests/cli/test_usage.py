"""Wrong calls and wrong input: exit code 2, one message that says what is wrong, nothing on stdout, nothing written."""
import pytest

from conftest import SLAB

MISTAKES = [
    (["rum"], "unknown command rum (did you mean run?)"),
    (["frobnicate"], "see: corpuscle --help"),
    (["run"], "missing an input file (usage: corpuscle run FILE)"),
    (["run", "slab.mci", "other.mci"], "unexpected argument other.mci"),
    (["run", "slab.mci", "--devise", "cpu"], "did you mean --device?"),
    (["run", "slab.mci", "-n", "1.5"], "--histories = 1.5"),
    (["run", "slab.mci", "-n"], "needs a value"),
    (["run", "slab.mci", "--math", "loose"], "must be one of strict|fast"),
    (["run", "slab.mci", "--device", "gpu"], "gpu"),
    (["run", "slab.mci", "--until", "Rd is fine"], "rel_err"),
    (["run", "slab.mci", "--until", "rel_err(Rx)<1%"], "Rx"),
    (["run", "slab.mci", "--set", "mu_a"], "path=value"),
    (["run", "slab.mci", "--set", "layers[0].mu_a=-1"], "-1"),
    (["run", "slab.mci", "--restart", "missing.h5"], "missing.h5"),
    (["run", "slab.mci", "--restart", "slab.mci"], "slab.mci"),
    (["run", "slab.mci", "-o", "slab.mci"], "would overwrite the input"),
    (["run", "slab.mci", "-o", "slab.mco"], "one name"),
    (["run", "slab.mci", "-o", "."], "folder"),
    (["run", "slab.mci", "-o", "no/such/folder/a.h5"], "no/such/folder"),
    (["run", "missing.mci"], "missing.mci"),
    (["run", "."], "."),
    (["run", "empty"], "empty"),
    (["check", "bad.mci"], "bad.mci:9"),
    (["run", "bad.mci"], "bad.mci:9"),
    (["run", "bad.yaml"], "did you mean"),
    (["check", "missing.mci"], "missing.mci"),
    (["info"], "missing what to tell about"),
    (["info", "missing.h5"], "missing.h5"),
    (["info", "slab.mci"], "slab.mci"),
    (["export", "missing.h5", "--to", "csv"], "missing.h5"),
    (["export", "slab.mci", "--to", "csv"], "slab.mci"),
    (["export", "slab.mci"], "--to"),
    (["compare", "missing.h5"], "missing two result files"),
    (["compare", "missing.h5", "gone.h5"], "missing.h5"),
    (["convert", "slab.mci", "-o", "slab.txt"], ".yaml"),
    (["convert", "slab.mci", "-o", "slab.mci"], "overwrite"),
    (["new", "light-skim7"], "light-skin7"),
    (["bench", "chess"], "there are: light, gas"),
]


@pytest.mark.parametrize("args, message", MISTAKES, ids=lambda x: " ".join(x) if isinstance(x, list) else "")
def test_mistake(slab, args, message):
    slab.write("empty", "")
    slab.write("bad.mci", SLAB.format(n=1000).replace("90 0.75", "90 1.75"))
    slab.write("bad.yaml", "version: 1\nkind: light\nlayer: []\n")
    before = slab.files()
    code, out, err = slab(*args)
    assert code == 2, err
    assert out == ""
    assert message in err
    assert err.startswith("corpuscle: ") and err.count("\n") == 1, "one message on one line"
    assert slab.files() == before, "nothing is written"


def test_no_command(corpuscle):
    code, out, err = corpuscle()
    assert (code, out) == (2, "")
    assert "usage: corpuscle COMMAND" in err


@pytest.mark.parametrize("command", ["run", "check", "info", "export", "compare", "convert", "new", "bench"])
def test_help(corpuscle, command):
    out, err = corpuscle.ok(command, "--help")
    assert out.startswith(f"usage: corpuscle {command}") and err == ""
    assert command in corpuscle.ok("--help")[0]


def test_version(corpuscle):
    out, err = corpuscle.ok("--version")
    assert out.startswith("corpuscle ") and err == ""
