"""Pictures of records and match files (.res) as PNG and GIF, and writing files part by part."""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from PIL.Image import Image

from lanista.errors import BadInputError, file_errors
from lanista.games import registry
from lanista.games.base import FormatError
from lanista.games.originals import Shown
from lanista.games.picture import Frame
from lanista.match.record import BadRecordError
from lanista.match.replay import MismatchError, positions, read_with_rules
from lanista.page.image import Painter, gif, png
from lanista.page.replay_reader import is_record, shown_of
from lanista.system import write_output

GIF_DELAY = 200
"""How long a moving picture shows each round by default, in milliseconds."""


def _painted(
    file: str | Path, tile: int | None
) -> tuple[Painter, str, Iterator[tuple[Frame, Sequence[int]]]]:
    """Return what draws a match, its word for a round, and each round's frame with the scores."""
    path = Path(file)

    def frames() -> Iterator[tuple[Frame, Sequence[int]]]:
        try:
            yield from shown.frames
        except MismatchError as error:
            raise BadInputError(f"{file}: the record doesn't fit the rules: {error}") from None
        except (BadRecordError, FormatError) as error:
            raise BadInputError(f"{file}: {error}") from None

    try:
        shown = _of_record(path) if is_record(path) else shown_of(path)
    except FormatError as error:
        raise BadInputError(f"{file}: not a record, and {error}") from None
    try:
        painter = Painter(shown.scene, registry.get(shown.game).title, shown.names, tile)
    except BadInputError as error:
        where = file if tile is None else f"size {tile}"
        raise BadInputError(f"{where}: {error}") from None
    return painter, shown.scene.turn_word, frames()


def _of_record(path: Path) -> Shown:
    record, ruleset = read_with_rules(path)
    games = positions(record, ruleset)
    try:
        first = next(games)
    except BadRecordError as error:  # of another version, say
        raise BadInputError(f"{path}: {error}") from None
    header = record.header
    return Shown(
        game=header.game,
        seed=header.seed,
        settings=header.settings,
        names=tuple(player.name for player in header.players),
        scene=first.scene(),
        frames=((game.frame(), game.scores()) for game in itertools.chain([first], games)),
    )


def as_png(file: str | Path, round_: int | None, tile: int | None) -> tuple[int, bytes]:
    """Draw the position after some rounds, None for all; return the number of the round, and a PNG.

    `tile` is the side of a cell in pixels; None: as many as fit.

    Raises:
        LanistaError: The file can't be read, or there is no such round or picture of that size.
    """
    painter, word, frames = _painted(file, tile)
    for frame, scores in frames:  # noqa: B007 - the last counts
        if frame.turn == round_:
            break
    if round_ is not None and frame.turn < round_:
        raise BadInputError(f"{file}: no {word} {round_}; the last one is {frame.turn}")
    return frame.turn, png(painter.draw(frame, scores))


def as_gif(
    file: str | Path, first: int, last: int | None, delay: int, tile: int | None
) -> Iterator[bytes]:
    """Yield a moving picture of a match as GIF, in parts as they are drawn.

    Each round from the first one, 0 being the start, to the last one, None that of the match, is
    shown for `delay` milliseconds; `tile` and errors are as in `as_png`.
    """
    painter, word, frames = _painted(file, tile)

    def images() -> Iterator[Image]:
        for frame, scores in frames:
            if frame.turn >= first:
                yield painter.draw(frame, scores)
            if frame.turn == last:
                return
        missing = first if frame.turn < first else last
        if missing is not None and frame.turn < missing:
            raise BadInputError(f"{file}: no {word} {missing}; the last one is {frame.turn}")

    return gif(images(), delay)


def picture(file: Path, first: int, last: int | None) -> bytes:
    """Return a picture of a record's round as PNG, or of those from it to `last` as GIF."""
    if last is None:
        return as_png(file, first, None)[1]
    return b"".join(as_gif(file, first, last, GIF_DELAY, None))


def write(sources: Iterable[str | Path], output: Path, parts: Iterable[bytes]) -> int:
    """Write a file in parts and return its size; one that is there stays until it is whole.

    Raises:
        LanistaError: It can't be written, or is one of the `sources` that the parts are made from.
    """
    rest = iter(parts)
    first = next(rest)  # fails here, before anything is overwritten, if a source can't be read
    with file_errors("can't write", output):
        if output.exists() and any(output.samefile(source) for source in sources):
            raise BadInputError(f"{output} is the file to read; give another name")
        return write_output(output, itertools.chain([first], rest))
