"""However a match of `lanista play` ends, no process of its bots is left."""

import signal

import pytest

from e2e.running import bot, read, runs, wait_until, wait_until_gone
from lanista.games import registry
from lanista.match.replay import verify

ENDLESS = ("--no-clock", "--console", "--move-limit", 1_000_000, "-i", "pit")


def pids_in(*paths):
    """The pids that bots have written to these files, a line each."""
    return [int(line) for path in paths for line in path.read_text().split()]


@pytest.fixture
def families(tmp_path):
    """Two bots with children of all kinds, and the files of their pids."""
    files = [tmp_path / f"pids{seat}" for seat in range(2)]
    return [bot("spawns_children", file) for file in files], files


@pytest.fixture
def endless(start, families):
    """A match of the two that goes on and on, with its bots' pids."""
    commands, files = families
    program = start("play", "angrymob", *commands, *ENDLESS)
    program.until(lambda: all(file.exists() for file in files), "both bots have their children")
    pids = pids_in(*files)
    assert 8 == len(pids)
    program.until(
        lambda: any(
            path.read_bytes().count(b"\n") > 10
            for path in program.folder.glob("lanista-records/*.part")
        ),
        "the match is in its tenth turn",
    )
    yield program, pids
    program.end()
    wait_until_gone(pids)  # else the failed test's processes would stay


@pytest.mark.parametrize(
    "number",
    [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.long)],
    ids=lambda number: number.name,
)
def test_an_interrupt_ends_match_and_bots_and_keeps_the_record(endless, number):
    """Exit code 130; the record is whole, says `aborted` and verifies; no process is left."""
    program, pids = endless
    assert all(map(runs, pids))
    program.signal(number)
    assert 130 == program.wait()
    assert not any(map(runs, pids))
    assert program.out.startswith("interrupted (aborted: interrupted, ")
    assert "" == program.err
    (path,) = (program.folder / "lanista-records").glob("*.jsonl.gz*")
    record = read(path)
    assert "aborted" == record.result.end
    assert record.result.turns == verify(record, registry.get("angrymob")) > 8


def test_a_killed_arena_takes_its_bots_along(endless):
    """kill -9 of the arena: all its bots and what they started are gone; the record's part stays
    and verifies as far as it goes.
    """
    program, pids = endless
    program.signal(signal.SIGKILL)
    assert -signal.SIGKILL == program.wait()
    wait_until_gone(pids)
    (path,) = (program.folder / "lanista-records").glob("*.jsonl.gz*")
    record = read(path)
    assert record.result is None
    assert len(record.turns) == verify(record, registry.get("angrymob")) > 8


def test_a_failed_start_ends_the_bots_that_had_come(lanista, tmp_path):
    """Also those of the bot that failed, and what they had started."""
    file = tmp_path / "pids"
    done = lanista("play", "angrymob", bot("spawns_children", file), bot("crashes"), *ENDLESS)
    assert 1 == done.code
    assert not any(map(runs, pids_in(file)))


def test_an_interrupt_while_bots_start(start, tmp_path):
    """Before there is a match: exit code 130, told in a line, no record, no process left."""
    file = tmp_path / "pid"
    slow = f"sh -c 'echo $$ > {file}; exec sleep 600'"
    program = start("play", "angrymob", slow, "CamperJoe", "--console")
    program.until(lambda: file.exists() and file.read_text(), "the bot has started")
    program.signal(signal.SIGINT)
    assert 130 == program.wait()
    assert ("", "lanista play: interrupted before the match began\n") == (program.out, program.err)
    assert not any(map(runs, pids_in(file)))
    assert [] == list((program.folder / "lanista-records").iterdir())


@pytest.mark.long
def test_an_interrupt_ends_a_series(start, families):
    """-n: the match that is interrupted is the last one."""
    commands, files = families
    program = start("play", "angrymob", *commands, *ENDLESS, "-n", 5, "-s", 1, "-o", "kept")
    program.until(lambda: all(file.exists() for file in files), "both bots have come")
    wait_until(lambda: list(program.folder.glob("kept/*")), "the match has its record")
    program.signal(signal.SIGINT)
    assert 130 == program.wait()
    assert not any(map(runs, pids_in(*files)))
    assert len(list(program.folder.glob("kept/*"))) <= 1
