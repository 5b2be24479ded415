"""`lanista.play` and `aplay`: one match, from whatever kind of program."""

import asyncio
import errno
import linecache
import pickle
import re
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest
import trio

import lanista
import lanista_maps
from bots_start.arena import needs_sandbox
from lanista.errors import RefusedError
from lanista.games import registry
from lanista.library.playing import prepared
from lanista.match import record_writer
from library.bots import PATIENT, raises, right

PAIR = ("RandomRunners", "CamperJoe")


class Index:
    """A whole number that is no `int`, as numpy's are."""

    def __index__(self):
        return 5


def test_a_match_is_that_of_the_command(here):
    match = lanista.play("angrymob", PAIR, seed=7, **PATIENT)
    again = lanista.play("angrymob", PAIR, seed=7, record=here / "again.jsonl", **PATIENT)
    assert PAIR == match.names
    assert ("finished", 7, "") == (match.end, match.seed, match.map)
    assert match.counted
    assert ("RandomRunners", (1, 2)) == (match.winner, match.ranks)
    assert ((), ()) == match.faults
    assert here / "again.jsonl" == again.record
    assert match.record.is_relative_to("lanista-records")
    assert (match.scores, match.turns) == (again.scores, again.turns)


def test_rows_are_plain_values():
    """A program may pass on None for what it wasn't given."""
    nothing = dict.fromkeys(("map", "settings", "limits", "match_cpu"))
    match = lanista.play("angrymob", PAIR, seed=7, **PATIENT, **nothing)
    rows = match.rows()
    assert [(0, "RandomRunners", 1), (1, "CamperJoe", 2)] == [
        (row["seat"], row["bot"], row["rank"]) for row in rows
    ]
    assert {type(value) for row in rows for value in row.values()} == {int, str}


def test_functions_are_bots():
    """Those of modules and those of this very scope, with what they refer to."""
    way = 1

    def up(state):
        return [(i, j, n, way) for (i, j), n in state.mine.items() if state.passable(i - 1, j)]

    match = lanista.play("angrymob", [right, up], seed=3, settings={"move_limit": 5}, **PATIENT)
    assert ("right", "up") == match.names
    assert (5, "move-limit") == (match.turns, match.reason)
    first = match.replay()[0]
    assert [up(first.state_of(1))[0]] == [tuple(map(int, first.answers[1].split()))]


def test_a_function_that_raises_is_a_bot_that_crashed():
    match = lanista.play("angrymob", [right, raises], seed=3, **PATIENT)
    assert ("forfeit", "right") == (match.end, match.winner)
    assert ("normal", "crash") == match.endings == match.replay().match.endings
    [fault] = match.faults[1]
    assert (2, "disconnected") == (fault.turn, fault.code)
    assert "ZeroDivisionError: by hand" in fault.message
    assert fault.traceback.startswith("Traceback (most recent call last):\n")
    assert ", in raises\n" in fault.traceback
    assert "function_bot" not in fault.traceback  # it begins in the function
    assert fault.traceback.endswith("ZeroDivisionError: by hand")
    assert "exited with code 1" == match.exits[1]
    assert "outputs" not in repr(match)  # a notebook would show all that the bots wrote


def test_a_traceback_names_and_quotes_the_file_of_a_function_that_was_sent():
    """It does so for what the function calls, too: both have gone to the bot's process whole."""

    def helper():
        return 1 / 0  # in the helper

    def bot(_):
        return helper()  # in the bot

    match = lanista.play("angrymob", [bot, "CamperJoe"], seed=3, **PATIENT)
    traceback = match.faults[0][-1].traceback
    assert 2 == traceback.count(f'File "{__file__}", line '), traceback
    assert "return helper()  # in the bot\n" in traceback
    assert "return 1 / 0  # in the helper\n" in traceback


def test_a_method_of_a_cell_is_a_bot_whose_traceback_quotes_the_cell(monkeypatch):
    text = "class Cell:\n    def bot(self, state):\n        return 1 / 0  # in the cell\n"
    monkeypatch.setitem(linecache.cache, "<cell>", (len(text), None, text.splitlines(True), ""))
    cell = {"__name__": "__main__"}
    exec(compile(text, "<cell>", "exec"), cell)
    match = lanista.play("angrymob", [cell["Cell"]().bot, "CamperJoe"], seed=3, **PATIENT)
    assert ("crash", "normal") == match.endings
    assert "return 1 / 0  # in the cell\n" in match.faults[0][-1].traceback


def test_a_function_that_returns_no_list_is_told_so():
    """The function of an asynchronous program returns such a thing, a coroutine."""

    async def right(state):
        return []

    match = lanista.play("angrymob", [right, "CamperJoe"], seed=3, **PATIENT)
    assert "the function returned <coroutine object" in match.faults[0][-1].message
    assert "it must be a list of tuples" in match.faults[0][-1].message


def spins(state):
    while True:
        pass


def grows(state):
    return [bytearray(2**20) for _ in range(2000)]


@pytest.mark.parametrize(
    ("function", "options", "words"),
    [
        (spins, {"match_cpu": 1}, "1 s of CPU time; the limit is 1 s"),
        (grows, {"limits": "memory=200M"}, "of memory; the limit is 200 MiB"),
    ],
)
def test_functions_have_the_limits_of_other_bots(function, options, words):
    match = lanista.play("angrymob", [right, function], **options, **PATIENT)
    assert ("forfeit", "right") == (match.end, match.winner)
    assert words in match.exits[1]


@needs_sandbox
@pytest.mark.parametrize(("sandbox", "seen"), [("none", "True"), ("bwrap", "False")])
def test_functions_play_in_a_sandbox(sandbox, seen):
    """There they don't see this machine's other files, as any other bot."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:  # where everybody may look
        Path(folder).chmod(0o755)

        def looks(state):
            print(Path(folder).exists(), flush=True)

        match = lanista.play(
            *("angrymob", [looks, "CamperJoe"]),
            settings={"move_limit": 2},
            sandbox=sandbox,
            **PATIENT,
        )
    assert ("move-limit", [seen] * 2) == (match.reason, match.outputs[0].split())


@needs_sandbox
def test_a_traceback_in_a_sandbox_quotes_a_script_that_is_not_shown_there():
    def bot(_):
        return 1 / 0  # in the script

    bot.__module__ = "__main__"
    match = lanista.play("angrymob", [bot, "CamperJoe"], seed=3, sandbox="bwrap", **PATIENT)
    assert "return 1 / 0  # in the script\n" in match.faults[0][-1].traceback


@needs_sandbox
def test_a_function_of_a_module_plays_in_a_sandbox():
    """Its module is imported there, from a folder that isn't the working directory."""
    match = lanista.play(
        *("angrymob", [right, "CamperJoe"]), settings={"move_limit": 2}, sandbox="bwrap", **PATIENT
    )
    assert ("move-limit", "") == (match.reason, match.outputs[0])


def test_progress_is_told_in_the_callers_thread():
    told = []

    def on_progress(done, most):
        told.append((done, most, threading.get_ident()))

    settings = {"move_limit": 4}
    lanista.play("angrymob", PAIR, settings=settings, on_progress=on_progress, **PATIENT)
    assert [(done, 4, threading.get_ident()) for done in range(5)] == told


def test_what_a_callback_raises_ends_the_match():
    def on_progress(done, most):
        raise KeyError(done)

    with pytest.raises(KeyError):
        lanista.play("angrymob", PAIR, on_progress=on_progress, **PATIENT)


@pytest.mark.usefixtures("interruptible")
def test_ctrl_c_ends_the_match_and_leaves_its_record(here):
    def on_progress(done, most):
        if done == 3:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        lanista.play("angrymob", PAIR, on_progress=on_progress, **PATIENT)
    [record] = here.glob("lanista-records/*.jsonl.gz")
    replay = lanista.open_record(record)
    assert ("aborted", None) == (replay.match.end, replay.match.winner)


def test_in_a_loop_of_asyncio(run_asyncio):
    """As in a notebook: both the sync and the async function."""

    async def main():
        options = {"seed": 7, "settings": {"move_limit": 5}, **PATIENT}
        waiting = lanista.play("angrymob", PAIR, **options)
        both = await asyncio.gather(*[lanista.aplay("angrymob", PAIR, **options)] * 1)
        return [waiting, *both]

    assert [5, 5] == [match.turns for match in run_asyncio(main)]


async def test_in_a_loop_of_trio():
    match = await lanista.aplay("angrymob", PAIR, settings={"move_limit": 5}, **PATIENT)
    assert 5 == match.turns


async def test_a_match_that_is_cancelled_is_over_at_once(here):
    with trio.CancelScope() as scope:
        await lanista.aplay("angrymob", PAIR, on_progress=lambda *_: scope.cancel(), **PATIENT)
    assert scope.cancelled_caught
    assert 1 == len(list(here.glob("lanista-records/*.jsonl.gz")))


def test_a_task_of_asyncio_that_is_cancelled_is_over_at_once(here, run_asyncio):
    async def main():
        begun = asyncio.Event()
        task = asyncio.create_task(
            lanista.aplay("angrymob", PAIR, on_progress=lambda *_: begun.set(), **PATIENT)
        )
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run_asyncio(main)
    assert 1 == len(list(here.glob("lanista-records/*.jsonl.gz")))


BAD = {
    "an unknown game": (
        {"game": "hogwart", "bots": ["Null"] * 4},
        f"unknown game 'hogwart'; known games: {', '.join(registry.names())}; did you mean 'hogw",
    ),
    "no list of bots": (
        {"bots": "CamperJoe"},
        "bots: 'CamperJoe'; give a list of bots, one for each seat",
    ),
    "no bot": (
        {"bots": [7, "CamperJoe"]},
        "bot 7: expected a house bot's name, a command line, a function or a Bot",
    ),
    "a seed of another type": ({"seed": "7"}, "seed '7'; expected a whole number"),
    "an unknown option": (
        {"time_moves": 1},
        "unknown option 'time_moves'; did you mean 'time_move'?",
    ),
    "a time of nothing": (
        {"time_move": 0.00001},
        "time_move: 1e-05; expected a finite number of seconds from 0.0001; 0 is no limit",
    ),
    "a limit of late turns that no record takes": ({"late_limit": Index()}, "late_limit: <"),
    "a budget of nothing": (
        {"match_cpu": 0},
        "match_cpu 0; expected a whole number from 1 to 10000000",
    ),
    "two limits of processor time": (
        {"match_cpu": 5, "limits": "cpu=5"},
        "limits 'cpu=5': cpu is given as well as a budget of 5 s for the whole match (match_cpu): ",
    ),
    "a function that can't be sent": (
        {"bots": [threading.Lock().__enter__, "CamperJoe"]},
        "bot '__enter__': this function can't be sent to a process of its own: TypeError: ",
    ),
    "a bot that doesn't start": (
        {"bots": ["CamperJoe", "false"]},
        "bot 'false' (seat 1) did not start: ",
    ),
    "a record whose name is too long": ({"record": "x" * 300}, "can't write the record xxx"),
    "a record that can't be written": (
        {"record": "/proc/record.jsonl"},
        "can't write the record /proc/record.jsonl: No such file or directory",
    ),
}
"""The arguments beside the usual ones, and the message."""
KINDS = {
    "an unknown game": lanista.UnknownGameError,
    "a bot that doesn't start": lanista.StartFailureError,
    "a record whose name is too long": lanista.FileError,
    "a record that can't be written": lanista.FileError,
}
"""The errors that are none of `BadInputError`."""


def test_a_full_disk_is_told_with_the_unfinished_record(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(record_writer, "_append", full)
    record = tmp_path / "m.jsonl"
    with pytest.raises(lanista.FileError) as caught:
        lanista.play("angrymob", ["CamperJoe", "CamperJoe"], record=record, **PATIENT)
    assert f"can't write the record {record}.part: No space left on device; " in str(caught.value)


def test_a_function_that_cannot_be_written_to_a_file_is_told(here, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(here / "gone"))
    message = f"^bot 'right': can't write this function to a temporary file: {here}/gone: No such"
    with pytest.raises(lanista.FileError, match=message):
        lanista.play("angrymob", [right, "CamperJoe"], **PATIENT)


@pytest.mark.parametrize("case", BAD)
def test_an_error_names_what_was_wrong(case, here):
    arguments, message = BAD[case]
    with pytest.raises(KINDS.get(case, lanista.BadInputError)) as caught:
        lanista.play(**{"game": "angrymob", "bots": PAIR} | arguments)
    assert isinstance(caught.value, lanista.LanistaError)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)
    assert [] == [path for path in here.iterdir() if path.name != "lanista-records"]


def test_results_call_a_map_as_it_was_given_and_a_text_by_its_hash():
    text = lanista_maps.read("angrymob", "pit")
    boards = []
    for given, called in (("pit", "pit"), (Path("pit.map"), "pit.map"), (text, "text-[0-9a-f]{8}")):
        with prepared("angrymob", {"map": given}, None, None) as setup:
            assert re.fullmatch(called, setup.map)
            boards.append(setup.ruleset.write_board(setup.board))
    assert 1 == len(set(boards))


def test_errors_come_from_another_process_whole():
    """An error that can't be unpickled ends a pool's thread for results: it never returns."""
    with pytest.raises(lanista.StartFailureError) as caught:
        lanista.play("angrymob", ["CamperJoe", "sh -c 'echo no >&2; false'"])
    error = pickle.loads(pickle.dumps(caught.value))
    assert str(caught.value) == str(error)
    assert (1, "no\n", ["no"]) == (error.seat, error.output, error.__notes__)
    refused = pickle.loads(pickle.dumps(RefusedError(404, "there is none")))
    assert ("there is none", 404) == (str(refused), refused.status)


SPAWNS = """
import multiprocessing
import lanista

turns = 3

def nothing(state):
    return [] if turns else None

def play(seed):
    options = {"settings": {"move_limit": turns}}
    one = lanista.play("angrymob", ["CamperJoe", nothing], seed=seed, **options)
    many = lanista.play_many("angrymob", [["CamperJoe", nothing]], [seed], keep="none", **options)
    return one.end, *(match.end for match in many)

if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(*pool.map(play, range(2)))
"""


def test_a_scripts_function_plays_in_spawned_processes_too(here):
    """There the script is called `__mp_main__`, which no other process can import.

    A pool's processes are daemonic, which for multiprocessing may start none.
    """
    (here / "experiment.py").write_text(SPAWNS)
    done = subprocess.run(
        [sys.executable, "experiment.py"], capture_output=True, text=True, timeout=100, cwd=here
    )
    each = ("finished", "finished")
    assert (0, f"{each} {each}\n") == (done.returncode, done.stdout), done.stderr
