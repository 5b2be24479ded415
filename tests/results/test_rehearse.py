"""`Database.rehearse`: it refuses what `open` would refuse, and changes nothing."""

import pytest

from lanista.results.database import Store
from lanista.results.errors import StoreError
from lanista.results.names import NameStore
from lanista.results.schema import VERSION_TABLE
from results import postgres
from results.test_store_schema import execute


def test_a_file_that_is_missing_empty_current_or_in_use_is_right(tmp_path):
    path = tmp_path / "ladder.db"
    Store.rehearse(path)
    assert [] == list(tmp_path.iterdir())
    path.touch()
    Store.rehearse(path)
    assert [("ladder.db", 0)] == [(one.name, one.stat().st_size) for one in tmp_path.iterdir()]
    with Store.open(path) as store:
        store.set_meta("key", "value")
        with store.lock():
            Store.rehearse(path)
    before = path.read_bytes()
    Store.rehearse(path)
    assert before == path.read_bytes()


def test_a_file_that_open_refuses_is_refused(tmp_path):
    path, names = tmp_path / "ladder.db", tmp_path / "arena.db"
    Store.open(path).close()
    NameStore.open(names).close()
    with pytest.raises(StoreError, match="not an arena's database"):
        NameStore.rehearse(path)
    with pytest.raises(StoreError, match="not a tournament's database"):
        Store.rehearse(names)
    execute(path, f"UPDATE {VERSION_TABLE} SET version_num = '9999'")
    with pytest.raises(StoreError, match="written by a newer version of Lanista"):
        Store.rehearse(path)
    data = bytearray(names.read_bytes())
    data[3 * 4096 : 4 * 4096] = b"\xff" * 4096
    names.write_bytes(data)
    with pytest.raises(StoreError, match=r"arena.db: damaged \("):
        NameStore.rehearse(names)
    path.write_bytes(b"no database at all" * 100)
    with pytest.raises(StoreError, match="no SQLite database, or damaged at its start"):
        Store.rehearse(path)


def test_schemas_that_are_missing_or_current_are_right(server):
    import psycopg

    url = postgres.url(server, "postgres")

    def schemas():
        with psycopg.connect(url) as connection:
            return {name for (name,) in connection.execute("SELECT nspname FROM pg_namespace")}

    before = schemas()
    Store.rehearse(url, schema="ladder_none")
    NameStore.rehearse(url)
    assert before == schemas()
    Store.open(url, schema="ladder_A.b-c").close()
    Store.rehearse(url, schema="ladder_A.b-c")


def test_a_schema_that_open_refuses_is_refused(server):
    """That of another program, and one that its user may not make."""
    import psycopg

    url = postgres.url(server, "postgres")
    with psycopg.connect(url) as connection:
        connection.execute("CREATE SCHEMA ladder_odd")
        connection.execute("CREATE TABLE ladder_odd.songs (title text)")
        connection.execute("CREATE ROLE visitor LOGIN")
    with pytest.raises(StoreError, match="schema ladder_odd: not a tournament's database"):
        Store.rehearse(url, schema="ladder_odd")
    with pytest.raises(StoreError, match="permission denied"):
        Store.rehearse(url.replace("//lanista@", "//visitor@"), schema="ladder_x")


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
        Store.rehearse(url, schema="ladder_x")
    assert "secret" not in str(caught.value)
    assert str(caught.value).isprintable()
    assert "can't be re" in str(caught.value)
