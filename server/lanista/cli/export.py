"""Functions that write matches to other files, for the commands that share them.

The files are match files of the original games, PNG and GIF pictures; `lanista replay html` and
`lanista explain` use the functions that read and write files.
"""

import gzip
import io
import itertools
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import click

from lanista.cli import BadInputError

if TYPE_CHECKING:
    from lanista.match.record import Record
    from lanista.playback.image import Painter, Shot
    from lanista.rules.base import Ruleset
    from lanista.rules.picture import Scene

MAX_FILE = 64 * 1024 * 1024
"""Largest match file in bytes; the original games' have about one million."""
OUT = -1
"""The status, in a match file, of a player who is out."""


def as_res(record: "Record", ruleset: "Ruleset") -> Iterator[str]:
    """Yield a record as its original game's match file, in parts.

    Raises:
        BadInputError: The game has no match files, or the record contradicts the rules.
    """
    from lanista.formats.originals import of_game, printable_names
    from lanista.match.record import BadRecordError
    from lanista.match.replay import MismatchError, start, turns

    originals = of_game(ruleset.name)
    if originals is None:
        raise BadInputError(f"{ruleset.title} has no match files (.res); its matches are records")
    if "text" in originals.rules and not record.header.settings.get("original"):
        click.echo(
            f"note: this match follows the rules text; the original {ruleset.title} "
            "can't explain its spells and battles (--set original=1 plays by its rules)",
            err=True,
        )
    try:
        game = start(record, ruleset)
        yield from originals.write(
            game,
            turns(record, game),
            record.header.seed,
            printable_names([player.name for player in record.header.players]),
            lambda round_: _status(record, round_),
        )
    except (MismatchError, BadRecordError) as error:
        raise BadInputError(f"the record doesn't fit the rules: {error}") from None


def _status(record: "Record", round_: int) -> Sequence[float]:
    """Return each seat's status in a round: 0, or `OUT` if it gives no more orders."""
    if round_ < len(record.turns):
        return [OUT if verdict == "out" else 0 for verdict in record.turns[round_].verdicts]
    if not record.turns:
        return [0] * len(record.header.players)
    last = record.turns[-1]
    return [
        OUT if verdict == "out" or (verdict == "missing" and not last.was_absent(seat)) else 0
        for seat, verdict in enumerate(last.verdicts)
    ]


@attrs.frozen
class Shots:
    """A match as a series of positions to be drawn."""

    scene: "Scene"
    title: str
    """The game's title."""
    names: Sequence[str]
    """The bots' names, by seat."""
    shots: "Iterator[Shot]"
    """The position at the start and after each round; can be iterated once.

    Raises:
        BadInputError: The file contradicts the rules.
    """


def shots_of(file: str) -> Shots:
    """Return the positions of a record, or of a match file (.res) of an original game.

    Raises:
        BadInputError: The file is neither, or can't be read.
    """
    data = read_unpacked(file)
    return _of_record(file) if data.startswith(b"{") else _of_res(file, data)


def read_unpacked(file: str) -> bytes:
    """Read a file, and decompress it if it is gzip; return its content.

    Of a record longer than `MAX_FILE`, which is read elsewhere, only the start is returned.

    Raises:
        BadInputError: It can't be read, or is longer than any match file.
    """
    try:
        with Path(file).open("rb") as plain:
            data = plain.read(MAX_FILE + 1)
        if data.startswith(b"\x1f\x8b"):
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
                data = packed.read(MAX_FILE + 1)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise BadInputError(f"{file}: damaged gzip data ({error})") from None
    except OSError as error:
        raise BadInputError(f"can't read {file}: {error.strerror or error}") from None
    if len(data) > MAX_FILE and not data.startswith(b"{"):
        raise BadInputError(f"{file}: longer than 64 MiB, as no match file is")
    return data


def _of_record(file: str) -> Shots:
    from lanista.match.record import BadRecordError, read_record
    from lanista.match.replay import MismatchError, positions
    from lanista.playback.image import Shot
    from lanista.rules import registry

    def shots() -> "Iterator[Shot]":
        try:
            for number, game in enumerate(itertools.chain([first], games)):
                yield Shot(number, game.frame(), game.scores())
        except MismatchError as error:
            raise BadInputError(f"{file}: the record doesn't fit the rules: {error}") from None
        except BadRecordError as error:
            raise BadInputError(f"{file}: {error}") from None

    try:
        record = read_record(Path(file))
        ruleset = registry.get(record.header.game)
        games = positions(record, ruleset)
        first = next(games)
    except BadRecordError as error:
        raise BadInputError(str(error)) from None
    except registry.UnknownGameError as error:
        raise BadInputError(f"{file}: {error}") from None
    names = [player.name for player in record.header.players]
    return Shots(first.scene(), ruleset.title, names, shots())


def _of_res(file: str, data: bytes) -> Shots:
    from lanista.formats.originals import of_text
    from lanista.formats.tokens import FormatError
    from lanista.playback.image import Shot
    from lanista.rules import registry

    def shots() -> "Iterator[Shot]":
        try:
            for number, (frame, scores) in enumerate(shown.frames):
                yield Shot(number, frame, scores)
        except FormatError as error:
            raise BadInputError(f"{file}: {error}") from None

    try:
        text = data.decode("utf-8-sig", "replace")
        shown = of_text(text).show(text)
    except FormatError as error:
        raise BadInputError(f"{file}: not a record, and {error}") from None
    return Shots(shown.scene, registry.get(shown.game).title, shown.names, shots())


def as_png(file: str, round_: int | None, tile: int | None) -> tuple[int, bytes]:
    """Draw the position after some rounds as PNG.

    Args:
        file: A record or match file.
        round_: The number of rounds; None: all of the match.
        tile: Pixels of a cell's side; None: as many as fit.

    Returns:
        The number of the round, and the picture.

    Raises:
        BadInputError: The file can't be read, or there is no such round or picture of that size.
    """
    from lanista.playback.image import png

    shots = shots_of(file)
    painter = _painter(shots, tile)
    shot = None
    for shot in shots.shots:
        if shot.number == round_:
            break
    assert shot is not None  # at least the start exists
    if round_ is not None and shot.number < round_:
        raise BadInputError(f"{file}: no round {round_}; the last one is {shot.number}")
    return shot.number, png(painter.draw(shot))


def as_gif(
    file: str, first: int, last: int | None, delay: int, tile: int | None
) -> Iterator[bytes]:
    """Yield a moving picture of a match as GIF, in parts as they are drawn.

    Args:
        file: A record or match file.
        first: The first round that is shown; 0 is the start.
        last: The last round that is shown; None: the last of the match.
        delay: How long a round is shown, in milliseconds.
        tile: Pixels of a cell's side; None: as many as fit.

    Raises:
        BadInputError: The file can't be read, or there is no such round or picture of that size.
    """
    from lanista.playback.image import gif

    shots = shots_of(file)
    painter = _painter(shots, tile)

    def wanted() -> "Iterator[Shot]":
        number = 0
        for shot in shots.shots:
            number = shot.number
            if number >= first:
                yield shot
            if number == last:
                return
        missing = first if number < first else last
        if missing is not None and number < missing:
            raise BadInputError(f"{file}: no round {missing}; the last one is {number}")

    return gif((painter.draw(shot) for shot in wanted()), delay)


def _painter(shots: Shots, tile: int | None) -> "Painter":
    from lanista.playback.image import BadSizeError, Painter

    try:
        return Painter(shots.scene, shots.title, shots.names, tile)
    except BadSizeError as error:
        raise BadInputError(f"--size {tile}: {error}") from None


def new_name(file: str, ending: str) -> Path:
    """Return the default output file: `file`'s name in the current folder, with another ending."""
    name = Path(file).name.removesuffix(".gz")
    return Path(Path(name).stem + ending)


def write(source: str, output: Path, parts: Iterable[bytes]) -> int:
    """Write a file in parts and return its size in bytes; an unfinished file is removed.

    Args:
        source: The file from which the parts are made; it must not be overwritten.
        output: The file to write.
        parts: Its content.

    Raises:
        BadInputError: It can't be written, or is `source` itself.
    """
    rest = iter(parts)
    first = next(rest)  # fails here, before anything is overwritten, if `source` can't be read
    try:
        if output.exists() and output.samefile(source):
            raise BadInputError(f"{output} is the file to read; give another name with -o")
        with output.open("wb") as file:
            try:
                return file.write(first) + sum(file.write(part) for part in rest)
            except BaseException:
                if output.is_file():
                    output.unlink()
                raise
    except OSError as error:
        raise BadInputError(f"can't write {output}: {error.strerror or error}") from None
