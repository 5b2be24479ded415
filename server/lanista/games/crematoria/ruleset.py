"""The ruleset of Crematoria: its settings, its seeds, and how its games begin."""

from collections.abc import Mapping
from typing import ClassVar

from lanista.games.base import ByHand, Consequence, Setting
from lanista.games.chance import Chance, OriginalChance
from lanista.games.crematoria import board as boards
from lanista.games.crematoria import generator
from lanista.games.crematoria.board import (
    COLS,
    DOWN,
    ELEVATOR,
    GEM,
    OFFSETS,
    OUTSIDE,
    ROWS,
    UP,
    Board,
    cell_at,
)
from lanista.games.crematoria.game import Crematoria
from lanista.games.crematoria.scene import TURN_WORD
from lanista.games.crematoria.state import SEATS, UNUSED, State, roster
from lanista.games.search import Facts, cell_of, numbers_of, rows_of, settings_of


class CrematoriaRules:
    """The ruleset of Crematoria, as the registry loads it."""

    name = "crematoria"
    title = "Crematoria"
    version = "1"
    seats = SEATS
    consequence = Consequence.SKIP
    # Lower limits and fixed values are those of the original. Upper limits make sure that all
    # units fit on any generated board; the limits of nb_elevators keep the generator fast
    # (rules/crematoria.md 3).
    settings = (
        Setting("nb_players", SEATS, SEATS, SEATS, "players; always 4"),
        Setting("nb_rounds", 120, 1, 10_000, "rounds of a match"),
        Setting("nb_furyans", 5, 1, 20, "furyans of each player at the start"),
        Setting("nb_pioneers", 15, 1, 40, "pioneers of each player at the start"),
        Setting("max_nb_necromongers", 10, 1, 100, "necromongers at most, descending ones too"),
        Setting("nb_hellhounds", 3, 1, 8, "hellhounds underground"),
        Setting("nb_elevators", 20, 16, 23, "elevators of a generated board"),
        Setting("gem_value", 30, 1, 10_000, "points for a gem; a cell is worth 1"),
        Setting("turns_to_land", 2, 1, 1000, "rounds from a necromonger's arrival to its landing"),
        Setting("rows", ROWS, ROWS, ROWS, "rows of the board; always 40"),
        Setting("cols", COLS, COLS, COLS, "columns of the board; always 80"),
    )
    turn_word = TURN_WORD
    client_state = "CrematoriaState"
    submove_numbers = 2
    by_hand = ByHand(steps=OFFSETS, lifts=(UP, DOWN))
    endings: ClassVar[Mapping[str, str]] = {
        "rounds": "all rounds were played: the most points won, for caves and gems "
        "(rules, section 7)",
    }
    seeds = (0, 2**31 - 1)
    classic = None

    chance = staticmethod(OriginalChance)
    read_board = staticmethod(boards.read_board)
    write_board = staticmethod(boards.write_board)
    generate = staticmethod(generator.generate)

    def new(self, settings: Mapping[str, int], board: Board, chance: Chance) -> Crematoria:
        """Start a game with randomly placed units; raise BadBoardError if they have no room."""
        return Crematoria(generator.place_units(settings, board, chance), settings)

    def restore(self, start: Facts, turn: int, position: Facts, chance: Chance) -> Crematoria:
        """Return the game in the position that a bot was sent.

        That lacks the draws to come, and whether a dead necromonger ever lived, which no rule asks.
        """
        settings = settings_of(start)
        kinds, players = roster(settings)
        health = [0] * len(kinds)
        turns = [UNUSED] * len(kinds)
        pos = [-1] * len(kinds)
        for number, _, *rest in position["unit"]:
            unit = int(number)
            players[unit], health[unit], turns[unit], row, col, level = map(int, rest)
            pos[unit] = cell_at(row, col, level)
        state = State(
            board=_board(position),
            chance=chance,
            kind=kinds,
            player=players,
            health=health,
            turns=turns,
            pos=pos,
        )
        state.gems = numbers_of(position, "gems")
        return Crematoria(state, settings, turn)

    def max_turns(self, settings: Mapping[str, int]) -> int:
        """Return the number of rounds, all of which are always played."""
        return settings["nb_rounds"]


def _board(position: Facts) -> Board:
    """Return the board as it is now: who owns the caves, and where gems lie."""
    caves = rows_of(position, "own")
    outside = bytearray(ELEVATOR if kind == ELEVATOR else OUTSIDE for kind in caves)
    for row, col in position.get("gem", ()):
        outside[cell_of(row, col, ROWS, COLS)] = GEM
    return Board(caves, bytes(outside))


RULESET = CrematoriaRules()
