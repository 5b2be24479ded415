"""Taps and quiet players: what the arena and the tested bot see of them, in memory."""

import itertools

import trio
from hypothesis import given
from hypothesis import strategies as st

from lanista.check.channels import GoApart, Tap, UnknownWords, quiet_connection, with_unknown
from lanista.match.channel import Chunk
from lanista.match.conditions import MatchSpec
from lanista.match.record import read_record
from lanista.match.record_writer import RecordWriter
from lanista.match.runner import Match
from match.playing import ANGRYMOB, ROW, answers
from support.memory import connection_pair

TURN = b"turn 3\nunit 0 0 0 1\ntotal 0 1\ngo\n"


async def play(folder, tap, bot):
    """A match of three turns of a bot in memory behind a tap against a quiet player: the record,
    the tap, and the bot's end."""
    ours, end = connection_pair("Ann v=1")
    ours.channel = tap(ours.channel)
    ours.channel._count(b"Ann v=1\n")  # read before there was a tap
    connections = [ours, quiet_connection(1)]
    spec = MatchSpec(
        match="m1",
        ruleset=ANGRYMOB,
        settings={"move_limit": 3},
        seed=7,
        board=ANGRYMOB.read_board(ROW),
    )
    writer = RecordWriter(folder / "m1.jsonl")
    match = Match(spec, connections, ["Ann", "quiet"], writer)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(bot, end)
        await match.run()
    await writer.finish(match.result())
    return read_record(folder / "m1.jsonl"), ours.channel, end


class Bytes:
    """A channel that gives these chunks and takes a few bytes at a time."""

    def __init__(self, *chunks, takes=1 << 20):
        self.chunks = list(chunks)
        self.takes = takes
        self.taken = b""

    def receive_some(self, _limit):
        return Chunk(self.chunks.pop(0), None, 0.0)

    def send_some(self, data):
        self.taken += bytes(data[: self.takes])
        return min(self.takes, len(data))


@given(cuts=st.lists(st.integers(0, 60)))
def test_a_tap_counts_answers_however_the_bytes_are_cut(cuts):
    """The hello and the log are none; a line that isn't complete isn't either (PROTOCOL.md 4)."""
    said = b"Ann v=1\n# ready\n1 2 3 4\n\n# a log line\n5 6 7 8\n9 9"
    places = sorted({0, len(said), *(cut for cut in cuts if cut < len(said))})
    chunks = [said[a:b] for a, b in itertools.pairwise(places)]
    tap = Tap(Bytes(*chunks))
    for _ in chunks:
        tap.receive_some(100)
    assert (3, b"9 9") == (tap.answers, tap.last)


async def test_a_quiet_player_answers_every_turn_at_once(tmp_path, autojump_clock):
    record, tap, _ = await play(tmp_path, Tap, answers("", "", ""))
    assert ("finished", "move-limit") == (record.result.end, record.result.reason)
    assert [("answer", "answer")] * 3 == [turn.verdicts for turn in record.turns]
    assert [""] * 3 == [turn.raw[1] for turn in record.turns]
    assert 3 == tap.answers


async def test_a_bot_that_waits_for_go_sees_no_difference_when_go_comes_late(
    tmp_path, autojump_clock
):
    plain, _, end = await play(tmp_path / "a", Tap, answers("", "", ""))
    apart, tap, late_end = await play(tmp_path / "b", GoApart, answers("", "", ""))
    assert end.heard == late_end.heard
    assert [turn.digest for turn in plain.turns] == [turn.digest for turn in apart.turns]
    assert [] == tap.too_soon


async def test_a_bot_that_answers_before_go_is_noticed(tmp_path, autojump_clock):
    """It answers at the last fact of each turn; its answers count all the same (PROTOCOL.md 4)."""

    async def hasty(end):
        for _ in range(3):
            await end.read_until("total 1")
            await end.say("# soon")
            await end.say("")
        await end.read_rest()
        end.close()

    record, tap, _ = await play(tmp_path, GoApart, hasty)
    assert [(0, b""), (1, b""), (2, b"")] == tap.too_soon
    assert [("answer", "answer")] * 3 == [turn.verdicts for turn in record.turns]


async def test_unknown_lines_come_everywhere_and_nothing_is_lost(tmp_path, autojump_clock):
    """Without the unknown lines a bot hears what it hears in any match (PROTOCOL.md 3)."""
    _, _, end = await play(tmp_path / "a", Tap, answers("", "", ""))
    _, _, other = await play(tmp_path / "b", UnknownWords, answers("", "", ""))
    unknown = (b"x-check", b"xcheck", b"set x_check")
    lines = other.heard.splitlines(keepends=True)
    known = [line for line in lines if not line.startswith(unknown)]
    assert end.heard == b"".join(known)
    assert lines[0].startswith(unknown)
    assert lines[lines.index(b"go\n") - 1].startswith(unknown)
    assert lines[lines.index(b"bye\n") - 1].startswith(unknown)
    assert lines[lines.index(b"set move_limit 3\n") - 1].startswith(b"set x_check")


def test_unknown_lines_survive_a_bot_that_reads_slowly():
    """Whatever the system takes at a time, all arrives once and in order."""
    inner = Bytes(takes=7)
    channel = UnknownWords(inner)
    rest = memoryview(TURN)
    while rest:
        rest = rest[channel.send_some(rest) :]
    assert with_unknown(TURN) == inner.taken
