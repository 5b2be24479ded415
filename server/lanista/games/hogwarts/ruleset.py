"""The ruleset of Hogwarts: its settings, its seeds, and how its games begin."""

from collections.abc import Mapping
from typing import ClassVar

from lanista.games.base import Consequence, Setting
from lanista.games.chance import Chance, OriginalChance
from lanista.games.hogwarts.board import (
    CLANS,
    MAX_BOOKS,
    MAX_COUNT,
    MAX_WIZARDS,
    Board,
    read_board,
    write_board,
)
from lanista.games.hogwarts.game import Hogwarts
from lanista.games.hogwarts.generator import generate
from lanista.games.hogwarts.grid import SIDE
from lanista.games.hogwarts.restoring import restored
from lanista.games.hogwarts.scene import TURN_WORD
from lanista.games.search import Facts


def _setting(name: str, default: int, high: int, description: str, low: int = 1) -> Setting:
    return Setting(name=name, default=default, low=low, high=high, help=description)


class HogwartsRules:
    """The ruleset of Hogwarts, as the registry loads it."""

    name = "hogwarts"
    title = "Hogwarts"
    version = "1"
    seats = CLANS
    consequence = Consequence.SKIP
    settings = (
        # Names and order are those of the original's configuration file (rules/hogwarts.md 1).
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
    turn_word = TURN_WORD
    endings: ClassVar[Mapping[str, str]] = {
        "rounds": "all rounds were played: the highest score won (docs/rules/hogwarts.md 12)",
    }
    seeds = (0, 2**31 - 1)
    classic = None

    def chance(self, seed: int) -> Chance:
        """Return the original program's generator (rules/hogwarts.md 3.4)."""
        return OriginalChance(seed)

    def read_board(self, text: str) -> Board:
        """Read the FIXED part of a configuration.

        Raises:
            BadBoardError: The text isn't a valid board.
        """
        return read_board(text)

    def write_board(self, board: Board) -> str:
        """Return the board as the FIXED part of a configuration."""
        return write_board(board)

    def generate(self, settings: Mapping[str, int], chance: Chance) -> Board:
        """Generate a board as the original's generator RANDOM does."""
        return generate(settings, chance)

    def new(self, settings: Mapping[str, int], board: Board, chance: Chance) -> Hogwarts:
        """Start a game in round 0, even if the board was copied from a later round.

        Raises:
            BadBoardError: The settings require another number of units or books.
        """
        return Hogwarts(settings, board, chance)

    def restore(self, start: Facts, turn: int, position: Facts, chance: Chance) -> Hogwarts:
        """Return the game that a bot was told of, with new draws to come; see `games.search`."""
        return restored(start, turn, position, chance)

    def max_turns(self, settings: Mapping[str, int]) -> int:
        """Return the number of rounds, all of which are always played."""
        return settings["NUM_ROUNDS"]


RULESET = HogwartsRules()
