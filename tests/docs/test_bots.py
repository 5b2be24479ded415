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

A page is gone through in one folder, first-bot.md each section in one of its own.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from docs.pages import CHECKOUT, DOCS, fenced
from e2e.running import PATIENCE, Daemon, Peer, environment
from languages.conftest import needed
from lanista.house import HOUSE

BOTS = DOCS / "bots"
PAGES = sorted(path.name for path in BOTS.glob("*.md"))
SECTIONS = {
    "Python": "python",
    "C++": "cpp",
    "Java": "java",
    "JavaScript": "javascript",
    "Rust": "rust",
    "Go": "go",
}
"""Of first-bot.md: the language whose toolchain a section needs."""
PATIENT = """\
#!/bin/sh
# As the page says, but for the clock: this machine may be busy.
program={program}
case $1 in
    play) shift; exec "$program" play --time-init 100 --time-move 20 --stall-margin 600000 "$@" ;;
    check) shift; exec "$program" check --time-init 100 --time-move 20 "$@" ;;
    *) exec "$program" "$@" ;;
esac
"""
MAP = "2 4\nA 2 . .\n. . 2 B\n"
"""The map of the conversation."""


@pytest.fixture
def shell(tmp_path, shared_folder):
    """A folder, and an environment in which `lanista` and the client's Python are found."""
    programs = tmp_path / "programs"
    programs.mkdir()
    real = Path(sys.executable).parent
    (programs / "lanista").write_text(PATIENT.format(program=real / "lanista"))
    (programs / "lanista").chmod(0o755)
    folder = tmp_path / "here"
    folder.mkdir()
    path = os.pathsep.join([str(programs), str(real), os.environ["PATH"]])
    return folder, environment(
        PATH=path,
        LANISTA=str(CHECKOUT),
        PYTHONDONTWRITEBYTECODE="1",
        XDG_CACHE_HOME=str(shared_folder / "cache"),
    )


def pattern(expected):
    """What a command may print, as a regular expression."""
    lines = []
    for line in expected:
        if line == "…":
            lines.append("(?:.*\n)*?")
        else:
            lines.append(".*".join(re.escape(part) for part in line.split("…")) + "\n")
    return "".join(lines)


def run(text, folder, env, last_code=0):
    """Run the commands of a console block, each with what it must print."""
    commands = []
    for line in text.splitlines():
        if line.startswith("$ "):
            commands.append((line[2:], []))
        else:
            commands[-1][1].append(line)
    for number, (command, expected) in enumerate(commands, 1):
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=folder,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=2 * PATIENCE,
        )
        fits = re.fullmatch(pattern(expected), done.stdout)
        code = last_code if number == len(commands) else 0
        told = f"$ {command}\n{done.stdout}\nexit code {done.returncode}"
        assert fits, told
        assert code == done.returncode, told


def go_through(blocks, folder, env, tmp_path):
    """Do what the blocks say, one after another."""
    for head, text in blocks:
        kind, *options = head.split()
        given = dict(option.partition("=")[::2] for option in options)
        if "file" in given:
            path = folder / given["file"]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        elif kind == "console" and "serve" in given:
            with_daemon(text, folder, env, tmp_path)
        elif kind == "console":
            if "needs" in given and shutil.which(given["needs"]) is None:
                pytest.skip(f"no {given['needs']} on the PATH")
            run(text, folder, env, int(given.get("exit", 0)))
        else:
            assert kind == "conversation", f"a block that no test runs: {head!r}"


def with_daemon(text, folder, env, tmp_path):
    """Run a block while a daemon listens where the block dials, and one player waits."""
    daemon = Daemon(tmp_path / "daemon", "--time-move", 20, "--move-limit", 99)
    try:
        where = {"LANISTA_PORT": str(daemon.port)}
        words = [sys.executable, "-m", HOUSE["angrymob"]["CamperJoe"]]
        with subprocess.Popen(words, env=env | where) as opponent:
            try:
                run(text, folder, env | where)
                opponent.wait(PATIENCE)
            finally:
                opponent.kill()
    finally:
        daemon.end()


@pytest.mark.parametrize("page", [page for page in PAGES if page != "first-bot.md"])
def test_every_block_of_a_page_does_what_it_says(page, shell, tmp_path):
    go_through(fenced(BOTS / page), *shell, tmp_path)


@pytest.mark.parametrize("title", SECTIONS)
def test_a_first_bot_in_each_language_plays(title, shell, tmp_path):
    needed(SECTIONS[title])
    go_through(sections()[title], *shell, tmp_path)


def sections():
    """The blocks of first-bot.md by section."""
    text = (BOTS / "first-bot.md").read_text(encoding="utf-8")
    found = {}
    for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        title, _, rest = part.partition("\n")
        found[title] = re.findall(r"^```([^\n]*)\n(.*?)^```$", rest, re.MULTILINE | re.DOTALL)
    return found


def test_the_first_bot_is_there_in_every_language():
    """And no code of the page is outside their sections."""
    found = sections()
    assert set(SECTIONS) == {title for title, blocks in found.items() if blocks}
    assert sum(map(len, found.values())) == len(fenced(BOTS / "first-bot.md"))


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
