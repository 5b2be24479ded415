"""Rulesets by name, from entry points of any installed distribution."""

import os
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


def test_names_are_listed_without_loading_a_ruleset(third_party):
    """A package whose ruleset can't be imported breaks only itself."""
    points = third_party / "counting_game-1.0.dist-info" / "entry_points.txt"
    points.write_text("[lanista.rulesets]\ncounting = no_such_module:RULESET\n", encoding="utf-8")
    done = run(
        third_party,
        "import sys\n"
        "from lanista.games import registry\n"
        "print('counting' in registry.names(), 'lanista.games.angrymob' in sys.modules)\n"
        "print(registry.get('angrymob').title)\n",
    )
    assert (0, "") == (done.returncode, done.stderr)
    assert done.stdout == "True False\nAngry Mob\n"
