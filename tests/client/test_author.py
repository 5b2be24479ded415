"""The client is used as a bot's author uses it, rightly and wrongly.

Whole conversations, with several matches too, are those of protocol/vectors.
"""

import contextlib
import os
import subprocess
import sys

import pytest

from client.scripted_arena import (
    FORFEIT,
    START,
    TURN_0,
    WELCOME,
    Hears,
    Says,
    ScriptedArena,
    wired,
)
from lanista_client import Arena, ArenaError, MisuseError


def first_turn(monkeypatch):
    """An arena that asks for turn 0, and what is sent to it."""
    wire = wired(monkeypatch, WELCOME + START + TURN_0)
    arena = Arena("A")
    next(arena)
    wire.sent = b""
    return arena, wire


@pytest.mark.parametrize(
    ("moves", "line"),
    [
        ([], b"\n"),
        ([(2, 1, 1, 0)], b"2 1 1 0\n"),
        ([[2, 1, 1, 0], (0, 0, -1, 3)], b"2 1 1 0 0 0 -1 3\n"),
        ((move for move in [(1, 2, 3, 0)]), b"1 2 3 0\n"),
        ([("m", 4, 2)], b"m 4 2\n"),
    ],
)
def test_submoves_become_one_line(monkeypatch, moves, line):
    """PROTOCOL.md 4: one after another with no separator; an empty line is no submoves."""
    arena, wire = first_turn(monkeypatch)
    arena.send(moves)
    assert line == wire.sent


@pytest.mark.parametrize(
    "moves",
    [
        *("1 1 1 0", [1, 1, 1, 0], ["1 1 1 0"], [("1\n1", 1, 0)], [("# log",)]),
        *(None, 5, [None], b"1"),
        *([(1.0, 2, 1, 0)], [(None, 2, 1, 0)], [(True, 2, 1, 0)], [("mm", 1)], [("-",)]),
    ],
)
def test_what_is_no_list_of_submoves_is_refused_and_nothing_sent(monkeypatch, moves):
    """It could become a second answer or none; the turn may still be answered rightly."""
    arena, wire = first_turn(monkeypatch)
    with pytest.raises(MisuseError):
        arena.send(moves)
    assert b"" == wire.sent
    arena.send([])
    assert b"\n" == wire.sent


def test_the_refusal_shows_the_token_and_its_submove(monkeypatch):
    arena, _ = first_turn(monkeypatch)
    with pytest.raises(MisuseError) as caught:
        arena.send([(2, 1, 1, 0), (2, 1, 3 / 2, 0)])
    assert "not integers and letters of the game: '1.5' in (2, 1, 1.5, 0)" == str(caught.value)


def test_a_second_answer_to_a_turn_is_misuse(monkeypatch):
    """PROTOCOL.md 4: it would answer the next turn."""
    arena, wire = first_turn(monkeypatch)
    arena.send([])
    with pytest.raises(MisuseError) as caught:
        arena.send([(2, 1, 1, 0)])
    assert "once for each state" in str(caught.value)
    assert b"\n" == wire.sent


def test_an_answer_before_the_first_state_is_misuse(monkeypatch):
    wired(monkeypatch, WELCOME + START + TURN_0)
    with Arena("A") as arena, pytest.raises(MisuseError):
        arena.send([])


def test_a_turn_without_an_answer_is_misuse(monkeypatch):
    """Both sides would wait for each other until the clock ends it."""
    arena, _ = first_turn(monkeypatch)
    with pytest.raises(MisuseError) as caught:
        next(arena)
    assert "turn 0 wasn't answered" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("plan: wait", b"# plan: wait\n"),
        ("one\ntwo\r\nthree\n", b"# one\n# two\n# three\n"),
        ("", b"# \n"),
        ("a\n\nb", b"# a\n# \n# b\n"),
        ("\u00e9\u2028\ud800", b"# \xc3\xa9\n# \\ud800\n"),
        (7, b"# 7\n"),
        ([(1, 2)], b"# [(1, 2)]\n"),
    ],
)
def test_log_lines_begin_with_a_number_sign(monkeypatch, text, lines):
    """PROTOCOL.md 4; whatever breaks a line begins a new one, and all is UTF-8."""
    arena, wire = first_turn(monkeypatch)
    arena.log(text)
    assert lines == wire.sent


def test_long_log_lines_are_divided(monkeypatch):
    """PROTOCOL.md 1: a line past 65,536 bytes would lose the match."""
    arena, wire = first_turn(monkeypatch)
    arena.log("\U0001f40d" * 40_000)  # 4 bytes each
    lines = wire.sent.splitlines(keepends=True)
    assert 40_000 * 4 == sum(len(line) - len(b"# \n") for line in lines)
    assert max(map(len, lines)) <= 65_536
    assert all(line.startswith(b"# ") for line in lines)


def test_notes_are_kept(monkeypatch):
    """PROTOCOL.md 7: code, turn, the submove's place or `-`, words."""
    notes = b"note illegal 0 2 no unit in (1, 1)\nnote late 0 -\n"
    wired(monkeypatch, WELCOME + START + TURN_0 + notes + FORFEIT + b"bye\n")
    with Arena("A", notes=True) as arena:
        for _ in arena:
            arena.send([])
    assert [("illegal", 0, 2, "no unit in (1, 1)"), ("late", 0, None, "")] == [
        (note.code, note.turn, note.index, note.words) for note in arena.notes
    ]
    assert "Note('late', turn=0, index=None, '')" == repr(arena.notes[1])


def test_an_error_is_raised_with_its_code(monkeypatch):
    wired(monkeypatch, b"error name-taken Ann is playing already\n")
    with Arena("Ann") as arena:
        with pytest.raises(ArenaError) as caught:
            next(arena)
        assert [] == list(arena)
    assert ("name-taken", "Ann is playing already") == (caught.value.code, caught.value.words)
    assert "name-taken: Ann is playing already" == str(caught.value)


def test_an_error_does_nothing_to_a_terminal():
    error = ArenaError("\x1bc", "the\u202e wörd's")
    assert "\\u{1b}c: the\\u{202e} wörd's" == str(error)
    assert ("\x1bc", "the\u202e wörd's") == (error.code, error.words)
    assert "late" == str(ArenaError("late"))


def test_a_connection_reset_in_mid_match_is_an_error(monkeypatch):
    wired(monkeypatch, WELCOME + START + TURN_0, ConnectionResetError("by peer"))
    with Arena("A", keep=True) as arena:
        next(arena)
        arena.send([])
        with pytest.raises(ArenaError) as caught:
            next(arena)
    assert "disconnected" == caught.value.code


def test_what_the_arena_said_before_closing_is_read_though_sending_fails():
    """A seat that is thrown out learns why, not that its pipe is broken."""
    with (
        ScriptedArena(
            Hears(b"A v=1\n"), Says(WELCOME + START + TURN_0 + b"error late ten turns in a row\n")
        ) as scripted,
        Arena("A", port=scripted.port) as arena,
    ):
        next(arena)
        scripted.join()  # the arena has closed: the answer meets nobody, the log a reset
        arena.send([])
        arena.log("still here")
        arena.log("still here")
        with pytest.raises(ArenaError) as caught:
            next(arena)
    assert "late: ten turns in a row" == str(caught.value)


def test_leaving_the_block_closes_the_connection():
    with (
        ScriptedArena(
            Hears(b"A v=1\n"), Says(WELCOME + START + TURN_0), Hears(b"\n<EOF>")
        ) as scripted,
        contextlib.suppress(KeyError),
        Arena("A", port=scripted.port) as arena,
    ):
        for state in arena:
            arena.send([])
            raise KeyError(state.turn)
    arena.close()  # once more does no harm
    with pytest.raises(MisuseError):
        arena.send([])


@pytest.mark.parametrize(
    "goes_on",
    [
        pytest.param("threading.Thread(target=sys.stdin.read).start()", id="thread"),
        pytest.param("os.fork() or (sys.stdin.read(), os._exit(0))", id="process"),
    ],
)
def test_an_uncaught_exception_closes_the_connection_though_something_goes_on(goes_on):
    """Else the arena would wait for an answer, and call the bot late."""
    code = "import os, sys, threading\nfrom lanista_client import Arena\narena = Arena('A')\n"
    code += f"next(arena)\n{goes_on}\nraise KeyError('mine')\n"
    command = [sys.executable, "-B", "-c", code]
    with (
        ScriptedArena(
            Hears(b"A v=1\n"), Says(WELCOME + START + TURN_0), Hears(b"<EOF>")
        ) as scripted,
        subprocess.Popen(
            command,
            env={**os.environ, "LANISTA_PORT": str(scripted.port)},
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as bot,
    ):
        scripted.join()
        _, err = bot.communicate(timeout=60)
    assert err.endswith(b"KeyError: 'mine'\n")


MATCH_2 = START.replace(b"01JDEXAMPLE", b"01JDSECOND").replace(b"seat 0", b"seat 1") + TURN_0


@pytest.mark.parametrize(
    ("keep", "last"), [*((True, last) for last in (b"", b"wait 1 2\n", b"bye\n")), (False, MATCH_2)]
)
def test_keep_ends_well_between_matches_and_without_it_one_match_is_all(monkeypatch, keep, last):
    """Even if the arena began another."""
    wired(monkeypatch, WELCOME + START + TURN_0 + FORFEIT + last)
    with Arena("A", keep=keep) as arena:
        for state in arena:
            assert "01JDEXAMPLE" == state.match
            arena.send([])
    assert ["forfeit"] == [result.end for result in arena.results]
