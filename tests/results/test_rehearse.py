"""`Database.rehearse_arena`: it refuses what `open` would refuse, and changes nothing."""

import pytest

from lanista.errors import StoreError
from lanista.results.base import Database
from lanista.results.data_folder import DataFolder
from lanista.results.names import NameStore
from lanista.results.schema import VERSION_TABLE
from results.test_store_schema import execute


@pytest.fixture
def data(tmp_path):
    return DataFolder(tmp_path)


def test_a_file_that_is_missing_empty_current_or_in_use_is_right(data):
    path = data.database
    Database.rehearse_arena(data)
    assert [] == list(data.path.iterdir())
    path.touch()
    Database.rehearse_arena(data)
    assert [(path.name, 0)] == [(one.name, one.stat().st_size) for one in data.path.iterdir()]
    with Database.of_arena(data) as database:
        NameStore(database).note_change()
        with database.lock():
            Database.rehearse_arena(data)
    before = path.read_bytes()
    Database.rehearse_arena(data)
    assert before == path.read_bytes()


def test_a_file_that_open_refuses_is_refused(data):
    path = data.database
    Database.of_arena(data).close()
    whole = path.read_bytes()
    execute(path, f"UPDATE {VERSION_TABLE} SET version_num = '9999'")
    with pytest.raises(StoreError, match="written by a newer version of Lanista"):
        Database.rehearse_arena(data)
    path.write_bytes(whole[: 3 * 4096] + b"\xff" * 4096 + whole[4 * 4096 :])
    with pytest.raises(StoreError, match=r"lanista.db: damaged \("):
        Database.rehearse_arena(data)
    path.write_bytes(b"no database at all" * 100)
    with pytest.raises(StoreError, match=r"damaged \(file is not a database\)"):
        Database.rehearse_arena(data)


def test_a_schema_that_is_missing_or_current_is_right(data, arena_url):
    import psycopg

    def schemas():
        with psycopg.connect(arena_url) as connection:
            return {name for (name,) in connection.execute("SELECT nspname FROM pg_namespace")}

    before = schemas()
    Database.rehearse_arena(data, arena_url)
    assert before == schemas()
    Database.of_arena(data, arena_url).close()
    Database.rehearse_arena(data, arena_url)


def test_a_schema_that_open_refuses_is_refused(data, arena_url):
    """It may be another program's, or one that its user may not make, but could fill."""
    import psycopg

    with psycopg.connect(arena_url) as connection:
        connection.execute("DROP ROLE IF EXISTS visitor")
        connection.execute("CREATE ROLE visitor LOGIN")
    visitor = arena_url.replace("//lanista@", "//visitor@")
    with pytest.raises(StoreError, match="permission denied"):
        Database.rehearse_arena(data, visitor)
    with psycopg.connect(arena_url) as connection:
        connection.execute("CREATE SCHEMA lanista AUTHORIZATION visitor")
    Database.rehearse_arena(data, visitor)
    Database.of_arena(data, visitor).close()
    with psycopg.connect(arena_url) as connection:
        connection.execute("DROP OWNED BY visitor")
        connection.execute("CREATE SCHEMA lanista")
        connection.execute("CREATE TABLE lanista.songs (title text)")
    with pytest.raises(StoreError, match="schema lanista: not a database of Lanista"):
        Database.rehearse_arena(data, arena_url)


def test_a_schema_that_can_only_be_read_is_refused(data, arena_url):
    """No arena can run whose user may not write; it doesn't begin to."""
    import psycopg

    Database.of_arena(data, arena_url).close()
    with psycopg.connect(arena_url) as connection:
        connection.execute("DROP ROLE IF EXISTS reader")
        connection.execute("CREATE ROLE reader LOGIN")
        connection.execute("GRANT USAGE ON SCHEMA lanista TO reader")
        connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA lanista TO reader")
    for begin in (Database.rehearse_arena, Database.of_arena):
        with pytest.raises(StoreError, match="permission denied for table"):
            begin(data, arena_url.replace("//lanista@", "//reader@"))
    with psycopg.connect(arena_url) as connection:
        connection.execute("DROP OWNED BY reader")


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
def test_a_server_that_cannot_be_reached_is_told_without_the_password(data, url):
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    with pytest.raises(StoreError) as caught:
        Database.rehearse_arena(data, url)
    assert "secret" not in str(caught.value)
    assert str(caught.value).isprintable()
    assert "no connection to the server: " in str(caught.value)
