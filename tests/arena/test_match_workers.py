"""Match workers as processes: killed at any step, stopped, and told what the operator's front is.

What a match does in a worker as it does in the arena's loop is in test_match_players.py.
"""

import contextlib
import gc
import os
import resource
import signal
import socket
import subprocess
import sys

import attrs
import pytest
import trio
import trio.testing

from arena.handed import PATIENCE, asked, begin, changed, connected, leave, pair, played_by, seated
from e2e.prepared import forked, prepare
from lanista.arena import match_workers, worker_process
from lanista.arena.match_workers import WHY, MatchWorkers
from lanista.bots.syscalls import can_fork_siblings
from lanista.hosting.control import RunningMatches
from lanista.match.seat import RejoinError
from lanista.spawning import start_tracker
from support.processes import open_files

DYING = """
import os, signal
from pathlib import Path
import lanista.arena.match_worker as worker
from lanista.arena.worker_process import Link
from lanista.match.record_writer import RecordWriter
from lanista.match.judge import Judge

def die():
    try:
        Path({flag!r}).touch(exist_ok=False)
    except FileExistsError:
        return  # another worker has died already
    os.kill(os.getpid(), signal.SIGKILL)

def dies(owner, name, when, where=lambda *_: True):
    whole = getattr(owner, name)
    def wrapped(*arguments, **more):
        if when == "before" and where(*arguments):
            die()
        result = whole(*arguments, **more)
        if when == "after" and where(*arguments):
            die()
        return result
    setattr(owner, name, wrapped)

def is_play(_, message, *more):
    return message.content["kind"] == "play"

def is_begins(_, content, *more):
    return content["kind"] == "begins"

{step}
worker.main()
"""
"""A worker that kills itself at a step, if it is the first to come there."""

RETRIED = {
    "before the order is read": "dies(worker.MatchWorker, '_carry_out', 'before', is_play)",
    "with the sockets in hand": "dies(worker.MatchWorker, '_take_up', 'after')",
    "with the record open": "dies(Link, 'post', 'before', is_begins)",
}
ABORTED = {
    "when it has begun": "dies(Link, 'post', 'after', is_begins)",
    "with an empty record": "dies(RecordWriter, 'begin', 'before')",
    "before the first turn": "dies(RecordWriter, 'begin', 'after')",
    "in a turn": "dies(Judge, '_verdict', 'before')",
    "before the result": "dies(RecordWriter, 'end', 'before')",
}
DECIDED = {
    "with the result": "dies(RecordWriter, 'end', 'after')",
    "before the report": "dies(worker.MatchWorker, '_report', 'before')",
}


def forked_with(code, theirs):
    """A fork of a process that has loaded what a worker needs; None where there can be none."""
    out, err = sys.__stdout__, sys.__stderr__
    change = f"{code}\nraise SystemExit"
    return forked(["0"], change, cwd="/", env={**os.environ}, stdout=out, stderr=err, stdin=theirs)


class ForkedWorker:
    """A fork with what an arena uses of `trio.Process`."""

    def __init__(self, process):
        self._process = process
        self.pid = process.pid
        self.kill = process.kill

    @property
    def returncode(self):
        return self._process.poll()

    async def wait(self):
        """Wait for its end."""
        if self.returncode is None:
            with open(os.pidfd_open(self.pid), "rb") as end:  # noqa: ASYNC230, PTH123 - a descriptor
                await trio.lowlevel.wait_readable(end.fileno())


@pytest.fixture
async def workers(nursery, monkeypatch, tmp_path):
    """Start workers that die at a step; everything is closed at the end.

    What an earlier test left may go meanwhile, when the garbage collector finds it. The pipes of a
    helper process that was ended go likewise.
    """
    start_tracker()  # multiprocessing's, which stays
    if can_fork_siblings():
        prepare()  # likewise
    before = open_files()

    def start_workers(step="", count=1):
        if step:
            code = DYING.format(flag=str(tmp_path / "died"), step=step)

            async def start(_module, theirs):
                process = forked_with(code, theirs)
                if process is not None:
                    return ForkedWorker(process)
                number = theirs.fileno()
                argv = [sys.executable, "-P", "-c", code, str(number)]
                return await trio.lowlevel.open_process(
                    argv, pass_fds=[number], start_new_session=True
                )

            monkeypatch.setattr(worker_process, "start", start)
        player = MatchWorkers(RunningMatches(), count)
        own.start_soon(player.run)
        return player

    async with trio.open_nursery() as own:
        yield start_workers
        own.cancel_scope.cancel()
    if not open_files().items() <= before.items():
        gc.collect()
    assert open_files().items() <= before.items()


def some_long(steps, *quick):
    """The steps, all but some only in the long run: each starts two or three processes."""
    return [step if step in quick else pytest.param(step, marks=pytest.mark.long) for step in steps]


async def end_of(bot):
    """All that a bot is sent, until it is closed or reset."""
    try:
        return await bot.rest()
    except trio.BrokenResourceError:
        return bot.got


@pytest.mark.parametrize("step", some_long(RETRIED, "with the record open"))
async def test_a_worker_that_dies_before_its_match_begins(workers, two, nursery, tmp_path, step):
    """The bots notice nothing: another worker plays the match."""
    player = workers(RETRIED[step])
    connections, bots = two
    await bots[0].say(b"\n")  # ahead
    playing = begin(nursery, player, seated(tmp_path, connections))
    await asked(bots)
    await bots[1].say(b"\n")
    await played_by(bots, (2, 3))
    played = await playing.end()
    assert (tmp_path / "died").exists()
    assert ("finished", 3) == (played.result.end, played.result.turns)
    assert 1 == bots[0].got.count(b"start ")
    assert not any(connection.closed for connection in connections)


@pytest.mark.parametrize("step", some_long(ABORTED | DECIDED, "in a turn", "before the report"))
async def test_a_worker_that_dies_in_a_match(workers, nursery, tmp_path, step):
    """Its bots are told and closed, its record is completed, and another worker is there."""
    player = workers((ABORTED | DECIDED)[step])
    ends = []
    player.running.on_end = lambda match, record: ends.append((match, record))
    connections, bots = pair(b"Ann v=1 keep=1\n", b"Bob\n")
    match = seated(tmp_path, connections)
    playing = begin(nursery, player, match)

    async with trio.open_nursery() as answering:

        async def answer(bot, ends):
            """Answer three turns; each is there when so many of these have come."""
            with contextlib.suppress(trio.BrokenResourceError, AssertionError):  # it is closed
                for end, times in ends:
                    await bot.until(end, times)
                    await bot.say(b"\n")

        answering.start_soon(answer, bots[0], [(b"\ngo\n", turn) for turn in (1, 2, 3)])
        # The map, and then a line of the opponent's for each turn.
        answering.start_soon(answer, bots[1], [(b"\n", lines) for lines in (3, 4, 5)])
        played = await playing.end()
        answering.cancel_scope.cancel()
    assert (tmp_path / "died").exists()
    assert (await end_of(bots[0])).endswith(
        b"error internal the arena failed; this isn't the bot's fault\n"
    )
    assert b"error" not in await end_of(bots[1])  # the classic dialect knows no errors
    assert all(connection.closed for connection in connections)
    assert {} == player.running.matches
    files = sorted(path.name for path in tmp_path.iterdir() if path.name != "died")
    if step in DECIDED:
        assert ("finished", 3) == (played.result.end, played.result.turns)
    elif step in {"when it has begun", "with an empty record"}:
        assert None is played
        assert [] == files
        assert (match.spec.match, None) == ends[-1]
    else:
        assert ("aborted", WHY) == (played.result.end, played.result.error)
    if played is not None:
        assert [match.record.name] == files
        assert (match.spec.match, match.record) == ends[-1]
        assert played.result == playing.record.result
    leave(connections, bots)
    connections, bots = pair()
    playing = begin(nursery, player, seated(tmp_path, connections))
    await played_by(bots)
    assert "finished" == (await playing.end()).result.end
    leave(connections, bots)


async def test_a_worker_that_dies_after_its_report(workers, two, nursery, tmp_path):
    """What it has reported counts, and the bots stay."""
    player = workers("dies(worker.MatchWorker, '_report', 'after')")
    connections, bots = two
    for number in (1, 2):
        playing = begin(nursery, player, seated(tmp_path, connections, moves=1))
        await played_by(bots, [number])
        assert "finished" == (await playing.end()).result.end
    assert (tmp_path / "died").exists()


async def asking_to_come_back(nursery, player, connection):
    """Have the bot in seat 0 ask to come back over another connection; set when it is refused."""
    (running,) = player.running.matches.values()
    refused = trio.Event()

    async def come_back():
        with pytest.raises(RejoinError):
            await running.rejoin(0, connection)
        refused.set()
        await connection.watch()  # as a bot that waits: nobody else may read its connection

    nursery.start_soon(come_back)
    await trio.testing.wait_all_tasks_blocked()
    return refused


async def test_a_bot_that_comes_back_when_its_match_is_over(
    workers, nursery, tmp_path, monkeypatch
):
    """The front hears of the end only then: the match counts, and the bot waits for another one."""
    told = trio.Event()
    hear, last = MatchWorkers._hear, []

    def hear_later(player, worker, content):
        if content["kind"] == "over":
            last[:] = [player, worker, content]
            told.set()
        else:
            hear(player, worker, content)

    monkeypatch.setattr(MatchWorkers, "_hear", hear_later)
    player = workers()
    connections, bots = pair()
    playing = begin(nursery, player, seated(tmp_path, connections, moves=1))
    await played_by(bots, [1])
    with trio.fail_after(PATIENCE):
        await told.wait()
    newer, newer_bot = connected(b"Ann v=1\n")
    refused = await asking_to_come_back(nursery, player, newer)
    hear(*last)
    assert "finished" == (await playing.end()).result.end
    with trio.fail_after(PATIENCE):
        await refused.wait()
    assert not any(connection.closed for connection in [*connections, newer])
    leave([*connections, newer], [*bots, newer_bot])


async def test_a_bot_that_comes_back_when_its_worker_dies(workers, nursery, tmp_path, monkeypatch):
    """The match is aborted by itself; the bot's newer connection stays, to wait for another one."""
    end, left = match_workers._HandedMatch.end, []

    def noted_end(handed):
        end(handed)
        left.extend(handed.connections)  # before any task goes on, in whatever order

    monkeypatch.setattr(match_workers._HandedMatch, "end", noted_end)
    player = workers()
    connections, bots = pair()
    playing = begin(nursery, player, seated(tmp_path, connections, moves=3))
    await played_by(bots, [1])
    (worker,) = player._workers
    os.kill(worker.linked.process.pid, signal.SIGSTOP)
    newer, newer_bot = connected(b"Ann v=1\n")
    refused = await asking_to_come_back(nursery, player, newer)
    os.kill(worker.linked.process.pid, signal.SIGKILL)
    assert "aborted" == (await playing.end()).result.end
    with trio.fail_after(PATIENCE):
        await refused.wait()
    assert not newer.closed
    assert [*connections, None] == left
    leave([*connections, newer], [*bots, newer_bot])


async def test_a_reply_for_a_bot_that_has_left_is_not_taken_for_another(two, tmp_path):
    """It no longer waits for it, as its place was needed, when the next bot asks."""
    connections, bots = two

    class Link:
        def post(self, *message):
            for duplicate in message[-1]:
                duplicate.close()

    handed = match_workers._HandedMatch(seated(tmp_path, connections), Link())
    newer, newer_bots = zip(*(connected(b"Bot%d v=1\n" % seat) for seat in (0, 1)), strict=True)
    with trio.move_on_after(0):
        await handed.rejoin(0, newer[0])
    came_back = []
    async with trio.open_nursery() as nursery:

        async def come_back():
            came_back.append(await handed.rejoin(1, newer[1]))

        nursery.start_soon(come_back)
        for replaced in ([], [connections[1]]):
            await trio.testing.wait_all_tasks_blocked()
            handed.hear({"why": None, "was_broken": False})
            await trio.testing.wait_all_tasks_blocked()
            assert replaced == came_back
    assert [None, None, *newer] == handed.connections
    leave([*connections, *newer], [*bots, *newer_bots])


async def test_a_bot_that_comes_back_as_soon_as_its_match_has_begun(workers, nursery, tmp_path):
    """The worker has said so, and does nothing more before it reads that the bot is back."""
    step = """
import trio
read, send, rejoin = trio.Event(), Link.send, worker.MatchWorker._rejoin
async def send_and_wait(link, content, *more):
    await send(link, content, *more)
    if content["kind"] == "begins":
        await read.wait()
def noted_rejoin(self, *more):
    rejoin(self, *more)
    read.set()
Link.send, worker.MatchWorker._rejoin = send_and_wait, noted_rejoin
"""
    player = workers(step)
    seats = [connected(b"Bot%d v=1 keep=1\n" % number) for number in range(4)]
    connections, bots = [connection for connection, _ in seats], [bot for _, bot in seats]
    match = seated(tmp_path, connections, game="hogwarts")
    playing = begin(nursery, player, attrs.evolve(match, may_rejoin=(0,)))
    await changed(player, lambda: player.running.matches)
    (running,) = player.running.matches.values()
    newer, newer_bot = connected(b"Bot0 v=1\n")
    with trio.fail_after(PATIENCE):
        assert await running.rejoin(0, newer) is connections[0]
    await newer_bot.until(b"\ngo\n")
    player.interrupt()
    assert "aborted" == (await playing.end()).result.end
    leave([*connections, newer], [*bots, newer_bot])


async def test_a_match_that_ends_every_worker_is_given_up(
    workers, two, nursery, tmp_path, monkeypatch
):
    """As its board might; its bots are told."""
    monkeypatch.setattr(worker_process, "PAUSE", 0.01)
    monkeypatch.setattr(match_workers, "TRIES", 2)
    step = RETRIED["with the sockets in hand"] + "\nPath.touch = lambda *_, **__: None"
    player = workers(step)
    connections, bots = two
    playing = begin(nursery, player, seated(tmp_path, connections))
    for bot in bots:
        assert (await bot.rest()).startswith(b"error internal")
        bot.close()
    assert None is await playing.end()


@pytest.mark.long
async def test_a_worker_that_talks_nonsense_is_ended(workers, two, nursery, tmp_path):
    """It may have begun: its match isn't handed to another."""
    step = """
post = Link.post
def nonsense(link, content, *more):
    return post(link, {"kind": "?"} if content["kind"] == "begins" else content, *more)
Link.post = nonsense
"""
    player = workers(step)
    connections, bots = two
    playing = begin(nursery, player, seated(tmp_path, connections))
    for bot in bots:
        assert b"error internal the arena failed" in await end_of(bot)
    await playing.end()


async def test_a_worker_may_open_more_files_than_the_arena_at_first(workers, nursery, tmp_path):
    """The arena allows itself more when its file is read again, with more connections."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 1000), hard))
    connections, bots = pair()
    try:
        player = workers()
        playing = begin(nursery, player, seated(tmp_path, connections))
        await asked(bots)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    (worker,) = player._workers
    allowed = resource.prlimit(worker.linked.process.pid, resource.RLIMIT_NOFILE)
    assert (hard, hard) == allowed
    leave(connections, bots)
    await playing.end()


def test_a_worker_begins_where_the_system_says_that_there_is_no_limit_of_files():
    """The system says so on macOS, and refuses to let a process have as many."""
    begins = """
import resource
from lanista.arena.worker_process import end_of_link

def refuse(*_):
    raise ValueError("current limit exceeds maximum limit")

resource.getrlimit, resource.setrlimit = lambda _: (256, resource.RLIM_INFINITY), refuse
end_of_link()
"""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        argv = [sys.executable, "-c", begins, str(theirs.fileno())]
        done = subprocess.run(argv, pass_fds=[theirs.fileno()], capture_output=True, text=True)
    assert (0, "") == (done.returncode, done.stderr)


async def test_matches_are_spread_over_workers_which_heed_no_signal_but_kill(
    workers, nursery, tmp_path
):
    """The one that is killed takes its own match with it, and no other."""
    player = workers(count=2)
    with trio.fail_after(PATIENCE):
        while len(player._workers) < 2:
            await player._changes.wait(player._changes.count)
    first, second = player._workers
    tables = []
    for _ in range(2):
        connections, bots = pair()
        playing = begin(nursery, player, seated(tmp_path, connections))
        await asked(bots)
        tables.append((playing, connections, bots))
    assert [1, 1] == [len(worker.matches) for worker in (first, second)]
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        os.kill(first.linked.process.pid, number)
        os.kill(second.linked.process.pid, number)
    killed = next(t for t in tables if t[0].match.spec.match in first.matches)
    (other,) = (t for t in tables if t is not killed)
    # Stopped, so that it can't answer the end of its link: it is killed for good.
    os.kill(first.linked.process.pid, signal.SIGSTOP)
    first.linked.link.close()
    assert "aborted" == (await killed[0].end()).result.end
    for bot in killed[2]:
        assert b"error internal" in await end_of(bot)
    await played_by(other[2])
    assert "finished" == (await other[0].end()).result.end
    for _, connections, bots in tables:
        leave(connections, bots)
