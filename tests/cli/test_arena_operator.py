"""The operator's commands without an arena that runs: what they store, print and refuse.

Those for a running arena are in tests/e2e/test_arena_operator.py.
"""

import io

import pytest
from rich.console import Console

from lanista.arena import tokens
from lanista.cli import arena_operator
from lanista.cli.arena_file import ArenaFile
from support.arenas import stored_names

FILE = """
[[ladders]]
name = "pit"
game = "angrymob"
house = ["CamperJoe"]
"""


@pytest.fixture
def operate(lanista, tmp_path, monkeypatch):
    """Run `lanista arena WORD… arena.toml WORD…`, and give it a line on standard input."""
    monkeypatch.setattr(tokens, "LOG_N", 1)
    (tmp_path / "arena.toml").write_text(FILE)

    def run(command, *words, line=""):
        monkeypatch.setattr("sys.stdin", io.StringIO(line))
        return lanista("arena", *command.split(), "arena.toml", *words)

    return run


def stored(tmp_path):
    """What is stored of each name: whether a token is its own."""
    with stored_names(tmp_path / "lanista-data") as store:
        return {
            name.name: lambda token, name=name: tokens.matches(token, name.token_hash)
            for name in store.names()
        }


def test_a_token_may_be_given_and_is_not_printed(operate, tmp_path):
    assert (0, "", "") == operate("name add", "Ada", "--token-stdin", line="secret=1\n")
    assert stored(tmp_path)["Ada"]("secret=1")
    assert (0, "", "") == operate("name reset", "ada", "--token-stdin", line="secret=2")
    assert stored(tmp_path)["Ada"]("secret=2")
    assert 0o700 == (tmp_path / "lanista-data").stat().st_mode & 0o777


def test_a_token_is_printed_before_the_arena_answers(operate, tmp_path, monkeypatch):
    """Whoever waits no longer for an arena that is held up still has it."""

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(ArenaFile, "ask", interrupted)
    for command in ("name add", "name reset"):
        done = operate(command, "Ada")
        assert 130 == done.code
        assert stored(tmp_path)["Ada"](done.out.strip())


@pytest.mark.parametrize("line", ["", "\n", "two words", "a b v=1", "x" * 129, "caf\u00e9"])
def test_what_can_be_no_token_is_refused_and_not_repeated(operate, tmp_path, line):
    refusal = operate("name add", "Ada", "--token-stdin", line=line).refusal
    assert "lanista: this can't be a token; use 1 to 128 of A-Z a-z 0-9 . _ = -\n" == refusal
    assert {} == stored(tmp_path)


@pytest.mark.parametrize(
    ("command", "words", "expected"),
    [
        ("name add", ["camperJOE"], "'camperJOE' is the name of a house bot of the ladder pit"),
        ("name add", ["a/b"], "'a/b' can't be a name on a ladder; use 1 to 32 of"),
        ("name remove", ["Ada"], "no name 'Ada' is registered"),
        ("bench", ["a\tb\x1b"], "'a b\\x1b' can't be a name on a ladder; use 1 to 32 of"),
        ("bench", ["Ada", "--ladder", "pot"], "arena.toml: no ladder 'pot'; its ladders are: pit"),
        ("strike", ["Ada", "--ladder", "pit"], "no bot called 'Ada' has played on the ladder pit"),
        ("backup", ["/"], "/: exists already, and isn't an empty folder"),
        ("name list", [], "lanista-data/lanista.db: there is no such file; `lanista"),
        ("status", [], "arena.toml: no arena runs with the data folder"),
        ("kick", ["Ada"], "arena.toml: no arena runs with the data folder"),
    ],
)
def test_what_is_refused(operate, command, words, expected):
    assert operate(command, *words).refusal.startswith(f"lanista: {expected}")


def test_a_name_is_listed_with_where_it_is_benched(operate):
    assert 0 == operate("name add", "Ada").code
    assert 0 == operate("bench", "ADA", "--ladder", "pit").code
    listed = operate("name list").out.splitlines()
    assert ["Ada", "operator", "pit"] == [listed[2].split()[place] for place in (0, 3, 4)]
    assert 0 == operate("bench", "ADA").code
    refusal = operate("unbench", "Ada", "--ladder", "pit").refusal
    why = "'Ada' is benched on all ladders, not on pit alone; unbench it on all"
    assert f"lanista: {why}\n" == refusal
    assert "on all ladders" in operate("name list").out
    assert 0 == operate("unbench", "Ada").code
    assert "operator" in operate("name list").out.splitlines()[2].split()[-1]


def test_a_name_that_nobody_has_is_benched_with_a_note(operate):
    """It may be mistyped; a house bot's name and one that is benched already are known."""
    operate("name add", "Ada")
    assert "" == operate("bench", "camperjoe").err
    expected = "note: no bot called 'Adda' is registered or has played here; did you mean 'Ada'?\n"
    for command, note in (("unbench", expected), ("bench", expected), ("bench", "")):
        assert (0, "", note) == operate(command, "Adda")
    listed = [line.split() for line in operate("name list").out.splitlines()[2:]]
    assert listed[0][0] == "Ada"
    assert [[name, "on", "all", "ladders"] for name in ("Adda", "camperjoe")] == listed[1:]


def status_of(ladder):
    """The status of an arena with one ladder of this name."""
    presence = {"waiting": 1, "playing": 2, "resting": 0}
    matches = {"matches": 1, "stored": None, "unstored": 5}
    return {
        "version": "1.0",
        "uptime": 65.0,
        "address": ["::1", 7777],
        "page": "http://127.0.0.1:8080/",
        "workers": 2,
        "connections": 3,
        "max_connections": 1000,
        "matches": 1,
        "over": 4,
        "waiting": 0,
        "trouble": "No space left on device",
        "ladders": [{"name": ladder, "game": "angrymob", **presence, **matches}],
    }


@pytest.mark.parametrize("ladder", ["pit", "winter-term-2026-27"])
def test_of_the_status_nothing_is_cut_in_a_terminal_of_80_columns(ladder):
    """A long name goes on in the next line."""
    file = io.StringIO()
    Console(file=file, width=80).print(arena_operator.status_text(status_of(ladder)))
    titles, _, first, *rest = file.getvalue()[file.getvalue().index("\nladder ") :].splitlines()[1:]
    presence = ["waiting", "playing", "resting"]
    assert ["ladder", "game", *presence, "matches", "stored", "unstored"] == titles.split()
    name, *figures = first.split()
    assert ["angrymob", "1", "2", "0", "1", "?", "5"] == figures
    assert ladder == name + "".join(rest).strip()


def test_the_status_of_an_arena_that_runs_since_before_an_upgrade():
    """An older arena doesn't say whether records can be written."""
    status = status_of("pit")
    del status["trouble"]
    file = io.StringIO()
    Console(file=file, width=80).print(arena_operator.status_text(status))
    assert "no match begins" not in file.getvalue()


def test_the_live_status_is_drawn_again_and_again(capsys, monkeypatch):
    """Until it is interrupted; text of the arena is safe for the terminal."""
    status = status_of("p\x1bit")
    looks = []

    def sleep(_):
        if len(looks) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr("time.sleep", sleep)
    with pytest.raises(KeyboardInterrupt):
        arena_operator.watch(lambda: looks.append(1) or status)
    assert 3 == len(looks)
    out = capsys.readouterr().out
    assert "Lanista 1.0 on [::1]:7777, up 0:01:05; page http://127.0.0.1:8080/" in out
    assert "3 of 1000 connections, 1 match running in 2 processes, 4 over" in out
    assert "no match begins, as records can't be written: No space left on device" in out
    assert "\x1bit" not in out
    assert "?" in out
