"""What a record keeps at most of what bots send, and that it replays all the same."""

import hashlib
import json

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from lanista.match import turn_lines
from lanista.match.record import BadRecordError, squeezed
from lanista.match.replay import MismatchError, all_faults, payloads, start, verify
from lanista_protocol import MalformedLineError, tokenize
from match.playing import COUNTING, ROW, answers, heard, lines_of, rewritten, speaks


def tokens_of(line):
    try:
        return tokenize(line)
    except MalformedLineError as error:
        return str(error)


@given(line=st.text(alphabet=" 1-a\té\u00a0", max_size=20))
def test_squeezing_keeps_every_token(line):
    """PROTOCOL.md 1: words are separated by spaces, however many; nothing else is one."""
    kept = squeezed(line)
    assert tokens_of(line) == tokens_of(kept)
    assert "  " not in kept
    assert kept == kept.strip(" ")


async def test_blanks_are_squeezed(autojump_clock, angrymob):
    """64 KiB of them are kept as one, and a line of nothing else as an empty one."""
    blanks = " " * 30_000
    table = angrymob(board=ROW, move_limit=2)
    ann = [f"{blanks}0 0{blanks}1   0", blanks]
    record = await table.play(answers(*ann), answers("", ""))
    assert ["0 0 1 0", ""] == [turn.raw[0] for turn in record.turns]
    assert record.turns[0].was_answer(0, ann[0])
    assert record.turns[1].was_answer(0, ann[1])
    assert not record.turns[0].was_answer(0, "0 0 1 1")
    assert 2 == record.result.turns
    assert table.path.stat().st_size < 1000


@pytest.mark.parametrize(
    "line", ["1 2 " * 4000 + "x" * 9000, "é" * 20_000, "? " + " " * 60_000 + "1"]
)
async def test_a_long_malformed_answer_is_kept_shortened(autojump_clock, counting, line):
    """Its beginning, its length and its hash; the replay takes the verdict from the record."""
    table = counting(rounds=2)
    record = await table.play(speaks(line, "3"), speaks("1", "1"), speaks("1", "1"))
    turn, whole = record.turns[0], squeezed(line)
    assert ("malformed", whole[:4096]) == (turn.verdicts[0], turn.raw[0])
    assert turn.was_answer(0, line)
    assert not turn.was_answer(0, line + "1")
    if len(whole) > 4096:
        data = line.encode()
        assert {"0"} == turn.shortened.keys()
        assert len(data) == turn.shortened["0"].size
        assert hashlib.sha256(data).hexdigest() == turn.shortened["0"].sha256
    assert 2 == record.result.turns
    assert (3, 2, 2) == record.result.scores


async def test_a_hello_in_place_of_an_answer_publishes_no_token(autojump_clock, counting):
    """A program may say its hello on stdout, where Lanista has said it already."""
    table = counting(rounds=2)
    hello = "Ann v=1 token=s3cret keep=1"
    record = await table.play(speaks(hello, "token=s3cret"), speaks("1", "1"), speaks("1", "1"))
    assert ["Ann v=1 token=*** keep=1", "token=***"] == [turn.raw[0] for turn in record.turns]
    assert {"malformed": 2} == record.result.fault_counts[0]
    assert "s3cret" not in json.dumps(lines_of(table.path))
    verify(record, COUNTING)


async def test_a_long_late_answer_is_kept_shortened(autojump_clock, counting):
    """It was no answer, so no replay reads it: here a bot doesn't read what it is sent."""
    line = "5 " * 10_000 + "5"

    async def deaf(end):
        await end.read_until("go")
        await end.write(f"1\n{line}\n".encode())
        await trio.sleep(30)
        end.close()

    table = counting(rounds=2, to_bot=(50, 1 << 20, 1 << 20))
    record = await table.play(deaf, speaks("1", "1"), speaks("1", "1"))
    assert ("late", line[:4096]) == (record.turns[1].verdicts[0], record.turns[1].raw[0])
    assert record.turns[1].was_answer(0, line)
    assert {"0"} == record.turns[1].shortened.keys()
    assert 2 == record.result.turns


async def test_every_legal_answer_is_kept_whole(autojump_clock, angrymob):
    """Angry Mob has no limit of submoves: 64 KiB of them replay exactly."""
    board = "2 6\nA 9999 . . . .\n. . . . 9999 B\n"
    table = angrymob(board=board, move_limit=2)
    line = " ".join(["0 1 1 0"] * 8000)
    record = await table.play(speaks("0 0 1 0", line), speaks("", ""))
    assert line == record.turns[1].raw[0]
    assert {} == record.turns[1].shortened
    assert ("finished", "move-limit") == (record.result.end, record.result.reason)


MANY = "3 " + " ".join(["4"] * 250)
"""An answer with 250 faults: a second number, and a third …"""
ILLEGAL = {"turn": 0, "seat": 0, "code": "illegal", "index": 1, "words": ""}


async def test_refused_submoves_take_no_room(autojump_clock, counting):
    """They are counted; the replay knows them by the rules, and so does the feeder."""
    hellos = ("Ann v=1 notes=1", "Bob v=1", "Cy v=1")
    table = counting(*hellos, rounds=2)
    record = await table.play(answers(MANY, MANY), speaks("1", "1"), speaks("1", "1 2"))
    assert [(), ()] == [turn.faults for turn in record.turns]
    assert ({"illegal": 500}, {}, {"illegal": 1}) == record.result.fault_counts
    assert [(0, 1), (0, 2), (0, 3), (2, 1)] == [
        (fault.seat, fault.index) for fault in record.result.faults
    ]
    first, second = all_faults(record, start(record.header, COUNTING))
    assert list(range(1, 251)) == [fault.index for fault in first]
    assert list(range(1, 251)) == [fault.index for fault in second if not fault.seat]
    assert 2 == record.result.turns
    notes = [line for line in heard(table.bots[0]) if line.startswith("note ")]
    assert 500 == len(notes)
    again = b"".join(payloads(record, COUNTING, 0)).decode().splitlines()
    assert notes[:250] == [line for line in again if line.startswith("note ")]


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"faults": [ILLEGAL]}, MismatchError, "turn 0: the faults of seat 0 are "),
        ({"faults": [{**ILLEGAL, "seat": 3}]}, BadRecordError, "no seat '3'"),
        ({"more_faults": {"0": 150}}, BadRecordError, "not a valid turn"),  # format 1
        (
            {"shortened": {"0": {"size": 9, "sha256": ""}}},
            BadRecordError,
            "turn 0: the answer of seat 0 is shortened, which it can't be with verdict 'answer'",
        ),
        ({"shortened": {"3": {"size": 9, "sha256": ""}}}, BadRecordError, "no seat '3'"),
        ({"shortened": {"0": {"size": 9}}}, BadRecordError, "not a valid turn"),
    ],
)
async def test_a_record_that_tells_it_otherwise(
    tmp_path, autojump_clock, counting, change, error, words
):
    table = counting(rounds=1)
    await table.play(speaks(MANY), speaks("1"), speaks("1"))
    lines = lines_of(table.path)
    lines[1] |= change
    with pytest.raises(error) as caught:
        verify(rewritten(tmp_path, lines), COUNTING)
    assert words in str(caught.value)


async def test_a_shortened_answer_needs_its_fault(tmp_path, autojump_clock, counting):
    """Nothing else says what was wrong with it."""
    table = counting(rounds=1)
    await table.play(speaks("x" * 5000), speaks("1"), speaks("1"))
    lines = lines_of(table.path)
    del lines[1]["faults"]
    with pytest.raises(MismatchError, match="turn 0: the faults of seat 0 are "):
        verify(rewritten(tmp_path, lines), COUNTING)


# -- the bounds of a match -----------------------------------------------------------------------


async def test_the_log_of_a_match_is_bounded_and_the_cut_is_said_once(autojump_clock, counting):
    """Counted as the record writes it; another seat has its own."""
    log = "#\x01é\n"  # "#\u0001\u00e9\n": 17 bytes with the quotes
    talker = answers(*[log + "1"] * 4)
    table = counting(rounds=4)
    table.match._lines.rooms[0].log = 40
    record = await table.play(talker, talker, speaks(*"1111"))
    over = "# … the rest of this match's log was dropped\n"
    assert [log, log, over, None] == [turn.logs.get("0") for turn in record.turns]
    assert [log] * 4 == [turn.logs["1"] for turn in record.turns]


async def test_refused_answers_cost_nothing_more_when_the_match_is_full(autojump_clock, counting):
    """What was wrong with a malformed answer is kept, since nothing else says it; all else is
    counted or hashed.
    """
    table = counting(rounds=2)
    table.match._lines.rooms[0].answers = 0
    table.match._lines.rooms[1].answers = len(MANY) + 2
    record = await table.play(speaks("?", "?!"), speaks(MANY, "x"), speaks("1", "1"))
    one, two = record.turns
    assert (("", MANY, "1"), ("", "", "1")) == (one.raw, two.raw)
    assert [0] == [fault.seat for fault in one.faults]
    assert [0, 1] == [fault.seat for fault in two.faults]
    assert ({"malformed": 2}, {"illegal": 250, "malformed": 1}, {}) == record.result.fault_counts
    assert {"0"} == one.shortened.keys()
    assert {"0", "1"} == two.shortened.keys()
    assert one.was_answer(0, "?")
    assert two.was_answer(0, "?!")
    assert 2 == record.result.turns


async def test_a_bot_whose_answers_no_record_can_hold_is_out(autojump_clock, counting):
    """`too-many-submoves`: without the answer no replay would be the same; the others play on."""
    table = counting(rounds=4)
    table.match._lines.rooms[0].answers = 10
    lines = ["1     ", "", "2 a a a a a", "3"]
    record = await table.play(speaks(*lines), speaks(*"1111"), speaks(*"1111"))
    assert ["answer", "answer", "missing", "out"] == [turn.verdicts[0] for turn in record.turns]
    (fault,) = record.turns[2].faults
    words = "its answers in this match add up to more than 16 MiB, which is the limit"
    assert ("too-many-submoves", words) == (fault.code, fault.words)
    assert f"error too-many-submoves {words}" == heard(table.bots[0])[-1]
    assert (1, 4, 4) == record.result.scores
    assert 4 == record.result.turns


async def test_a_flooding_pair_costs_what_the_bounds_say(autojump_clock, angrymob):
    """Blanks and logs in every turn: what is kept is the log's room, and a few bytes a turn."""
    log = "# " + "x" * 16_000 + "\n"
    turns = 30
    floods = answers(*[log + " " * 60_000] * turns)
    hellos = ["Ann v=1", "Bob v=1"]
    table = angrymob(*hellos, board=ROW, move_limit=turns)
    for room in table.match._lines.rooms:
        room.log = 100_000
    record = await table.play(floods, floods)
    assert "move-limit" == record.result.reason
    size = sum(len(json.dumps(line)) for line in lines_of(table.path))
    assert 2 * 90_000 < size < 2 * 100_000 + turns * 400 + 2000


def test_the_bounds_are_those_of_the_page():
    """docs/records.md and PROTOCOL.md 4 tell them."""
    assert turn_lines.Room(log=4 * 1024**2, answers=16 * 1024**2) == turn_lines.Room()
