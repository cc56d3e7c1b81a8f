"""Chemistry as users meet it: G with its errors, the books, resuming, devices, exports, what is refused and what is counted."""
import csv
import json
import math
import random
import struct

import h5py
import pytest

SPECIES = ("e_aq", "OH", "H", "H3O+", "H2", "OH-", "H2O2")
METHODS = ("exact", "irt", "paper")
CPU = ("--device", "cpu", "--threads", "2")


def spur(seed=1, n=60, width=1.5):
    """Rows (species, x, y, z) of a dense spur."""
    at = random.Random(seed)
    names = ("e_aq", "OH", "H3O+", "e_aq", "OH", "H3O+", "H", "OH-")
    return [(names[k % 8], *(round(at.gauss(0, width), 6) for _ in range(3))) for k in range(n)]


def write_csv(corpuscle, name, rows, energy="2 keV"):
    text = f"# corpuscle molecules 1\n# energy: {energy}\nspecies,x,y,z\n"
    return corpuscle.write(name, text + "".join("{},{},{},{}\n".format(*r) for r in rows))


def write_binary(corpuscle, name, rows, times=None):
    """gMicroMC's initial radicals: six arrays, no header."""
    n = len(rows)
    ids = [SPECIES.index(r[0]) for r in rows]
    data = b"".join(struct.pack(f"<{n}f", *(r[k] for r in rows)) for k in (1, 2, 3))
    data += struct.pack(f"<{n}f", *(times or [math.inf if k % 2 else 1e-12 for k in range(n)]))
    path = corpuscle.folder / name
    path.write_bytes(data + struct.pack(f"<{n}i", *range(n)) + struct.pack(f"<{n}i", *ids))
    return path


def last(run, name="G"):
    return {r["of"]: r["mean"] for r in run["results"] if r["name"] == name}


def check_books(run):
    """Charge, and H against O; the start and the end of the table are consistent with the reactions."""
    assert last(run, "ledger") == {"charge": 0, "H - 2 O": 0}
    assert all(v == 0 for k, v in run["events"].items() if k.endswith("out_of_balance"))
    g = last(run)
    assert g["e_aq"] + g["OH-"] - g["H3O+"] == pytest.approx(first(run)["e_aq"] + first(run)["OH-"] - first(run)["H3O+"])


def first(run):
    return {k: v["mean"][0] for k, v in run["series"][0]["of"].items()}


# -------------------------------------------------------------------------------------------------------------- G(t)

@pytest.mark.parametrize("method", METHODS)
def test_table_errors_and_books(corpuscle, method):
    write_csv(corpuscle, "spur.csv", spur())
    run, = corpuscle.json("run", "spur.csv", "--method", method, "-n", "8", "--set", "time.end=1ns", "-q", *CPU)
    assert run["histories"] == 8 and set(last(run)) == set(SPECIES)
    assert all(r["std_dev"] is not None for r in run["results"])
    curves = run["series"][0]
    assert curves["name"] == "G" and curves["time"][0] == 1 and curves["time"][-1] == 1000 and len(curves["time"]) == 31
    assert curves["of"]["OH"]["mean"][-1] == last(run)["OH"]
    assert last(run, "events")["OH + e_aq -> OH-"] > 0
    check_books(run)
    single, = corpuscle.json("run", "spur.csv", "--method", method, "--set", "time.end=30ps", "-q", *CPU)
    assert single["histories"] == 1 and all(r["std_dev"] is None for r in single["results"])


def test_binary_is_the_text(corpuscle):
    """The same molecules, from both formats: one digest. Infinite times are set to the start, and counted."""
    rows = spur(n=96)
    rows = [(r[0], *struct.unpack("<3f", struct.pack("<3f", *r[1:]))) for r in rows]
    write_csv(corpuscle, "a.csv", rows)
    write_binary(corpuscle, "a.bin", rows)
    options = ("-n", "2", "--set", "time.end=1ns", *CPU)
    text, = corpuscle.json("run", "a.csv", *options, "-q")
    binary, = corpuscle.json("run", "a.bin", "--energy", "2 keV", *options, "-q")
    assert binary["digest"] == text["digest"]
    _, err = corpuscle.ok("run", "a.bin", "--energy", "2000eV", *options)
    assert "48 infinite" in err and "of 96" in err
    forced, = corpuscle.json("run", "a.bin", "--format", "gmicromc", "--energy", "2 keV", *options, "-q")
    assert forced["digest"] == text["digest"]
    corpuscle.write("yaml.yaml", "version: 1\nkind: chem\nsource: {file: a.bin, energy: 2 keV}\ntime: {end: 1 ns}\n")
    named, = corpuscle.json("run", "yaml.yaml", "-n", "2", "-q", *CPU)
    assert named["digest"] == text["digest"]


@pytest.mark.parametrize("method", METHODS)
def test_positions_matter(corpuscle, method):
    """Pairs of e_aq and OH far from each other; then positions shuffled among the molecules: fewer e_aq have an OH. G must change."""
    at = random.Random(7)
    rows = [(s, 1000.0 * k + at.gauss(0, 0.35), at.gauss(0, 0.35), at.gauss(0, 0.35)) for k in range(40) for s in ("e_aq", "OH")]
    places = [r[1:] for r in rows]
    at.shuffle(places)
    write_csv(corpuscle, "near.csv", rows)
    write_csv(corpuscle, "mixed.csv", [(r[0], *p) for r, p in zip(rows, places)])
    g = []
    for name in ("near.csv", "mixed.csv"):
        run, = corpuscle.json("run", name, "--method", method, "-n", "64", "--set", "time.end=300ps", "-q", "--batches", "32", *CPU)
        e, = (r for r in run["results"] if r["name"] == "G" and r["of"] == "e_aq")
        g.append((e["mean"], e["std_dev"]))
    assert abs(g[0][0] - g[1][0]) > 6 * math.hypot(g[0][1], g[1][1])


def turned(rows):
    """Turned about an axis that is none of x, y, z, by an angle that is no simple part of a circle (Rodrigues)."""
    axis, angle = (0.48, -0.6, 0.64), 0.7
    c, s = math.cos(angle), math.sin(angle)
    for name, *r in rows:
        along = sum(a * b for a, b in zip(axis, r))
        cross = [axis[(k + 1) % 3] * r[(k + 2) % 3] - axis[(k + 2) % 3] * r[(k + 1) % 3] for k in range(3)]
        yield (name, *(c * r[k] + s * cross[k] + (1 - c) * along * axis[k] for k in range(3)))


@pytest.mark.parametrize("method", METHODS)
def test_no_direction_is_special(corpuscle, method):
    """A long, flat spur, and the same one turned: the same G of every species, within 1.5 % of all molecules at one sigma."""
    rows = [(r[0], 6 * r[1], r[2], 0.3 * r[3]) for r in spur(n=64, width=1.2)]
    write_csv(corpuscle, "as_is.csv", rows)
    write_csv(corpuscle, "turned.csv", turned(rows))
    both = []
    for seed, name in enumerate(("as_is.csv", "turned.csv"), 1):
        run, = corpuscle.json("run", name, "--method", method, "-n", "192", "--seed", str(seed), "--set", "time.end=3ns", "-q", "--batches", "48", *CPU)
        both.append({r["of"]: (r["mean"], r["std_dev"]) for r in run["results"] if r["name"] == "G"})
    for species in SPECIES:
        (a, error_a), (b, error_b) = (g[species] for g in both)
        error = math.hypot(error_a, error_b)
        assert error < 0.015 * sum(v[0] for v in both[0].values())
        assert abs(a - b) <= 4.5 * error, f"{method}, {species}: {a} and {b}, one sigma {error}"


# ------------------------------------------------------------------------------------------------------ the same bits

@pytest.mark.parametrize("method", METHODS)
def test_resumed(corpuscle, method):
    """Three copies, then ten: the digits of ten at once, errors too; other threads, other order of the input."""
    rows = spur()
    write_csv(corpuscle, "a.csv", rows)
    options = ("--method", method, "--set", "time.end=300ps", "--batches", "10", "-q")
    whole, = corpuscle.json("run", "a.csv", "-n", "10", *options, "--device", "cpu", "--threads", "1", "-o", "whole.h5")
    corpuscle.ok("run", "a.csv", "-n", "10", *options, "--time-limit", "1e-9s", *CPU, "-o", "part.h5")
    part, = corpuscle.json("info", "part.h5")
    assert 0 < part["histories"] < 10
    random.Random(3).shuffle(rows)
    write_csv(corpuscle, "a.csv", rows)
    more, = corpuscle.json("run", "a.csv", "-n", "10", *options, *CPU, "--restart", "part.h5")
    assert more["digest"] == whole["digest"] and more["results"] == whole["results"]
    other, = corpuscle.json("run", "a.csv", "-n", "10", *options, *CPU, "--seed", "2", "-o", "other.h5")
    assert other["digest"] != whole["digest"]


def test_devices_share_a_run(corpuscle):
    """OpenCL where it is, alone and beside the CPU: the digest of the CPU."""
    if "opencl:0" not in corpuscle.ok("info", "devices")[0]:
        pytest.skip("NOT CHECKED: no OpenCL device")
    write_csv(corpuscle, "a.csv", spur())
    digests = set()
    for device in ("cpu", "opencl:0", "cpu+opencl:0"):
        run, = corpuscle.json("run", "a.csv", "-n", "12", "--batches", "4", "--set", "time.end=1ns", "-q", "--device", device)
        digests.add(run["digest"])
    assert len(digests) == 1


def test_tracks_in_any_order(corpuscle):
    """Rows of several tracks shuffled, with births from a pulse: tracks keep their birth."""
    rows = [(*r, 1 + k % 7) for k, r in enumerate(spur(n=140))]
    corpuscle.write("pulse.txt", "0 1\n1 1\n")
    digests = []
    for seed in (None, 5):
        if seed is not None:
            random.Random(seed).shuffle(rows)
        corpuscle.write("t.csv", "# energy: 7 keV\nspecies,x,y,z,track\n" + "".join("{},{},{},{},{}\n".format(*r) for r in rows))
        corpuscle.write("t.yaml", "version: 1\nkind: chem\nsource: {file: t.csv, energy: 1 keV, pulse: pulse.txt, together: true}\n"
                        "time: {end: 3 us}\n")
        run, = corpuscle.json("run", "t.yaml", "-q", *CPU)
        digests.append(run["digest"])
    assert digests[0] == digests[1]


# ----------------------------------------------------------------------------------------------------------- exports

@pytest.fixture
def done(corpuscle):
    write_csv(corpuscle, "a.csv", spur())
    run, = corpuscle.json("run", "a.csv", "-n", "4", "--set", "time.end=1ns", "-q", "-o", "a.h5", *CPU)
    return corpuscle, run


def test_csv(done):
    corpuscle, run = done
    out, _ = corpuscle.ok("export", "a.h5", "--to", "csv", "--tally", "G")
    rows = list(csv.DictReader(line for line in out.splitlines() if not line.startswith("#")))
    curves = run["series"][0]
    assert [float(r["time [ps]"]) for r in rows] == curves["time"]
    for name, curve in curves["of"].items():
        assert [float(r[f"{name} [1/(100 eV)]"]) for r in rows] == curve["mean"]
        assert [float(r[f"{name} std_dev [1/(100 eV)]"]) for r in rows] == curve["std_dev"]


def test_xyz_and_vtkhdf(done):
    """Positions at times a decade apart: the molecules of the first copy; both files have the same ones."""
    corpuscle, run = done
    text, _ = corpuscle.ok("export", "a.h5", "--to", "xyz")
    lines, frames = text.splitlines(), []
    while lines:
        n = int(lines[0])
        frames.append((float(lines[1].split()[0].split("=")[1]), [line.split() for line in lines[2:2 + n]]))
        lines = lines[2 + n:]
    assert [t for t, _ in frames] == pytest.approx([1, 10, 100, 1000])
    one, = corpuscle.json("run", "a.csv", "--set", "time.end=1ns", "-q", "-o", "one.h5", *CPU)
    for time, atoms in frames:
        k = min(range(31), key=lambda i: abs(one["series"][0]["time"][i] - time))
        for name, curve in one["series"][0]["of"].items():
            assert sum(a[0] == name for a in atoms) == round(curve["mean"][k] * 20)
    corpuscle.ok("export", "a.h5", "--to", "vtkhdf", "-o", "a.vtkhdf")
    with h5py.File(corpuscle.folder / "a.vtkhdf") as file:
        root = file["VTKHDF"]
        assert list(root["NumberOfPoints"]) == [len(atoms) for _, atoms in frames]
        assert list(root["Steps/Values"]) == pytest.approx([1, 10, 100, 1000])
        begin = 0
        for _, atoms in frames:
            points = root["Points"][begin:begin + len(atoms)]
            assert [float(x) for a in atoms for x in a[1:]] == pytest.approx([10 * float(x) for p in points for x in p], abs=1e-3)
            begin += len(atoms)


def test_nothing_to_compare(corpuscle):
    """Two single copies have no errors: that is said, in place of a verdict."""
    write_csv(corpuscle, "spur.csv", spur(n=20))
    for seed in ("1", "2"):
        corpuscle.ok("run", "spur.csv", "--seed", seed, "-o", f"{seed}.h5", "--set", "time.end=30ps", "-q", *CPU)
    code, out, _ = corpuscle("compare", "1.h5", "2.h5")
    assert code == 1 and "nothing compared: none of " in out and "DIFFER" not in out and "z of G" not in out


def test_compare(done):
    """z by species and time; another seed agrees, another radius does not, and single copies cannot tell."""
    corpuscle, _ = done
    corpuscle.ok("run", "a.csv", "-n", "4", "--set", "time.end=1ns", "-q", "-o", "b.h5", "--seed", "2", *CPU)
    out, _ = corpuscle.ok("compare", "a.h5", "b.h5")
    head = next(line for line in out.splitlines() if line.split()[:1] == ["time"])
    assert head.split()[1:] == list(SPECIES)
    assert len([line for line in out.splitlines() if line.strip().startswith("1000 ")]) == 1
    corpuscle.ok("run", "a.csv", "-n", "4", "--set", "time.end=1ns", "-q", "-o", "c.h5", "--set", "chem.set=topas", *CPU)
    code, out, _ = corpuscle("compare", "a.h5", "c.h5")
    assert code != 0 and "DIFFER" in out


# -------------------------------------------------------------------------------------------------------- bad input

def refused(corpuscle, *args):
    code, out, err = corpuscle("run", *args)
    assert code == 2 and out == "" and len(err.strip().splitlines()) == 1, err
    return err


def test_energy_is_asked_for(corpuscle):
    write_binary(corpuscle, "a.bin", spur(n=96))
    code, _, err = corpuscle("run", "a.bin", "-q")
    assert code == 2 and "--energy" in err


def test_one_message_each(corpuscle):
    rows = spur(n=4)
    for name, bad, words in (("species.csv", ("OX", 0, 0, 0), ("species.csv:6", "OX")), ("nan.csv", ("OH", "nan", 0, 0), ("nan.csv:6",)),
                             ("inf.csv", ("OH", 0, "inf", 0), ("inf.csv:6",))):
        write_csv(corpuscle, name, rows[:2] + [bad] + rows[2:])
        err = refused(corpuscle, name)
        assert all(w in err for w in words), err
    corpuscle.write("unbalanced.set", "rate_convention k\nspecies OH D=2.8\nspecies H D=7\n\nreaction OH + H -> H k=1e10\n")
    corpuscle.write("set.yaml", "version: 1\nkind: chem\nchem: {set: unbalanced.set}\n"
                    "source: {kind: spur, energy: 100 eV, molecules: [{species: OH, count: 2}]}\n")
    assert "unbalanced.set:5" in refused(corpuscle, "set.yaml")
    corpuscle.write("minus.yaml", "version: 1\nkind: chem\nchem: {set: topas}\nscavengers:\n  - {species: O2, concentration: -1}\n"
                    "source: {kind: spur, energy: 100 eV, molecules: [{species: OH, count: 2}]}\n")
    assert "minus.yaml:5" in refused(corpuscle, "minus.yaml")
    corpuscle.write("empty.csv", "")
    assert "empty.csv" in refused(corpuscle, "empty.csv", "--energy", "1keV")
    corpuscle.write("head.csv", "species,x,y,z\n")
    assert "head.csv" in refused(corpuscle, "head.csv", "--energy", "1keV")
    path = write_binary(corpuscle, "cut.bin", spur(n=96))
    path.write_bytes(path.read_bytes()[:-5])
    assert "cut.bin" in refused(corpuscle, "cut.bin", "--format", "gmicromc", "--energy", "1keV")


# --------------------------------------------------------------------------------------------------- what a user reads

def test_check_prints_radii(corpuscle):
    """The contact radius in use, and what the rate constant of A + A means: twice the radius where the file holds half of it."""
    for convention, radius in (("k", "0.10383"), ("2k", "0.20765")):
        corpuscle.write("own.set", f"rate_convention {convention}\nspecies OH D=2.8\nspecies H2O2 D=2.3\nreaction OH + OH -> H2O2 k=0.44e10\n")
        corpuscle.write("own.yaml", "version: 1\nkind: chem\nchem: {set: own.set}\n"
                        "source: {kind: spur, energy: 100 eV, molecules: [{species: OH, count: 2}]}\n")
        out, _ = corpuscle.ok("check", "own.yaml")
        assert f"OH + OH -> H2O2: type I, k = 4.4e+09 /M/s, R = {radius} nm" in out
        _, err = corpuscle.ok("run", "own.yaml", "-v", "--set", "time.end=10ps")
        assert f"R = {radius} nm" in err
        corpuscle.write("again.yaml", out)
        assert corpuscle.json("check", "again.yaml")[0]["input_digest"] == corpuscle.json("check", "own.yaml")[0]["input_digest"]


def test_starters_are_quick(corpuscle):
    """The dense track as it comes: copies, so errors; a third of a minute even on one busy core."""
    corpuscle.ok("new", "chem-track", "-o", "t.yaml")
    run, = corpuscle.json("run", "t.yaml", "--method", "irt", "-q", *CPU)
    assert run["histories"] == 4 and run["seconds"] < 20 and all(r["std_dev"] is not None for r in run["results"])
    check_books(run)
