"""The ruleset of Crematoria: its settings, its seeds, and how its games begin."""

from collections.abc import Mapping
from typing import ClassVar

from lanista.games.base import Consequence, Setting
from lanista.games.chance import Chance, OriginalChance
from lanista.games.crematoria.board import Board, read_board, write_board
from lanista.games.crematoria.game import Crematoria
from lanista.games.crematoria.generator import generate
from lanista.games.crematoria.geometry import COLS, ROWS
from lanista.games.crematoria.placement import place_units
from lanista.games.crematoria.restoring import restored
from lanista.games.crematoria.scene import TURN_WORD
from lanista.games.crematoria.state import SEATS
from lanista.games.search import Facts


def _setting(name: str, default: int, low: int, high: int, description: str) -> Setting:
    return Setting(name=name, default=default, low=low, high=high, help=description)


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
        _setting("nb_players", SEATS, SEATS, SEATS, "players; always 4"),
        _setting("nb_rounds", 120, 1, 10_000, "rounds of a match"),
        _setting("nb_furyans", 5, 1, 20, "furyans of each player at the start"),
        _setting("nb_pioneers", 15, 1, 40, "pioneers of each player at the start"),
        _setting("max_nb_necromongers", 10, 1, 100, "necromongers at most, descending ones too"),
        _setting("nb_hellhounds", 3, 1, 8, "hellhounds underground"),
        _setting("nb_elevators", 20, 16, 23, "elevators of a generated board"),
        _setting("gem_value", 30, 1, 10_000, "points for a gem; a cell is worth 1"),
        _setting("turns_to_land", 2, 1, 1000, "rounds from a necromonger's arrival to its landing"),
        _setting("rows", ROWS, ROWS, ROWS, "rows of the board; always 40"),
        _setting("cols", COLS, COLS, COLS, "columns of the board; always 80"),
    )
    turn_word = TURN_WORD
    submove_numbers = 2
    endings: ClassVar[Mapping[str, str]] = {
        "rounds": "all rounds were played: the most points won, for caves and gems "
        "(docs/rules/crematoria.md 7)",
    }
    seeds = (0, 2**31 - 1)
    classic = None

    def chance(self, seed: int) -> Chance:
        """Return the original's generator; board, first position and rounds use one sequence."""
        return OriginalChance(seed)

    def read_board(self, text: str) -> Board:
        """Read a board file.

        Raises:
            BadBoardError: The file isn't a valid board.
        """
        return read_board(text)

    def write_board(self, board: Board) -> str:
        """Return the board as the text of a board file."""
        return write_board(board)

    def generate(self, settings: Mapping[str, int], chance: Chance) -> Board:
        """Generate the board that the original generates from the same seed."""
        return generate(settings, chance)

    def new(self, settings: Mapping[str, int], board: Board, chance: Chance) -> Crematoria:
        """Start a game with randomly placed units.

        Raises:
            BadBoardError: The board, from a file, has no room for all units of these settings.
        """
        return Crematoria(place_units(settings, board, chance), settings)

    def restore(self, start: Facts, turn: int, position: Facts, chance: Chance) -> Crematoria:
        """Return the game that a bot was told of, with new draws to come; see `games.search`."""
        return restored(start, turn, position, chance)

    def max_turns(self, settings: Mapping[str, int]) -> int:
        """Return the number of rounds, all of which are always played."""
        return settings["nb_rounds"]


RULESET = CrematoriaRules()
