"""Fixtures of the kit's tests: the players of players/, built once a run by `lanista build`."""

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from e2e.running import command
from languages.language import PATIENCE, Language, built_once

PLAYERS = Path(__file__).parent / "players"
NULL = """\
#include "Player.hh"

#define PLAYER_NAME Ningú

struct PLAYER_NAME : public Player {
  static Player* factory () { return new PLAYER_NAME; }
  virtual void play () { }
};

RegisterPlayer(PLAYER_NAME);
"""
"""A player that keeps to both games' API, under a name that needs UTF-8."""


def build(folder):
    """All players; their commands by game and name, `hogwarts/AIEveryCall`."""
    cache = str(folder.parent / "cache")

    def build_one(source):
        game, bot = source.parent.name, folder / f"{source.parent.name}-{source.stem}"
        done = lanista_build(folder, source, "--game", game, "-o", bot, XDG_CACHE_HOME=cache)
        assert (0, "") == (done.returncode, done.stderr)
        return f"{game}/{source.stem}", [bot]

    # Of different games first: each game's first player compiles what all of it share.
    sources = sorted(PLAYERS.glob("*/*.cc"), key=lambda source: (source.stem, source))
    with ThreadPoolExecutor(2) as pool:
        return dict(pool.map(build_one, sources))


def lanista_build(folder, *words, **env):
    """Run `lanista build`, to its end, in a folder; what it keeps, it keeps in `folder/cache`."""
    return subprocess.run(
        command("build", *words),
        cwd=folder,
        env={**os.environ, "XDG_CACHE_HOME": str(folder / "cache"), **env},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


KIT = Language(name="kit", programs=("g++",), package="g++", build=build, own_tests=lambda _: [])


@pytest.fixture(scope="session")
def shared(shared_folder):
    """A folder that all processes of this run share, with the players built in `built-kit`."""
    if KIT.missing:
        pytest.skip(f"kit: {KIT.missing}")
    built_once(KIT, shared_folder)
    return shared_folder


@pytest.fixture
def bots(shared):
    """The executables, by game and name."""
    return {name: words[0] for name, words in built_once(KIT, shared).items()}


@pytest.fixture
def build_here(shared, tmp_path):
    """Run `lanista build` in a folder of the test's own, with the main programs compiled before."""
    (tmp_path / "cache").symlink_to(shared / "cache")
    return lambda *words, **env: lanista_build(tmp_path, *words, **env)
