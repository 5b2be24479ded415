"""What breaks a match: bots that leave or send rubbish, interrupts, errors in rules and files."""

import errno
import gc
import math
import sys
import weakref

import attrs
import pytest
import trio

from lanista.games.outcome import Outcome, Termination
from lanista.match.record_writer import RecordWriter
from lanista.match.replay import verify
from match.playing import (
    COUNTING,
    SKIPPERS,
    answers,
    ending,
    heard,
    listens,
    sit,
    speaks,
    verdicts,
    writes,
)
from support import tinygame

TWO = ["Ann v=1", "Bob v=1"]
FIVE = answers(*"11111")


# -- bots ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("phase", ["before", "during", "answered", "mid-line"])
async def test_a_bot_that_leaves_is_out_and_the_match_goes_on(autojump_clock, counting, phase):
    """Before the first turn, while asked, with its answer given (which counts), in a line's
    middle (which is dropped).
    """

    async def leaver(end):
        if phase != "before":
            await end.read_until("go")
        if phase == "answered":
            await end.say("9")
        elif phase == "mid-line":
            await end.write(b"9")
        end.close()

    table = counting()
    if phase == "before":
        table.bots[0].close()
    record = await table.play(leaver, FIVE, FIVE)
    first = ["answer", "missing"] if phase == "answered" else ["missing", "out"]
    assert [*first, "out", "out", "out"] == [turn[0] for turn in verdicts(record)]
    assert ["disconnected"] == [fault.code for fault in record.result.faults]
    assert ((9, 5, 5) if phase == "answered" else (0, 5, 5)) == record.result.scores
    assert "finished" == record.result.end


@pytest.mark.parametrize(
    ("line", "code"),
    [(b"\xff\xfe\n", "not-utf8"), (b"1" * 65_537, "line-too-long"), (b"#\xff\n", "not-utf8")],
)
@pytest.mark.parametrize("ahead", [False, True])
async def test_rubbish_puts_a_seat_out(autojump_clock, counting, line, code, ahead):
    """Told by `error`, closed; the others go on. Also when it stands behind a good answer: then
    that counts, and the seat is out in the next turn.
    """

    async def bot(end):
        if ahead:
            await end.write(b"8\n" + line)
        else:
            await end.read_until("go")
            await end.write(line)
        await end.read_rest()
        end.close()

    table = counting()
    record = await table.play(bot, FIVE, FIVE)
    expected = (["answer"] if ahead else []) + ["missing"]
    assert expected == [turn[0] for turn in verdicts(record)][: len(expected)]
    assert heard(table.bots[0])[-1].startswith(f"error {code} ")
    assert [(code, len(expected) - 1)] == [(f.code, f.turn) for f in record.result.faults]


async def test_rubbish_ends_angrymob_with_the_error_alone(autojump_clock, angrymob):
    """A note's codes have no word for it: `error`, and the other has won."""
    table = angrymob()
    record = await table.play(writes(b"0 0 1 \xc3\n"), answers(""))
    assert ("forfeit", (2, 1)) == (record.result.end, record.result.ranks)
    assert ["go", "error"] == [line.split(" ")[0] for line in heard(table.bots[0])[-2:]]


# -- interrupts ----------------------------------------------------------------------------------


@pytest.mark.parametrize("when", ["before", "watching", "first turn", "later", "between"])
async def test_an_interrupt_tells_all_and_records_as_aborted(autojump_clock, counting, when):
    """`error shutdown` instead of `end`, whatever moment it comes; the record verifies."""
    hellos = ["Ann v=1 keep=1", "Bob v=1", "Cy v=1 notes=1"]
    table = counting(*hellos)
    calls = 0

    async def watcher(_):
        nonlocal calls
        calls += 1
        if (when, calls) in {("watching", 1), ("between", 3)}:
            table.match.interrupt()
        await trio.sleep(0.5)

    async def slow(end):
        for turn in range(5):
            await end.read_until("go")
            if (when, turn) in {("first turn", 0), ("later", 2)}:
                table.match.interrupt()
            await end.say("3")
        await end.read_rest()

    async def bot(end):
        with pytest.raises(AssertionError, match="no more lines"):
            await slow(end)
        end.close()

    if when == "before":  # also when no watcher gives the interrupt a chance
        table.match.interrupt()
    else:
        table.match.watcher = watcher
    record = await table.play(bot, bot, bot)
    result = record.result
    assert ("aborted", "interrupted", (1, 1, 1)) == ending(record)
    assert None is result.error
    turns = {"before": 0, "watching": 0, "first turn": 0, "later": 2, "between": 2}[when]
    assert (turns, turns) == (result.turns, verify(record, COUNTING))
    for end, connection in zip(table.bots, table.connections, strict=True):
        assert "error shutdown the arena is shutting down" == heard(end)[-1]
        assert ("start m1" in heard(end)) == (when not in {"before", "watching"})
        assert connection.closed


async def test_an_interrupt_after_the_last_turn_changes_nothing(autojump_clock, counting):
    """The rules have ended the match: while the watcher looks at the last position it is over."""
    table = counting(rounds=1)

    async def watcher(game):
        if game.turn:
            table.match.interrupt()
        await trio.sleep(0.5)

    table.match.watcher = watcher
    record = await table.play(*[answers("1")] * 3)
    assert "finished" == record.result.end
    assert "end finished" in heard(table.bots[0])


async def test_an_interrupt_while_a_bot_does_not_read_ends_in_time(autojump_clock, counting):
    """Bounded by the closing time of 1 s, and it is cancelled from outside as well."""
    table = counting(to_bot=[64, 1 << 20, 1 << 20])

    async def deaf(_):
        await trio.sleep(5)
        table.match.interrupt()

    began = trio.current_time()
    record = await table.play(deaf, listens, listens)
    assert 5 <= trio.current_time() - began <= 7
    assert "interrupted" == record.result.reason


async def test_a_match_can_be_cancelled_from_outside(autojump_clock, counting):
    """The record then stays without a result, and is read as far as it goes."""
    table = counting()

    async def once(end):
        await end.read_until("go")
        await end.say("4")
        await end.read_rest()

    async with trio.open_nursery() as nursery:
        for end in table.bots:
            nursery.start_soon(once, end)
        with trio.move_on_after(0.1) as scope:
            await table.match.run()
        table.match.record.close()
        for end in table.bots:
            end.close()
        nursery.cancel_scope.cancel()
    assert scope.cancelled_caught
    from lanista.match.record import read_record

    record = read_record(table.path.with_name(table.path.name + ".part"))
    assert None is record.result
    assert 1 == verify(record, COUNTING)


# -- errors of ours ------------------------------------------------------------------------------


def broken(method, *, after=0, error=RuntimeError):
    """Counting with a method that raises when called on a game of so many turns."""

    def raising(self, *_):
        if self.turn >= after:
            raise error("the rules are broken here")
        return getattr(tinygame.Counting, method)(self, *_)

    made = type("BrokenGame", (tinygame.Counting,), {method: raising})
    return type("BrokenRules", (tinygame.CountingRules,), {"game": made})()


@pytest.mark.parametrize("after", [0, 2])
@pytest.mark.parametrize(
    ("method", "error"),
    [
        *((method, RuntimeError) for method in ("parse", "advance", "facts", "digest", "outcome")),
        ("advance", SystemExit),
    ],
)
async def test_an_error_in_the_rules_ends_this_match_alone(
    tmp_path, autojump_clock, counting, method, error, after
):
    """Aborted, with the trace in its record; another match in the same loop doesn't notice."""
    table = sit(tmp_path, broken(method, after=after, error=error), SKIPPERS, verified_by=COUNTING)
    healthy = counting(name="m2")
    other = None

    async def play_healthy():
        nonlocal other
        other = await healthy.play(FIVE, FIVE, FIVE)

    async def bot(end):
        for _ in range(5):
            line = ""
            while line != "go":
                try:
                    line = await end.read_line()
                except AssertionError:
                    end.close()
                    return
            await end.say("1")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(play_healthy)
        record = await table.play(bot, bot, bot)
    assert ("aborted", "error") == (record.result.end, record.result.reason)
    last = f"{error.__name__}: the rules are broken here"
    assert last == record.result.error.splitlines()[-1]
    assert (1, 1, 1) == record.result.ranks
    assert ("finished", None) == (other.result.end, other.result.error)
    assert all(connection.closed for connection in table.connections)
    told = heard(table.bots[0])
    expected = "error internal the arena could not begin the match"
    if not (method == "facts" and not after):
        expected = "bye"
        assert "end aborted" in told
    assert expected == told[-1]


@pytest.mark.parametrize("method", ["chance", "generate", "new", "write_board"])
async def test_an_error_before_the_match_is_told_and_recorded(tmp_path, autojump_clock, method):
    """The record has its header all the same, and the bots a reason."""

    def raising(*_):
        raise RuntimeError("the rules are broken here")

    rules = type("BrokenRules", (tinygame.CountingRules,), {method: raising})()
    table = sit(tmp_path, rules, SKIPPERS)
    table.rules = None
    record = await table.play(listens, listens, listens)
    assert "RuntimeError: the rules are broken here" in record.result.error
    assert ("aborted", (0, 0, 0)) == (record.result.end, record.result.scores)
    assert "counting" == record.header.game
    for end in table.bots:
        assert ["error internal the arena could not begin the match"] == heard(end)


async def test_a_board_that_is_not_written_as_a_text_is_told_and_recorded(tmp_path, autojump_clock):
    """The record could have no header with it."""
    rules = type("BrokenRules", (tinygame.CountingRules,), {"write_board": lambda *_: b"oak"})()
    table = sit(tmp_path, rules, SKIPPERS)
    table.rules = None
    record = await table.play(listens, listens, listens)
    words = "AssertionError: write_board returns b'oak'; it must be a text"
    assert words == record.result.error.splitlines()[-1]
    assert ("aborted", "") == (record.result.end, record.header.board)


async def test_a_game_that_goes_on_after_its_last_turn_is_ended(tmp_path, autojump_clock):
    """It might go on for ever: `outcome` never says that it is over."""
    endless = type("EndlessGame", (tinygame.Counting,), {"outcome": lambda _: None})
    rules = type("EndlessRules", (tinygame.CountingRules,), {"game": endless})()
    table = sit(tmp_path, rules, SKIPPERS, verified_by=COUNTING)
    record = await table.play(FIVE, FIVE, FIVE)
    assert ("aborted", "error", 4) == (record.result.end, record.result.reason, record.result.turns)
    words = "RuntimeError: the game counting goes on after the 5 turns of its max_turns"
    assert words == record.result.error.splitlines()[-1]


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        (lambda _: None, "AssertionError: scores None must be a tuple of 3 integers, one per seat"),
        (lambda _: (1, 2), "AssertionError: scores (1, 2) must be a tuple of 3 integers"),
        (lambda _: (0, 0, math.nan), "AssertionError: scores (0, 0, nan) must be a tuple"),
        (lambda _: sys.exit("no scores"), "SystemExit: no scores"),
    ],
)
async def test_a_match_without_usable_scores_is_aborted(tmp_path, autojump_clock, scores, words):
    """At its end the game is asked for scores once more, which must not end more than the match."""

    def outcome(game):
        made = Outcome(
            termination=Termination.FINISHED, ranks=(1, 1, 1), scores=(0, 0, 0), reason="counted"
        )
        return made if game.turn == 5 else None

    game = type("BadGame", (tinygame.Counting,), {"scores": scores, "outcome": outcome})
    rules = type("BadRules", (tinygame.CountingRules,), {"game": game})()
    record = await sit(tmp_path, rules, SKIPPERS, verified_by=COUNTING).play(FIVE, FIVE, FIVE)
    assert ("aborted", (1, 1, 1), (0, 0, 0)) == (*ending(record)[::2], record.result.scores)
    assert record.result.error.splitlines()[-1].startswith(words)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"ranks": (1, 2)}, "ranks (1, 2) must be 3 numbers, one per seat"),
        ({"scores": (7, 8, 9)}, "the outcome's scores (7, 8, 9) aren't the game's, (5, 5, 5)"),
        ({"reason": "All done!"}, "the outcome's reason 'All done!' must be a lower-case word"),
    ],
)
async def test_an_outcome_that_no_rules_can_lead_to_aborts_the_match(
    tmp_path, autojump_clock, changes, words
):
    """It would count for the wrong bot, or break whatever shows the result."""

    class Wrong(tinygame.Counting):
        def outcome(self):
            made = super().outcome()
            return made and attrs.evolve(made, **changes)

    rules = type("WrongRules", (tinygame.CountingRules,), {"game": Wrong})()
    record = await sit(tmp_path, rules, SKIPPERS, verified_by=COUNTING).play(FIVE, FIVE, FIVE)
    assert ("aborted", "error", (1, 1, 1)) == ending(record)
    assert record.result.error.splitlines()[-1].startswith(f"AssertionError: {words}")


async def test_each_position_is_hashed_once(tmp_path, autojump_clock):
    """Hashing two long answers takes milliseconds, so the last position isn't hashed again."""
    hashed = []

    class Hashed(tinygame.Counting):
        def digest(self):
            hashed.append(self.turn)
            return super().digest()

    rules = type("HashedRules", (tinygame.CountingRules,), {"game": Hashed})()
    table = sit(tmp_path, rules, SKIPPERS, verified_by=COUNTING)
    record = await table.play(FIVE, FIVE, FIVE)
    assert [1, 2, 3, 4, 5] == hashed
    assert record.turns[-1].digest == record.result.digest


async def test_a_digest_that_fails_only_at_the_end_reaches_nobody_else(tmp_path, autojump_clock):
    """An interrupted match asks for it once more, outside of its nursery."""
    table = sit(tmp_path, broken("digest"), SKIPPERS)
    table.match.interrupt()
    record = await table.play(listens, listens, listens)
    assert "RuntimeError" in record.result.error
    assert "aborted" == record.result.end


async def test_a_seat_that_went_out_when_the_rules_broke_is_closed_too(tmp_path, autojump_clock):
    """Its connection must not come back into the lobby in the middle of a match."""
    table = sit(tmp_path, broken("advance"), ["Ann v=1 keep=1", "Bob v=1 keep=1", "Cy v=1"])
    await table.play(writes(b"\xff\n"), answers("1"), answers("1"))
    assert heard(table.bots[0])[-1].startswith("error not-utf8")
    assert [True] * 3 == [connection.closed for connection in table.connections]


class FullDisk:
    """A file that takes so many bytes and no more, a part of a line at a time."""

    def __init__(self, file, room):
        self.file, self.room = file, room

    def write(self, data):
        if not self.room:
            raise OSError(errno.ENOSPC, "No space left on device")
        taken = self.file.write(data[: min(self.room, 100)])
        self.room -= taken
        return taken

    def __getattr__(self, name):
        return getattr(self.file, name)


@pytest.mark.parametrize("room", [10, 900, 1500])
async def test_a_full_disk_ends_this_match_alone(tmp_path, autojump_clock, counting, room):
    """In the header or in a turn; what was written are whole lines."""
    writer = RecordWriter(tmp_path / "m1.jsonl.gz")
    plain, writer._file = writer._file, FullDisk(writer._file, room)
    table = counting(record=writer)

    async def patient(end):
        await end.say("1")
        await end.say("1")
        await end.read_rest()
        end.close()

    async with trio.open_nursery() as nursery:
        for end in table.bots:
            nursery.start_soon(patient, end)
        outcome = await table.match.run()
    assert Termination.ABORTED is outcome.termination
    assert "No space left on device" in table.match.error
    with pytest.raises(OSError, match="No space left"):
        await table.finish()
    assert plain.closed
    part = tmp_path / "m1.jsonl.gz.part"
    assert part.read_bytes().endswith(b"}\n") if room > 10 else not part.exists()
    assert not (tmp_path / "m1.jsonl.gz").exists()


@pytest.mark.parametrize("room", [10, 900])
async def test_a_match_that_a_full_disk_ended_is_freed_at_once(
    tmp_path, autojump_clock, counting, room
):
    """The garbage collector would find all that could not be recorded, with boards, only later."""
    gc.disable()
    try:
        writer = RecordWriter(tmp_path / "m1.jsonl.gz")
        writer._file = FullDisk(writer._file, room)
        table = counting(record=writer)
        match = weakref.ref(table.match)
        async with trio.open_nursery() as nursery:
            for end in table.bots:
                nursery.start_soon(speaks("1", "1"), end)
            await table.match.run()
        table.match.record.close()
        del table, writer
        await trio.lowlevel.checkpoint()
        assert match() is None
    finally:
        gc.enable()


async def test_an_error_of_the_watcher_ends_the_match(autojump_clock, counting):
    async def watcher(game):
        if game.turn == 1:
            raise ValueError("the screen is gone")

    table = counting(watcher=watcher)
    record = await table.play(*[speaks("1", "1")] * 3)
    assert "the screen is gone" in record.result.error
    assert ("aborted", 1) == (record.result.end, record.result.turns)


async def test_the_watcher_sees_every_position_outside_the_clocks(autojump_clock, counting):
    """It may look for minutes at each: nobody is late."""
    seen = []

    async def watcher(game):
        seen.append((game.turn, game.digest()))
        await trio.sleep(100)

    table = counting(watcher=watcher)
    record = await table.play(*[answers(*"12345", delay=0.1)] * 3)
    assert [0, 1, 2, 3, 4, 5] == [turn for turn, _ in seen]
    assert [turn.digest for turn in record.turns] == [digest for _, digest in seen[1:]]
    assert [("answer",) * 3] * 5 == verdicts(record)
