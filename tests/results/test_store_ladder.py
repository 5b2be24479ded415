"""A ladder's matches, stored one by one: blocks may be incomplete, and names may be struck."""

import collections
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import attrs
import pytest

from lanista.match.ending import Ending
from lanista.results import ladder_reading
from lanista.results.base import Database
from lanista.results.data_folder import DataFolder
from lanista.results.database import Store
from lanista.results.errors import StoreError
from lanista.results.ladder_reading import OpponentScore, SeatScore
from results import postgres
from results.samples import block, drawn, interleaved, match, seat, stored

HERE = Path(__file__).parent
CRASH, VOID = Ending.CRASH, Ending.VOID
WON, LOST = (seat("Ant", 1), seat("Bee", 2)), (seat("Ant", 2), seat("Bee", 1))


def in_order(result):
    """The block with its matches in the order in which a ladder reads them."""
    return attrs.evolve(result, matches=tuple(sorted(result.matches, key=lambda m: m.seating)))


def counted(store, window=None, **more):
    with store.ladder_reading(window) as now:
        return list(now.counted_matches(**more))


def test_everything_comes_back(store):
    """Match by match and many at once; blocks are numbered by their first matches."""
    given = interleaved(range(6))
    assert [1] == store.add_matches(given[:1])
    assert list(range(2, len(given) + 1)) == store.add_matches(given[1:])
    expected = [(one.block, one.bots, one.seed, one.map, *one.matches) for one in given]
    found = [(one.block, one.bots, one.seed, one.map, one.match) for one in store.matches()]
    assert expected == found[::-1]
    assert [f"id{number}" for number in range(6)] == [each.id for each in store.played()]
    assert [result.block for result in given] == [
        one.block for one in sorted(store.matches(), key=lambda one: one.number)
    ]


def test_a_match_that_is_there_is_left_as_it_is(store):
    first = block(1, match(0, *WON))
    other = block(1, match(0, *LOST, turns=7), match(1, *WON))
    assert [1] == store.add_matches([first])
    assert [1, 2] == store.add_matches([other])
    assert [2, 1, 3, 3] == store.add_matches(
        [block(1, match(1, *LOST)), first, block(2, match(0, *WON)), block(2, match(0, *LOST))]
    )
    assert [] == store.add_matches([])
    assert [block(1, match(0, *WON), match(1, *WON)), block(2, match(0, *WON))] == stored(store)
    assert [] == store.add([block(1)])


def test_an_attempt_after_a_void_one(store):
    void = match(0, seat("Ant", 1, VOID), seat("Bee", 1, VOID), end="void")
    assert [1] == store.add_matches([block(1, void)])
    assert [] == counted(store)
    assert [2] == store.add_matches([block(1, match(0, *WON, attempt=2))])
    assert [(2, (1, 2))] == [(one.number, one.ranks) for one in counted(store)]


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (block(1, match(1, *WON), seed=7), "block id1: seed 7, but before 1"),
        (block(1, match(1, *WON), map="maze"), "block id1: map maze, but before "),
        (block(1, match(1, *WON), bots=("Ant", "Cat")), "block id1: bots"),
        (block(1, match(0, *WON, attempt=2)), "block id1: seating 0 has a match that counts"),
    ],
)
def test_a_block_that_contradicts_itself_is_refused(store, other, words):
    """And nothing else of the same transaction is stored; within one call too."""
    good = block(1, match(0, *WON))
    with pytest.raises(ValueError, match=words):
        store.add_matches([good, other])
    assert [] == stored(store)
    store.add_matches([good])
    with pytest.raises(ValueError, match=words):
        store.add_matches([block(2), other])
    assert [good] == stored(store)


def test_matches_are_read_in_the_order_of_commits(store, monkeypatch):
    """All, those after a number, the latest ones; page by page."""
    monkeypatch.setattr(ladder_reading, "PAGE", 3)
    given = interleaved(range(8))
    store.add_matches(given)
    expected = [
        (
            *(number, one.bots),
            *(tuple(part.rank for part in found.seats),),
            frozenset(part.bot for part in found.seats if part.ending not in {"normal", "void"}),
        )
        for number, one in enumerate(given, 1)
        for found in one.matches
        if found.counted
    ]
    assert len(expected) < len(given)
    assert expected == [tuple(one[:-1]) for one in counted(store)]
    assert expected[5:] == [tuple(one[:-1]) for one in counted(store, after=expected[4][0])]
    for window in (2, 5):
        assert expected[-window:] == [tuple(one[:-1]) for one in counted(store, window=window)]
    assert [] == counted(store, after=len(given))
    assert {"+00:00"} == {one.committed[-6:] for one in counted(store)}
    with store.ladder_reading() as now:
        assert len(given) == now.last_number()


def test_the_last_matches_of_each_bot(store, monkeypatch):
    """Those that count, so void ones and a struck bot's give way to older ones."""
    monkeypatch.setattr(ladder_reading, "MOST_BOUND", 3)
    store.add_matches(interleaved(range(8)))
    store.strike(store.played()[0].bots[0])
    all_ = counted(store)
    played, expected = collections.Counter(), set()
    for one in reversed(all_):
        seated = one.bots
        if any(played[bot] < 2 for bot in seated):
            expected.add(one.number)
        played.update(seated)
    assert 0 < len(expected) < len(all_)
    with store.ladder_reading() as now:
        assert [one for one in all_ if one.number in expected] == list(now.last_matches(2))


def test_outside_of_the_window_nothing_counts(store):
    """All queries agree; matches that don't count take no place in the window."""
    void = match(0, seat("Ant", 1, VOID), seat("Bee", 1, VOID), end="void")
    store.add_matches(
        [
            block(1, match(0, *WON), match(1, seat("Bee", 1), seat("Ant", 2, CRASH))),
            block(2, match(0, seat("Ant", 1), seat("Cat", 2, late=3)), bots=("Ant", "Cat")),
            block(3, void),
            block(4, match(0, seat("Ant", 1), seat("Dog", 2)), bots=("Ant", "Dog")),
            block(5, match(0, *LOST, attempt=2)),
            block(6, match(0, seat("Cat", 1), seat("Ant", 2)), bots=("Cat", "Ant")),
        ]
    )
    store.strike("Dog")
    assert [3, 6, 7] == [one.number for one in counted(store, window=3)]
    with store.ladder_reading(3) as now:
        assert [
            OpponentScore(opponent="Bee", won=0, tied=0, lost=1),
            OpponentScore(opponent="Cat", won=1, tied=0, lost=1),
        ] == now.opponents("Ant")
        assert [3] == [sum(score.matches for score in now.seats("Ant"))]
        assert {Ending.NORMAL: 3} == now.bot_endings("Ant")
        endings = now.endings()
        assert {"Ant", "Bee", "Cat"} == endings.bots.keys()
        assert {Ending.NORMAL: 3, VOID: 1} == endings.bots["Ant"].endings
        assert 3 == endings.bots["Cat"].late
        assert {Ending.NORMAL: 2, VOID: 1} == now.endings(["id2"]).bots["Ant"].endings
        assert 7 == len(list(now.matches()))  # everything stays stored


def test_a_struck_bots_matches_do_not_count_until_they_are_put_back(store):
    """For nobody that played in them; what comes later counts."""
    store.add_matches([block(1, match(0, *WON)), block(2, match(0, seat("Cat"), seat("Bee", 2)))])
    store.strike("Ant")
    store.add_matches([block(1, match(1, *LOST)), block(3, match(0, *WON))])
    assert [2, 3, 4] == [one.number for one in counted(store)]
    endings = store.endings()
    assert {"Ant": 2, "Bee": 3, "Cat": 1} == {
        name: bot.endings[Ending.NORMAL] for name, bot in endings.bots.items()
    }
    assert {"Bee": 2, "Cat": 1, "Ant": 1} == {
        name: bot.endings[Ending.NORMAL] for name, bot in store.endings(["id1"]).bots.items()
    }
    assert 4 == len(list(store.matches()))
    with store.ladder_reading() as now:
        assert ["Ant"] == now.struck()
        assert [OpponentScore(opponent="Bee", won=1, tied=0, lost=1)] == now.opponents("Ant")
    store.strike("Ant")
    assert [2] == [one.number for one in counted(store)]
    store.unstrike("Ant")
    store.unstrike("Nobody")
    assert [1, 2, 3, 4] == [one.number for one in counted(store)]


def test_a_bots_own_results(store):
    store.add_matches(
        [
            block(1, match(0, *WON), match(1, seat("Bee", 1), seat("Ant", 2, CRASH))),
            block(2, match(0, seat("Ant", 1), seat("Cat", 1)), bots=("Ant", "Cat")),
            block(3, match(0, seat("Ant", 1, VOID), seat("Cat", 1, VOID), end="void")),
            block(4, match(0, seat("Bee"), seat("Cat", 2))),
        ]
    )
    with store.ladder_reading() as now:
        assert [
            OpponentScore(opponent="Bee", won=1, tied=0, lost=1),
            OpponentScore(opponent="Cat", won=0, tied=1, lost=0),
        ] == now.opponents("Ant")
        assert [2, 1] == [score.matches for score in now.opponents("Ant")]
        assert [
            SeatScore(seat=0, places=(2, 0), failures=0),
            SeatScore(seat=1, places=(0, 1), failures=1),
        ] == now.seats("Ant")
        assert [2, 1] == [score.matches for score in now.seats("Ant")]
        assert {Ending.NORMAL: 2, CRASH: 1} == now.bot_endings("Ant")
        assert ([], [], {}) == (now.opponents("Dog"), now.seats("Dog"), now.bot_endings("Dog"))
    numbers = [found.number for found in store.matches(bot="Ant")]
    assert [4, 3, 2, 1] == numbers
    assert [3, 2] == [found.number for found in store.matches(bot="Ant", before=4, limit=2)]
    assert [2] == [found.number for found in store.matches(bot="Ant", failures=True)]
    assert [] == list(store.matches(bot="Bee", failures=True))
    assert [5] == [found.number for found in store.matches(["id4"], bot="Bee")]


def test_running_failures_follow_the_matches_not_the_blocks(store):
    """A match of an older block may be the last one."""
    store.add_matches([block(1, match(0, seat("Ant", 2, CRASH), seat("Bee")))])
    store.add_matches([block(2, match(0, *WON))])
    assert {} == store.running_failures(5)
    store.add_matches([block(1, match(1, seat("Bee"), seat("Ant", 2, CRASH)))])
    assert {"Ant": 1} == store.running_failures(5)
    store.unbench("Ant")
    assert {} == store.running_failures(5)


def test_two_arenas_that_share_a_ladder(new_schema):
    """Each match once, numbered in the order of commits, without a lock of a manager."""
    url = new_schema()
    with Store.open(url) as one, Store.open(url) as other, ThreadPoolExecutor(2) as threads:

        def play(store, numbers):
            return [store.add_matches([part])[0] for part in interleaved(numbers)]

        played = [
            threads.submit(play, store, numbers)
            for store, numbers in ((one, range(6)), (other, range(3, 9)))
        ]
        first, second = (each.result() for each in played)
        shared = sum(len(drawn(number).matches) for number in range(3, 6))
        assert shared == len(set(first) & set(second))
        assert sorted({*first, *second}) == list(range(1, len({*first, *second}) + 1))
        found = {in_order(result).block: in_order(result) for result in stored(one)}
        assert {f"id{number}": in_order(drawn(number)) for number in range(9)} == found


def test_ladders_in_one_database_know_nothing_of_each_other(store):
    """Nor does a tournament: the same bots, the same blocks; the numbers are of all together."""
    pit, hall, other = (
        Store.of_ladder(store.database, name, game)
        for name, game in [("pit", "angrymob"), ("hall", "angrymob"), ("pit", "hogwarts")]
    )
    void = match(0, seat("Ant", 1, VOID), seat("Bee", 1, VOID), end="void")
    crashed = match(1, seat("Ant", 1), seat("Bee", 2, CRASH))
    for each in (store, pit):
        each.add_matches([block(1, void), block(1, match(0, *WON, attempt=2)), block(1, crashed)])
        each.set_meta("key", f"value {each.competition}")
    hall.add_matches([block(1, match(0, *LOST))])
    pit.strike("Ant")
    hall.unbench("Bee")
    assert f"value {pit.competition}" == pit.meta("key")
    assert (
        1
        == Store.of_ladder(store.database, "hall", "angrymob")
        .endings()
        .bots["Ant"]
        .endings[Ending.NORMAL]
    )
    for each, matches, voids, failed, numbers in [
        (store, 3, 1, {"Bee": 1}, [1, 2, 3]),
        (pit, 3, 1, {"Bee": 1}, [4, 5, 6]),
        (hall, 1, 0, {}, [7]),
        (other, 0, 0, {}, []),
    ]:
        assert numbers == [found.number for found in each.matches()][::-1]
        assert numbers == [found.number for found in each.matches(bot="Bee")][::-1]
        assert failed == each.running_failures(5)
        with each.ladder_reading() as now:
            struck = now.struck()
            assert (["Ant"] if each is pit else []) == struck
            assert ({"Bee": 7} if each is hall else {}) == now.unbenched_until()
            assert (0 if struck else matches - voids) == len(list(now.counted_matches()))
            assert (0 if struck else voids) == now.endings().voids
            assert matches == len(now.meetings("Ant", "Bee", 10))
            assert (numbers or [0])[-1] == now.last_number()
            assert len(numbers) == now.stored()
            assert (0 if struck else matches - voids) == sum(
                score.matches for score in now.opponents("Ant")
            )


def test_a_schema_that_two_create_at_once(server):
    import psycopg

    with psycopg.connect(postgres.url(server, "postgres"), autocommit=True) as connection:
        connection.execute("DROP DATABASE IF EXISTS at_once WITH (FORCE)")
        connection.execute("CREATE DATABASE at_once")
    url = postgres.url(server, "at_once")
    with ThreadPoolExecutor(4) as threads:
        opened = list(threads.map(lambda _: Database.of_arena(DataFolder("data"), url), range(4)))
    for database in opened:
        database.close()


def test_a_backup_holds_what_was_stored(tmp_path):
    """While others read and write; the file that was there is replaced."""
    path, copy = tmp_path / "ladder.db", tmp_path / "copy.db"
    copy.write_text("an older copy")
    given = interleaved(range(6))
    with Store.open(path) as store, store.lock(), Store.open(path, create=False) as backing:
        store.add_matches(given[:10])
        with store.reading() as now:
            now.digests()
            backing.database.backup(copy)
        store.add_matches(given[10:])
        with Store.open(copy) as copied:
            assert 10 == len(list(copied.matches()))
            assert list(store.matches())[-10:] == list(copied.matches())
        backing.database.backup(copy)
    with Store.open(copy, create=False) as copied:
        assert len(given) == len(list(copied.matches()))
    assert not list(tmp_path.glob("*.part*"))


def test_a_backup_that_cannot_be_made_is_told(tmp_path, store, kind):
    if kind == "postgresql":
        with pytest.raises(StoreError, match="use pg_dump to back up a PostgreSQL database"):
            store.database.backup(tmp_path / "copy.db")
        return
    with pytest.raises(StoreError, match=r"away/copy\.db: the copy can't be written"):
        store.database.backup(tmp_path / "away" / "copy.db")
    with pytest.raises(StoreError, match="the database itself"):
        store.database.backup(tmp_path / "cup.db")


ADDING = """
import sys
from samples import interleaved
from lanista.results.base import Database
from lanista.results.database import Store
given = interleaved(range(int(sys.argv[2]), int(sys.argv[2]) + 200))
with Store.open(sys.argv[1]) as store:
    at, size = 0, 1
    while at < len(given):
        print(*store.add_matches(given[at : at + size]), flush=True)
        at, size = at + size, size % 4 + 1
"""


def killed(path, times):
    """Kill a process that adds matches, in the middle of that, again and again."""
    chance = random.Random(times)
    acknowledged, given = 0, []
    for run in range(times):
        first = 1000 * run
        with subprocess.Popen(
            [sys.executable, "-W", "error", "-c", ADDING, str(path), str(first)],
            stdout=subprocess.PIPE,
            text=True,
            cwd=HERE,
        ) as process:
            for _ in range(chance.randrange(1, 12)):
                acknowledged = max(map(int, process.stdout.readline().split()))
            # Not in step with what it says: somewhere in what comes next.
            for _ in range(chance.randrange(200_000)):
                pass
            process.kill()
            for line in process.stdout:
                acknowledged = max(map(int, line.split()))
        with Store.open(path, create=False) as store:
            found = [
                (one.block, one.bots, one.seed, one.map, one.match) for one in store.matches()
            ][::-1]
        before = len(given)
        # At most the last transaction, of four at most, was stored and not told any more.
        assert acknowledged <= len(found) <= acknowledged + 4
        given += [
            (one.block, one.bots, one.seed, one.map, *one.matches)
            for one in interleaved(range(first, first + 200))[: len(found) - before]
        ]
        assert given == found


def test_a_kill_leaves_every_match_whole_or_away(tmp_path):
    killed(tmp_path / "ladder.db", 2)


@pytest.mark.long
@pytest.mark.timeout(600)
def test_many_kills_leave_every_match_whole_or_away(tmp_path):
    killed(tmp_path / "ladder.db", 40)


def test_meetings_of_two_and_whether_anything_changed(store):
    """The last ones in which both played, void ones too; a strike is a change as well."""
    with store.ladder_reading() as now:
        changes = [now.last_change()]
    given = interleaved(range(6))
    store.add_matches(given)
    store.strike("Ant")
    with store.ladder_reading() as now:
        changes.append(now.last_change())
        for most in (1, 3, 100):
            expected = [
                one.match
                for one in store.matches()
                if {"Bee", "Cat"} <= {part.bot for part in one.match.seats}
            ]
            met = [one.match for one in now.meetings("Bee", "Cat", most)]
            assert expected[:most] == met
        assert [] == now.meetings("Bee", "Dodo", 5)
    store.unstrike("Ant")
    with store.ladder_reading() as now:
        changes.append(now.last_change())
    assert 3 == len(set(changes))
