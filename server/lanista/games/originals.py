"""The games that have files of an original program, and what can be done with these files.

Files are read strictly and written byte for byte. The functions are the same for every game, so no
command needs to know a game's name. No sockets and no paths: text in, text out.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import attrs

from lanista.games import registry
from lanista.games.base import Game, Verdict
from lanista.games.original_tokens import FormatError
from lanista.games.picture import Frame, Scene

MAX_NAME = 12
"""The number of characters of a player's name that an original program accepts."""

Status = Callable[[int], Sequence[float]]
"""A function that returns the players' status in a round, by seat: 0, or -1 if it is out."""


@attrs.frozen(kw_only=True)
class Explanation:
    """The number of rounds of a match file that the rules explain, and the problem after them."""

    rounds: int
    """The number of rounds explained, from the first one on."""
    of: int
    """The number of rounds of the file."""
    rules: str
    """The rules by which it was explained: `original` or `text`."""
    problem: str | None
    """What the rules don't allow in the next round; None: every round is explained."""


@attrs.frozen(kw_only=True)
class Shown:
    """A match file for viewers: the file's own positions, with nothing played again."""

    game: str
    seed: int
    settings: Mapping[str, int]
    """The settings in the file, which has none of those that only Lanista knows."""
    names: tuple[str, ...]
    """The players' names, by seat."""
    scene: Scene
    """The scene, as a game's; for a judge's file, `time` is the last one of `stats`."""
    frames: Iterator[tuple[Frame, tuple[int, ...]]]
    """The frame and the scores by seat of each round, from the start on; can be read once."""


@attrs.frozen(kw_only=True)
class Originals:
    """The functions for the files of one game's original program."""

    game: str
    title: tuple[str, ...]
    """The words by which the files name the game."""
    rules: tuple[str, ...]
    """The rules by which a match file can be explained, the original program's first."""
    read_cnf: Callable[[str], tuple[Mapping[str, int], Any]]
    """Reads a configuration into its settings and board; None: the seed makes the board."""
    write_cnf: Callable[[Mapping[str, int], Any], str]
    """Writes a configuration from settings and a board, or None."""
    write: Callable[[Game, Iterable[Sequence[Verdict]], int, Sequence[str], Status], Iterator[str]]
    """Plays a game from its start through these turns, and yields the parts of its match file.

    Takes the game, its turns, the seed, the players' names and their status by round.
    """
    explain: Callable[[str, str], Explanation]
    """Explains a match file's text by some rules; FormatError if it isn't a match file."""
    replay: Callable[[str, str], Iterator[str]]
    """Plays an orders file with the seed of a match file, and yields the resulting match file."""
    show: Callable[[str], Shown]
    """Makes of a match file's text what viewers draw; FormatError if it isn't a match file."""


def seat_seeds(seed: int, seats: int) -> tuple[int, ...]:
    """Return the seeds that an original program gives its players' generators, by seat.

    Whoever knows one knows the match's seed, so only matches between one's own bots use them.
    """
    return tuple((seed + seat + 1) % 2**31 for seat in range(seats))


def with_times(
    scene: Scene,
    frames: Iterable[tuple[Frame, tuple[int, ...]]],
    statuses: Iterable[Sequence[float]],
) -> tuple[Scene, Iterator[tuple[Frame, tuple[int, ...]]]]:
    """Add the share of its time that each player used to the stats; only a judge's file has it."""

    def timed() -> Iterator[tuple[Frame, tuple[int, ...]]]:
        for (frame, scores), shares in zip(frames, statuses, strict=True):
            stats = tuple(
                (*of_seat, "out" if share < 0 else f"{share:.0%}")
                for of_seat, share in zip(frame.stats, shares, strict=True)
            )
            yield attrs.evolve(frame, stats=stats), scores

    return attrs.evolve(scene, stats=(*scene.stats, "time")), timed()


def of_game(game: str) -> Originals | None:
    """Return the functions for a game's original files; None if there are none."""
    module = registry.part(game, "originals")
    originals: Originals | None = None if module is None else module.ORIGINALS
    return originals


def of_text(text: str) -> Originals:
    """Return the functions for the game that a configuration or match file names.

    Raises:
        FormatError: The text names no known game.
    """
    words = text.split(None, 8)[:8]
    known = [originals for game in registry.ours() if (originals := of_game(game)) is not None]
    for originals in known:
        title = list(originals.title)
        if any(words[index : index + len(title)] == title for index in range(len(words))):
            return originals
    titles = " or ".join(f"`{' '.join(originals.title)}`" for originals in known)
    raise FormatError(f"not a file of an original game: expected {titles} near its beginning", 1)


def printable_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return names as a match file can hold them: at most 12 characters of `[!-~]`, else `_`."""
    return tuple(
        "".join(char if "!" <= char <= "~" else "_" for char in name)[:MAX_NAME] for name in names
    )
