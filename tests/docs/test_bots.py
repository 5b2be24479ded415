"""docs/bots: every code block of every page is run, as a reader would run it.

What stands behind the three backticks says how:

    LANGUAGE file=NAME   a file of this name
    console              commands behind `$ `, and what they print; `…` is anything, on a line
                         of its own for any lines
    console exit=N       the same, and the last command ends with this exit code; others with 0
    console needs=CC     the same, where there is this program
    console serve        the same, with a daemon on the default address and a player who waits there
    conversation         of protocol.md: what passes on the wire in one match; `conversation bad`:
                         the same from the first answer on

A page is gone through in one folder; first-bot.md and kits.md are, part by part, in folders of
their own.
"""

import gzip
import itertools
import json
import re
import shutil
import subprocess
import sys

import pytest

from docs.pages import CHECKOUT, DOCS, Shell, fenced, sections
from e2e.running import PATIENCE, Daemon, Peer, read
from kit.conftest import kit_cache
from languages.built import BUILDS, CACHE
from languages.conftest import needed
from lanista.games import registry
from lanista.hosting.names import bot_command
from lanista.match.replay import positions

pytestmark = BUILDS

BOTS = DOCS / "bots"
FIRST_BOT = BOTS / "first-bot.md"
PAGES = sorted(path.name for path in BOTS.glob("*.md"))
APART = ("first-bot.md", "kits.md")
"""Pages whose parts stand alone, and are gone through one by one."""
SECTIONS = {
    "Python": "python",
    "C++": "cpp",
    "Java": "java",
    "JavaScript": "javascript",
    "Rust": "rust",
    "Go": "go",
}
"""Of first-bot.md: the language whose toolchain a section needs."""
PATIENT = ["--time-init", "100", "--time-move", "20"]
OPTIONS = {"play": [*PATIENT, "--stall-margin", "600"], "check": PATIENT}
"""As the page says, but for the clock: this machine may be busy."""
SHORT = 100
"""Turns of the first bots' matches."""
KIT_ROUNDS = 20
"""Rounds of the match of kits.md, which looks into round 12."""
QUICKLY = {
    "g++": 'exec {real} "$@" -O0',
    "javac": 'exec {real} -J-XX:+UseSerialGC -J-XX:TieredStopAtLevel=1 "$@"',
}
"""Compilers that take less time, which is no matter of the page, and make no quick programs."""
MAP = "2 4\nA 2 . .\n. . 2 B\n"
"""The map of the conversation."""


def shell_in(folder, options=OPTIONS):
    """A shell in which `lanista`, the client's Python and the checkout are found."""
    shell = Shell(
        folder,
        options,
        LANISTA=str(CHECKOUT),
        XDG_CACHE_HOME=str(folder / "cache"),
        GOCACHE=str(CACHE / "go-cache"),
        # What cargo would keep at home, and how hard it tries.
        CARGO_PROFILE_RELEASE_OPT_LEVEL="0",
        CARGO_PROFILE_RELEASE_CODEGEN_UNITS="1",
    )
    for name, script in QUICKLY.items():
        real = shutil.which(name)
        if real is not None:
            shell.program(name, script.format(real=real))
    return shell


def pattern(expected):
    """What a command may print, as a regular expression."""
    lines = []
    for line in expected:
        if line == "…":
            lines.append("(?:.*\n)*?")
        else:
            lines.append(".*".join(re.escape(part) for part in line.split("…")) + "\n")
    return "".join(lines)


def run(text, shell, last_code=0):
    """Run the commands of a console block, each with what it must print."""
    commands = []
    for line in text.splitlines():
        if line.startswith("$ "):
            commands.append((line[2:], []))
        else:
            commands[-1][1].append(line)
    for number, (command, expected) in enumerate(commands, 1):
        exit_code, out = shell.run(command)
        whole = f"{out}\n" if out and not out.endswith("\n") else out  # as of curl
        fits = re.fullmatch(pattern(expected), whole)
        code = last_code if number == len(commands) else 0
        told = f"$ {command}\n{out}\nexit code {exit_code}"
        assert fits, told
        assert code == exit_code, told


def go_through(blocks, shell, tmp_path):
    """Do what the blocks say, one after another."""
    for head, text in blocks:
        kind, *options = head.split()
        given = dict(option.partition("=")[::2] for option in options)
        if "file" in given:
            path = shell.folder / given["file"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        elif kind == "console" and "serve" in given:
            with_daemon(text, shell, tmp_path)
        elif kind == "console":
            if "needs" in given and shutil.which(given["needs"]) is None:
                pytest.skip(f"no {given['needs']} on the PATH")
            run(text, shell, int(given.get("exit", 0)))
        else:
            assert kind == "conversation", f"a block that no test runs: {head!r}"


def with_daemon(text, shell, tmp_path):
    """Run a block while a daemon listens where the block dials, and one player waits."""
    daemon = Daemon(tmp_path / "daemon", "--time-move", 20, "--move-limit", 99)
    try:
        shell.env["LANISTA_PORT"] = str(daemon.port)
        words = bot_command("angrymob", "CamperJoe")[1]
        with subprocess.Popen(words, env=shell.env) as opponent:
            try:
                run(text, shell)
                opponent.wait(PATIENCE)
            finally:
                opponent.kill()
    finally:
        daemon.end()


@pytest.mark.parametrize("page", [page for page in PAGES if page not in APART])
def test_every_block_of_a_page_does_what_it_says(page, tmp_path):
    go_through(fenced(BOTS / page), shell_in(tmp_path), tmp_path)


@pytest.mark.parametrize(
    "way",
    [
        pytest.param("lanista build", marks=pytest.mark.long),  # short: kit/test_build.py
        pytest.param("g++", marks=pytest.mark.long),
        "make",
    ],
)
def test_the_ways_to_build_a_kits_player(way, tmp_path):
    """Each way of kits.md does what it says; the first bot is also played.

    Its match is a short one. The folders that the second names: kit/test_build.py.
    """
    short = ["--set", f"NUM_ROUNDS={KIT_ROUNDS}"]
    shell = shell_in(tmp_path, OPTIONS | {"play": [*OPTIONS["play"], *short]})
    if shutil.which("g++"):
        # The part that all players share is compiled already, by the usual compiler.
        (tmp_path / "programs" / "g++").unlink()
        shell.env["XDG_CACHE_HOME"] = str(kit_cache())
    file, build, compiling, making, *rest = fenced(BOTS / "kits.md")
    blocks = {"lanista build": [build, *rest], "g++": [compiling], "make": [making]}[way]
    assert way in blocks[0][1]
    if way == "lanista build":
        assert "200 rounds" in build[1]
        blocks[0] = build[0], build[1].replace("200 rounds", f"{KIT_ROUNDS} rounds")
    go_through([file, *blocks], shell, tmp_path)


@pytest.mark.long
def test_the_first_bot_plays(tmp_path):
    """The whole match of first-bot.md, as long as the page says. Short: that of each language."""
    go_through(sections(FIRST_BOT)["Python"], shell_in(tmp_path), tmp_path)


def play_first_bot(title, folder):
    """Go through a section of first-bot.md, but for a short match; return what its bot was told."""
    short = ["--move-limit", str(SHORT), "-o", "short.jsonl"]
    shell = shell_in(folder, OPTIONS | {"play": [*OPTIONS["play"], *short]})
    blocks = sections(FIRST_BOT)[title]
    _, whole = sections(FIRST_BOT)["Python"][-1]
    ending = whole.partition("\n")[2]
    assert blocks[-1][1].endswith(ending)
    ended = re.sub(r"score \d+", "score …", ending).replace("2400 moves", f"{SHORT} moves")
    blocks[-1] = blocks[-1][0], blocks[-1][1].replace(ending, ended)
    go_through(blocks, shell, folder)
    return told(shell.folder / "short.jsonl")


def told(record):
    """Return what the bot in seat 0 was told of each position of the first turns."""
    first = itertools.islice(positions(read(record), registry.get("angrymob")), SHORT)
    return [(at.turn, at.facts(0)) for at in first]


@pytest.fixture(scope="module")
def python_match(tmp_path_factory):
    return play_first_bot("Python", tmp_path_factory.mktemp("python"))


def first_bot(title):
    """A language as a case; what takes long to compile is long."""
    is_long = title in ("C++", "Java", "Rust")
    return pytest.param(title, marks=pytest.mark.long) if is_long else title


@pytest.mark.parametrize("title", [first_bot(title) for title in SECTIONS if title != "Python"])
def test_a_first_bot_in_each_language_plays_as_the_python_one(title, python_match, tmp_path):
    """By the page's commands, to the same words on the page; the match is a short one."""
    needed(SECTIONS[title])
    assert SHORT == len(python_match)
    assert python_match == play_first_bot(title, tmp_path)


def test_the_first_bot_is_there_in_every_language():
    """And no code of the page is outside their sections."""
    found = sections(FIRST_BOT)
    assert set(SECTIONS) == set(found)
    assert sum(map(len, found.values())) == len(fenced(FIRST_BOT))


def conversation(kind):
    """The lines of protocol.md's blocks of this kind: who speaks, and what."""
    blocks = [text for head, text in fenced(BOTS / "protocol.md") if head == kind]
    lines = "".join(blocks).splitlines()
    assert {"<", ">"} >= {line[:1] for line in lines}
    return [(line[0], line[2:]) for line in lines]


def converse(lines, tmp_path):
    """Say our lines to a daemon, whose lines must be the others; the opponent does nothing."""
    (tmp_path / "page.map").write_text(MAP)
    daemon = Daemon(tmp_path / "daemon", "--map", tmp_path / "page.map", "--time-move", 20)
    peers = []
    try:
        peers.append(Peer(daemon.port))
        for who, line in lines:
            if who == ">":
                peers[0].say(line + "\n")
                if len(peers) == 2 and not line.startswith("#"):
                    peers[1].until("go")
                    peers[1].say("\n")
            else:
                # Nobody here is to be late; the page tells the clock of every other arena.
                heard = peers[0].line().replace("clock 20 20", "clock 20 0.2")
                assert re.fullmatch(pattern([line]), heard + "\n"), (line, heard)
                if line == "wait 1 2":
                    peers.append(Peer(daemon.port, "Rival v=1 game=angrymob"))
        assert peers[0].rest() == ""
    finally:
        for peer in peers:
            peer.leave()
        daemon.end()


def test_the_conversation_is_one_that_the_arena_has(tmp_path):
    converse(conversation("conversation"), tmp_path)


def test_a_bad_answer_is_answered_so(tmp_path):
    whole = conversation("conversation")
    until_go = whole[: whole.index(("<", "go")) + 1]
    converse(until_go + conversation("conversation bad"), tmp_path)


def test_the_slowest_answers_are_found_in_a_record_with_a_late_one(tmp_path, monkeypatch, capsys):
    """Such a turn has no time of an answer, and one in which the seat was sent nothing no time."""
    [program] = [text for info, text in fenced(BOTS / "timing.md") if "slowest.py" in info]
    times = [[9, 5000, 7000, 7100], [9], None, [9, 1000, 2000, 2100]]
    lines = [{"turn": turn, "times": [of, None]} for turn, of in enumerate(times)]
    record = tmp_path / "match.jsonl.gz"
    with gzip.open(record, "wt") as file:
        file.writelines(json.dumps(line) + "\n" for line in [{}, *lines, {"end": "finished"}])
    monkeypatch.setattr(sys, "argv", ["slowest.py", str(record)])
    exec(program, {})
    assert "median 2.0 ms\nturn 0 7.0 ms\nturn 3 2.0 ms\n" == capsys.readouterr().out
