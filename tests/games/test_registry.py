"""Rulesets by name, from entry points of any installed distribution."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lanista.games import registry
from lanista.games.angrymob.ruleset import RULESET
from lanista.games.registry import UnknownGameError

TESTS = Path(__file__).parents[1]


def test_a_ruleset_is_found_by_its_name():
    """The object of the entry point, not a copy."""
    assert "angrymob" in registry.names()
    assert RULESET is registry.get("angrymob")


@pytest.mark.parametrize("name", ["chess", "", "Angrymob", "angrymob "])
def test_an_unknown_game_lists_the_known_ones(name):
    """Unknown names are errors, never defaults."""
    with pytest.raises(UnknownGameError) as caught:
        registry.get(name)
    known = ", ".join(registry.names())
    message = str(caught.value)
    suggestion = "; did you mean 'angrymob'?" if "ngrymob" in name else ""
    assert f"unknown game {name!r}; known games: {known}{suggestion}" == message


def run(folder, program):
    """What a program prints in a fresh process that has a folder of distributions beside ours."""
    return subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(TESTS)])},
        capture_output=True,
        text=True,
    )


@pytest.fixture
def third_party(tmp_path):
    """A distribution as pip would install it, which brings Counting under `counting`."""
    info = tmp_path / "counting_game-1.0.dist-info"
    info.mkdir()
    metadata = "Metadata-Version: 2.1\nName: counting-game\nVersion: 1.0\n"
    (info / "METADATA").write_text(metadata, encoding="utf-8")
    points = "[lanista.rulesets]\ncounting = support.tinygame:RULESET\n"
    (info / "entry_points.txt").write_text(points, encoding="utf-8")
    return tmp_path


def test_another_package_can_add_a_ruleset(third_party):
    """By an entry point of the group `lanista.rulesets`; ours stay."""
    done = run(
        third_party,
        "from lanista.games import registry\n"
        "print(*registry.names())\n"
        "print(registry.get('counting').title, registry.get('angrymob').title)\n",
    )
    assert (0, "") == (done.returncode, done.stderr)
    names, titles = done.stdout.splitlines()
    assert sorted({*registry.names(), "counting"}) == names.split()
    assert titles == "Counting Angry Mob"


BROKEN = {
    "no_such_module:RULESET": "ModuleNotFoundError: No module named 'no_such_module'",
    "broken:no_such_name": "AttributeError: module 'broken' has no attribute 'no_such_name'",
    "exits:RULESET": "SystemExit: 4",
    "broken:CLASS": "<class 'support.tinygame.CountingRules'> is a class; it must be an object",
    "broken:NOTHING": "it has no name, title, version, seats, consequence, settings, seeds, ",
    "broken:PART": "it has no classic, generate; lanista.games.base.Ruleset has each",
    "broken:SETTINGS": "settings {'rounds': 5} must be a tuple, and each of them a Setting",
    "broken:BY_HAND": "by_hand 'yes' must be a ByHand",
    "broken:ENDINGS": "endings 'counted' must be a dictionary",
    "support.tinygame:RULESET": "its name is 'counting'; that of its entry point must be the same",
}
"""The entry points of broken rulesets, and what is wrong with each."""


def test_a_ruleset_that_cant_be_used_breaks_only_itself(third_party):
    """Whatever lists all games leaves it out or says why; its name is listed without loading it."""
    (third_party / "exits.py").write_text("raise SystemExit(4)\n", encoding="utf-8")
    (third_party / "broken.py").write_text(
        "from support.tinygame import CountingRules as CLASS\n"
        "NOTHING = None\n"
        "class Part(CLASS):\n"
        "    def __getattribute__(self, name):\n"
        "        if name in {'classic', 'generate'}: raise AttributeError(name)\n"
        "        return super().__getattribute__(name)\n"
        "PART = Part()\n"
        "SETTINGS = type('Rules', (CLASS,), {'settings': {'rounds': 5}})()\n"
        "BY_HAND = type('Rules', (CLASS,), {'by_hand': 'yes'})()\n"
        "ENDINGS = type('Rules', (CLASS,), {'endings': 'counted'})()\n",
        encoding="utf-8",
    )
    points = third_party / "counting_game-1.0.dist-info" / "entry_points.txt"
    lines = [f"game-{at} = {value}\n" for at, value in enumerate(BROKEN)]
    points.write_text("[lanista.rulesets]\n" + "".join(lines), encoding="utf-8")
    done = run(
        third_party,
        "import sys\n"
        "from lanista.games import registry\n"
        "print('game-0' in registry.names(), 'lanista.games.angrymob' in sys.modules)\n"
        "print(*(ruleset.name for ruleset in registry.usable()))\n"
        "from lanista.page import view\n"
        "print(*(game['name'] for game in view.games()['games']))\n"
        "from lanista.cli.games import games\n"
        "games.main([])\n",
    )
    assert (0, "") == (done.returncode, done.stderr)
    listed, usable, on_the_page, *lines = done.stdout.splitlines()
    assert "True False" == listed
    assert list(registry.names()) == usable.split() == on_the_page.split()
    for at, (value, why) in enumerate(BROKEN.items()):
        start = f"game-{at}  the game 'game-{at}' ({value}) can't be used: {why}"
        assert [line for line in lines if line.startswith(start)], start


def test_a_game_that_is_called_like_one_of_ours_is_told(third_party):
    """Ours is played under that name."""
    points = third_party / "counting_game-1.0.dist-info" / "entry_points.txt"
    value = "support.tinygame:RULESET"
    points.write_text(f"[lanista.rulesets]\nangrymob = {value}\n", encoding="utf-8")
    done = run(third_party, "from lanista.cli.games import games\ngames.main([])\n")
    assert (0, "") == (done.returncode, done.stderr)
    why = "a game of this name comes with Lanista; give it another name"
    assert f"\nangrymob  the game 'angrymob' ({value}) can't be used: {why}\n" in done.stdout
    assert 1 == done.stdout.count("angrymob  Angry Mob, 2 players\n")


def test_two_packages_with_a_game_of_one_name_are_told(third_party):
    """Which of the two is meant can't be known."""
    other = third_party / "other_game-2.0.dist-info"
    shutil.copytree(third_party / "counting_game-1.0.dist-info", other)
    metadata = "Metadata-Version: 2.1\nName: other-game\nVersion: 2.0\n"
    (other / "METADATA").write_text(metadata, encoding="utf-8")
    done = run(
        third_party,
        "from lanista.games import registry\n"
        "try:\n"
        "    registry.get('counting')\n"
        "except registry.UnknownGameError as error:\n"
        "    print(error)\n",
    )
    packages = "counting-game, other-game; keep one of them"
    assert f"several packages have a game 'counting': {packages}\n" == done.stdout
