"""The maps that come with the arena, by game and name: texts, for a ruleset to read.

A map is a file `GAME/NAME.map` beside this module and is called by its name. No rules live
here and nothing is imported but the standard library: whether a text is a good map, only its
ruleset can tell.
"""

from importlib.resources import files

_SUFFIX = ".map"


class UnknownMapError(KeyError):
    """No map of this game has this name; the message lists those there are."""

    def __str__(self) -> str:
        """The message as it is: a `KeyError` would quote it."""
        return str(self.args[0])


def names(game: str) -> tuple[str, ...]:
    """The names of a game's maps, sorted; none for a game without maps."""
    # By comparison with what is there, so that no name of a game ever becomes a path.
    for folder in files(__name__).iterdir():
        if folder.name == game and folder.is_dir():
            found = [entry.name for entry in folder.iterdir() if entry.name.endswith(_SUFFIX)]
            return tuple(sorted(name.removesuffix(_SUFFIX) for name in found))
    return ()


def read(game: str, name: str) -> str:
    """The text of a map, as its game's `read_board` takes it.

    Raises:
        UnknownMapError: The game has no map of this name.
    """
    known = names(game)
    if name not in known:
        listed = f"known maps: {', '.join(known)}" if known else "it has no maps"
        raise UnknownMapError(f"unknown map {name!r} of {game!r}; {listed}")
    return (files(__name__) / game / f"{name}{_SUFFIX}").read_text(encoding="utf-8")
