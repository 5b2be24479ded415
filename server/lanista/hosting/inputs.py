"""Checking what is given for a match, by options, by a program or by a spec: seed, map, settings.

An error is a `BadInputError` whose message is one line about what was given.
"""

import enum
import hashlib
import os
import secrets
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lanista.errors import BadInputError, SpecError, did_you_mean
from lanista.games.base import BadSettingError, FormatError, Ruleset, check_seed, complete_settings
from lanista.games.conformance import require_board
from lanista.hosting.names import is_file

RECORDS = Path("lanista-records")
"""The folder for records, unless another is given."""


MAX_MAP = 4 * 1024 * 1024
"""Maximum number of characters of a map or configuration file; the largest map has 300,000."""

Map = str | os.PathLike[str]
"""A map as users give it: the name of a shipped map, a path, or the text of a map file or of a
configuration of an original game, which is known by its line breaks."""


class SandboxName(enum.StrEnum):
    """The sandbox in which bots run."""

    NONE = "none"
    BWRAP = "bwrap"


def fresh_seed(ruleset: Ruleset) -> int:
    """Return a random seed from the ruleset's whole range, so that it can't be guessed."""
    low, high = ruleset.seeds
    return low + secrets.randbelow(high - low + 1)


def checked_seed(ruleset: Ruleset, seed: int | None) -> int:
    """Return the seed, or a new one if it is None; raise BadInputError as `check_seed`."""
    return fresh_seed(ruleset) if seed is None else check_seed(ruleset, seed)


def map_name(map_: Map) -> str:
    """Return what results call a map: as it was given; a text, `text-` and a hash of it."""
    name = os.fspath(map_)
    if "\n" not in name:
        return name
    return f"text-{hashlib.sha256(name.encode(errors='backslashreplace')).hexdigest()[:8]}"


def checked_setup(
    ruleset: Ruleset,
    map_: Map | None,
    given: Mapping[str, int] | None,
    folder: Path | None = None,
) -> tuple[dict[str, int], Any]:
    """Return all settings, and the board, which is None if the seed makes it.

    The map is a board, or a configuration with settings, which the given ones override, and perhaps
    a board; None to have the seed make it. A path is relative to the folder, or to the current one.
    Raises BadInputError if the map or a setting can't be used.
    """
    if map_ is None:
        return complete_settings(ruleset, given), None
    if not isinstance(map_, str | os.PathLike):
        raise BadInputError(
            f"map {map_!r:.200}; expected a shipped map's name, a path, or the text of a map file"
        )
    text = _map_text(ruleset.name, os.fspath(map_), folder)
    try:
        from_file, board = _content(ruleset, text)
        settings = complete_settings(ruleset, given, from_file)
        if board is not None:
            # Tried here, since an arena with several processes has to write it before the match.
            require_board(ruleset.write_board(board))
            ruleset.new(settings, board, ruleset.chance(ruleset.seeds[0]))
    except FormatError as error:
        raise BadInputError(f"{map_name(map_)}: {error}") from None
    except SystemExit as error:  # by a game; it would look like an end of the command's own
        raise RuntimeError(f"{ruleset.name} called sys.exit({error.code!r})") from error
    return settings, board


def _map_text(game: str, map_: str, folder: Path | None) -> str:
    """Return the text of a map, or of a configuration of an original game."""
    import lanista_maps  # noqa: PLC0415 - few matches have a map

    if "\n" in map_:
        return map_.removeprefix("\ufeff")
    path = (folder or Path()) / map_
    if is_file(path):
        try:
            with path.open(encoding="utf-8-sig") as file:
                text = file.read(MAX_MAP + 1)  # limited, since a device or a pipe may be endless
        except (OSError, UnicodeDecodeError) as error:
            why = getattr(error, "strerror", error)
            raise BadInputError(f"{map_}: can't be read as text ({why})") from None
        if len(text) > MAX_MAP:
            raise BadInputError(f"{map_}: more than 4 MiB, which is too much for a map")
        return text
    name = map_.removesuffix(".map").removesuffix(".cnf")
    shipped = lanista_maps.names(game)
    if name in shipped:
        return lanista_maps.read(game, name)
    raise BadInputError(
        f"no map file {map_!r}, and no shipped map of that name; shipped maps of {game}: "
        f"{', '.join(shipped) or 'none'}{did_you_mean(name, shipped)}"
    )


def _content(ruleset: Ruleset, text: str) -> tuple[Mapping[str, int], Any]:
    """Return the settings and the board in a map's text: both, if it is a configuration."""
    from lanista.games.originals import of_game, of_text  # noqa: PLC0415 - as above

    try:
        format_ = of_text(text)
    except FormatError:
        return {}, ruleset.read_board(text)
    originals = of_game(ruleset.name)
    if originals is None or originals.game != format_.game:
        raise FormatError(f"this is a configuration of {format_.game}, not of {ruleset.name}")
    return originals.read_cnf(text)


def configurations(
    ruleset: Ruleset, maps: Sequence[str], settings: Mapping[str, int], folder: Path
) -> tuple[dict[str, dict[str, int]], dict[str, str]]:
    """Read the maps of a spec: names, files, or texts of map files; without any, seeds make them.

    The settings override those of a map's file. Files are relative to the folder. Returns all
    settings by map (`map_name`), in the order of `maps`; and by map the board, as the ruleset
    writes it, unless the seed makes it. Without maps, the only map's name is empty. Raises
    SpecError, whose message begins with the key, if a map or a setting can't be used.
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
    import lanista_maps  # noqa: PLC0415 - as above
    from lanista.toml_spec import quoted  # noqa: PLC0415 - its library isn't needed to play

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


def sandboxed(choice: str) -> bool:
    """Return whether a sandbox is asked for, after checking that one can be made here.

    Raises BadInputError for an unknown choice, and the errors of `check_sandbox`.
    """
    if choice not in ("none", "bwrap"):
        raise BadInputError(f"sandbox {choice!r:.200}; expected 'none' or 'bwrap'")
    if choice == "none":
        return False
    from lanista.bots.sandbox import check_sandbox  # noqa: PLC0415 - few matches have one

    check_sandbox()
    return True


def given_path(what: str, path: object) -> Path:
    """Return a path that a program gave as `what`; raise BadInputError if it is none."""
    if not isinstance(path, str | os.PathLike) or "\0" in os.fspath(path):
        raise BadInputError(f"{what} {path!r:.200}; expected a path")
    return Path(path)


def checked_environment(given: object) -> dict[str, str]:
    """Return the environment variables that were given for a bot, if they can be set."""
    if not isinstance(given, Mapping):
        raise BadInputError(f"environment: {given!r:.200}; expected names and texts")
    for name, value in given.items():
        is_text = isinstance(name, str) and isinstance(value, str)
        if not is_text or not name or "=" in name or "\0" in name + value:
            raise BadInputError(
                f"environment: {name!a:.200} can't be set; the name of a variable has no = and no "
                "NUL character, its value is a text without NUL characters"
            )
    return dict(given)


def check_function(what: str, function: object) -> None:
    """Raise BadInputError if what a program gave as `what` is neither a function nor None."""
    if function is not None and not callable(function):
        raise BadInputError(f"{what} {function!r:.200}; expected a function")


def check_options(given: Iterable[str], known: type) -> None:
    """Raise BadInputError if a program gave an option that a dictionary's type doesn't have."""
    for name in given:
        if name not in known.__annotations__:
            meant = did_you_mean(name, known.__annotations__)
            raise BadInputError(f"unknown option {name[:64]!r}{meant}")


def record_name(game: str, seed: int, match: str) -> str:
    """Return the name of a match's record in a folder of records."""
    return f"{game}-{seed}-{match}.jsonl.gz"
