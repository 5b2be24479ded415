"""Time and order within a turn (PROTOCOL.md 4), under a clock that jumps."""

from collections import Counter
from random import Random

import pytest
import trio

from lanista.match.conditions import Clock
from match.playing import SKIPPERS, answers, heard, listens, speaks, verdicts


@pytest.mark.parametrize(
    ("delay", "expected"),
    [
        pytest.param((19.999, 0.199), ("answer", "answer"), id="both in time"),
        pytest.param((20.001,), ("late",), id="the first has 20 s"),
        pytest.param((0, 0.201), ("answer", "late"), id="a later one has 0.2 s"),
    ],
)
async def test_an_answer_has_its_time(autojump_clock, counting, delay, expected):
    """A millisecond less counts, a millisecond more doesn't."""
    table = counting(rounds=len(delay))
    others = answers(*["1"] * len(delay))
    record = await table.play(answers(*"53"[: len(delay)], delay=delay), others, others)
    assert [(verdict, "answer", "answer") for verdict in expected] == verdicts(record)
    counted = zip((5, 3), expected, strict=False)
    assert sum(n for n, verdict in counted if verdict == "answer") == record.result.scores[0]


@pytest.mark.parametrize(
    ("limits", "waits"),
    [(Clock(time_init=0, time_move=0), (9e6, 9e6)), (Clock(time_init=20, time_move=0), (19, 9e6))],
)
async def test_0_is_no_limit(autojump_clock, counting, limits, waits):
    """Without a limit an answer may take a hundred days; `status` is 0 for all then."""
    table = counting(rounds=2, clock=limits)
    record = await table.play(answers("4", "4", delay=waits), answers("1", "1"), answers("1", "1"))
    assert [("answer",) * 3] * 2 == verdicts(record)
    assert [(), ()] == [turn.status for turn in record.turns]


async def test_status_is_the_share_of_the_matchs_time(autojump_clock, counting):
    """Of 20 + 4 x 0.2 = 20.8 s: after 10.4 s a half; what came late used its whole limit."""
    table = counting()
    record = await table.play(answers("1", delay=10.4), answers(*"11111"), answers(*"11111"))
    shares = [0.5, 0.5096, 0.5192, 0.5288]  # 10.4, 10.6, 10.8, 11 of 20.8 s, to 4 digits
    assert shares == [turn.status[0] for turn in record.turns[1:]]
    assert "status 0.5 0 0" in heard(table.bots[1])


async def test_a_late_line_is_thrown_away_and_is_that_turns_answer(autojump_clock, counting):
    """Seat 0 answers turn 1 after 0.3 s, in the middle of turn 2: turn 2 gets its own answer."""

    async def slow(end):
        await end.read_until("go")
        await end.say("1")
        await end.read_until("go")
        await trio.sleep(0.3)
        await end.say("9")  # for turn 1, which is over
        await end.say("2")  # for turn 2
        await end.read_until("turn 3")
        await end.read_until("go")
        await end.say("3")
        await end.read_rest()

    steady = answers(*"1111", delay=0.15)
    table = counting(rounds=4)
    record = await table.play(slow, steady, steady)
    assert ["answer", "late", "answer", "answer"] == [turn[0] for turn in verdicts(record)]
    assert ["1", None, "2", "3"] == [turn.raw[0] for turn in record.turns]


async def test_an_answer_still_owed_is_dropped_in_the_next_match(autojump_clock, counting):
    """keep=1: late in the last turn of one match; the line that then comes isn't the first
    answer of the next, and the next has the first-reply time again.
    """
    hellos = [f"{hello} keep=1" for hello in SKIPPERS]

    async def slow(end):
        await end.read_until("end")  # owes the answer to turn 0
        await end.read_until("start")
        await end.say("9")
        await end.read_until("go")
        await trio.sleep(19)
        await end.say("2")
        await end.read_until("score 2")

    async def prompt(end):
        for _ in range(2):
            await end.read_until("go")
            await end.say("1")
            await end.read_until("score 2")

    first = counting(*hellos, rounds=1, name="m1")
    second = counting(again=first.connections, bots=first.bots, rounds=1, name="m2")
    async with trio.open_nursery() as nursery:
        for bot, end in zip((slow, prompt, prompt), first.bots, strict=True):
            nursery.start_soon(bot, end)
        await first.match.run()
        await second.match.run()
    one, two = await first.finish(), await second.finish()
    assert [("late", "answer", "answer")] == verdicts(one)
    assert [("answer",) * 3] == verdicts(two)
    assert "2" == two.turns[0].raw[0]
    assert not any(connection.closed for connection in second.connections)
    assert "bye" not in heard(first.bots[1])


async def test_answers_sent_ahead_count_0_ms_and_one_a_turn(autojump_clock, counting):
    """All five lines are there before the first `go`; the sixth is never used."""
    table = counting()
    record = await table.play(
        speaks(*"123456"), answers(*"11111", delay=0.1), answers(*"11111", delay=0.1)
    )
    assert list("12345") == [turn.raw[0] for turn in record.turns]
    assert {(0, 0, 0)} == {turn.times[0][1:] for turn in record.turns}
    assert 15 == record.result.scores[0]


async def test_what_waits_in_the_system_beside_a_held_answer_counts_0_ms(autojump_clock, counting):
    """The second answer came in time of turn 0 but is read in turn 1: its time is the hand-over,
    never less than nothing.
    """

    async def eager(end):
        await end.read_until("go")
        await end.say("1")
        await trio.sleep(0.05)
        await end.say("2")
        await end.read_rest()

    table = counting(rounds=2)
    record = await table.play(eager, answers("1", "1", delay=0.1), answers("1", "1"))
    assert ["1", "2"] == [turn.raw[0] for turn in record.turns]
    assert (0, 0, 0) == record.turns[1].times[0][1:]


async def test_every_seat_has_its_bytes_before_any_answer_is_awaited(autojump_clock, counting):
    """Each bot answers only when all have been asked; else it would be late."""
    everybody = trio.Event()
    asked = 0

    async def polite(end):
        nonlocal asked
        await end.read_until("go")
        asked += 1
        if asked == 3:
            everybody.set()
        await everybody.wait()
        await end.say("1")
        await end.read_rest()

    table = counting(rounds=1)
    record = await table.play(polite, polite, polite)
    assert [("answer",) * 3] == verdicts(record)
    assert [0.0] * 3 == [connection.channel.sends[0][0] for connection in table.connections]


async def test_the_order_of_seats_reaches_the_rules_never_that_of_arrival(autojump_clock, counting):
    """Bots that say the same with ten kinds of delays: ten matches with identical digests."""
    seen = set()
    for number in range(10):
        pick = Random(number)

        def bot(line, pick=pick):
            async def play(end):
                for turn in range(5):
                    await end.read_until("go")
                    await trio.sleep(pick.choice([0, 0.001, 0.05, 0.15]))
                    await end.say(str((line + turn) % 10))
                await end.read_rest()

            return play

        table = counting(name=f"m{number}")
        record = await table.play(bot(1), bot(4), bot(8))
        seen.add(tuple(turn.digest for turn in record.turns))
    assert 1 == len(seen)


async def test_a_bot_that_does_not_read_is_out_and_the_others_go_on(autojump_clock, counting):
    """Seat 1 never takes the opening: out after its 20 s; the others' answers came at once, and
    all their later turns are as fast as ever. It is ranked by its score.
    """

    async def deaf(end):
        await trio.sleep_forever()

    table = counting(to_bot=[1 << 20, 64, 1 << 20])
    bot = answers(*"11111")
    record = await table.play(bot, deaf, bot, cancels=True)
    # 20 s for the first answer of seat 1, then at most the closing time beside the match.
    assert 20 <= trio.current_time() <= 22
    assert [("answer", "late", "answer"), *[("answer", "out", "answer")] * 4] == verdicts(record)
    assert "did not read what it was sent within 20 s" == record.turns[0].faults[0].words
    assert (1, 3, 1) == record.result.ranks
    assert "status 0 -1 0" in heard(table.bots[0])
    assert {0} == {record.turns[0].times[seat][2] for seat in (0, 2)}
    assert table.connections[1].closed


async def test_who_never_answers_is_told_why_that_may_be(autojump_clock, counting):
    """Only as long as it has never answered, and last in the message by which it is out."""

    async def mute(end):
        await trio.sleep_forever()

    table = counting(late_limit=2, silence_hints=["", "does it flush?", "does it flush?"])
    record = await table.play(mute, mute, answers("1"), cancels=True)
    told = [[f.words for f in record.result.faults if f.seat == seat] for seat in range(3)]
    out = "; late 2 turns in a row, so it is out"
    assert ["no answer within 20 s", f"no answer within 0.2 s{out}"] == told[0]
    hint = "; does it flush?"
    assert [f"no answer within 20 s{hint}", f"no answer within 0.2 s{out}{hint}"] == told[1]
    assert ["no answer within 0.2 s", f"no answer within 0.2 s{out}"] == told[2]


async def test_who_does_not_read_is_late_whatever_it_sent_ahead(autojump_clock, angrymob):
    """A forfeit ruleset: the answer was there before the bytes, which were never taken."""

    async def deaf(end):
        await end.say("")
        await trio.sleep_forever()

    table = angrymob("Deaf v=1", "Bob v=1", to_bot=[64, 1 << 20])
    record = await table.play(deaf, answers(""), cancels=True)
    assert [("late", "answer")] == verdicts(record)
    assert ("forfeit", (2, 1)) == (record.result.end, record.result.ranks)


async def test_a_bot_that_reads_slowly_has_its_time_from_the_last_byte(autojump_clock, counting):
    """It takes its bytes after 15 s and answers after 19 more: both in time. What it had sent
    ahead counts 0 ms from then, not less.
    """

    def slow(*ahead):
        async def play(end):
            for line in ahead:
                await end.say(line)
            await trio.sleep(15)
            await end.read_until("go")
            if not ahead:
                await trio.sleep(19)
                await end.say("7")
            await end.read_rest()

        return play

    table = counting(rounds=1, to_bot=[100, 100, 1 << 20])
    record = await table.play(slow(), slow("6"), answers("1"))
    turn = record.turns[0]
    assert ("7", "6", "1") == turn.raw
    assert (15_000_000, 19_000_000) == turn.times[0][:2]
    assert (15_000_000, 0, 0, 0) == turn.times[1]


async def test_a_bot_with_all_its_answers_ready_does_not_keep_the_loop(autojump_clock, counting):
    """200 turns without any wait, and another task still gets its turns between them."""
    table = counting(rounds=200)
    for end in table.bots:
        end.write_now(b"1\n" * 200, stamp=None)
    ticks = 0

    async def tick():
        nonlocal ticks
        while True:
            ticks += 1
            await trio.lowlevel.checkpoint()

    record = await table.play(*[listens] * 3, beside=[tick], cancels=True)
    assert 200 == record.result.turns
    assert ticks >= 200


async def test_a_flood_of_log_lines_leaves_the_loop_to_the_others(autojump_clock, counting):
    """Heaped up log lines are read one piece a time, with the other tasks between, also at the
    deadline; only 16 KiB are kept.
    """
    table = counting(rounds=1)
    flooder = table.bots[1]
    pieces = 16
    flooder.write_now(b"#" + b"x" * 62 + b"\n", stamp=None)

    async def late_flood(end):
        # While seat 0 is awaited nobody reads seat 1; at the deadline all of it is there.
        await trio.sleep(19.9)
        flooder.write_now((b"#" + b"x" * 62 + b"\n") * (pieces * 1024 - 1), stamp=None)
        await end.read_rest()
        end.close()

    reads = []
    channel = table.connections[1].channel
    receive = channel.receive_some
    ticks = 0
    ended = False

    def counted(limit):
        reads.append(ticks)
        return receive(limit)

    channel.receive_some = counted

    async def tick():
        nonlocal ticks
        await trio.sleep_until(20)
        while not ended:
            ticks += 1
            await trio.lowlevel.checkpoint()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(tick)
        for bot, end in zip((listens, late_flood, answers("1")), table.bots, strict=True):
            nursery.start_soon(bot, end)
        await table.match.run()
        ended = True
    record = await table.finish()
    assert ("late", "late", "answer") == record.turns[0].verdicts
    assert pieces <= len(reads)
    # One read a slice of the loop's time: between two ticks there can be one of this slice and
    # one of the next, where the order is chance.
    assert max(Counter(tick for tick in reads if tick).values()) <= 2
    assert 16_384 <= len(record.turns[0].logs["1"].encode()) <= 16_384 + 100


async def test_what_comes_while_nothing_is_read_may_be_there_already(autojump_clock, counting):
    """The moment since when nothing was there is before the look that found nothing, not after.

    The system takes 150 ms for it, in which the time ends and the answer comes, without a stamp.
    """

    async def bot(end):
        await end.read_until("go")
        channel = table.connections[0].channel
        read = channel.receive_some

        def slow(limit):
            chunk = read(limit)
            channel.receive_some = read
            assert chunk is None
            autojump_clock.jump(0.15)
            end.write_now(b"5\n", stamp=None)
            return chunk

        await trio.sleep(0.1)
        channel.receive_some = slow
        channel.wake()
        await end.read_rest()

    limits = Clock(time_init=0.2, time_move=0.2)
    table = counting(rounds=1, clock=limits)
    record = await table.play(bot, answers("1"), answers("1"))
    assert [("answer",) * 3] == verdicts(record)
    _, earliest, latest, _ = record.turns[0].times[0]
    assert (100_000, 250_000) == (earliest, latest)
