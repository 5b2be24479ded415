"""Looking at databases before an arena starts: what `Store.open` would refuse, and no change."""

import os
import shutil
import sqlite3

import pytest

from lanista.store.database import Store
from lanista.store.errors import StoreError
from lanista.store.names import NameStore, Registrar
from lanista.store.probe import probe_file, probe_names, probe_server
from lanista.store.schema import REVISION, VERSION_TABLE
from store import postgres


def content(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def execute(path, *statements):
    with sqlite3.connect(path) as connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()


def test_a_file_that_is_not_there_or_current_or_older_is_right(tmp_path):
    path = tmp_path / "ladder.db"
    probe_file(path)
    assert not path.exists()
    Store.open(path).close()
    probe_file(path)
    execute(path, f"UPDATE {VERSION_TABLE} SET version_num = '0001'")
    before = content(tmp_path)
    probe_file(path)
    assert before == content(tmp_path)


def test_what_a_killed_arena_left_stays_as_it_is(tmp_path):
    """`Store.open` looks at the write-ahead log first, which SQLite would apply and remove."""
    there, copy = tmp_path / "there", tmp_path / "copy"
    there.mkdir()
    with Store.open(there / "ladder.db") as store:
        store.set_meta("key", "value")
        shutil.copytree(there, copy)
    before = content(copy)
    assert before["ladder.db-wal"]
    probe_file(copy / "ladder.db")
    after = content(copy)
    assert before["ladder.db-wal"] == after["ladder.db-wal"]
    assert before["ladder.db"] == after["ladder.db"]


def test_a_file_in_use_is_right(tmp_path):
    path = tmp_path / "ladder.db"
    with Store.open(path) as store, store.lock():
        probe_file(path)


def test_a_newer_file_is_refused(tmp_path):
    path = tmp_path / "ladder.db"
    Store.open(path).close()
    execute(path, f"UPDATE {VERSION_TABLE} SET version_num = '0999'")
    with pytest.raises(StoreError) as caught:
        probe_file(path)
    assert str(caught.value) == (
        f"{path}: written by a newer version of Lanista (its tables are '0999', this one knows up "
        f"to {REVISION}); use that version"
    )


def test_another_file_is_refused(tmp_path):
    path = tmp_path / "ladder.db"
    execute(path, "CREATE TABLE songs (title TEXT)")
    with pytest.raises(StoreError, match="not a ladder's results: it holds other tables, such as"):
        probe_file(path)
    path.write_bytes(b"no database at all" * 100)
    with pytest.raises(StoreError, match="no SQLite database, or damaged at its start"):
        probe_file(path)
    with pytest.raises(StoreError):
        probe_file(tmp_path)


def test_damaged_names_are_found(tmp_path):
    """All of the file is looked at, also the log of a killed arena; nothing is changed."""
    path = tmp_path / "arena.db"
    probe_names(path)
    assert not path.exists()
    with NameStore.open(path) as store:
        for number in range(100):
            store.register(f"bot{number}", "hash", Registrar.ITSELF)
        probe_names(path)
        copy = tmp_path / "copy"
        shutil.copytree(tmp_path, copy)
    log = copy / "arena.db-wal"
    log.write_bytes(log.read_bytes()[:2000] + b"x" * 9000 + log.read_bytes()[11000:])
    with pytest.raises(StoreError, match=r"damaged \(names in arena.db-wal can't be read any more"):
        probe_names(copy / "arena.db")
    probe_names(path)
    data = path.read_bytes()
    place = data.index(b"bot77")
    path.write_bytes(data[:place] + b"bot76" + data[place + 5 :])
    before = content(tmp_path / "copy")
    with pytest.raises(StoreError, match=r"arena.db: damaged \("):
        probe_names(path)
    assert before == content(tmp_path / "copy")


def test_names_are_no_results(tmp_path):
    """Each kind of database has a version of its own."""
    NameStore.open(tmp_path / "arena.db").close()
    with pytest.raises(StoreError, match="not a ladder's results"):
        probe_file(tmp_path / "arena.db")
    Store.open(tmp_path / "ladder.db").close()
    with pytest.raises(StoreError, match="not an arena's names"):
        probe_names(tmp_path / "ladder.db")


# -- PostgreSQL --------------------------------------------------------------------------------


def url_of(server):
    return postgres.url(server, "postgres")


def schemas(server):
    import psycopg

    with psycopg.connect(url_of(server)) as connection:
        return {name for (name,) in connection.execute("SELECT nspname FROM pg_namespace")}


def test_schemas_that_are_not_there_or_current_are_right(server):
    import psycopg

    before = schemas(server)
    probe_server(url_of(server), [])
    probe_server(url_of(server), ["ladder_none"])
    assert before == schemas(server)
    with psycopg.connect(url_of(server)) as connection:
        connection.execute('CREATE SCHEMA "ladder_A.b-c"')
    Store.open(postgres.url(server, "postgres", schema='"ladder_A.b-c"')).close()
    probe_server(url_of(server), ["ladder_none", "ladder_A.b-c"])


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        (
            [
                f"CREATE TABLE ladder_odd.{VERSION_TABLE} (version_num text)",
                f"INSERT INTO ladder_odd.{VERSION_TABLE} VALUES ('0999')",
            ],
            "schema ladder_odd: written by a newer version of Lanista (its tables are '0999',",
        ),
        (
            ["CREATE TABLE ladder_odd.songs (title text)"],
            "schema ladder_odd: not a ladder's results: it holds other tables, such as 'songs'",
        ),
    ],
)
def test_a_schema_that_is_newer_or_another_program_s_is_refused(server, statements, expected):
    import psycopg

    with psycopg.connect(url_of(server)) as connection:
        for statement in ["CREATE SCHEMA ladder_odd", *statements]:
            connection.execute(statement)
    try:
        with pytest.raises(StoreError) as caught:
            probe_server(url_of(server), ["ladder_none", "ladder_odd"])
        assert expected in str(caught.value)
    finally:
        with psycopg.connect(url_of(server)) as connection:
            connection.execute("DROP SCHEMA ladder_odd CASCADE")


def test_a_user_who_may_not_make_the_schemas_is_told(server):
    import psycopg

    with psycopg.connect(url_of(server)) as connection:
        connection.execute("CREATE ROLE visitor LOGIN")
    url = url_of(server).replace("//lanista@", "//visitor@")
    with pytest.raises(StoreError, match="there is no schema ladder_x, and its user may not"):
        probe_server(url, ["ladder_x"])


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://arena:secret@127.0.0.1:1/arena",
        "postgresql+psycopg://arena:secret@127.0.0.1:1/arena",
        "postgresql://arena:secret@/arena?host=/nowhere",
        "postgresql://arena:secret@[127.0.0.1/arena",
        "postgresql://arena@127.0.0.1:1/arena?password=secret",
        "postgresql://arena:secret@127.0.0.1:1/arena?nonsense=1",
    ],
)
def test_a_server_that_cannot_be_reached_is_told_without_the_password(url):
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    with pytest.raises(StoreError) as caught:
        probe_server(url, ["ladder_x"])
    assert "secret" not in str(caught.value)
    assert str(caught.value).isprintable()
    assert "can't be re" in str(caught.value)


def test_a_password_that_the_driver_repeats_is_hidden(monkeypatch):
    psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")

    def connect(**given):
        raise psycopg.OperationalError(f"it was {given['password']}, in pid {os.getpid()}")

    monkeypatch.setattr(psycopg, "connect", connect)
    with pytest.raises(StoreError, match=r"the server can't be reached: it was \*\*\*, in pid"):
        probe_server("postgresql://arena:secret@db/arena", [])
