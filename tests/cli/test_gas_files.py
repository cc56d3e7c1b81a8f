"""STL and Molflow files as users bring them: check, convert, run, export, and every bad file."""
import csv
import json
import re
import zipfile
import xml.etree.ElementTree as ElementTree

import h5py
import numpy
import pytest

import gas_files as files

# Square duct of length 5 a: Monte Carlo with analytic walls, 0.2064 +- 0.0001.
DUCT, DUCT_ERROR = 0.2064, 1e-4

PUMP = ["--set", "facets.tube_2.outgassing=1e-6 mbar l/s", "--set", "facets.tube_2.sticking=1", "--set",
        "facets.tube_3.sticking=1"]


def transmission(summary, of):
    found = [r for r in summary["results"] if r["name"] == "transmission" and r["of"] == of]
    assert len(found) == 1, summary["results"]
    return found[0]


@pytest.fixture
def tube(corpuscle):
    corpuscle.write("tube.stl", files.stl_text(("tube", files.triangles_of_tube(24, 20, 10))))
    return corpuscle


def test_check_of_stl(tube):
    out, err = tube.ok("check", "tube.stl", "--unit", "mm")
    assert "26 (92 triangles, 48 vertices)" in out
    assert "x -1 to 1" in out and "z 0 to 2 cm" in out
    assert "no problems" in out
    assert re.search(r"tube_1 +24 ", out) and re.search(r"tube_3 +1 ", out)
    assert "not yet to be run: nothing desorbs" in err
    _, err = tube.ok("check", "tube.stl", "--unit", "mm", *PUMP)
    assert re.search(r"a 1 % answer \(transmission tube_2->tube_[23]\): about \d", err)


def test_unit_of_stl(tube):
    _, err = tube.ok("check", "tube.stl")
    assert "STL files have no unit" in err
    (report,) = tube.json("check", "tube.stl", "--unit", "in")
    assert report["report"]["high_cm"][2] == pytest.approx(20 * 2.54)
    code, _, err = tube("check", "tube.stl", "--unit", "furlong")
    assert code == 2 and "must be one of" in err


def test_inside_out(tube):
    (report,) = tube.json("check", "tube.stl", "--unit", "mm", "--flip")
    assert report["report"]["problems"]["inside_out"]["n"] == 1
    (report,) = tube.json("check", "tube.stl", "--unit", "mm")
    assert all(p["n"] == 0 for p in report["report"]["problems"].values())


def test_hole_is_reported_and_leaks(corpuscle):
    corpuscle.write("hole.stl", files.stl_text(("box", list(files.triangles_of_box())[:-1])))
    out, _ = corpuscle.ok("check", "hole.stl", "--unit", "cm")
    assert re.search(r"open edges +3 \(molecules leak", out)
    code, _, err = corpuscle("run", "hole.stl", "--unit", "cm", "-n", "1000", "--set", "facets.box_1.outgassing=1 mbar l/s")
    assert "leak" in err


def test_table_of_leaks(corpuscle):
    """The lines of the molecules that got out cross the missing triangle, and nothing else does."""
    whole = list(files.triangles_of_box())
    corpuscle.write("hole.stl", files.stl_text(("box", whole[:-1])))
    corpuscle.write("box.stl", files.stl_text(("box", whole)))
    source = ["--unit", "cm", "-n", "3000", "--set", "facets.box_1.outgassing=1 mbar l/s", "--set", "facets.box_1.sticking=0.1"]
    corpuscle.ok("run", "box.stl", *source, "--export", "leaks=none.csv", "-q")
    assert len((corpuscle.folder / "none.csv").read_text().splitlines()) == 1
    _, err = corpuscle.ok("run", "hole.stl", *source, "--export", "leaks=leaks.csv")
    table = [line for line in err.splitlines() if "leaks: " in line]
    assert "LEAKS" in err and "left at x, y, z [cm]" in table[0] and len(table) == 12 and "more are in the result file" in table[11]
    with open(corpuscle.folder / "leaks.csv") as file:
        rows = list(csv.DictReader(file))
    assert 10 < len(rows) <= 64
    # The last triangle of the box lies in the side x = 0.
    for row in rows:
        place = [float(row[f"left at {k} [cm]"]) for k in "xyz"]
        way = [float(row[f"direction {k} [1]"]) for k in "xyz"]
        t = -place[0] / way[0]
        y, z = place[1] + t * way[1], place[2] + t * way[2]
        (_, y0, z0), (_, y1, z1), (_, y2, z2) = whole[-1]
        area = (y1 - y0) * (z2 - z0) - (y2 - y0) * (z1 - z0)
        parts = [((b - y) * (e - z) - (d - y) * (c - z)) / area
                 for (b, c), (d, e) in (((y0, z0), (y1, z1)), ((y1, z1), (y2, z2)), ((y2, z2), (y0, z0)))]
        assert t > 0 and min(parts) > -1e-9 and sum(parts) == pytest.approx(1)
    first = [float(x) for x in table[1].split()[-9:]]
    assert first == pytest.approx([float(x) for x in list(rows[0].values())[2:]], rel=1e-3, abs=1e-4)
    corpuscle.ok("export", "hole.h5", "--to", "leaks", "-o", "x.csv")
    assert (corpuscle.folder / "x.csv").read_text() == (corpuscle.folder / "leaks.csv").read_text()


def test_leaks_are_kept_in_a_resumed_file(corpuscle):
    """What the first part found stays, and the second part adds to it."""
    corpuscle.write("hole.stl", files.stl_text(("box", list(files.triangles_of_box())[:-1])))
    run = ["run", "hole.stl", "--unit", "cm", "-q", "--set", "facets.box_1.outgassing=1 mbar l/s", "--set",
           "facets.box_1.sticking=0.9", "--batches", "2", "-o", "hole.h5"]
    corpuscle.ok(*run, "-n", "20")
    corpuscle.ok("export", "hole.h5", "--to", "leaks", "-o", "first.csv")
    corpuscle.ok(*run, "-n", "2000", "--restart", "hole.h5")
    corpuscle.ok("export", "hole.h5", "--to", "leaks", "-o", "both.csv")
    first, both = ((corpuscle.folder / name).read_text().splitlines() for name in ("first.csv", "both.csv"))
    assert 1 < len(first) < len(both) <= 65 and both[:len(first)] == first


def test_convert_keeps_groups(tube):
    """From STL to YAML, and the same numbers from both."""
    tube.ok("convert", "tube.stl", "--unit", "mm", "-o", "tube.yaml")
    a, = tube.json("run", "tube.stl", "--unit", "mm", "-n", "20000", "-o", "a.h5", *PUMP)
    b, = tube.json("run", "tube.yaml", "-n", "20000", "-o", "b.h5", *PUMP)
    assert a["digest"] == b["digest"]
    w = transmission(a, "tube_2->tube_3")
    assert 0.45 < w["mean"] < 0.55  # L/R = 2: 0.514


def test_binary_and_several_bodies(corpuscle):
    (corpuscle.folder / "box.stl").write_bytes(files.stl_bytes(files.triangles_of_box()))
    corpuscle.write("two.stl", files.stl_text(("a pump", list(files.triangles_of_box())[:2]),
                                              ("rest", list(files.triangles_of_box())[2:])))
    one, = corpuscle.json("check", "box.stl", "--unit", "cm")
    two, = corpuscle.json("check", "two.stl", "--unit", "cm")
    assert one["report"]["volume_cm3"] == pytest.approx(5) and two["report"]["volume_cm3"] == pytest.approx(5)
    out, _ = corpuscle.ok("check", "two.stl", "--unit", "cm")
    assert re.search(r"a_pump +1 +1 ", out)


@pytest.mark.parametrize("name", ["duct.xml", "duct.zip"])
def test_molflow_duct(corpuscle, name):
    text = files.molflow_xml()
    data = files.zip_bytes("inside.xml", text) if name.endswith("zip") else text.encode()
    (corpuscle.folder / name).write_bytes(data)
    result, = corpuscle.json("run", name, "-n", "300000")
    w = transmission(result, "facet 1->facet 2")
    # 5.1 sigma of 300000 molecules is 1.9 % of W.
    assert abs(w["mean"] - DUCT) < 5.1 * (w["std_dev"] ** 2 + DUCT_ERROR ** 2) ** 0.5
    assert result["events"]["leaks"] == 0


def test_molflow_setting(corpuscle):
    corpuscle.write("duct.xml", files.molflow_xml())
    corpuscle.ok("convert", "duct.xml", "--set", "facets.2.sticking=0.5", "-o", "half.xml")
    before, after = (corpuscle.folder / n for n in ("duct.xml", "half.xml"))
    changed = [(a, b) for a, b in zip(before.read_text().splitlines(), after.read_text().splitlines()) if a != b]
    assert len(changed) == 1 and 'constValue="0.5"' in changed[0][1]
    assert 'keep="&lt;this&gt;"' in after.read_text()


def check_results(root, n):
    hits = root.find("MolflowResults/Moments/Moment/Global/Hits").attrib
    assert int(hits["totalDes"]) == n
    facets = root.findall("MolflowResults/Moments/Moment/FacetResults/Facet")
    assert [f.get("id") for f in facets] == [str(i) for i in range(6)]
    counts = [f.find("Hits").attrib for f in facets]
    assert sum(int(c["nbAbsEquiv"]) for c in counts) == n == int(hits["totalAbsEquiv"])
    assert int(counts[0]["nbDes"]) == n
    assert sum(int(c["nbHitEquiv"]) for c in counts) == int(hits["totalHit"])
    return counts


def test_molflow_results(corpuscle):
    """Results go into the file that they came from; the pressure that Molflow forms from them is ours."""
    corpuscle.write("duct.xml", files.molflow_xml(extra="<MolflowResults><Old/></MolflowResults>"))
    n = 20000
    corpuscle.ok("run", "duct.xml", "-n", n, "-o", "out.h5", "--export", "out.zip", "--export", "out.xml")
    text = (corpuscle.folder / "out.xml").read_text()
    with zipfile.ZipFile(corpuscle.folder / "out.zip") as archive:
        assert archive.namelist() == ["out.xml"]
        assert archive.read("out.xml").decode() == text
    assert "<Old/>" not in text and 'keep="&lt;this&gt;"' in text
    counts = check_results(ElementTree.fromstring(text), n)
    corpuscle.ok("export", "out.h5", "--to", "facets", "-o", "out.csv")
    with open(corpuscle.folder / "out.csv") as file:
        rows = list(csv.DictReader(file))
    per_molecule = 1e-7 / (1.380649e-23 * 293.15) / n
    mass = 0.028 / 6.02214076e23
    for row, count in zip(rows, counts):
        pressure = 100 * per_molecule * mass * float(count["sum_v_ort"]) / float(row["area [cm2]"])
        assert pressure == pytest.approx(float(row["pressure [mbar]"]), rel=1e-9)
        rate = 1e4 * per_molecule * int(count["nbHitEquiv"]) / float(row["area [cm2]"])
        assert rate == pytest.approx(float(row["impingement rate [1/(m2 s)]"]), rel=1e-9)
    # Without a template the document is written from the model, and reads back as the same one.
    corpuscle.ok("export", "out.h5", "--to", "molflow", "-o", "new.xml")
    check_results(ElementTree.fromstring((corpuscle.folder / "new.xml").read_text()), n)
    a, = corpuscle.json("run", "duct.xml", "-n", "5000", "-o", "a.h5")
    b, = corpuscle.json("run", "new.xml", "-n", "5000", "-o", "b.h5")
    assert a["digest"] == b["digest"]
    # And with one by hand.
    corpuscle.ok("export", "out.h5", "--to", "molflow", "--template", "duct.xml", "-o", "again.xml")
    assert (corpuscle.folder / "again.xml").read_text() == text


def test_directions_are_switched_off(corpuscle):
    """Molflow stops reading results at a texture of directions that is announced and not there."""
    texture = '<Texture hasMesh="1" texDimX="3.5" texDimY="2" countAbs="1" countDir="1"/>'
    corpuscle.write("duct.xml", files.molflow_xml(texture=texture))
    corpuscle.ok("run", "duct.xml", "-n", "1000", "--export", "out.xml")
    root = ElementTree.fromstring((corpuscle.folder / "out.xml").read_text())
    assert root.find("Geometry/Facets/Facet[@id='1']/Recordings/Texture").attrib == {
        "hasMesh": "1", "texDimX": "3.5", "texDimY": "2", "countAbs": "1", "countDir": "0"}
    found = root.find("MolflowResults/Moments/Moment/FacetResults/Facet[@id='1']/Texture")
    assert found.attrib == {"width": "4", "height": "2"}
    counts = [float(x) for x in found.find("count").text.split()]
    hits = root.find("MolflowResults/Moments/Moment/FacetResults/Facet[@id='1']/Hits").get("nbHitEquiv")
    assert len(counts) == 8 and sum(counts) == int(hits)


def test_old_molflow_file(corpuscle):
    """Before 2.8: several top elements, no root; results are added behind them."""
    text = files.molflow_xml()
    text = text.replace('<SimulationEnvironment type="molflow" version="2916">\n', "").replace("</SimulationEnvironment>\n", "")
    corpuscle.write("old.xml", text)
    corpuscle.write("new.xml", files.molflow_xml())
    old, = corpuscle.json("run", "old.xml", "-n", "2000", "-o", "a.h5", "--export", "out.xml")
    new, = corpuscle.json("run", "new.xml", "-n", "2000", "-o", "b.h5")
    assert old["digest"] == new["digest"]
    written = (corpuscle.folder / "out.xml").read_text()
    assert written.startswith(text.rstrip("\n")[:200]) and "<MolflowResults>" in written
    again, = corpuscle.json("run", "out.xml", "-n", "2000", "-o", "c.h5")
    assert again["digest"] == old["digest"]


def test_facet_table(tube):
    tube.ok("run", "tube.stl", "--unit", "mm", "-n", "20000", "-o", "t.h5", "--export", "t.csv", *PUMP)
    with open(tube.folder / "t.csv") as file:
        rows = list(csv.reader(file))
    assert all(re.search(r" \[.+\]$", h) for h in rows[0] if h != "surface")
    table = [dict(zip(rows[0], row)) for row in rows[1:]]
    assert len(table) == 26
    absorbed = sum(float(row["absorbed [1]"]) for row in table)
    assert absorbed == pytest.approx(1, abs=1e-12)
    assert sum(float(row["throughput [mbar l/s]"]) for row in table) == pytest.approx(1e-6, rel=1e-9)


def test_mesh_for_paraview(corpuscle):
    """Points, cells and numbers as VTKHDF wants them; the cells of a texture cover their facet."""
    texture = '<Texture hasMesh="1" texDimX="3.5" texDimY="2" countAbs="1"/>'
    corpuscle.write("duct.xml", files.molflow_xml(texture=texture))
    corpuscle.ok("run", "duct.xml", "-n", "5000", "--export", "m.vtkhdf")
    with h5py.File(corpuscle.folder / "m.vtkhdf") as file:
        root = file["VTKHDF"]
        assert root.attrs["Type"] == b"UnstructuredGrid" and list(root.attrs["Version"]) == [1, 0]
        points, corners, offsets = (root[n][:] for n in ("Points", "Connectivity", "Offsets"))
        assert root["NumberOfCells"][0] == 5 + 8 and len(offsets) == 14 and set(root["Types"][:]) == {7}
        areas = []
        for begin, end in zip(offsets, offsets[1:]):
            p = points[corners[begin:end]]
            areas.append(0.5 * numpy.linalg.norm(sum(numpy.cross(p[i] - p[0], p[i + 1] - p[0]) for i in range(1, len(p) - 1))))
        facet = root["CellData/facet"][:]
        assert sum(a for a, f in zip(areas, facet) if f == 2) == pytest.approx(1)
        assert sorted(round(a, 12) for a, f in zip(areas, facet) if f == 2)[:2] == [round(0.5 / 7, 12)] * 2
        assert sum(areas) == pytest.approx(22)
        for name in ("pressure [mbar]", "density [m-3]", "impingement rate [m-2 s-1]", "pressure std_dev"):
            assert root["CellData"][name].shape == (13,) and numpy.all(root["CellData"][name][:] >= 0)


# ------------------------------------------------------------------------------------------------------------- bad files

FEATURES = [
    (dict(settings='<LowFluxMode enabled="1"/>'), "low-flux", "settings"),
    (dict(settings='<TimeSettings><UserMoments><UserEntry content="1" window="1"/></UserMoments></TimeSettings>'), "moments",
     "time settings"),
    (dict(inlet='<Sticking constValue="0" stickingParam="table"/>'), "time-dependent-sticking", "facet 1"),
]


@pytest.mark.parametrize("model, feature, where", FEATURES)
def test_features_that_are_not_there(corpuscle, model, feature, where):
    corpuscle.write("m.xml", files.molflow_xml(**model))
    code, _, err = corpuscle("run", "m.xml", "-n", "100")
    assert code == 2 and feature in err and where in err and f"--ignore {feature}" in err
    assert corpuscle.files() == ["m.xml"]
    _, err = corpuscle.ok("run", "m.xml", "-n", "100", "--ignore", feature)
    assert f"{feature} is ignored" in err and f"left out: {feature}" in err
    assert f"# left out: {feature} ({where})" in h5py.File(corpuscle.folder / "m.h5")["run_1/input"][()].decode()
    code, _, err = corpuscle("run", "m.xml", "-n", "100", "--ignore", "low-flix")
    assert code == 2 and "low-flux" in err


BAD = [
    ("empty.stl", b"", "is empty"),
    ("cut.stl", files.stl_bytes(files.triangles_of_box())[:-7], "is it cut?"),
    ("cut2.stl", files.stl_text(("x", files.triangles_of_box())).encode()[:-60], "the file ends where"),
    ("nan.stl", files.stl_text(("x", [((0, 0, 0), (1, 0, 0), (0, float("nan"), 0))])).encode(), "found `nan`"),
    ("flat.stl", files.stl_text(("x", [((0, 0, 0), (1, 0, 0), (2, 0, 0))])).encode(), "no triangle with an area"),
    ("bomb.xml", b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><Geometry/>', "DOCTYPE"),
    ("cut.xml", files.molflow_xml().encode()[:1500], "not well-formed XML"),
    ("other.xml", b"<svg/>", "begins with <svg>"),
    ("cut.zip", files.zip_bytes("a.xml", files.molflow_xml())[:-30], "cut or damaged"),
    ("none.zip", files.zip_bytes("a.txt", "hello"), "holds no .xml"),
    ("bomb.zip", files.zip_bytes("a.xml", " " * 80_000_000), "ZIP bomb"),
    ("vertex.xml", files.molflow_xml().replace('vertex="7"', 'vertex="8"').encode(), "vertex 8 of 8"),
    ("twice.xml", files.molflow_xml().replace('<Vertex id="3"', '<Vertex id="2"').encode(), "id 2 stands where id 3"),
    ("sticky.xml", files.molflow_xml(sticking_2=1.5).encode(), "facet 2: sticking = 1.5 must lie in [0, 1]"),
    ("model.7z", b"7z\xbc\xaf\x27\x1c\0\4", "unpack it first"),
    ("model.geo", b"version:16\ntotalHit:0\n", "GEO file"),
]


@pytest.mark.parametrize("name, data, message", BAD, ids=[b[0] for b in BAD])
def test_bad_files(corpuscle, name, data, message):
    """One line that names the file, exit code 2, nothing written."""
    (corpuscle.folder / name).write_bytes(data)
    more = ["--unit", "cm"] if name.endswith(".stl") else []
    code, out, err = corpuscle("run", name, *more)
    assert code == 2 and out == "" and message in err
    lines = [line for line in err.splitlines() if not line.startswith("corpuscle: warning")]
    assert len(lines) == 1 and name in lines[0]
    assert corpuscle.files() == [name]


def test_unit_belongs_to_stl(corpuscle):
    corpuscle.write("m.xml", files.molflow_xml())
    code, _, err = corpuscle("check", "m.xml", "--unit", "mm")
    assert code == 2 and "--unit" in err


def test_template_of_another_model(corpuscle):
    corpuscle.write("m.xml", files.molflow_xml())
    corpuscle.ok("run", "m.xml", "-n", "100", "-o", "m.h5")
    other = re.sub(r'<Facet id="5">.*?</Facet>', "", files.molflow_xml(), flags=re.S)
    corpuscle.write("other.xml", other)
    code, _, err = corpuscle("export", "m.h5", "--to", "molflow", "--template", "other.xml", "-o", "x.xml")
    assert code == 2 and "it is another one" in err
    code, _, err = corpuscle("export", "m.h5", "--to", "facets", "--template", "m.xml", "-o", "x.csv")
    assert code == 2 and "template" in err
    code, _, err = corpuscle("run", "m.xml", "--export", "x.doc")
    assert code == 2 and ".vtkhdf" in err


def test_names_of_reports_are_json(tube):
    text, _ = tube.ok("check", "tube.stl", "--unit", "mm", "--json")
    assert json.loads(text)["report"]["closed_parts"] == 1


# -------------------------------------------------------------------------------------------------------------- formulas

def formula(summary, name="T"):
    found = [r for r in summary["results"] if r["name"] == "formula" and r["of"] == name]
    assert len(found) == 1, summary["results"]
    return found[0]


def test_formula_is_the_transmission(corpuscle):
    """A2/SUMDES is what the transmission is, with its error; also after a restart, and out of the result file."""
    corpuscle.write("duct.xml", files.molflow_xml())
    whole, = corpuscle.json("run", "duct.xml", "-n", "64000", "--batches", "32", "-o", "a.h5")
    w, t = transmission(whole, "facet 1->facet 2"), formula(whole)
    assert t["mean"] == pytest.approx(w["mean"], rel=1e-12) and t["std_dev"] == pytest.approx(w["std_dev"], rel=1e-9)
    # 16 batches of 2000, then 16 more.
    corpuscle.ok("run", "duct.xml", "-n", "32000", "--batches", "16", "-o", "half.h5")
    rest, = corpuscle.json("run", "duct.xml", "-n", "64000", "--restart", "half.h5", "-o", "b.h5")
    assert formula(rest)["mean"] == t["mean"] and formula(rest)["std_dev"] == pytest.approx(t["std_dev"], rel=1e-12)
    assert rest["digest"] == whole["digest"]
    out, _ = corpuscle.ok("export", "b.h5", "--to", "json")
    assert formula(json.loads(out)) == formula(rest)


def test_formula_error_knows_of_correlation(corpuscle):
    """A1 + A2 is 1 in every batch, so its error is 0; A1 - A2 = 2 A1 - 1 has twice the error of A1."""
    corpuscle.write("one.xml", files.molflow_xml(formula="A1+A2"))
    one, = corpuscle.json("run", "one.xml", "-n", "32000")
    assert formula(one)["mean"] == pytest.approx(1, abs=1e-12) and formula(one)["std_dev"] < 1e-12
    corpuscle.write("two.xml", files.molflow_xml(formula="A1-A2"))
    two, = corpuscle.json("run", "two.xml", "-n", "32000")
    w = transmission(two, "facet 1->facet 1")
    assert formula(two)["std_dev"] == pytest.approx(2 * w["std_dev"], rel=1e-9)


def test_formula_quantities(corpuscle):
    """Against numbers of the same run that are found in other ways."""
    corpuscle.write("m.xml", files.molflow_xml(formula="QCONST/P2*A2/1000"))
    result, = corpuscle.json("run", "m.xml", "-n", "32000", "--export", "m.csv")
    with open(corpuscle.folder / "m.csv") as file:
        row = list(csv.DictReader(file))[1]
    speed = float(row["throughput [mbar l/s]"]) / float(row["pressure [mbar]"]) / 1000
    assert formula(result)["mean"] == pytest.approx(speed, rel=1e-9)


def test_broken_formula_is_left_out(corpuscle):
    corpuscle.write("m.xml", files.molflow_xml(formula="A9/SUMDES"))
    out, err = corpuscle.ok("run", "m.xml", "-n", "3200", "--json")
    assert "formula T" in err and "no facet of this number" in err
    assert not [r for r in json.loads(out)["results"] if r["name"] == "formula"]
