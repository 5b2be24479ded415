"""An arena's database of names, alone and used by several processes."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanista.errors import StoreError
from lanista.results.base import Database
from lanista.results.data_folder import DataFolder
from lanista.results.database import Store
from lanista.results.names import NameStore, Registrar, key_of


@pytest.fixture
def store(target):
    with Database.open(target) as database:
        yield NameStore(database)


def test_a_name_belongs_to_whoever_is_first(store):
    before = datetime.now(UTC) - timedelta(seconds=1)
    first = store.register("Camper Joe", "one", Registrar.ITSELF)
    told = (first.name, first.token_hash, first.registrar, first.seen)
    assert ("Camper Joe", "one", Registrar.ITSELF, None) == told
    assert before <= first.registered <= datetime.now(UTC)
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
    ann = store.find("Ann")
    assert store.remove("ann")
    assert not store.remove("ann")
    assert not store.set_token("Ann", "three")
    assert store.find("Ann") is None
    assert ["bob"] == [name.name for name in store.names()]
    assert ann.registered == store.removed()["ann"].registered
    assert "four" == store.register("ann", "four", Registrar.ITSELF).token_hash
    assert {} == store.removed()


def test_what_is_changed_is_counted(store):
    """Also by another process, as the count is in the database."""
    count = store.changes() + 1
    for token_hash in ("one", "two"):  # the second one is too late
        store.register("Ann", token_hash, Registrar.ITSELF)
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


def test_all_of_an_arena_has_a_schema_of_its_own_in_postgresql(arena_url, tmp_path):
    """Beside a tournament's tables, and whatever schema the URL names."""
    data = DataFolder(tmp_path)
    with pytest.raises(StoreError, match="schema lanista: not there"):
        Database.of_arena(data, arena_url, create=False)
    Store.open(arena_url).close()
    for target in (arena_url, f"{arena_url}&options=-csearch_path%3Delsewhere"):
        with Database.of_arena(data, target) as database:
            store = NameStore(database)
            store.register("Ann", "one", Registrar.ITSELF)
            with database.reading() as connection:
                schema = connection.exec_driver_sql("SELECT current_schema()").scalar_one()
            assert ("lanista", 1) == (schema, len(store.names()))
    assert [] == list(tmp_path.iterdir())


def test_only_the_owner_of_a_file_reads_it(tmp_path):
    """Tokens that people choose may be guessed from their hashes."""
    with Database.of_arena(DataFolder(tmp_path)) as database:
        NameStore(database).register("Ann", "one", Registrar.ITSELF)
        assert {0o600} == {file.stat().st_mode & 0o777 for file in tmp_path.iterdir()}


def test_a_database_that_is_not_there(tmp_path):
    """It is made with its folder, if that can be made."""
    away = DataFolder(tmp_path / "away")
    with pytest.raises(StoreError, match=r"lanista\.db: there is no such file; `lanista "):
        Database.of_arena(away, create=False)
    assert [] == list(tmp_path.iterdir())
    Database.of_arena(away).close()
    with pytest.raises(StoreError, match=r"below: can't be created: Not a directory"):
        Database.of_arena(DataFolder(away.database / "below"))


def test_two_that_register_the_same_names(empty):
    """On a new database, which both make: each name is given to exactly one of them."""

    def register(who):
        with Database.open(empty) as database:
            names = NameStore(database)
            return [
                names.register(f"Bot {number}", f"hash of {who}", Registrar.ITSELF).token_hash
                for number in range(12)
            ]

    with ThreadPoolExecutor(2) as threads:
        one, other = threads.map(register, ("one", "two"))
    assert one == other
    assert {"hash of one", "hash of two"} >= set(one)
