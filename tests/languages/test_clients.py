"""Every client library: its own tests, and its starters in real matches.

The starters of all languages are one strategy, so that a library that reads a position wrongly
plays another match than Python's: they are compared by the digest of the last position. In each
match starters of several languages meet, as if all were Python's.
"""

import contextlib
import json
import re
import shlex
import socket
from pathlib import Path

import pytest

from client.scripted_arena import (
    CREMATORIA_START,
    CREMATORIA_TURN,
    HOGWARTS_START,
    HOGWARTS_TURN,
    START,
    TURN_0,
    WELCOME,
    Hears,
    Says,
    ScriptedArena,
)
from e2e.running import PATIENCE, Program, as_json, command, environment, run_here
from languages.built import BUILDS
from languages.conftest import needed
from languages.language import CHECKOUT, CLIENTS, every

pytestmark = BUILDS

MATCHES = {
    "angrymob": (2, []),
    "hogwarts": (4, ["--set", "NUM_ROUNDS=60"]),
    "crematoria": (4, ["--set", "nb_rounds=40"]),
}
"""Seats of each game, and the options that keep its match short."""
SEED = 7
GOLDEN = Path(__file__).with_name("golden.json")


MOST = 8 << 20
"""Bytes that an arena sends from one `go` to the next: PROTOCOL.md 3."""
PAGE = CHECKOUT / "protocol" / "PROTOCOL.md"


def error_codes():
    """The codes that an arena ends a connection with, and whether to come back: PROTOCOL.md 7."""
    rows = re.findall(r"^\| `([a-z0-9-]+)` \| .* \| (yes|no) \|$", PAGE.read_text(), re.MULTILINE)
    return dict(rows)


ENDS = {
    **{
        code: (
            f"error {code} the arena's \x1b[2J\u202ewords\n".encode(),
            code + r": the arena's \u{{1b}}[2J\u{{202e}}words",
        )
        for code in error_codes()
    },
    "without words": (WELCOME + b"error late\n", "late"),
    "not in the protocol": (
        WELCOME + START + b"turn x\n",
        "unreadable: the client can't use 'turn x'",
    ),
    "a line without end": (
        (WELCOME + START + b"turn 0\n").ljust(MOST, b"x"),
        "unreadable: the arena sent 8 MiB without asking for an answer",
    ),
    "a turn without end": (
        (WELCOME + START + b"turn 0\n" + b"unit 2 1 0 1\n" * (MOST // 13))[:MOST],
        "unreadable: the arena sent 8 MiB without asking for an answer",
    ),
    "cut before a match": (
        WELCOME,
        (
            "disconnected: the connection ended before a match; "
            "check that the arena is running, and that the port is the one for bots"
        ),
    ),
    "cut in mid-match": (
        WELCOME + START,
        (
            "disconnected: the connection ended in mid-match; "
            "check that the arena is running, and start the bot again"
        ),
    ),
    "no arena here": (
        None,
        "unreachable: no arena at 127.0.0.1:{port}; start one with `lanista serve`",
    ),
    "no arena elsewhere": (
        None,
        (
            "unreachable: no arena at 127.0.0.2:{port}: connection refused; "
            "check the host and the port"
        ),
    ),
    "unknown host": (
        None,
        "unreachable: no arena at no host:{port}: unknown host; check the host and the port",
    ),
    **{
        f"port {port}": (
            None,
            f"LANISTA_PORT must be a port number from 1 to 65535, such as 7777, not '{port}'",
        )
        for port in ("0", "http", "70000")
    },
    "stdio": (
        None,
        (
            "unreachable: this program connects to the arena by itself; "
            "start it without `stdio:` or `lanista connect`"
        ),
    ),
}
"""The line with which a bot ends whose match can't go on: the same words in every client library.

Each way to end has what the arena says after the bot's hello, or None if there is no arena; and the
line, with {port} for the arena's port.
"""
VARIABLES = {
    # That it is this machine, no library knows. Blanks around the port are no part of it.
    "no arena elsewhere": {"LANISTA_HOST": "127.0.0.2", "LANISTA_PORT": " {port}\r"},
    # No resolver asks others for a name with a space.
    "unknown host": {"LANISTA_HOST": "no host"},
    **{f"port {port}": {"LANISTA_PORT": port} for port in ("0", "http", "70000")},
    "stdio": {"LANISTA_STDIO": "1"},
}
"""Variables with which the bot is started, beside the usual ones; {port} is the arena's."""

LIES = {
    "angrymob": (
        START + TURN_0,
        [
            ("game angrymob", "game chess"),
            ("seat 0", "seat 2"),
            ("turn 0", "turn -1"),
            ("base 1 3 5", "base 1 6 5"),
            ("unit 2 1 ", "unit 2 7 "),
            ("unit 2 1 ", "unit 2147483647 1 "),
            ("unit 2 1 ", "unit 2 3 "),  # where nothing can stand
            ("total 0 ", "neutral 0 -1 2\ntotal 0 "),
        ],
    ),
    "hogwarts": (
        HOGWARTS_START + HOGWARTS_TURN,
        [
            ("game hogwarts", "game chess"),
            ("seat 1", "seat 4"),
            ("unit 5 w 1 0 1 ", "unit 5 w 1 0 2147483647 "),
            ("unit 5 w 1 ", "unit 5 w 4 "),
            ("unit 1 g 1 ", "unit 7 g 1 "),  # the seat without its ghost
            ("unit 1 g 1 ", "unit 1 g 2 "),
            ("book 0 3", "book 6 3"),
            ("voldemort 3 7", "voldemort -2147483648 7"),
            (" 14 15\n", " 14\n"),
            ("strength 1000 ", "strength "),
        ],
    ),
    "crematoria": (
        CREMATORIA_START + CREMATORIA_TURN,
        [
            ("game crematoria", "game chess"),
            ("seat 1", "seat -1"),
            ("unit 1 p 1 50 -1 3 ", "unit 1 p 1 50 -1 2147483647 "),
            ("unit 1 p 1 50 -1 3 1 0", "unit 1 p 1 50 -1 3 1 2"),
            ("unit 1 p 1 ", "unit 1 p 4 "),
            ("gem 4 2", "gem 4 8"),
            ("score 0 ", "score "),
        ],
    ),
}
"""By game: what an honest arena says up to the first `go`, and words in it with a lie instead."""

FINAL_CODES = {
    "cpp": "../server/lanista/bots/kit/include/lanista.hpp",
    "go": "go/reconnect.go",
    "java": "java/src/main/java/org/lanista/client/Connector.java",
    "javascript": "javascript/src/connector.js",
    "python": "python/lanista_client/__init__.py",
    "rust": "rust/src/connector.rs",
}
"""The file of each library, in clients/, that names the codes after which it doesn't come back."""


def tables(seats):
    """The languages, dealt to matches of so many seats; the first sit again in seats left over."""
    names = list(every())
    dealt = [names[at : at + seats] for at in range(0, len(names), seats)]
    return [table + names[: seats - len(table)] for table in dealt]


def starter(name, game):
    """The command line of a language's starter; Python's where its toolchain isn't there."""
    language = every()[name]
    if language.missing:
        language = every()["python"]
    return shlex.join(str(word) for word in language.commands(language.built())[game])


def play(game, bots, folder):
    """Play the starters' match; its result but for what differs from one to the next."""
    _, words = MATCHES[game]
    words = [*words, "--json", "-s", SEED, "--no-clock", "-o", "record.jsonl"]
    played = run_here(["play", game, *bots, *words], folder)
    assert (0, "") == (played.code, played.err)
    (result,) = as_json(played)
    return {key: result[key] for key in ("end", "ranks", "scores", "turns", "digest", "faults")}


@pytest.mark.parametrize("name", every())
def test_its_own_tests_pass(name, tmp_path):
    language = needed(name)
    for step in language.own_tests(language.built(), tmp_path):
        step.run()


@pytest.mark.parametrize("name", every())
def test_all_libraries_give_up_at_the_same_codes(name):
    """Those that PROTOCOL.md 7 marks with no; the file quotes no other."""
    codes = error_codes()
    quoted = set(re.findall(r'"([a-z0-9-]+)"', (CLIENTS / FINAL_CODES[name]).read_text()))
    assert {code for code, again in codes.items() if again == "no"} == codes.keys() & quoted
    assert "unreadable" in quoted


def starter_alone(commands, port, folder, *, game="angrymob", **variables):
    """A starter as a process of its own, as a person starts it."""
    words = [str(word) for word in commands[game]]
    variables = {"LANISTA_HOST": "127.0.0.1", "LANISTA_PORT": str(port), **variables}
    return Program(words, folder, env=environment(LANISTA_NAME="Ann", **variables))


FRAME = {
    "go": re.compile(r"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d (.*)\n"),
    "rust": re.compile(r"Error: (.*)\n"),
}
"""What `log.Fatal` and `main` write around an error; the others write a line of their own."""
REASON = re.compile(r"""(can't use )"(.*)": .*""")
"""How Go and Rust quote a line that they can't use; they add what is wrong with it."""


@contextlib.contextmanager
def ended_arena(said):
    """The port of an arena that ends a connection so, or of none."""
    if said is None:
        with socket.socket() as deaf:  # bound, so that no other test listens there meanwhile
            deaf.bind(("127.0.0.1", 0))
            yield deaf.getsockname()[1]
    else:
        with ScriptedArena(Hears(b"Ann v=1 game=angrymob\n"), Says(said)) as arena:
            yield arena.port


SOME_ENDS = (
    *("bad-hello", "not in the protocol", "a line without end", "a turn without end"),
    *("cut in mid-match", "no arena elsewhere", "port 0"),
)


@pytest.mark.parametrize(
    "ends",
    [
        pytest.param(SOME_ENDS, id="some"),
        pytest.param(tuple(ENDS), id="all", marks=pytest.mark.long),
    ],
)
@pytest.mark.parametrize("name", every())
def test_a_bot_whose_match_cannot_go_on_ends_with_one_line(name, ends, tmp_path, started):
    """At codes of PROTOCOL.md 7, cut off, and without an arena, in the words of `ENDS`."""
    language = needed(name)
    commands = language.commands(language.built())
    frame = FRAME.get(name, re.compile(r"(.*)\n"))
    expected, found = {}, {}
    for end in ends:
        said, line = ENDS[end]
        with ended_arena(said) as port:
            variables = {k: v.format(port=port) for k, v in VARIABLES.get(end, {}).items()}
            bot = started(starter_alone(commands, port, tmp_path, **variables))
            code = bot.wait()
        shown = frame.fullmatch(bot.err)
        err = REASON.sub(r"\1'\2'", shown[1]) if shown else bot.err
        expected[end] = (1, "", line.format(port=port))
        found[end] = (code, bot.out, err)
    assert expected == found


@pytest.mark.parametrize("commands", every(), indirect=True)
@pytest.mark.parametrize("game", LIES)
def test_a_starter_ends_with_one_line_at_a_lying_arena(commands, game, tmp_path, started):
    """Something lies outside the board, a player doesn't exist, or numbers are missing."""
    honest, lies = LIES[game]
    found = {}
    for words, lie in lies:
        said = WELCOME + honest.replace(words.encode(), lie.encode(), 1)
        with ScriptedArena(Hears(f"Ann v=1 game={game}\n".encode()), Says(said)) as arena:
            bot = started(starter_alone(commands, arena.port, tmp_path, game=game))
            code = bot.wait()
        err = re.sub(r".*unreadable: the client can't use ['\"].*\n", "unreadable", bot.err)
        found[lie] = (code, bot.out, err)
    assert {lie: (1, "", "unreadable") for _, lie in lies} == found


@pytest.mark.parametrize("commands", every(), indirect=True)
def test_a_starter_that_waits_says_for_what_and_where_to_look(commands, tmp_path, started):
    """And what the arena notes that isn't about an answer (PROTOCOL.md 7).

    Its room may be a mistyped ladder, and it may have to rest.
    """
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(PATIENCE)
        port = listener.getsockname()[1]
        bot = started(starter_alone(commands, port, tmp_path))
        peer, _ = listener.accept()
        with peer:
            peer.sendall(b"welcome 1 lanista 0.1.0\nnote room 0 - \x1bno\nwait 1 2\x07\n")
            bot.until(lambda: bot.err.count("\n") == 2, "it says that it waits")
            peer.sendall(
                b"note benched 60 - 3 failed\nnote late 4 - x\nnote benched 0 - the \x1bop\n"
            )
            bot.until(lambda: bot.err.count("\n") == 4, "it says that it rests")
            told = bot.err
    assert (
        "lanista: \\u{1b}no\n"
        f"lanista: waiting for an opponent at 127.0.0.1:{port} (game angrymob, 1 of 2\\u{{7}} "
        "seats taken); the arena's page, whose address `lanista serve` prints, shows who is there\n"
        "lanista: benched for 60 s: 3 failed\n"
        "lanista: benched: the \\u{1b}op\n"
    ) == told


@pytest.mark.long
@pytest.mark.parametrize("name", every())
def test_its_long_tests_pass(name, tmp_path):
    language = needed(name)
    for step in language.long_tests(language.built(), tmp_path):
        step.run()


@pytest.mark.long
@pytest.mark.parametrize("commands", every(), indirect=True)
@pytest.mark.parametrize("game", MATCHES)
def test_a_starter_passes_the_check(commands, game, tmp_path, started):
    """`lanista check`, with a clock for a busy machine."""
    words = shlex.join(map(str, commands[game]))
    words = command("check", words, "--game", game, "-s", SEED, "--time-move", 2)
    checking = started(Program(words, tmp_path))
    assert (0, "") == (checking.wait(), checking.err), checking.out
    assert "nothing is wrong\n" in checking.out


@pytest.mark.parametrize(
    ("game", "names"),
    [
        pytest.param(game, names, id="-".join([game, *names]))
        for game, (seats, _) in MATCHES.items()
        for names in tables(seats)
    ],
)
def test_starters_of_all_languages_play_just_as_the_python_ones(game, names, tmp_path):
    """Whose toolchain is missing is left out; the test of its own tests tells that it is.

    `lanista replay diff` says in which turn its record differs from that of Python's starters.
    """
    expected = json.loads(GOLDEN.read_text())[game]
    assert expected == play(game, [starter(name, game) for name in names], tmp_path)
