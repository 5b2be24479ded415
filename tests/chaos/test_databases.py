"""Tournaments whose database is damaged, or goes while they are played: one line says so."""

import json
import shutil

import pytest

from e2e.cup import blocks_stored, outcome, start_cup, write_cup
from e2e.running import run_here
from lanista.page import tables
from lanista.page.tournaments import NoStandingsError
from lanista.results.database import Store
from results.samples import stored

pytestmark = pytest.mark.one_user

COMMANDS = (
    ("run", "--plain"),
    ("standings",),
    ("standings", "--format", "json"),
    ("standings", "--format", "csv", "--head-to-head"),
)


@pytest.fixture(scope="module")
def cup(tmp_path_factory):
    """The folder of a tournament that was played to its end."""
    folder = tmp_path_factory.mktemp("cup")
    write_cup(folder, seeds=2, move_limit=150, keep="none")
    done = run_here(["tournament", "run", "cup.toml"], folder)
    assert 0 == done.code, done.err
    return folder


@pytest.fixture(scope="module")
def killed(cup, tmp_path_factory):
    """The same as kill -9 leaves it: nearly all is in the write-ahead log."""
    folder, copy = tmp_path_factory.mktemp("open"), tmp_path_factory.mktemp("killed")
    shutil.copyfile(cup / "cup.toml", copy / "cup.toml")
    with Store.open(cup / "cup.db") as played, Store.open(folder / "cup.db") as store:
        for name, identity in played.identities().items():
            store.set_identity(name, identity)
        for result in stored(played):
            store.add([result])
        for name in ("cup.db", "cup.db-wal"):
            shutil.copyfile(folder / name, copy / name)
    return copy


def put(source, folder):
    """Copy a tournament's files, without what lay there before; the spec's path."""
    for old in folder.glob("cup.db*"):
        old.unlink()
    for path in source.glob("cup.*"):
        if path.is_file():
            shutil.copyfile(path, folder / path.name)
    return folder / "cup.toml"


def is_refused(words, folder, where):
    """Whether a command refused the database; else it printed what it does for a whole one."""
    done = run_here(["tournament", words[0], "cup.toml", *words[1:]], folder)
    if done.code == 0:
        assert "" == done.err, where
        return done.out
    assert (2, "") == (done.code, done.out), where
    assert done.err.startswith(f"lanista: {folder}/cup.db: "), where
    assert 1 == done.err.count("\n"), where
    return None


def page(spec, where):
    """What the page is told; None where the database is refused."""
    try:
        _, table = tables._called(tables.table_of, (spec,))
    except NoStandingsError as error:
        refused = error
    else:
        return json.loads(table.whole)
    assert "the results can't be read; the arena's log says why" == str(refused), where
    assert refused.why.startswith(f"{spec.with_suffix('.db')}: "), where
    assert refused.why.isprintable(), where
    return None


@pytest.mark.parametrize(
    "way", [0, *(pytest.param(way, marks=pytest.mark.long) for way in (1, 2, 3)), len(COMMANDS)]
)
def test_a_damaged_page_is_refused(cup, tmp_path, way):
    """By every command, and on the page: one line says what is damaged."""
    spec = put(cup, tmp_path)
    ways = [
        *((lambda where, words=words: is_refused(words, tmp_path, where)) for words in COMMANDS),
        lambda where: page(spec, where),
    ]
    assert ways[way]("") is not None
    put(cup, tmp_path)
    with (tmp_path / "cup.db").open("r+b") as file:
        file.seek(5 * 4096)
        file.write(b"\xff" * 4096)
    assert ways[way]("page 6") is None


@pytest.mark.parametrize("place", ["middle", "end"])
def test_what_is_damaged_in_the_log_is_played_again(cup, killed, tmp_path, place):
    """SQLite reads the log up to there, as after a power cut."""
    spec = put(killed, tmp_path)
    log = tmp_path / "cup.db-wal"
    with log.open("r+b") as file:
        file.seek(log.stat().st_size // 2 if place == "middle" else log.stat().st_size - 100)
        file.write(b"\xff" * 100)
    done = run_here(["tournament", "run", "cup.toml"], tmp_path)
    assert (0, "") == (done.code, done.err)
    assert ("5 of 6 blocks, 10 matches played before" in done.out) == (place == "end")
    assert outcome(cup / "cup.toml") == outcome(spec)


@pytest.mark.parametrize("how", ["removed", pytest.param("replaced", marks=pytest.mark.long)])
def test_a_run_whose_database_goes_ends_and_says_so(cup, tmp_path, started, how):
    """It isn't played on for nothing, and no empty database is left in its place."""
    folder = tmp_path / "run"
    write_cup(folder, seeds=100, keep="none")
    run = start_cup(folder, "--plain")
    started(run)
    run.until(
        lambda: (folder / "cup.db-wal").exists() and blocks_stored(folder), "a block is stored"
    )
    database = folder / "cup.db"
    if how == "replaced":
        shutil.copyfile(cup / "cup.db", folder / "other.db")
        (folder / "other.db").replace(database)
    else:
        for path in folder.glob("cup.db*"):
            path.unlink()
    assert 3 == run.wait(), run.out
    assert "" == run.err
    words = f"{database}: removed, moved or replaced while it was in use, and nothing more is"
    assert f"halted: {words}" in run.out
    assert (how == "replaced") == database.exists()
