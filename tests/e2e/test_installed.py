"""The wheel, installed into an empty environment outside the checkout, plays a match: so nothing
works only from the checkout.
"""

import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from e2e.running import PATIENCE, environment

CHECKOUT = Path(__file__).parents[2]
PLAYER = """\
#include "Player.hh"
#define PLAYER_NAME Sleepy
struct PLAYER_NAME : public Player {
  static Player* factory () { return new PLAYER_NAME; }
  virtual void play () { daylight(unit(pioneers(me())[0]).pos); }
};
RegisterPlayer(PLAYER_NAME);
"""
"""A player of the original Crematoria kit."""
SOURCES = ("pyproject.toml", "README.md", "LICENSE", "protocol", "server", "clients", "maps")


def run(*words, cwd):
    """Run to the end; what it printed."""
    done = subprocess.run(
        list(map(str, words)),
        cwd=cwd,
        env=environment(PYTHONPATH="", PIP_DISABLE_PIP_VERSION_CHECK="1"),
        capture_output=True,
        text=True,
        timeout=2 * PATIENCE,
    )
    assert 0 == done.returncode, f"{words}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def test_the_wheel_plays_outside_the_checkout(tmp_path, shared_folder):
    """All four packages, the maps, the entry points and the command are in it."""
    source, dist, place = tmp_path / "source", tmp_path / "dist", tmp_path / "venv"
    source.mkdir()
    for name in SOURCES:  # a copy: building may write beside the sources
        original = CHECKOUT / name
        if original.is_dir():
            shutil.copytree(
                original,
                source / name,
                ignore=shutil.ignore_patterns("__pycache__", "*.egg-info", "node_modules"),
            )
        else:
            shutil.copy(original, source / name)
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", dist, source, cwd=tmp_path)
    (wheel,) = dist.iterdir()
    # Without pip in it, and nothing compiled: some seconds less.
    venv.create(place, with_pip=False, symlinks=True)
    python, lanista = place / "bin" / "python", place / "bin" / "lanista"
    pip = (sys.executable, "-m", "pip", "--python", python)
    run(*pip, "install", "-q", "--no-compile", wheel, cwd=tmp_path)

    packages = ("lanista", "lanista_protocol", "lanista_client", "lanista_maps")
    where = "import sys; print(*(__import__(name).__file__ for name in sys.argv[1:]))"
    files = run(python, "-c", where, *packages, cwd=tmp_path).split()
    assert 4 == len(files)
    assert all(os.path.commonpath([place, file]) == str(place) for file in files)

    bots = run(lanista, "bots", "angrymob", cwd=tmp_path)
    assert "angrymob  CamperJoe  " in bots
    assert "pit" in run(lanista, "map", "list", "angrymob", cwd=tmp_path).split()
    out = run(
        *(lanista, "play", "angrymob", "CamperJoe", "GravityGoers", "-i", "pit"),
        *("--no-clock", "--console", "-o", "match.jsonl.gz"),
        cwd=tmp_path,
    )
    assert out.startswith("GravityGoers wins (finished: capture, ")
    run(lanista, "replay", "html", "match.jsonl.gz", "-o", "match.html", cwd=tmp_path)
    page = (tmp_path / "match.html").read_text()
    assert all(part in page for part in ("lanista/main.js", "lanista/vendor/uPlot.esm.js"))
    assert "verified" in run(lanista, "replay", "verify", "match.jsonl.gz", cwd=tmp_path)
    if shutil.which("g++") is None:
        pytest.skip("no g++ on the PATH (Debian: apt-get install g++)")
    (tmp_path / "AIsleepy.cc").write_text(PLAYER)
    cache = f"XDG_CACHE_HOME={shared_folder / 'cache'}"
    run("env", cache, lanista, "build", "AIsleepy.cc", cwd=tmp_path)
    out = run(
        *(lanista, "play", "crematoria", "./AIsleepy", "Null", "Null", "Null"),
        *("--set", "nb_rounds=5", "--no-clock", "--console", "-o", "match.jsonl.gz"),
        cwd=tmp_path,
    )
    assert "(finished: rounds, 5 turns)" in out
