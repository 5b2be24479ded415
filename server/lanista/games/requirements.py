"""The requirements of the conformance suite on facts, scenes, frames and outcomes.

This module is part of `testing`. Each function checks one object against `lanista.games.base`,
`lanista.games.picture` and PROTOCOL.md, and raises AssertionError with what it got and what it
expected.

Code that plays matches never imports this module, and no ruleset is named here.
"""

import contextlib
import math
import re
from collections.abc import Iterator, Mapping

from lanista.games.base import Game
from lanista.games.outcome import Outcome, Termination
from lanista.games.picture import Frame, Mark, Place, Scene, Shape

NAME = re.compile(r"[a-z][a-z0-9-]*")
"""The pattern of a ruleset's name and of an outcome's reason."""
KEYWORD = re.compile(r"[a-z][a-z0-9_]*")
"""The pattern of the first word of a fact."""
RESERVED = frozenset(
    (
        *("welcome", "wait", "start", "game", "seat", "player", "clock", "seed", "turn", "go"),
        *("end", "rank", "bye", "error", "note"),
    )
)
"""The keywords of the lines around the facts (PROTOCOL.md 3 and 7), with which no fact begins."""


def require(condition: object, message: str) -> None:
    """Raise AssertionError unless the condition holds, like an `assert` that -O doesn't remove."""
    if not condition:
        raise AssertionError(message)


@contextlib.contextmanager
def unharmed(what: str) -> Iterator[None]:
    """Turn any exception into an AssertionError that says what raised it."""
    try:
        yield
    except Exception as error:
        raise AssertionError(f"{what} raises {error!r}") from error


def require_text(text: str, what: str) -> None:
    """Require a text for people: one printable line, not empty."""
    if not text or not text.isprintable():
        raise AssertionError(f"{what} is {text!r}; it must be one printable line")


def require_lines(data: bytes, what: str) -> list[str]:
    """Require printable UTF-8 lines, each ended by a newline (PROTOCOL.md 1).

    Returns:
        The lines without their newlines.
    """
    try:
        lines = data.decode().split("\n")
    except UnicodeDecodeError as error:
        raise AssertionError(f"{what}: not UTF-8: {error}") from None
    require(not lines.pop(), f"{what}: the last line has no newline")
    for line in lines:
        require_text(line, f"{what}: a line")
    return lines


def require_facts(data: bytes, what: str) -> list[str]:
    """Require facts: lines of a keyword and tokens (PROTOCOL.md 3).

    Returns:
        The lines without their newlines.
    """
    lines = require_lines(data, what)
    for line in lines:
        tokens = line.split(" ")
        require(all(tokens), f"{what}: {line!r}: tokens must be separated by single spaces")
        keyword = tokens[0]
        require(KEYWORD.fullmatch(keyword), f"{what}: {line!r} must begin with a keyword")
        require(
            keyword not in RESERVED,
            f"{what}: `{keyword}` is a keyword of the protocol itself; no fact can begin with it",
        )
    return lines


def require_scene(scene: Scene, seats: int) -> None:
    """Require a scene whose ground, owners and levels fit its size and whose legends have texts."""
    size = (scene.rows, scene.cols)
    require(min(size) >= 1, f"the scene's rows and columns are {size}; each must be at least 1")
    widths = [len(row) for row in scene.ground]
    require(
        widths == [scene.cols] * scene.rows,
        f"the scene's ground has rows of {widths} cells; expected {scene.rows} of {scene.cols}",
    )
    free_from = 0
    for level in sorted(scene.levels, key=lambda level: level.col):
        require_text(level.title, "a level's title")
        require(
            free_from <= level.col and level.cols >= 1 and level.col + level.cols <= scene.cols,
            f"{level}: its columns must be within the scene's {scene.cols} and in no other level",
        )
        free_from = level.col + level.cols
    require_places(scene.owners, "the scene's owner", scene, seats)
    for title in scene.stats:
        require_text(title, "a title of stats")
    require(len(set(scene.stats)) == len(scene.stats), f"stats {scene.stats}: no title may repeat")
    require_text(scene.turn_word, "the word for a turn")
    for text, meaning in scene.signs:
        require_text(text, "a sign's text")
        require_text(meaning, "a sign's meaning")
    for kind, text, meaning in scene.kinds:
        require(isinstance(kind, Shape), f"kind {kind!r} must be a Shape")
        require_text(text, "a kind's text")
        require_text(meaning, "a kind's meaning")


def require_places(places: Mapping[Place, int], what: str, scene: Scene, seats: int) -> None:
    """Require a mapping from cells of the scene to seats of the game."""
    for place, seat in places.items():
        require(
            is_inside(place, scene) and seat in range(seats),
            f"{what} {seat} of {place}: expected one of {seats} seats, and a cell in a level of "
            f"the scene's {scene.rows} rows and {scene.cols} columns",
        )


def is_inside(place: Place, scene: Scene) -> bool:
    """Return whether a cell is in the scene and in one of its levels, if it has any."""
    row, col = place
    levels = [range(level.col, level.col + level.cols) for level in scene.levels]
    is_drawn = any(col in level for level in levels) if levels else col in range(scene.cols)
    return row in range(scene.rows) and is_drawn


def require_frame(frame: Frame, scene: Scene, game: Game, seats: int) -> None:
    """Require a frame that fits its scene and turn, and one score per seat."""
    require(frame.turn == game.turn, f"the frame of turn {game.turn} says turn {frame.turn}")
    for mark in frame.marks:
        require_mark(mark, scene, seats)
    numbers = [mark.unit for mark in frame.marks if mark.unit is not None]
    twice = {number for number in numbers if numbers.count(number) > 1}
    require(
        not twice,
        f"units {sorted(twice)} have two marks in turn {game.turn}; each may have only one",
    )
    require(
        len(frame.captions) == seats,
        f"{len(frame.captions)} captions for {seats} seats; expected one per seat",
    )
    for caption in frame.captions:
        require_text(caption, "a caption")
    require_places(frame.owned, "the frame's owner", scene, seats)
    require(
        all(col in range(scene.cols) for col in frame.lit),
        f"lit columns {sorted(frame.lit)} must be within the scene's {scene.cols}",
    )
    require_stats(frame, scene, seats)
    require_past(frame, scene, seats)
    scores = game.scores()
    require(
        type(scores) is tuple  # a list could be the game's own and change later
        and len(scores) == seats
        and all(type(score) is int for score in scores),
        f"scores {scores} must be a tuple of {seats} integers, one per seat",
    )


def require_mark(mark: Mark, scene: Scene, seats: int) -> None:
    """Require a mark inside the scene, of an existing seat or none, with printable texts."""
    if not is_inside((mark.row, mark.col), scene) or not (
        mark.seat is None or mark.seat in range(seats)
    ):
        raise AssertionError(
            f"{mark}: its cell must be in a level of the scene's {scene.rows} rows and "
            f"{scene.cols} columns, and its seat one of {seats} or None"
        )
    require_text(mark.text, "a mark's text")
    require(isinstance(mark.shape, Shape), f"shape {mark.shape!r} must be a Shape")
    require(mark.unit is None or mark.unit >= 0, f"{mark}: a unit's number must be 0 or more")
    require(mark.health is None or 0 <= mark.health <= 1, f"{mark}: health must be from 0 to 1")
    for line in mark.details:
        require_text(line, "a mark's detail")


def require_stats(frame: Frame, scene: Scene, seats: int) -> None:
    """Require one value per seat and title of the scene's stats; none if there are no titles."""
    wanted = [len(scene.stats)] * seats if scene.stats else []
    counts = [len(values) for values in frame.stats]
    require(
        counts == wanted,
        f"by seat, stats have {counts} values; the scene's titles need {wanted}",
    )
    for value in (value for values in frame.stats for value in values):
        if isinstance(value, str):
            require_text(value, "a value of stats")
        else:
            require(
                type(value) in (int, float) and math.isfinite(value),
                f"the value {value!r} of stats must be a finite number or a text",
            )


def require_past(frame: Frame, scene: Scene, seats: int) -> None:
    """Require arrows, captured cells and events that fit the scene's cells and the game's seats."""
    for arrow in frame.arrows:
        require(
            is_inside(arrow.start, scene)
            and is_inside(arrow.end, scene)
            and arrow.seat in range(seats)
            and arrow.text.isprintable(),
            f"{arrow}: must lead from cell to cell, belong to a seat and have a printable text",
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
            f"{event}: its seat must be one of {seats} or None",
        )
        require_text(event.text, "an event's text")
        require(
            all(unit >= 0 for unit in event.units)
            and all(is_inside(place, scene) for place in event.cells),
            f"{event}: its units must be 0 or more, and its cells in a level of the scene",
        )


def require_outcome(outcome: Outcome, game: Game, seats: int) -> None:
    """Require an outcome that the rules of a game can lead to."""
    require(
        outcome.termination in {Termination.FINISHED, Termination.FORFEIT},
        f"{outcome.termination}: a ruleset can end a match only as FINISHED or FORFEIT",
    )
    require(
        NAME.fullmatch(outcome.reason),
        f"the outcome's reason {outcome.reason!r} must be a lower-case word, like `move-limit`",
    )
    ranks = outcome.ranks
    require(len(ranks) == seats, f"ranks {ranks} must be {seats} numbers, one per seat")
    require(
        all(rank == 1 + sum(other < rank for other in ranks) for rank in ranks),
        f"ranks {ranks} must count from 1, and ties must share the best rank",
    )
    require(
        outcome.scores == game.scores(),
        f"the outcome's scores {outcome.scores} aren't the game's, {game.scores()}",
    )
    require(outcome == game.outcome(), "a second call of outcome() gives another outcome")
