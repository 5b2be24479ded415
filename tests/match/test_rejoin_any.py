"""Bots that leave and come back at any moments: the rest of the match goes on as without that."""

import attrs
import trio
import trio.testing
from hypothesis import example, given
from hypothesis import strategies as st

from lanista.games.base import Late
from lanista.games.outcome import FAILURES
from lanista.match.replay import payloads, start
from lanista.match.seat import RejoinError
from lanista_protocol import State, tokenize
from match.playing import COUNTING, failures_of, listens
from match.rejoining import REPLACED, letters, rejoinable
from support.memory import Unread, connection_pair

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


def play(folder, seats):
    """A match in which the seats' bots do so; the match, its players and its record."""

    async def main():
        table = rejoinable(folder, settings={"rounds": ROUNDS}, late_limit=LATE_LIMIT)
        async with trio.open_nursery() as nursery:
            players = [
                Player(table, seat, nursery, delay, list(cuts))
                for seat, (delay, cuts) in enumerate(seats)
            ]
            for player in players:
                nursery.start_soon(player.play)
            await table.match.run()
            for seat in table.match.seats:
                if seat.successor is not None:
                    assert State.WAITING is seat.successor.session.state
                    await seat.successor.close()
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
    check_same_game(record, players)
    for player in players:
        check_heard(record, player)
        check_gaps(table.match, record, player)


def check_same_game(record, players):
    """The position is that of a match with these answers, in which the bots are silent else."""
    game = start(record.header, COUNTING)
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
    assert (seat.gone is not None) == (seat.index in [one.seat for one in failures_of(match)])
    if seat.gone is None:
        assert seat.present or seat.successor is not None
        assert "o" not in history
    counts = record.result.fault_counts[player.seat]
    assert counts.get("disconnected", 0) == (seat.gone == "disconnected")
    assert counts.get("late", 0) == history.count("l")
