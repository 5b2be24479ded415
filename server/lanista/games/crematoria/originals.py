"""The files of the original Crematoria program: positions, movements, orders, settings.

Files are written byte for byte (docs/rules/crematoria.md 8). The readers check a file's form only:
`explaining` checks whether the match in a match file can have happened.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from lanista.games import originals
from lanista.games.base import Token, spaced
from lanista.games.crematoria import scene
from lanista.games.crematoria.board import (
    COLS,
    GEM,
    LETTERS,
    LEVEL,
    ROWS,
    Board,
    cell_at,
    position,
    read_level,
    rows_of,
)
from lanista.games.crematoria.ruleset import RULESET
from lanista.games.crematoria.scene import Position
from lanista.games.crematoria.state import SEATS, roster, scores
from lanista.games.originals import Originals
from lanista.games.tokens import Tokens

TITLE = "Crematoria 1.2"
"""The words with which a `.cnf` file begins: the game and its version."""
# A match has thousands of units to write, so their places are a table.
_PLACES = tuple(
    f" {row} {col} {level}" for row, col, level in map(position, (*range(2 * LEVEL), -1))
)
"""By cell, its row, column and level as in a unit's line; the last one is nowhere, which -1 is."""
_STATUS = "a player's status, -1 or a share from 0 to 1"
_HEALTH = {"p": (1, 50), "f": (1, 100), "n": (0, 75), "h": (-1, -1)}
"""The least and the most health, by kind of unit."""


Movement = tuple[int, int]
"""A movement that was carried out: the unit's id and the direction, 0 to 10."""


Res = originals.Res[Position, Movement]


# -- writing -------------------------------------------------------------------------------------


def _head_text(settings: Mapping[str, int]) -> str:
    """Return the title and settings of a configuration; values end in column 24, as they did."""
    return _settings_text(f"{name}{value:{24 - len(name)}}" for name, value in settings.items())


def _header_text(settings: Mapping[str, int], names: Sequence[str]) -> str:
    lines = _settings_text(f"{name:20}{value}" for name, value in settings.items())
    return f"{lines}{'names':20}{' '.join(names)}\n\n"


def _settings_text(lines: Iterable[str]) -> str:
    return "\n".join((TITLE, *lines, ""))


def state_text(state: Position, status: Sequence[float]) -> str:
    """Return a position's STATE block, with the players' status, by seat."""
    return "\n".join(
        (
            "",
            *rows_of(state.caves),
            *rows_of(board_of(state).outside),
            "",
            f"round {state.turn}",
            f"nb_cells {spaced(state.cells)}",
            f"nb_gems {spaced(state.gems)}",
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


def board_of(state: Position) -> Board:
    """Return the board as it is in a position, with its owners and gems."""
    outside = bytearray(state.outside)
    for cell in state.gems_lying:
        outside[cell - LEVEL] = GEM
    return Board(state.caves, bytes(outside))


def _commands_text(movements: Iterable[Movement]) -> str:
    lines = "".join(f"{unit} {LETTERS[direction]}\n" for unit, direction in movements)
    return f"movements\n{lines}-1\n\n"


# -- reading -------------------------------------------------------------------------------------


def _read_state(tokens: Tokens, settings: Mapping[str, int], number: int) -> Position:
    caves, outside = read_level(tokens, 0), read_level(tokens, 1)
    tokens.literal("round")
    tokens.integer("the round", number, number)
    tokens.literal("nb_cells")
    cells = tokens.integers(SEATS, "cells of a player", 0)
    tokens.literal("nb_gems")
    gems = tokens.integers(SEATS, "gems of a player", 0)
    tokens.literal("status")
    status = tuple(_read_share(tokens) for _ in range(SEATS))
    kinds, _ = roster(settings)
    units = (_read_unit(tokens, unit, kind, settings) for unit, kind in enumerate(kinds))
    players, health, turns, pos = zip(*units, strict=True)
    return Position(
        turn=number,
        caves=caves,
        outside=outside.replace(b"G", b"O"),
        gems_lying=frozenset(LEVEL + gem.start() for gem in re.finditer(b"G", outside)),
        kind=kinds,
        player=players,
        health=health,
        turns=turns,
        pos=pos,
        cells=cells,
        gems=gems,
        scores=scores(settings, cells, gems),
        status=status,
    )


def _read_share(tokens: Tokens) -> float:
    share = tokens.decimal(_STATUS)
    if share != -1 and not 0 <= share <= 1:
        raise tokens.error(f"expected {_STATUS}, got {share:g}")
    return share


def _read_unit(
    tokens: Tokens, unit: int, kind: str, settings: Mapping[str, int]
) -> tuple[int, int, int, int]:
    """Read a unit's line, possible for its kind, into its player, health, turns and cell.

    Only a dead unit may be nowhere, and only of a kind that isn't reborn at once.
    """
    what = f"of unit {unit}"
    tokens.choice(f"the type {what}, `{kind}`", kind)
    person = kind in "pf"
    low, high = (0, SEATS - 1) if person else (-1, -1)
    player = tokens.integer(f"the player {what}", low, high)
    health = tokens.integer(f"the health {what}", *_HEALTH[kind])
    most = settings["turns_to_land"] if kind == "n" else -1
    turns = tokens.integer(f"the turns {what}", -1, most)
    row, col, level = (
        tokens.integer(f"the {coordinate} {what}", -1, side - 1)
        for coordinate, side in (("row", ROWS), ("column", COLS), ("level", 2))
    )
    gone = (row, col, level) == (-1, -1, -1)
    if gone != (not health) or (not gone and -1 in (row, col, level)):
        where = "nowhere, -1 -1 -1" if not health else "a position on the board"
        raise tokens.error(
            f"expected {where}, for unit {unit} with health {health}, got {row} {col} {level}"
        )
    return player, health, turns, -1 if gone else cell_at(row, col, level)


def _read_commands(tokens: Tokens, position: Position) -> tuple[Movement, ...]:
    tokens.literal("movements")
    movements = []
    while (
        unit := tokens.integer(
            "a unit's id, or -1 after the last movement", -1, len(position.kind) - 1
        )
    ) >= 0:
        letter = tokens.choice(f"the direction of unit {unit}, one of `{LETTERS}`", *LETTERS)
        movements.append((unit, LETTERS.index(letter)))
    return tuple(movements)


def _read_order(tokens: Tokens) -> tuple[Token, ...]:
    """Read an order of a log of submitted orders: `id direction`."""
    unit = tokens.integer("a unit's id, or `R` for the next player", 0)
    return unit, tokens.integer(f"the direction of unit {unit}", 0, len(LETTERS) - 1)


ORIGINALS = Originals(
    ruleset=RULESET,
    title=TITLE,
    settings=RULESET.settings,
    generated="GENERATOR",
    head=_head_text,
    header=_header_text,
    state_text=state_text,
    read_state=_read_state,
    commands_of=lambda game: game.state.moved,
    commands_text=_commands_text,
    read_commands=_read_commands,
    read_order=_read_order,
    scene=lambda first: scene.scene(first.caves, first.outside),
    frame=lambda now, before, _commands, _settings: scene.frame(now, before),
)
