"""Bots that come back: after their connection broke, or in place of one that still stands."""

import itertools

import pytest
import trio
import trio.testing

from lanista.match.conditions import Clock
from lanista.match.seat import RejoinError
from lanista_protocol import State
from match.loopback import greeted_pair
from match.playing import COUNTING, SKIPPERS, answers, failures_of, heard, leaves, listens, sit
from match.rejoining import ALL, CLOCK, FIVE, REPLACED, back, letters, rejoinable, skip
from support import tinygame
from support.memory import connection_pair

LONG = Clock(time_init=60, time_move=60)

# -- the clock -----------------------------------------------------------------------------------


def dated(times):
    """A watcher that notes when each turn begins."""

    def watcher(game):
        times.append(trio.current_time())

    return watcher


async def test_a_turn_of_an_absent_seat_lasts_its_time(autojump_clock, counting):
    """However fast the others are: the limit of late turns is one of time, too."""
    times = []

    table = counting(rounds=20, clock=CLOCK, **ALL, watcher=dated(times))
    fast = answers(*"1" * 20)
    record = await table.play(leaves(2), fast, fast)
    assert "aa" + 10 * "m" + 8 * "o" == letters(record, 0)
    lasted = [round(after - before, 6) for before, after in itertools.pairwise(times)]
    assert [0, 0, *[0.2] * 10, *[0] * 8] == lasted
    fault = record.turns[11].reason_gone(0)
    words = "closed its connection; late or absent 10 turns in a row, so it is out"
    assert ("disconnected", words) == (fault.code, fault.words)
    assert {"0": "closed its connection"} == record.turns[2].left
    assert [None] * 9 == [turn.times[0] for turn in record.turns[3:12]]
    assert not any(turn.left for turn in record.turns[3:])
    assert {"disconnected": 1} == record.result.fault_counts[0]


async def test_the_match_goes_on_as_soon_as_the_last_absent_bot_is_back(autojump_clock, counting):
    times = []
    table = counting(clock=CLOCK, **ALL, watcher=dated(times))

    async def returner(end):
        await skip(end, 1)
        await end.read_until("go")
        end.close()
        await trio.sleep(0.25)
        await answers("2", "3")(back(table, 0))

    record = await table.play(returner, FIVE, FIVE)
    assert "ammaa" == letters(record, 0)
    assert [0, 0, 0.2, 0.25, 0.25, 0.25] == [round(at - times[0], 6) for at in times]
    assert {"0"} == set(record.turns[3].rejoined)
    assert ({},) * 3 == record.result.fault_counts
    assert [] == failures_of(table.match)


@pytest.mark.parametrize(("delay", "letter"), [(0.19, "a"), (0.21, "l")])
async def test_the_clock_of_the_first_turn_after_a_return(tmp_path, autojump_clock, delay, letter):
    """It runs from the hand-over over the new connection, whenever that was made, and has the
    limit of that turn, not that of a first answer.
    """

    table = rejoinable(tmp_path)

    async def returner(end):
        end.close()
        await trio.sleep(0.4)
        end = back(table, 0)
        lines = await end.read_until("go")
        assert ["start m1", "game counting", "seat 0", "player 0 Ann"] == lines[:4]
        assert {"clock 1 0.2", "set rounds 5", "turn 1"} <= set(lines)
        await trio.sleep(delay)
        await answers("2", "2", "2")(end) if letter == "l" else await end.say("2")
        if letter == "a":
            await answers("2", "2", "2")(end)

    slow = answers(*"11111", delay=0.15)
    record = await table.play(returner, slow, slow)
    assert "m" + letter == letters(record, 0)[:2]
    arrived = [0, 190_000, 190_000, 190_000] if letter == "a" else [0]
    assert arrived == [*record.turns[1].times[0]]


# -- a connection that still stands ---------------------------------------------------------------


async def test_answers_owed_by_a_replaced_connection_are_forgotten(tmp_path, autojump_clock):
    """It was silent, then another takes its place between its two late answers."""
    table = rejoinable(tmp_path)

    async def returner(end):
        await end.read_until("turn 1")
        await trio.sleep(0.05)
        connection, new = connection_pair("Ann v=1")
        replaced = table.match.rejoin(0, connection)
        assert table.connections[0] is replaced
        assert 1 == replaced.session.owed
        await end.say("8")
        await end.say("9")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(replaced.close, REPLACED)
            nursery.start_soon(answers(*"234"), new)
            nursery.start_soon(listens, end)

    slow = answers(*"11111", delay=0.1)
    record = await table.play(returner, slow, slow)
    assert "lm" + "a" * 3 == letters(record, 0)
    assert [None, None, "2", "3", "4"] == [turn.raw[0] for turn in record.turns]
    assert heard(table.bots[0])[-1] == "error replaced by another connection"
    assert {"0": "was replaced by another connection"} == record.turns[1].left


async def test_of_two_that_come_back_in_a_turn_the_second_plays(tmp_path, autojump_clock):
    table = rejoinable(tmp_path)
    first, first_end = connection_pair("Ann v=1")
    second, second_end = connection_pair("Ann v=1 keep=1")

    async def returner(end):
        await end.read_until("go")
        assert table.connections[0] is table.match.rejoin(0, first)
        assert first is table.match.rejoin(0, second)
        end.close()
        await skip(second_end, 4)

    slow = answers(*"11111", delay=0.1)
    record = await table.play(returner, slow, slow)
    assert "maaaa" == letters(record, 0)
    assert b"" == first_end.heard
    assert State.WAITING is first.session.state
    # It keeps its connection, as its own hello says.
    assert second is table.match.seats[0].connection
    assert State.WAITING is second.session.state
    assert not second.closed


async def test_a_refusal_holds_no_turn_up(counting):
    """What has come by then is looked at, and the turn is over: not only when its time is."""
    first, bot = greeted_pair("Ann v=1")
    table = counting(*SKIPPERS[1:], again=[first], bots=[None], rounds=1, clock=LONG)

    async def answering(_):
        await trio.testing.wait_all_tasks_blocked()
        bot.sendall(b"7\n")
        connection, _ = connection_pair("Ann v=1")
        with pytest.raises(RejoinError):
            table.match.rejoin(0, connection)
        await trio.testing.wait_all_tasks_blocked()
        bot.close()

    with trio.fail_after(30):
        record = await table.play(answering, answers("1"), answers("1"))
    assert "a" == letters(record, 0)


async def test_before_the_first_turn(autojump_clock, counting):
    """While the match is held: the new connection is sent its beginning, the old one nothing."""

    async def hold(game):
        if not game.turn:
            await trio.sleep(2)

    table = counting(clock=CLOCK, **ALL, watcher=hold)

    async def returner(end):
        await trio.sleep(1)
        connection, new = connection_pair("Ann v=1 notes=1")
        await table.match.rejoin(0, connection).close(REPLACED)
        await end.read_rest()
        await answers("x", *"2345")(new)
        assert "note malformed 0" in new.heard.decode()

    record = await table.play(returner, FIVE, FIVE)
    assert "maaaa" == letters(record, 0)
    assert REPLACED == table.bots[0].heard


async def test_a_bot_that_does_not_read_is_absent_and_may_come_back(tmp_path, autojump_clock):
    """A dead connection takes no more bytes: neither side has closed it."""
    table = rejoinable(tmp_path, to_bot=[10, 1 << 20, 1 << 20])

    async def returner(end):
        await trio.sleep(1.1)
        await answers(*"234")(back(table, 0))

    record = await table.play(returner, FIVE, FIVE)
    assert "mmaaa" == letters(record, 0)
    assert {"0": "did not read what it was sent within 1 s"} == record.turns[0].left


async def test_a_connection_that_does_not_read_is_replaced(tmp_path, autojump_clock):
    """Also if it had sent its answer ahead: nobody sends it anything any more."""
    table = rejoinable(tmp_path, to_bot=[10, 1 << 20, 1 << 20])

    async def returner(end):
        await end.say("9")
        await trio.sleep(0.5)
        connection, new = connection_pair("Ann v=1")
        replaced = table.match.rejoin(0, connection)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(replaced.close)
            nursery.start_soon(answers(*"2345"), new)
        assert 10 >= replaced.channel._to_bot.held

    record = await table.play(returner, FIVE, FIVE)
    assert "maaaa" == letters(record, 0)


@pytest.mark.parametrize("has_answered", [False, True])
async def test_a_socket_that_is_replaced_while_its_answer_is_awaited(counting, has_answered):
    """The match no longer waits for it, so that the caller may; what it has sent counts."""
    socket_connection, bot = greeted_pair("Ann v=1")
    table = counting(*SKIPPERS[1:], again=[socket_connection], bots=[None], clock=LONG, **ALL)

    async def returner(_):
        await trio.testing.wait_all_tasks_blocked()
        if has_answered:
            bot.sendall(b"7\n")  # which nobody has been woken for yet
        connection, new = connection_pair("Ann v=1")
        replaced = table.match.rejoin(0, connection)
        assert socket_connection is replaced
        async with trio.open_nursery() as nursery:
            nursery.start_soon(replaced.close, REPLACED)
            nursery.start_soon(answers(*"2345"), new)
            await trio.testing.wait_all_tasks_blocked()
            assert bot.recv(1 << 16).endswith(b"\ngo\n" + REPLACED)
            bot.close()

    record = await table.play(returner, FIVE, FIVE)
    assert (["7"] if has_answered else [None]) + [*"2345"] == [turn.raw[0] for turn in record.turns]
    assert socket_connection.closed


# -- the end -------------------------------------------------------------------------------------


async def test_a_bot_that_is_still_away_at_the_end_is_out(tmp_path, autojump_clock):
    """Though fewer turns were missing than the limit."""
    table = rejoinable(tmp_path)
    record = await table.play(leaves(3), FIVE, FIVE)
    assert "aaamm" == letters(record, 0)
    words = "closed its connection; it was not back at the match's end"
    assert [(4, 0, "disconnected", words)] == [
        (fault.turn, fault.seat, fault.code, fault.words) for fault in record.result.faults
    ]
    (failure,) = failures_of(table.match)
    assert (0, (f"disconnected: {words}",)) == (failure.seat, failure.reasons)
    assert [2, 3] == [exchange.turn for exchange in failure.turns]


async def test_an_interrupt_closes_what_was_broken(tmp_path, autojump_clock):
    table = rejoinable(tmp_path)

    async def leaver(end):
        end.close()
        await trio.sleep(0.5)
        table.match.interrupt()

    record = await table.play(leaver, answers("1"), answers("1"))
    assert "aborted" == record.result.end
    assert [True] * 3 == [connection.closed for connection in table.connections]
    assert [] == failures_of(table.match)
    assert 0 == record.result.turns


# -- the operator --------------------------------------------------------------------------------


@pytest.mark.parametrize("at", [0.5, 1.1])
async def test_an_absent_bot_is_kicked(tmp_path, autojump_clock, at):
    """At once, and it can't come back."""
    table = rejoinable(tmp_path)

    async def leaver(end):
        end.close()
        await trio.sleep(at)
        table.match.kick(0, "enough")
        with pytest.raises(RejoinError, match=r"its seat is being removed \(enough\)"):
            back(table, 0)
        await trio.sleep(0.2)
        with pytest.raises(RejoinError, match=r"its seat is out \(shutdown: enough\)"):
            back(table, 0)

    slow = answers(*"11111", delay=0.1)
    record = await table.play(leaver, slow, slow)
    assert {0.5: "moooo", 1.1: "mmooo"}[at] == letters(record, 0)
    assert {"shutdown": 1} == record.result.fault_counts[0]


async def test_a_bot_that_is_kicked_when_it_has_just_come_back_is_told(tmp_path, autojump_clock):
    table = rejoinable(tmp_path)
    told = []

    async def leaver(end):
        end.close()
        await trio.sleep(0.5)
        end = back(table, 0)
        table.match.kick(0, "enough")
        told.extend(await end.read_rest())
        end.close()

    record = await table.play(leaver, FIVE, FIVE)
    assert "moooo" == letters(record, 0)
    assert ["error shutdown enough"] == told
    assert not any(seat.successor for seat in table.match.seats)


# -- where nobody comes back ---------------------------------------------------------------------


class Dialect:
    """The smallest dialect, which only asks for answers."""

    def opening(self, *_):
        return b"go\n"

    def turn(self, *_):
        return b"go\n"

    def closing(self, *_):
        return b""


class InTwoDialects(tinygame.CountingRules):
    classic = Dialect()


BOUND = {
    "a seat that may not": (COUNTING, SKIPPERS, {"may_rejoin": (1, 2)}, CLOCK),
    "by default": (COUNTING, SKIPPERS, {}, CLOCK),
    "a first answer without a limit": (COUNTING, SKIPPERS, ALL, Clock(time_init=0, time_move=0.2)),
    "other answers without a limit": (COUNTING, SKIPPERS, ALL, Clock(time_init=1, time_move=0)),
    "a dialect": (InTwoDialects(), ["Ann", "Bob v=1", "Cy v=1"], ALL, CLOCK),
}


@pytest.mark.parametrize("name", BOUND)
async def test_where_a_bot_can_not_come_back_it_is_out(tmp_path, autojump_clock, name):
    ruleset, hellos, extra, limits = BOUND[name]
    table = sit(tmp_path, ruleset, hellos, clock=limits, **extra)

    async def leaver(end):
        connection, _ = connection_pair("Ann v=1")
        with pytest.raises(RejoinError, match="in this match a bot can't come back to its seat"):
            table.match.rejoin(0, connection)
        await skip(end, 1)
        end.close()

    record = await table.play(leaver, FIVE, FIVE)
    assert "amooo" == letters(record, 0)


async def test_nor_can_it_by_a_dialect(tmp_path, autojump_clock):
    """Its connection in version 1 plays on."""
    table = sit(tmp_path, InTwoDialects(), SKIPPERS, clock=CLOCK, **ALL)
    connection, _ = connection_pair("Ann")
    with pytest.raises(RejoinError, match="only if it speaks version 1"):
        table.match.rejoin(0, connection)
    record = await table.play(*[FIVE] * 3)
    assert "aaaaa" == letters(record, 0)


async def test_nor_where_a_fault_forfeits(autojump_clock, angrymob):
    table = angrymob(may_rejoin=(0, 1))

    record = await table.play(leaves(), answers(""))
    assert ("forfeit", (2, 1)) == (record.result.end, record.result.ranks)


async def test_a_bot_that_is_out_can_not_come_back(tmp_path, autojump_clock):
    """Nor if it is put out by what it sent before it was replaced."""
    table = rejoinable(tmp_path)

    async def rubbish(end):
        await end.read_until("go")
        end.write_now(b"\xff\n", stamp=None)
        connection, _ = connection_pair("Ann v=1")
        with pytest.raises(RejoinError, match=r"its seat is out \(not-utf8: "):
            table.match.rejoin(0, connection)
        await end.read_rest()
        end.close()

    record = await table.play(rubbish, FIVE, FIVE)
    assert "moooo" == letters(record, 0)
    assert heard(table.bots[0])[-1].startswith("error not-utf8")
