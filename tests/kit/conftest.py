"""Fixtures of the kit's tests: the players of players/, each built once by `lanista build`."""

import os
import shutil
import socket
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from e2e.conftest import started  # noqa: F401 - a fixture
from e2e.running import command, environment, run_here
from languages.built import CHECKOUT, built
from languages.language import PATIENCE

PLAYERS = Path(__file__).parent / "players"
FIRST = ("crematoria/AIDemo", "hogwarts/AIDemoFix")
"""The first player of each game, whose build compiles the game's main program too."""
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


KIT = CHECKOUT / "server" / "lanista" / "bots" / "kit"
CXX = os.environ.get("CXX") or "g++"


def source_of(name):
    """The file of a player of players/, by game and name: `hogwarts/AIEveryCall`."""
    return PLAYERS / f"{name}.cc"


def first_players():
    """The folder of the kit's first bots, and in it `cache`: the games' main programs, compiled."""

    def build(folder):
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda name: build_bot(folder, name, folder / "cache"), FIRST))

    return built_of("kit", FIRST, build)


def kit_cache():
    """A XDG_CACHE_HOME for `lanista build`, with the games' main programs compiled before."""
    return first_players() / "cache"


def player(name):
    """The bot of a player: its executable."""
    if name in FIRST:
        folder = first_players()
    else:
        cache, thing = kit_cache(), f"kit-{name.replace('/', '-')}"
        folder = built_of(thing, [name], lambda folder: build_bot(folder, name, cache))
    return str(folder / source_of(name).stem)


def built_of(thing, names, build):
    """The folder with what is built of some players, now or in an earlier run."""
    sources = [KIT, *map(source_of, names), Path(__file__)]
    return built(thing, sources, [[CXX, "--version"]], build)


def build_bot(folder, name, cache):
    """Build a player by `lanista build`, without a word from the compiler."""
    source = source_of(name)
    done = subprocess.run(
        command("build", source, "--game", source.parent.name, "-o", folder / source.stem),
        env={**os.environ, "XDG_CACHE_HOME": str(cache)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert (0, "") == (done.returncode, done.stderr)


def converse(bot, talk, **env):
    """Run a bot to its end, and talk with it; its exit code, and what it printed.

    Args:
        bot: The program.
        talk: Is given its connection, which is closed afterwards, what reads its lines, and its
            process id.
        env: More variables.
    """
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(PATIENCE)
        running = subprocess.Popen(
            [bot],
            env=environment(LANISTA_PORT=str(server.getsockname()[1]), **env),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        with running:
            connection, _ = server.accept()
            connection.settimeout(PATIENCE)
            with connection, connection.makefile("rb") as lines:
                talk(connection, lines, running.pid)
            out, err = running.communicate(timeout=PATIENCE)
    return running.returncode, out, err


@pytest.fixture(scope="session")
def compiler():
    """Tests with this are left out where there is none."""
    if shutil.which("g++") is None:
        pytest.skip("kit: no g++ on the PATH (Debian: apt-get install g++)")


@pytest.fixture
def build_here(compiler, tmp_path):
    """Run `lanista build` in a folder of the test's own, with the main programs compiled before."""
    (tmp_path / "cache").symlink_to(kit_cache())
    cache = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    return lambda *words, **env: run_here(["build", *words], tmp_path, environment(**cache, **env))
