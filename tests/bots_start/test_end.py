"""Ending a bot and all it started, whatever becomes of the block, the keeper and the arena."""

import json
import os
import signal
import sys

import pytest
import trio

from bots_start.arena import listening
from bots_start.processes import (
    ENV,
    ENVIRONMENT,
    KILLED,
    children,
    end_of,
    gone,
    parent,
    pids_in,
    python,
    runs,
    telling,
)
from lanista.bots import keeper_process, process, proctree
from lanista.bots.process import Exit, start_bot
from lanista.bots.proctree import freeze_and_kill, read_stat, with_descendants
from support.processes import open_files
from support.waiting import PATIENCE


async def test_all_that_a_bot_started_is_dead_after_the_block(family):
    """The moment the block is left, with no further waiting: the keeper has reaped them all."""
    async with start_bot(python(family), ENV, grace=0) as bot:
        pids = await pids_in(bot, 4)
        assert 4 == len({os.getsid(pid) for pid in pids} | {parent(bot.pid)})  # three sessions
        assert all(map(runs, pids))
        assert bot.exit is None
    assert [] == [pid for pid in pids if read_stat(pid)]
    assert KILLED == bot.exit
    assert "was still running and was ended by the arena" == str(bot.exit)


async def test_all_is_dead_after_cancellation(family):
    with trio.CancelScope() as scope:
        async with start_bot(python(family), ENV, grace=0.1) as bot:
            pids = await pids_in(bot, 4)
            scope.cancel()
            await trio.sleep_forever()
    assert scope.cancelled_caught
    assert [] == [pid for pid in pids if read_stat(pid)]
    assert KILLED == bot.exit


async def test_cancelled_while_starting_leaves_nothing():
    before = children()
    with trio.CancelScope() as scope:
        scope.cancel()
        async with start_bot(["sleep", "100"], ENV, grace=0):
            pytest.fail("the block was entered")
    assert scope.cancelled_caught
    assert before == children()


async def test_what_the_block_raises_comes_out_as_it_is(family):
    """Not wrapped into a group, and the bot is dead by then."""
    error = ValueError("of the match")
    with pytest.raises(ValueError) as caught:  # noqa: PT012 -- the block is what is tested
        async with start_bot(python(family), ENV, grace=0) as bot:
            pids = await pids_in(bot, 4)
            raise error
    assert error is caught.value
    assert [] == [pid for pid in pids if read_stat(pid)]


async def test_descendants_of_a_bot_that_has_exited_are_ended(script):
    """They may run until the block is left, since a bot may be started by a launcher."""
    path = script("""
        import os, signal
        if os.fork() == 0:
            os.setsid()
            os.write(1, b"%d\\n" % os.getpid())
            signal.pause()
    """)
    async with start_bot(python(path), ENV, grace=PATIENCE) as bot:
        pids = await pids_in(bot, 1)
        assert Exit(code=0) == await bot.exited()
        assert all(map(runs, pids))
        begin = trio.current_time()
    assert [] == [pid for pid in pids if read_stat(pid)]
    assert Exit(code=0) == bot.exit
    assert trio.current_time() - begin < PATIENCE / 2


async def test_a_bot_that_goes_by_itself_is_not_waited_for_longer(script):
    """It exits when its connection ends, after its last words, far within the grace."""
    path = script("""
        import os, socket
        with socket.create_connection(("127.0.0.1", int(os.environ["LANISTA_PORT"]))) as line:
            line.recv(1)
        print("bye")
    """)
    command = [sys.executable, "-I", str(path)]
    async with listening() as arena, start_bot(command, arena.env, grace=PATIENCE) as bot:
        async with await arena.listener.accept():
            assert bot.exit is None
        begin = trio.current_time()
    assert trio.current_time() - begin < PATIENCE / 2
    assert Exit(code=0) == bot.exit
    assert "bye\n" == bot.output_tail()


async def test_the_grace_is_kept_and_not_exceeded_by_much():
    """Nor does it help a bot that it doesn't listen to polite signals."""
    stays = ["sh", "-c", "trap '' TERM INT HUP; sleep 100"]
    async with start_bot(stays, ENV, grace=0.2) as bot:
        begin = trio.current_time()
    assert 0.2 <= trio.current_time() - begin < PATIENCE / 2
    assert KILLED == bot.exit


async def test_an_end_is_heard_though_another_process_holds_the_lifeline(monkeypatch):
    """A pool of processes that the arena forked without exec has copies of all its pipes."""
    monkeypatch.setattr(process, "END_TIMEOUT", PATIENCE)
    async with start_bot(["sleep", "100"], ENV, grace=0) as bot:
        pipes = open_files(parent(bot.pid)).values()
        ours = [fd for fd, leads in open_files("self").items() if leads in pipes]
        assert 3 <= len(ours)  # lifeline, status and output; /dev/null may be another's
        copies = [os.dup(fd) for fd in ours]
        begin = trio.current_time()
    for fd in copies:
        os.close(fd)
    assert KILLED == bot.exit
    assert trio.current_time() - begin < PATIENCE / 2


CHAIN = """
    import os, time
    for _ in range(2000):
        if os.fork():
            os._exit(0)
        os.write(1, b"%d\\n" % os.getpid())
        time.sleep(0.01)
"""

SUPERVISOR = """
    import os, signal
    for _ in range(100):
        for _ in range(2):
            if os.fork() == 0:
                os.setsid()
                os.write(1, b"%d\\n" % os.getpid())
                signal.pause()
                os._exit(0)
        os.wait()
"""


@pytest.mark.parametrize(("text", "forks"), [(CHAIN, 2000), (SUPERVISOR, 200)])
async def test_a_bot_that_forks_while_it_is_being_killed_is_ended(script, text, forks):
    """A chain of orphans (20 s long), or children replaced as they die."""
    async with start_bot(python(script(text)), ENV, grace=0) as bot:
        await pids_in(bot, 2)
    pids = [int(line) for line in bot.output_tail().split()]
    assert 2 <= len(pids) < forks
    assert [] == [pid for pid in pids if read_stat(pid)]


async def test_polite_signals_do_not_end_a_keeper():
    async with start_bot(["sleep", "100"], ENV, grace=0) as bot:
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            os.kill(parent(bot.pid), number)
        # Its next look at /proc and news of the bot's death show that it has outlived them.
        os.kill(bot.pid, signal.SIGSEGV)
        assert Exit(signal=signal.SIGSEGV) == await bot.exited()


async def test_a_bot_dies_with_its_keeper():
    async with start_bot(["sleep", "100"], ENV, grace=0) as bot:
        os.kill(parent(bot.pid), signal.SIGKILL)
        assert "was lost: its keeper was killed by SIGKILL" == str(await end_of(bot))
        await gone([bot.pid])


@pytest.mark.parametrize(
    ("heard", "words"),
    [
        ("left 0", "could not be ended"),
        (
            "limit processes 20 400",
            "was ended: it had 400 processes; the limit is 20, and not all of it could be ended",
        ),
    ],
)
async def test_a_keeper_that_does_not_end_is_not_waited_for(monkeypatch, heard, words):
    """The block ends in bounded time; the keeper does its work when it can, and is then reaped."""
    monkeypatch.setattr(process, "END_TIMEOUT", 0.2)
    async with start_bot(["sleep", "100"], ENV, grace=0) as bot:
        its_keeper = parent(bot.pid)
        os.kill(its_keeper, signal.SIGSTOP)
        bot.hear(heard)
    try:
        assert f"{words}: still there after 0.2 s" == str(bot.exit)
        assert runs(bot.pid)
        assert {its_keeper} == keeper_process.unreaped
    finally:
        os.kill(its_keeper, signal.SIGCONT)
    await gone([bot.pid, its_keeper])
    async with start_bot(["true"], ENV):
        assert its_keeper not in keeper_process.unreaped
    assert read_stat(its_keeper) is None
    assert set() == keeper_process.unreaped


ARENA = """
    import json, os, sys
    import trio
    from bots_start.processes import fork_server, parent, pids_in
    from lanista.bots.command import environment
    from lanista.bots.process import start_bot
    async def main():
        env = environment(port=1, name="n")
        async with start_bot(sys.argv[1:], env) as one, start_bot(sys.argv[1:], env) as two:
            pids = [*await pids_in(one, 4), *await pids_in(two, 4)]
            keepers = [parent(one.pid), parent(two.pid)]
            print(json.dumps([*pids, *keepers, fork_server()]), flush=True)
            await trio.sleep_forever()
    trio.run(main)
"""


@pytest.mark.parametrize(
    "number", [signal.SIGKILL, pytest.param(signal.SIGINT, marks=pytest.mark.long), signal.SIGTERM]
)
async def test_all_is_dead_after_the_arena(script, family, number):
    """Killed by -9, interrupted as by Ctrl-C, or terminated: bots, descendants and keepers go,
    and what those were forked from."""
    async with telling(script(ARENA), *python(family)) as (arena, pids):
        assert 11 == len(set(pids))
        assert all(map(runs, pids))
        os.kill(arena.pid, number)
        with trio.fail_after(PATIENCE):
            await arena.wait()
    await gone(pids)


SUBREAPER = """
    import json, os, signal, subprocess, sys
    import trio
    from bots_start.processes import children, fork_server, gone, parent, pids_in, runs
    from lanista.bots.keeper_process import become_subreaper
    from lanista.bots.command import environment
    from lanista.bots.process import start_bot
    env = environment(port=1, name="n")
    async def sleeper(task_status):
        async with start_bot(["sleep", "100"], env, grace=0) as bot:
            task_status.started(parent(bot.pid))
            await trio.sleep_forever()
    async def main():
        older = subprocess.Popen(["sleep", "100"])
        # Ages are told in ticks of 10 ms: the next tick must have begun.
        await trio.sleep(0.05)
        told = {"subreaper": become_subreaper()}
        async with trio.open_nursery() as nursery:
            others = {older.pid, await nursery.start(sleeper)}
            async with start_bot(sys.argv[1:], env, grace=0) as bot:
                os.kill(fork_server(), signal.SIGKILL)
                await gone([fork_server()])
                others.add(await nursery.start(sleeper))  # of a fork server younger than the bot
                server = fork_server()
                pids = await pids_in(bot, 4)
                os.kill(parent(bot.pid), signal.SIGKILL)
                told["exit"] = str(await bot.exited())
            told["left"] = [pid for pid in pids if os.path.exists(f"/proc/{pid}")]
            told["others untouched"] = children() == others and all(map(runs, {*others, server}))
            nursery.cancel_scope.cancel()
        older.kill()
        older.wait()
        told["children"] = [*children()]
        print(json.dumps(told))
    trio.run(main)
"""


async def test_what_a_killed_keeper_leaves_is_ended_by_an_arena_that_is_a_subreaper(script, family):
    """All of it, reaped too; but no other bot's keeper, nor the fork server, and no process older
    than this one's."""
    result = await trio.run_process(
        [sys.executable, "-X", "dev", str(script(SUBREAPER)), *python(family)],
        env=ENVIRONMENT,
        capture_stdout=True,
    )
    expected = {
        "subreaper": True,
        "exit": "was lost: its keeper was killed by SIGKILL",
        "left": [],
        "others untouched": True,
        "children": [],
    }
    assert expected == json.loads(result.stdout)


async def test_an_arena_that_is_no_subreaper_ends_no_orphans(family):
    """It couldn't tell them from what else it started; its children are left alone."""
    sleeper = await trio.lowlevel.open_process(["sleep", "100"])
    try:
        await keeper_process.end_orphans(since=0)
        assert runs(sleeper.pid)
    finally:
        sleeper.kill()
        await sleeper.wait()


def test_descendants_come_after_their_parents_and_a_ring_is_walked_once():
    """Pids that are used anew while /proc is read can make a ring; 7 and 8 are one here."""
    parents = {2: 1, 3: 2, 4: 2, 5: 4, 6: 1, 7: 8, 8: 7, 9: 8}
    table = {pid: (parent, 0) for pid, parent in parents.items()}
    assert [2, 3, 4, 5] == with_descendants([2], table)
    assert [7, 8, 7, 9] == with_descendants([7], table)
    assert [3] == with_descendants([3], table)


@pytest.fixture
def sent(monkeypatch):
    """The signals that are sent to processes, which get none; each is in no group."""
    sent = []
    monkeypatch.setattr(proctree, "send", lambda *what: sent.append(what))
    monkeypatch.setattr(proctree, "group_of", lambda _pid: 0)
    return sent


def test_all_is_stopped_before_anything_is_killed(sent):
    """The look is repeated until it finds nothing new: here 3 is forked while 1 is being stopped.

    Parents come first both times, so that none sees its child die and replaces it.
    """
    looks = iter([[1, 2], [1, 3, 2], [1, 3, 2]])
    freeze_and_kill(lambda: next(looks))
    stop, kill = signal.SIGSTOP, signal.SIGKILL
    assert [(1, stop), (2, stop), (3, stop), (1, kill), (2, kill), (3, kill)] == sent
    assert [] == list(looks)


def test_signals_go_to_the_groups_of_processes_too_but_never_to_our_own(sent, monkeypatch):
    """A member that is forked while a signal is on its way gets it as well. Without the check, a
    process that hasn't left the keeper's group yet would take the keeper with it."""
    groups = {1: 1, 2: 1, 3: os.getpgrp(), 4: 0}
    monkeypatch.setattr(proctree, "group_of", groups.get)
    freeze_and_kill(lambda: groups)
    assert [1, -1, 2, 3, 4] == [pid for pid, number in sent if number == signal.SIGSTOP]
    assert [-1, 1, 2, 3, 4] == [pid for pid, number in sent if number == signal.SIGKILL]


def test_stopping_is_bounded(sent):
    """What can't be stopped and forks forever doesn't keep the rest from being killed."""
    numbers = iter(range(1000))
    freeze_and_kill(lambda: [next(numbers)])
    stopped = [(pid, signal.SIGSTOP) for pid in range(proctree.FREEZE_ROUNDS)]
    assert [*stopped, *((pid, signal.SIGKILL) for pid, _ in stopped)] == sent
