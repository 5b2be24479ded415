"""Several processes on one database, and those that are killed."""

import contextlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa

from lanista.errors import StoreError
from lanista.results.database import Store
from results.postgres import cut
from results.samples import asking, drawn, stored
from results.waiting import HERE, PATIENCE, output_of, ready


def adding(target, first, count):
    """A process that is ready to add blocks, and begins when its input is closed."""
    return ready("adding.py", target, first, count)


def whole(store):
    """The numbers of the blocks that are stored, after comparing each with what it should be."""
    there = stored(store)
    numbers = [int(result.block[2:]) for result in there]
    assert [drawn(number) for number in numbers] == there
    assert len(set(numbers)) == len(numbers)
    return numbers


@pytest.mark.parametrize("step", [8, pytest.param(1, marks=pytest.mark.long)])
def test_a_kill_at_any_statement(tmp_path, step):
    """Of making a database and of adding: dying.py looks at what is left, each time."""
    deaths = output_of(HERE / "dying.py", tmp_path, step).splitlines()
    acknowledged = [int(line.split()[1]) for line in deaths]
    # Deaths before the first answer, between both, and the last child, which lived.
    assert {0, 1, 2} == set(acknowledged)
    assert sorted(acknowledged) == acknowledged
    assert 30 < step * len(acknowledged)


def test_two_processes_that_add_the_same(empty):
    """On a new database, which both make: each block is stored once, and told to one of them."""
    with adding(empty, 0, 40) as one, adding(empty, 0, 40) as other:
        one.begin()
        other.begin()
        told = [process.stdout.read().split() for process in (one, other)]
        assert [0, 0] == [process.wait(PATIENCE) for process in (one, other)]
    assert sorted(f"id{number}" for number in range(40)) == sorted(told[0] + told[1])
    with Store.open(empty) as store:
        assert 40 == len(whole(store))
        with store.database.reading() as connection:
            numbers = connection.exec_driver_sql("SELECT number FROM blocks ORDER BY 1").scalars()
            assert list(range(1, 41)) == numbers.all()


@pytest.mark.parametrize(
    "kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.long)], indirect=True
)
def test_reading_goes_on_while_another_process_writes(target):
    """And what is told is always whole."""
    with adding(target, 0, 40) as process, Store.open(target, create=False) as store:
        process.begin()
        seen = [0]
        while process.poll() is None:
            seen.append(len(whole(store)))
        assert 0 == process.returncode
        assert sorted(seen) == seen
        assert 40 == len(whole(store))


@pytest.fixture
def impatient(monkeypatch):
    """Nobody waits long for a lock that isn't given back."""
    monkeypatch.setattr("lanista.results.lock.RELEASE_PATIENCE", 0.05)


@contextlib.contextmanager
def patient():
    """Whoever takes a lock in this block waits until the server has noticed that it is free.

    However busy the machine is: so a test needs no luck, and a lock that is never freed fails it.
    """
    with pytest.MonkeyPatch.context() as patching:
        patching.setattr("lanista.results.lock.RELEASE_PATIENCE", PATIENCE)
        yield


def test_one_manager_at_a_time(target, kind, impatient):
    with Store.open(target) as one, Store.open(target) as other:
        with one.lock():
            with pytest.raises(StoreError) as refused, other.lock():
                pass
            words = f"{other.database.where}: in use by another `lanista tournament run` or arena"
            words += ", still so after 0.05 s" if kind == "postgresql" else ""
            assert words == str(refused.value)
            # The lock keeps nobody from reading or writing.
            assert 1 == len(other.add([drawn(1)]))
        with patient(), other.lock():
            assert 1 == len(asking(one).played())


def test_a_lock_that_is_given_back_meanwhile_is_waited_for(new_schema):
    """A PostgreSQL server frees the locks of a session a moment after its client has gone."""
    url = new_schema()
    with Store.open(url) as one, Store.open(url) as other, ThreadPoolExecutor(1) as threads:
        with one.lock(), other.database.reading() as connection:

            def take():
                with patient(), other.lock():
                    return True

            taken = threads.submit(take)
            waiting = sa.text("SELECT count(*) FROM pg_locks WHERE NOT granted")
            while not connection.scalar(waiting):
                assert not taken.done(), "it didn't wait"
        assert taken.result(PATIENCE)


def test_a_lock_that_was_lost_with_its_session_is_taken_anew(new_schema, impatient):
    """Before anything is written."""
    url = new_schema()
    with Store.open(url) as one, Store.open(url) as other:
        with one.lock():
            cut(url)
            with patient():
                assert ["id1"] == one.add([drawn(1)])
            with pytest.raises(StoreError, match="in use by another"), other.lock():
                pass
        with patient(), other.lock():
            pass


def test_a_manager_whose_lock_another_has_taken_writes_nothing_more(new_schema, impatient):
    url = new_schema()
    with Store.open(url) as one, Store.open(url) as other, one.lock():
        cut(url)
        with contextlib.ExitStack() as held:
            with patient():
                held.enter_context(other.lock())
            with pytest.raises(StoreError) as refused:
                one.add([drawn(1)])
            words = f"{one.database.where}: in use by another `lanista tournament run` or arena"
            assert f"{words}, still so after 0.05 s" == str(refused.value)
            with pytest.raises(StoreError, match="in use by another"):
                one.set_meta("key", "value")
            assert ["id2"] == other.add([drawn(2)])
        # The other one has gone.
        with patient():
            assert ["id1"] == one.add([drawn(1)])
        with pytest.raises(StoreError, match="in use by another"), other.lock():
            pass


def test_a_server_that_has_gone_is_known_to_be(new_schema):
    """Keepalives find it out; the URL may set others, and the server has its own."""
    by_server = sa.text("SELECT source FROM pg_settings WHERE name = 'tcp_keepalives_idle'")

    def told(url):
        with Store.open(url) as store, store.database._engine.connect() as connection:
            assert "session" == connection.scalar(by_server)
            return connection.connection.driver_connection.info.get_parameters()

    url = new_schema()
    assert {
        "keepalives_idle": "30",
        "keepalives_interval": "10",
        "keepalives_count": "3",
        "tcp_user_timeout": "60000",
    }.items() <= told(url).items()
    assert "7" == told(f"{url}&keepalives_idle=7")["keepalives_idle"]


def test_two_tournaments_have_locks_of_their_own(new_schema, tmp_path):
    """Also in two schemas of one PostgreSQL database."""
    for first, second in ((new_schema(), new_schema()), (tmp_path / "a.db", tmp_path / "b.db")):
        with Store.open(first) as one, Store.open(second) as two, one.lock(), two.lock():
            assert 1 == len(one.add([drawn(1)]))
            assert [] == asking(two).played()


def test_a_lock_by_another_name_of_the_file(tmp_path):
    (tmp_path / "link.db").symlink_to(tmp_path / "cup.db")
    with (
        Store.open(tmp_path / "cup.db") as one,
        Store.open(tmp_path / "link.db") as two,
        one.lock(),
        pytest.raises(StoreError),
        two.lock(),
    ):
        pass


HOLDING = """
import os, sys
from lanista.results.database import Store
with Store.open(sys.argv[1]) as store, store.lock():
    if sys.argv[2] == "fork" and os.fork() == 0:
        # A worker that outlives its manager. When it runs, it has let go of what it got.
        print("held", flush=True)
        os.read(0, 1)
        os._exit(0)
    if sys.argv[2] != "fork":
        print("held", flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize(
    ("kind", "workers"),
    [
        pytest.param("sqlite", "none", marks=pytest.mark.long),
        ("sqlite", "fork"),
        ("postgresql", "none"),
        pytest.param("postgresql", "fork", marks=pytest.mark.long),
    ],
    indirect=["kind"],
)
def test_a_lock_goes_with_its_process(target, workers, impatient):
    """Killed, and even when a worker that it forked lives on, until the end of its input."""
    with (
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", HOLDING, str(target), workers],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as process,
        Store.open(target) as store,
    ):
        assert "held\n" == process.stdout.readline()
        with pytest.raises(StoreError), store.lock():
            pass
        process.kill()
        process.wait()
        if workers == "none" or store.database._path:
            with patient(), store.lock():
                pass
