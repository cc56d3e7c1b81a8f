"""`run --json`: one object a run on stdout, nothing else, with these fields and no others missing."""
import json
import re

from conftest import TWO_RUNS

FIELDS = {
    "version": str, "commit": str, "kind": str, "input_digest": str, "device": str, "devices": list, "math": str, "seed": int,
    "histories": int, "seconds": float, "rate": dict, "digest": str, "events": dict, "results": list,
}


def check(run):
    for name, kind in FIELDS.items():
        assert isinstance(run[name], kind) or (kind is float and isinstance(run[name], int)), (name, run[name])
    assert run["kind"] == "light" and run["math"] in ("strict", "fast")
    assert re.fullmatch("[0-9a-f]{64}", run["digest"]) and re.fullmatch("[0-9a-f]{64}", run["input_digest"])
    assert set(run["rate"]) == {"value", "unit"} and run["rate"]["value"] > 0
    assert all(isinstance(v, int) for v in run["events"].values())
    assert all(set(d) == {"device", "host", "rank", "histories", "dropped"} for d in run["devices"])
    assert sum(d["histories"] for d in run["devices"]) == run["histories"]
    for result in run["results"]:
        assert set(result) == {"name", "of", "mean", "std_dev", "unit"}
        assert result["std_dev"] is None or result["std_dev"] >= 0
    names = [r["name"] for r in run["results"]]
    assert names[:4] == ["Rsp", "Rd", "Tt", "A"]
    layers = [r["of"] for r in run["results"] if r["name"] == "absorbed_fraction"]
    assert layers == list(range(1, len(layers) + 1)) and layers
    total = sum(r["mean"] for r in run["results"][:4])
    assert abs(total - 1.0) < 1e-9, "every photon is somewhere"


def test_one_object(slab):
    out, err = slab.ok("run", "slab.mci", "--json")
    assert out.count("\n") == 1 and out.endswith("}\n")
    check(json.loads(out))
    assert "Rd" in err, "the summary still goes to stderr"


def test_one_a_line(corpuscle):
    corpuscle.write("two.mci", TWO_RUNS.format(n=2000))
    runs = corpuscle.json("run", "two.mci", "-q")
    assert len(runs) == 2
    for run in runs:
        check(run)


def test_unknown_error_is_null(slab):
    run, = slab.json("run", "slab.mci", "-n", "1")
    assert any(r["std_dev"] is None for r in run["results"])


def test_nothing_on_stdout_after_an_error(slab):
    code, out, _ = slab("run", "slab.mci", "--json", "--device", "opencl:99")
    assert code != 0 and out == ""
