"""The files of the original Hogwarts program: `.cnf`, `.res` and the traces' `.orders`.

The formats are in rules/hogwarts.md 13 and 14. A `.res` is written byte for byte as the original
writes it. Readers split on white space as the original's do, and refuse any other deviation.
The readers check a file's form only: `explaining` checks whether the match in a `.res` can
have happened. Nothing here decides a rule.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import attrs

from lanista.games.base import BadBoardError, Setting, Token, Verdict
from lanista.games.hogwarts.board import CLANS, MAX_WIZARDS, Board
from lanista.games.hogwarts.game import Hogwarts
from lanista.games.hogwarts.grid import CELLS, PLACES, SIDE
from lanista.games.hogwarts.orders import Order
from lanista.games.hogwarts.ruleset import RULESET
from lanista.games.originals import FormatError, Tokens, read_order_log, read_settings

VERSION = ("HarryPotter", "1.0")
"""The two words by which files name the game and its version."""
INGREDIENTS = 15
NO_STATUS = (0.0,) * CLANS
"""The players' status in a match that the original's judge didn't run, and so didn't time."""
WORDS = ("Game", "SecGame")
"""The possible first words of a match file: the public program's, and the judge's."""
DIRECTIONS = "dcreuqlz"
"""The letters of the directions 0 to 7."""
TITLES = ("type", "id", "player", "row", "column", "rounds", "next")
"""The column titles of a state's list of units."""
CODED: tuple[Setting, ...] = RULESET.settings[:14]
"""The settings that the files have, in the files' order."""
_TABS = (3, 3, 3, 3, 1, 3, 2, 1, 2, 2, 2, 1, 1, 2)
_LABELS = (
    "".join(str(col // 10) for col in range(SIDE)),
    "".join(str(col % 10) for col in range(SIDE)),
)
_NUMBERS = tuple(f"{row:02} " for row in range(SIDE))
_UNITS = tuple(
    f"{'w' if unit >= CLANS else 'g'}\t{unit}\t" for unit in range(CLANS + CLANS * MAX_WIZARDS)
)
"""By unit, the beginning of its line."""
_PLACES = tuple(f"{row}\t{col}" for row, col in PLACES)
"""By cell, its row and column as in the lines of units and books."""
_ROW = re.compile(rf"[W.0-3]{{{SIDE}}}", re.ASCII)
_MOST = 2**31 - 1


class Unit(NamedTuple):
    """A unit as a match file shows it; its id is its index in the state's list."""

    player: int
    row: int
    column: int
    rounds: int
    next: int


@attrs.frozen(kw_only=True)
class State:
    """The position before a round, or after the last one."""

    rows: tuple[str, ...]
    """The 60 rows of 60 cells: `W` is a wall, `.` has no owner, `0` to `3` is the owner."""
    units: tuple[Unit, ...]
    """The units by id: 4 ghosts, then the wizards."""
    books: tuple[tuple[int, int], ...]
    """The row and column of each book, in ascending order."""
    ingredients: tuple[int, ...]
    voldemort: tuple[int, int]
    """The row and column of Voldemort."""
    round: int
    score: tuple[int, ...]
    conversion_points: tuple[int, ...]
    """The part of each player's score that comes from conversions: `scr_acc` in the file."""
    strength: tuple[int, ...]
    """The strength points of each player, not divided by the number of its units."""
    status: tuple[float, ...]
    """The share of its computing time that each player has used; -1: the player is out."""


@attrs.frozen(kw_only=True)
class Res:
    """The contents of a match file."""

    word: str
    """The first word, one of `WORDS`."""
    seed: int
    settings: Mapping[str, int]
    """The values of the settings in `CODED`."""
    names: tuple[str, ...]
    states: tuple[State, ...]
    """The states before every round, and after the last."""
    commands: tuple[tuple[Order, ...], ...]
    """The orders of each round that had an effect, in the order in which they were carried out."""


# -- writing match files --------------------------------------------------------------------------


def match_text(
    game: Hogwarts,
    turns: Iterable[Sequence[Verdict]],
    *,
    seed: int,
    names: Sequence[str],
    word: str = "Game",
    status: Callable[[int], Sequence[float]] = lambda _: NO_STATUS,
) -> Iterator[str]:
    """Play a game through its turns, and yield the parts of its match file.

    Args:
        game: The game, in round 0. It is at its end afterwards.
        turns: The verdicts of every round, by seat. They may be made on demand: each is taken
            when the game is in its round.
        seed: The seed of the match.
        names: The players' names, by seat. White space in them becomes `_`: readers split on it.
        word: The first word of the file, `Game` or `SecGame`.
        status: Returns the shares of the computing time used, by seat, in a round.
    """
    yield _header(word, seed, game.settings, ["_".join(name.split()) for name in names])
    yield state_text(game, status(game.turn))
    for verdicts in turns:
        game.advance(verdicts)
        yield write_commands(game.executed)
        yield state_text(game, status(game.turn))


def state_text(game: Hogwarts, status: Sequence[float] = NO_STATUS) -> str:
    """Return the block of a game's present state."""
    owners = game.owners.decode()
    # A match has thousands of units to write, so their lines are made of tables, without a `State`.
    return _block(
        [owners[start : start + SIDE] for start in range(0, CELLS, SIDE)],
        [
            f"{unit}{player}\t{_PLACES[cell]}\t{rounds}\t{turns_to}"
            for unit, player, cell, rounds, turns_to in zip(
                _UNITS, game.clans, game.cells, game.rounds, game.nexts, strict=False
            )
        ],
        [_PLACES[cell] for cell in sorted(game.books)],
        ingredients=game.ingredients,
        voldemort=PLACES[game.voldemort],
        number=game.turn,
        points=(game.scores(), game.conversion_points, game.strength),
        status=status,
    )


def write_res(res: Res) -> str:
    """Return the match file, byte for byte as the original writes it."""
    parts = [_header(res.word, res.seed, res.settings, res.names)]
    for state, commands in zip(res.states, (*res.commands, None), strict=True):
        parts.append(write_state(state))
        if commands is not None:
            parts.append(write_commands(commands))
    return "".join(parts)


def write_state(state: State) -> str:
    """Return the block of a state."""
    return _block(
        state.rows,
        [
            f"{unit}{player}\t{row}\t{column}\t{rounds}\t{turns_to}"
            for unit, (player, row, column, rounds, turns_to) in zip(
                _UNITS, state.units, strict=False
            )
        ],
        [f"{row}\t{column}" for row, column in state.books],
        ingredients=state.ingredients,
        voldemort=state.voldemort,
        number=state.round,
        points=(state.score, state.conversion_points, state.strength),
        status=state.status,
    )


def _header(word: str, seed: int, settings: Mapping[str, int], names: Sequence[str]) -> str:
    joined = "".join(f" {name}" for name in names)
    return f"{word}\n\nSeed {seed}\n\n{_coded(settings)}names         {joined}\n"


def _coded(settings: Mapping[str, int]) -> str:
    lines = [
        f"{setting.name}{tabs * chr(9)}{settings[setting.name]}\n"
        for setting, tabs in zip(CODED, _TABS, strict=True)
    ]
    return f"{' '.join(VERSION)}\n\n{''.join(lines)}"


def _block(
    rows: Sequence[str],
    units: Sequence[str],
    books: Sequence[str],
    *,
    ingredients: Sequence[int],
    voldemort: tuple[int, int],
    number: int,
    points: tuple[Sequence[int], ...],
    status: Sequence[float],
) -> str:
    """Return the block of a state, with the two empty lines before it.

    Args:
        rows: The rows of cells.
        units: The lines of the units.
        books: The lines of the books.
        ingredients: The ingredients.
        voldemort: Voldemort's place.
        number: The number of the round.
        points: The players' scores, conversion points and strength.
        status: The shares of the computing time used, by player.
    """
    lines = ["", "", *(f"   {label}" for label in _LABELS)]
    lines += map(str.__add__, _NUMBERS, rows)
    lines += ["", "units", str(len(units)), "\t".join(TITLES), *units]
    lines += ["", "books", str(len(books)), "row\tcolumn", *books]
    lines += ["", "spell_ingredients", str(len(ingredients))]
    lines += ["".join(f"{value} " for value in ingredients)]
    lines += ["", "Voldemort", f"{voldemort[0]} {voldemort[1]}", "", f"round {number}"]
    for title, values in zip(("score", "scr_acc", "strength"), points, strict=True):
        lines += ["", "\t".join((title, *map(str, values)))]
    lines += ["", "\t".join(("status", *(f"{share:g}" for share in status))), "", ""]
    return "\n".join(lines)


def write_commands(commands: Sequence[Order]) -> str:
    """Return the block of a round's commands."""
    lines = ["commands", str(len(commands))]
    for command in commands:
        if command.groups is None:
            lines.append(f"{command.unit}\tm\t{DIRECTIONS[command.direction]}\t")
        else:
            groups = "".join(f" {group}" for group in command.groups)
            lines.append(f"{command.unit}\ts\t{len(command.groups)}\t{groups}")
    return "\n".join((*lines, ""))


# -- reading match files --------------------------------------------------------------------------


def read_res(text: str) -> Res:
    """Read a match file.

    Raises:
        FormatError: The text isn't a match file; names the line and what was expected.
    """
    tokens = Tokens(text)
    word = tokens.choice("the first word, `Game` or `SecGame`", *WORDS)
    tokens.literal("Seed")
    seed = tokens.integer("the seed", 0, _MOST)
    settings = read_settings(tokens, VERSION, CODED)
    tokens.literal("names")
    names = tuple(tokens.word(f"the name of player {player}") for player in range(CLANS))
    states = [_read_state(tokens, settings, 0)]
    commands = []
    for number in range(settings["NUM_ROUNDS"]):
        commands.append(_read_commands(tokens, len(states[0].units)))
        states.append(_read_state(tokens, settings, number + 1))
    tokens.end()
    return Res(
        word=word,
        seed=seed,
        settings=settings,
        names=names,
        states=tuple(states),
        commands=tuple(commands),
    )


def _read_state(tokens: Tokens, settings: Mapping[str, int], number: int) -> State:
    tokens.literal(*_LABELS)
    rows = []
    for row in range(SIDE):
        tokens.literal(f"{row:02}")
        rows.append(
            tokens.matching(_ROW, f"the {SIDE} cells of row {row}, of `W`, `.` and `0` to `3`")
        )
    units = _read_units(tokens, CLANS + CLANS * settings["NUM_INI_WIZARDS_PER_CLAN"])
    books = _read_books(tokens, settings["NUM_INI_BOOKS"])
    tokens.literal("spell_ingredients", str(INGREDIENTS))
    ingredients = tokens.integers(INGREDIENTS, "an ingredient", 0, 30)
    tokens.literal("Voldemort")
    voldemort = _read_place(tokens, "Voldemort")
    tokens.literal("round")
    if tokens.integer("the number of the round", 0) != number:
        raise tokens.error(f"expected round {number}; rounds follow one another")
    tokens.literal("score")
    score = tokens.integers(CLANS, "a score", 0)
    tokens.literal("scr_acc")
    points = tokens.integers(CLANS, "points for conversions", 0)
    tokens.literal("strength")
    strength = tokens.integers(CLANS, "strength points", 0)
    tokens.literal("status")
    return State(
        rows=tuple(rows),
        units=units,
        books=books,
        ingredients=ingredients,
        voldemort=voldemort,
        round=number,
        score=score,
        conversion_points=points,
        strength=strength,
        status=tuple(tokens.decimal("a status") for _ in range(CLANS)),
    )


def _read_units(tokens: Tokens, count: int) -> tuple[Unit, ...]:
    tokens.literal("units")
    tokens.integer("the number of units", count, count)
    tokens.literal(*TITLES)
    units = []
    for number in range(count):
        tokens.literal("w" if number >= CLANS else "g", str(number))
        player = tokens.integer(f"the player of unit {number}", 0, CLANS - 1)
        place = _read_place(tokens, f"unit {number}")
        rounds = tokens.integer(f"the rounds of unit {number}", 0)
        units.append(Unit(player, *place, rounds, tokens.integer(f"next of unit {number}", -1)))
    return tuple(units)


def _read_books(tokens: Tokens, count: int) -> tuple[tuple[int, int], ...]:
    tokens.literal("books")
    tokens.integer("the number of books", count, count)
    tokens.literal("row", "column")
    books: list[tuple[int, int]] = []
    for _ in range(count):
        book = _read_place(tokens, "a book")
        if books and book <= books[-1]:
            raise tokens.error(f"book {book} after {books[-1]}; they go by row, then column")
        books.append(book)
    return tuple(books)


def _read_place(tokens: Tokens, what: str) -> tuple[int, int]:
    row = tokens.integer(f"the row of {what}", 0, SIDE - 1)
    return row, tokens.integer(f"the column of {what}", 0, SIDE - 1)


def _read_commands(tokens: Tokens, units: int) -> tuple[Order, ...]:
    tokens.literal("commands")
    commands = []
    for _ in range(tokens.integer("the number of commands", 0, units)):
        unit = tokens.integer("the unit of a command", 0, units - 1)
        if tokens.choice("`m` or `s`", "m", "s") == "m":
            letter = tokens.choice(f"a direction, one of {DIRECTIONS}", *DIRECTIONS)
            commands.append(Order(unit, DIRECTIONS.index(letter)))
        else:
            tokens.literal(str(INGREDIENTS))
            groups = tokens.integers(INGREDIENTS, "a group", 0, 4)
            commands.append(Order(unit, -1, groups))
    return tuple(commands)


# -- configurations -------------------------------------------------------------------------------


def read_cnf(text: str) -> tuple[dict[str, int], Board | None]:
    """Read a configuration into its settings and board; None: the seed makes the board.

    Raises:
        FormatError: The text isn't a configuration; names the line and what was expected.
    """
    tokens = Tokens(text)
    settings = read_settings(tokens, VERSION, CODED)
    if tokens.choice("the generator, `RANDOM` or `FIXED`", "RANDOM", "FIXED") == "RANDOM":
        tokens.end()
        return settings, None
    try:
        board = tokens.remaining(RULESET.read_board)
    except BadBoardError as error:
        raise FormatError(error.args[0]) from None
    for name, needed in (
        ("NUM_INI_WIZARDS_PER_CLAN", board.wizards_per_clan),
        ("NUM_INI_BOOKS", len(board.books)),
    ):
        if settings[name] != needed:
            raise FormatError(f"{name} is {settings[name]}, but the board below needs {needed}")
    return settings, board


def write_cnf(settings: Mapping[str, int], board: Board | None) -> str:
    """Return the configuration as a file that `read_cnf` reads back."""
    if board is None:
        return f"{_coded(settings)}\nRANDOM\n"
    return f"{_coded(settings)}\nFIXED\n{RULESET.write_board(board)}"


# -- submitted orders -----------------------------------------------------------------------------


def read_orders(text: str) -> list[list[list[Token]]]:
    """Read an `.orders` file, as `read_order_log` returns it.

    An order is `unit kind direction n g1 … gn`, where kind 0 is a move and 1 a spell. A spell on
    the wire always has 15 groups (PROTOCOL.md 5). One with another number of groups becomes a spell
    that is as useless: its groups are out of range.

    Raises:
        FormatError: The text isn't such a file; names the line and what was expected.
    """

    def order(tokens: Tokens) -> tuple[Token, ...]:
        unit = tokens.integer("the unit of an order")
        is_spell = tokens.integer("the kind, 0 or 1", 0, 1)
        direction = tokens.integer("the direction")
        groups = tokens.integers(tokens.integer("the number of groups", 0), "a group")
        if not is_spell:
            return "m", unit, direction
        return "s", unit, *(groups if len(groups) == INGREDIENTS else (CLANS + 1,) * INGREDIENTS)

    return read_order_log(text, CLANS, order)
