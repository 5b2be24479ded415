"""Hogwarts: four clans of wizards and ghosts, and Voldemort (rules/hogwarts.md)."""

from collections.abc import Mapping

from lanista.rules.base import Consequence, Setting
from lanista.rules.chance import Chance, OriginalChance
from lanista.rules.hogwarts.board import (
    CLANS,
    MAX_BOOKS,
    MAX_COUNT,
    MAX_WIZARDS,
    Board,
    read_board,
    write_board,
)
from lanista.rules.hogwarts.game import Hogwarts
from lanista.rules.hogwarts.generator import generate
from lanista.rules.hogwarts.grid import SIDE

__all__ = ["RULESET", "Board", "Hogwarts", "HogwartsRules"]


def _setting(name: str, default: int, most: int, words: str, least: int = 1) -> Setting:
    return Setting(name=name, default=default, low=least, high=most, help=words)


class HogwartsRules:
    """The ruleset as the registry gives it."""

    name = "hogwarts"
    title = "Hogwarts"
    version = "1"
    seats = CLANS
    consequence = Consequence.SKIP
    settings = (
        # In the order of the configuration file, by their names there (rules/hogwarts.md 1).
        _setting("NUM_PLAYERS", CLANS, CLANS, "clans; always 4", CLANS),
        _setting("NUM_ROUNDS", 200, 10_000, "rounds of a match"),
        _setting("BOARD_ROWS", SIDE, SIDE, "rows of the board; always 60", SIDE),
        _setting("BOARD_COLS", SIDE, SIDE, "columns of the board; always 60", SIDE),
        _setting("NUM_INI_WIZARDS_PER_CLAN", 20, MAX_WIZARDS, "wizards of a clan at the start"),
        _setting("NUM_INI_BOOKS", 50, MAX_BOOKS, "books on the board"),
        _setting("CLAN_INI_MAGIC_STRENGTH", 1000, MAX_COUNT, "strength points at the start"),
        _setting("POINTS_FOR_CONVERTING_WIZARD", 100, MAX_COUNT, "score for a conversion"),
        _setting("POINTS_PER_OWNED_CELL", 1, MAX_COUNT, "score for an owned cell"),
        _setting("BOOK_MAGIC_STRENGTH", 50, MAX_COUNT, "strength points of a book"),
        _setting("ROUNDS_FOR_CONVERTING", 5, MAX_COUNT, "rounds that a conversion takes"),
        _setting("ROUNDS_ATTACK_RESTING_GHOST", 15, MAX_COUNT, "rest that an attack adds"),
        _setting("ROUNDS_SPELL_RESTING_GHOST", 60, MAX_COUNT, "rest after a spell or a death"),
        _setting("ROUNDS_NO_ATTACK_GHOST", 5, MAX_COUNT, "rounds between attacks on a ghost"),
        _setting(
            "original", 0, 1, "1: as the original program where it contradicts its rules text", 0
        ),
    )
    seeds = (0, 2**31 - 1)
    classic = None

    def chance(self, seed: int) -> Chance:
        """The original program's generator (rules/hogwarts.md 3.4)."""
        return OriginalChance(seed)

    def read_board(self, text: str) -> Board:
        """Read the FIXED part of a configuration; BadBoardError says where it is wrong."""
        return read_board(text)

    def write_board(self, board: Board) -> str:
        """The board as the FIXED part of a configuration."""
        return write_board(board)

    def generate(self, settings: Mapping[str, int], chance: Chance) -> Board:
        """The board of the generator RANDOM."""
        return generate(settings, chance)

    def new(self, settings: Mapping[str, int], board: Board, chance: Chance) -> Hogwarts:
        """Start a game in round 0, whatever round the board was copied from.

        Raises:
            BadBoardError: The settings ask for another number of units or books.
        """
        return Hogwarts(settings, board, chance)

    def max_turns(self, settings: Mapping[str, int]) -> int:
        """The rounds, all of which are always played."""
        return settings["NUM_ROUNDS"]


RULESET = HogwartsRules()
