"""The names of an arena in a database of a test's own, for which scrypt costs nothing."""

import functools
import shutil

import pytest
import trio

from arena.handed import leave, pair
from lanista.arena import tokens
from lanista.arena.names import Names
from lanista.results.base import Database
from lanista.results.names import NameStore


@pytest.fixture(scope="module")
def empty_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("names") / "lanista.db"
    Database.open(path).close()
    return path


@pytest.fixture
def path(empty_file, tmp_path):
    return shutil.copyfile(empty_file, tmp_path / "lanista.db")


@pytest.fixture
def store(path):
    with Database.open(path) as database:
        yield NameStore(database)


@pytest.fixture
def computed(monkeypatch):
    """The calls that need scrypt, which costs nothing here."""
    calls = []

    def counted(function):
        @functools.wraps(function)
        def call(*arguments):
            calls.append(function.__name__)
            return function(*arguments)

        return call

    monkeypatch.setattr(tokens, "LOG_N", 1)
    for name in ("hash_of", "matches"):
        monkeypatch.setattr(tokens, name, counted(getattr(tokens, name)))
    return calls


@pytest.fixture
def names(store, computed):
    return Names(store, is_open=True)


@pytest.fixture
def closed(store, computed):
    return Names(store, is_open=False)


@pytest.fixture
async def two():
    """The connections of two bots that stay, and the bots; all closed at the end."""
    connections, bots = pair()
    yield connections, bots
    leave(connections, bots)


@pytest.fixture
def inline(monkeypatch):
    """Whatever is done in threads is done at once, so the clock doesn't jump meanwhile."""

    async def call(_names, function, *arguments):
        await trio.lowlevel.checkpoint()
        return function(*arguments)

    for name in ("_compute", "_in_thread"):
        monkeypatch.setattr(Names, name, call)
