"""Every client library: its own tests, and its starters in real matches.

The starters of all languages are one strategy, so that a library that reads a position wrongly
plays another match than Python's: they are compared by the digest of the last position.
"""

import json
import shlex
from pathlib import Path

import pytest

from e2e.running import Program, as_json, command
from languages.conftest import needed
from languages.language import every

MATCHES = {
    "angrymob": ["RandomRunners"],
    "hogwarts": ["Demo", "Null", "Dummy", "--set", "NUM_ROUNDS=60"],
    "crematoria": ["Demo", "Null", "Dummy", "--set", "nb_rounds=60"],
}
"""Of each game: the starter's opponents, and what keeps the match short."""
SEED = 7
GOLDEN = Path(__file__).with_name("golden.json")


def play(game, words, folder):
    """Play the starter's match; its result but for what differs from one to the next."""
    played = Program(
        command(
            *("play", game, shlex.join(words), *MATCHES[game]),
            *("--json", "-s", SEED, "--time-init", 60, "--time-move", 20, "-o", "record.jsonl"),
        ),
        folder,
    )
    try:
        assert (0, "") == (played.wait(), played.err)
    finally:
        played.end()
    (result,) = as_json(played)
    faults = [fault for fault in result["faults"] if fault["seat"] == 0]
    kept = {key: result[key] for key in ("end", "ranks", "scores", "turns", "digest")}
    return kept | {"faults": faults}


@pytest.mark.parametrize("name", every())
def test_its_own_tests_pass(name, tmp_path):
    for step in needed(name).own_tests(tmp_path):
        step.run()


@pytest.mark.long
@pytest.mark.parametrize("name", every())
def test_its_long_tests_pass(name, tmp_path):
    for step in needed(name).long_tests(tmp_path):
        step.run()


@pytest.mark.long
@pytest.mark.parametrize("commands", every(), indirect=True)
@pytest.mark.parametrize("game", MATCHES)
def test_a_starter_passes_the_check(commands, game, tmp_path):
    """`lanista check`, with a clock for a busy machine."""
    checking = Program(
        command("check", shlex.join(commands[game]), "--game", game, "-s", SEED, "--time-move", 2),
        tmp_path,
    )
    try:
        assert (0, "") == (checking.wait(), checking.err), checking.out
    finally:
        checking.end()
    assert "nothing is wrong\n" in checking.out


@pytest.mark.parametrize("commands", every(), indirect=True)
@pytest.mark.parametrize("game", MATCHES)
def test_a_starter_plays_just_as_the_python_one(commands, game, tmp_path):
    expected = json.loads(GOLDEN.read_text())[game]
    assert expected == play(game, commands[game], tmp_path)
