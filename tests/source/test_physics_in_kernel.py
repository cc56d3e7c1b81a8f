"""Physics is written once: nothing that moves a particle may be defined or computed outside kernel/."""
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The plain yardstick of examples/ is a kernel of its own by intent, and checked by its digest.
OUTSIDE = ["src", "include"]
# Where histories pass through, nothing has to do with angles, path lengths or probabilities.
BLIND = ["src/engine", "src/device", "src/cli"]
# Words that name a piece of transport: to call kernel/'s own function by such a name is fine, another one is not.
TRANSPORT = re.compile(r"^(\w*_)?(henyey|greenstein|fresnel|snell|philox|threefry|roulette|scatter|refract|reflect)(_\w*)?$",
                       re.I)
# To check or to write a parameter of that name is not to use it.
ABOUT_INPUT = re.compile(r"^(validate|check|parse|read|write|set|print|load)_")
KEYWORDS = {"__attribute__", "if", "for", "while", "switch", "return"}
TRANSCENDENTAL = re.compile(r"\b(logf?|log1pf?|expf?|expm1f?|sinf?|cosf?|tanf?|sincosf?|asinf?|acosf?|atanf?|atan2f?|"
                            r"drand48|rand|rand_r|random)\s*\(")
DEFINITION = re.compile(r"^(?!\s)(?:[\w*]+[\s*]+)+?(\w+)\s*\([^;{}]*\)\s*\{", re.M)


def strip(text):
    """Take out comments and strings, keeping lines."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group(0))
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', blank, text, flags=re.S)


def definitions(text):
    return {m.group(1): text.count("\n", 0, m.start(1)) + 1 for m in DEFINITION.finditer(strip(text))
            if m.group(1) not in KEYWORDS}


def kernel_functions():
    names = set()
    for path in (ROOT / "kernel").rglob("*.[ch]"):
        names |= set(definitions(path.read_text()))
    return names


def faults(files, kernel):
    """Every place that breaks the rule; `files` maps a path to its text."""
    found = []
    for name, text in files.items():
        for function, line in definitions(text).items():
            if function in kernel:
                found.append(f"{name}:{line}: {function} is defined in kernel/ already")
            elif TRANSPORT.match(function) and not ABOUT_INPUT.match(function):
                found.append(f"{name}:{line}: {function} is transport and belongs into kernel/")
        if name.startswith(tuple(BLIND)):
            code = strip(text)
            for match in TRANSCENDENTAL.finditer(code):
                line = code.count("\n", 0, match.start()) + 1
                found.append(f"{name}:{line}: {match.group(1)}() is physics in a part that must know none")
    return found


def sources():
    files = {}
    for folder in OUTSIDE:
        for path in sorted((ROOT / folder).rglob("*.[ch]")):
            files[str(path.relative_to(ROOT))] = path.read_text()
    return files


def test_nothing_outside_kernel():
    kernel = kernel_functions()
    assert len(kernel) > 20, "kernel/ was not read"
    assert {"light_fly", "light_cross", "ck_philox2x32"} <= kernel
    found = faults(sources(), kernel)
    assert not found, "\n".join(found)


def test_the_rule_can_fail():
    kernel = kernel_functions()
    bad = {
        "src/engine/a.c": "static double step(double u)\n{\n    return -log(u);\n}\n",
        "src/device/b.c": "static float fresnel_reflectance(float c)\n{\n    return c;\n}\n",
        "src/model/light/c.c": "light_photon light_fly(light_photon p)\n{\n    return p;\n}\n",
        "src/model/light/d.c": "uint32_t *philox(uint32_t *key)\n{\n    return key;\n}\n",
        "src/cli/e.c": "int main(void)\n{\n    return (int)(6.0f * cosf(1.0f)) + rand();\n}\n",
    }
    for name, text in bad.items():
        assert faults({name: text}, kernel), name
    good = {
        "src/engine/a.c": "/* log(x) */\nstatic double f(double x)\n{\n    context_log(c, \"exp(%g)\", x);\n    return sqrt(x);\n}\n",
        "src/model/light/b.c": "static double g(void)\n{\n    if (light_cross(p).w) {\n        return cos(1.0);\n    }\n}\n",
    }
    assert not faults(good, kernel)
