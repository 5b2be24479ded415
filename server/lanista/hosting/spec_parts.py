"""The parts that specs of tournaments and of arenas share: sandbox, maps, settings, examples."""

import enum
from collections.abc import Mapping, Sequence
from pathlib import Path

import lanista_maps
from lanista.errors import BadInputError
from lanista.games.base import BadSettingError, Ruleset
from lanista.hosting.inputs import checked_setup, map_name
from lanista.toml_spec import SpecError, quoted


class SandboxName(enum.StrEnum):
    """The sandbox in which bots run."""

    NONE = "none"
    BWRAP = "bwrap"


def configurations(
    ruleset: Ruleset, maps: Sequence[str], settings: Mapping[str, int], folder: Path
) -> tuple[dict[str, dict[str, int]], dict[str, str]]:
    """Read the maps of a spec: names, files, or texts of map files; without any, seeds make them.

    The settings override those of a map's file. Files are relative to the folder. Returns all
    settings by map (`map_name`), in the order of `maps`; and by map the board, as the ruleset
    writes it, unless the seed makes it. Without maps, the only map's name is empty.

    Raises:
        SpecError: A map or a setting doesn't exist or doesn't fit; the message begins with its key.
    """
    completed: dict[str, dict[str, int]] = {}
    boards: dict[str, str] = {}
    for number, text in enumerate(maps or (None,), 1):
        if text is not None and not text.strip():
            raise SpecError(f"maps[{number}]: {text!a}; expected the file or the name of a map")
        map_ = "" if text is None else map_name(text)
        if map_ in completed:
            raise SpecError(f"maps[{number}]: {map_} is listed twice; list each map once")
        try:
            completed[map_], board = checked_setup(ruleset, text, settings, folder)
        except BadSettingError as error:
            raise SpecError(f"settings: {error}") from None
        except BadInputError as error:
            raise SpecError(f"maps[{number}]: {error}") from None
        if board is not None:
            boards[map_] = ruleset.write_board(board)
        content = (boards.get(map_), completed[map_])
        for other in list(completed)[:-1]:
            if map_ and (boards.get(other), completed[other]) == content:
                raise SpecError(f"maps[{number}]: {map_} is the same map as {other}; leave one out")
    return completed, boards


def example_of(ruleset: Ruleset) -> dict[str, str]:
    """Return what the example of a spec says of a game: its name, title, maps and settings."""
    maps = list(lanista_maps.names(ruleset.name))[:2]
    return {
        "game": ruleset.name,
        "title": ruleset.title,
        "maps": ", ".join(map(quoted, maps)) or '"my.map"',
        "settings": "\n".join(
            f"# {setting.name} = {setting.default}  # {setting.help}"
            for setting in ruleset.settings
        ),
    }
