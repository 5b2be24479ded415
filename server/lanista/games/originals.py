"""The games that have files of an original program, and what can be done with these files.

Files are read strictly and written byte for byte. The functions are the same for every game, so no
command needs to know a game's name. No sockets and no paths: text in, text out.

The original programs split their files on white space, so only the order of the words matters.
`Tokens` does the same, but checks every word, and its errors name the line, the wrong word and
what was expected there.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import attrs

from lanista.games import registry
from lanista.games.base import Game, Ruleset, Setting, Token, Verdict
from lanista.games.picture import Frame, Scene
from lanista_protocol import shown

T = TypeVar("T")

_WORD = re.compile(r"\S+", re.ASCII)
_INTEGER = re.compile(r"-?[0-9]{1,10}", re.ASCII)
_DECIMAL = re.compile(r"-?[0-9]{1,10}(?:\.[0-9]{1,17})?(?:e[-+]?[0-9]{1,3})?", re.ASCII)


class FormatError(Exception):
    """A file that breaks the rules of its format; names the line and what was expected."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message if line is None else f"line {line}: {message}")
        self.message = message
        """The mistake in words, without the number of its line."""
        self.line = line
        """The number of the wrong line, from 1; None if no single line is wrong."""


class Tokens:
    """The words of a text, taken one after another.

    Every method that takes a word gets a description of what is expected there, for the message
    of the FormatError that it raises if the word is something else.
    """

    def __init__(self, text: str) -> None:
        self._words: list[str] = []
        self._lines: list[int] = []
        self._starts: list[int] = []
        self._text = text
        start = 0
        for number, line in enumerate(text.split("\n"), 1):
            for match in _WORD.finditer(line):
                self._words.append(match.group())
                self._lines.append(number)
                self._starts.append(start + match.start())
            start += len(line) + 1
        self._last_line = text.count("\n", 0, len(text.rstrip())) + 1
        self._position = 0

    @property
    def line(self) -> int:
        """The line of the next word, from 1; at the end, the last line that has a word."""
        return self._last_line if self.at_end else self._lines[self._position]

    @property
    def at_end(self) -> bool:
        """Whether every word has been taken."""
        return self._position == len(self._words)

    def error(self, message: str, line: int | None = None) -> FormatError:
        """Make an error about a line; None: the line of the word that was taken last."""
        if line is None:
            line = self._lines[self._position - 1] if self._position else 1
        return FormatError(message, line)

    def peek(self) -> str | None:
        """Return the next word without taking it; None at the end."""
        return None if self.at_end else self._words[self._position]

    def word(self, expected: str) -> str:
        """Take any word."""
        if self.at_end:
            raise FormatError(f"the file ends where {expected} belongs", self._last_line)
        self._position += 1
        return self._words[self._position - 1]

    def literal(self, *wanted: str) -> None:
        """Take exactly these words, one after another."""
        for want in wanted:
            got = self.word(f"`{want}`")
            if got != want:
                raise self.error(f"expected `{want}`, got {shown(got)}")

    def choice(self, expected: str, *wanted: str) -> str:
        """Take one of these words."""
        got = self.word(expected)
        if got not in wanted:
            raise self.error(f"expected {expected}, got {shown(got)}")
        return got

    def integer(self, expected: str, low: int | None = None, high: int | None = None) -> int:
        """Take a whole number, from `low` to `high` where they are given."""
        got = self.word(expected)
        if not _INTEGER.fullmatch(got):
            raise self.error(f"expected {expected}, a whole number, got {shown(got)}")
        value = int(got)
        if (low is not None and value < low) or (high is not None and value > high):
            raise self.error(f"expected {expected}, {_range(low, high)}, got {value}")
        return value

    def integers(
        self, count: int, expected: str, low: int | None = None, high: int | None = None
    ) -> tuple[int, ...]:
        """Take `count` whole numbers."""
        return tuple(self.integer(expected, low, high) for _ in range(count))

    def decimal(self, expected: str) -> float:
        """Take a finite number, with or without digits after the point."""
        got = self.word(expected)
        if not _DECIMAL.fullmatch(got) or math.isinf(float(got)):
            raise self.error(f"expected {expected}, a number, got {shown(got)}")
        return float(got)

    def matching(self, pattern: "re.Pattern[str]", expected: str) -> str:
        """Take a word, all of which matches a pattern."""
        got = self.word(expected)
        if not pattern.fullmatch(got):
            raise self.error(f"expected {expected}, got {shown(got)}")
        return got

    def remaining(self, read: Callable[[str], T]) -> T:
        """Take everything that follows, and return what another reader makes of it.

        Lines before the next word are replaced by empty ones, so that the other reader's errors
        name the lines of the whole file.
        """
        start = len(self._text) if self.at_end else self._starts[self._position]
        before = "\n" * self._text.count("\n", 0, start)
        self._position = len(self._words)
        return read(before + self._text[start:])

    def end(self) -> None:
        """Check that every word has been taken."""
        if not self.at_end:
            got = self._words[self._position]
            raise FormatError(f"expected the end of the file, got {shown(got)}", self.line)


def _range(low: int | None, high: int | None) -> str:
    if low is None:
        return f"at most {high}"
    if high is None:
        return f"at least {low}"
    return f"{low}" if low == high else f"from {low} to {high}"


MAX_CALLS = 1000
"""The number of orders that a player may give in a round of an order log."""
MAX_NAME = 12
"""The number of characters of a player's name that an original program accepts."""

Status = Callable[[int], Sequence[float]]
"""A function that returns the players' status in a round, by seat: 0, or -1 if it is out."""


def read_settings(tokens: Tokens, title: Sequence[str], known: Iterable[Setting]) -> dict[str, int]:
    """Take the title of a game, and the names and values of these settings, one after another."""
    tokens.literal(*title)
    settings = {}
    for setting in known:
        tokens.literal(setting.name)
        what = f"the value of {setting.name}"
        settings[setting.name] = tokens.integer(what, setting.low, setting.high)
    return settings


def read_order_log(
    text: str, seats: int, order: Callable[[Tokens], Sequence[Token]]
) -> list[list[list[Token]]]:
    """Read a log of submitted orders, and return the tokens of answers by round and seat.

    For every round and player it has a line `R round P player Q calls`, then the player's first
    order for each unit.

    Args:
        text: The text of the log.
        seats: The number of players.
        order: Takes an order, and returns it as a submove.

    Raises:
        FormatError: The text isn't such a log; names the line and what was expected.
    """
    tokens = Tokens(text)
    rounds: list[list[list[Token]]] = []
    while not tokens.at_end:
        answers = []
        for seat in range(seats):
            tokens.literal("R", str(len(rounds)), "P", str(seat), "Q")
            calls = tokens.integer("the number of orders given", 0, MAX_CALLS)
            answer: list[Token] = []
            orders = 0
            while tokens.peek() not in (None, "R"):
                answer += order(tokens)
                orders += 1
            if orders > calls:
                raise tokens.error(f"{orders} orders of {calls} given by player {seat}")
            answers.append(answer)
        rounds.append(answers)
    return rounds


def begun(
    ruleset: Ruleset, settings: Mapping[str, int], seed: int, log: Iterable[Sequence[list[Token]]]
) -> tuple[Game, Iterator[Sequence[Verdict]]]:
    """Begin a game on the board of a seed; return it, and its turns by an order log as it goes."""
    chance = ruleset.chance(seed)
    game = ruleset.new(settings, ruleset.generate(settings, chance), chance)
    return game, ([game.parse(seat, answer) for seat, answer in enumerate(one)] for one in log)


@attrs.frozen(kw_only=True)
class Explanation:
    """The number of rounds of a match file that the rules explain, and the problem after them."""

    rounds: int
    """The number of rounds explained, from the first one on."""
    of: int
    """The number of rounds of the file."""
    rules: str = "original"
    """The rules by which it was explained: `original` or `text`."""
    problem: str | None = None
    """What the rules don't allow in the next round; None: every round is explained."""


class UnexplainedError(Exception):
    """Something in a match file that the rules don't allow."""

    def __init__(self, problem: str, progress: int = 0) -> None:
        super().__init__(problem)
        self.progress = progress
        """The number of steps checked: the attempt that came farthest is the one to report."""


def require(condition: object, problem: str, progress: int = 0) -> None:
    """Raise UnexplainedError unless the condition holds."""
    if not condition:
        raise UnexplainedError(problem, progress)


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


def with_times(shown: Shown, statuses: Iterable[Sequence[float]]) -> Shown:
    """Add the share of its time that each player used to the stats; only a judge's file has it."""

    def timed() -> Iterator[tuple[Frame, tuple[int, ...]]]:
        for (frame, scores), shares in zip(shown.frames, statuses, strict=True):
            stats = tuple(
                (*of_seat, "out" if share < 0 else f"{share:.0%}")
                for of_seat, share in zip(frame.stats, shares, strict=True)
            )
            yield attrs.evolve(frame, stats=stats), scores

    scene = attrs.evolve(shown.scene, stats=(*shown.scene.stats, "time"))
    return attrs.evolve(shown, scene=scene, frames=timed())


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
