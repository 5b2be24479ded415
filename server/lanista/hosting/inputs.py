"""Checking what is given for a match, by a command's options or by a program: seed, map, settings.

An error is a `BadInputError` whose message is one line about what was given.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lanista.errors import BadInputError
from lanista.games.base import BadBoardError, Ruleset, complete_settings
from lanista.hosting.names import Map, configuration_of, map_name

RECORDS = Path("lanista-records")
"""The folder for records, unless another is given."""


def checked_setup(
    ruleset: Ruleset,
    map_: Map | None,
    given: Mapping[str, int] | None,
    folder: Path | None = None,
) -> tuple[dict[str, int], Any]:
    """Return all settings, and the board if there is one.

    Args:
        ruleset: The game.
        map_: A shipped map's name, a path, or the text of a map file or of a configuration of an
            original game; None to have the seed make the map.
        given: The settings that override a configuration's; None is none.
        folder: The folder that a path is relative to; None for the current one.

    Returns:
        The settings; and the board, which is None if the seed makes it.

    Raises:
        BadInputError: The map or a setting can't be used.
    """
    if map_ is None:
        return complete_settings(ruleset, given), None
    from_file, board = configuration_of(ruleset, map_, folder)
    settings = complete_settings(ruleset, given, from_file)
    if board is not None:
        try:
            ruleset.new(settings, board, ruleset.chance(ruleset.seeds[0]))
        except BadBoardError as error:
            raise BadInputError(f"{map_name(map_)}: {error}") from None
    return settings, board


def sandboxed(choice: str) -> bool:
    """Return whether a sandbox is asked for, after checking that one can be made here.

    Raises:
        BadInputError: The choice is unknown.
        SandboxError: No sandbox can be made on this machine.
    """
    if choice not in ("none", "bwrap"):
        raise BadInputError(f"sandbox {choice!r:.200}; expected 'none' or 'bwrap'")
    if choice == "none":
        return False
    from lanista.bots.sandbox import check_sandbox  # noqa: PLC0415 - few matches have one

    check_sandbox()
    return True


def given_path(what: str, path: object) -> Path:
    """Return a path that a program gave.

    Raises:
        BadInputError: It is none; the message begins with `what`.
    """
    if not isinstance(path, str | os.PathLike) or "\0" in os.fspath(path):
        raise BadInputError(f"{what} {path!r:.200}; expected a path")
    return Path(path)


def check_function(what: str, function: object) -> None:
    """Check that a function is what a program gave, or None.

    Raises:
        BadInputError: It is something else; the message begins with `what`.
    """
    if function is not None and not callable(function):
        raise BadInputError(f"{what} {function!r:.200}; expected a function")


def record_name(game: str, seed: int, match: str) -> str:
    """Return the name of a match's record in a folder of records."""
    return f"{game}-{seed}-{match}.jsonl.gz"
