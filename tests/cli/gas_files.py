"""Small models for the tests of gas formats, made by formulas: STL tubes and boxes, Molflow XML."""
import io
import math
import struct
import zipfile

# A box of 1 x 1 x 5: corners, and faces whose normals point inwards.
CORNERS = [(x, y, z) for z in (0, 5) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))]
FACES = [(0, 1, 2, 3), (4, 7, 6, 5), (0, 4, 5, 1), (1, 5, 6, 2), (2, 6, 7, 3), (3, 7, 4, 0)]


def triangles_of_box():
    """Twelve triangles that look outwards, as STL files have them."""
    for face in FACES:
        a, b, c, d = (CORNERS[i] for i in reversed(face))
        yield a, b, c
        yield a, c, d


def triangles_of_tube(n, length, radius=1.0):
    def point(i, z):
        angle = 2 * math.pi * (i % n) / n
        return radius * math.cos(angle), radius * math.sin(angle), z

    for i in range(n):
        a, b, c, d = point(i, 0), point(i + 1, 0), point(i + 1, length), point(i, length)
        yield a, b, c
        yield a, c, d
        yield (0, 0, 0), b, a
        yield (0, 0, length), d, c


def stl_text(*bodies):
    """ASCII STL of (name, triangles)."""
    lines = []
    for name, triangles in bodies:
        lines.append(f"solid {name}")
        for triangle in triangles:
            lines.append("facet normal 0 0 0\n outer loop")
            lines += ["  vertex %.9g %.9g %.9g" % corner for corner in triangle]
            lines.append(" endloop\nendfacet")
        lines.append(f"endsolid {name}")
    return "\n".join(lines) + "\n"


def stl_bytes(triangles):
    """Binary STL."""
    triangles = list(triangles)
    return (b"binary".ljust(80) + struct.pack("<I", len(triangles)) +
            b"".join(struct.pack("<12fH", 0, 0, 0, *(x for corner in t for x in corner), 0) for t in triangles))


def molflow_facet(i, corners, sticking=0, outgassing=0, extra="", opacity="1", two_sided=0, texture=""):
    indices = "".join(f'<Indice id="{k}" vertex="{v}"/>' for k, v in enumerate(corners))
    return f"""<Facet id="{i}">
<Sticking constValue="{sticking}" parameterId="-1"/>
<Opacity constValue="{opacity}" parameterId="-1" is2sided="{two_sided}"/>
<Outgassing constValue="{outgassing}" parameterId="-1" desType="{2 if outgassing else 0}" desExponent="0"/>
<Temperature value="293.15" accFactor="1"/>
<Reflection diffusePart="1" specularPart="0" cosineExponent="0"/>
<Structure inStructure="0" linksTo="0"/><Teleport target="0"/><Motion isMoving="0"/>
<Recordings><Profile type="0"/>{texture}</Recordings>{extra}
<Indices nb="{len(corners)}">{indices}</Indices></Facet>
"""


def molflow_xml(extra="", settings="", inlet="", formula="A2/SUMDES", sticking_2=1, texture=""):
    """A square duct of 1 x 1 x 5 cm: facet 1 desorbs, facets 1 and 2 pump."""
    vertices = "".join(f'<Vertex id="{i}" x="{x}" y="{y}" z="{z}"/>' for i, (x, y, z) in enumerate(CORNERS))
    facets = molflow_facet(0, FACES[0], 1, 1e-7, inlet) + molflow_facet(1, FACES[1], sticking_2, texture=texture)
    facets += "".join(molflow_facet(i, FACES[i]) for i in range(2, 6))
    return f"""<?xml version="1.0"?>
<SimulationEnvironment type="molflow" version="2916">
<Geometry><Vertices nb="8">{vertices}</Vertices>
<Facets nb="6">{facets}</Facets>
<Structures nb="1"><Structure id="0" name="only"/></Structures></Geometry>
<MolflowSimuSettings><Gas mass="28"/>{settings}</MolflowSimuSettings>
<Interface><Selections nb="1"><Selection id="0" name="sides"><selItem id="0" facet="2"/><selItem id="1" facet="3"/></Selection>
</Selections><Formulas nb="1"><Formula id="0" name="T" expression="{formula}"/></Formulas>
<MyViews keep="&lt;this&gt;"/></Interface>
{extra}</SimulationEnvironment>
"""


def zip_bytes(name, text):
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, text)
    return memory.getvalue()
