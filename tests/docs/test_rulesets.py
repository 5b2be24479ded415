"""docs/rulesets.md: its files are the example's, its commands do what it says."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from docs.pages import DOCS, commands, fenced
from e2e.running import environment
from lanista.match.record import read_record

PAGE = DOCS / "rulesets.md"
EXAMPLE = Path(__file__).parents[1] / "support" / "example_ruleset"
FILES = ("pyproject.toml", "take_away.py", "test_take_away.py", "take_away_bot.py")


def run(folder, *words):
    """Run to the end in a folder, the installed example on the path, `lanista` and Python ours."""
    words = list(map(str, words))
    if words[0] == "lanista":
        words[:1] = [sys.executable, "-m", "lanista"]
    if words[0] == "python3":
        words[0] = sys.executable
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    env = environment(PATH=path, PYTHONPATH=str(folder), PYTHONDONTWRITEBYTECODE="1")
    return subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, timeout=60)


@pytest.fixture
def installed(tmp_path):
    """A folder with the page's files and beside them what pip makes of the pyproject.toml."""
    for name in FILES:
        shutil.copy(EXAMPLE / name, tmp_path)
    project = tomllib.loads((tmp_path / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    info = tmp_path / "take_away-1.0.dist-info"
    info.mkdir()
    metadata = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (info / "METADATA").write_text(metadata, encoding="utf-8")
    points = [
        line
        for group, named in project["entry-points"].items()
        for line in [f"[{group}]", *(f"{name} = {value}" for name, value in named.items())]
    ]
    (info / "entry_points.txt").write_text("\n".join([*points, ""]), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("name", FILES)
def test_the_blocks_of_a_file_are_the_whole_file(name):
    """In its order, nothing left out but empty lines between them."""
    rest = (EXAMPLE / name).read_text(encoding="utf-8")
    blocks = [text for heading, text in fenced(PAGE) if heading.split()[-1:] == [name]]
    assert blocks
    for text in blocks:
        before, found, rest = rest.partition(text)
        assert text == found
        assert "" == before.strip("\n")
    assert "" == rest.strip("\n")


def test_every_block_is_of_a_file():
    """So that nothing on the page is unchecked."""
    assert set(FILES) == {heading.split()[-1] for heading, _ in fenced(PAGE)}
    assert set(FILES) == {path.name for path in EXAMPLE.iterdir() if path.is_file()} - {
        "conftest.py"
    }


def test_the_examples_own_test_passes(installed):
    """The conformance suite and the game's rules, in a process that has the package."""
    (words,) = commands(PAGE, "python3")
    done = run(installed, *words, "-q", "-W", "error", "-p", "no:cacheprovider")
    assert (0, True) == (done.returncode, "2 passed" in done.stdout), done.stdout + done.stderr


def test_the_commands_of_the_page_work(installed):
    """One after the other; the game is listed, played over TCP, and its record verified."""
    out = {}
    for words in commands(PAGE, "lanista"):
        done = run(installed, *words)
        assert (0, "") == (done.returncode, done.stderr), words
        out[" ".join(words[1:3])] = done.stdout
    games = "take-away  Take-away, 2 players\n    --set most=3  stones to take at most\n"
    assert games in out["games"]
    assert " wins (finished: last-stone, " in out["play take-away"]
    record = read_record(installed / "match.jsonl.gz")
    assert ("take-away", "last-stone") == (record.header.game, record.result.reason)
    assert f"verified {len(record.turns)} turns" in out["replay verify"]


@pytest.mark.parametrize("seat", [pytest.param(0, marks=pytest.mark.long), 1])
def test_the_bot_of_the_page_wins(installed, seat):
    """Against one that never takes anything and so takes one stone in each of its turns."""
    idle = (
        "from lanista_client import Arena\n"
        "with Arena('Idle', game='take-away') as arena:\n"
        "    for state in arena:\n"
        "        arena.send([])\n"
    )
    (installed / "idle.py").write_text(idle, encoding="utf-8")
    bots = ["python3 take_away_bot.py", "python3 idle.py"]
    bots = bots if seat == 0 else bots[::-1]
    options = ("-s", 5, "--no-clock", "-o", "match.jsonl.gz")
    done = run(installed, "lanista", "play", "take-away", *bots, *options)
    assert (0, "") == (done.returncode, done.stderr)
    result = read_record(installed / "match.jsonl.gz").result
    assert ("finished", (1, 2)[seat]) == (result.end, result.ranks[0])
    assert (2, 1)[seat] == result.ranks[1]
