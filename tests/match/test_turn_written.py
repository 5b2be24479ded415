"""When a turn's line is written into the record."""

import pytest

from lanista.match.encoder import Version1Encoder
from lanista.match.record_writer import RecordWriter
from match.playing import answers, speaks, verdicts

ROUNDS = 3
THREE = answers("1", "1", "1")
EAGER = speaks("1", "1", "1")


async def held(game):
    """A watcher that holds the match."""


def passed(game):
    """A watcher that doesn't, as that of a match that could be paused, but isn't."""


@pytest.mark.parametrize(
    ("extra", "sent"),
    [
        ({}, [b"turn 1\n", b"turn 2\n", b"turn 2\n"]),
        ({"watcher": passed}, [b"turn 1\n", b"turn 2\n", b"turn 2\n"]),
        ({"watcher": held}, [b"turn 0\n", b"turn 1\n", b"turn 2\n"]),
    ],
    ids=["unwatched", "passed", "held"],
)
async def test_while_the_bots_think(autojump_clock, counting, monkeypatch, extra, sent):
    """About the next turn, once all have been sent it; but before a watcher holds the match."""
    during = []
    write = RecordWriter.turn

    def turn(self, line):
        payloads = {seat.payload[seat.payload.index(b"turn") :][:7] for seat in table.match.seats}
        during.append(payloads)
        write(self, line)

    monkeypatch.setattr(RecordWriter, "turn", turn)
    table = counting(rounds=ROUNDS, **extra)
    record = await table.play(*[THREE] * 3)
    assert [{payload} for payload in sent] == during
    assert [0, 1, 2] == [turn.turn for turn in record.turns]


async def test_a_turn_that_cannot_be_written_is_not_counted(autojump_clock, counting, monkeypatch):
    """The result tells of as many turns as the record has."""
    write = RecordWriter.turn

    def turn(self, line):
        if line["turn"] == 1:
            raise OSError("the disk is gone")
        write(self, line)

    monkeypatch.setattr(RecordWriter, "turn", turn)
    table = counting(rounds=ROUNDS)
    record = await table.play(*[EAGER] * 3)
    assert ("aborted", 1) == (record.result.end, record.result.turns)
    assert [0] == [turn.turn for turn in record.turns]


async def test_a_turn_is_written_if_the_next_cannot_begin(autojump_clock, counting, monkeypatch):
    encode = Version1Encoder.turn

    def turn(self, game, seat, status):
        if game.turn:
            raise ValueError("the rules are broken")
        return encode(self, game, seat, status)

    monkeypatch.setattr(Version1Encoder, "turn", turn)
    table = counting(rounds=ROUNDS)
    record = await table.play(*[EAGER] * 3)
    assert ("aborted", 1) == (record.result.end, record.result.turns)
    assert [("answer",) * 3] == verdicts(record)
