"""Damage of a SQLite database: what is found of it at once, and what is lost by it."""

import collections
import random
import shutil
import threading

import pytest

from lanista.errors import StoreError
from lanista.results.base import Database, Kind
from lanista.results.data_folder import DataFolder
from lanista.results.database import Store
from lanista.results.engines import damaged, log_of
from lanista.results.match_result import Benching
from lanista.results.rebuild import rebuilding
from results.samples import asking, drawn, stored
from results.test_store_schema import execute

BLOCKS = 8


def flip(chance, path):
    """Turn one bit of a file over; which one, for messages.

    Every second time it is one of a byte that isn't zero: in small databases most are zero, and
    mean nothing.
    """
    data = bytearray(path.read_bytes())
    places = range(len(data))
    if chance.random() < 0.5:
        places = [at for at in places if data[at]]
    at, bit = chance.choice(places), chance.randrange(8)
    data[at] ^= 1 << bit
    path.write_bytes(data)
    return f"{path.name}: bit {bit} of byte {at}"


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
    """Read everything there is."""
    stored(store)
    with store.reading() as now:
        now.played()
        now.endings()
        now.endings(["id2"])
        now.running_failures(5)
        now.benched()
        now.identities()
        now.meta("base_seed")


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
        at_length("filled", "cup.db", 1000),
        at_length("killed", "cup.db", 200),
        at_length("killed", "cup.db-wal", 400),
        at_length("killed", "cup.db-shm", 200),
    ],
)
def test_a_flipped_bit_gives_values_or_one_line(request, tmp_path, source, file, times):
    """Whichever it is: reading ends, and no other error than one for people comes of it."""
    folder = request.getfixturevalue(source)
    chance = random.Random(f"{source} {file}")
    came = collections.Counter()
    for _ in range(times):
        path = copied(folder, tmp_path)
        where = flip(chance, tmp_path / file)
        try:
            with Store.open(path, create=False) as store:
                read(store)
        except StoreError as error:
            words = str(error)
            assert words.startswith(f"{path}: "), where
            assert words.isprintable(), where
            came["refused"] += 1
        else:
            came["read"] += 1
    print(dict(came))


def test_a_value_that_nobody_stored_is_refused_where_it_is_read(filled, tmp_path):
    """Its page is right, so SQLite doesn't know; the other values can be read."""
    path = copied(filled, tmp_path)
    execute(path, "UPDATE matches SET ranks = '[1,'")
    with Store.open(path) as store:
        assert 2 == len(asking(store).identities())
        with pytest.raises(StoreError) as error:
            asking(store).played()
    words = f"{path}: damaged (a value isn't what was stored: JSONDecodeError: "
    assert str(error.value).startswith(words)
    assert "rebuilds it; or move cup.db away and restore a copy" in str(error.value)


def test_what_a_kill_or_a_power_cut_broke_off_is_stored_again(killed, tmp_path):
    """The log cut anywhere, and its last transaction damaged: all before it is there."""
    log = (killed / "cup.db-wal").read_bytes()
    lengths = random.Random(1).sample(range(len(log)), 8)
    whole = [drawn(number) for number in range(BLOCKS)]
    for left in [*(log[:length] for length in lengths), changed(log, -100)]:
        path = copied(killed, tmp_path)
        path.with_name("cup.db-wal").write_bytes(left)
        path.with_name("cup.db-shm").unlink()
        with Store.open(path) as store:
            there = stored(store)
            assert whole[: len(there)] == there
            store.add(whole)
            assert whole == stored(store)
    assert BLOCKS - 1 == len(there)


def changed(data, place):
    """The same bytes, but for one bit."""
    data = bytearray(data)
    data[place] ^= 1
    return data


def test_a_log_that_another_writes_is_not_taken_for_damaged(tmp_path):
    """Read while it grows and begins anew."""
    path = tmp_path / "cup.db"
    done = threading.Event()
    with Store.open(path) as store:
        with store.database._engine.connect() as connection:
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
        assert 20 == len(asking(store).played())


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
        for act in (
            lambda: store.add([drawn(2)]),
            asking(store).played,
            lambda: store.set_meta("a", "b"),
        ):
            with pytest.raises(StoreError) as error:
                act()
            assert str(error.value).startswith(words)
        assert (how == "replaced") == path.exists()
        if how == "moved":
            (tmp_path / "other.db").rename(path)
            assert ["id2"] == store.add([drawn(2)])


@pytest.mark.parametrize("is_arenas", [False, True])
def test_a_file_that_was_moved_from_a_running_program_is_not_made_anew(tmp_path, is_arenas):
    """SQLite would remove the log: what was stored last, such as names, would be lost for good."""
    data, away = DataFolder(tmp_path), tmp_path / "away.db"

    def opened():
        return Database.of_arena(data) if is_arenas else Database.open(data.database)

    with opened() as database:
        store = Store.of_ladder(database, "pit", "angrymob")
        with database.lock():
            store.set_meta("a", "b")
            data.database.rename(away)
            with pytest.raises(StoreError, match="put it back, or end that"):
                opened()
            assert not data.database.exists()
            away.rename(data.database)
            with opened() as another:
                assert "b" == asking(Store.of_ladder(another, "pit", "angrymob")).meta("a")
        data.database.unlink()
    with opened() as another:  # begins anew
        assert asking(Store.of_ladder(another, "pit", "angrymob")).meta("a") is None


def test_a_file_that_was_removed_is_rebuilt_without_its_log(tmp_path):
    """SQLite leaves the log of such a file, and would take it for a part of the new one."""
    path = tmp_path / "cup.db"
    with Store.open(path) as store:
        store.add([drawn(1)])
        path.unlink()
    assert log_of(path).exists()
    with rebuilding(path, Kind.TOURNAMENT) as work:
        Store(work.new, work.new.competition(Kind.TOURNAMENT)).add([drawn(2)])
    with Store.open(path) as store:
        assert ["id2"] == [block.id for block in asking(store).played()]


def test_a_file_that_goes_in_the_middle_of_a_transaction(tmp_path):
    """What was committed into a file that nobody finds isn't said to be stored."""
    path = tmp_path / "cup.db"
    with Store.open(path) as store:
        with (
            pytest.raises(StoreError, match="removed, moved or replaced"),
            store.database.writing(),
        ):
            path.unlink()
        with pytest.raises(StoreError, match="removed, moved or replaced"):
            asking(store).played()


def test_the_log_beside_a_damaged_file_is_named(killed, tmp_path):
    """A copy that is put beside the log of another state would be damaged by it."""
    path = copied(killed, tmp_path)
    assert "move cup.db and cup.db-wal away" in str(damaged(path, "a page"))


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
