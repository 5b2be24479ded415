"""What facts, scenes, frames and outcomes must look like, for the conformance suite.

Part of `testing`. Each function looks at one thing and raises AssertionError with what was found
and what would be right, by `lanista.rules.base`, `lanista.rules.picture` and PROTOCOL.md.

Never imported by anything that plays; no ruleset's name here.
"""

import contextlib
import math
import re
from collections.abc import Iterator, Mapping

from lanista.rules.base import Game
from lanista.rules.outcome import Outcome, Termination
from lanista.rules.picture import Frame, Mark, Place, Scene, Shape

NAME = re.compile(r"[a-z][a-z0-9-]*")
"""Form of a ruleset's name and of an outcome's reason."""
KEYWORD = re.compile(r"[a-z][a-z0-9_]*")
"""Form of the first word of a fact."""
RESERVED = frozenset(
    (
        *("welcome", "wait", "start", "game", "seat", "player", "clock", "seed", "turn", "go"),
        *("end", "rank", "bye", "error", "note"),
    )
)
"""Keywords of the lines around the facts (PROTOCOL.md 3 and 7); no fact can begin with one."""


def require(fact: object, words: str) -> None:
    """Raise AssertionError with these words unless the fact holds: `assert` that -O keeps."""
    if not fact:
        raise AssertionError(words)


@contextlib.contextmanager
def unharmed(what: str) -> Iterator[None]:
    """Turn an exception that nothing allows into a finding."""
    try:
        yield
    except Exception as error:
        raise AssertionError(f"{what} raises {error!r}") from error


def require_words(words: str, what: str) -> None:
    """Words for a person: one printable line."""
    if not words or not words.isprintable():
        raise AssertionError(f"{what}, {words!r}: one printable line")


def require_lines(data: bytes, what: str) -> list[str]:
    """Printable lines of UTF-8, each ended by a newline (PROTOCOL.md 1); without those."""
    try:
        lines = data.decode().split("\n")
    except UnicodeDecodeError as error:
        raise AssertionError(f"{what}: not UTF-8: {error}") from None
    require(not lines.pop(), f"{what}: the last line has no newline")
    for line in lines:
        require_words(line, f"{what}: a line")
    return lines


def require_facts(data: bytes, what: str) -> list[str]:
    """Facts: lines of a keyword and tokens (PROTOCOL.md 3); without their newlines."""
    lines = require_lines(data, what)
    for line in lines:
        words = line.split(" ")
        require(all(words), f"{what}: {line!r}: tokens separated by single spaces")
        keyword = words[0]
        require(KEYWORD.fullmatch(keyword), f"{what}: {line!r}: begins with a keyword")
        require(keyword not in RESERVED, f"{what}: `{keyword}` is a keyword of the protocol's own")
    return lines


def require_scene(scene: Scene, seats: int) -> None:
    """A scene whose ground, owners and levels fit its size, with words for its legend."""
    size = (scene.rows, scene.cols)
    require(min(size) >= 1, f"a scene of {scene.rows} rows and {scene.cols} columns")
    shape = [len(row) for row in scene.ground]
    require(shape == [scene.cols] * scene.rows, f"a scene of {size} with ground of {shape}")
    behind = 0
    for level in sorted(scene.levels, key=lambda level: level.col):
        require_words(level.title, "a level's title")
        require(
            behind <= level.col and level.cols >= 1 and level.col + level.cols <= scene.cols,
            f"{level}: columns of the scene's {scene.cols}, none in two levels",
        )
        behind = level.col + level.cols
    require_places(scene.owners, "the scene's owner", scene, seats)
    for title in scene.stats:
        require_words(title, "a title of stats")
    require(len(set(scene.stats)) == len(scene.stats), f"stats {scene.stats}: each title once")
    for text, meaning in scene.signs:
        require_words(text, "a sign's text")
        require_words(meaning, "a sign's meaning")
    for kind, text, meaning in scene.kinds:
        require(isinstance(kind, Shape), f"kind {kind!r}: a Shape")
        require_words(text, "a kind's text")
        require_words(meaning, "a kind's meaning")


def require_places(places: Mapping[Place, int], what: str, scene: Scene, seats: int) -> None:
    """Seats by cell: cells of the scene, seats of the game."""
    for place, seat in places.items():
        require(
            is_inside(place, scene) and seat in range(seats),
            f"{what} {seat} of {place}: a seat, a cell of {(scene.rows, scene.cols)}",
        )


def is_inside(place: Place, scene: Scene) -> bool:
    """Whether a scene has a cell and a level shows it."""
    row, col = place
    levels = [range(level.col, level.col + level.cols) for level in scene.levels]
    shown = any(col in level for level in levels) if levels else col in range(scene.cols)
    return row in range(scene.rows) and shown


def require_frame(frame: Frame, scene: Scene, game: Game, seats: int) -> None:
    """A frame that fits its scene and turn, and a score a seat."""
    require(frame.turn == game.turn, f"the frame of turn {game.turn} says turn {frame.turn}")
    for mark in frame.marks:
        require_mark(mark, scene, seats)
    numbers = [mark.unit for mark in frame.marks if mark.unit is not None]
    twice = {number for number in numbers if numbers.count(number) > 1}
    require(not twice, f"units {sorted(twice)} have two marks in turn {game.turn}; each has one")
    require(
        len(frame.captions) == seats, f"{len(frame.captions)} captions: one a seat, for {seats}"
    )
    for caption in frame.captions:
        require_words(caption, "a caption")
    require_places(frame.owned, "the frame's owner", scene, seats)
    require(
        all(col in range(scene.cols) for col in frame.lit),
        f"lit columns {sorted(frame.lit)}: some of {scene.cols}",
    )
    require_stats(frame, scene, seats)
    require_past(frame, scene, seats)
    scores = game.scores()
    require(
        type(scores) is tuple  # a list would be the game's own, and change
        and len(scores) == seats
        and all(type(score) is int for score in scores),
        f"scores {scores}: a tuple of a whole number a seat, for {seats}",
    )


def require_mark(mark: Mark, scene: Scene, seats: int) -> None:
    """A mark inside the scene, of a seat that there is, with words."""
    if not is_inside((mark.row, mark.col), scene) or not (
        mark.seat is None or mark.seat in range(seats)
    ):
        raise AssertionError(
            f"{mark}: one of {scene.rows} rows, {scene.cols} columns and {seats} seats, in a level"
        )
    require_words(mark.text, "a mark's text")
    require(isinstance(mark.shape, Shape), f"shape {mark.shape!r}: a Shape")
    require(mark.unit is None or mark.unit >= 0, f"{mark}: a unit's number is 0 or more")
    require(mark.health is None or 0 <= mark.health <= 1, f"{mark}: health is from 0 to 1")
    for line in mark.details:
        require_words(line, "a mark's detail")


def require_stats(frame: Frame, scene: Scene, seats: int) -> None:
    """A value a title for every seat; none where the scene has no titles."""
    wanted = [len(scene.stats)] * seats if scene.stats else []
    told = [len(values) for values in frame.stats]
    require(told == wanted, f"stats of {told} values by seat; the scene's titles need {wanted}")
    for value in (value for values in frame.stats for value in values):
        if isinstance(value, str):
            require_words(value, "a value of stats")
        else:
            require(
                type(value) in (int, float) and math.isfinite(value),
                f"the value {value!r} of stats: a finite number or words",
            )


def require_past(frame: Frame, scene: Scene, seats: int) -> None:
    """What led to a frame, in the scene's cells and the game's seats."""
    for arrow in frame.arrows:
        require(
            is_inside(arrow.start, scene)
            and is_inside(arrow.end, scene)
            and arrow.seat in range(seats)
            and arrow.text.isprintable(),
            f"{arrow}: from a cell to a cell, by a seat, with a printable text",
        )
    require_places(frame.captured, "the captor", scene, seats)
    for place, seat in frame.captured.items():
        require(
            frame.owned.get(place) == seat,
            f"{place} was captured by seat {seat}, but its owner is {frame.owned.get(place)}",
        )
    for event in frame.events:
        require(
            event.seat is None or event.seat in range(seats),
            f"{event}: of one of {seats} seats, or of nobody",
        )
        require_words(event.words, "an event's words")


def require_outcome(outcome: Outcome, game: Game, seats: int) -> None:
    """An outcome as rules can give it."""
    require(
        outcome.termination in {Termination.FINISHED, Termination.FORFEIT},
        f"{outcome.termination}: by the rules a match is finished or a forfeit",
    )
    require(NAME.fullmatch(outcome.reason), f"the outcome's reason {outcome.reason!r}: one word")
    ranks = outcome.ranks
    require(len(ranks) == seats, f"ranks {ranks}: one a seat, for {seats}")
    require(
        all(rank == 1 + sum(other < rank for other in ranks) for rank in ranks),
        f"ranks {ranks}: places from 1, ties share the best",
    )
    require(
        outcome.scores == game.scores(),
        f"the outcome's scores {outcome.scores} aren't the game's, {game.scores()}",
    )
    require(outcome == game.outcome(), "the outcome changes when it is asked for again")
