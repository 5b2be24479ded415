"""The client's folder, copied beside a bot, is all that the bot needs; so are the starters."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lanista_client
from client.scripted_arena import (
    FORFEIT,
    START,
    TURN_0,
    TURN_1,
    WELCOME,
    Hears,
    Says,
    ScriptedArena,
)

CLIENT = Path(lanista_client.__file__).parent
PYTHON = CLIENT.parent
STARTERS = sorted((PYTHON / "starters").glob("*.py"))


@pytest.fixture
def folder(tmp_path):
    """An empty folder with a copy of the client."""
    shutil.copytree(CLIENT, tmp_path / "lanista_client", ignore=shutil.ignore_patterns("__pyc*"))
    return tmp_path


def run(folder, script, *conversation, **variables):
    """Run a script with nothing but the standard library and what lies beside it."""
    with ScriptedArena(*conversation) as scripted:
        return subprocess.run(
            [sys.executable, "-S", "-B", "-W", "error", script],
            env={"LANISTA_PORT": str(scripted.port), **variables},
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=60,
        )


def test_a_copy_needs_the_standard_library_alone(folder):
    (folder / "bot.py").write_text(
        "import sys\n"
        "from lanista_client import Arena\n"
        "with Arena('A', game='angrymob') as arena:\n"
        "    for state in arena:\n"
        "        arena.send([(i, j, n, 1) for (i, j), n in state.mine.items()])\n"
        "print(arena.result)\n"
        "print(*{name.partition('.')[0] for name in sys.modules})\n"
    )
    done = run(
        *(folder, "bot.py"),
        Hears(b"A v=1 game=angrymob\n"),
        Says(WELCOME + START + TURN_0),
        Hears(b"2 1 1 1\n"),
        Says(TURN_1),
        Hears(b"1 1 2 1\n"),
        Says(FORFEIT + b"bye\n"),
    )
    assert ("", 0) == (done.stderr, done.returncode)
    result, modules = done.stdout.splitlines()
    assert "Result(end='forfeit', ranks=(1, 2), scores=(2, 2))" == result
    allowed = sys.stdlib_module_names | {"lanista_client", "__main__"}
    assert set() == set(modules.split()) - allowed
    assert not {"typing", "dataclasses", "asyncio"} & set(modules.split()), "slow to import"


def test_the_copy_is_typed(folder):
    """PEP 561."""
    assert (folder / "lanista_client" / "py.typed").is_file()


@pytest.mark.parametrize("starter", STARTERS, ids=lambda path: path.stem)
def test_a_starter_is_short(starter):
    """The simplest game's fits a screen; those with four players have more to think of."""
    assert len(starter.read_text().splitlines()) < (31 if starter.stem == "angrymob" else 70)


def test_a_starter_plays_and_draws(folder):
    """It fetches the neutral unit above its base, (1, 1), then the next nearest, at (1, 2).

    Whole matches of all starters: languages/test_clients.py.
    """
    shutil.copy(PYTHON / "starters" / "angrymob.py", folder)
    done = run(
        *(folder, "angrymob.py"),
        Hears(b"Starter v=1 game=angrymob\n"),
        Says(WELCOME + START + TURN_0),
        Hears(b"#@ value cells 1\n2 1 1 1\n"),
        Says(TURN_1),
        Hears(b"#@ value cells 1\n1 1 2 0\n"),
        Says(FORFEIT + b"bye\n"),
    )
    assert ("", 0) == (done.stderr, done.returncode)
    assert "Result(end='forfeit', ranks=(1, 2), scores=(2, 2))\n" == done.stdout


@given(st.permutations([1, 9, 2, 4, 4, 4, 5, 5, 2, 3, 3, 6, 1, 5, 6]))
def test_the_solver_of_the_hogwarts_starter(ingredients):
    """rules/hogwarts.md 9.2: five groups of three with equal sums, in any order of the fifteen."""
    source = (PYTHON / "starters" / "hogwarts.py").read_text()
    names = {}
    exec(source[: source.index("\nwith Arena")], names)
    groups = names["solve"](tuple(ingredients), {})
    assert [3] * 5 == [groups.count(group) for group in range(5)]
    sums = [0] * 5
    for group, ingredient in zip(groups, ingredients, strict=True):
        sums[group] += ingredient
    assert [12] * 5 == sums


@pytest.mark.parametrize("starter", STARTERS, ids=lambda path: path.stem)
def test_a_starter_takes_the_name_it_is_given(folder, starter):
    shutil.copy(starter, folder)
    hello = b"Ann v=1 game=%s\n" % starter.stem.encode()
    refused = Says(b"error bad-token no\n")
    done = run(folder, starter.name, Hears(hello), refused, LANISTA_NAME="Ann")
    assert "bad-token: no\n" == done.stderr


def test_the_first_example_of_the_readme_plays(folder):
    """What a reader copies works as it stands; the arena sees its legal first move."""
    example = re.search(r"```python\n(.*?)```", (PYTHON / "README.md").read_text(), re.DOTALL)
    (folder / "bot.py").write_text(example[1])
    done = run(
        *(folder, "bot.py"),
        Hears(b"MyBot v=1 game=angrymob\n"),
        Says(WELCOME + START + TURN_0),
        Hears(b"2 1 1 0\n"),
        Says(FORFEIT + b"bye\n"),
    )
    assert ("", 0) == (done.stderr, done.returncode)
