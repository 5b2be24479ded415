"""Damage of a SQLite database: it is noticed, or changes nothing that is read."""

import collections
import random
import shutil
import threading

import pytest

from lanista.results.match_result import Benching
from lanista.store import checksums, write_ahead
from lanista.store.database import Store
from lanista.store.errors import StoreError
from store.flipping import flip
from store.samples import block, drawn, match, seat, stored
from store.test_store_schema import execute

BLOCKS = 8
OF_BLOCK = "match IN (SELECT number FROM matches WHERE block = {})"


def fill(store):
    """Something in every table, by a transaction each."""
    store.set_meta("base_seed", "0123456789abcdef")
    for name in ("Ant", "Bee"):
        store.set_identity(name, '{"command":"' + name * 10 + '"}')
    store.unbench("Ant")
    store.strike("Élan")
    for number in range(BLOCKS - 1):
        store.add([drawn(number)])
    store.add([drawn(BLOCKS - 1)], [Benching(bot="Bee", block="id3", failures=5)])


def read(store):
    """Everything there is to be read."""
    return (
        stored(store),
        store.played(),
        store.endings(),
        store.endings(["id2"]),
        store.running_failures(5),
        store.benched(),
        store.digests(),
        store.identities(),
        store.meta("base_seed"),
    )


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """The folder of a database that was closed."""
    folder = tmp_path_factory.mktemp("filled")
    with Store.open(folder / "cup.db") as store:
        fill(store)
    return folder


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """The folder of a database as kill -9 leaves it: nearly all of it in the write-ahead log."""
    folder, copy = tmp_path_factory.mktemp("open"), tmp_path_factory.mktemp("killed")
    with Store.open(folder / "cup.db") as store:
        fill(store)
        for ending in ("", "-wal", "-shm"):
            shutil.copyfile(folder / f"cup.db{ending}", copy / f"cup.db{ending}")
    return copy


def copied(source, folder):
    """Copy a database with all that lies beside it, over what is there."""
    for old in folder.glob("cup.db*"):
        old.unlink()
    for path in source.glob("cup.db*"):
        shutil.copyfile(path, folder / path.name)
    return folder / "cup.db"


def at_length(source, file, times):
    return pytest.param(source, file, times, marks=pytest.mark.long)


@pytest.mark.parametrize(
    ("source", "file", "times"),
    [
        ("filled", "cup.db", 12),
        ("killed", "cup.db-wal", 8),
        at_length("filled", "cup.db", 4000),
        at_length("killed", "cup.db", 200),
        at_length("killed", "cup.db-wal", 400),
        at_length("killed", "cup.db-shm", 200),
    ],
)
def test_no_flipped_bit_changes_what_is_read(request, tmp_path, source, file, times):
    """Either one line says what is wrong, or all is as it was; on further tries too."""
    folder = request.getfixturevalue(source)
    with Store.open(copied(folder, tmp_path), create=False) as store:
        expected = read(store)
    chance = random.Random(f"{source} {file}")
    came = collections.Counter()
    for _ in range(times):
        path = copied(folder, tmp_path)
        where = flip(chance, tmp_path / file)
        refusals = []
        for _ in range(2):
            try:
                with Store.open(path, create=False) as store:
                    assert expected == read(store), where
            except StoreError as error:
                refusals.append(str(error))
        assert all(words.startswith(f"{path}: ") for words in refusals), where
        assert all(words.isprintable() for words in refusals), where
        assert len(refusals) in {0, 2}, where
        came["refused" if refusals else "the same"] += 1
    print(dict(came))
    # The rest of a database is nearly all in the log then, and the index of the log is made anew.
    if (source, file) not in {("killed", "cup.db"), ("killed", "cup.db-shm")}:
        assert came["refused"] > times / 4


def test_values_that_the_database_holds_otherwise_are_no_damage(store, target):
    """A whole number of seconds, one that is true, minus zero."""
    seats = (seat("Ant", 1, late=True), seat("Bee", 2))
    odd = [
        match(0, *seats, seconds=1, stall=-0.0),
        match(1, *reversed(seats), seconds=2**60, turns=True),
    ]
    store.add([block(1, *odd)])
    store.set_meta("base_seed", "7")
    with Store.open(target) as again, again._reading() as connection:
        assert "" == checksums.changed_values(connection)


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("UPDATE blocks SET seed = '7' WHERE number = 3", "block 3 differs"),
        ("UPDATE matches SET ranks = '[2,2]' WHERE block = 2", "block 2 differs"),
        (f"UPDATE seats SET ending = 'normal' WHERE {OF_BLOCK.format(4)}", "block 4 differs"),
        ("UPDATE matches SET committed = '' WHERE number = 1", "block 1 differs"),
        ("UPDATE matches SET turns = x'00' WHERE block = 4", "what comes after block 3 differs"),
        (f"DELETE FROM seats WHERE {OF_BLOCK.format(8)}", "what comes after block 7 differs"),
        (f"DELETE FROM seats WHERE {OF_BLOCK.format(2)} AND seat = 3", "block 2 differs"),
        ("UPDATE bots SET since = 3", "its notes on bots and seeds differ"),
        ("UPDATE meta SET value = 'f' WHERE key = 'base_seed'", "its notes on bots and seeds"),
        ("DELETE FROM unbenched", "its notes on bots and seeds differ"),
        ("UPDATE benched SET failures = 4", "its notes on bots and seeds differ"),
        ("UPDATE struck SET number = 4", "its notes on bots and seeds differ"),
    ],
)
def test_a_changed_value_is_noticed(filled, tmp_path, statement, told):
    path = copied(filled, tmp_path)
    execute(path, statement)
    with pytest.raises(StoreError) as error:
        Store.open(path)
    assert f"{path}: damaged ({told}" in str(error.value)
    assert "); move cup.db away, then put back a copy or play again" in str(error.value)


def test_a_log_is_read_as_sqlite_reads_it(killed, tmp_path):
    """Cut anywhere, as by a kill: what is missing was never acknowledged, and is no damage."""
    log = (killed / "cup.db-wal").read_bytes()
    for cut in random.Random(1).sample(range(len(log)), 30):
        (tmp_path / "cut").write_bytes(log[:cut])
        assert 0 == write_ahead.unreadable(tmp_path / "cut")
    assert 0 == write_ahead.unreadable(tmp_path / "none")
    (tmp_path / "zeros").write_bytes(bytes(5000))
    assert 0 == write_ahead.unreadable(tmp_path / "zeros")


def test_a_last_transaction_that_a_power_cut_broke_is_played_again(killed, tmp_path):
    """Nobody reads on without it, but for a run, which plays again what it held."""
    path = copied(killed, tmp_path)
    log = path.with_name("cup.db-wal")
    data = bytearray(log.read_bytes())
    data[-100] ^= 1
    log.write_bytes(data)
    assert 1 == write_ahead.unreadable(log)
    for _ in range(2):
        with pytest.raises(StoreError) as error:
            Store.open(path, create=False)
        words = "the last results in cup.db-wal can't be read because of a power cut or damage; "
        assert f"{path}: {words}`lanista tournament run` plays them again" == str(error.value)
    with Store.open(path) as store:
        assert [drawn(number) for number in range(BLOCKS - 1)] == stored(store)
        store.add([drawn(BLOCKS - 1)])
    with Store.open(path, create=False) as store:
        assert BLOCKS == len(store.played())


def test_a_log_that_another_writes_is_not_taken_for_damaged(tmp_path):
    """Read while it grows and begins anew."""
    path = tmp_path / "cup.db"
    done = threading.Event()
    with Store.open(path) as store:
        with store._engine.connect() as connection:
            connection.connection.driver_connection.execute("PRAGMA wal_autocheckpoint = 10")

        def write():
            for number in range(20):
                store.add([drawn(number)])
            done.set()

        writer = threading.Thread(target=write)
        writer.start()
        try:
            looks = 0
            while not done.is_set() or not looks:
                Store.open(path, create=False).close()
                looks += 1
        finally:
            writer.join()
    with Store.open(path, create=False) as store:
        assert 20 == len(store.played())


@pytest.mark.parametrize("how", ["removed", "moved", "replaced"])
def test_a_file_that_goes_while_it_is_in_use(tmp_path, how):
    """SQLite itself would write on into what nobody finds, and say that all is well."""
    path = tmp_path / "cup.db"
    with Store.open(path) as store:
        store.add([drawn(1)])
        if how == "removed":
            path.unlink()
        elif how == "moved":
            path.rename(tmp_path / "other.db")
        else:
            shutil.copyfile(path, tmp_path / "other.db")
            (tmp_path / "other.db").replace(path)
        words = f"{path}: removed, moved or replaced while it was in use, and nothing more is "
        for act in (lambda: store.add([drawn(2)]), store.played, lambda: store.set_meta("a", "b")):
            with pytest.raises(StoreError) as error:
                act()
            assert str(error.value).startswith(words)
        assert (how == "replaced") == path.exists()
        if how == "moved":
            (tmp_path / "other.db").rename(path)
            assert ["id2"] == store.add([drawn(2)])


def test_a_file_that_goes_in_the_middle_of_a_transaction(tmp_path):
    """What was committed into a file that nobody finds isn't said to be stored."""
    path = tmp_path / "cup.db"
    with Store.open(path) as store:
        with pytest.raises(StoreError, match="removed, moved or replaced"), store._writing():
            path.unlink()
        with pytest.raises(StoreError, match="removed, moved or replaced"):
            store.played()


def test_the_log_beside_a_damaged_file_is_named(killed, tmp_path):
    """A copy that is put beside the log of another state would be damaged by it."""
    path = copied(killed, tmp_path)
    log = path.with_name("cup.db-wal")
    data = bytearray(log.read_bytes())
    data[40] ^= 1
    log.write_bytes(data)
    with pytest.raises(StoreError) as error:
        Store.open(path)
    assert "damaged (results in cup.db-wal can't be read any more)" in str(error.value)
    assert "move cup.db and cup.db-wal away" in str(error.value)


def test_nothing_is_written_into_a_damaged_database(filled, tmp_path):
    """Opened to play as well: the file stays as it is."""
    path = copied(filled, tmp_path)
    data = bytearray(path.read_bytes())
    data[5 * 4096 + 5] ^= 1  # of a page's head
    path.write_bytes(data)
    with pytest.raises(StoreError, match="damaged"):
        Store.open(path)
    assert data == path.read_bytes()
    assert {"cup.db"} == {one.name for one in tmp_path.iterdir()}
