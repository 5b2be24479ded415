"""`lanista.play_many` and `aplay_many`: matches side by side, in their order."""

import contextlib
import itertools
import os
import signal
import sys
import tempfile
import time
from concurrent.futures import BrokenExecutor, Future
from pathlib import Path

import pytest

import lanista
from bots_start.arena import needs_sandbox
from lanista.competition import executors
from lanista.competition.executors import LocalWorkers
from lanista.library import many
from library.bots import PATIENT, raises, right

PAIR = ("RandomRunners", "CamperJoe")
OPTIONS = {**PATIENT, "settings": {"move_limit": 20}}


@pytest.mark.usefixtures("in_threads")
def test_matches_come_in_order_and_are_those_of_play(here):
    told = []
    matches = list(
        lanista.play_many(
            "angrymob",
            [PAIR, (right, "CamperJoe")],
            range(3),
            workers=2,
            on_progress=lambda *done: told.append(done),
            **OPTIONS,
        )
    )
    assert [(seed, names) for seed in range(3) for names in (PAIR, ("right", "CamperJoe"))] == [
        (match.seed, match.names) for match in matches
    ]
    assert [(number, 6) for number in range(1, 7)] == told
    alone = lanista.play("angrymob", PAIR, seed=2, **OPTIONS)
    same = matches[4]
    assert (alone.ranks, alone.scores, alone.turns) == (same.ranks, same.scores, same.turns)
    for match in matches:
        assert match.turns == match.replay().verify()
    assert 7 == len(list((here / "lanista-records").iterdir()))


@pytest.mark.usefixtures("in_threads")
def test_each_bot_sits_in_each_seat_and_only_failures_are_kept(here):
    matches = list(
        lanista.play_many(
            *("angrymob", [(right, raises)], [5]),
            seatings="rotations",
            records=here / "kept",
            keep="failures",
            **OPTIONS,
        )
    )
    assert [("right", "raises"), ("raises", "right")] == [match.names for match in matches]
    assert ["right", "right"] == [match.winner for match in matches]
    for match in matches:
        [fault] = match.faults[match.names.index("raises")]
        assert "ZeroDivisionError: by hand" in fault.traceback
        assert match.record.exists()
    [match] = lanista.play_many(
        "angrymob", [PAIR], [5], records=here / "none", keep="none", **OPTIONS
    )
    assert match.record is None
    assert [] == list((here / "none").iterdir())
    with pytest.raises(lanista.FileError, match="its record wasn't kept"):
        match.replay()


def test_a_long_range_of_seeds_begins_at_once(here):
    """It is neither gone through nor listed, and has no length in Python."""
    matches = lanista.play_many("angrymob", [PAIR], range(2**63), workers=1, **OPTIONS)
    with contextlib.closing(matches):
        assert 0 == next(matches).seed


def test_an_endless_iteration_can_be_broken_off(here):
    """And what is being played then is given up; nothing is left behind."""
    matches = lanista.play_many("angrymob", [PAIR], itertools.count(), workers=1, **OPTIONS)
    with contextlib.closing(matches):
        assert [0, 1, 2] == [match.seed for match in itertools.islice(matches, 3)]
    assert [] == list((here / "lanista-records").glob(".playing-*"))


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_ends_all(here):
    matches = lanista.play_many("angrymob", [PAIR], range(10_000), workers=2, **OPTIONS)

    def interrupt_later():
        for match in matches:
            if match.seed == 3:
                signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        interrupt_later()
    matches.close()
    assert [] == list((here / "lanista-records").glob(".playing-*"))


@pytest.mark.usefixtures("in_threads")
def test_the_caller_may_take_all_at_any_moment(monkeypatch):
    """Also after there was no room for another match, and before the wait for that."""
    hand_out = many._Many._hand_out

    def hand_out_and_let_take(self):
        hand_out(self)
        while self._job.unread:
            time.sleep(0.001)

    monkeypatch.setattr(many, "AHEAD", 1)
    monkeypatch.setattr(many._Many, "_hand_out", hand_out_and_let_take)
    matches = lanista.play_many("angrymob", [PAIR], range(3), workers=1, **OPTIONS)
    assert [0, 1, 2] == [match.seed for match in matches]


@pytest.mark.usefixtures("in_threads")
async def test_in_a_loop_of_trio():
    matches = lanista.aplay_many("angrymob", [PAIR], range(2), workers=1, **OPTIONS)
    async with contextlib.aclosing(matches):
        assert [0, 1] == [match.seed async for match in matches]


LOOKER = """
import os
import lanista_client
top = os.path.dirname(__file__)
print(sorted(os.path.relpath(file, top) for at, _, files in os.walk(top)
             for file in [os.path.join(at, name) for name in files]), flush=True)
with lanista_client.Arena(game="angrymob") as arena:
    for state in arena:
        arena.send([])
"""


@pytest.mark.usefixtures("in_threads")
@needs_sandbox
def test_a_bot_in_a_sandbox_sees_the_folder_of_no_other():
    """Neither of the one that it plays with, nor of those of its other matches."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:  # where everybody may look
        top = Path(name)
        top.chmod(0o755)
        programs = top / "main.py", top / "ann/main.py", top / "tom/main.py"
        for program in programs:
            program.parent.mkdir(exist_ok=True)
            program.write_text(LOOKER)
        looker, *others = (f"{sys.executable} {program}" for program in programs)
        pairings = [[looker, other] for other in others]
        options = OPTIONS | {"settings": {"move_limit": 1}, "sandbox": "bwrap", "workers": 1}
        matches = [*lanista.play_many("angrymob", pairings, [1], **options)]
    assert [("['main.py']\n", "['main.py']\n")] * 2 == [match.outputs for match in matches]


@pytest.mark.parametrize(("game", "seats", "slots"), [("angrymob", 2, 4), ("hogwarts", 4, 2)])
def test_auto_gives_each_bot_a_core(game, seats, slots, monkeypatch):
    class AskedError(Exception):
        """With the number of workers."""

    def make(slots):
        raise AskedError(slots)

    monkeypatch.setattr(executors, "usable_cores", lambda: list(range(8)))
    monkeypatch.setattr(many, "LocalWorkers", make)
    bots = [lanista.house_bots(game)[0]] * seats
    with pytest.raises(AskedError) as asked:
        next(lanista.play_many(game, [bots], [1]))
    assert (slots,) == asked.value.args


@pytest.fixture
def made(monkeypatch):
    """The workers that are made."""
    made = []

    def make(slots):
        made.append(LocalWorkers(slots))
        return made[-1]

    monkeypatch.setattr(many, "LocalWorkers", make)
    return made


def test_what_a_worker_that_dies_was_playing_is_played_again(made):
    matches = lanista.play_many("angrymob", [PAIR], range(10), workers=1, **OPTIONS)
    seeds = [next(matches).seed]
    for pid in [process.pid for slot in made[0]._all for process in slot.context.processes]:
        os.kill(pid, signal.SIGKILL)
    assert list(range(10)) == seeds + [match.seed for match in matches]


def test_a_match_that_takes_three_workers_along_ends_it(monkeypatch):
    class Dying(LocalWorkers):
        def submit(self, *_):
            future = Future()
            future.set_exception(BrokenExecutor("a process ended abruptly"))
            return future

    monkeypatch.setattr(many, "LocalWorkers", Dying)
    matches = lanista.play_many("angrymob", [PAIR], [7], workers=1, **OPTIONS)
    with pytest.raises(lanista.WorkError, match=r"seed 7\): 3 workers died while playing it"):
        next(matches)


def pids(state):
    """Tells its process, and does nothing."""
    if not state.turn:
        print(os.getpid(), flush=True)


@pytest.mark.usefixtures("in_threads")
def test_a_budget_for_a_match_needs_a_new_process_for_each():
    """Otherwise a bot stays from match to match: e2e/test_tournament_work.py."""
    matches = lanista.play_many(
        "angrymob", [(pids, "CamperJoe")], range(2), workers=1, match_cpu=30, **OPTIONS
    )
    assert 2 == len({match.outputs[0].split()[-1] for match in matches})


def test_a_bot_that_does_not_start_ends_it():
    matches = lanista.play_many("angrymob", [("CamperJoe", "false")], range(3), workers=1)
    with pytest.raises(lanista.StartFailureError, match=r"bot 'false' \(seat 1\) did not start: "):
        next(matches)


@pytest.mark.parametrize(
    ("argument", "value", "message"),
    [
        ("pairings", [], "pairings: there are none"),
        ("seeds", 3, r"seeds 3; give several, such as range\(3\)"),
        ("seeds", [2**70], f"seed {2**70}; a seed of angrymob is from "),
        ("workers", 0, "workers 0; expected a whole number from 1 to 10000, or"),
        ("keep", "some", "keep 'some'; expected 'all', "),
        ("records", 5, "^records 5; expected a path"),
        ("seatings", "x", "seatings 'x'; expected 'given', "),
    ],
)
def test_an_error_names_what_was_wrong(argument, value, message):
    usual = {"game": "angrymob", "pairings": [PAIR], "seeds": [1]}
    with pytest.raises(lanista.BadInputError, match=message):
        next(lanista.play_many(**usual | {argument: value}))
