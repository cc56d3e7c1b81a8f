"""What the benchmark scripts share: running the program, describing the machine, writing tables."""
import datetime
import json
import os
import platform
import re
import resource
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = ROOT / "examples" / "light"

# Rd and Tt of the two skin models by a deterministic solution of the transport equation (discrete ordinates, doubling and
# adding, Fresnel interfaces; converged to the digits shown).
EXACT = {
    "skin5_633": {"Rd": 0.2408819, "Tt": 0.0214911},
    "skin7": {"Rd": 0.562585, "Tt": 0.0032634},
}


class Failed(Exception):
    """A program ended otherwise than it had to."""


class Program:
    """The program under test, in a scratch folder of its own for what it writes."""

    def __init__(self, path):
        self.path = Path(path).resolve()
        if not os.access(self.path, os.X_OK):
            raise SystemExit(f"{path} is not a program; set CORPUSCLE=path, or let the script build one")
        self.folder = tempfile.TemporaryDirectory(prefix="corpuscle_bench_")
        self.environment = dict(os.environ)

    def call(self, *arguments, environment=None, prefix=(), timeout=None):
        """Standard output; the wall and the user time go to self.wall and self.user."""
        command = [*map(str, prefix), str(self.path), *map(str, arguments)]
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime, time.perf_counter()
        done = subprocess.run(command, cwd=self.folder.name, env=dict(self.environment, **(environment or {})),
                              capture_output=True, text=True, timeout=timeout)
        self.wall = time.perf_counter() - start
        self.user = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        self.stderr = done.stderr
        if done.returncode != 0:
            raise Failed(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout[-500:]}{done.stderr[-1500:]}")
        return done.stdout

    def run(self, model, histories, *arguments, **keywords):
        """`corpuscle run --json` of a file with one model: the object, with a dictionary of means and errors."""
        text = self.call("run", model, "-n", int(histories), "--json", "-q", *arguments, **keywords)
        result = json.loads(text)
        result["mean"] = {r["name"]: r["mean"] for r in result["results"] if r["of"] is None}
        result["std_dev"] = {r["name"]: r["std_dev"] for r in result["results"] if r["of"] is None}
        return result

    def bench(self, *arguments):
        return [json.loads(line) for line in self.call("bench", "light", "--json", "-q", *arguments).splitlines()]


def processor():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def machine():
    load = os.getloadavg()[0]
    return f"{processor()}, {os.cpu_count()} processors, {platform.system()} {platform.release()}, load {load:.1f} at the start"


def today():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")


def median(numbers):
    return statistics.median(numbers)


def spread(numbers):
    """Half of the range between the quartiles, relative to the median: how far a repetition is off, typically."""
    if len(numbers) < 4:
        return (max(numbers) - min(numbers)) / 2 / median(numbers)
    low, _, high = statistics.quantiles(numbers, n=4)
    return (high - low) / 2 / median(numbers)


def table(head, rows):
    """A Markdown table, columns aligned so that it reads well as plain text too."""
    cells = [list(map(str, row)) for row in [head, *rows]]
    width = [max(len(row[k]) for row in cells) for k in range(len(head))]
    lines = ["| " + " | ".join(text.ljust(width[k]) for k, text in enumerate(row)) + " |" for row in cells]
    lines.insert(1, "| " + " | ".join("-" * w for w in width) + " |")
    return "\n".join(lines)


def slug(text):
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:40]


def save(folder, name, title, facts, sections, data):
    """Write results/NAME.md for people and results/NAME.json for programs; returns the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    text = f"# {title}\n\n" + "".join(f"- {key}: {value}\n" for key, value in facts.items())
    text += "".join(f"\n## {head}\n\n{body}\n" for head, body in sections)
    page, numbers = folder / f"{name}.md", folder / f"{name}.json"
    page.write_text(text)
    numbers.write_text(json.dumps({**facts, **data}, indent=1) + "\n")
    return page, numbers
