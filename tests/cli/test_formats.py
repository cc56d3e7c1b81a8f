"""export, compare and convert."""
import json

import pytest

from conftest import ROOT, SLAB, TWO_RUNS


def digest(program, path):
    return program.json("check", path)[0]["input_digest"]


@pytest.mark.parametrize("name", ["skin7.mci", "glass_tissue_glass.mci", "giovanelli.mci", "airgap.mci"])
def test_convert_there_and_back(corpuscle, name):
    source = ROOT / "examples" / "light" / name
    corpuscle.ok("convert", source, "-o", "a.yaml")
    corpuscle.ok("convert", "a.yaml", "-o", "b.mci")
    original = corpuscle.json("check", source)[0]
    for path in ("a.yaml", "b.mci"):
        converted = corpuscle.json("check", path)[0]
        assert converted["input_digest"] == original["input_digest"]
        assert converted["histories"] == original["histories"]


def test_converted_runs_alike(slab):
    slab.ok("convert", "slab.mci", "-o", "slab.yaml")
    runs = [slab.json("run", path, "-q", "-o", "out.h5")[0]["digest"] for path in ("slab.mci", "slab.yaml")]
    assert runs[0] == runs[1]


def test_convert_to_stdout(slab):
    out, err = slab.ok("convert", "slab.mci")
    assert out.startswith("version: 1") and err == ""


def test_convert_several(corpuscle):
    corpuscle.write("two.mci", TWO_RUNS.format(n=100))
    code, _, err = corpuscle("convert", "two.mci", "-o", "two.yaml")
    assert code == 2 and "--group" in err
    corpuscle.ok("convert", "two.mci", "--group", "2", "-o", "two.yaml")
    corpuscle.ok("convert", "two.mci", "-o", "again.mci")
    checks = corpuscle.json("check", "two.mci")
    assert digest(corpuscle, "two.yaml") == checks[1]["input_digest"]
    assert [c["input_digest"] for c in corpuscle.json("check", "again.mci")] == [c["input_digest"] for c in checks]
    assert corpuscle("convert", "two.mci", "--group", "3", "-o", "x.yaml")[0] == 2


def test_what_a_mci_cannot_say(corpuscle):
    corpuscle.ok("new", "light-slab", "-o", "slab.yaml")
    code, _, err = corpuscle("convert", "slab.yaml", "--set", "roulette.chance=0.2", "-o", "slab.mci")
    assert code == 2 and "roulette" in err and "slab.mci" not in corpuscle.files()


def test_export(slab):
    slab.ok("run", "slab.mci", "-q")
    mco = slab.folder.joinpath("slab.mco").read_text()
    slab.ok("export", "slab.h5", "--to", "mco", "-o", "again.mco")
    again = slab.folder.joinpath("again.mco").read_text()
    numbers = [[line for line in text.replace("again.mco", "slab.mco").splitlines() if not line.startswith("#")]
               for text in (mco, again)]
    assert numbers[0] == numbers[1]
    out, err = slab.ok("export", "slab.h5", "--to", "csv", "--tally", "Rd")
    assert out.startswith("mean [1],std_dev [1]") and len(out.splitlines()) == 2 and err == ""
    assert "Rd" in slab.ok("export", "slab.h5", "--to", "csv")[0]
    exported = json.loads(slab.ok("export", "slab.h5", "--to", "json")[0].splitlines()[0])
    assert exported["histories"] == 20000
    slab.ok("export", "slab.h5", "--to", "vtkhdf", "-o", "slab.vtkhdf")
    assert slab.folder.joinpath("slab.vtkhdf").stat().st_size > 0
    for args, message in ((["csv", "--tally", "Rx"], "Rx"), (["xls"], "csv, json, vtkhdf, mco"),
                          (["csv", "--digits", "9"], "all digits"), (["mco", "--tally", "Rd"], "single tally")):
        code, out, err = slab("export", "slab.h5", "--to", *args)
        assert code == 2 and out == "" and message in err


def test_export_mco_digits(slab):
    """The same options as of run, and the same file, but for its own name; on standard output as in a file."""
    slab.ok("run", "slab.mci", "-q", "--digits", "12", "--std-dev")
    mco = slab.folder.joinpath("slab.mco").read_text()
    out, err = slab.ok("export", "slab.h5", "--to", "mco", "--digits", "12", "--std-dev")
    assert err == "" and out.split() == mco.split() and "SE_Tt_ra" in out


def test_compare(slab):
    slab.ok("run", "slab.mci", "-q", "-n", "100000", "-o", "a.h5")
    slab.ok("run", "slab.mci", "-q", "-n", "100000", "-o", "b.h5", "--seed", "2")
    slab.ok("run", "slab.mci", "-q", "-n", "100000", "-o", "c.h5", "--seed", "2", "--set", "layers[1].mu_s=80 /cm")
    code, out, err = slab("compare", "a.h5", "b.h5")
    assert code == 0, out + err
    code, out, err = slab("compare", "a.h5", "c.h5")
    assert code == 1, "another model lies beyond the limit"
    code, _, _ = slab("compare", "a.h5", "b.h5", "--limit", "0.001")
    assert code == 1
