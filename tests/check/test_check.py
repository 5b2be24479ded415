"""`lanista check` itself: house bots pass, JSON, exit codes, a signal."""

import json
import shlex
import signal

import pytest

from check.checking import mode
from e2e.running import Program, bot_words, command
from lanista.games import registry
from support.processes import children_of

GENEROUS = ("--time-move", 10, "-s", 5)
"""A clock that a busy machine can't make late, and a seed."""


@pytest.mark.parametrize(
    ("game", "bot"),
    [
        ("angrymob", "GravityGoers"),
        pytest.param("crematoria", "Demo", marks=pytest.mark.long),
        pytest.param("hogwarts", "Dummy", marks=pytest.mark.long),
    ],
)
def test_house_bots_pass(lanista, game, bot):
    done = lanista("check", bot, "--game", game, *GENEROUS)
    assert 0 == done.code, done.out + done.err
    marks = [line[:5] for line in done.out.splitlines()[1:13]]
    assert ["ok   "] * 10 == marks[:10]  # the tenth is the second match, as LANISTA_KEEP asks for
    assert "nothing is wrong" in done.out
    assert done.out.endswith("\nseed 5\n")


def test_as_json(lanista):
    """One object; docs/bots/check.md tells its keys."""
    done = lanista("check", shlex.join(mode("timid")), "--game", "angrymob", "--json", *GENEROUS)
    assert 1 == done.code
    told = json.loads(done.out)
    assert {"bot", "game", "seed", "passed", "items", "times"} == set(told)
    assert ("angrymob", 5, False) == (told["game"], told["seed"], told["passed"])
    failed = [item for item in told["items"] if item["status"] == "failed"]
    assert ["out-numbered"] == [item["name"] for item in failed]
    assert {"name", "title", "status", "said", "evidence", "advice"} == set(failed[0])
    others = told["times"]["other"]
    assert 10 == others["limit"]
    assert 0 <= others["median"] <= others["p99"] <= others["slowest"] <= 10
    assert others["count"] > 50


def test_what_a_bot_sends_and_prints_is_escaped(lanista):
    """A terminal must not be at a bot's mercy."""
    bot = shlex.join(("printf", r"\033[31m\n"))
    done = lanista("check", "angrymob", bot, "-s", 5)
    assert 1 == done.code
    assert "\x1b" not in done.out
    assert r"\x1b[31m" in done.out


def test_an_error_of_the_rules_is_told_in_one_line(lanista, monkeypatch):
    """The whole trace is printed by `lanista play`. An arena tries again what ends with 2."""
    monkeypatch.setattr(type(registry.get("angrymob")), "new", lambda *_: 1 / 0)
    done = lanista("check", shlex.join(mode("timid")), "--game", "angrymob", *GENEROUS)
    assert (70, "") == (done.code, done.out)
    assert done.err == (
        "lanista: the check can't be carried out: the plain match was aborted by "
        "ZeroDivisionError: division by zero; `lanista play` says where\n"
    )


def test_a_signal_ends_it_and_its_bots(tmp_path, started):
    """The bot has said hello and would be waited for 20 s."""
    words = command("check", shlex.join(bot_words("falls_silent")), "--game", "angrymob")
    program = started(Program(words, tmp_path))
    program.until(lambda: children_of(program.process.pid), "the bot is started")
    program.signal(signal.SIGINT)
    assert (130, "") == (program.wait(), program.out)
