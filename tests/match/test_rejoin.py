"""Bots that come back: after their connection broke, or in place of one that still stands."""

import itertools
import sys

import attrs
import pytest
import trio
import trio.testing
from hypothesis import example, given
from hypothesis import strategies as st

from lanista.cli.export import as_res
from lanista.games import registry
from lanista.games.base import Late
from lanista.hosting.feeder import Feeder
from lanista.match.absence import RejoinError
from lanista.match.clock import Limits
from lanista.match.ending import FAILURES
from lanista.match.feed import asked_turns, payloads
from lanista.match.record import read_record
from lanista.match.replay import MismatchError, start, verify
from lanista.page.replay_reader import read_frames
from lanista_protocol import State, tokenize
from match.loopback import greeted_pair
from match.playing import (
    ANGRYMOB,
    COUNTING,
    SKIPPERS,
    SMALL,
    answers,
    heard,
    leaves,
    lines_of,
    listens,
    rewritten,
    sit,
)
from support import tinygame
from support.memory import Unread, connection_pair

CLOCK = Limits(1.0, 0.2)
FIVE = answers(*"11111")
ALL = {"may_rejoin": (0, 1, 2)}
REPLACED = b"error replaced by another connection\n"


def rejoinable(folder, **more):
    """A match of three whose bots may all come back."""
    return sit(folder, COUNTING, SKIPPERS, limits=CLOCK, extra=ALL, **more)


def back(table, seat, hello="Ann v=1"):
    """A bot comes back; its new end."""
    connection, end = connection_pair(hello)
    assert table.match.rejoin(seat, connection) is None
    return end


def letters(record, seat):
    """Of each turn, the first letter of a seat's verdict."""
    return "".join(turn.verdicts[seat][0] for turn in record.turns)


async def skip(end, turns):
    """Answer so many turns with 1."""
    for _ in range(turns):
        await end.read_until("go")
        await end.say("1")


# -- whatever breaks when, and whoever comes back when --------------------------------------------

ROUNDS = 8
LATE_LIMIT = 3


@attrs.frozen
class Cut:
    """What a bot does to its connection in a turn, and when it comes back over another."""

    turn: int
    said: str
    """What it says before: nothing, half a line or its answer."""
    is_left: bool
    """Whether it leaves; otherwise the old connection stands, silently."""
    back: float | None
    """After how many seconds it comes back; None: never."""
    hello: str = "Ann v=1"


CUTS = st.builds(
    Cut,
    turn=st.integers(0, ROUNDS - 1),
    said=st.sampled_from(["nothing", "half", "answer"]),
    is_left=st.booleans(),
    back=st.none() | st.sampled_from([0.0, 0.05, 0.2, 0.3, 0.5, 1.3, 5.0]),
    hello=st.sampled_from(["Ann v=1", "Ann v=1 notes=1", "Ann"]),
)
SEATS = st.tuples(
    st.sampled_from([0.0, 0.1]),
    st.lists(CUTS, max_size=3, unique_by=lambda cut: cut.turn).map(
        lambda cuts: tuple(sorted(cuts, key=lambda cut: cut.turn))
    ),
)


@attrs.define(eq=False)
class Player:
    """A bot that answers every turn that it reads with a number of this seat and turn."""

    table: object
    seat: int
    nursery: trio.Nursery
    delay: float
    cuts: list
    ends: list = attrs.field(init=False)
    """The bot's ends of its connections, in order."""
    answered: set = attrs.field(factory=set)
    """The turns whose answers it said in time."""

    def __attrs_post_init__(self):
        self.ends = [self.table.bots[self.seat]]

    async def play(self):
        end = self.ends[-1]
        while True:
            try:
                lines = await end.read_until("go")
            except Unread:
                end.close()
                return
            turn = int(next(line for line in lines if line.startswith("turn ")).split()[1])
            cut = self.cuts.pop(0) if self.cuts and self.cuts[0].turn <= turn else None
            await trio.sleep(self.delay)
            if cut is None or cut.said == "answer":
                self.answered.add(turn)
                await end.say(answer(self.seat, turn))
            elif cut.said == "half":
                await end.write(b"7")
            if cut is not None:
                end = await self.come_back(end, cut)
                if end is None:
                    return

    async def come_back(self, end, cut):
        if cut.is_left:
            end.close()
        else:
            self.nursery.start_soon(listens, end)
        if cut.back is None:
            return None
        await trio.sleep(cut.back)
        connection, end = connection_pair(cut.hello)
        try:
            replaced = self.table.match.rejoin(self.seat, connection)
        except RejoinError:
            return None
        if replaced is not None:
            self.nursery.start_soon(replaced.close, REPLACED)
        self.ends.append(end)
        return end


def answer(seat, turn):
    return str((3 * seat + 7 * turn) % 10)


def play(folder, seats, hellos=SKIPPERS):
    """A match in which the seats' bots do so; the match, its players and its record."""

    async def main():
        table = sit(
            folder,
            COUNTING,
            hellos,
            settings={"rounds": ROUNDS},
            limits=CLOCK,
            late_limit=LATE_LIMIT,
            extra=ALL,
        )
        async with trio.open_nursery() as nursery:
            players = [
                Player(table, seat, nursery, delay, list(cuts))
                for seat, (delay, cuts) in enumerate(seats)
            ]
            for player in players:
                nursery.start_soon(player.play)
            await table.match.run()
            for connection in table.match.unseated():
                assert State.WAITING is connection.session.state
                await connection.close()
        return table, players, await table.finish()

    return trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))


ONE = (0.0, ())


@given(seats=st.tuples(SEATS, SEATS, SEATS))
@example(seats=((0.0, (Cut(1, "nothing", True, None),)), ONE, ONE))
@example(seats=((0.0, (Cut(1, "answer", False, 0.0),)), ONE, ONE))
@example(seats=(*[(0.0, (Cut(2, "half", True, None),))] * 3,))
def test_no_break_changes_more_than_the_turns_that_are_missing(tmp_path_factory, seats):
    folder = tmp_path_factory.mktemp("rejoin")
    table, players, record = play(folder, seats)
    turns = len(record.turns)
    assert turns == verify(record, COUNTING)
    check_same_game(record, players)
    for player in players:
        check_heard(record, player)
        check_gaps(table.match, record, player)


def check_same_game(record, players):
    """The position is that of a match with these answers, in which the bots are silent else."""
    game = start(record, COUNTING)
    for turn in record.turns:
        parsed = []
        for player in players:
            seat = player.seat
            said = turn.turn in player.answered and turn.verdicts[seat] != "out"
            assert said == (turn.verdicts[seat] == "answer")
            assert (answer(seat, turn.turn) if said else None) == turn.raw[seat]
            parsed.append(game.parse(seat, tokenize(turn.raw[seat])) if said else Late())
        game.advance(parsed)
        assert game.digest() == turn.digest


def check_heard(record, player):
    """What each connection was sent is what the record says, byte for byte."""
    fed = [[]]
    for turn, data in zip(record.turns, payloads(record, COUNTING, player.seat), strict=False):
        if str(player.seat) in turn.rejoined:
            assert data.startswith(b"start m1\ngame counting\nseat %d\n" % player.seat)
            fed.append([])
        fed[-1].append(data)
    # Those that came too late were sent nothing.
    assert all(end.heard == b"" for end in player.ends[len(fed) :])
    for end, data in zip(player.ends, map(b"".join, fed), strict=False):
        common = min(len(data), len(end.heard))
        assert data[:common] == end.heard[:common]


def check_gaps(match, record, player):
    """A seat is out once it has missed so many turns; one that is back hasn't failed."""
    seat = match.seats[player.seat]
    history = letters(record, player.seat)
    streak = 0
    for turn, letter in enumerate(history):
        streak = 0 if letter == "a" else streak + 1
        is_out = record.turns[turn].reason_gone(player.seat) is not None
        is_last = turn == len(history) - 1
        if letter == "o":
            continue
        if streak >= LATE_LIMIT and not is_last:
            assert is_out or str(player.seat) in record.turns[turn + 1].rejoined
        elif is_out:
            assert streak >= LATE_LIMIT or is_last, history
    assert (seat.gone is not None) == (match.ending(seat.index)[0] in FAILURES)
    assert (seat.gone is not None) == (seat.index in [one.seat for one in match.failures()])
    if seat.gone is None:
        assert seat.present or seat.successor is not None
        assert "o" not in history
    counts = record.result.fault_counts[player.seat]
    assert counts.get("disconnected", 0) == (seat.gone == "disconnected")
    assert counts.get("late", 0) == history.count("l")


# -- the clock -----------------------------------------------------------------------------------


def dated(times):
    """A watcher that notes when each turn begins."""

    def watcher(game):
        times.append(trio.current_time())

    return watcher


async def test_a_turn_of_an_absent_seat_lasts_its_time(tmp_path, autojump_clock):
    """However fast the others are: the limit of late turns is one of time, too."""
    times = []

    table = sit(
        tmp_path,
        COUNTING,
        SKIPPERS,
        settings={"rounds": 20},
        limits=CLOCK,
        extra={**ALL, "watcher": dated(times)},
    )
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


async def test_the_match_goes_on_as_soon_as_the_last_absent_bot_is_back(tmp_path, autojump_clock):
    times = []
    table = sit(tmp_path, COUNTING, SKIPPERS, limits=CLOCK, extra={**ALL, "watcher": dated(times)})

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
    assert [] == table.match.failures()
    assert 5 == verify(record, COUNTING)


@pytest.mark.parametrize(("delay", "letter"), [(0.19, "a"), (0.21, "l")])
async def test_the_clock_of_the_first_turn_after_it_is_back(
    tmp_path, autojump_clock, delay, letter
):
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


async def test_what_it_says_ahead_on_its_new_connection_counts(tmp_path, autojump_clock):
    """As for any connection: it answers the next turn, 0 s after the hand-over."""
    table = rejoinable(tmp_path)

    async def returner(end):
        end.close()
        await trio.sleep(0.5)
        end = back(table, 0)
        await end.say("4")
        await answers("9", "5", "6", "7")(end)

    record = await table.play(returner, FIVE, FIVE)
    assert [None, "4", "9", "5", "6"] == [turn.raw[0] for turn in record.turns]


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
    assert 5 == verify(record, COUNTING)


async def test_an_answer_that_has_come_counts_although_its_connection_is_replaced(
    tmp_path, autojump_clock
):
    """The new connection is asked for the next turn; no turn is missing."""
    table = rejoinable(tmp_path)

    async def returner(end):
        await skip(end, 1)
        await end.read_until("go")
        end.write_now(b"7\n", stamp=None)
        connection, new = connection_pair("Ann v=1")
        assert table.connections[0] is table.match.rejoin(0, connection)
        end.close()
        await answers(*"234")(new)

    slow = answers(*"11111", delay=0.1)
    record = await table.play(returner, slow, slow)
    assert ["1", "7", "2", "3", "4"] == [turn.raw[0] for turn in record.turns]
    assert not any(turn.left for turn in record.turns)
    assert ["0"] == [*record.turns[2].rejoined]
    assert 5 == verify(record, COUNTING)


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


async def test_a_refusal_holds_no_turn_up(tmp_path):
    """What has come by then is looked at, and the turn is over: not only when its time is."""
    first, bot = greeted_pair("Ann v=1")
    table = sit(
        tmp_path,
        COUNTING,
        SKIPPERS[1:],
        again=[first],
        bots=[None],
        settings={"rounds": 1},
        limits=Limits(60, 60),
    )

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


async def test_before_the_first_turn(tmp_path, autojump_clock):
    """While the match is held: the new connection is sent its beginning, the old one nothing."""

    async def hold(game):
        if not game.turn:
            await trio.sleep(2)

    table = sit(tmp_path, COUNTING, SKIPPERS, limits=CLOCK, extra={**ALL, "watcher": hold})

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
    assert 5 == verify(record, COUNTING)


async def test_a_bot_that_does_not_read_is_absent_and_may_come_back(tmp_path, autojump_clock):
    """A dead connection takes no more bytes: neither side has closed it."""
    table = rejoinable(tmp_path, to_bot=[10, 1 << 20, 1 << 20])

    async def returner(end):
        await trio.sleep(1.1)
        await answers(*"234")(back(table, 0))

    record = await table.play(returner, FIVE, FIVE)
    assert "mmaaa" == letters(record, 0)
    assert {"0": "did not read what it was sent within 1 s"} == record.turns[0].left
    assert 5 == verify(record, COUNTING)


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
    assert 5 == verify(record, COUNTING)


@pytest.mark.parametrize("has_answered", [False, True])
async def test_a_socket_that_is_replaced_while_its_answer_is_awaited(tmp_path, has_answered):
    """The match no longer waits for it, so that the caller may; what it has sent counts."""
    socket_connection, bot = greeted_pair("Ann v=1")
    table = sit(
        tmp_path,
        COUNTING,
        SKIPPERS[1:],
        again=[socket_connection],
        bots=[None],
        limits=Limits(60, 60),
        extra=ALL,
    )

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


async def test_if_nobody_comes_back_the_match_ends_at_the_limit(tmp_path, autojump_clock):
    table = rejoinable(tmp_path, late_limit=2)
    record = await table.play(leaves(), leaves(), leaves())
    assert ["mm"] * 3 == [letters(record, seat) for seat in range(3)]
    assert ("forfeit", "all-out") == (record.result.end, record.result.reason)
    assert 2 == verify(record, COUNTING)
    assert [0, 1, 2] == [failure.seat for failure in table.match.failures()]


async def test_a_bot_that_is_still_away_at_the_end_is_out(tmp_path, autojump_clock):
    """Though fewer turns were missing than the limit."""
    table = rejoinable(tmp_path)
    record = await table.play(leaves(3), FIVE, FIVE)
    assert "aaamm" == letters(record, 0)
    words = "closed its connection; it was not back at the match's end"
    assert [(4, 0, "disconnected", words)] == [
        (fault.turn, fault.seat, fault.code, fault.words) for fault in record.result.faults
    ]
    (failure,) = table.match.failures()
    assert (0, (f"disconnected: {words}",)) == (failure.seat, failure.reasons)
    assert [2, 3] == [exchange.turn for exchange in failure.turns]
    assert 5 == verify(record, COUNTING)


async def test_a_bot_that_comes_back_in_the_last_turn_waits_for_the_next_match(
    tmp_path, autojump_clock
):
    """It hasn't failed; its connection was sent nothing and is the caller's."""
    table = rejoinable(tmp_path)
    ends = []

    async def returner(end):
        await skip(end, 4)
        end.close()
        await trio.sleep(0.1)
        ends.append(back(table, 0))

    record = await table.play(returner, FIVE, FIVE)
    assert "aaaam" == letters(record, 0)
    assert [] == table.match.failures()
    assert table.match.seats[0].connection.closed
    (connection,) = table.match.unseated()
    assert State.WAITING is connection.session.state
    assert b"" == ends[0].heard
    with pytest.raises(RejoinError, match="the match is over"):
        table.match.rejoin(0, connection)


async def test_an_interrupt_closes_what_was_broken(tmp_path, autojump_clock):
    table = rejoinable(tmp_path)

    async def leaver(end):
        end.close()
        await trio.sleep(0.5)
        table.match.interrupt()

    record = await table.play(leaver, answers("1"), answers("1"))
    assert "aborted" == record.result.end
    assert [True] * 3 == [connection.closed for connection in table.connections]
    assert [] == table.match.failures()
    assert 0 == verify(record, COUNTING)


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
    assert 5 == verify(record, COUNTING)


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
    assert [] == table.match.unseated()


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
    "a first answer without a limit": (COUNTING, SKIPPERS, ALL, Limits(0, 0.2)),
    "other answers without a limit": (COUNTING, SKIPPERS, ALL, Limits(1, 0)),
    "a dialect": (InTwoDialects(), ["Ann", "Bob v=1", "Cy v=1"], ALL, CLOCK),
}


@pytest.mark.parametrize("name", BOUND)
async def test_where_a_bot_can_not_come_back_it_is_out(tmp_path, autojump_clock, name):
    ruleset, hellos, extra, limits = BOUND[name]
    table = sit(tmp_path, ruleset, hellos, limits=limits, extra=extra)

    async def leaver(end):
        connection, _ = connection_pair("Ann v=1")
        with pytest.raises(RejoinError, match="in this match a bot can't come back to its seat"):
            table.match.rejoin(0, connection)
        await skip(end, 1)
        end.close()

    record = await table.play(leaver, FIVE, FIVE)
    assert "amooo" == letters(record, 0)
    assert 5 == verify(record, ruleset)


async def test_nor_can_it_by_a_dialect(tmp_path, autojump_clock):
    """Its connection in version 1 plays on."""
    table = sit(tmp_path, InTwoDialects(), SKIPPERS, limits=CLOCK, extra=ALL)
    connection, _ = connection_pair("Ann")
    with pytest.raises(RejoinError, match="only if it speaks version 1"):
        table.match.rejoin(0, connection)
    record = await table.play(*[FIVE] * 3)
    assert "aaaaa" == letters(record, 0)


async def test_nor_where_a_fault_forfeits(tmp_path, autojump_clock):
    table = sit(
        tmp_path, ANGRYMOB, ["Ann v=1", "Bob v=1"], board=SMALL, extra={"may_rejoin": (0, 1)}
    )

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


# -- the record ----------------------------------------------------------------------------------


SIX = {"rounds": 6}


def with_a_gap(folder, ruleset=COUNTING, settings=SIX):
    """A match of six turns whose seat 0 is absent in 1 and 2; its bot's ends, and its record."""

    async def main():
        hellos = [f"{name} v=1" for name in ("Ann", "Bob", "Cy", "Di")[: ruleset.seats]]
        table = sit(
            folder,
            ruleset,
            hellos,
            settings=settings,
            limits=CLOCK,
            extra={"may_rejoin": (0,)},
        )
        ends = [table.bots[0]]

        async def returner(end):
            await skip(end, 1)
            await end.read_until("go")
            end.close()
            await trio.sleep(0.3)
            ends.append(back(table, 0, "Ann v=1 notes=1"))
            await answers(*"x23")(ends[-1])

        others = [answers(*"1" * 6)] * (ruleset.seats - 1)
        return table, ends, await table.play(returner, *others)

    return trio.run(main, clock=trio.testing.MockClock(autojump_threshold=0))


GAME_OF_FOUR = {
    "hogwarts": (registry.get("hogwarts"), {"NUM_ROUNDS": 6}),
    "crematoria": (registry.get("crematoria"), {"nb_rounds": 6}),
}


@pytest.mark.parametrize("name", GAME_OF_FOUR)
def test_a_gap_in_games_of_four(tmp_path, name):
    """A bot that is back is sent the same fixed facts as at first; page and export know of it."""
    ruleset, settings = GAME_OF_FOUR[name]
    table, (first, second), record = with_a_gap(tmp_path, ruleset, settings)
    assert [1, 2] == [turn.turn for turn in record.turns if turn.was_absent(0)]
    assert 6 == verify(record, ruleset)
    start_of = [end.heard[: end.heard.index(b"turn ")] for end in (first, second)]
    assert start_of[0] == start_of[1]
    fed = list(payloads(record, ruleset, 0))
    assert [True, True, False, True, True, True] == [bool(data) for data in fed]
    assert b"".join(fed[:2]) == first.heard
    assert second.heard.startswith(b"".join(fed[3:]))
    assert b"note malformed 3 " in fed[4]
    _, *frames, end = read_frames(table.path)
    assert end["trouble"] is None
    plays = [frame.get("play", {}) for frame in frames]
    assert {2: {"0": "closed its connection"}} == {
        n: play["left"] for n, play in enumerate(plays) if "left" in play
    }
    assert {4: [0]} == {n: play["rejoined"] for n, play in enumerate(plays) if "rejoined" in play}
    assert "".join(as_res(record, ruleset)).count("\n") > 6


BOT = """
import os, socket
bot = socket.create_connection((os.environ["LANISTA_HOST"], int(os.environ["LANISTA_PORT"])))
bot.sendall(b"Ann v=1 token=%s\\n" % os.environ["LANISTA_TOKEN"].encode())
for line in bot.makefile():
    if line == "go\\n":
        bot.sendall(b"7\\n")
"""


def test_a_match_with_a_gap_is_fed_to_a_bot(tmp_path):
    """It is asked in the turns in which the seat was, and gets the beginning twice."""
    _, _, record = with_a_gap(tmp_path)
    assert [0, 1, 3, 4, 5] == asked_turns(record, 0)
    result = trio.run(Feeder(record, COUNTING, 0, 4, [sys.executable, "-c", BOT]).run)
    assert ("7", "7", None, "7", "7") == result.answers
    assert result.trouble is None


def change(turn, key, value):
    """A change of a turn: a new value, or that of seat 0; None removes the key."""

    def apply(lines):
        line = lines[1 + turn]
        if value is None:
            del line[key]
        elif key in {"times", "raw"}:
            line[key][0] = value
        else:
            line[key] = value

    return apply


WRONG = {
    "it is back without being so": (change(3, "rejoined", None), "turn 3: seat 0 was absent and"),
    "it never left": (change(1, "left", None), "turn 1: seat 0 has verdict 'missing', but has"),
    "it left twice": (change(2, "left", {"0": "so"}), "turn 2: seat 0 left, but isn't absent"),
    "another left": (change(1, "left", {"0": "so", "1": "so"}), "turn 1: seat 1 left, but isn't"),
    "an absent seat has times": (
        change(2, "times", [1]),
        "turn 2: seat 0 was absent, but has an answer or times",
    ),
    "an absent seat has an answer": (
        change(2, "raw", "1"),
        "turn 2: seat 0 was absent, but has an answer or times",
    ),
    "it is back too early": (change(2, "rejoined", {"0": {}}), "turn 2: seat 0 has verdict 'miss"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_gap_that_can_not_be(tmp_path, name):
    """As its record says: when a seat left and came back is checked with the verdicts."""
    table, _, _ = with_a_gap(tmp_path)
    lines = lines_of(table.path)
    alter, words = WRONG[name]
    alter(lines)
    with pytest.raises(MismatchError) as caught:
        verify(rewritten(tmp_path, lines), COUNTING)
    assert str(caught.value).startswith(words)


def test_all_are_out_only_if_each_has_gone(tmp_path):
    """An absent seat could come back: a match doesn't end for that."""
    table, _, _ = with_a_gap(tmp_path)
    lines = lines_of(table.path)[:4]
    silent = {
        "verdicts": ["missing", "missing", "missing"],
        "raw": [None] * 3,
        "left": {"0": "", "1": "", "2": ""},
    }
    game = start(read_record(table.path), COUNTING)
    game.advance([Late()] * 3)
    result = {
        "end": "forfeit",
        "reason": "all-out",
        "ranks": [1] * 3,
        "scores": [0] * 3,
        "turns": 1,
        "digest": game.digest(),
        "fault_counts": [{}] * 3,
    }
    first = {**lines[1], **silent, "digest": game.digest()}
    with pytest.raises(MismatchError, match="by the rules the match isn't over"):
        verify(rewritten(tmp_path, [lines[0], first, {"result": result}]), COUNTING)
