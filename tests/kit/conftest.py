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
FIRST = {name: PLAYERS / f"{name}.cc" for name in ("crematoria/AIDemo", "hogwarts/AIDemoFix")}
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


def first_players():
    """The folder of the kit's first bots, and in it `cache`: the games' main programs, compiled."""

    def build(folder):
        def build_first(source):
            build_bot(folder, source, source.parent.name, folder / source.stem)

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(build_first, FIRST.values()))

    return built("kit", [KIT, *FIRST.values(), Path(__file__)], [[CXX, "--version"]], build)


def kit_cache():
    """A XDG_CACHE_HOME for `lanista build`, with the games' main programs compiled before."""
    return first_players() / "cache"


def player(name):
    """The bot of a player of players/: its executable, by game and name, `hogwarts/AIEveryCall`."""
    source = PLAYERS / f"{name}.cc"
    if name in FIRST:
        return str(first_players() / source.stem)
    cache = kit_cache()
    thing = f"kit-{name.replace('/', '-')}"

    def build(folder):
        build_bot(folder, source, source.parent.name, folder / source.stem, cache)

    sources = [KIT, source, Path(__file__)]
    return str(built(thing, sources, [[CXX, "--version"]], build) / source.stem)


def build_bot(folder, source, game, bot, cache=None):
    """Build one, without a word from the compiler."""
    env = {} if cache is None else {"XDG_CACHE_HOME": str(cache)}
    done = lanista_build(folder, source, "--game", game, "-o", bot, **env)
    assert (0, "") == (done.returncode, done.stderr)


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
