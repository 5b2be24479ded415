"""Python: the client that the others are held against. Its own tests are tests/client."""

import sys

from languages.language import CLIENTS, EMPTY_BOTS, Language


def build(folder):
    """Nothing to build."""
    starters = CLIENTS / "python" / "starters"
    bots = {game: starters / f"{game}.py" for game in ("angrymob", "hogwarts", "crematoria")}
    bots["empty"] = EMPTY_BOTS / "empty.py"
    return {name: [sys.executable, "-P", path] for name, path in bots.items()}


LANGUAGE = Language(
    name="python",
    programs=(),
    package="python3",
    build=build,
    own_tests=lambda _folder: [],
)
