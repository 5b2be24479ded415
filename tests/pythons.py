"""Runs the core tests and one match with every Python from 3.11 on: python tests/pythons.py

Interpreters are those named on the command line, else every `python3.N` on the PATH that runs. Each
has an environment of its own in .cache/pythons/, which is made anew when pyproject.toml changes.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

CHECKOUT = Path(__file__).parents[1]
ENVIRONMENTS = CHECKOUT / ".cache" / "pythons"
OLDEST = (3, 11)
CORE = ("tests/protocol", "tests/games", "tests/match")
MATCH = ("play", "angrymob", "GravityGoers", "RandomRunners", "-s", "7", "--console", "--no-clock")


def main(named):
    """Run it all with each interpreter; the exit code."""
    found = interpreters(named)
    if not found:
        print("no Python from 3.11 on was found", file=sys.stderr)
        return 1
    failed = [version for version, program in found.items() if not passes(version, program)]
    for version in found:
        print(f"Python {version}: {'FAILED' if version in failed else 'passed'}")
    return 1 if failed else 0


def interpreters(named):
    """By version, as `3.12`, the first program of it; the oldest version first."""
    programs = named or [
        str(path)
        for folder in os.get_exec_path()
        for path in sorted(Path(folder).glob("python3.*"))
        if re.fullmatch(r"python3\.\d+", path.name)
    ]
    found = {}
    for program in programs:
        version = version_of(program)
        if version is None and named:
            sys.exit(f"{program}: this is no Python that runs")
        if version is not None and version >= OLDEST:
            found.setdefault(version, program)
    return {f"{major}.{minor}": found[major, minor] for major, minor in sorted(found)}


def version_of(program):
    """Its version, (3, 12); None for what doesn't run, as a shim of a version that isn't chosen."""
    asked = [program, "-c", "import sys, venv, ensurepip; print(*sys.version_info[:2])"]
    try:
        done = subprocess.run(asked, capture_output=True, text=True)
    except OSError:
        return None
    return tuple(map(int, done.stdout.split())) if done.returncode == 0 else None


def passes(version, program):
    """Whether the core tests pass and a match is played."""
    place = ENVIRONMENTS / version
    python, lanista = str(place / "bin" / "python"), str(place / "bin" / "lanista")
    stamp = place / ".installed"
    project = (CHECKOUT / "pyproject.toml").read_text(encoding="utf-8")
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != project:
        shutil.rmtree(place, ignore_errors=True)
        if not run(program, "-m", "venv", str(place)):
            return False
        if not run(python, "-m", "pip", "install", "--quiet", "--editable", ".[test]"):
            return False
        stamp.write_text(project, encoding="utf-8")
    chosen = "not long"
    return run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", chosen, *CORE) and run(
        lanista, *MATCH, "-o", str(place / "match.jsonl.gz")
    )


def run(*words):
    """Run a program in the checkout; whether it succeeded."""
    print("$", *words, flush=True)
    return subprocess.run(words, cwd=CHECKOUT).returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
