"""`lanista tournament verify` and `lanista arena verify`: results against records."""

import gzip
import os
import shutil
from datetime import UTC, datetime

import pytest

from arena.test_ladder_results import INFO, played
from e2e.cup import outcome, write_cup
from e2e.running import run_here
from lanista.arena.ladder_room import LadderRoom
from lanista.arena.spec import LadderSpec
from lanista.results import recorded
from lanista.results.base import Database
from lanista.results.data_folder import DataFolder
from lanista.results.database import Store
from results.test_store_schema import execute

ARENA = """\
port = 0
data = "data"
[page]
listen = "none"
[[ladders]]
name = "pit"
game = "angrymob"
"""
DAY = datetime.now(UTC).date().isoformat()


@pytest.fixture(autouse=True)
def settled(monkeypatch):
    """Records that were written a moment ago must be stored, too."""
    monkeypatch.setattr(recorded, "SETTLED", -60)


def verified(words, folder, code=1):
    """The lines that are printed."""
    done = run_here([*words.split()], folder)
    assert (code, "") == (done.code, done.err), done.out
    return done.out.splitlines()


@pytest.fixture(scope="module")
def cup(tmp_path_factory):
    """The folder of a tournament that was played to its end."""
    folder = tmp_path_factory.mktemp("cup")
    write_cup(folder, seeds=1)
    done = run_here(["tournament", "run", "cup.toml"], folder)
    assert 0 == done.code, done.err
    return folder


def test_a_tournament_s_results_are_compared_with_its_records(cup, tmp_path):
    """All that a record says; with a line for each match, and the totals."""
    folder = tmp_path / "cup"
    shutil.copytree(cup, folder)
    verify = "tournament verify cup.toml"
    assert ["cup: 6 matches stored; all is right"] == verified(verify, folder, code=0)
    database = folder / "cup.db"
    execute(
        database,
        "UPDATE matches SET turns = 99, digest = 'd' WHERE number = 1",
        "UPDATE seats SET bot = 'Rando', late = 7 WHERE match = 2 AND seat = 0",
        "UPDATE matches SET ranks = '[2, 2]' WHERE number = 3",
        "UPDATE matches SET seed = '8' WHERE block = 3",
    )
    lines = verified(verify, folder)
    assert "cup: 6 matches stored; different from the record: 5" == lines[-1]
    by_number = {line.split("match ")[1].split(" ")[0]: line for line in lines[:-1]}
    assert "the turns is 8, stored is 99, the digest is '" in by_number["1"]
    assert "the bot of seat 0 is '" in by_number["2"]
    assert "the late of seat 0 is 0, stored is 7" in by_number["2"]
    assert "the rank of seat " in by_number["3"]
    assert ", stored is 8" in by_number["5"]
    assert ", stored is 8" in by_number["6"]


def test_a_tournament_s_records_that_are_missing_damaged_or_not_stored(cup, tmp_path):
    """A block that the database has lost is played again, and then all is right."""
    folder = tmp_path / "cup"
    shutil.copytree(cup, folder)
    with Store.open(folder / "cup.db") as store:
        paths = {one.number: folder / "cup.records" / one.match.record for one in store.matches()}
    paths[1].unlink()
    paths[2].write_bytes(paths[2].read_bytes()[:-20])
    execute(
        folder / "cup.db",
        "DELETE FROM seats WHERE match > 4",
        "DELETE FROM matches WHERE number > 4",
        "DELETE FROM blocks WHERE number = 3",
    )
    lines = verified("tournament verify cup.toml", folder)
    assert (
        "cup: 4 matches stored; record unreadable: 1; record missing: 1; not stored: 2" == lines[-1]
    )
    done = run_here(["tournament", "run", "cup.toml"], folder)
    assert (0, "") == (done.code, done.err)
    assert outcome(cup / "cup.toml") == outcome(folder / "cup.toml")


def open_room(folder):
    data = DataFolder(folder / "data")
    with Database.of_arena(data) as database:
        LadderRoom.open(LadderSpec(name="pit", game="angrymob"), folder, data, database)


async def test_a_ladder_s_results_are_made_anew_and_compared(tmp_path, autojump_clock, monkeypatch):
    """Moving its database away is enough: the next start stores what is in the records.

    More of them than one transaction takes.
    """
    monkeypatch.setattr("lanista.arena.ladder_room.AT_ONCE", 2)
    (tmp_path / "arena.toml").write_text(ARENA)
    records = tmp_path / "data" / "records" / DAY
    records.mkdir(parents=True)
    for number in range(5):
        await played(records, f"{number}.jsonl.gz", INFO)
    verify = "arena verify arena.toml"
    assert ["pit: no results are stored"] == verified(verify, tmp_path, code=0)
    open_room(tmp_path)
    assert ["pit: 5 matches stored; all is right"] == verified(verify, tmp_path, code=0)
    database = tmp_path / "data" / "lanista.db"
    execute(
        database,
        "UPDATE matches SET scores = '[9, 9]', reason = '\"luck\"' WHERE number = 2",
        "UPDATE matches SET map = 'moon' WHERE number = 3",
        "DELETE FROM seats WHERE match = 5",
        "DELETE FROM matches WHERE number = 5",
    )
    (records / "0.jsonl.gz").unlink()
    with gzip.open(records / "3.jsonl.gz", "at") as file:
        file.write("more\n")
    (records / "else.jsonl.gz").write_bytes(b"\x1f\x8bno gzip")
    *lines, total = verified(verify, tmp_path)
    shown = f"data/records/{DAY}"
    assert lines[0] == (
        f"pit: record unreadable: match 4 (3): {shown}/3.jsonl.gz: its last line isn't a result"
    )
    assert lines[1] == (
        "pit: different from the record: match 3 (2): "
        f"in {shown}/2.jsonl.gz the map is '', stored is 'moon'"
    )
    assert lines[2].startswith("pit: different from the record: match 2 (1): ")
    assert "stored is 'luck', the score of seat 0 is " in lines[2]
    assert lines[3] == (f"pit: record missing: match 1 (0): {shown}/0.jsonl.gz isn't there")
    assert lines[4] == f"pit: not stored: {shown}/4.jsonl.gz: its match isn't stored"
    assert lines[5].startswith(f"pit: record unreadable: {shown}/else.jsonl.gz: ")
    assert total == (
        "pit: 4 matches stored; record unreadable: 2; different from the record: 2; "
        "record missing: 1; not stored: 1"
    )
    database.rename(tmp_path / "away.db")
    (records / "else.jsonl.gz").unlink()
    (records / "3.jsonl.gz").unlink()
    open_room(tmp_path)
    assert ["pit: 3 matches stored; all is right"] == verified(verify, tmp_path, code=0)


def test_indexes_are_compared_with_their_tables(cup, tmp_path):
    """By SQLite's full check; the database is refused as when it is opened."""
    folder = tmp_path / "cup"
    shutil.copytree(cup, folder)
    execute(
        folder / "cup.db",
        "PRAGMA writable_schema = ON",
        "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema "
        "WHERE name = 'ix_seats_sums') WHERE name = 'ix_seats_competition_bot_match'",
    )
    done = run_here(["tournament", "verify", "cup.toml"], folder)
    assert (2, "") == (done.code, done.out)
    assert done.err.startswith(f"lanista: {os.fspath(folder)}/cup.db: damaged (")
