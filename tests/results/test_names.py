"""An arena's database of names, alone and used by several processes."""

import contextlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from hypothesis import given
from hypothesis import strategies as st

from lanista.results.database import Store
from lanista.results.errors import StoreError
from lanista.results.names import (
    METADATA,
    REVISION,
    VERSION_TABLE,
    NameStore,
    Registrar,
    key_of,
)
from results import postgres

HERE = Path(__file__).parent
PATIENCE = 100


@pytest.fixture(scope="session")
def file_of_names(tmp_path_factory):
    path = tmp_path_factory.mktemp("names") / "arena.db"
    NameStore.open(path).close()
    return path


@pytest.fixture(scope="session")
def schema_of_names(new_schema):
    url = new_schema()
    NameStore.open(url, schema=None).close()
    return url


@pytest.fixture
def target(request, kind, tmp_path):
    """A path, or URL, of a database in which no name is."""
    if kind == "sqlite":
        return shutil.copyfile(request.getfixturevalue("file_of_names"), tmp_path / "arena.db")
    import psycopg

    url = request.getfixturevalue("schema_of_names")
    with psycopg.connect(url) as connection:
        connection.execute("TRUNCATE names, benched")
    return url


@pytest.fixture
def store(target):
    with NameStore.open(target, schema=None) as opened:
        yield opened


def test_a_name_belongs_to_whoever_is_first(store):
    before = datetime.now(UTC) - timedelta(seconds=1)
    first = store.register("Camper Joe", "one", Registrar.ITSELF)
    assert ("Camper Joe", "one", Registrar.ITSELF) == (
        first.name,
        first.token_hash,
        first.registrar,
    )
    assert before <= first.registered <= datetime.now(UTC)
    assert first.seen is None
    # Capitals and spaces make no other name.
    assert first == store.register("camper  JOE", "two", Registrar.OPERATOR)
    assert first == store.find("CAMPER JOE")
    assert store.find("CamperJoe") is None
    assert "'one'" not in repr(first)


def test_a_token_is_replaced_and_a_name_removed(store):
    store.register("Ann", "one", Registrar.OPERATOR)
    store.register("bob", "two", Registrar.ITSELF)
    assert store.set_token("ANN", "three")
    assert not store.set_token("nobody", "three")
    assert [("Ann", "three"), ("bob", "two")] == [
        (name.name, name.token_hash) for name in store.names()
    ]
    assert store.remove("ann")
    assert not store.remove("ann")
    assert store.find("Ann") is None
    assert "four" == store.register("ann", "four", Registrar.ITSELF).token_hash


def test_what_the_operator_changes_is_counted(store):
    """Also by another process, as the count is in the database."""
    count = store.changes()
    store.register("Ann", "one", Registrar.ITSELF)
    store.remove("nobody")
    store.set_token("nobody", "two")
    store.unbench("nobody")
    assert count == store.changes()
    store.set_token("Ann", "two")
    assert count + 1 == store.changes()
    store.remove("Ann")
    assert count + 2 == store.changes()
    store.bench("Ann")
    store.unbench("ann")
    store.note_change()
    assert count + 5 == store.changes()


def test_when_names_were_seen(store):
    store.register("Ann", "one", Registrar.ITSELF)
    store.register("bob", "two", Registrar.ITSELF)
    moment = datetime(2026, 5, 4, 3, 2, 1, tzinfo=UTC)
    store.set_seen({"ANN": moment, "nobody": moment})
    store.set_seen({})
    assert [moment, None] == [name.seen for name in store.names()]


def test_a_name_is_benched_whether_or_not_it_is_registered(store):
    store.register("Ann", "one", Registrar.ITSELF)
    store.bench("Ann", "pit")
    store.bench("ANN", "pit")
    store.bench("Ann", "hall")
    store.bench("nobody")
    store.remove("Ann")
    assert [("Ann", "hall"), ("ANN", "pit"), ("nobody", None)] == [
        (benched.name, benched.ladder) for benched in store.benched()
    ]
    assert store.unbench("ann", "pit")
    assert not store.unbench("ann", "pit")
    assert not store.unbench("nobody", "pit")
    store.bench("ann")  # on all, so the single ones mean nothing any more
    assert [("ann", None), ("nobody", None)] == [
        (benched.name, benched.ladder) for benched in store.benched()
    ]
    assert store.unbench("Ann")
    assert ["nobody"] == [benched.name for benched in store.benched()]


@given(st.text("aA -", min_size=1), st.text("aA -", min_size=1))
def test_names_are_one_if_only_capitals_and_spaces_differ(one, other):
    same = one.lower().split() == other.lower().split()
    assert same == (key_of(one) == key_of(other))
    assert key_of(one) == key_of(key_of(one))


def test_migrations_make_the_tables(empty):
    with NameStore.open(empty, schema=None) as store, store._engine.connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"compare_server_default": True, "version_table": VERSION_TABLE}
        )
        assert [] == compare_metadata(context, METADATA)
    config = Config()
    config.set_main_option("script_location", "lanista.results:migrations")
    config.set_main_option("version_locations", "lanista.results:migrations/arena/versions")
    config.set_main_option("path_separator", "newline")
    assert REVISION == ScriptDirectory.from_config(config).get_current_head()


def test_a_tournaments_database_is_another_one(empty):
    """Neither is taken for the other."""
    Store.open(empty).close()
    with pytest.raises(StoreError, match="not an arena's database: it holds other tables"):
        NameStore.open(empty, schema=None)


def test_a_database_of_names_is_no_tournaments(target):
    with pytest.raises(StoreError, match="not a tournament's database: it holds other tables"):
        Store.open(target)


def test_names_have_a_schema_of_their_own_in_postgresql(server):
    """Beside a tournament's tables, and whatever schema the URL names."""
    import psycopg

    with psycopg.connect(postgres.url(server, "postgres"), autocommit=True) as connection:
        connection.execute("CREATE DATABASE arena")
    url = postgres.url(server, "arena")
    with pytest.raises(StoreError, match="schema lanista_away: not there"):
        NameStore.open(url, create=False, schema="lanista_away")
    Store.open(url).close()
    for target in (url, f"{url}&options=-csearch_path%3Delsewhere"):
        with NameStore.open(target) as store:
            store.register("Ann", "one", Registrar.ITSELF)
            with store._reading() as connection:
                schema = connection.exec_driver_sql("SELECT current_schema()").scalar_one()
            assert ("lanista", 1) == (schema, len(store.names()))


def test_only_the_owner_of_a_file_reads_it(tmp_path):
    """Tokens that people choose may be guessed from their hashes."""
    path = tmp_path / "arena.db"
    with NameStore.open(path) as store:
        store.register("Ann", "one", Registrar.ITSELF)
        assert {0o600} == {file.stat().st_mode & 0o777 for file in tmp_path.iterdir()}


def test_a_database_that_is_not_there(tmp_path):
    path = tmp_path / "arena.db"
    with pytest.raises(StoreError) as refused:
        NameStore.open(path, create=False)
    assert f"{path}: not there; `lanista arena run` makes it" == str(refused.value)
    assert [] == list(tmp_path.iterdir())
    with pytest.raises(StoreError, match=r"its folder .* isn't there"):
        NameStore.open(tmp_path / "away" / "arena.db")


@contextlib.contextmanager
def registering(target, who, count):
    """A process that is ready to register names, and begins when its input is closed."""
    process = subprocess.Popen(
        [sys.executable, "-W", "error", HERE / "registering.py", str(target), who, str(count)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert "ready\n" == process.stdout.readline()
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()


def test_two_processes_that_register_the_same_names(empty):
    """On a new database, which both make: each name is given to exactly one of them."""
    with registering(empty, "one", 12) as one, registering(empty, "two", 12) as two:
        one.stdin.close()
        two.stdin.close()
        lines = [process.stdout.read().splitlines() for process in (one, two)]
        assert [0, 0] == [process.wait(PATIENCE) for process in (one, two)]
    got = [{line for line in each if line.endswith("True")} for each in lines]
    assert {f"{number} True" for number in range(12)} == got[0] | got[1]
    assert not got[0] & got[1]
    with NameStore.open(empty, schema=None) as store:
        owners = {name.name: name.token_hash for name in store.names()}
    for who, names in zip(("one", "two"), got, strict=True):
        for line in names:
            assert f"hash of {who}" == owners[f"Bot {line.split()[0]}"]
    assert 12 == len(owners)


@pytest.mark.parametrize("times", [2, pytest.param(20, marks=pytest.mark.long)])
@pytest.mark.timeout(600)
def test_a_kill_loses_no_name_that_was_registered(tmp_path, times):
    path = tmp_path / "arena.db"
    chance = random.Random(times)
    told = set()
    for run in range(times):
        with registering(path, f"run {run}", 10_000) as process:
            process.stdin.close()
            for _ in range(len(told) + chance.randrange(1, 12)):
                told.add(process.stdout.readline().split()[0])
            process.send_signal(signal.SIGKILL)
            told |= {line.split()[0] for line in process.stdout if line.endswith("\n")}
        connection = sqlite3.connect(path)
        assert [("ok",)] == connection.execute("PRAGMA integrity_check").fetchall()
        connection.close()
        with NameStore.open(path, create=False) as store:
            names = {name.name.removeprefix("Bot "): name for name in store.names()}
        assert told <= set(names)
        # The last one may have been stored and not told any more.
        assert len(names) <= len(told) + run + 1
