"""Python: the client that the others are held against. Its own tests are tests/client."""

import sys

from languages.language import CLIENTS, EMPTY_BOTS, GAMES, Language

PYTHON = (sys.executable, "-P")


def commands(_folder):
    """The starters: there is nothing to build."""
    starters = CLIENTS / "python" / "starters"
    return {game: [*PYTHON, starters / f"{game}.py"] for game in GAMES}


def build_empty(_folder):
    """The empty bot."""
    return [*PYTHON, EMPTY_BOTS / "empty.py"]


LANGUAGE = Language(
    name="python",
    programs=(),
    package="python3",
    commands=commands,
    build_empty=build_empty,
    own_tests=lambda _built, _folder: [],
)
