"""A ladder's matches, which are stored one by one; names may be struck."""

import collections
from concurrent.futures import ThreadPoolExecutor

import pytest

from lanista.errors import StoreError
from lanista.games.outcome import Ending
from lanista.results import ladder_reading, reading
from lanista.results.base import Database
from lanista.results.data_folder import DataFolder
from lanista.results.database import Store
from lanista.results.ladder_reading import OpponentScore, SeatScore
from results.samples import alone, asking, block, drawn_alone, match, seat, stored_alone

CRASH, VOID = Ending.CRASH, Ending.VOID
WON, LOST = (seat("Ant", 1), seat("Bee", 2)), (seat("Ant", 2), seat("Bee", 1))


def counted(store, window=None, **more):
    with store.ladder_reading(window) as now:
        return list(now.counted_matches(**more))


def test_everything_comes_back(store):
    """Match by match and many at once."""
    given = drawn_alone(range(6))
    assert [1] == store.add_matches(given[:1])
    assert list(range(2, len(given) + 1)) == store.add_matches(given[1:])
    assert given == stored_alone(store)


def test_a_match_that_is_there_is_left_as_it_is(store):
    """A match is known by its id, also within one transaction."""
    first, second = alone(1, *WON), alone(2, *WON)
    assert [1] == store.add_matches([first])
    assert [1, 2] == store.add_matches([alone(1, *LOST, turns=7), second])
    assert [2, 1, 3, 3] == store.add_matches(
        [alone(2, *LOST), first, alone(3, *WON), alone(3, *LOST)]
    )
    assert [] == store.add_matches([])
    assert [first, second, alone(3, *WON)] == stored_alone(store)


def test_matches_are_read_in_the_order_of_commits(store, monkeypatch):
    """All, those after a number, the latest ones; page by page."""
    monkeypatch.setattr(ladder_reading, "PAGE", 3)
    given = drawn_alone(range(8))
    store.add_matches(given)
    expected = [
        (
            number,
            tuple(part.bot for part in one.seats),
            frozenset(part.bot for part in one.seats if part.ending not in {"normal", "void"}),
        )
        for number, one in enumerate(given, 1)
        if one.counted
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
    monkeypatch.setattr(reading, "MOST_BOUND", 3)
    store.add_matches(drawn_alone(range(8)))
    store.strike("Ant")
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
    store.add_matches(
        [
            alone(1, *WON),
            alone(2, seat("Bee", 1), seat("Ant", 2, CRASH)),
            alone(3, seat("Ant", 1), seat("Cat", 2, late=3)),
            alone(4, seat("Ant", 1, VOID), seat("Bee", 1, VOID), end="void"),
            alone(5, seat("Ant", 1), seat("Dog", 2)),
            alone(6, *LOST),
            alone(7, seat("Cat", 1), seat("Ant", 2)),
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
        assert 7 == len(list(now.matches()))  # everything stays stored


def test_a_struck_bots_matches_do_not_count_until_they_are_put_back(store):
    """For nobody that played in them; what comes later counts."""
    store.add_matches([alone(1, *WON), alone(2, seat("Cat"), seat("Bee", 2))])
    store.strike("Ant")
    store.add_matches([alone(3, *LOST), alone(4, *WON)])
    assert [2, 3, 4] == [one.number for one in counted(store)]
    endings = asking(store).endings()
    assert {"Ant": 2, "Bee": 3, "Cat": 1} == {
        name: bot.endings[Ending.NORMAL] for name, bot in endings.bots.items()
    }
    assert 4 == len(asking(store).matches())
    with store.ladder_reading() as now:
        assert ["Ant"] == [*now.struck_until()]
        assert [OpponentScore(opponent="Bee", won=1, tied=0, lost=1)] == now.opponents("Ant")
    store.strike("Ant")
    assert [2] == [one.number for one in counted(store)]
    store.unstrike("Ant")
    store.unstrike("Nobody")
    assert [1, 2, 3, 4] == [one.number for one in counted(store)]


def test_a_bots_own_results(store):
    store.add_matches(
        [
            alone(1, *WON),
            alone(2, seat("Bee", 1), seat("Ant", 2, CRASH)),
            alone(3, seat("Ant", 1), seat("Cat", 1)),
            alone(4, seat("Ant", 1, VOID), seat("Cat", 1, VOID), end="void"),
            alone(5, seat("Bee"), seat("Cat", 2)),
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
    numbers = [found.number for found in asking(store).matches(bot="Ant")]
    assert [4, 3, 2, 1] == numbers
    assert [3, 2] == [found.number for found in asking(store).matches(bot="Ant", before=4, limit=2)]
    assert [2] == [found.number for found in asking(store).matches(bot="Ant", failures=True)]
    assert [] == asking(store).matches(bot="Bee", failures=True)


def test_a_bots_versions(store):
    """In the order of their first matches that count; and who played in each seat of a match."""
    second, third = (seat("Ant", version=number) for number in (2, 3))
    bee = seat("Bee", 2)
    store.add_matches(
        [
            alone(1, seat("Ant", 1, VOID, version=3), seat("Bee", 1, VOID), end="void"),
            alone(2, second, bee),
            alone(3, *WON),
            alone(4, bee, third),
            alone(5, second, bee),
        ]
    )
    with store.ladder_reading() as now:
        assert [(2, 2, 2, 5), (None, 1, 3, 3), (3, 1, 4, 4)] == now.versions("Ant")
        assert [(None, 4, 2, 5)] == now.versions("Bee")
        assert [] == now.versions("Cat")
        (page,) = now.match_pages()
    assert [("Ant", 2), "Bee", "Ant", "Bee", "Bee", ("Ant", 3), ("Ant", 2), "Bee"] == page.bots
    with store.ladder_reading(2) as now:
        assert [(3, 1, 4, 4), (2, 1, 5, 5)] == now.versions("Ant")


def test_two_arenas_that_share_a_ladder(new_schema):
    """Each match once, numbered in the order of commits, without a lock of a manager."""
    url = new_schema()
    with Store.open(url) as one, Store.open(url) as other, ThreadPoolExecutor(2) as threads:

        def play(store, numbers):
            return [store.add_matches([part])[0] for part in drawn_alone(numbers)]

        played = [
            threads.submit(play, store, numbers)
            for store, numbers in ((one, range(6)), (other, range(3, 9)))
        ]
        first, second = (each.result() for each in played)
        shared = len(drawn_alone(range(3, 6)))
        assert shared == len(set(first) & set(second))
        assert sorted({*first, *second}) == list(range(1, len({*first, *second}) + 1))
        found = {each.id: each for each in stored_alone(one)}
        assert {each.id: each for each in drawn_alone(range(9))} == found


def test_ladders_in_one_database_know_nothing_of_each_other(store):
    """Nor does a tournament: the same bots; the numbers are of all together."""
    pit, hall, other = (
        Store.of_ladder(store.database, name, game)
        for name, game in [("pit", "angrymob"), ("hall", "angrymob"), ("pit", "hogwarts")]
    )
    void = (seat("Ant", 1, VOID), seat("Bee", 1, VOID))
    crashed = (seat("Ant", 1), seat("Bee", 2, CRASH))
    store.add(
        [block(1, match(0, *void, end="void"), match(0, *WON, attempt=2), match(1, *crashed))]
    )
    pit.add_matches([alone(1, *void, end="void"), alone(2, *WON), alone(3, *crashed)])
    for each in (store, pit):
        each.set_meta("key", f"value {each.competition}")
    hall.add_matches([alone(4, *LOST)])
    pit.strike("Ant")
    hall.unbench("Bee")
    assert f"value {pit.competition}" == asking(pit).meta("key")
    again = Store.of_ladder(store.database, "hall", "angrymob")
    assert 1 == asking(again).endings().bots["Ant"].endings[Ending.NORMAL]
    for each, matches, voids, failed, numbers in [
        (store, 3, 1, {"Bee": 1}, [1, 2, 3]),
        (pit, 3, 1, {"Bee": 1}, [4, 5, 6]),
        (hall, 1, 0, {}, [7]),
        (other, 0, 0, {}, []),
    ]:
        assert numbers == [found.number for found in asking(each).matches()][::-1]
        assert numbers == [found.number for found in asking(each).matches(bot="Bee")][::-1]
        assert failed == asking(each).running_failures(5)
        with each.ladder_reading() as now:
            struck = [*now.struck_until()]
            assert (["Ant"] if each is pit else []) == struck
            assert ({"Bee": 7} if each is hall else {}) == now.unbenched_until()
            assert (0 if struck else matches - voids) == len(list(now.counted_matches()))
            assert (0 if struck else voids) == now.endings().voids
            assert matches == len(list(now.matches(bot="Ant", opponent="Bee", limit=10)))
            assert (numbers or [0])[-1] == now.last_number()
            assert len(numbers) == now.stored()
            assert (0 if struck else matches - voids) == sum(
                score.matches for score in now.opponents("Ant")
            )


def test_a_schema_that_several_create_at_once(arena_url):
    def create(_):
        return Database.of_arena(DataFolder("data"), arena_url)

    with ThreadPoolExecutor(4) as threads:
        opened = list(threads.map(create, range(4)))
    for database in opened:
        database.close()


def test_a_backup_holds_what_was_stored(tmp_path):
    """While others read and write."""
    path, copy = tmp_path / "ladder.db", tmp_path / "copy.db"
    given = drawn_alone(range(6))
    with Store.open(path) as store, store.lock(), Store.open(path, create=False) as backing:
        store.add_matches(given[:10])
        with store.reading() as now:
            now.last_number()
            backing.database.backup(copy)
        store.add_matches(given[10:])
        with Store.open(copy) as copied:
            assert 10 == len(asking(copied).matches())
            assert asking(store).matches()[-10:] == asking(copied).matches()
            assert 11 < len(given) == len(asking(store).matches())


def test_a_backup_that_cannot_be_made_is_told(tmp_path):
    with (
        Store.open(tmp_path / "cup.db") as store,
        pytest.raises(StoreError, match=r"away/copy\.db: the copy can't be written"),
    ):
        store.database.backup(tmp_path / "away" / "copy.db")


def test_meetings_of_two_and_whether_anything_changed(store):
    """The last ones in which both played, void ones too; a strike is a change as well."""
    with store.ladder_reading() as now:
        changes = [now.last_change()]
    given = drawn_alone(range(6))
    store.add_matches(given)
    store.strike("Ant")
    with store.ladder_reading() as now:
        changes.append(now.last_change())
        for most in (1, 3, 100):
            expected = [
                one
                for one in asking(store).matches()
                if {"Bee", "Cat"} <= {part.bot for part in one.match.seats}
            ]
            met = list(now.matches(bot="Bee", opponent="Cat", limit=most))
            assert expected[:most] == met
        assert [] == list(now.matches(bot="Bee", opponent="Dodo", limit=5))
    store.unstrike("Ant")
    with store.ladder_reading() as now:
        changes.append(now.last_change())
    assert 3 == len(set(changes))
