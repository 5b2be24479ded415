"""Disks that are full or can't be written, files that are damaged, locked, away, or not ours."""

import contextlib
import json
import os
import resource
import shlex
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa

from lanista.errors import StoreError
from lanista.results import base, engines
from lanista.results.base import Database
from lanista.results.data_folder import DataFolder
from lanista.results.database import Store
from lanista.results.engines import log_of, sqlite_engine, where_of, why_closed
from lanista.results.rebuild import rebuilding
from lanista.results.submissions import write_file
from results.postgres import cut
from results.samples import asking, block, drawn, stored
from results.waiting import HERE, PATIENCE, output_of

ORDINARY = 54321


def refused(act):
    """The one line that an act is refused with."""
    with pytest.raises(StoreError) as error:
        act()
    assert error.value.__cause__ is None
    words = str(error.value)
    assert 1 == len(words.splitlines())
    return words


def said_where_nothing_can_be_written(folder):
    """Return what `closed.py` says of cup.db in a folder that is mounted to be read only."""
    unshare = (
        ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--user", "-r", "--mount"]
    )
    if shutil.which("unshare") is None:
        pytest.skip("unshare (util-linux) is not installed")
    if subprocess.run([*unshare, "true"], capture_output=True).returncode:
        pytest.skip("this machine allows no mounts of one's own")
    place = shlex.quote(str(folder))
    mounted = f"mount --bind {place} {place}; mount -o remount,ro,bind {place}"
    looks = shlex.join([sys.executable, "-W", "error", f"{HERE}/closed.py", f"{folder}/cup.db"])
    ended = subprocess.run(
        [*unshare, "sh", "-ec", f"{mounted}; {looks}"],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert (0, "") == (ended.returncode, ended.stderr)
    return json.loads(ended.stdout)


def test_links_in_a_circle_are_no_database(tmp_path):
    circle = tmp_path / "cup.db"
    circle.symlink_to(circle)
    assert str(circle) in refused(lambda: Store.open(circle))


def test_a_full_database_leaves_nothing_half_there(tmp_path):
    """SQLite's own bound has the same code as a full disk, and comes in mid-transaction."""
    with Store.open(tmp_path / "cup.db") as store:
        store.add([drawn(0)])
        with store.database._engine.connect() as connection:
            raw = connection.connection.driver_connection
            [pages] = raw.execute("PRAGMA page_count").fetchone()
            raw.execute(f"PRAGMA max_page_count = {pages + 2}")
        words = refused(lambda: store.add([drawn(number) for number in range(1, 200)]))
        assert f"{tmp_path}/cup.db: can't be read or written: database or disk is full" in words
        assert [drawn(0)] == stored(store)
        with store.database._engine.connect() as connection:
            connection.connection.driver_connection.execute("PRAGMA max_page_count = 100000")
        assert 199 == len(store.add([drawn(number) for number in range(200)]))


def test_a_rebuilt_database_whose_end_stays_in_its_log_takes_no_place(tmp_path):
    """A full disk keeps SQLite from writing the log to the file; so does another who reads it."""
    path = tmp_path / "lanista.db"
    with Store.open(path) as store:
        store.add([drawn(0)])

    def rebuild():
        with contextlib.ExitStack() as stack, rebuilding(path):
            reader = sqlite3.connect(tmp_path / "lanista.db.new")
            stack.callback(reader.close)
            reader.execute("SELECT 1 FROM matches").fetchone()

    assert f"{path}: can't be rebuilt: {path}.new isn't complete" in refused(rebuild)
    assert {"lanista.db", "lanista.db.lock"} == {one.name for one in tmp_path.iterdir()}
    with Store.open(path) as store:
        assert [drawn(0)] == stored(store)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes files for others")
def test_what_root_makes_in_a_folder_is_its_owner_s(tmp_path):
    """Root's commands keep no arena from starting that runs as a user of its own.

    Not even one that has never run: the folders are made for it, too.
    """
    os.chown(tmp_path, ORDINARY, ORDINARY)
    data = DataFolder(tmp_path / "arenas" / "data")
    with Database.of_arena(data):
        pass
    with rebuilding(data.database):
        pass
    write_file(data.path / "versions.json", b"{}")
    made = {path.name: path.stat() for path in tmp_path.rglob("*")}
    files = {"lanista.db", "lanista.db.1", "lanista.db.lock", "versions.json"}
    assert {"arenas", "data", *files} == set(made)
    assert {(ORDINARY, ORDINARY)} == {(status.st_uid, status.st_gid) for status in made.values()}


def test_a_data_folder_that_cant_be_read_is_named(tmp_path):
    """It may be another user's, or, as here, have a name that none can have."""
    data = DataFolder(tmp_path / ("x" * 300))
    with pytest.raises(StoreError, match=r"/x{300}: can't be read: File name too long"):
        Database.of_arena(data)


def test_a_file_of_another_user_is_told(tmp_path, monkeypatch):
    """It is told before a match is played, as a restored copy may still be root's."""
    path = tmp_path / "cup.db"
    Database.open(path).close()
    monkeypatch.setattr(os, "access", lambda asked, how: Path(asked) != path or not how & os.W_OK)
    with pytest.raises(StoreError, match="db: this user may not write it"):
        Database.open(path)


def test_whoever_may_not_read_a_file_is_not_told_to_write_its_folder(tmp_path, monkeypatch):
    path = tmp_path / "cup.db"
    Database.open(path).close()
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(StoreError, match="db: this user may not read it"):
        Database.open(path, create=False)


def test_a_log_of_another_user_is_told(tmp_path, monkeypatch):
    """It is left by one who read the standings, in a folder that both may write."""
    path = tmp_path / "cup.db"
    Database.open(path).close()
    log = tmp_path / "cup.db-wal"
    log.touch()
    monkeypatch.setattr(os, "access", lambda asked, _: Path(asked) != log)
    assert f"this user may not write {log}, which another user's program" in why_closed(path)


def test_a_file_that_may_not_grow(tmp_path):
    """As a quota does it: writing fails, though not for a full disk."""
    path, added = tmp_path / "cup.db", []
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)

    def add_without_end():
        while True:
            more = [drawn(len(added) + number) for number in range(20)]
            store.add(more)
            added.extend(more)

    with Store.open(path) as store:
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, hard))
        try:
            words = refused(add_without_end)
            assert added == stored(store) != []
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert f"{path}: can't be read or written: disk I/O error" in words
    with Store.open(path, create=False) as store:
        assert len(added) == len(asking(store).played())


def test_a_place_that_cannot_be_written_can_be_read(tmp_path):
    """Its folder, and all in it: as on a medium, after the last program closed it."""
    with Store.open(tmp_path / "cup.db") as store:
        store.add([block(1)])
    cup, new = (
        f"{tmp_path}/{name}.db: its folder {tmp_path} can't be written" for name in ("cup", "new")
    )
    assert {
        "read": ["id1"],
        "write": cup,
        "run": cup,
        "make": new,
    } == said_where_nothing_can_be_written(tmp_path)


@pytest.mark.parametrize("index", ["with", pytest.param("without", marks=pytest.mark.long)])
def test_what_a_kill_left_in_the_log_is_not_overlooked(tmp_path, index):
    """With its index the log can be read in place; without it, it is not left out silently."""
    live, place = tmp_path / "live", tmp_path / "place"
    live.mkdir()
    place.mkdir()
    with Store.open(live / "cup.db") as store:
        store.add([block(1)])
        for ending in ("", "-wal", "-shm") if index == "with" else ("", "-wal"):
            shutil.copyfile(live / f"cup.db{ending}", place / f"cup.db{ending}")
    said = said_where_nothing_can_be_written(place)
    if index == "with":
        assert ["id1"] == said["read"]
    else:
        assert f"its folder {place} can't be written" in said["read"]
    assert "Read-only file system" in said["run"] or "can't be written" in said["run"]


def test_the_log_of_a_linked_database_is_not_overlooked(tmp_path):
    """A database's log is beside its file, not beside a link to it."""
    (tmp_path / "live").mkdir()
    (tmp_path / "cup.db").symlink_to("live/cup.db")
    with Store.open(tmp_path / "live/cup.db") as store:
        store.add([block(1)])
        assert ["id1"] == said_where_nothing_can_be_written(tmp_path)["read"]


def test_a_database_that_is_closed_while_it_is_opened_can_be_read(tmp_path, monkeypatch):
    """The last program that closes it removes the index and then the log, which holds no more."""
    path = tmp_path / "cup.db"
    with Store.open(path) as store:
        store.add([block(1)])
    log_of(path).touch()

    def engine(database, mode):
        if mode == "mode=ro":  # it fails, as the index is gone and can't be made
            log_of(path).unlink()
            return sqlite_engine(tmp_path / "away", mode)
        return sqlite_engine(database, mode)

    monkeypatch.setattr("lanista.results.base.sqlite_engine", engine)
    monkeypatch.setattr(os, "access", lambda _, mode: not mode & os.W_OK)
    with Store.open(path, create=False) as store:
        assert ["id1"] == [played.id for played in asking(store).played()]


def test_a_file_that_is_not_there(tmp_path):
    path = tmp_path / "cup.db"
    words = "there is no such file; `lanista tournament run` or `lanista arena run` creates it"
    assert f"{path}: {words}" == refused(lambda: Store.open(path, create=False))
    assert [] == list(tmp_path.iterdir())
    away = tmp_path / "away" / "cup.db"
    assert f"{away}: there is no folder {away.parent}" == refused(lambda: Store.open(away))
    words = f"{tmp_path}: is a folder; a database is a file"
    assert words == refused(lambda: Store.open(tmp_path))


def test_a_file_that_is_no_database(tmp_path):
    path = tmp_path / "cup.db"
    path.write_text("name = 'cup'\n" * 100)
    words = refused(lambda: Store.open(path))
    assert f"{path}: damaged (file is not a database); `" in words
    assert path.read_text().startswith("name")


def test_a_database_that_others_lock_too_long(target, monkeypatch):
    monkeypatch.setattr(engines, "PATIENCE", 0.05)
    with Store.open(target) as store, Store.open(target) as other:
        with other.database.writing() as connection:
            connection.execute(sa.text("SELECT 1"))
            words = refused(lambda: store.add([block(1)]))
            assert f"{store.database.where}: locked by another program for too long" == words
            # Reading goes on.
            assert [] == asking(store).played()
        assert ["id1"] == store.add([block(1)])


def test_a_writer_that_has_frozen_is_given_up(new_schema, monkeypatch):
    """Else the other arenas of its store could write nothing until its machine thaws."""
    url = new_schema()
    with Store.open(url) as frozen, Store.open(url) as other:
        ended = pytest.raises(StoreError, match="idle-in-transaction timeout")
        with ended, contextlib.ExitStack() as held:
            with monkeypatch.context() as impatient:
                impatient.setattr(engines, "LONGEST_SILENCE", 0.05)
                connection = held.enter_context(frozen.database.writing())
            assert ["id1"] == other.add([block(1)])
            connection.execute(sa.text("SELECT 1"))
        assert ["id2"] == frozen.add([block(2)])


def test_a_reader_may_compute_longer_than_the_server_lets_sessions_be_idle(new_schema):
    """Else a ladder whose table takes longer than that has none, as it is one snapshot."""
    url = f"{new_schema()}%20-cidle_in_transaction_session_timeout%3D9999"
    with Store.open(url) as store, store.database.reading() as connection:
        limit = connection.scalar(sa.text("SHOW idle_in_transaction_session_timeout"))
    assert "0" == limit


def test_a_query_that_the_server_cuts_short_is_not_taken_for_a_lock(new_schema):
    with Store.open(new_schema()) as store:

        def sleep_too_long():
            with store.database.reading() as connection:
                connection.execute(sa.text("SET statement_timeout = 1"))
                connection.execute(sa.text("SELECT pg_sleep(60)"))

        words = refused(sleep_too_long)
    assert f"{store.database.where}: canceling statement due to statement timeout" == words


def test_connections_that_all_wait_for_a_silent_server(target, monkeypatch):
    """A result would be taken for one that can't be stored if this were another error."""
    with Store.open(target) as store, contextlib.ExitStack() as silent:
        pool = store.database._engine.pool
        monkeypatch.setattr(pool, "_timeout", 0.01)
        for _ in range(pool.size() + pool._max_overflow):
            silent.enter_context(store.database.reading())
        assert store.database.where in refused(lambda: asking(store).played())


def test_names_that_mean_something_in_a_url(tmp_path):
    path = tmp_path / "100% sure? #1 ü&mode=ro.db"
    with Store.open(path) as store:
        store.add([block(1)])
    with Store.open(f"sqlite:///{path}", create=False) as store:
        assert 1 == len(asking(store).played())
    assert path.exists()


def test_a_database_in_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for target in ("cup.db", Path("cup.db"), "sqlite:///cup.db"):
        with Store.open(target) as store, store.lock():
            assert "cup.db" == store.database.where
    assert {"cup.db", "cup.db.lock"} == {path.name for path in tmp_path.iterdir()}


def test_the_log_is_written_ahead_and_to_the_disk(tmp_path):
    """WAL, and synchronous FULL, which is 2; foreign keys hold: https://sqlite.org/pragma.html"""
    with Store.open(tmp_path / "cup.db") as store, store.database.reading() as connection:
        values = [
            connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        ]
    assert ["wal", 2, 1, 30_000] == values


def test_a_program_that_is_making_the_same_database_is_waited_for(tmp_path, monkeypatch):
    """SQLite itself doesn't wait for another writer when it begins to write ahead."""
    path = tmp_path / "cup.db"
    Database.open(path).close()
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = DELETE")
        other.execute("BEGIN IMMEDIATE")
        monkeypatch.setattr(base.time, "sleep", lambda _pause: other.commit())
        # Not checked, as that would wait for the other, and nobody would end its transaction.
        with Database.open(path, check=False) as ours, ours.reading() as connection:
            assert "wal" == connection.exec_driver_sql("PRAGMA journal_mode").scalar()


@pytest.mark.parametrize("bad", ["mysql://ant:secret@host/cup", "oracle+x://ant:secret@h/c"])
def test_other_kinds_of_databases(bad):
    words = refused(lambda: Store.open(bad))
    assert "unknown kind of database; give a path, sqlite:///PATH" in words
    assert "secret" not in words


@pytest.mark.parametrize(
    "bad",
    [
        "postgresql://ant:sec:ret@host:sec/ret",
        "postgresql://ant:secret@host:secret/cup",
        # Taken for a host by SQLAlchemy, and then by the message of a look-up that fails.
        "postgresql://ant:p@secret@host.invalid/cup",
        "postgresql://ant:p?@secret@host.invalid/cup",
        "postgresql://ant:p@127.0.0.1/secret@host:1/cup",
    ],
)
def test_a_url_that_cannot_be_read(bad):
    words = refused(lambda: Store.open(bad))
    assert "write it as postgresql://USER:PASSWORD@HOST:PORT/NAME" in words
    assert "sec" not in words


@pytest.mark.parametrize("bad", ["sqlite://", "sqlite:///", "sqlite://cup.db"])
def test_a_sqlite_url_without_a_file(bad):
    assert "write it as sqlite:///PATH" in refused(lambda: Store.open(bad))


def test_a_postgresql_database_that_is_not_there(server):
    words = refused(lambda: Store.open(f"postgresql://lanista:geheim@/away?host={server}"))
    assert "no connection to the server: " in words  # which was reached, and said why
    assert 'database "away" does not exist' in words
    assert "geheim" not in words


def test_a_postgresql_connection_that_is_cut_is_made_anew(new_schema):
    url = new_schema()
    with Store.open(url) as store:
        store.add([block(1)])
        cut(url)
        assert ["id2"] == store.add([block(2)])


def test_the_libraries_say_nothing_themselves():
    """Their words on broken connections would stand amid the lines of the arena's log."""
    code = (
        "import logging, lanista.results.engines\n"
        "logging.getLogger('psycopg').warning('error ignored terminating a pipeline')\n"
        "logging.getLogger('sqlalchemy.pool').error('Exception terminating connection')"
    )
    assert "" == output_of("-c", code)


def test_without_psycopg_what_to_install_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    words = "PostgreSQL needs psycopg: pip install 'lanista[postgresql]'"
    assert f"postgresql://ant@host/cup: {words}" == refused(
        lambda: Store.open("postgresql://ant:geheim@host/cup")
    )


@pytest.mark.parametrize(
    ("target", "shown"),
    [
        (Path("/x/cup.db"), "/x/cup.db"),
        ("postgresql://me:secret@host:5432/cup", "postgresql://me@host:5432/cup"),
        ("postgresql+psycopg://me:secret@host/cup", "postgresql://me@host/cup"),
        ("postgresql:///cup?host=127.0.0.1&password=top@secret", "postgresql:///cup"),
        ("postgresql://me:se@cret@host/cup", "a database whose URL can't be read"),
        ("postgresql://me:se@cret/s@host/cup", "a database whose URL can't be read"),
        ("postgresql://[secret", "a database whose URL can't be read"),
    ],
    ids=str,
)
def test_a_database_is_told_without_its_password(target, shown):
    assert shown == where_of(target)
