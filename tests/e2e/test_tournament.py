"""`lanista tournament` and `lanista sprt` with real bots: what is played, printed, resumed."""

import json
import re
import signal

import pytest

from e2e.cup import HOUSE, write_cup
from e2e.running import Program, bot, command, run_here
from e2e.test_terminal import plain, run_in_terminal

MANY = 2000
"""Seeds that no machine has played before it is interrupted."""


@pytest.fixture
def cup(tmp_path):
    """Write a spec and tell its path: of house bots, unless others are given."""

    def write(bots=HOUSE, seeds=(1,), more=""):
        return write_cup(tmp_path, bots=bots, seeds=list(seeds), more=more)

    return write


def events(done):
    """What `--json` printed."""
    return [json.loads(line) for line in done.out.splitlines()]


def kinds(done):
    """And the names of it."""
    return [event["event"] for event in events(done)]


def test_played_again_only_what_is_new_is_played(lanista, cup):
    """And --json tells each event, at last the standings."""
    done = lanista("tournament", "run", cup(), "--json")
    assert (0, "") == (done.code, done.err)
    assert ["begun", *["block-done"] * 3, "ended", "standings"] == kinds(done)
    more = lanista("tournament", "run", cup(seeds=(1, 2)), "--json")
    assert {2} == {event["seed"] for event in events(more) if event["event"] == "block-done"}
    assert 12 == events(more)[-1]["matches"]
    fewer = lanista("tournament", "run", cup(seeds=(2,)), "--json")
    assert ["begun", "ended", "standings"] == kinds(fewer)
    assert (6, 3) == (events(fewer)[-1]["matches"], events(fewer)[-1]["uncounted"])


def test_failures_are_told_and_a_bot_that_goes_on_failing_is_benched(lanista, cup):
    spec = cup({"Good": "CamperJoe", "Bad": bot("crashes")}, seeds=(1, 2), more="bench_after = 2")
    checked = lanista("tournament", "check", spec)
    assert 1 == checked.code
    assert "ok    Good" in checked.out
    assert "FAIL  Bad" in checked.out
    assert "no brain found" in checked.out  # the last it wrote
    done = lanista("tournament", "run", spec)
    assert 0 == done.code, done.err
    assert "Bad: start-failure" in done.out
    assert "benched: Bad failed 2 matches in a row" in done.out
    assert "Bad (benched)" in done.out
    pardoned = lanista("tournament", "run", spec, "--unbench", "Bad")
    assert 0 == pardoned.code
    assert 4 == pardoned.out.count("Bad: start-failure") + done.out.count("Bad: start-failure")


def test_ctrl_c_finishes_and_the_same_command_goes_on(start, lanista, cup):
    """Meanwhile others may look at the standings, and not run it a second time."""
    spec = cup(seeds=range(1, MANY))
    running = start("tournament", "run", spec, "--json")
    running.until(lambda: '"block-done"' in running.out, "a block was played")
    told = json.loads(lanista("tournament", "standings", spec, "--format", "json").out)
    assert 1 <= told["blocks"] <= 3 * MANY
    refused = lanista("tournament", "run", spec)
    assert 2 == refused.code
    assert "in use" in refused.err
    running.signal(signal.SIGINT)
    assert 130 == running.wait()
    assert running.err.startswith("finishing ")
    last = events(running)[-1]
    assert (1, False) == (min(1, last["blocks"]), last["over"])
    done = lanista("tournament", "run", cup(seeds=(1, 2)), "--json")
    assert 0 == done.code, done.err
    assert (12, True) == (events(done)[-1]["matches"], events(done)[-1]["over"])
    assert kinds(done).count("block-done") < 6  # seed 1 at least was begun with


def test_a_second_signal_stops_at_once(start, cup):
    """SIGTERM counts as Ctrl-C."""
    running = start("tournament", "run", cup(seeds=range(1, MANY)), "--json")
    running.until(lambda: '"block-done"' in running.out, "a block was played")
    running.signal(signal.SIGTERM)
    running.until(lambda: '"finishing"' in running.out, "it is finishing")
    running.signal(signal.SIGTERM)
    assert 130 == running.wait()
    assert not events(running)[-1]["over"]


@pytest.mark.long
def test_in_a_terminal_progress_is_drawn_and_ctrl_c_finishes(tmp_path, cup):
    code, written = run_in_terminal(
        tmp_path, "tournament", "run", cup(seeds=range(1, MANY)), interrupt_at=" matches/s"
    )
    text = plain(written)
    assert 130 == code, text[-3000:]
    assert re.search(r"finishing \d+ running blocks?; Ctrl-C again stops at once", text)
    assert "interrupted; run the same command again to resume" in text
    assert "Gravity" in text


def test_without_anybody_who_reads_it_is_played_to_its_end(tmp_path, started, cup):
    """Its output is closed at once: results matter more."""
    spec = cup({"A": "GravityGoers", "B": "CamperJoe"})
    words = command("tournament", "run", spec, "--json")
    run = started(Program(["bash", "-c", 'exec "$@" > >(exit)', "bash", *words], tmp_path / "run"))
    assert 0 == run.wait(), run.err  # all was played
    assert "some output couldn't be printed: Broken pipe" in run.err


SPRT = ("-i", "pit", "--set", "move_limit=60", "--no-clock", "--concurrency", 1)


@pytest.mark.long
def test_sprt_goes_on_where_it_was(tmp_path):
    """One block says nothing; the same command with more of them plays only the others."""
    words = ("sprt", "GravityGoers", "RandomRunners", *SPRT, "--json", "--elo1", 5)

    def blocks(most):
        done = run_here([*words, "--blocks", most], tmp_path / "test")
        assert 3 == done.code, done.err  # undecided
        return kinds(done).count("block-done")

    assert 1 == blocks(1)
    assert 1 == blocks(2)
