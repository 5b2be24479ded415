"""Files of the original Crematoria: `.cnf`, `.res`, and logs of submitted orders.

Files are read strictly and written byte for byte (docs/rules/crematoria.md 8). The readers check
a file's form only: `explaining` checks whether the match in a `.res` can have happened.
Nothing here decides a rule.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import attrs

from lanista.games.base import BadBoardError, Token, Verdict
from lanista.games.crematoria.board import Board
from lanista.games.crematoria.game import Crematoria, Unit
from lanista.games.crematoria.geometry import LETTERS, LEVEL, position
from lanista.games.crematoria.ruleset import RULESET
from lanista.games.originals import FormatError, Tokens, read_order_log, read_settings
from lanista_protocol import shown

TITLE = ("Crematoria", "1.2")
"""The two words with which a `.cnf` file begins: the game and its version."""
SEATS = RULESET.seats
NO_STATUS = (0.0,) * SEATS
"""The players' status in a match that the original's judge didn't run, and so didn't time."""
_ROW = (re.compile("[RCE0-3]{80}"), re.compile("[OEG]{80}"))
_ROWS = (
    "a row of level 0, 80 of `R`, `C`, `E` and `0` to `3`",
    "a row of level 1, 80 of `O`, `E` and `G`",
)
_PLACES = tuple(
    f" {row} {col} {level}" for row, col, level in map(position, (*range(2 * LEVEL), -1))
)
"""By cell, its row, column and level as in a unit's line; the last one is nowhere, which -1 is."""
_STATUS = "a player's status, -1 or a share from 0 to 1"
_MAX_HEALTH = {"p": 50, "f": 100, "n": 75, "h": -1}
_MIN_HEALTH = {"p": 1, "f": 1, "n": 0, "h": -1}


@attrs.frozen(kw_only=True)
class Header:
    """The part of a `.res` file before the first position."""

    seed: int
    settings: Mapping[str, int]
    names: tuple[str, ...] = attrs.field()
    """The players' names by seat, one word each."""
    judge: bool = False
    """Whether the original's judge wrote the file: it begins with `SecGame`, not `Game`."""

    @names.validator
    def _check_names(self, _attribute: object, names: tuple[str, ...]) -> None:
        for name in names:
            if not re.fullmatch(r"\S+", name, re.ASCII):
                raise ValueError(f"the name {name!r} isn't one word, as a `.res` file needs it")
        if len(names) != SEATS:
            raise ValueError(f"{len(names)} names; a `.res` file needs {SEATS}")


@attrs.frozen(kw_only=True)
class Position:
    """The contents of a STATE block: the position before a round, or after the last one."""

    caves: tuple[str, ...]
    """The rows of level 0: a cell is `R`, `C`, `E` or its owner, `0` to `3`."""
    outside: tuple[str, ...]
    """The rows of level 1: a cell is `O`, `E` or `G`."""
    round: int
    cells: tuple[int, ...]
    """The number of caves owned, by seat."""
    gems: tuple[int, ...]
    """The number of gems picked since the start, by seat."""
    status: tuple[float, ...]
    """The share of its time that each player has used, by seat; -1: the player is out."""
    units: tuple[Unit, ...]
    """The units by id."""


Movement = tuple[int, int]
"""A movement that was carried out: the unit's id and the direction, 0 to 10."""


@attrs.frozen
class Res:
    """The contents of a `.res` file."""

    header: Header
    positions: tuple[Position, ...]
    """The positions before every round, and after the last."""
    movements: tuple[tuple[Movement, ...], ...]
    """The movements of each round, in the order in which they were carried out."""

    def scores(self) -> tuple[int, ...]:
        """Return the final scores by seat."""
        last, value = self.positions[-1], self.header.settings["gem_value"]
        return tuple(c + value * g for c, g in zip(last.cells, last.gems, strict=True))


# -- .cnf ----------------------------------------------------------------------------------------


def read_cnf(text: str) -> tuple[dict[str, int], Board | None]:
    """Read a configuration file into its settings and board; None: the seed makes the board.

    Raises:
        FormatError: The text isn't a configuration; names the line and what was expected.
    """
    tokens = Tokens(text)
    settings = read_settings(tokens, TITLE, RULESET.settings)
    if tokens.peek() == "FIXED":  # which the board's reader takes
        try:
            return settings, tokens.remaining(RULESET.read_board)
        except BadBoardError as bad:
            error = FormatError(str(bad))  # which names the line, and the column too
            error.line = bad.line
            raise error from None
    tokens.choice("`GENERATOR` or `FIXED`", "GENERATOR", "FIXED")
    if not tokens.at_end:
        raise tokens.error(
            f"`GENERATOR` takes no parameters, got {shown(tokens.peek() or '')}", tokens.line
        )
    return settings, None


def write_cnf(settings: Mapping[str, int], board: Board | None) -> str:
    """Return a configuration file, laid out like the original's: values end in column 24."""
    lines = "".join(f"{name}{value:{24 - len(name)}}\n" for name, value in settings.items())
    grid = "GENERATOR\n" if board is None else RULESET.write_board(board)
    return f"{' '.join(TITLE)}\n{lines}\n{grid}"


# -- writing .res --------------------------------------------------------------------------------


def match_text(
    header: Header,
    game: Crematoria,
    turns: Iterable[Sequence[Verdict]],
    status: Callable[[int], Sequence[float]] = lambda _: NO_STATUS,
) -> Iterator[str]:
    """Carry a game through its turns, and yield the match as the pieces of a `.res` file.

    Args:
        header: The header of the file; its settings are the game's.
        game: The game, before its first turn. It is at its end afterwards.
        turns: The verdicts of every turn, by seat.
        status: Returns the players' status in a round, by seat; -1 for a player that is out.
    """
    yield header_text(header)
    yield state_text(game, status(game.turn))
    for verdicts in turns:
        game.advance(verdicts)
        yield movements_text(game.moved)
        yield state_text(game, status(game.turn))


def write_res(res: Res) -> str:
    """Return the file that `read_res` reads back to an equal `Res`."""
    blocks = [header_text(res.header), position_text(res.positions[0])]
    for movements, after in zip(res.movements, res.positions[1:], strict=True):
        blocks += movements_text(movements), position_text(after)
    return "".join(blocks)


def header_text(header: Header) -> str:
    """Return the part of a `.res` file before the first position."""
    settings = "".join(f"{name:20}{value}\n" for name, value in header.settings.items())
    return (
        f"{'SecGame' if header.judge else 'Game'}\n\nSeed {header.seed}\n\n{' '.join(TITLE)}\n"
        f"{settings}{'names':20}{' '.join(header.names)}\n\n"
    )


def state_text(game: Crematoria, status: Sequence[float] = NO_STATUS) -> str:
    """Return the STATE block of the present position of a game."""
    state = game.state
    # A match has thousands of units to write, so their lines are made without a `Position`.
    units = [
        f"{kind} {player} {health} {turns}{_PLACES[cell]}"
        for kind, player, health, turns, cell in zip(
            state.kind, state.player, state.health, state.turns, state.pos, strict=True
        )
    ]
    return _block(
        game.caves(),
        game.outside(),
        units,
        game.turn,
        cells=game.cells,
        gems=game.gems,
        status=status,
    )


def position_text(position: Position) -> str:
    """Return the STATE block of a position."""
    units = [
        f"{kind} {player} {health} {turns} {row} {col} {level}"
        for kind, player, health, turns, row, col, level in position.units
    ]
    return _block(
        position.caves,
        position.outside,
        units,
        position.round,
        cells=position.cells,
        gems=position.gems,
        status=position.status,
    )


def _block(
    caves: Iterable[str],
    outside: Iterable[str],
    units: Iterable[str],
    number: int,
    *,
    cells: Iterable[int],
    gems: Iterable[int],
    status: Iterable[float],
) -> str:
    """Return a STATE block, given the rows of both levels and the lines of the units."""
    return "\n".join(
        (
            "",
            *caves,
            *outside,
            "",
            f"round {number}",
            f"nb_cells {_joined(cells)}",
            f"nb_gems {_joined(gems)}",
            f"status {' '.join(format(share, 'g') for share in status)}",
            *units,
            "\n",
        )
    )


def movements_text(movements: Iterable[Movement]) -> str:
    """Return the MOVES block of a round's movements."""
    lines = "".join(f"{unit} {LETTERS[direction]}\n" for unit, direction in movements)
    return f"movements\n{lines}-1\n\n"


def _joined(numbers: Iterable[int]) -> str:
    return " ".join(map(str, numbers))


# -- reading .res --------------------------------------------------------------------------------


def read_res(text: str) -> Res:
    """Read a match file, whose last word must be the last of its last round.

    Raises:
        FormatError: The text isn't a match file; names the line and what was expected.
    """
    tokens = Tokens(text)
    header = _read_header(tokens)
    kinds = _kinds(header.settings)
    positions = [_read_position(tokens, header.settings, kinds, 0)]
    movements = []
    for number in range(1, header.settings["nb_rounds"] + 1):
        movements.append(_read_movements(tokens, len(kinds)))
        positions.append(_read_position(tokens, header.settings, kinds, number))
    tokens.end()
    return Res(header, tuple(positions), tuple(movements))


def _read_header(tokens: Tokens) -> Header:
    kind = tokens.choice("`Game` or `SecGame`", "Game", "SecGame")
    tokens.literal("Seed")
    seed = tokens.integer("the seed", *RULESET.seeds)
    settings = read_settings(tokens, TITLE, RULESET.settings)
    tokens.literal("names")
    names = tuple(tokens.word("a player's name") for _ in range(SEATS))
    return Header(seed=seed, settings=settings, names=names, judge=kind == "SecGame")


def _kinds(settings: Mapping[str, int]) -> str:
    """Return the kinds of all units, a letter each, by id."""
    group = "f" * settings["nb_furyans"] + "p" * settings["nb_pioneers"]
    return group * SEATS + "n" * settings["max_nb_necromongers"] + "h" * settings["nb_hellhounds"]


def _read_position(
    tokens: Tokens, settings: Mapping[str, int], kinds: str, number: int
) -> Position:
    caves, outside = (
        tuple(tokens.matching(_ROW[level], _ROWS[level]) for _ in range(settings["rows"]))
        for level in (0, 1)
    )
    tokens.literal("round")
    tokens.integer("the round", number, number)
    tokens.literal("nb_cells")
    cells = tokens.integers(SEATS, "cells of a player", 0)
    tokens.literal("nb_gems")
    gems = tokens.integers(SEATS, "gems of a player", 0)
    tokens.literal("status")
    status = tuple(_read_share(tokens) for _ in range(SEATS))
    units = tuple(_read_unit(tokens, unit, kind, settings) for unit, kind in enumerate(kinds))
    return Position(
        caves=caves,
        outside=outside,
        round=number,
        cells=cells,
        gems=gems,
        status=status,
        units=units,
    )


def _read_share(tokens: Tokens) -> float:
    share = tokens.decimal(_STATUS)
    if share != -1 and not 0 <= share <= 1:
        raise tokens.error(f"expected {_STATUS}, got {share:g}")
    return share


def _read_unit(tokens: Tokens, unit: int, kind: str, settings: Mapping[str, int]) -> Unit:
    """Read a unit's line.

    Its values must be possible for its kind. Only a dead unit may be nowhere, and only of a kind
    that isn't reborn at once.
    """
    what = f"of unit {unit}"
    tokens.choice(f"the type {what}, `{kind}`", kind)
    person = kind in "pf"
    low, high = (0, SEATS - 1) if person else (-1, -1)
    player = tokens.integer(f"the player {what}", low, high)
    health = tokens.integer(f"the health {what}", _MIN_HEALTH[kind], _MAX_HEALTH[kind])
    most = settings["turns_to_land"] if kind == "n" else -1
    turns = tokens.integer(f"the turns {what}", -1, most)
    line = tokens.line
    row, col, level = (
        tokens.integer(f"the {coordinate} {what}", -1, side - 1)
        for coordinate, side in (
            ("row", settings["rows"]),
            ("column", settings["cols"]),
            ("level", 2),
        )
    )
    gone = (row, col, level) == (-1, -1, -1)
    if gone != (not health) or (not gone and -1 in (row, col, level)):
        where = "nowhere, -1 -1 -1" if not health else "a position on the board"
        raise tokens.error(
            f"expected {where}, for unit {unit} with health {health}, got {row} {col} {level}", line
        )
    return Unit(kind, player, health, turns, row, col, level)


def _read_movements(tokens: Tokens, units: int) -> tuple[Movement, ...]:
    tokens.literal("movements")
    movements = []
    while (
        unit := tokens.integer("a unit's id, or -1 after the last movement", -1, units - 1)
    ) >= 0:
        letter = tokens.choice(f"the direction of unit {unit}, one of `{LETTERS}`", *LETTERS)
        movements.append((unit, LETTERS.index(letter)))
    return tuple(movements)


# -- order logs ----------------------------------------------------------------------------------


def read_orders(text: str) -> list[list[list[Token]]]:
    """Read a log of submitted orders, `id direction` each, as `read_order_log` returns them.

    Raises:
        FormatError: The text isn't such a log; names the line and what was expected.
    """

    def order(tokens: Tokens) -> tuple[int, int]:
        unit = tokens.integer("a unit's id, or `R` for the next player", 0)
        return unit, tokens.integer(f"the direction of unit {unit}", 0, len(LETTERS) - 1)

    return read_order_log(text, SEATS, order)
