"""Crematoria for tests: hand-made positions, a random player, the traces of the original.

A hand-made position has only the units that a test names; every other id is parked far from
them, one in each cell of a rock-walled row of its own, where nobody comes.
"""

import functools
from collections.abc import Mapping, Sequence
from random import Random
from typing import NamedTuple

import attrs

import lanista
import lanista_maps
from lanista.games.base import Answer, Token, complete_settings
from lanista.games.chance import Chance, OriginalChance
from lanista.games.crematoria.board import (
    CAVE,
    ELEVATOR,
    GEM,
    LEVEL,
    OUTSIDE,
    ROCK,
    Board,
    cell_at,
    position,
    rows_of,
)
from lanista.games.crematoria.game import Crematoria
from lanista.games.crematoria.originals import ORIGINALS
from lanista.games.crematoria.ruleset import RULESET
from lanista.games.crematoria.scene import Position
from lanista.games.crematoria.state import IMMORTAL, MAX_HEALTH, UNUSED, State, roster
from lanista.games.testing import ScriptedChance
from support import originals
from support.golden import Answers, GoldenGame, Raw
from support.traces import Traces

read_res, read_orders = ORIGINALS.read_res, ORIGINALS.read_orders
match_text = functools.partial(originals.match_text, ORIGINALS)
write_res = functools.partial(originals.write_res, ORIGINALS)
TRACES = Traces(ORIGINALS, "crematoria")

Place = tuple[int, int, int]
"""Row, column, level."""

SMALL = {"nb_furyans": 2, "nb_pioneers": 2, "max_nb_necromongers": 3, "nb_hellhounds": 2}
"""Ids: of player p furyans 4p and 4p + 1, pioneers 4p + 2 and 4p + 3; necromongers 16 to 18;
hellhounds 19 and 20."""
HELLHOUNDS = (19, 20)
DEAD = (-1, -1, -1)
"""The place of a dead unit."""
PARKING_ROW = 38
"""Row of level 0 where who isn't named stands, every second column; hellhounds under it."""


def new_game(seed: int, settings: Mapping[str, int] | None = None) -> Crematoria:
    """A game on the board of its seed."""
    return lanista.new_game("crematoria", seed=seed, settings=settings).rules


def board(
    *,
    rock: Sequence[tuple[int, int]] = (),
    elevators: Sequence[tuple[int, int]] = (),
    owned: Mapping[tuple[int, int], int] | None = None,
    gems: Sequence[tuple[int, int]] = (),
    only: Sequence[tuple[int, int]] | None = None,
) -> Board:
    """A board of open caves, or of the caves of `only`, with this in it."""
    caves = bytearray([CAVE if only is None else ROCK]) * LEVEL
    outside = bytearray([OUTSIDE]) * LEVEL
    for place in only or ():
        caves[cell_at(*place)] = CAVE
    for place in rock:
        caves[cell_at(*place)] = ROCK
    for place in elevators:
        caves[cell_at(*place)] = outside[cell_at(*place)] = ELEVATOR
    for place, owner in (owned or {}).items():
        caves[cell_at(*place)] = ord("0") + owner
    for place in gems:
        outside[cell_at(*place)] = GEM
    return Board(bytes(caves), bytes(outside))


class Unit(NamedTuple):
    """A unit; see `State`."""

    kind: str
    player: int
    health: int
    turns: int
    row: int
    col: int
    level: int


def units_of(state: State | Position) -> tuple[Unit, ...]:
    """Every unit by id, including those that are dead or were never used."""
    fields = state.kind, state.player, state.health, state.turns, state.pos
    return tuple(Unit(*values, *position(cell)) for *values, cell in zip(*fields, strict=True))


def with_units(state: Position, units: Sequence[Unit]) -> Position:
    """A position of a match file with other units."""
    kind, player, health, turns, *places = zip(*units, strict=True)
    pos = [-1 if place[0] < 0 else cell_at(*place) for place in zip(*places, strict=True)]
    return attrs.evolve(state, kind=kind, player=player, health=health, turns=turns, pos=pos)


def heir(value: int = 0) -> tuple[str, int, int]:
    """A scripted draw of the new player of somebody who is killed by nobody."""
    return ("new player", 3, value)


class Listening(OriginalChance):
    """Keeps the reasons of its draws."""

    def __init__(self, seed: int):
        super().__init__(seed)
        self.whys: list[str] = []

    def below(self, n: int, why: str) -> int:
        self.whys.append(why)
        return super().below(n, why)


def some_game() -> Crematoria:
    """Every kind of unit and cell: gems, an owner, necromongers landed, descending and dead."""
    on = board(
        rock=[(0, 0)], elevators=[(9, 9), (3, 70)], owned={(0, 1): 2}, gems=[(8, 3), (2, 79)]
    )
    units = {0: (9, 9, 1), 2: (7, 7, 0), 16: (5, 50, 1), 17: (6, 50, 1), 19: (20, 20, 0)}
    return game_at(units, on=on, landing={16: 2}, health={2: 33}, turn=3, chance=OriginalChance(1))


def game_at(
    units: Mapping[int, Place],
    *,
    on: Board | None = None,
    chance: Chance | None = None,
    health: Mapping[int, int] | None = None,
    landing: Mapping[int, int] | None = None,
    turn: int = 0,
    settings: Mapping[str, int] | None = None,
) -> Crematoria:
    """A game of `SMALL` at a hand-made position.

    Args:
        units: By id where it stands; the others are parked, necromongers dead.
        on: The board; None: all cave.
        chance: None: any draw is an error.
        health: By id, where it isn't full.
        landing: By id, rounds until a necromonger of `units` lands.
        turn: Rounds played.
        settings: Beside those of `SMALL`.
    """
    complete = complete_settings(RULESET, {**SMALL, **(settings or {})})
    kinds, players = roster(complete)
    hounds = [unit for unit, kind in enumerate(kinds) if kind == "h"]
    on = on or board()
    pos, lives, turns = [], [], []
    for unit, kind in enumerate(kinds):
        place = units.get(unit)
        if place is None and kind == "h":
            place = (2, 4 * hounds.index(unit) + 60, 0)
        elif place is None and kind != "n":
            place = (PARKING_ROW, 2 * unit, 0)
        pos.append(-1 if place is None else cell_at(*place))
        full = IMMORTAL if kind == "h" else MAX_HEALTH[kind] if place else 0
        lives.append((health or {}).get(unit, full))
        turns.append((landing or {}).get(unit, 0) if kind == "n" and place else UNUSED)
    state = State(
        board=on,
        chance=chance or ScriptedChance([]),
        kind=kinds,
        player=players,
        health=lives,
        turns=turns,
        pos=pos,
    )
    return Crematoria(state, complete, turn)


def caves_of(game: Crematoria) -> list[str]:
    """Level 0 by row: `R`, `C`, `E`, or an owner from `0` to `3`."""
    return rows_of(game.state.caves)


def outside_of(game: Crematoria) -> list[str]:
    """Level 1 by row: `O`, `E`, or `G` with a gem."""
    level = bytearray(game.seen().outside)
    for cell in game.state.gems_lying:
        level[cell - LEVEL] = GEM
    return rows_of(level)


def roam(game: Crematoria, seat: int, pick: Random) -> list[Token]:
    """Crematoria: own units in random order go somewhere; now and then nonsense among it."""
    units = [
        (unit, at)
        for unit, at in enumerate(units_of(game.state))
        if at.player == seat and at.row >= 0
    ]
    pick.shuffle(units)
    tokens: list[Token] = []
    for unit, at in units:
        stands_on = game.state.caves[cell_at(at.row, at.col)] if pick.random() < 0.2 else 0
        direction = 8 + (at.level == 1) if stands_on == ELEVATOR else pick.randrange(8)
        if pick.random() < 0.02:
            direction = pick.choice([8, 9, 10, 11, -1])
        tokens += [unit, direction]
    if pick.random() < 0.05:
        tokens += [pick.randrange(-2, 100), pick.randrange(-1, 12)]
    return tokens


def roaming(seed: int) -> Answers:
    """Answers of four roaming players, by a source of chance of their own."""
    pick = Random(seed)
    return lambda game: [" ".join(map(str, roam(game, seat, pick))) for seat in range(4)]


def roamed(game: Crematoria, rounds: int, seed: int) -> str:
    """The match file of a game of four roaming players."""
    pick = Random(seed)
    turns = ([game.parse(seat, roam(game, seat, pick)) for seat in range(4)] for _ in range(rounds))
    return "".join(match_text(game, turns, seed=seed, names="ABCD"))


def at_fault(game: Crematoria) -> list[Raw]:
    """Every seat is at fault in another way, and now and then well behaved."""
    faults: list[Raw] = [{"verdict": "late"}, {"verdict": "missing"}, "0 1 x", "20", "1 2 0 4 99 1"]
    answers: list[Raw] = [faults[(game.turn + seat) % len(faults)] for seat in range(3)]
    return [*answers, {"verdict": "out"}]


GOLDEN = [
    GoldenGame(
        name="crematoria-generated",
        game="crematoria",
        seed=30,
        settings={"nb_rounds": 12},
        answers=roaming(1),
    ),
    GoldenGame(
        name="crematoria-fixed",
        game="crematoria",
        seed=2**31 - 1,
        settings={"nb_rounds": 10, "nb_pioneers": 8, "nb_hellhounds": 5, "turns_to_land": 1},
        board=lanista_maps.read("crematoria", "islands"),
        answers=roaming(2),
    ),
    GoldenGame(
        name="crematoria-faults",
        game="crematoria",
        seed=0,
        settings={"nb_rounds": 6},
        answers=at_fault,
    ),
]
"""Games for the golden playthroughs."""


def position_of(game: Crematoria, unit: int) -> Place:
    """Where a unit is."""
    return position(game.state.pos[unit])


def orders(game: Crematoria, *by_seat: Sequence[tuple[int, int]]) -> list[Answer]:
    """The answers of seats that send these orders; the other seats send none."""
    sent = [*by_seat, *((),) * (RULESET.seats - len(by_seat))]
    return [
        game.parse(seat, [number for order in of_seat for number in order])
        for seat, of_seat in enumerate(sent)
    ]
