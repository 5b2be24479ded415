"""Whole conversations byte for byte, notes, and errors in the middle of a match (PROTOCOL.md 3,
6, 7)."""

import pytest
import trio

from lanista.match.encoder import seat_seed
from lanista.match.replay import all_faults, start, verify
from match.playing import (
    ANGRYMOB,
    CAPTURE,
    COUNTING,
    SKIPPERS,
    SMALL,
    answers,
    heard,
    leaves,
    listens,
    sit,
    speaks,
    verdicts,
)
from support.angrymob import PAGE

OPENING = """\
start {match}
game angrymob
seat {seat}
player 0 Ann
player 1 Bob
clock 20 0.2
seed {seed}
set move_limit 2400
size 2 2
base 0 0 0
base 1 1 1
row 0 A .
row 1 . B
turn 0
unit 0 0 0 1
unit 1 1 1 1
total 0 1
total 1 1
go
"""


def opening(seat, match="m1", seed=7):
    return OPENING.format(match=match, seat=seat, seed=seat_seed("angrymob", seed, seat))


CAPTURED = """\
turn 1
moved 0 0 0 1 0
moved 1
unit 0 1 0 1
unit 1 1 1 1
total 0 1
total 1 1
go
turn 2
moved 0 0 1 1 3
moved 1 1 1 1 2
unit 1 0 1 1
unit 1 1 0 1
total 0 1
total 1 1
end finished
rank 0 1
rank 1 2
score 0 1
score 1 1
"""
"""Both units leave: that of seat 0 conquers the base that seat 1's has just left."""
TWO = ["Ann v=1", "Bob v=1"]


async def test_a_forfeit_ends_without_another_position(autojump_clock, angrymob):
    """The reason why a seat lost is told to it alone, also without notes=1."""
    table = angrymob()
    await table.play(answers("0 0 2 0"), answers(""))
    end = "end forfeit\nrank 0 2\nrank 1 1\nscore 0 1\nscore 1 1\nbye\n"
    note = "note illegal 0 0 2 units from (0, 0), where you had 1\n"
    assert opening(0) + note + end == table.bots[0].heard.decode()
    assert opening(1) + end == table.bots[1].heard.decode()


async def test_keep_1_goes_on_without_bye(autojump_clock, angrymob):
    """Two matches on the same connections; who doesn't keep gets bye. In the second match the
    first answer may again take 19 s.
    """
    hellos = ["Ann v=1 keep=1", "Bob v=1 keep=1"]
    first = angrymob(*hellos)
    second = angrymob(again=first.connections, bots=first.bots, name="m2", seed=8)

    async def ann(end):
        for _ in range(2):
            await end.read_until("go")
            await trio.sleep(19)
            await end.say(CAPTURE[0])
            await end.read_until("go")
            await end.say(CAPTURE[1])
            await end.read_until("score 1")

    async def bob(end):
        for _ in range(2):
            await end.read_until("go")
            await end.say("")
            await end.read_until("go")
            await end.say("1 1 1 2")
            await end.read_until("score 1")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(ann, first.bots[0])
        nursery.start_soon(bob, first.bots[1])
        await first.match.run()
        assert not first.connections[0].closed
        await second.match.run()
    for table in (first, second):
        assert 2 == verify(await table.finish(), ANGRYMOB)
    for seat, end in enumerate(first.bots):
        expected = opening(seat) + CAPTURED + opening(seat, "m2", 8) + CAPTURED
        assert expected == end.heard.decode()


PAGE_TURNED = PAGE.translate(str.maketrans("AB", "BA"))


@pytest.mark.parametrize("hellos", [("Ann", "Bob"), ("Ann keep=1 notes=1", "Bob notes=1")])
async def test_the_classic_example(autojump_clock, angrymob, hellos):
    """PROTOCOL.md 6: the map with one's own base as A, then the other's
    lines; the last two are exchanged although one is illegal. keep and notes are ignored.
    """
    table = angrymob(*hellos, board=PAGE)
    record = await table.play(
        speaks("2 1 1 1", "1 1 1 0 1 1 1 1"), speaks("3 5 1 3", "  3 4  2 3 ")
    )
    assert PAGE + "3 5 1 3\n3 4 2 3\n" == table.bots[0].heard.decode()
    assert PAGE_TURNED + "2 1 1 1\n1 1 1 0 1 1 1 1\n" == table.bots[1].heard.decode()
    assert ("forfeit", (1, 2)) == (record.result.end, record.result.ranks)
    assert "2 units from (3, 4), where you had 0" == record.result.faults[0].words
    assert ["classic"] * 2 == [player.protocol for player in record.header.players]
    assert all(connection.closed for connection in table.connections)


async def test_version_1_plays_classic(autojump_clock, angrymob):
    """Seat 0 speaks classic, seat 1 version 1, which sees all the facts."""
    table = angrymob("Ann", "Bob v=1")
    record = await table.play(speaks(*CAPTURE), answers("", "1 1 1 2"))
    assert SMALL + "\n1 1 1 2\n" == table.bots[0].heard.decode()
    assert opening(1) + CAPTURED + "bye\n" == table.bots[1].heard.decode()
    assert ["classic", "1"] == [player.protocol for player in record.header.players]


async def test_a_ruleset_without_a_dialect_speaks_version_1_to_all(autojump_clock, counting):
    table = counting("Ann", "Bob v=1", "Cy", rounds=1)
    record = await table.play(answers("1"), answers("2"), answers("3"))
    assert "start m1" == heard(table.bots[0])[0]
    assert ["1", "1", "1"] == [player.protocol for player in record.header.players]


async def test_notes_1_hears_of_everything_refused_before_the_next_turn(autojump_clock, counting):
    """Malformed and not allowed with the submove's place, late without; each before the lines of
    the next turn, the last before `end`. Without notes=1 a skip ruleset says nothing.
    """

    async def bot(end):
        for line in ("x", "12 5 6", None, "b"):
            await end.read_until("go")
            if line is not None:
                await end.say(line)
        await end.read_rest()
        end.close()

    hellos = ["Ann v=1 notes=1", "Bob v=1", "Cy v=1"]
    table = counting(*hellos, rounds=4)
    record = await table.play(bot, bot, answers(*"1111"))
    lines = heard(table.bots[0])
    assert [
        (1, "note malformed 0 0 letter `x`; a submove is a number or `a`; the line was 'x'"),
        (2, "note illegal 1 0 the number 12; it is from 0 to 9"),
        (2, "note illegal 1 2 a second number, 6; one a round"),
        (3, "note late 2 - no answer within 0.2 s"),
    ] == [
        (int(next(later for later in lines[at:] if later.startswith("turn "))[5:]), line)
        for at, line in enumerate(lines)
        if line.startswith("note ")
    ][:4]
    # What came in turn 3 was owed from turn 2: turn 3 is late too, told before the end.
    last = lines.index("note late 3 - no answer within 0.2 s")
    assert "turn 4" == lines[last + 1]
    assert not [line for line in heard(table.bots[1]) if line.startswith("note")]
    assert ["malformed", "answer", "late", "late"] == [turn[0] for turn in verdicts(record)]
    # Both seats' faults are counted all the same, also those that were told to nobody.
    counts = {"malformed": 1, "illegal": 2, "late": 2}
    assert (counts, counts, {}) == record.result.fault_counts
    told = [note.split(" ", 4)[-1] for note in lines if note.startswith("note ")]
    for seat in (0, 1):
        assert told == [
            fault.words
            for faults in all_faults(record, start(record.header, COUNTING))
            for fault in faults
            if fault.seat == seat
        ]
        # Three of a code are kept, so a graver fault has its example after any number of others.
        assert told == [fault.words for fault in record.result.faults if fault.seat == seat]


@pytest.mark.parametrize(
    ("line", "note"),
    [
        ("0 0 1", "note malformed 0 0 3 numbers; a submove is four: i j k d; the line was '0 0 1'"),
        ("0 0 1 0\t", "note malformed 0 - token 3 is '0\\t'; tokens are"),
        (
            "0 0 1 0 0 0 1 1",
            "note illegal 0 1 1 unit from (0, 0), where you had 1 and already sent 1",
        ),
        (None, "note late 0 - no answer within 20 s"),
    ],
)
async def test_who_loses_angrymob_is_told_why(autojump_clock, angrymob, line, note):
    """Without notes=1, between its last answer and `end`; the opponent isn't told."""
    bot = listens if line is None else speaks(line)
    table = angrymob()
    record = await table.play(bot, answers(""))
    lines = heard(table.bots[0])
    at = lines.index("end forfeit")
    assert lines[at - 1].startswith(note)
    assert [note.split(" ", 1)[1][:4]] == [
        line.split(" ", 1)[1][:4] for line in lines if line.startswith("note")
    ]
    assert not [line for line in heard(table.bots[1]) if line.startswith("note")]
    assert (2, 1) == record.result.ranks


async def test_ten_late_turns_in_a_row_put_a_seat_out(autojump_clock, counting):
    """`error late`, its connection closes, the match goes on, it is ranked by its score. Nine late
    turns and an answer begin the count anew.
    """

    async def lagging(end):
        for turn in range(20):
            await end.read_until("go")
            if turn == 9:
                for _ in range(9):  # owed
                    await end.say("9")
                await end.say("8")
        await end.read_rest()
        end.close()

    prompt = answers(*"1" * 30)
    hellos = ["Ann v=1 notes=1", "Bob v=1", "Cy v=1"]
    table = counting(*hellos, rounds=30)
    record = await table.play(lagging, prompt, prompt)
    assert ["late"] * 9 + ["answer"] + ["late"] * 10 + ["out"] * 10 == [
        turn[0] for turn in verdicts(record)
    ]
    words = "no answer within 0.2 s; late 10 turns in a row, so it is out"
    # The record says why it is out, which the times alone don't; that is always an example.
    told = [(turn.turn, fault.words) for turn in record.turns for fault in turn.faults]
    assert [(19, words)] == told
    short = "no answer within 0.2 s"
    assert [(0, "no answer within 20 s"), (1, short), (19, words)] == [
        (fault.turn, fault.words) for fault in record.result.faults
    ]
    assert {"late": 19} == record.result.fault_counts[0]
    assert [f"note late 19 - {words}", f"error late {words}"] == heard(table.bots[0])[-2:]
    assert [8, 30, 30] == list(record.result.scores)
    assert (3, 1, 1) == record.result.ranks


async def test_when_all_are_out_it_is_a_forfeit_with_their_scores(autojump_clock, counting):
    table = counting(late_limit=1)
    record = await table.play(listens, leaves(1), answers("7"))
    assert [("late", "answer", "answer"), ("out", "missing", "late")] == verdicts(record)
    result = record.result
    assert ("forfeit", "all-out", (3, 2, 1), (0, 1, 7), 2) == (
        result.end,
        result.reason,
        result.ranks,
        result.scores,
        result.turns,
    )
    assert all(connection.closed for connection in table.connections)


async def test_what_every_seat_hears_is_built_once_and_always_of_its_turn(tmp_path, autojump_clock):
    """Also when a ruleset's facts are the same object turn after turn, as an empty one is."""
    from support import tinygame

    class Mute(tinygame.Counting):
        def facts(self, seat):  # noqa: ARG002 - the interface's
            return b""

    class MuteRules(tinygame.CountingRules):
        game = Mute

    table = sit(tmp_path, MuteRules(), SKIPPERS, settings={"rounds": 3})
    await table.play(*[answers(*"111")] * 3)
    for end in table.bots:
        turns = [line for line in heard(end) if line.startswith("turn")]
        assert ["turn 0", "turn 1", "turn 2", "turn 3"] == turns
