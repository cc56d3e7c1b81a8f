"""Files that a chem input names: found from any folder, wherever the command runs, and by every command."""
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
