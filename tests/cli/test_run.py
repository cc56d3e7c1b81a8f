"""What a run writes and says."""
import re

import h5py
import pytest

from conftest import ROOT, SLAB, TWO_RUNS


def test_outputs_and_summary(slab):
    out, err = slab.ok("run", "slab.mci", "--device", "cpu")
    assert out == "", "no data on stdout unless asked"
    for name in ["Rsp", "Rd", "Tt", "A", "absorbed_fraction 1"]:
        assert re.search(rf"^  {name} +[0-9.e-]+ \+- [0-9.e-]+$", err, re.M), err
    assert "photons/s" in err and "device cpu" in err and "seed 1" in err and "0 lost" in err
    assert "wrote slab.h5 and slab.mco" in err
    assert slab.files() == ["slab.h5", "slab.mci", "slab.mco"]
    assert slab.folder.joinpath("slab.mco").read_text().startswith("A1")


def test_result_is_right(slab):
    """Within five standard errors of the exact values of the slab."""
    run, = slab.json("run", "slab.mci", "-n", "200000", "--device", "cpu")
    results = {r["name"]: r for r in run["results"]}
    for name, exact in {"Rd": 0.0973946, "Tt": 0.6609577, "A": 0.2416477}.items():
        z = (results[name]["mean"] - exact) / results[name]["std_dev"]
        assert abs(z) < 5.0, (name, z)
        assert 0.0 < results[name]["std_dev"] < 0.002


def test_result_file_is_in_the_current_folder(slab):
    inputs = slab.folder / "inputs"
    inputs.mkdir()
    (inputs / "deep.slab.mci").write_text(SLAB.format(n=100))
    slab.ok("run", "inputs/deep.slab.mci", "-q")
    assert "deep.slab.h5" in slab.files() and list(inputs.iterdir()) == [inputs / "deep.slab.mci"]


def test_existing_outputs_are_replaced(slab):
    slab.write("slab.h5", "old")
    slab.write("slab.mco", "old")
    slab.ok("run", "slab.mci")
    assert h5py.is_hdf5(slab.folder / "slab.h5")
    assert slab.folder.joinpath("slab.mco").read_text() != "old"


def test_quiet_and_verbose(slab):
    assert slab.ok("run", "slab.mci", "-q") == ("", "")
    _, err = slab.ok("run", "slab.mci", "-v")
    assert "digest" in err and "event " in err


def test_options_reach_the_run(slab):
    first, = slab.json("run", "slab.mci", "-n", "4e3", "--seed", "7", "--batches", "10", "-o", "a.h5", "--threads", "1")
    second, = slab.json("run", "slab.mci", "-n", "4000", "--seed=7", "--batches=5", "-ob.h5", "--threads", "2")
    other, = slab.json("run", "slab.mci", "-n", "4000", "--seed", "8", "-o", "c.h5")
    assert first["histories"] == 4000 and first["seed"] == 7
    assert first["digest"] == second["digest"], "threads and batches change no bit"
    assert first["digest"] != other["digest"], "the seed does"
    with h5py.File(slab.folder / "a.h5") as file:
        assert "run_1" in file


def test_set_changes_the_model(slab):
    plain, = slab.json("run", "slab.mci")
    darker, = slab.json("run", "slab.mci", "--set", "layers[1].mu_a=20 /cm")
    absorbed = [next(r["mean"] for r in run["results"] if r["name"] == "A") for run in (plain, darker)]
    assert absorbed[1] > absorbed[0] + 0.05
    assert plain["input_digest"] != darker["input_digest"]


def test_until(slab):
    run, = slab.json("run", "slab.mci", "-n", "1e7", "--until", "rel_err(Rd)<2%")
    rd = next(r for r in run["results"] if r["name"] == "Rd")
    assert rd["std_dev"] / rd["mean"] < 0.02 and run["histories"] < 10**7


def test_precision_not_reached(slab):
    code, out, err = slab("run", "slab.mci", "--until", "rel_err(Rd)<0.001%", "--json")
    assert code == 3 and "precision" in err and "slab.mco" in slab.files()
    assert out.count("\n") == 1


def test_time_limit(slab):
    run, = slab.json("run", "slab.mci", "-n", "1e12", "--batches", "100000", "--time-limit", "0.5s")
    assert 0 < run["histories"] < 10**12 and run["seconds"] < 60


def test_digits_and_errors_of_mco(slab):
    slab.ok("run", "slab.mci")
    short = slab.folder.joinpath("slab.mco").read_text()
    slab.ok("run", "slab.mci", "--digits", "12", "--std-dev")
    long = slab.folder.joinpath("slab.mco").read_text()
    assert len(long) > len(short) and "SE_RAT" in long and "SE_RAT" not in short


def test_several_runs(corpuscle):
    corpuscle.write("two.mci", TWO_RUNS.format(n=5000))
    first, second = corpuscle.json("run", "two.mci")
    assert first["digest"] != second["digest"]
    assert corpuscle.files() == ["first.mco", "second.mco", "two.h5", "two.mci"]
    with h5py.File(corpuscle.folder / "two.h5") as file:
        assert {"run_1", "run_2"} <= set(file)


def test_one_photon(slab):
    run, = slab.json("run", "slab.mci", "-n", "1")
    assert run["histories"] == 1
    assert all(r["std_dev"] is None or r["std_dev"] >= 0 for r in run["results"])


def test_progress(slab):
    _, err = slab.ok("run", "slab.mci", "--progress", "json", "--batches", "8")
    lines = [line for line in err.splitlines() if line.startswith('{"progress":')]
    assert len(lines) == 8
    assert '"histories_done":20000,"histories_total":20000,"batches_done":8' in lines[-1]
    _, err = slab.ok("run", "slab.mci", "--progress", "none")
    assert "batch " not in err


def test_auto_falls_back(slab):
    """Without a GPU, or for a run too small for one, auto is the CPU."""
    run, = slab.json("run", "slab.mci", "-n", "100", "--device", "auto")
    assert run["device"].startswith("cpu")


def test_info(slab):
    slab.ok("run", "slab.mci", "-q")
    out, err = slab.ok("info", "slab.h5")
    assert "run 1: " in out and "tally A_rz" in out and "20000 of 20000 photons" in out and err == ""
    info, = slab.json("info", "slab.h5")
    assert info["histories"] == 20000
    assert slab.ok("info", "devices")[0].startswith("cpu")
    assert slab.json("info", "devices")[0]["kind"] == "cpu"
    assert "version" in slab.ok("info", "build")[0]


def test_check(slab):
    out, err = slab.ok("check", "slab.mci")
    assert "kind: light" in out and "memory" in err and "time" in err
    assert slab.files() == ["slab.mci"], "nothing is run or written"
    slab.write("again.yaml", out)
    assert slab.json("check", "again.yaml")[0]["input_digest"] == slab.json("check", "slab.mci")[0]["input_digest"]


@pytest.mark.parametrize("name", sorted(p.name for p in (ROOT / "examples" / "light").glob("*.mci")))
def test_examples_are_valid(corpuscle, name):
    corpuscle.ok("check", ROOT / "examples" / "light" / name)


def test_new_runs_as_it_is(corpuscle):
    names = [line.split()[0] for line in corpuscle.ok("new")[0].splitlines()]
    assert len(names) >= 3
    for name in names:
        if name.startswith("chem-set-"):  # a part of an input: test_chem_files.py
            continue
        corpuscle.ok("new", name, "-o", f"{name}.yaml")
        # of chem -n counts copies of all tracks
        short = ["-n", "2", "--set", "time.end=30ps"] if name.startswith("chem") else ["-n", "1000"]
        corpuscle.ok("run", f"{name}.yaml", *short, "-q", "-o", f"{name}.h5")
        assert f"{name}.h5" in corpuscle.files()


def test_bench(corpuscle):
    out, _ = corpuscle.ok("bench", "light", "--device", "cpu", "-n", "2000")
    assert "5-layer 633 nm" in out and "7-layer 600 nm" in out and "photons/ms" in out
    cases = {"light": ["5-layer 633 nm", "7-layer 600 nm"], "gas": ["G(100,100)", "G(100,1000)", "G(100,10000)"],
             "chem": ["spurs, exact", "spurs, irt", "proton 10 um, exact", "proton 10 um, irt"]}
    units = {"light": "photons/ms", "gas": "Mhits/s", "chem": "tracks/s"}
    for kind, names in cases.items():
        n = 1 if kind == "chem" else 200
        rows = corpuscle.json("bench", kind, "--device", "cpu", "-n", str(n))
        assert [r["case"] for r in rows] == names
        assert all(r["histories"] >= n and r["rate"]["value"] > 0 and r["rate"]["unit"] == units[kind] for r in rows)
