"""Files that a chem input names: found from any folder, wherever the command runs, and by every command."""
import shlex
import signal
import time

import h5py
import pytest

LIST = "# energy: 100 eV\nspecies,x,y,z\ne_aq,0,0,0\nH3O+,0,0,1\n"
SET = ("rate_convention k\nspecies e_aq D=4.9\nspecies H3O+ D=9\nspecies H D=7\n"
       "reaction e_aq + H3O+ -> H k=2.11e10\n")
CPU = ("--device", "cpu", "--threads", "1", "-q")


@pytest.fixture
def work(corpuscle):
    """in/model.yaml names in/data/track.csv, in/sets/my.set and in/pulse.txt."""
    for folder in ("in/data", "in/sets", "out", "elsewhere"):
        (corpuscle.folder / folder).mkdir(parents=True)
    corpuscle.write("in/data/track.csv", LIST)
    corpuscle.write("in/sets/my.set", SET)
    corpuscle.write("in/pulse.txt", "time [ps], current\n0,1\n10,1\n")
    corpuscle.write("in/model.yaml", "version: 1\nkind: chem\nchem: {set: sets/my.set}\ntime: {end: 1 ns}\n"
                                     "source: {file: data/track.csv, pulse: pulse.txt}\n")
    return corpuscle


def refused(work, *args, **more):
    code, _, err = work(*args, **more)
    assert code == 2, err
    return err


def digest_of(work, name):
    return work.json("check", name, "-q")[0]["input_digest"]


def frames(text):
    return [line for line in text.splitlines() if line.startswith("time_ps")]


def test_export_from_any_folder(work):
    work.ok("run", "in/model.yaml", "-o", "out/a.h5", *CPU)
    work.ok("run", "in/data/track.csv", "-o", "out/b.h5", *CPU)
    here, _ = work.ok("export", "out/a.h5", "--to", "xyz", "-q")
    assert len(frames(here)) == 4                       # 1, 10, 100, 1000 ps
    for folder in ("out", "elsewhere"):
        work.ok("export", work.folder / "out/a.h5", "--to", "xyz", "-o", "a.xyz", "-q", cwd=work.folder / folder)
        assert (work.folder / folder / "a.xyz").read_text() == here
        work.ok("export", work.folder / "out/b.h5", "--to", "vtkhdf", "-o", "b.vtkhdf", "-q", cwd=work.folder / folder)
    with h5py.File(work.folder / "elsewhere/b.vtkhdf") as f:
        assert f["VTKHDF/NumberOfPoints"][0] == 2


def test_export_of_files_that_moved(work):
    work.ok("run", "in/model.yaml", "-o", "out/a.h5", *CPU)
    (work.folder / "in/data/track.csv").rename(work.folder / "elsewhere/t.csv")
    gone = refused(work, "export", "out/a.h5", "--to", "xyz")
    assert "track.csv: cannot be read (No such file or directory)" in gone and "--set source.file=FILE" in gone
    there = ("--set", "source.file=elsewhere/t.csv")
    assert len(frames(work.ok("export", "out/a.h5", "--to", "xyz", *there, "-q")[0])) == 4
    for setting, words in (("time.end=1us", "only the place of a file"), ("source.fil=x", "such as source.file=FILE")):
        assert words in refused(work, "export", "out/a.h5", "--to", "xyz", "--set", setting)
    assert "from the result alone" in refused(work, "export", "out/a.h5", "--to", "csv", *there)
    (work.folder / "elsewhere/t.csv").write_text(LIST.replace("0,0,1", "0,0,2"))
    assert "not those of the run any more" in refused(work, "export", "out/a.h5", "--to", "xyz", *there, "-q")
    (work.folder / "in/sets/my.set").rename(work.folder / "in/sets/other.set")
    gone = refused(work, "export", "out/a.h5", "--to", "xyz", *there)
    assert "my.set: cannot be read" in gone and "--set chem.set=FILE" in gone


def test_folders_are_no_part_of_the_digest(work):
    """A run goes on after its files have moved, and a converted input is the same one, also in another folder."""
    work.ok("run", "in/model.yaml", "-o", "out/a.h5", "-n", "2", *CPU)
    (work.folder / "in/data/track.csv").rename(work.folder / "elsewhere/track.csv")
    work.write("in/model.yaml", "version: 1\nkind: chem\nchem: {set: sets/my.set}\ntime: {end: 1 ns}\n"
                                "source: {file: ../elsewhere/track.csv, pulse: pulse.txt}\n")
    work.ok("run", "in/model.yaml", "-o", "out/a.h5", "-n", "4", "--restart", "out/a.h5", *CPU)
    digest = digest_of(work, "in/model.yaml")
    work.ok("convert", "in/model.yaml", "-o", "in/same.yaml", "-q")
    work.ok("convert", "in/model.yaml", "-o", "out/other.yaml", "-q")
    assert "../elsewhere/track.csv" in (work.folder / "in/same.yaml").read_text()
    for name in ("in/same.yaml", "out/other.yaml"):
        assert digest_of(work, name) == digest
    (work.folder / "elsewhere/stdout.yaml").write_text(
        work.ok("convert", "../in/model.yaml", "-q", cwd=work.folder / "elsewhere")[0])
    assert digest_of(work, "elsewhere/stdout.yaml") == digest
    with h5py.File(work.folder / "out/a.h5") as f:
        places = dict(line.split("=") for line in f["run_1/files"][()].decode().splitlines())
        assert set(places) == {"source.file", "source.pulse", "chem.set"}
        assert places["source.file"] == str((work.folder / "elsewhere/track.csv").resolve())


def test_positions_with_the_run(work):
    """Written after the run, refused before it where there will be none."""
    work.ok("run", "in/model.yaml", "-o", "a.h5", "--export", "a.xyz", *CPU)
    assert (work.folder / "a.xyz").read_text() == work.ok("export", "a.h5", "--to", "xyz", "-q")[0]
    for more in (("--method", "irt"), ("--method", "irt", "-n", "1e9")):
        assert "method exact alone" in refused(work, "run", "in/data/track.csv", "-o", "b.h5", "--export", "b.vtkhdf", *more, *CPU)
    assert not (work.folder / "b.h5").exists()


def test_bench_of_an_own_file(work):
    """Each method that a CPU ends soon, with the settings given."""
    work.write("in/data/bare.csv", LIST.split("\n", 1)[1])
    rows = work.json("bench", "chem", "in/data/bare.csv", "--energy", "2 keV", "--set", "time.end=10ps", "--device", "cpu", "-n", "40")
    assert [(r["case"], r["histories"]) for r in rows] == [("exact", 40), ("irt", 40)]
    assert len({r["digest"] for r in rows}) == 2
    for args, words in ((("chem", "in/data/bare.csv"), "--energy"), (("chem", "--set", "time.end=1ps"), "for an input file"),
                        (("gas", "in/data/track.csv"), "is of kind chem, not gas"), (("chem", "a", "b"), "one input file at a time"),
                        (("chen",), "no built-in cases named chen")):
        assert words in refused(work, "bench", *args, "--device", "cpu")


@pytest.mark.parametrize("name", ["paper", "geant4", "topas", "fricke"])
def test_shipped_sets_as_files(corpuscle, name):
    """A set that `new` writes is the shipped one, to be changed."""
    corpuscle.ok("new", f"chem-set-{name}", "-o", "my.set")
    texts = []
    for chosen in (name, "my.set"):
        corpuscle.write("m.yaml", f"version: 1\nkind: chem\nchem: {{set: {chosen}}}\nsource: {{kind: spur, energy: 100 eV, "
                                  "molecules: [{species: OH, count: 3}]}\n")
        text, _ = corpuscle.ok("check", "m.yaml")
        texts.append(text[text.index("# species and reactions:"):])
    assert texts[0] == texts[1]
    assert "k of A + A" in texts[0] or "R of A + A takes 2k" in texts[0]
    assert name in corpuscle.ok("new")[0]


def test_the_way_to_go_on_is_complete(corpuscle):
    """An interrupted run says with what command it goes on: with all that made the model of the file."""
    corpuscle.write("my track.csv", LIST.split("\n", 1)[1])
    args = ("run", "my track.csv", "--energy", "2 keV", "--method", "irt", "--set", "time.end=1 us", "-n", "1e7", "-o", "a.h5", *CPU[:-1],
            "--progress", "none", "--save-every", "0.01s")
    process = corpuscle.popen(*args)
    for _ in range(600):
        if (corpuscle.folder / "a.h5").exists() and corpuscle.json("info", "a.h5")[0]["histories"] > 0:
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    command = shlex.split(err.split("to go on: corpuscle ")[1].splitlines()[0])
    done = corpuscle.json("info", "a.h5")[0]["histories"]
    assert 0 < done < 10 ** 7
    again, = corpuscle.json(*command, "-n", str(done), "-q")
    assert again["histories"] == done
