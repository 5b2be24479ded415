"""The maps that come with the arena, by game and name: texts, for a ruleset to read.

A map is a file `GAME/NAME.map` beside this module, or `GAME/NAME.cnf` for a whole configuration
of an original game; it is called by its name. No rules live here and nothing is imported but the
standard library: whether a text is a good map, only its ruleset can tell.
"""

from importlib.resources import files
from importlib.resources.abc import Traversable

SUFFIXES = (".map", ".cnf")


class UnknownMapError(KeyError):
    """No map of this game has this name; the message lists those there are."""

    def __str__(self) -> str:
        """The message as it is: a `KeyError` would quote it."""
        return str(self.args[0])


def _files(game: str) -> dict[str, Traversable]:
    """The files of a game by the names of their maps."""
    # By comparison with what is there, so that no name of a game ever becomes a path.
    return {
        entry.name.rpartition(".")[0]: entry
        for folder in files(__name__).iterdir()
        if folder.name == game and folder.is_dir()
        for entry in sorted(folder.iterdir(), key=lambda entry: entry.name)
        if entry.name.endswith(SUFFIXES)
    }


def names(game: str) -> tuple[str, ...]:
    """The names of a game's maps, sorted; none for a game without maps."""
    return tuple(sorted(_files(game)))


def file_name(game: str, name: str) -> str:
    """A map's name with its ending, which tells whether it is a map or a configuration.

    Raises:
        UnknownMapError: The game has no map of this name.
    """
    return _found(game, name).name


def read(game: str, name: str) -> str:
    """The text of a map.

    Raises:
        UnknownMapError: The game has no map of this name.
    """
    return _found(game, name).read_text(encoding="utf-8")


def _found(game: str, name: str) -> Traversable:
    known = _files(game)
    if name not in known:
        listed = f"known maps: {', '.join(sorted(known))}" if known else "it has no maps"
        raise UnknownMapError(f"unknown map {name!r} of {game!r}; {listed}")
    return known[name]
