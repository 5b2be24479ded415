"""Playing seated matches, by both players of an arena alike: in its loop, and in a worker.

The worker runs in the tests' own event loop here; its processes are in test_match_workers.py.
"""

import contextlib
import sys

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st

from arena.handed import (
    CALM,
    PATIENCE,
    Here,
    asked,
    begin,
    changed,
    connected,
    leave,
    pair,
    played_by,
    seated,
)
from lanista.arena import match_player, match_worker, worker_process
from lanista.arena.match_player import LoopPlayer
from lanista.arena.match_workers import MatchWorkers
from lanista.hosting.control import MatchControl, RunningMatches
from lanista.match.conditions import Clock, LadderInfo, UnusableBoardError
from lanista.match.stalls import StallMonitor
from support.processes import open_files

PLAYERS = ("loop", "worker")


def player_of(kind, nursery, monkeypatch):
    running = RunningMatches()
    if kind == "loop":
        return LoopPlayer(running)

    async def start(_module, theirs):
        await trio.lowlevel.checkpoint()
        return Here(theirs, nursery)

    monkeypatch.setattr(worker_process, "start", start)
    return MatchWorkers(running, 1)


@pytest.fixture(params=PLAYERS)
async def player(request, nursery, monkeypatch):
    player = player_of(request.param, nursery, monkeypatch)
    async with trio.open_nursery() as own:
        own.start_soon(player.run)
        yield player
        own.cancel_scope.cancel()


async def test_a_match_is_played_and_its_bots_stay(player, nursery, tmp_path, two):
    """Twice, on the same connections, with its record, shown while it runs and after it."""
    connections, (ann, bob) = two
    ends = []
    player.running.on_end = lambda match, record: ends.append((match, record))
    for number in (1, 2):
        ladder = LadderInfo(name="pit", versions=(number, None))
        playing = begin(nursery, player, seated(tmp_path, connections, ladder=ladder))
        for turn in range(3):
            for bot in (ann, bob):
                await bot.until(b"\ngo\n", 3 * (number - 1) + turn + 1)
            if turn == 0:
                (running,) = player.running.matches.values()
                assert running.match == playing.match.spec.match
                assert [(1, "Ann"), (2, "Bob")] == list(running.bots)
                assert "cup" == running.room
                assert running.part.exists()
            for bot in (ann, bob):
                await bot.say(b"# thought\n\n")
        played = await playing.end()
        assert ("finished", 3) == (played.result.end, played.result.turns)
        assert played.result == playing.record.result
        assert played.started == playing.record.header.started
        assert ladder == playing.record.header.ladder
        # What was counted comes along: 6 answers, and 2 turns that another one followed.
        assert (6, 2) == (sum(played.figures.answers.counts), sum(played.figures.own.counts))
        assert [{"Ann", "Bob"}] * 2 == [
            {player.name for player in playing.record.header.players}
        ] * 2
        assert {} == player.running.matches
        assert playing.match.record == ends[-1][1]
        assert ["WAITING"] * 2 == [connection.session.state.name for connection in connections]
    await ann.until(b"\nscore 1 ", 2)
    loops = ["front", "worker 1"] if isinstance(player, MatchWorkers) else ["front"]
    assert loops == list(player.lags)


async def nothing_comes(bot):
    """A bot is sent nothing; a match that isn't held would take a hundredth of the time."""
    got = bot.got
    with trio.move_on_after(0.1) as scope:
        await bot.until(b"\n", got.count(b"\n") + 1)
    assert scope.cancelled_caught
    assert got == bot.got


async def test_pause_step_and_resume(player, nursery, tmp_path, two):
    """A match that is paused before its first turn plays what it is told to."""
    connections, (ann, bob) = two
    control = MatchControl()
    control.pause()
    playing = begin(nursery, player, seated(tmp_path, connections, control=control))
    await changed(player, lambda: player.running.matches)
    await nothing_comes(ann)
    (running,) = player.running.matches.values()
    running.control.step()
    await played_by((ann, bob), [1])
    await nothing_comes(ann)
    running.control.step()
    running.control.step()
    await played_by((ann, bob), (2, 3))
    running.control.resume()
    assert "finished" == (await playing.end()).result.end
    assert not control.paused


async def test_steps_that_are_left_are_for_the_repetition(player, nursery, tmp_path, two):
    """One control for all repetitions of a match: what it was told last holds for the next."""
    connections, (ann, bob) = two
    control = MatchControl()
    playing = begin(nursery, player, seated(tmp_path, connections, control=control, moves=1))
    await asked((ann, bob))
    for _ in range(3):
        control.step()
    for bot in (ann, bob):
        await bot.say(b"\n")
    await playing.end()
    assert control.paused
    assert 3 == control.steps
    assert None is control.on_command


async def test_a_kicked_bot_is_told_and_closed(player, nursery, tmp_path, two):
    connections, (ann, bob) = two
    playing = begin(nursery, player, seated(tmp_path, connections))
    await asked((ann, bob))
    await bob.say(b"\n")
    (running,) = player.running.matches.values()
    running.playing.kick(0, "the operator closed this connection")
    assert (await ann.rest()).endswith(b"error shutdown the operator closed this connection\n")
    ann.close()  # as a bot does that is told so
    played = await playing.end()
    assert "forfeit" == played.result.end
    assert [True, False] == [connection.closed for connection in connections]
    assert 1 == len(played.bundles)
    assert played.bundles[0].is_dir()


@pytest.mark.parametrize("by", ["operator", "shutdown"])
async def test_an_interrupted_match_is_aborted(player, nursery, tmp_path, two, by):
    connections, (ann, bob) = two
    playing = begin(nursery, player, seated(tmp_path, connections))
    await ann.until(b"\ngo\n")
    if by == "operator":
        (running,) = player.running.matches.values()
        running.playing.interrupt("the operator ended this match")
    else:
        player.interrupt()
    for bot in (ann, bob):
        assert b"error shutdown the" in await bot.rest()
        bot.close()
    assert "aborted" == (await playing.end()).result.end
    assert all(connection.closed for connection in connections)
    if by == "shutdown":  # whose bots were waiting for their board meanwhile
        connections, late = pair()
        playing = begin(nursery, player, seated(tmp_path, connections))
        for bot in late:
            assert (await bot.rest()).startswith(b"error shutdown")
            bot.close()
        played = await playing.end()
        assert played is None or played.result.end == "aborted"


async def test_a_record_that_cannot_be_written(player, nursery, tmp_path, two):
    """The bots are told that it is not their fault, and there is no match."""
    connections, (ann, bob) = two
    (tmp_path / "file").touch()
    playing = begin(nursery, player, seated(tmp_path / "file", connections))
    for bot in (ann, bob):
        assert await bot.rest() == b"error internal the arena can't write the match's record\n"
        bot.close()
    assert None is await playing.end()
    assert all(connection.closed for connection in connections)
    assert {} == player.running.matches


async def test_a_void_match_hides_its_record(player, nursery, tmp_path, two, monkeypatch):
    """A stall of the loop that plays it, with somebody late."""
    monkeypatch.setattr(StallMonitor, "worst", lambda *_: 1.0)
    connections, (ann, bob) = two
    quick = Clock(time_init=0.05, time_move=0.05)
    playing = begin(nursery, player, seated(tmp_path, connections, clock=quick))
    await ann.until(b"\nend void\n")
    played = await playing.end()
    assert "void" == played.result.end
    assert 1.0 == played.stall
    assert {} == player.running.ended
    player.running.show(playing.match.spec.match)
    assert {playing.match.spec.match: playing.match.record} == player.running.ended
    # The answers that were given up are owed, on the same sessions.
    assert [1, 1] == [connection.session.owed for connection in connections]
    await bob.until(b"\nscore 1 ")


def unusable(_):
    raise UnusableBoardError("no such class")


@pytest.mark.parametrize("unpickles", [True, False])
async def test_the_board_of_a_seed_is_the_same(player, nursery, tmp_path, monkeypatch, unpickles):
    """Made by the board worker, with the chance from which the match goes on drawing.

    Or by the match, as the modules of a ruleset may have been replaced while the arena runs.
    """

    if not unpickles:
        monkeypatch.setattr(match_player, "unpack_board", unusable)
    hellos = [f"B{seat} v=1\n".encode() for seat in range(4)]
    seats = [connected(hello) for hello in hellos]
    connections = [connection for connection, _ in seats]
    playing = begin(nursery, player, seated(tmp_path, connections, game="hogwarts"))
    await played_by([bot for _, bot in seats], [1])
    await seats[0][1].until(b"\ngo\n", 2)
    player.interrupt()
    for _, bot in seats:
        await bot.rest()
        bot.close()
    await playing.end()
    record = playing.record
    spec = playing.match.spec
    chance = spec.ruleset.chance(7)
    assert record.header.board == spec.ruleset.write_board(
        spec.ruleset.generate(spec.settings, chance)
    )
    game = spec.ruleset.new(spec.settings, spec.ruleset.read_board(record.header.board), chance)
    game.advance([game.parse(seat, ()) for seat in range(4)])
    assert game.digest() == record.turns[0].digest


async def test_an_exit_while_a_given_board_is_read_ends_its_match_alone(
    nursery, tmp_path, monkeypatch
):
    """A worker reads the board of friendly matches, by code of the game, and plays on."""
    player = player_of("worker", nursery, monkeypatch)
    async with trio.open_nursery() as own:
        own.start_soon(player.run)
        connections, bots = pair()
        with monkeypatch.context() as patched:
            patched.setattr(match_worker, "_board", lambda *_: sys.exit("no board"))
            playing = begin(nursery, player, seated(tmp_path, connections))
            for bot in bots:
                assert b"error internal the arena failed" in await bot.rest()
            assert None is await playing.end()
        leave(connections, bots)
        connections, bots = pair()
        playing = begin(nursery, player, seated(tmp_path, connections))
        await played_by(bots)
        assert "finished" == (await playing.end()).result.end
        leave(connections, bots)
        own.cancel_scope.cancel()


# What a bot sends at each of its turns: at least one answer, and more of anything.
_ANSWERS = st.sampled_from([b"\n", b"0 0 1 0\r\n", b"# log\n\n", b"x\n", b"1 2\n"])
_FLOOD = b"#\n" * 9000
_MORE = st.sampled_from([b"", b"# later\n", b"\n", b"# a pi", b"0 0 1 0\n# z\n", b"#FLOOD\n"])


@st.composite
def conversations(draw):
    """For two bots: what they send ahead of two matches and at each `go`, and the answers owed."""
    conversation = []
    for _ in range(2):
        parts = [draw(st.lists(st.one_of(_ANSWERS, _MORE), max_size=3))]
        parts += [[draw(_ANSWERS), draw(_MORE)] for _ in range(6)]
        open_line, at_turns = b"", []
        for part in map(b"".join, parts):
            whole = open_line + part  # the end of the line that was begun, so that answers count
            open_line = b"" if not part or part.endswith(b"\n") else b"ece\n"
            at_turns.append(whole)
        conversation.append((at_turns[0], at_turns[1:], draw(st.integers(0, 2))))
    return conversation


async def _conversed(player, nursery, folder, conversation):
    """Two matches in a row: the bytes that the bots got, the verdicts, what the sessions hold."""
    connections, bots = pair(b"Ann v=1 keep=1 notes=1\n", b"Bob v=1 keep=1 notes=1\n")
    seen = []
    for connection, bot, (ahead, _, owed) in zip(connections, bots, conversation, strict=True):
        connection.session.owed = owed
        await bot.say(b"debt\n" * owed + ahead.replace(b"#FLOOD\n", _FLOOD))
        connection.look()  # a part of it is read before the match

    async def converse(bot, at_turns):
        """Say each turn's part at its `go`."""
        for number, part in enumerate(at_turns, 1):
            with trio.fail_after(PATIENCE):
                while bot.got.count(b"\ngo\n") < number:
                    data = await bot.stream.receive_some(65536)
                    if not data:
                        return
                    bot.got += data
            await bot.say(part.replace(b"#FLOOD\n", _FLOOD))

    async with trio.open_nursery() as talking:
        for bot, (_, at_turns, _) in zip(bots, conversation, strict=True):
            talking.start_soon(converse, bot, at_turns)
        for _ in range(2):
            match = seated(folder, connections, moves=3)
            playing = begin(nursery, player, match)
            played = await playing.end()
            record = playing.record
            seen.append((played.result.end, played.result.ranks, played.result.fault_counts))
            seen.append([(turn.verdicts, turn.digest, turn.logs) for turn in record.turns])
            if any(connection.closed for connection in connections):
                break
        talking.cancel_scope.cancel()
    for connection, bot in zip(connections, bots, strict=True):
        seen.append((connection.closed, connection.session.owed))
        connection.channel.close()
        with trio.move_on_after(PATIENCE):
            with contextlib.suppress(trio.BrokenResourceError):  # closed with something unread
                await bot.rest()
        lines = bot.got.split(b"\n")
        seen.append([line for line in lines if not line.startswith(b"start ")])
        bot.close()
    return seen


@given(conversation=conversations())
def test_hand_overs_change_nothing(tmp_path_factory, conversation):
    """Same bytes, verdicts, logs and debts, whatever is there at a hand-over, read or unread."""
    folder = tmp_path_factory.mktemp("records")

    async def run(kind):
        with pytest.MonkeyPatch.context() as patch:
            async with trio.open_nursery() as nursery:
                player = player_of(kind, nursery, patch)
                nursery.start_soon(player.run)
                seen = await _conversed(player, nursery, folder, conversation)
                nursery.cancel_scope.cancel()
        return seen

    expected, handed = [trio.run(run, kind) for kind in PLAYERS]
    assert expected == handed


async def test_nothing_stays_open(nursery, monkeypatch, tmp_path):
    """After matches on kept and on closed connections, and after the workers."""
    before = open_files()
    for kind in PLAYERS:
        async with trio.open_nursery() as own:
            player = player_of(kind, own, monkeypatch)
            own.start_soon(player.run)
            connections, bots = pair(b"Ann v=1 keep=1\n", b"Bob v=1\n")
            playing = begin(own, player, seated(tmp_path, connections, moves=1, clock=CALM))
            await played_by(bots, [1])
            await bots[1].rest()
            bots[1].close()
            await playing.end()
            assert connections[1].closed
            connections[0].channel.close()
            bots[0].close()
            own.cancel_scope.cancel()
    # What an earlier test has left may be closed meanwhile.
    assert open_files().items() <= before.items()
