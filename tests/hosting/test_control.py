"""Watching and control: changes that nobody misses, matches that are held, what runs and ran."""

from pathlib import Path

import pytest
import trio
import trio.testing

from lanista.hosting.control import PATHS_KEPT, Changes, MatchControl, RunningMatches
from page.house import running_match
from support.tinygame import RULESET as COUNTING

# -- changes -------------------------------------------------------------------------------------


async def test_no_change_is_missed(autojump_clock):
    """Who was away while something changed doesn't wait; several changes are one."""
    changes = Changes()
    seen = changes.count
    changes.tell()
    changes.tell()
    with trio.fail_after(1):
        await changes.wait(seen)
    with trio.move_on_after(1) as scope:
        await changes.wait(changes.count)
    assert scope.cancelled_caught


# -- control ------------------------------------------------------------------------------------


class Match:
    """Takes turns as long as its control lets it; notes when each begins."""

    def __init__(self, control, rounds=1000):
        self.game = COUNTING.new({"rounds": rounds}, "oak", COUNTING.chance(1))
        self.control = control
        self.turns = []

    async def play(self):
        while True:
            hold = self.control.watch(self.game)
            if hold is not None:
                await hold
            if self.game.outcome() is not None:
                return
            self.turns.append(trio.current_time())
            await trio.sleep(1)
            self.game.turn += 1


@pytest.fixture
async def held(nursery, mock_clock):
    """A match of a second a turn that is held before its first."""
    control = MatchControl()
    control.pause()
    match = Match(control)
    nursery.start_soon(match.play)
    await trio.testing.wait_all_tasks_blocked()
    assert control.paused
    assert [] == match.turns
    return match


async def pass_seconds(clock, count):
    for _ in range(count):
        clock.jump(1)
        await trio.testing.wait_all_tasks_blocked()


async def test_a_held_match_waits_for_a_word(held, mock_clock):
    await pass_seconds(mock_clock, 9)
    assert [] == held.turns
    held.control.resume()
    await trio.testing.wait_all_tasks_blocked()
    assert not held.control.paused
    await pass_seconds(mock_clock, 2)
    assert 3 == len(held.turns)
    # In the middle of the third: it is played to its end, and no fourth is begun.
    held.control.pause()
    await pass_seconds(mock_clock, 5)
    assert 3 == len(held.turns)


async def test_a_step_of_a_match_that_goes_on_pauses_it(nursery, mock_clock):
    """The turn that is played, one more, and then it is held."""
    match = Match(MatchControl())
    nursery.start_soon(match.play)
    await trio.testing.wait_all_tasks_blocked()
    match.control.step()
    assert match.control.paused
    await pass_seconds(mock_clock, 9)
    assert 2 == len(match.turns)


async def test_a_pause_takes_steps_back(held, mock_clock):
    held.control.step()
    held.control.step()
    held.control.pause()
    await pass_seconds(mock_clock, 9)
    assert [] == held.turns


async def test_a_match_that_is_over_is_never_held(autojump_clock):
    control = MatchControl()
    match = Match(control, rounds=2)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(match.play)
        await trio.sleep(1.5)
        control.pause()  # in the last turn
    assert 2 == match.game.turn
    assert 2 == trio.current_time()


async def test_a_delay_is_waited_before_every_turn(autojump_clock):
    match = Match(MatchControl(0.5), rounds=3)
    await match.play()
    # 0.5 before the first; then a second of each turn and the delay.
    assert [0.5, 2.0, 3.5] == match.turns


# -- the stage -----------------------------------------------------------------------------------


def test_the_stage_knows_what_runs_and_what_ran():
    """Every beginning and end is a change; who listens is told of every end."""
    running_matches = RunningMatches()
    told = []
    running_matches.on_end = lambda match, record: told.append((match, record))
    for name in "abc":
        running_matches.begin(running_match(name, Path(f"{name}.part")))
    assert ["a", "b", "c"] == list(running_matches.matches)
    assert 3 == running_matches.changes.count
    running_matches.end("b", Path("b.jsonl.gz"))
    running_matches.end("a", None)
    assert ["c"] == list(running_matches.matches)
    assert {"b": Path("b.jsonl.gz")} == running_matches.ended
    assert [("b", Path("b.jsonl.gz")), ("a", None)] == told
    assert 5 == running_matches.changes.count
    running_matches.end("unknown", None)
    assert ["c"] == list(running_matches.matches)


def test_the_stage_remembers_the_last_records():
    running_matches = RunningMatches()
    for number in range(PATHS_KEPT + 3):
        running_matches.end(str(number), Path(str(number)))
    assert [str(number) for number in range(3, PATHS_KEPT + 3)] == list(running_matches.ended)
