"""Small records for the tests of this folder, played in memory, and a reader of frames.

`Reading` is written by docs/api.md alone: it knows nothing of how the arena writes frames.
"""

import gzip
import json

import attrs
import trio
import trio.testing

from lanista.games import registry
from lanista.match.record import read_record
from match.playing import ANGRYMOB, SMALL, answers, listens, sit
from match.test_void import Stalls

ROW = "2 4\nA . . .\n. . . B\n"
AWAY, BACK = "0 0 1 0", "0 1 1 2"
"""Seat 0's unit on ROW: a step from its base to the east, and home again."""


def played(folder, *bots, hellos=("Ann v=1", "Bob v=1"), ruleset=ANGRYMOB, **how):
    """Play a match in memory; the record's path. For tests outside of a loop."""
    how = {"board": ROW, **how}

    async def play():
        table = sit(folder, ruleset, hellos, **how)
        try:
            await table.play(*bots)
        finally:
            table.match.record.close()
        return table.path

    return trio.run(play, clock=trio.testing.MockClock(autojump_threshold=0))


def wandering(folder, turns, **how):
    """A match of so many turns in which one unit goes to and fro; it ends at the move limit."""
    lines = [BACK if turn % 2 else AWAY for turn in range(turns)]
    settings = {"move_limit": turns}
    return played(folder, answers(*lines), answers(*[""] * turns), settings=settings, **how)


def void(folder):
    """A match in whose turn 1 seat 1 is late while the host stalls."""
    return played(folder, answers(AWAY, BACK), answers(""), stalls=Stalls({1: 0.3}))


CHATTER = 12_000
"""Number of characters, at least, that a bot of `late_in_a_row` logs in each turn."""


def late_in_a_row(folder):
    """A match of Hogwarts of 20 rounds in which seat 1 answers 3 turns, and then only logs.

    It is out after 5 late turns; the others give no orders, or one, and play to the end.
    """

    async def chatters(end):
        for _ in range(3):
            await end.read_until("go")
            await end.say("")
        for _ in range(5):
            await end.read_until("go")
            for _ in range(3):
                await end.say("#" + CHATTER // 3 * "x")
        await listens(end)

    return _hogwarts(folder, answers(*20 * ["m 0 0"]), chatters)


def absent_in_a_row(folder):
    """A match of Hogwarts of 20 rounds in which seat 1 leaves after 3 answers, and may come back.

    It is out after 5 turns; the others give no orders and play to the end.
    """

    async def leaves(end):
        for _ in range(3):
            await end.read_until("go")
            await end.say("")
        end.close()

    return _hogwarts(folder, answers(*20 * [""]), leaves, may_rejoin=(1,))


def _hogwarts(folder, first, second, **how):
    """A match of Hogwarts of 20 rounds, in which seats 2 and 3 give no orders."""
    quiet = answers(*20 * [""])
    return played(
        folder,
        first,
        second,
        quiet,
        quiet,
        hellos=("Ann v=1", "Bob v=1", "Cem v=1", "Dee v=1"),
        ruleset=registry.get("hogwarts"),
        board=None,
        settings={"NUM_ROUNDS": 20},
        late_limit=5,
        **how,
    )


def captured(folder, **how):
    """A match of two turns in which seat 0 takes the base of seat 1, whose unit has left it."""
    bots = answers("0 0 1 0", "0 1 1 3"), answers("1 1 1 2", "")
    return played(folder, *bots, board=SMALL, **how)


def unpacked(path):
    """The lines of a record, as they stand in its `.part` file while it is written."""
    return gzip.decompress(path.read_bytes()).splitlines(keepends=True)


def changed(lines, place, **values):
    """The lines with other values in one of them."""
    lines = list(lines)
    lines[place] = json.dumps({**json.loads(lines[place]), **values}).encode() + b"\n"
    return lines


def values(answer, *keys):
    """Some values of an answer, as a tuple."""
    return tuple(answer[key] for key in keys)


def edited(record, path, by_line=None, **result):
    """Write a record anew, compressed if its name says so; its path.

    `by_line`: other values in its lines, by their places; `result`: other ones in its result.
    """
    lines = unpacked(record)
    for place, values in (by_line or {}).items():
        lines = changed(lines, place, **values)
    if result:
        lines = changed(lines, -1, result=json.loads(lines[-1])["result"] | result)
    data = b"".join(lines)
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


@attrs.define
class Reading:
    """A match's frames put together again (docs/api.md, "Frames")."""

    cols: int
    owned: dict = attrs.field(factory=dict)
    marks: list = attrs.field(factory=list)

    def read(self, frame):
        """Take in the next frame."""
        if frame.get("key"):
            assert "gone" not in frame, "a whole frame has nothing to take away"
            self.owned, self.marks = {}, []
        gone = frame.get("gone", [])
        assert gone == sorted(set(gone)), "places, each once"
        assert all(0 <= place < len(self.marks) for place in gone), "places of marks there are"
        self.marks = [mark for place, mark in enumerate(self.marks) if place not in set(gone)]
        self.marks += [tuple(mark) for mark in frame["marks"]]
        cells = iter(frame["own"])
        for cell, seat in zip(cells, cells, strict=True):
            place = divmod(cell, self.cols)
            if seat == -1:
                del self.owned[place]  # it was somebody's
            else:
                self.owned[place] = seat


def replayed(folder, path, changes, *, match):
    """Play a record's match again in memory, under another id, with these other answers.

    `changes` are by turn and seat. All answers of the record must be well formed and in time.
    """
    record = read_record(path)
    header = record.header
    lines = [
        [changes.get((turn.turn, seat), turn.raw[seat]) for turn in record.turns]
        for seat in range(len(header.players))
    ]
    return played(
        folder,
        *(answers(*of_seat) for of_seat in lines),
        hellos=[f"{player.name} v=1" for player in header.players],
        ruleset=registry.get(header.game),
        board=None if header.generated else header.board,
        settings=header.settings,
        seed=header.seed,
        name=match,
    )
