"""A game of Crematoria from what a bot is told of it (PROTOCOL.md 5)."""

from lanista.games.chance import Chance
from lanista.games.crematoria.board import CAVE, ELEVATOR, GEM, OUTSIDE, Board
from lanista.games.crematoria.game import Crematoria
from lanista.games.crematoria.geometry import COLS, LEVEL, ROWS, cell_at
from lanista.games.crematoria.state import (
    HELLHOUND,
    NECROMONGER,
    SEATS,
    UNUSED,
    State,
    roster,
)
from lanista.games.search import (
    Facts,
    UnreadableFactsError,
    numbers_of,
    rows_of,
    settings_of,
)


def restored(start: Facts, turn: int, position: Facts, chance: Chance) -> Crematoria:
    """Return the game in this position; see `games.search.RestorableRuleset.restore`.

    Everything is said every round except the draws to come; and whether a dead necromonger ever
    lived, which no rule asks.
    """
    settings = settings_of(start)
    kinds, players = roster(settings)
    health = [0] * len(kinds)
    turns = [UNUSED] * len(kinds)
    pos = [-1] * len(kinds)
    for words in position.get("unit", ()):
        number, kind, *rest = words
        player, left, landing, row, col, level = map(int, rest)
        unit = int(number)
        if not 0 <= unit < len(kinds) or kinds[unit] != kind:
            raise UnreadableFactsError(f"unit {unit} `{kind}`, which these settings don't have")
        if not (0 <= row < ROWS and 0 <= col < COLS and 0 <= level <= 1):
            raise UnreadableFactsError(f"({row}, {col}, {level}) lies outside the board")
        players[unit], health[unit], turns[unit] = player, left, landing
        pos[unit] = cell_at(row, col, level)
    necromongers, hellhounds = (
        range(kinds.index(kind), kinds.index(kind) + kinds.count(kind))
        for kind in (NECROMONGER, HELLHOUND)
    )
    missing = [unit for unit in (*range(necromongers.start), *hellhounds) if pos[unit] < 0]
    if missing:
        raise UnreadableFactsError(f"no line says where unit {missing[0]} is")
    state = State(
        board=_board(start, position),
        chance=chance,
        kind=kinds,
        player=players,
        health=health,
        turns=turns,
        pos=pos,
        necromongers=necromongers,
        hellhounds=hellhounds,
    )
    state.gems = numbers_of(position, "gems", SEATS)
    return Crematoria(state, settings, turn)


def _board(start: Facts, position: Facts) -> Board:
    """Return the board as it is now: who owns the caves, and where gems lie."""
    caves = rows_of(position, "own", ROWS, COLS)
    plain = rows_of(start, "row", ROWS, COLS)
    if caves.translate(_UNOWNED) != plain:
        raise UnreadableFactsError("the lines `own` and `row` describe different boards")
    outside = bytearray(ELEVATOR if kind == ELEVATOR else OUTSIDE for kind in plain)
    for row, col in position.get("gem", ()):
        cell = cell_at(int(row), int(col))
        if not (0 <= cell < LEVEL and 0 <= int(col) < COLS):
            raise UnreadableFactsError(f"a gem at ({row}, {col}), which lies outside the board")
        outside[cell] = GEM
    return Board(caves, bytes(outside))


_UNOWNED = bytes.maketrans(b"0123", bytes([CAVE]) * SEATS)
