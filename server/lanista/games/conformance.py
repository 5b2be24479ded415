"""The requirements that every ruleset has to meet, for the conformance suite and for matches.

Each function `require_…` checks one object against `lanista.games.base`, `lanista.games.picture`
and PROTOCOL.md, or raises AssertionError.
"""

import contextlib
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lanista.games.base import (
    ByHand,
    Consequence,
    Game,
    Ruleset,
    Setting,
    complete_settings,
    turn_word,
)
from lanista.games.outcome import Outcome, Termination
from lanista.games.picture import Frame, Mark, Place, Scene, Shape

NAME = re.compile(r"[a-z][a-z0-9-]*")
"""The pattern of a ruleset's name and of an outcome's reason."""
SETTING_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
KEYWORD = re.compile(r"[a-z][a-z0-9_]*")
"""The pattern of the first word of a fact."""
RESERVED = frozenset(
    (
        *("welcome", "wait", "start", "game", "seat", "player", "clock", "lag", "seed", "set"),
        *("turn", "status", "go", "end", "rank", "bye", "error", "note"),
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


def require_texts(what: str, *texts: str) -> None:
    """Require texts for people: each one printable line, not empty."""
    for text in texts:
        if not text or not text.isprintable():
            raise AssertionError(f"{what} is {text!r}; it must be one printable line")


def require_lines(data: bytes, what: str) -> list[str]:
    """Require printable UTF-8 lines, each ended by a newline (PROTOCOL.md 1), and return them."""
    require(isinstance(data, bytes), f"{what}: {data!r:.80} must be bytes")
    try:
        lines = data.decode().split("\n")
    except UnicodeDecodeError as error:
        raise AssertionError(f"{what}: not UTF-8: {error}") from None
    require(not lines.pop(), f"{what}: the last line has no newline")
    require_texts(f"{what}: a line", *lines)
    return lines


def require_facts(data: bytes, what: str) -> None:
    """Require lines of a keyword and tokens (PROTOCOL.md 3)."""
    for line in require_lines(data, what):
        tokens = line.split(" ")
        require(all(tokens), f"{what}: {line!r}: tokens must be separated by single spaces")
        keyword = tokens[0]
        require(KEYWORD.fullmatch(keyword), f"{what}: {line!r} must begin with a keyword")
        require(
            keyword not in RESERVED,
            f"{what}: `{keyword}` is a keyword of the protocol itself; no fact can begin with it",
        )


def check_description(ruleset: Ruleset) -> None:
    """Check what a ruleset says of itself: all that is known of it before a match."""
    require(not isinstance(ruleset, type), f"{ruleset!r} is a class; it must be an object of one")
    missing = [part for part in vars(Ruleset) if part[0] != "_" and not hasattr(ruleset, part)]
    require(not missing, f"it has no {', '.join(missing)}; lanista.games.base.Ruleset has each")
    name = ruleset.name
    require(
        NAME.fullmatch(name),
        f"name {name!r} must be a lower-case letter, then letters, digits or `-`",
    )
    require_texts("title", ruleset.title)
    version = str(ruleset.version)  # it is easily written as a number
    require(
        version == ruleset.version and re.fullmatch(r"\S+", version),
        f"version {ruleset.version!r} must be a text of one word",
    )
    require(is_whole(ruleset.seats, 1), f"{ruleset.seats!r} seats; there must be at least 1")
    require(
        isinstance(ruleset.consequence, Consequence),
        f"consequence {ruleset.consequence!r} must be a Consequence",
    )
    match ruleset.seeds:
        case (int(low), int(high)) if -(2**63) <= low <= high < 2**63:
            pass
        case seeds:
            raise AssertionError(
                f"seeds {seeds!r} must be two signed 64-bit integers, the lowest and the highest"
            )
    described: Any = ruleset.settings
    require(
        isinstance(described, Sequence) and all(isinstance(each, Setting) for each in described),
        f"settings {described!r:.200} must be a tuple, and each of them a Setting",
    )
    names = [setting.name for setting in ruleset.settings]
    require(len(names) == len(set(names)), f"settings {names}: no name may repeat")
    for setting in ruleset.settings:
        what = f"setting {setting.name!r}"
        require(
            SETTING_NAME.fullmatch(setting.name),
            f"{what} must be a letter, then letters, digits or `_`",
        )
        for value in (setting.default, setting.low, setting.high):
            require(is_whole(value), f"{what}: {value!r} must be a whole number")
        require(
            setting.low <= setting.default <= setting.high,
            f"{what}: default {setting.default} isn't from {setting.low} to {setting.high}",
        )
        require_texts(f"help of {what}", setting.help)
    settings = complete_settings(ruleset, {})
    with unharmed("max_turns"):
        most = ruleset.max_turns(settings)
    require(is_whole(most, 1), f"max_turns is {most!r}; it must be a number, at least 1")
    by_hand = getattr(ruleset, "by_hand", None)
    require(by_hand is None or isinstance(by_hand, ByHand), f"by_hand {by_hand!r} must be a ByHand")
    require_texts("the word for a turn", turn_word(ruleset))
    endings = getattr(ruleset, "endings", {})
    require(isinstance(endings, Mapping), f"endings {endings!r:.200} must be a dictionary")
    for reason, text in endings.items():
        require_texts(f"the ending {reason!r}", text)


def is_whole(value: object, least: float = -math.inf) -> bool:
    """Return whether a value is a whole number that isn't below the least one."""
    return type(value) is int and value >= least


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
        require_texts("a level's title", level.title)
        require(
            free_from <= level.col and level.cols >= 1 and level.col + level.cols <= scene.cols,
            f"{level}: its columns must be within the scene's {scene.cols} and in no other level",
        )
        free_from = level.col + level.cols
    require_places(scene.owners, "the scene's owner", scene, seats)
    require_texts("a title of stats", *scene.stats)
    require(len(set(scene.stats)) == len(scene.stats), f"stats {scene.stats}: no title may repeat")
    require_texts("the word for a turn", scene.turn_word)
    for text, meaning in scene.signs:
        require_texts("a sign's text", text)
        require_texts("a sign's meaning", meaning)
    for kind, text, meaning in scene.kinds:
        require(isinstance(kind, Shape), f"kind {kind!r} must be a Shape")
        require_texts("a kind's text", text)
        require_texts("a kind's meaning", meaning)


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
    require_texts("a caption", *frame.captions)
    require_places(frame.owned, "the frame's owner", scene, seats)
    require(
        all(col in range(scene.cols) for col in frame.lit),
        f"lit columns {sorted(frame.lit)} must be within the scene's {scene.cols}",
    )
    require_stats(frame, scene, seats)
    require_past(frame, scene, seats)
    require_scores(game.scores(), seats)


def require_board(text: str) -> None:
    """Require that a board, as it is written, is a text."""
    require(isinstance(text, str), f"write_board returns {text!r:.80}; it must be a text")


def require_scores(scores: tuple[int, ...], seats: int) -> None:
    """Require one integer per seat."""
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
    require_texts("a mark's text", mark.text)
    require(isinstance(mark.shape, Shape), f"shape {mark.shape!r} must be a Shape")
    require(mark.unit is None or mark.unit >= 0, f"{mark}: a unit's number must be 0 or more")
    require(mark.health is None or 0 <= mark.health <= 1, f"{mark}: health must be from 0 to 1")
    require_texts("a mark's detail", *mark.details)


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
            require_texts("a value of stats", value)
        else:
            require(
                type(value) in (int, float) and math.isfinite(value),
                f"the value {value!r} of stats must be a finite number or a text",
            )


def require_past(frame: Frame, scene: Scene, seats: int) -> None:
    """Require a last turn that fits the scene's cells and the game's seats, told in texts."""
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
        require_texts("an event's text", event.text)
        require(
            all(unit >= 0 for unit in event.units)
            and all(is_inside(place, scene) for place in event.cells),
            f"{event}: its units must be 0 or more, and its cells in a level of the scene",
        )
    require_texts("a reason in idle", *frame.idle.values())


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
    require_scores(game.scores(), seats)
    require(
        outcome.scores == game.scores(),
        f"the outcome's scores {outcome.scores} aren't the game's, {game.scores()}",
    )
    require(outcome == game.outcome(), "a second call of outcome() gives another outcome")
