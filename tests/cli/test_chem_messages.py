"""Odd and broken chem inputs: each is read as it stands, or refused in one message with its place and a remedy; nothing is left
out in silence."""
import math
import struct

import pytest

HEAD = "# energy: 1 keV\nspecies,x,y,z\n"
SPUR = "source: {kind: spur, energy: 100 eV, molecules: [{species: OH, count: 3}]}\n"
BASE = "version: 1\nkind: chem\ntime: {end: 10 ps}\n"
CPU = ("--device", "cpu", "--threads", "1", "--progress", "none")


def binary(ids, x=None, order="<"):
    n = len(ids)
    zeros = [0.0] * n
    data = struct.pack(f"{order}{n}f", *(x or zeros)) + 3 * struct.pack(f"{order}{n}f", *zeros)
    return data + struct.pack(f"{order}{n}i", *range(n)) + struct.pack(f"{order}{n}i", *ids)


def run(corpuscle, name, contents, *more):
    (corpuscle.folder / name).write_bytes(contents if isinstance(contents, bytes) else contents.encode())
    return corpuscle("run", name, *more, *CPU)


# ------------------------------------------------------------------------------------------------------ lists of molecules

CSV_REFUSED = [
    ("", "is empty (give an input file:"),
    ("\n\n", "holds no molecules that are known here"),
    ("OH,0,0,0\nOH,0,0,1\n", "--format csv"),
    ("# energy: 1 keV\nspecie,x,y,z\nOH,0,0,0\n", "--format csv"),
    (HEAD, "has a header and no molecules: add one line for each"),
    (HEAD + "OHX,0,0,0\n", "m.csv:3: species OHX is not known (the set paper has 7 species): did you mean OH?"),
    (HEAD + "OH,0,nan,0\n", 'm.csv:3: y = "nan" is not a finite decimal number: write it like 12.5'),
    (HEAD + "OH,0,0,0\nOH,0,0,1e400\n", "m.csv:4: z = 1e400 is too large"),
    (HEAD + "OH,0,0,1e10\n", "m.csv:3: z = 1e+10 nm is more than a metre away: is the unit of length right"),
    (HEAD + "OH,0,0\n", "m.csv:3: 3 fields where the header has 4 columns: add or remove some"),
    (HEAD + "OH,0,0,0\n\0", "m.csv:4: holds a NUL byte"),
    (HEAD.replace(",", ";") + "OH;0,5;0;0\n", 'm.csv:3: x = "0,5" is not a finite decimal number'),
    ("# energies: none.csv\nspecies,x,y,z\nOH,0,0,0\n", "m.csv:1: energies: none.csv: cannot be read (No such file"),
    ("species,x,y,z,id\nOH,0,0,0,8\nOH,0,0,1,7\nOH,0,0,2,8\n", "m.csv:4: id 8 is that of line 2 too"),
]


@pytest.mark.parametrize("text, words", CSV_REFUSED)
def test_csv_refused(corpuscle, text, words):
    code, _, err = run(corpuscle, "m.csv", text)
    assert code == 2 and words in err and err.count("corpuscle: ") == 1, err


@pytest.mark.parametrize("text", [
    "\ufeff" + HEAD + "OH,0,0,0\n", (HEAD + "OH,0,0,0\n").replace("\n", "\r\n"), (HEAD + "OH,0,0,0\n").replace("\n", "\r"),
    (HEAD + "OH,0,0,0").replace(",", "\t"), HEAD + '"OH","0",0,0\n', HEAD.replace("species,x", "Molecule , X [um]") + "OH,0,0,0\n"])
def test_csv_as_it_comes(corpuscle, text):
    code, _, err = run(corpuscle, "m.csv", text)
    assert code == 0 and "warning" not in err, err


def test_births_out_of_the_run_are_counted(corpuscle):
    _, _, err = run(corpuscle, "m.csv", "# energy: 1 keV\nspecies,x,y,z,t\nOH,0,0,0,0.5\nOH,9,0,0,\nOH,0,0,9,1e7\nOH,0,9,9,1e8\n")
    assert "1 of 4 molecules are born before the start of the run" in err
    assert "2 of 4 molecules are born after the end of the run, and are never there (time.end = 1e+06 ps)" in err


BINARY_REFUSED = [
    (binary([1] * 50)[:-1], (), "m.bin: is a binary file of no known kind"),
    (binary([1] * 50)[:-1], ("--format", "gmicromc"), "has 1199 bytes, 23 too many for 49 molecules"),
    (binary([99] * 50), (), "--format gmicromc says what is wrong"),
    (binary([1] * 49 + [11]), (), "molecule 50: species id 11 is not known (0 e_aq, 1 OH"),
    (binary([-1] + [1] * 49), (), "molecule 1: species id -1 is not known"),
    (binary([1] * 3 + [9] + [1] * 46), (), "molecule 4: species O2- is not known (the set paper has 7 species)"),
    (binary([1] * 50, [0.0] * 7 + [math.inf] + [0.0] * 42), (), "molecule 8: x = inf must be finite"),
    (binary([1] * 50, [0.0] * 7 + [1e20] + [0.0] * 42), (), "molecule 8: x = 1e+20 nm is more than a metre away"),
    (binary([1] * 50, order=">"), ("--format", "gmicromc"), "molecule 1: species id 16777216 is not known"),
]


@pytest.mark.parametrize("data, more, words", BINARY_REFUSED)
def test_binary_refused(corpuscle, data, more, words):
    code, _, err = run(corpuscle, "m.bin", data, "--energy", "1keV", *more)
    assert code == 2 and words in err and err.count("corpuscle: ") == 1, err


# -------------------------------------------------------------------------------------------------------------------- YAML

YAML_REFUSED = [
    (SPUR + "chem: {sett: paper}\n", "m.yaml:5:8: chem.sett is not a known key", "did you mean set"),
    (SPUR + "chem: {method: itr}\n", "m.yaml:5:16: chem.method = itr must be one of", "did you mean irt"),
    (SPUR + "chem: {set: papr}\n", "set = papr is neither a shipped set", "did you mean paper?"),
    (SPUR + "chem: {set: no.set}\n", "m.yaml: chem.set: no.set: cannot be read (No such file", "folder of the input"),
    (SPUR + "chem: {step: 1 nm}\n", 'm.yaml:5:14: chem.step = 1 nm must be a time ("nm" is a length)', "ps"),
    (SPUR + "space: {box: 10 nm}\n", "space.box = 10 nm has no meaning in open space", "space.kind"),
    (SPUR + "space: {kind: periodic, box: 10 nm}\nchem: {method: irt}\n", "method irt works in open space", "--method exact"),
    (SPUR + "space: {kind: periodic, box: 10 nm}\nchem: {method: paper}\n", "in open space", "--method exact"),
    (SPUR + "chem: {method: paper, set: geant4}\n", "e_aq + e_aq -> H2 + OH- + OH- is not", "chem.set = paper"),
    (SPUR + "chem: {set: topas}\nscavengers: [{species: O2, concentration: 1e-3}, {species: O2, concentration: 0}]\n",
     "scavengers[2]: O2 has a concentration already (scavengers[1])", "keep one"),
    (SPUR + "chem: {set: topas}\nscavengers: [{species: O2, concentration: -1}]\n", "concentration = -1 must be 0 or larger", "mol/l"),
    ("source: {energy: 1 eV}\n", "source.file is missing", "source.kind = spur"),
    ("source: {file: no.csv}\n", "m.yaml: source.file: no.csv: cannot be read (No such file", "folder of the input"),
    (SPUR.replace("kind: spur", "kind: spur, pulse: no.txt"), "m.yaml: source.pulse: no.txt: cannot be read", "folder of the input"),
]


@pytest.mark.parametrize("text, words, remedy", YAML_REFUSED)
def test_yaml_refused(corpuscle, text, words, remedy):
    code, _, err = run(corpuscle, "m.yaml", BASE + text)
    assert code == 2 and words in err and remedy in err and err.count("corpuscle: ") == 1, err


# -------------------------------------------------------------------------------------------------------------------- sets

OH = "rate_convention k\nspecies OH D=2.8\nspecies H2O2 D=2.3\n"
SET_REFUSED = [
    ("rate_convention 3k\n", "my.set:1: rate_convention must be k", "2k"),
    (OH + "reaction OH + OH -> H2O2 k=1e30\n", "my.set:4: OH + OH -> H2O2: k = 1e+30 /M/s makes a contact radius of", "1/(M s)?"),
    (OH + "reaction OH + OH H2O2 k=1e9\n", "my.set:4: there is no arrow", "reaction A + B -> C k=1e10"),
    (OH + "reaction OH+OH -> H2O2 k=1e9\n", "my.set:4: OH+OH holds a + within", "blanks around + and ->"),
    (OH + "reaction OH + OH -> H2O2 k=-1\n", "my.set:4: OH + OH -> H2O2: k = -1 /M/s must be 0 or larger", ""),
    (OH + "reaction OH + OX -> H2O2 k=1\n", "my.set:4: species OX is not known", "did you mean OH?"),
    (OH + "reaction OH + OH -> OH k=1\n", "does not conserve hydrogen and oxygen", "correct a species or a formula"),
    (OH + "species OH- D=5\nreaction OH + OH -> OH- k=1\n", "my.set:5: OH + OH -> OH- does not conserve charge", "correct"),
    (OH + "\0species H D=7\n", "my.set: holds a NUL byte", "UTF-8"),
    (OH + "specis H D=7\n", "my.set:4: specis is not a key here", "did you mean species?"),
]


@pytest.mark.parametrize("text, words, remedy", SET_REFUSED)
def test_set_refused(corpuscle, text, words, remedy):
    corpuscle.write("my.set", text)
    code, _, err = run(corpuscle, "m.yaml", BASE + SPUR + "chem: {set: my.set}\n")
    assert code == 2 and words in err and remedy in err and err.count("corpuscle: ") == 1, err


@pytest.mark.parametrize("end, mark", [("\n", b""), ("\r\n", b""), ("\r", b""), ("\n", b"\xef\xbb\xbf")])
def test_set_as_it_comes(corpuscle, end, mark):
    text = (OH + "species H3O+ D=9\nspecies OH- D=5\nreaction OH + OH -> H2O2 k=4.4e9\n"
            "reaction H3O+ + OH- -> 2 H2O k=1e10\n").replace("\n", end)
    (corpuscle.folder / "my.set").write_bytes(mark + text.encode())
    corpuscle.write("m.yaml", BASE + SPUR + "chem: {set: my.set}\n")
    checked, = corpuscle.json("check", "m.yaml")
    plain = corpuscle.folder / "plain"
    plain.mkdir()
    (plain / "my.set").write_bytes(text.replace(end, "\n").encode())
    corpuscle.write("plain/m.yaml", BASE + SPUR + "chem: {set: my.set}\n")
    assert corpuscle.json("check", "plain/m.yaml")[0]["input_digest"] == checked["input_digest"]


def test_a_crowd_that_does_not_fit(corpuscle):
    """3000 molecules in one place make five million pairs that react: refused where memory does not do, not promised."""
    corpuscle.environment["CORPUSCLE_MEMORY"] = "100000000"
    code, _, err = run(corpuscle, "m.csv", HEAD + "".join(("e_aq", "OH", "H3O+")[i % 3] + ",0,0,0\n" for i in range(3000)))
    assert code == 1 and "no memory for a buffer" in err and "fewer molecules in one track" in err, err


def test_concentrations_with_units(corpuscle):
    """In the input and in a set; a number alone is in mol/l."""
    digests = set()
    for i, (line, in_set) in enumerate((("2.5e-4", "1"), ("0.25 mM", "0.5 M"), ("250uM", "0.5M"), ("0.25 mol/m3", "7"))):
        corpuscle.write("my.set", OH + "species S D=1 formula=CH4O\nspecies P D=1 formula=CH3O\nspecies Q D=1 formula=CH2\n"
                        f"reaction OH + [S] -> P + H2O k=1e9\nscavenger S {in_set}\n")
        corpuscle.write("m.yaml", BASE + SPUR + f"chem: {{set: my.set}}\nscavengers: [{{species: S, concentration: {line}}}]\n")
        digests.add(corpuscle.json("check", "m.yaml")[0]["input_digest"])
    assert len(digests) == 1
    corpuscle.write("my.set", (corpuscle.folder / "my.set").read_text().replace("scavenger S 7", "scavenger S 3 mm"))
    _, _, err = corpuscle("check", "m.yaml")
    assert 'my.set:8: concentration = 3 mm must be a concentration ("mm" is a length)' in err
