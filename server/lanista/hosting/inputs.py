"""Checking what is given for a match, by a command's options or by a program: seed, map, settings.

An error is a `BadInputError` whose message is one line about what was given.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lanista.errors import BadInputError
from lanista.games.base import BadBoardError, Ruleset, complete_settings
from lanista.hosting.ids import fresh_seed
from lanista.hosting.names import configuration_of

RECORDS = Path("lanista-records")
"""The folder for records, unless another is given."""


def checked_seed(ruleset: Ruleset, seed: int | None) -> int:
    """Return the seed, or a new one if it is None.

    Raises:
        BadInputError: The seed is outside the ruleset's range.
    """
    if seed is None:
        return fresh_seed(ruleset)
    low, high = ruleset.seeds
    if not low <= seed <= high:
        raise BadInputError(f"seed {seed}; a seed of {ruleset.name} is from {low} to {high}")
    return seed


def checked_setup(
    ruleset: Ruleset, map_: str | None, given: Mapping[str, int], folder: Path | None = None
) -> tuple[dict[str, int], Any]:
    """Return all settings, and the board if there is one.

    Args:
        ruleset: The game.
        map_: A map file, a configuration of an original game, or a shipped map's name; None to
            have the seed make the map.
        given: The settings that override a configuration's.
        folder: The folder that a file is relative to; None for the current one.

    Returns:
        The settings; and the board, which is None if the seed makes it.

    Raises:
        BadInputError: The map or a setting can't be used.
    """
    from_file, board = ({}, None) if map_ is None else configuration_of(ruleset, map_, folder)
    settings = complete_settings(ruleset, {**from_file, **given})
    if board is not None:
        try:
            ruleset.new(settings, board, ruleset.chance(ruleset.seeds[0]))
        except BadBoardError as error:
            raise BadInputError(f"{map_}: {error}") from None
    return settings, board


def record_name(game: str, seed: int, match: str) -> str:
    """Return the name of a match's record in a folder of records."""
    return f"{game}-{seed}-{match}.jsonl.gz"
