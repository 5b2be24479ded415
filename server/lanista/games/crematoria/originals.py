"""The files of the original Crematoria program: positions, movements, orders, settings.

Files are written byte for byte (docs/rules/crematoria.md 8). The readers check a file's form only:
`explaining` checks whether the match in a match file can have happened.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

import attrs

from lanista.games import originals
from lanista.games.base import Token, spaced
from lanista.games.crematoria import scene
from lanista.games.crematoria.board import LETTERS, LEVEL, cell_at, position
from lanista.games.crematoria.game import Crematoria
from lanista.games.crematoria.ruleset import RULESET
from lanista.games.crematoria.state import roster, scores
from lanista.games.originals import Originals
from lanista.games.tokens import Tokens

TITLE = ("Crematoria", "1.2")
"""The two words with which a `.cnf` file begins: the game and its version."""
SEATS = RULESET.seats
_ROW = (re.compile("[RCE0-3]{80}"), re.compile("[OEG]{80}"))
_ROWS = (
    "a row of level 0, 80 of `R`, `C`, `E` and `0` to `3`",
    "a row of level 1, 80 of `O`, `E` and `G`",
)
# A match has thousands of units to write, so their places are a table.
_PLACES = tuple(
    f" {row} {col} {level}" for row, col, level in map(position, (*range(2 * LEVEL), -1))
)
"""By cell, its row, column and level as in a unit's line; the last one is nowhere, which -1 is."""
_STATUS = "a player's status, -1 or a share from 0 to 1"
_MAX_HEALTH = {"p": 50, "f": 100, "n": 75, "h": -1}
_MIN_HEALTH = {"p": 1, "f": 1, "n": 0, "h": -1}


class Unit(NamedTuple):
    """A unit, as in a match file of the original."""

    kind: str
    """`p` pioneer, `f` furyan, `n` necromonger, `h` hellhound."""
    player: int
    """The player it belongs to; -1 for a unit of nobody."""
    health: int
    """The health; 0 when it is dead, -1 for a hellhound."""
    turns: int
    """The rounds until a necromonger lands; 0 after it landed or died, -1 when it was never used.

    Other units have -1.
    """
    row: int
    col: int
    level: int
    """The level, 0 underground and 1 outside; row, column and level are -1 for the dead."""


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


Res = originals.Res[Position, Movement]
"""A match file."""


# -- writing -------------------------------------------------------------------------------------


def _head_text(settings: Mapping[str, int]) -> str:
    """Return the title and settings of a configuration; values end in column 24, as they did."""
    return _settings_text(f"{name}{value:{24 - len(name)}}" for name, value in settings.items())


def _header_text(settings: Mapping[str, int], names: Sequence[str]) -> str:
    lines = _settings_text(f"{name:20}{value}" for name, value in settings.items())
    return f"{lines}{'names':20}{' '.join(names)}\n\n"


def _settings_text(lines: Iterable[str]) -> str:
    return "\n".join((" ".join(TITLE), *lines, ""))


def state_text(game: Crematoria, status: Sequence[float]) -> str:
    """Return the STATE block of a game's present position, with the players' status, by seat."""
    state = game.state
    return "\n".join(
        (
            "",
            *game.caves(),
            *game.outside(),
            "",
            f"round {game.turn}",
            f"nb_cells {spaced(game.cells)}",
            f"nb_gems {spaced(game.gems)}",
            f"status {' '.join(format(share, 'g') for share in status)}",
            *[
                f"{kind} {player} {health} {turns}{_PLACES[cell]}"
                for kind, player, health, turns, cell in zip(
                    state.kind, state.player, state.health, state.turns, state.pos, strict=True
                )
            ],
            "\n",
        )
    )


def _commands_text(movements: Iterable[Movement]) -> str:
    lines = "".join(f"{unit} {LETTERS[direction]}\n" for unit, direction in movements)
    return f"movements\n{lines}-1\n\n"


# -- reading -------------------------------------------------------------------------------------


def _read_state(tokens: Tokens, settings: Mapping[str, int], number: int) -> Position:
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
    units = tuple(
        _read_unit(tokens, unit, kind, settings) for unit, kind in enumerate(roster(settings)[0])
    )
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
            f"expected {where}, for unit {unit} with health {health}, got {row} {col} {level}"
        )
    return Unit(kind, player, health, turns, row, col, level)


def _read_commands(tokens: Tokens, position: Position) -> tuple[Movement, ...]:
    tokens.literal("movements")
    movements = []
    while (
        unit := tokens.integer(
            "a unit's id, or -1 after the last movement", -1, len(position.units) - 1
        )
    ) >= 0:
        letter = tokens.choice(f"the direction of unit {unit}, one of `{LETTERS}`", *LETTERS)
        movements.append((unit, LETTERS.index(letter)))
    return tuple(movements)


def _read_order(tokens: Tokens) -> tuple[Token, ...]:
    """Read an order of a log of submitted orders: `id direction`."""
    unit = tokens.integer("a unit's id, or `R` for the next player", 0)
    return unit, tokens.integer(f"the direction of unit {unit}", 0, len(LETTERS) - 1)


# -- showing -------------------------------------------------------------------------------------


def _bytes(rows: tuple[str, ...]) -> bytes:
    return "".join(rows).encode("ascii")


def _shown(position: Position, settings: Mapping[str, int]) -> scene.Position:
    units = position.units
    outside = "".join(position.outside)
    return scene.Position(
        position.round,
        _bytes(position.caves),
        frozenset(cell_at(0, 0, 1) + index for index, cell in enumerate(outside) if cell == "G"),
        [unit.kind for unit in units],
        [unit.player for unit in units],
        [unit.health for unit in units],
        [unit.turns for unit in units],
        [-1 if unit.row < 0 else cell_at(unit.row, unit.col, unit.level) for unit in units],
        position.cells,
        position.gems,
        scores(settings, position.cells, position.gems),
    )


ORIGINALS = Originals(
    ruleset=RULESET,
    title=TITLE,
    settings=RULESET.settings,
    rounds="nb_rounds",
    generated="GENERATOR",
    head=_head_text,
    header=_header_text,
    state_text=state_text,
    read_state=_read_state,
    commands_of=attrgetter("moved"),
    commands_text=_commands_text,
    read_commands=_read_commands,
    read_order=_read_order,
    scene=lambda first: scene.scene(_bytes(first.caves), _bytes(first.outside)),
    position=_shown,
    frame=lambda now, before, _commands, _settings: scene.frame(now, before),
)
