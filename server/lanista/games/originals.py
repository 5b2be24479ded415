"""The games that have files of an original program, and what can be done with these files.

Files are read strictly and written byte for byte.

A match file is explained from its text alone: its game is played by the rules, with the commands
of the file as orders, and with draws that the next state shows (`ShownChance`). Where it doesn't
show what was drawn, that is a fork: a round is played again and again, with another combination of
choices each time, until it leads to the next state.
"""

import abc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

import attrs

from lanista.games import registry
from lanista.games.base import (
    FormatError,
    Game,
    Ruleset,
    Setting,
    Token,
    Verdict,
    complete_settings,
    start_game,
)
from lanista.games.picture import Frame, Scene
from lanista.games.tokens import Tokens

MAX_CALLS = 1000
"""The number of orders that a player may give in a round of an order log."""
MAX_TRIES = 1_000
"""The number of ways through a round's forks that are tried; real rounds need one or two."""
MAX_NAME = 12
"""The number of characters of a player's name that an original program accepts."""

WORDS = ("Game", "SecGame")
"""The possible first words of a match file: the public program's, and the judge's."""

S = TypeVar("S", bound="State")
C = TypeVar("C")
T = TypeVar("T")

Status = Callable[[int], Sequence[float]]
"""A function that returns the players' status in a round, by seat: 0, or -1 if it is out."""


class State(Protocol):
    """The state of a round in a match file, as the game's `seen` returns it."""

    @property
    def scores(self) -> tuple[int, ...]:
        """The scores, by seat."""

    @property
    def status(self) -> tuple[float, ...]:
        """The share of its time that each player has used, by seat; -1: it is out."""


@attrs.frozen(kw_only=True)
class Res(Generic[S, C]):
    """The contents of a match file."""

    word: str
    """The first word, one of `WORDS`."""
    seed: int
    settings: Mapping[str, int]
    """The settings in the file, which has none of those that only Lanista knows."""
    names: tuple[str, ...]
    """The players' names, by seat."""
    states: tuple[S, ...]
    """The states before every round, and after the last."""
    commands: tuple[tuple[C, ...], ...]
    """The commands of each round that had an effect, in the order in which they took it."""


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
    """The reason why the rules don't allow the next round; None: every round is explained."""


@attrs.frozen(kw_only=True)
class Shown:
    """A match for viewers: its scene, and the frames of all rounds."""

    game: str
    seed: int
    settings: Mapping[str, int]
    names: tuple[str, ...]
    scene: Scene
    """The scene, as a game's; for a judge's file, `time` is the last one of `stats`."""
    frames: Iterator[tuple[Frame, tuple[int, ...]]]
    """The frame and the scores by seat of each round, from the start on; can be read once."""


@attrs.frozen(kw_only=True)
class Originals(Generic[S, C]):
    """The files of one game's original program; the fields say how they differ between games."""

    ruleset: Ruleset
    title: str
    """The words by which the files name the game and its version."""
    settings: tuple[Setting, ...]
    """The settings that the files have, in their order."""
    generated: str
    """The word for a board that the seed makes, in a configuration."""
    fixed: str = ""
    """The text before a board in a configuration; empty if boards begin with `FIXED` themselves."""
    rules: Mapping[str, Mapping[str, int]] = {"original": {}}
    """The rules by which a match file can be explained, the original program's first.

    Each has the settings that a file doesn't have and that aren't as by default.
    """
    head: Callable[[Mapping[str, int]], str]
    """Writes the title and the settings of a configuration."""
    header: Callable[[Mapping[str, int], Sequence[str]], str]
    """Writes the title, the settings and the players' names of a match file."""
    state_text: Callable[[S, Sequence[float]], str]
    """Writes a state, with the players' status."""
    read_state: Callable[[Tokens, Mapping[str, int], int], S]
    """Reads the state of a round, given the settings and its number."""
    commands_of: Callable[[Any], Sequence[C]]
    """Returns what had an effect in a game's last round."""
    commands_text: Callable[[Sequence[C]], str]
    read_commands: Callable[[Tokens, S], tuple[C, ...]]
    """Reads the commands of a round, given the state before it."""
    read_order: Callable[[Tokens], Sequence[Token]]
    """Takes an order of a log of submitted orders, and returns it as a submove."""
    scene: Callable[[S], Scene]
    frame: Callable[[S, S | None, Sequence[C], Mapping[str, int]], Frame]
    """Returns a frame from its state, the one before or None, commands and settings."""

    @property
    def game(self) -> str:
        """The game's name."""
        return self.ruleset.name

    def read_cnf(self, text: str) -> tuple[dict[str, int], Any]:
        """Read a configuration into its settings and board; None: the seed makes the board.

        Whether they fit together shows when a game begins. Raises FormatError as `read_res`.
        """
        tokens = Tokens(text)
        settings = self._read_settings(tokens)
        if tokens.peek() != "FIXED":
            tokens.choice(f"`{self.generated}` or `FIXED`", self.generated)
            tokens.end()
            return settings, None
        tokens.literal(*self.fixed.split())
        return settings, tokens.remaining(self.ruleset.read_board)

    def write_cnf(self, settings: Mapping[str, int], board: Any) -> str:
        """Return a configuration of settings and a board; None: the seed makes the board."""
        written = f"{self.generated}\n"
        if board is not None:
            written = self.fixed + self.ruleset.write_board(board)
        return f"{self.head(settings)}\n{written}"

    def write(
        self,
        positions: Iterator[Any],
        seed: int,
        names: Sequence[str],
        status: Status,
        word: str = WORDS[0],
    ) -> Iterator[str]:
        """Yield the parts of a match file; `positions` is the game at first and after each turn."""
        game = next(positions)
        settings = {setting.name: game.settings[setting.name] for setting in self.settings}
        yield f"{word}\n\nSeed {seed}\n\n{self.header(settings, printable_names(names))}"
        yield self.state_text(game.seen(), status(game.turn))
        for game in positions:
            yield self.commands_text(self.commands_of(game))
            yield self.state_text(game.seen(), status(game.turn))

    def read_res(self, text: str) -> Res[S, C]:
        """Read a whole match file; raise FormatError if it isn't one."""
        tokens = Tokens(text)
        word = tokens.choice("`Game` or `SecGame`", *WORDS)
        tokens.literal("Seed")
        seed = tokens.integer("the seed", *self.ruleset.seeds)
        settings = self._read_settings(tokens)
        tokens.literal("names")
        names = tuple(
            tokens.word(f"the name of player {player}") for player in range(self.ruleset.seats)
        )
        states = [self.read_state(tokens, settings, 0)]
        commands = []
        for number in range(1, self.ruleset.max_turns(settings) + 1):
            commands.append(self.read_commands(tokens, states[0]))
            states.append(self.read_state(tokens, settings, number))
        tokens.end()
        return Res(
            word=word,
            seed=seed,
            settings=settings,
            names=names,
            states=tuple(states),
            commands=tuple(commands),
        )

    def _read_settings(self, tokens: Tokens) -> dict[str, int]:
        """Take the title, and the names and values of the settings, one after another."""
        tokens.literal(*self.title.split())
        settings = {}
        for setting in self.settings:
            tokens.literal(setting.name)
            what = f"the value of {setting.name}"
            settings[setting.name] = tokens.integer(what, setting.low, setting.high)
        return settings

    def read_orders(self, text: str) -> list[list[list[Token]]]:
        """Read a log of submitted orders, and return the tokens of answers by round and seat.

        For every round and player it has a line `R round P player Q calls`, then the player's first
        order for each unit. Raises FormatError as `read_res`.
        """
        tokens = Tokens(text)
        rounds: list[list[list[Token]]] = []
        while not tokens.at_end:
            answers = []
            for seat in range(self.ruleset.seats):
                tokens.literal("R", str(len(rounds)), "P", str(seat), "Q")
                calls = tokens.integer("the number of orders given", 0, MAX_CALLS)
                orders: list[Sequence[Token]] = []
                while tokens.peek() not in (None, "R"):
                    orders.append(self.read_order(tokens))
                if len(orders) > calls:
                    raise tokens.error(f"{len(orders)} orders of {calls} given by player {seat}")
                answers.append([token for order in orders for token in order])
            rounds.append(answers)
        return rounds

    def all_settings(self, res: Res[S, C], rules: str = "original") -> dict[str, int]:
        """Return a match file's settings, and those that it doesn't have, by some rules."""
        return complete_settings(self.ruleset, {**res.settings, **self.rules[rules]})

    def explain(self, res: Res[S, C], rules: str = "original") -> Explanation:
        """Explain a match file by some rules, up to the first round that they don't allow.

        The game's module `explaining` has `begin(res, settings)`, which returns the game of the
        first state, and `play_round(game, res, number, forks)`, which returns the game after an
        attempt at a round. They raise UnexplainedError if these states can't be.
        """
        explaining = registry.part(self.game, "explaining")
        assert explaining is not None  # as for every game with match files
        rounds, place, problem = 0, "first state", None
        try:
            game = explaining.begin(res, self.all_settings(res, rules))
            for number in range(len(res.commands)):
                place = f"round {number}"
                game = try_forks(partial(explaining.play_round, game, res, number))
                rounds += 1
        except UnexplainedError as error:
            problem = f"{place}: {error}"
        return Explanation(rounds=rounds, of=len(res.commands), rules=rules, problem=problem)

    def replay(self, text: str, log: str) -> Iterator[str]:
        """Play an order log with the seed of a match file, and yield the resulting match file."""
        res, rules = self.read_res(text), self.ruleset
        game = start_game(rules, self.all_settings(res), res.seed)
        turns = (
            [game.parse(seat, answer) for seat, answer in enumerate(answers)]
            for answers in self.read_orders(log)
        )
        no_status = (0.0,) * rules.seats
        return self.write(played(game, turns), res.seed, res.names, lambda _: no_status, res.word)

    def show(self, text: str) -> Shown:
        """Return what viewers draw of a match file; raise FormatError if it is none."""
        res = self.read_res(text)
        scene = self.scene(res.states[0])
        if res.word != WORDS[0]:
            scene = attrs.evolve(scene, stats=(*scene.stats, "time"))
        return Shown(
            game=self.game,
            seed=res.seed,
            settings=res.settings,
            names=res.names,
            scene=scene,
            frames=self._frames(res),
        )

    def _frames(self, res: Res[S, C]) -> Iterator[tuple[Frame, tuple[int, ...]]]:
        before, settings = None, self.all_settings(res)
        for state, commands in zip(res.states, ((), *res.commands), strict=True):
            frame = self.frame(state, before, commands, settings)
            if res.word != WORDS[0]:  # a judge's file has the share of time that each player used
                frame = attrs.evolve(frame, stats=_timed(frame.stats, state.status))
            yield frame, state.scores
            before = state


def _timed(stats: Sequence[tuple[Any, ...]], status: Sequence[float]) -> tuple[Any, ...]:
    return tuple(
        (*of_seat, "out" if share < 0 else f"{share:.0%}")
        for of_seat, share in zip(stats, status, strict=True)
    )


def played(game: Game, turns: Iterable[Sequence[Verdict]]) -> Iterator[Game]:
    """Carry a game through turns, given their verdicts by seat; yield it before and after each."""
    yield game
    for verdicts in turns:
        game.advance(verdicts)
        yield game


def seat_seeds(seed: int, seats: int) -> tuple[int, ...]:
    """Return the seeds that an original program gives its players' generators, by seat.

    Whoever knows one knows the match's seed, so only matches between one's own bots use them.
    """
    return tuple((seed + seat + 1) % 2**31 for seat in range(seats))


def of_game(game: str) -> Originals[Any, Any] | None:
    """Return a game's original files; None if there are none."""
    module = registry.part(game, "originals")
    originals: Originals[Any, Any] | None = None if module is None else module.ORIGINALS
    return originals


def of_text(text: str) -> Originals[Any, Any]:
    """Return the files of the game that a file names near its beginning, or raise FormatError."""
    beginning = " ".join(text.split(None, 8)[:8])
    known = [originals for game in registry.ours() if (originals := of_game(game)) is not None]
    for originals in known:
        if originals.title in beginning:
            return originals
    titles = " or ".join(f"`{originals.title}`" for originals in known)
    raise FormatError(f"not a file of an original game: expected {titles} near its beginning", 1)


def printable_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return names as a match file can hold them: at most 12 characters of `[!-~]`, else `_`."""
    return tuple(
        "".join(char if "!" <= char <= "~" else "_" for char in name)[:MAX_NAME] for name in names
    )


# -- explaining a match file -----------------------------------------------------------------------


class UnexplainedError(Exception):
    """Something in a match file that the rules don't allow."""


def require(condition: object, problem: str) -> None:
    """Raise UnexplainedError unless the condition holds."""
    if not condition:
        raise UnexplainedError(problem)


class Forks:
    """The choices that an attempt makes where the next state doesn't show what was drawn."""

    def __init__(self, first: Sequence[int]) -> None:
        self._first = first
        self.made: list[tuple[int, int]] = []
        """The choices so far, each with the number of its options."""
        self.progress = 0
        """The number of draws so far, for which the attempt counts."""

    def choose(self, options: int) -> int:
        """Return the option to go on with, from 0, the likeliest one, at another fork."""
        number = len(self.made)
        choice = self._first[number] if number < len(self._first) else 0
        self.made.append((choice, options))
        return choice


def try_forks(attempt: Callable[[Forks], T]) -> T:
    """Try all ways through the forks of an attempt; return what the first one returns that can be.

    If all raise UnexplainedError, or MAX_TRIES, the problem is that of the attempt that made the
    most progress.
    """
    first: list[int] = []
    farthest, problem = -1, UnexplainedError()
    for _ in range(MAX_TRIES):
        forks = Forks(first)
        try:
            return attempt(forks)
        except UnexplainedError as error:
            if forks.progress > farthest:
                farthest, problem = forks.progress, error
        made = forks.made
        while made and made[-1][0] == made[-1][1] - 1:  # all options of the last fork were tried
            made.pop()
        if not made:
            raise problem
        first = [choice for choice, _ in made]
        first[-1] += 1
    raise UnexplainedError(f"{problem} (tried {MAX_TRIES} combinations of outcomes)")


class ShownChance(abc.ABC):
    """A source of chance whose draws are those that lead to the next state of a match file."""

    def __init__(self, forks: Forks) -> None:
        self.forks = forks

    def below(self, n: int, why: str) -> int:
        """Return what was drawn; raise UnexplainedError if no draw can lead to the next state."""
        self.forks.progress += 1
        drawn = self.drawn(n, why)
        require(0 <= drawn < n, f"no draw leads to the next state: {why}")
        return drawn

    @abc.abstractmethod
    def drawn(self, n: int, why: str) -> int:
        """Return what was drawn, in range or not."""


def draws_of(items: list[T], wanted: Iterable[T]) -> Iterator[int]:
    """Yield the draws by which a permutation of the items begins with the wanted ones.

    It is one that the originals make (`chance.mixed`); the items are permuted in place.
    """
    for index, item in enumerate(wanted):
        other = items.index(item, index)
        items[index], items[other] = items[other], items[index]
        yield other - index


@attrs.frozen
class Field:
    """The words for a difference in a field of a state."""

    words: str
    """Takes the index of a value, or a member of a set, the file's value and the rules' value."""
    index: Callable[[Any], object] = str
    value: Callable[[Any], object] = str


def compare(shown: object, expected: object, fields: Mapping[str, Field]) -> None:
    """Raise UnexplainedError at the first difference of a file's state from that of the rules."""
    for name, field in fields.items():
        got, wanted = getattr(shown, name), getattr(expected, name)
        if got == wanted:
            continue
        if isinstance(got, frozenset):
            values = ((member, member in got, member in wanted) for member in got ^ wanted)
        else:
            values = ((index, *pair) for index, pair in enumerate(zip(got, wanted, strict=True)))
        for index, *pair in values:
            if pair[0] != pair[1]:
                raise UnexplainedError(
                    field.words.format(field.index(index), *map(field.value, pair))
                )
