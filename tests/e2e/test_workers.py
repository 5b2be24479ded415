"""An arena with match workers: whose stall reaches whom."""

import os
import signal
import time
from functools import partial

import pytest

from support.processes import children_with, open_files

STOPPED = 0.4
"""Seconds for which a process is stopped: more than the stall margin by far."""


def workers_of(daemon):
    """The pids of its match workers, all of which run."""
    found = partial(children_with, daemon.process.pid, "lanista.arena.match_worker")
    daemon.until(lambda: len(found()) == 2, "two workers run")
    return found()


def worker_with_a_match(daemon):
    """The pid of the worker that writes a record."""
    for pid in workers_of(daemon):
        if any(path.endswith(".jsonl.gz.part") for path in open_files(pid).values()):
            return pid
    pytest.fail("no worker plays a match")


def stop_for_a_while(pid):
    os.kill(pid, signal.SIGSTOP)
    time.sleep(STOPPED)  # the stall is what is tested
    os.kill(pid, signal.SIGCONT)


WORKERS = ("--workers", 2, "--time-init", 60, "--move-limit", 3, "-i", "pit")


def test_a_front_that_stands_still_stops_no_match(serve, pair):
    """The bots play on, nobody is late, and the match doesn't even have a stall."""
    daemon = serve(*WORKERS, "--time-move", 60)
    bots = pair(daemon, "keep=1")
    daemon.signal(signal.SIGSTOP)
    began = time.monotonic()
    for turn in range(3):
        for bot in bots:
            bot.say("\n")
        for bot in bots:
            bot.until("go" if turn < 2 else "score")
        time.sleep(STOPPED / 3)
    stood = time.monotonic() - began
    daemon.signal(signal.SIGCONT)
    for bot in bots:
        bot.until("go")  # of the next match
    record = daemon.record_with("Ada")
    assert [("answer", "answer")] * 3 == [turn.verdicts for turn in record.turns]
    # A stall of the front would be in every turn; one of a busy machine is in some.
    assert min(turn.stall for turn in record.turns) < stood / 3
    assert "finished" == record.result.end


def test_a_worker_that_stands_still_makes_its_match_void(serve, pair):
    """With somebody late in that turn; it is played again at once, by the same seats."""
    daemon = serve(*WORKERS, "--time-move", 2)
    ada, bob = pair(daemon, "keep=1")
    for bot in (ada, bob):
        bot.say("\n")
    for bot in (ada, bob):
        bot.until("go")
    bob.say("\n")
    stop_for_a_while(worker_with_a_match(daemon))
    assert "end void" in ada.until("end")[-1]
    ada.say("\n")  # the answer that is owed
    for _ in range(3):
        for bot in (ada, bob):
            bot.until("go")
            bot.say("\n")
    assert "end finished" in ada.until("end")[-1]
