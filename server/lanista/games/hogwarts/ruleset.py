"""The ruleset of Hogwarts: its settings, its seeds, and how its games begin."""

from collections.abc import Mapping
from typing import ClassVar

from lanista.games.base import ByHand, Consequence, Setting
from lanista.games.chance import Chance, OriginalChance
from lanista.games.hogwarts import board as boards
from lanista.games.hogwarts import generator
from lanista.games.hogwarts.board import (
    CLANS,
    MAX_BOOKS,
    MAX_COUNT,
    MAX_WIZARDS,
    SIDE,
    Board,
    Unit,
)
from lanista.games.hogwarts.game import Hogwarts
from lanista.games.hogwarts.scene import TURN_WORD
from lanista.games.search import Facts, cell_of, numbers_of, rows_of, settings_of


class HogwartsRules:
    """The ruleset of Hogwarts, as the registry loads it."""

    name = "hogwarts"
    title = "Hogwarts"
    version = "1"
    seats = CLANS
    consequence = Consequence.SKIP
    settings = (
        # Names and order are those of the original's configuration file (rules/hogwarts.md 1).
        Setting("NUM_PLAYERS", CLANS, CLANS, CLANS, "clans; always 4"),
        Setting("NUM_ROUNDS", 200, 1, 10_000, "rounds of a match"),
        Setting("BOARD_ROWS", SIDE, SIDE, SIDE, "rows of the board; always 60"),
        Setting("BOARD_COLS", SIDE, SIDE, SIDE, "columns of the board; always 60"),
        Setting("NUM_INI_WIZARDS_PER_CLAN", 20, 1, MAX_WIZARDS, "wizards of a clan at the start"),
        Setting("NUM_INI_BOOKS", 50, 1, MAX_BOOKS, "books on the board"),
        Setting("CLAN_INI_MAGIC_STRENGTH", 1000, 1, MAX_COUNT, "strength points at the start"),
        Setting("POINTS_FOR_CONVERTING_WIZARD", 100, 1, MAX_COUNT, "score for a conversion"),
        Setting("POINTS_PER_OWNED_CELL", 1, 1, MAX_COUNT, "score for an owned cell"),
        Setting("BOOK_MAGIC_STRENGTH", 50, 1, MAX_COUNT, "strength points of a book"),
        Setting("ROUNDS_FOR_CONVERTING", 5, 1, MAX_COUNT, "rounds that a conversion takes"),
        Setting("ROUNDS_ATTACK_RESTING_GHOST", 15, 1, MAX_COUNT, "rest that an attack adds"),
        Setting("ROUNDS_SPELL_RESTING_GHOST", 60, 1, MAX_COUNT, "rest after a spell or a death"),
        Setting("ROUNDS_NO_ATTACK_GHOST", 5, 1, MAX_COUNT, "rounds between attacks on a ghost"),
        Setting(
            "original", 0, 0, 1, "1: as the original program where it contradicts its rules text"
        ),
    )
    turn_word = TURN_WORD
    client_state = "HogwartsState"
    # Wizards don't take diagonal steps.
    by_hand = ByHand(steps=((1, 0), None, (0, 1), None, (-1, 0), None, (0, -1), None), word="m")
    endings: ClassVar[Mapping[str, str]] = {
        "rounds": "all rounds were played: the highest score won (rules, section 12)",
    }
    seeds = (0, 2**31 - 1)
    classic = None

    chance = staticmethod(OriginalChance)
    read_board = staticmethod(boards.read_board)
    write_board = staticmethod(boards.write_board)
    generate = staticmethod(generator.generate)

    def new(self, settings: Mapping[str, int], board: Board, chance: Chance) -> Hogwarts:
        """Start a game in round 0, even if the board was copied from a later round.

        Raises BadBoardError if the settings require another number of units or books.
        """
        return Hogwarts(settings, board, chance)

    def restore(self, start: Facts, turn: int, position: Facts, chance: Chance) -> Hogwarts:
        """Return the game in the position that a bot was sent, with new draws to come."""
        settings = settings_of(start)
        lines = sorted(position["unit"], key=lambda words: int(words[0]))
        units = [
            Unit(int(clan), _cell(row, col), int(rounds), int(following))
            for _, _, clan, row, col, rounds, following in lines
        ]
        board = Board(
            cells=rows_of(position, "own"),
            units=tuple(units),
            books=tuple(sorted(_cell(row, col) for row, col in position.get("book", ()))),
            ingredients=tuple(numbers_of(position, "spell")),
            voldemort=_cell(*position["voldemort"][0]),
        )
        game = Hogwarts(settings, board, chance)
        game.resume(turn, numbers_of(position, "strength"), numbers_of(position, "score"))
        return game

    def max_turns(self, settings: Mapping[str, int]) -> int:
        """Return the number of rounds, all of which are always played."""
        return settings["NUM_ROUNDS"]


def _cell(row: str, col: str) -> int:
    return cell_of(row, col, SIDE, SIDE)


RULESET = HogwartsRules()
