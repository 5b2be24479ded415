"""Writing matches to files: PNG and GIF pictures, and any file that is made in parts.

The sources are records, and match files (.res) of the original games.
"""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from lanista.errors import BadInputError, FileError
from lanista.games import registry
from lanista.games.base import FormatError
from lanista.games.picture import Scene
from lanista.match.record import BadRecordError
from lanista.match.replay import MismatchError, positions, read_with_rules
from lanista.page.image import BadSizeError, Painter, Shot, gif, png
from lanista.page.replay_reader import is_record, shown_of

GIF_DELAY = 200
"""How long a moving picture shows each round by default, in milliseconds."""


def _shots_of(file: str | Path, tile: int | None) -> tuple[Painter, str, Iterator[Shot]]:
    """Return what draws a match with tiles of a size, its word for a round, and its positions.

    These are at the start and after each round of a record, or of a match file (.res) of an
    original game; they may raise `BadInputError`.

    Raises:
        LanistaError: The file is neither, or can't be read, or would be drawn too large.
    """
    path = Path(file)
    scene, title, names, shots = _of_record(path) if is_record(path) else _of_res(path)
    try:
        return Painter(scene, title, names, tile), scene.turn_word, shots
    except BadSizeError as error:
        where = file if tile is None else f"size {tile}"
        raise BadInputError(f"{where}: {error}") from None


def _of_record(file: Path) -> tuple[Scene, str, Sequence[str], Iterator[Shot]]:
    def shots() -> Iterator[Shot]:
        try:
            for number, game in enumerate(itertools.chain([first], games)):
                yield Shot(number, game.frame(), game.scores())
        except MismatchError as error:
            raise BadInputError(f"{file}: the record doesn't fit the rules: {error}") from None
        except BadRecordError as error:
            raise BadInputError(f"{file}: {error}") from None

    record, ruleset = read_with_rules(file)
    games = positions(record, ruleset)
    first = next(games)
    names = [player.name for player in record.header.players]
    return first.scene(), ruleset.title, names, shots()


def _of_res(file: Path) -> tuple[Scene, str, Sequence[str], Iterator[Shot]]:
    def shots() -> Iterator[Shot]:
        try:
            for number, (frame, scores) in enumerate(shown.frames):
                yield Shot(number, frame, scores)
        except FormatError as error:
            raise BadInputError(f"{file}: {error}") from None

    try:
        shown = shown_of(file)
    except FormatError as error:
        raise BadInputError(f"{file}: not a record, and {error}") from None
    return shown.scene, registry.get(shown.game).title, shown.names, shots()


def as_png(file: str | Path, round_: int | None, tile: int | None) -> tuple[int, bytes]:
    """Draw the position after some rounds, None for all; return the number of the round, and a PNG.

    `tile` is the side of a cell in pixels; None: as many as fit.

    Raises:
        LanistaError: The file can't be read, or there is no such round or picture of that size.
    """
    painter, word, shots = _shots_of(file, tile)
    shot = next(shots)  # the start
    while shot.number != round_ and (later := next(shots, None)) is not None:
        shot = later
    if round_ is not None and shot.number < round_:
        raise BadInputError(f"{file}: no {word} {round_}; the last one is {shot.number}")
    return shot.number, png(painter.draw(shot))


def as_gif(
    file: str | Path, first: int, last: int | None, delay: int, tile: int | None
) -> Iterator[bytes]:
    """Yield a moving picture of a match as GIF, in parts as they are drawn.

    Each round from the first one, 0 being the start, to the last one, None that of the match, is
    shown for `delay` milliseconds; `tile` is as in `as_png`.

    Raises:
        LanistaError: The file can't be read, or there is no such round or picture of that size.
    """
    painter, word, shots = _shots_of(file, tile)

    def wanted() -> Iterator[Shot]:
        number = 0
        for shot in shots:
            number = shot.number
            if number >= first:
                yield shot
            if number == last:
                return
        missing = first if number < first else last
        if missing is not None and number < missing:
            raise BadInputError(f"{file}: no {word} {missing}; the last one is {number}")

    return gif((painter.draw(shot) for shot in wanted()), delay)


def picture(file: Path, first: int, last: int | None) -> bytes:
    """Return a picture of a record's round as PNG, or of those from it to `last` as GIF.

    Raises:
        LanistaError: As by `as_png` and `as_gif`.
    """
    if last is None:
        return as_png(file, first, None)[1]
    return b"".join(as_gif(file, first, last, GIF_DELAY, None))


def write(sources: Iterable[str | Path], output: Path, parts: Iterable[bytes]) -> int:
    """Write a file in parts and return its size in bytes; an unfinished file is removed.

    Raises:
        LanistaError: It can't be written, or is one of the `sources` that the parts are made from.
    """
    rest = iter(parts)
    first = next(rest)  # fails here, before anything is overwritten, if a source can't be read
    try:
        if output.exists() and any(output.samefile(source) for source in sources):
            raise BadInputError(f"{output} is the file to read; give another name")
        with output.open("wb") as file:
            try:
                return file.write(first) + sum(file.write(part) for part in rest)
            except BaseException:
                if output.is_file():
                    output.unlink()
                raise
    except OSError as error:
        raise FileError.of("can't write", output, error) from None
