"""`lanista tournament verify` and `lanista arena verify`: results against records."""

import contextlib
import gzip
import json
import shutil
import signal
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime

import attrs
import pytest

from arena.test_ladder_results import INFO, played
from e2e.cup import outcome, write_cup
from e2e.running import run_here
from lanista.arena.ladder_room import LadderRoom
from lanista.arena.spec import LadderSpec
from lanista.match.record import read_ends
from lanista.results import recorded
from lanista.results.base import Database
from lanista.results.data_folder import DataFolder
from lanista.results.database import Store
from lanista.results.match_list import MatchList
from lanista.results.names import NameStore, Registrar
from lanista.results.recorded import result_of
from results.samples import alone, asking, seat, stored, stored_alone
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
FOUR = """\
name = "cup"
game = "hogwarts"
format = "sprt"
blocks = 1
settings = { NUM_ROUNDS = 5 }
[[bots]]
name = "Old-1"
command = "Null"
[[bots]]
name = "New"
command = "Null"
"""
KILLED = """
import os, signal, sys
from lanista.results import database, rebuild
from lanista.__main__ import main
calls = 0
def die(*_, **__):
    global calls
    calls += 1
    if "{name}" != "_remove" or calls == 2:
        os.kill(os.getpid(), signal.SIGKILL)
for module in (database, rebuild):
    if hasattr(module, "{name}"):
        setattr(module, "{name}", die)
sys.argv = ["lanista", "tournament", "verify", "cup.toml", "--rebuild"]
main()
"""
RIGHT = ["cup: 6 matches stored; nothing is wrong"]
DAY = datetime.now(UTC).date().isoformat()


@pytest.fixture(autouse=True)
def settled(monkeypatch):
    """Records that were written a moment ago must be stored, too."""
    monkeypatch.setattr(recorded, "SETTLED", -60)


VERIFY = "tournament verify cup.toml"
REBUILD = f"{VERIFY} --rebuild"


def verified(words, folder, code=1):
    """The lines that are printed."""
    done = run_here(words.split(), folder)
    assert (code, "") == (done.code, done.err), done.out
    return done.out.splitlines()


def refusal(words, folder):
    """The line that is printed by a command that isn't carried out."""
    done = run_here(words.split(), folder)
    assert (2, "", 1) == (done.code, done.out, done.err.count("\n"))
    return done.err


def check_same(folder, cup):
    """Have what is missing of a tournament played; then it is as it was."""
    assert 0 == run_here(["tournament", "run", "cup.toml"], folder).code
    assert outcome(cup / "cup.toml") == outcome(folder / "cup.toml")


@pytest.fixture(scope="module")
def cup(tmp_path_factory):
    """The folder of a tournament that was played to its end."""
    folder = tmp_path_factory.mktemp("cup")
    write_cup(folder, seeds=1)
    done = run_here(["tournament", "run", "cup.toml"], folder)
    assert 0 == done.code, done.err
    return folder


@pytest.fixture
def folder(cup, tmp_path):
    """A copy of it for one test."""
    return shutil.copytree(cup, tmp_path / "cup")


def test_a_tournament_s_results_are_compared_with_its_records(folder):
    """All that a record says; with a line for each match, and the totals.

    A match that can't be read is one of them: its record isn't taken for one that isn't stored.
    """
    assert RIGHT == verified(VERIFY, folder, code=0)
    execute(
        folder / "cup.db",
        "UPDATE matches SET turns = 99, digest = 'd' WHERE number = 1",
        "UPDATE seats SET bot = 'Rando', late = 7 WHERE match = 2 AND seat = 0",
        "UPDATE matches SET ranks = '[2, 2]' WHERE number = 3",
        "UPDATE matches SET ranks = '[2' WHERE number = 4",
        "UPDATE matches SET seed = '8' WHERE block = 3",
    )
    lines = verified(VERIFY, folder)
    totals = "6 matches stored; damaged in the database: 1; different from the record: 5"
    assert f"cup: {totals}" == lines[-1]
    by_number = {line.split("match ")[1].split(" ")[0]: line for line in lines[:-1]}
    assert "the turns is 8, stored is 99, the digest is '" in by_number["1"]
    assert "the bot of seat 0 is '" in by_number["2"]
    assert "the late of seat 0 is 0, stored is 7" in by_number["2"]
    assert "the rank of seat " in by_number["3"]
    assert "cup.db: damaged (a value isn't what was stored: JSONDecodeError: " in by_number["4:"]
    assert ", stored is 8" in by_number["5"]
    assert ", stored is 8" in by_number["6"]


def test_a_tournament_s_records_that_are_missing_damaged_or_not_stored(cup, folder):
    """A block that the database has lost is played again, and then all is right."""
    with Store.open(folder / "cup.db") as store:
        paths = {
            one.number: folder / "cup.records" / one.match.record for one in asking(store).matches()
        }
    paths[1].unlink()
    paths[2].write_bytes(paths[2].read_bytes()[:-20])
    execute(
        folder / "cup.db",
        "DELETE FROM seats WHERE match > 4",
        "DELETE FROM matches WHERE number > 4",
        "DELETE FROM blocks WHERE number = 3",
    )
    totals = "4 matches stored; record unreadable: 1; record missing: 1; not stored: 2"
    assert f"cup: {totals}" == verified(VERIFY, folder)[-1]
    check_same(folder, cup)


def test_files_of_others_among_a_tournament_s_records_are_passed_over(folder):
    """It is the same while a lost database is rebuilt."""
    record = next((folder / "cup.records").glob("*/*.jsonl.gz"))
    for name in ("notes", "a-b", "0-0", "copy of " + record.name):
        record.with_name(f"{name}.jsonl.gz").write_bytes(record.read_bytes())
    assert RIGHT == verified(VERIFY, folder, code=0)
    (folder / "cup.db").unlink()
    why = refusal(VERIFY, folder)
    assert "cup.db, but there are records in" in why
    assert f"`lanista {REBUILD}`" in why
    assert ["cup: 6 matches stored again"] == verified(REBUILD, folder, code=0)
    assert RIGHT == verified(VERIFY, folder, code=0)


@pytest.mark.parametrize(
    "lost", ["DELETE FROM {} WHERE number = 6", "UPDATE {} SET ranks = '[1]' WHERE number = 6"]
)
def test_a_block_that_is_not_whole_is_damage(cup, folder, lost):
    """It is neither counted nor played on, but can be rebuilt."""
    execute(folder / "cup.db", "DELETE FROM seats WHERE match = 6", lost.format("matches"))
    for command in ("standings", "run"):
        why = refusal(f"tournament {command} cup.toml", folder)
        assert "cup.db: damaged (" in why
        assert "not all matches of block " in why
        assert "`lanista tournament verify --rebuild` rebuilds it" in why
    run_here(REBUILD.split(), folder)
    assert 0 == run_here(["tournament", "standings", "cup.toml"], folder).code
    assert outcome(cup / "cup.toml") == outcome(folder / "cup.toml")


def test_a_database_of_a_newer_version_is_not_rebuilt(folder):
    """Nothing is wrong with it, and this version can't read what only it has."""
    execute(folder / "cup.db", "UPDATE lanista_version SET version_num = 'v999'")
    assert "cup.db: written by a newer version of Lanista" in refusal(REBUILD, folder)
    assert {"cup.db", "cup.db.lock"} == names_like("cup.db", folder)


def test_an_arena_s_database_is_not_rebuilt_as_a_tournament_s(folder):
    """The key `database` may name it by mistake."""
    data = DataFolder(folder / "data")
    with Database.of_arena(data) as database:
        Store.of_ladder(database, "pit", "angrymob")
    (folder / "cup.db").unlink()
    (folder / "cup.db").symlink_to(data.database)
    assert "the database of an arena, not of a tournament" in refusal(REBUILD, folder)
    assert not (data.path / "lanista.db.1").exists()


async def test_a_competition_of_no_kind_keeps_no_database_from_being_rebuilt(
    tmp_path, autojump_clock
):
    records = arena_in(tmp_path)
    await played(records, "M0.jsonl.gz", INFO)
    open_room(tmp_path)
    execute(tmp_path / "data" / "lanista.db", "UPDATE competitions SET kind = 'x'")
    trouble, total = verified("arena verify arena.toml --rebuild", tmp_path)
    assert "arena: competition 1 of the former one: no kind 'x'" == trouble
    assert total.startswith("arena: 1 match stored again; ")


def test_half_a_character_in_a_record_is_damage(folder):
    """No database can hold it, so it keeps no rebuild from the other matches."""
    record = next((folder / "cup.records").glob("*/*-0.jsonl.gz"))
    *lines, result = gzip.decompress(record.read_bytes()).splitlines(keepends=True)
    result = json.loads(result)
    result["result"]["digest"] = "\ud800"
    record.write_bytes(gzip.compress(b"".join([*lines, json.dumps(result).encode() + b"\n"])))
    assert "cup: 6 matches stored; record unreadable: 1" == verified(VERIFY, folder)[-1]
    (folder / "cup.db").unlink()
    trouble, played_again, total = verified(REBUILD, folder)
    assert "half a character (a lone surrogate) in its text" in trouble
    assert "so it is played again" in played_again
    assert "cup: 4 matches stored again" == total


def names_like(start, folder):
    return {path.name for path in folder.glob(f"{start}*")}


def arena_in(folder, more=""):
    """Write the file of an arena into a folder; the folder of today's records, which is made."""
    (folder / "arena.toml").write_text(ARENA + more)
    records = folder / "data" / "records" / DAY
    records.mkdir(parents=True)
    return records


def open_room(folder):
    data = DataFolder(folder / "data")
    with Database.of_arena(data) as database:
        LadderRoom.open(LadderSpec(name="pit", game="angrymob"), folder, data, database)


async def test_a_ladder_s_results_are_made_anew_and_compared(tmp_path, autojump_clock, monkeypatch):
    """By the next start, also more than one transaction takes; or by `--rebuild`."""
    monkeypatch.setattr("lanista.arena.ladder_room.AT_ONCE", 2)
    records = arena_in(tmp_path)
    for number in range(5):
        await played(records, str(number), attrs.evolve(INFO, versions=(2, None)))
    verify = "arena verify arena.toml"
    database = tmp_path / "data" / "lanista.db"
    assert "data/lanista.db: there is no such file" in refusal(verify, tmp_path)
    assert not database.exists()
    Database.of_arena(DataFolder(tmp_path / "data")).close()
    assert verified(verify, tmp_path)[-1] == "pit: 0 matches stored; not stored: 5"
    open_room(tmp_path)
    assert ["pit: 5 matches stored; nothing is wrong"] == verified(verify, tmp_path, code=0)
    shown = f"data/records/{DAY}"
    part = (records / "0.jsonl.gz").rename(records / "0.jsonl.gz.part")  # as on a full disk
    waits = "waits for room on the disk, or for the arena's next start"
    assert verified(verify, tmp_path) == [
        f"pit: record unfinished: match 1 (0): {shown}/{part.name} {waits}",
        "pit: 5 matches stored; record unfinished: 1",
    ]
    part.unlink()
    execute(
        database,
        "UPDATE matches SET scores = '[9, 9]', reason = '\"luck\"' WHERE number = 2",
        "UPDATE seats SET version = 7 - seat WHERE match = 3",
        "DELETE FROM seats WHERE match = 5",
        "DELETE FROM matches WHERE number = 5",
    )
    with gzip.open(records / "3.jsonl.gz", "at") as file:
        file.write("more\n")
    (records / "else.jsonl.gz").write_bytes(b"\x1f\x8bno gzip")
    shutil.copy(records / "1.jsonl.gz", records / "more.jsonl.gz")
    *lines, total = verified(verify, tmp_path)
    assert lines[0] == (
        f"pit: record unreadable: match 4 (3): {shown}/3.jsonl.gz: its last line isn't a result"
    )
    assert lines[1] == (
        "pit: different from the record: match 3 (2): "
        f"in {shown}/2.jsonl.gz the version of seat 0 is 2, stored is 7, "
        "the version of seat 1 is None, stored is 6"
    )
    assert lines[2].startswith("pit: different from the record: match 2 (1): ")
    assert "stored is 'luck', the score of seat 0 is " in lines[2]
    assert lines[3] == (f"pit: record missing: match 1 (0): {shown}/0.jsonl.gz isn't there")
    assert lines[4] == f"pit: not stored: {shown}/4.jsonl.gz: its match isn't stored"
    assert lines[5].startswith(f"pit: record unreadable: {shown}/else.jsonl.gz: ")
    assert lines[6] == (
        f"pit: record unreadable: {shown}/more.jsonl.gz: the record of match '1'; "
        "its name has another id"
    )
    assert total == (
        "pit: 4 matches stored; record unreadable: 3; different from the record: 2; "
        "record missing: 1; not stored: 1"
    )
    for name in ("else", "more"):
        (records / f"{name}.jsonl.gz").unlink()
    # What only the database has stays as it is there.
    assert verified(verify + " --rebuild", tmp_path)[0].startswith(f"arena: record: {shown}/3.")
    lines = verified(verify, tmp_path)
    assert "pit: 5 matches stored; record unreadable: 1; record missing: 1" == lines[-1]
    database.unlink()
    (records / "3.jsonl.gz").unlink()
    assert ["arena: 3 matches stored again"] == verified(verify + " --rebuild", tmp_path, code=0)
    assert ["pit: 3 matches stored; nothing is wrong"] == verified(verify, tmp_path, code=0)


async def test_an_arena_s_database_is_made_anew(tmp_path, autojump_clock):
    """Matches in their order; names, benched names, strikes, and the results without records.

    Even if some of the database is damaged, as an index is here. Not while an arena uses it.
    """
    records = arena_in(tmp_path, '[[ladders]]\nname = "hall"\ngame = "angrymob"\n')
    data = DataFolder(tmp_path / "data")
    hall = attrs.evolve(INFO, name="hall", versions=(None, 3))
    for number, ladder in enumerate([INFO, hall, None, INFO, INFO, hall]):
        await played(records, f"M{number}", ladder)
    with Database.of_arena(data) as database, MatchList.open(data, ["pit", "hall"]) as match_list:
        stores = {
            name: Store.of_ladder(database, name, "angrymob") for name in ("gone", "pit", "hall")
        }
        # Not in the order of their ids, and one is missing.
        for name, number in [("pit", 4), ("hall", 1), ("pit", 0), ("hall", 5)]:
            record = f"{DAY}/M{number}.jsonl.gz"
            result = result_of(*read_ends(data.records / record), record)
            stores[name].add_matches([result])
            if number == 1:
                match_list.sync()
                stores["pit"].strike("Ann")
        stores["gone"].add_matches([alone(9, seat("Ann"), seat("Bob"))])
        names = NameStore(database)
        names.register("Ann", "hash", Registrar.ITSELF)
        names.bench("Bob", "pit")
        before = {name: stored_alone(store) for name, store in stores.items()}
        with database.lock():
            assert "in use by another" in refusal("arena verify arena.toml --rebuild", tmp_path)
    (records / "M5.jsonl.gz").unlink()
    path = data.database
    execute(path, "UPDATE matches SET turns = 99 WHERE id = 'M0'")
    with contextlib.closing(sqlite3.connect(path)) as connection:
        page_of = "SELECT rootpage FROM sqlite_schema WHERE name = 'ix_matches_seed'"
        ((page,),) = connection.execute(page_of)
    former = bytearray(path.read_bytes())
    former[(page - 1) * 4096 : page * 4096] = b"\xff" * 4096
    path.write_bytes(former)
    assert 2 == run_here(["arena", "verify", "arena.toml"], tmp_path).code
    (line,) = verified("arena verify arena.toml --rebuild", tmp_path, code=0)
    assert line.startswith(
        "arena: 7 matches stored again; names with their tokens: 1; benched names: 1; strikes: 1; "
        "the old database is kept as "
    )
    kept = path.with_name(line.rpartition("/")[2])
    assert {path.name, "lanista.db.lock", kept.name} == names_like("lanista.db", data.path)
    assert former == kept.read_bytes()
    assert 0o600 == path.stat().st_mode & 0o777
    with Database.of_arena(data) as database, MatchList.open(data, ["pit", "hall"]) as match_list:
        for name, expected in before.items():
            store = Store.of_ladder(database, name, "angrymob")
            found = stored_alone(store)
            assert expected == [one for one in found if one.id != "M3"]
        with Store.of_ladder(database, "pit", "angrymob").ladder_reading() as now:
            # M3 comes after M2, which began before it, and M0 after both, as it was stored later.
            assert ["M0", "M3", "M4"] == [one.match.id for one in now.matches(bot="Ann")]
            # Those up to M2 were struck, and what comes between it and the next one.
            assert 1 == len(list(now.counted_matches()))
        names = NameStore(database)
        assert [("Ann", "hash")] == [(one.name, one.token_hash) for one in names.names()]
        assert [("Bob", "pit")] == [(one.name, one.ladder) for one in names.benched()]
        assert 0 == match_list.sync()
        assert "M2" in {one["match"] for one in match_list.matches(limit=9)[0]}


def test_a_tournament_s_database_is_made_anew(cup, folder):
    """From its records and what can be read of it, or from its records alone."""
    database = folder / "cup.db"
    with Store.open(database) as store:
        expected, identities = stored(store), asking(store).identities()
    execute(
        database,
        "UPDATE matches SET turns = 99 WHERE number = 1",
        "DELETE FROM seats WHERE match = 4",
        "DELETE FROM matches WHERE number = 4",
    )
    (line,) = verified(REBUILD, folder, code=0)
    assert line.startswith("cup: 6 matches stored again; ")
    with Store.open(database) as store:
        assert [one.block for one in expected] == [one.block for one in stored(store)]
        assert identities == asking(store).identities()
    assert RIGHT == verified(VERIFY, folder, code=0)
    database.write_bytes(b"no database")
    next((folder / "cup.records").glob("*/*-1.jsonl.gz")).unlink()
    lines = verified(REBUILD, folder)
    assert lines[0].startswith("cup: nothing could be kept: ")
    assert lines[1].endswith(": not all of its matches are known, so it is played again")
    assert lines[2].startswith("cup: 4 matches stored again; the old database is kept as ")
    check_same(folder, cup)


def test_a_record_that_cant_be_opened_for_a_new_database_is_told_without_a_number(folder):
    (folder / "cup.db").unlink()
    record = next((folder / "cup.records").glob("*/*-1.jsonl.gz"))
    record.unlink()
    record.mkdir()
    assert f"cup: record: {record}: Is a directory" == verified(REBUILD, folder)[0]


def test_bots_with_several_seats_are_known_in_records(tmp_path):
    """A version test of four gives each bot two seats, the second with a number after its name."""
    (tmp_path / "cup.toml").write_text(FOUR)
    assert 0 == run_here(["tournament", "run", "cup.toml"], tmp_path).code
    assert ["cup: 4 matches stored; nothing is wrong"] == verified(VERIFY, tmp_path, code=0)
    (tmp_path / "cup.db").unlink()
    assert ["cup: 4 matches stored again"] == verified(REBUILD, tmp_path, code=0)
    assert ["cup: 4 matches stored; nothing is wrong"] == verified(VERIFY, tmp_path, code=0)


@pytest.mark.parametrize(("block", "seating"), [(0, 1), (1, 0)])
def test_a_record_under_the_name_of_another_match_is_not_believed(cup, folder, block, seating):
    """It is of another block's same seating, or of another one; the block is played again."""
    with Store.open(folder / "cup.db") as store:
        blocks = [played.block for played in stored(store)]
    source, place = (
        folder / f"cup.records/{id_[:2]}/{id_}-{number}.jsonl.gz"
        for id_, number in ((blocks[block], seating), (blocks[1], 1))
    )
    shutil.copy(source, place)
    trouble, total = verified(REBUILD, folder)
    again = "not all of its matches are known, so it is played again"
    assert f"cup: block {blocks[1]}: {again}" == trouble
    assert total.startswith("cup: 4 matches stored again; ")
    check_same(folder, cup)


@pytest.mark.parametrize(
    "killed_in",
    [
        *(pytest.param(name, marks=pytest.mark.long) for name in ("insert", "_kept_beside")),
        "_remove",
    ],
)
def test_a_rebuild_that_is_killed_leaves_the_former_database(folder, killed_in):
    """The next one is not kept from anything."""
    with Store.open(folder / "cup.db") as store:
        before = stored(store)
    code = KILLED.format(name=killed_in)
    ended = subprocess.run([sys.executable, "-c", code], cwd=folder, check=False)
    assert -signal.SIGKILL == ended.returncode
    with Store.open(folder / "cup.db") as store:
        assert before == stored(store)
    verified(REBUILD, folder, code=0)
    assert not list(folder.glob("*.new*"))


def test_indexes_are_compared_with_their_tables(folder):
    """By SQLite's full check; the database is refused as when it is opened."""
    execute(
        folder / "cup.db",
        "PRAGMA writable_schema = ON",
        "UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema "
        "WHERE name = 'ix_seats_sums') WHERE name = 'ix_seats_competition_bot_match'",
    )
    assert refusal(VERIFY, folder).startswith(f"lanista: {folder}/cup.db: damaged (")
