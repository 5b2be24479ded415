"""What goes into the database comes out of it, on SQLite and on PostgreSQL."""

import collections

import pytest
import sqlalchemy as sa

from lanista.games.outcome import FAILURES, Ending
from lanista.results import reading
from lanista.results.database import Store
from lanista.results.match_result import Benching
from results.samples import asking, block, drawn, ended, match, seat, stored

NORMAL, CRASH, LATE, VOID = Ending.NORMAL, Ending.CRASH, Ending.LATE, Ending.VOID


def test_everything_comes_back(store):
    """Also seeds of 64 bits, signed or not, and texts that no database holds."""
    blocks = [drawn(number) for number in range(40)]
    assert [result.block for result in blocks] == store.add(blocks)
    assert blocks == stored(store)


def test_a_block_that_is_there_is_left_as_it_is(store):
    first, other = block(1, seed=5), block(1, seed=6)
    assert ["id1"] == store.add([first])
    assert ["id2"] == store.add([other, block(2)])
    assert [] == store.add([other])
    assert [] == store.add([])
    assert [first, block(2)] == stored(store)


def test_what_another_thread_still_uses_is_closed_when_it_is_given_back(target):
    """The end of an arena doesn't wait for threads that only read."""
    store = Store.open(target)
    connection = store.database._engine.connect()
    raw = connection.connection.driver_connection
    store.close()
    assert 1 == connection.scalar(sa.select(1))
    connection.close()
    with pytest.raises(Exception, match="closed"):
        raw.execute("SELECT 1")


def test_played_is_in_the_order_of_commits(store):
    """Void matches left out, ranks by seating whatever the order played."""
    void = match(1, seat("Bee", 1, VOID), seat("Ant", 1, VOID), end="void")
    again = match(1, seat("Bee", 1), seat("Ant", 2), attempt=2)
    store.add([block(3, again, void, match(0, seat("Ant", 1), seat("Bee", 1)), map="maze")])
    store.add([block(2, seed=-(2**63)), block(1, seed=2**64 - 1)])
    bots = ("Ant", "Bee")
    assert [
        ("id3", bots, 3, "maze", ((1, 1), (1, 2))),
        ("id2", bots, -(2**63), "", ((1, 2), (2, 1))),
        ("id1", bots, 2**64 - 1, "", ((1, 2), (2, 1))),
    ] == asking(store).played()


def test_played_with_more_than_ten_seatings(store):
    """All 24 of four players, in the order of their numbers, not of their letters."""
    matches = [
        match(seating, *(seat("Ant", 1 + (seating + at) % 24) for at in range(4)))
        for seating in range(24)
    ]
    store.add([block(1, *reversed(matches))])
    [found] = asking(store).played()
    assert [seating + 1 for seating in range(24)] == [ranks[0] for ranks in found.ranks]


@pytest.mark.parametrize("seatings", [(), (1,), (0, 0), (0, 2)])
def test_a_block_that_is_not_whole_is_refused(store, seatings):
    """Each seating has one match that counts (BlockResult)."""
    void = match(0, seat("Ant", 1, VOID), seat("Bee", 1, VOID), end="void")
    matches = [match(number, seat("Ant"), seat("Bee"), attempt=2) for number in seatings]
    with pytest.raises(ValueError, match="block id1: the seatings that count"):
        store.add([block(2), block(1, void, *matches)])
    assert [] == asking(store).played()


def tallied(blocks):
    """The endings as `results` says them, counted one by one."""
    endings, faults, voids = {}, {}, 0
    for result in blocks:
        for found in result.matches:
            voids += not found.counted
            for part in found.seats:
                ending = part.ending if found.counted else VOID
                endings.setdefault(part.bot, collections.Counter())[ending] += 1
                of_bot = faults.setdefault(part.bot, collections.Counter())
                for fault in ("late", "malformed", "illegal"):
                    of_bot[fault] += found.counted * getattr(part, fault)
    return voids, {bot: (dict(of_bot), dict(faults[bot])) for bot, of_bot in endings.items()}


def told(endings):
    return endings.voids, {
        bot: (
            dict(of_bot.endings),
            {fault: getattr(of_bot, fault) for fault in ("late", "malformed", "illegal")},
        )
        for bot, of_bot in endings.bots.items()
    }


def test_endings_are_counted_bot_by_bot(store, monkeypatch):
    monkeypatch.setattr(reading, "MOST_BOUND", 7)  # several statements for the blocks left out
    blocks = [drawn(number) for number in range(30)]
    store.add(blocks)
    assert tallied(blocks) == told(asking(store).endings())
    for without in (["id3"], [f"id{number}" for number in range(3, 25)], ["nobody's"]):
        kept = [result for result in blocks if result.block not in without]
        assert tallied(kept) == told(asking(store).endings(without))
    assert (0, {}) == told(asking(store).endings({result.block for result in blocks}))


def test_a_void_match_is_void_for_all_in_it(store):
    """Even where one of them had failed already."""
    void = match(0, seat("Ant", 1, CRASH, late=4), seat("Bee", 1, VOID), end="void")
    store.add([block(1, void, match(0, seat("Ant"), seat("Bee"), attempt=2))])
    assert {NORMAL: 1, VOID: 1} == asking(store).endings().bots["Ant"].endings
    assert 0 == asking(store).endings().bots["Ant"].late
    assert {} == asking(store).running_failures(5)


@pytest.mark.parametrize(
    ("blocks", "expected"),
    [
        ([], {}),
        ([[CRASH, NORMAL]], {}),
        ([[NORMAL, CRASH]], {"Ant": 1}),
        ([[NORMAL, CRASH], [LATE, CRASH]], {"Ant": 3}),
        ([[CRASH, CRASH], [NORMAL, CRASH]], {"Ant": 1}),
        ([[CRASH, VOID, CRASH]], {"Ant": 2}),
        ([[CRASH] * 4, [CRASH] * 4], {"Ant": 5}),
    ],
)
def test_failures_running_are_counted_from_the_newest(store, blocks, expected):
    store.add([ended(number, *endings) for number, endings in enumerate(blocks)])
    assert expected == asking(store).running_failures(5)


@pytest.mark.parametrize("ending", Ending)
def test_which_endings_are_failures(store, ending):
    """results.FAILURES; a void match is none, whoever is in it."""
    store.add([ended(1, ending, NORMAL) if ending is VOID else ended(1, ending)])
    assert ({"Ant": 1} if ending in FAILURES else {}) == asking(store).running_failures(5)


def test_the_order_played_counts_not_that_of_the_seatings(store):
    fine, failed = match(0, seat("Ant"), seat("Bee")), match(1, seat("Bee"), seat("Ant", 1, CRASH))
    store.add([block(1, failed, fine)])
    assert {} == asking(store).running_failures(5)
    store.add([block(2, fine, failed)])
    assert {"Ant": 1} == asking(store).running_failures(5)


def test_one_failed_seat_of_several_fails_the_match(store):
    seats = [seat("Ant", 1, CRASH), seat("Ant"), seat("Bee"), seat("Bee")]
    store.add([block(1, match(0, *seats), match(1, *reversed(seats)))])
    assert {"Ant": 2} == asking(store).running_failures(5)


def test_another_bots_blocks_do_not_end_a_run(store):
    store.add([ended(1, CRASH), *(block(n, bots=("Cat", "Dog")) for n in range(2, 30))])
    assert {"Ant": 1} == asking(store).running_failures(5)


def test_a_pardon_forgets_what_was(store):
    store.unbench("Ant")
    store.add([ended(1, CRASH, CRASH), ended(2, CRASH, CRASH, bot="Cat")])
    assert {"Ant": 2, "Cat": 2} == asking(store).running_failures(5)
    store.unbench("Ant")
    assert {"Cat": 2} == asking(store).running_failures(5)
    store.add([ended(3, CRASH)])
    assert {"Ant": 1, "Cat": 2} == asking(store).running_failures(5)
    store.unbench("Ant")
    assert {"Cat": 2} == asking(store).running_failures(5)


def test_a_changed_identity_forgets_what_was(store):
    """The same one again does not."""
    store.set_identity("Ant", '{"command": "a"}')
    store.add([ended(1, CRASH)])
    store.set_identity("Ant", '{"command": "a"}')
    assert {"Ant": 1} == asking(store).running_failures(5)
    store.set_identity("Ant", '{"command": "b"}')
    assert {} == asking(store).running_failures(5)
    assert {"Ant": '{"command": "b"}'} == asking(store).identities()


def test_a_first_identity_forgets_nothing_and_brings_nobody_back(store):
    store.add([ended(1, CRASH)], [benching("Ant", 1)])
    store.set_identity("Ant", "{}")
    assert {"Ant": 1} == asking(store).running_failures(5)
    assert [benching("Ant", 1)] == asking(store).benched()


def benching(bot, number, failures=5):
    return Benching(bot=bot, block=f"id{number}", failures=failures)


def test_who_is_benched_in_the_order_it_came(store, target):
    """Of the blocks, not of letters or transactions; of one block, by name."""
    store.add([block(1), block(2)], [benching("Cat", 2), benching("Dog", 1, 6)])
    store.add([block(3)], [benching("Dög", 3), benching("Bee", 3), benching("Dog", 3)])
    expected = [benching("Dog", 1, 6), benching("Cat", 2), benching("Bee", 3), benching("Dög", 3)]
    assert expected == asking(store).benched()
    with Store.open(target, create=False) as again:
        assert expected == asking(again).benched()


def test_a_bot_is_benched_after_a_block_that_was_there(store):
    store.add([block(1)])
    assert [] == store.add([], [benching("Ant", 1)])
    assert [benching("Ant", 1)] == asking(store).benched()


def test_nothing_is_stored_when_a_bot_is_benched_after_no_block(store):
    with pytest.raises(KeyError, match="id2"):
        store.add([block(1)], [benching("Ant", 2)])
    assert ([], []) == (asking(store).played(), asking(store).benched())


def test_a_block_that_went_well_does_not_bring_a_bot_back(store):
    store.add([ended(1, CRASH, CRASH)], [benching("Ant", 1, 2)])
    store.add([block(2)])
    assert ({}, [benching("Ant", 1, 2)]) == (
        asking(store).running_failures(2),
        asking(store).benched(),
    )


def test_a_pardon_or_another_identity_brings_a_bot_back(store):
    for name in ("Ant", "Bee", "Cat"):
        store.set_identity(name, "{}")
    store.add([block(1)], [benching(name, 1) for name in ("Ant", "Bee", "Cat")])
    store.set_identity("Ant", "{}")
    assert 3 == len(asking(store).benched())
    store.set_identity("Ant", '{"command": "b"}')
    assert [benching("Bee", 1), benching("Cat", 1)] == asking(store).benched()
    store.unbench("Bee")
    assert [benching("Cat", 1)] == asking(store).benched()


def test_meta(store, target):
    assert None is asking(store).meta("base")
    store.set_meta("base", "42")
    store.set_meta("base", "43")
    store.set_meta("other", "")
    with Store.open(target, create=False) as again:
        assert ("43", "") == (asking(again).meta("base"), asking(again).meta("other"))


def test_matches_are_told_newest_first(store, monkeypatch):
    monkeypatch.setattr(reading, "PAGE", 3)
    blocks = [drawn(number) for number in range(10)]
    store.add(blocks[:4])
    store.add(blocks[4:])
    expected = [
        (result.block, found) for result in reversed(blocks) for found in reversed(result.matches)
    ]

    def found(**more):
        return [(one.block, one.match) for one in asking(store).matches(**more)]

    def failed(of):
        return [one for one in of if any(part.ending in FAILURES for part in one[1].seats)]

    assert expected == found()
    assert failed(expected) == found(failures=True)
    assert 10 < len(failed(expected)) < len(expected)
    assert expected[:5] == found(limit=5)
    assert failed(expected)[:5] == found(failures=True, limit=5)


def test_matches_are_found_by_bots_endings_and_faults(store):
    """A filter holds for the bot that is named, or for any; void matches only if asked for."""
    blocks = [drawn(number) for number in range(10)]
    store.add(blocks)
    all_ = [found for result in reversed(blocks) for found in reversed(result.matches)]

    def found(**filters):
        with store.reading() as now:
            return [one.match for one in now.matches(**filters)]

    def expected(fits, bot=None):
        return [
            one
            for one in all_
            if any(fits(one, seat) for seat in one.seats if bot in (None, seat.bot))
        ]

    def met(one, _):
        return "Bee" in {seat.bot for seat in one.seats}

    def crashed(one, seat):
        return one.counted and seat.ending is Ending.CRASH

    def was_late(one, seat):
        return one.counted and seat.late > 0

    def is_void(one, _):
        return not one.counted

    assert expected(met, "Ant") == found(bot="Ant", opponent="Bee")
    assert expected(crashed) == found(ending=Ending.CRASH)
    assert expected(crashed, "Ant") == found(bot="Ant", ending=Ending.CRASH)
    assert expected(is_void, "Ant") == found(bot="Ant", ending=Ending.VOID)
    assert expected(was_late, "Ant") == found(bot="Ant", fault="late")
    assert 0 < len(expected(crashed, "Ant")) < len(expected(crashed))


def test_questions_of_one_moment_hear_nothing_of_later_ones(store, target):
    store.add([block(1)])
    with Store.open(target) as writer, store.reading() as now:
        assert 1 == len(now.played())
        writer.add([block(2)])
        assert 1 == len(now.played())
        assert 2 == now.endings().bots["Ant"].endings[NORMAL]
        assert 2 == len(asking(store).played())
