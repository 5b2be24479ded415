"""The ruleset of Angry Mob: its settings, its seeds, and how its games begin."""

from collections.abc import Mapping
from typing import ClassVar

from lanista.games.angrymob.board import Board, read_board, write_board
from lanista.games.angrymob.classic import Classic
from lanista.games.angrymob.game import SEATS, AngryMob
from lanista.games.angrymob.generator import generate
from lanista.games.angrymob.restoring import restored
from lanista.games.angrymob.scene import TURN_WORD
from lanista.games.base import Consequence, Setting
from lanista.games.chance import SEED_BITS, Chance, SeededChance
from lanista.games.search import Facts


class AngryMobRules:
    """The ruleset of Angry Mob, as the registry loads it."""

    name = "angrymob"
    title = "Angry Mob"
    version = "1"
    seats = SEATS
    consequence = Consequence.FORFEIT
    settings = (
        Setting(
            name="move_limit",
            default=2400,
            low=1,
            high=1_000_000,
            help="moves without a capture until the match is a draw",
        ),
    )
    seeds = (-(2 ** (SEED_BITS - 1)), 2 ** (SEED_BITS - 1) - 1)
    classic = Classic()
    turn_word = TURN_WORD
    submove_numbers = 4
    endings: ClassVar[Mapping[str, str]] = {
        "capture": "whoever conquers the other's base wins, whatever the scores "
        "(docs/rules/angrymob.md 3)",
        "both-captured": "both bases were conquered in the same move, which is a draw, whatever "
        "the scores (docs/rules/angrymob.md 3)",
        "no-units": "neither player has a unit left, which is a draw (docs/rules/angrymob.md 3)",
        "move-limit": "no base was conquered within the move limit, which is a draw, whatever the "
        "scores (docs/rules/angrymob.md 3)",
    }

    def chance(self, seed: int) -> Chance:
        """Return the source of draws for a signed 64-bit seed (rules/angrymob.md 1)."""
        return SeededChance(seed)

    def read_board(self, text: str) -> Board:
        """Read a map file.

        Raises:
            BadBoardError: The file isn't a valid map.
        """
        return read_board(text)

    def write_board(self, board: Board) -> str:
        """Return the board as the text of a map file."""
        return write_board(board)

    def generate(self, settings: Mapping[str, int], chance: Chance) -> Board:  # noqa: ARG002 - maps depend on chance alone
        """Generate a random map."""
        return generate(chance)

    def new(self, settings: Mapping[str, int], board: Board, chance: Chance) -> AngryMob:  # noqa: ARG002 - no chance once the map is made
        """Start a game, in which each player has one unit on its base."""
        return AngryMob(board, settings["move_limit"])

    def restore(self, start: Facts, turn: int, position: Facts, chance: Chance) -> AngryMob:  # noqa: ARG002 - no chance once the map is made
        """Return the game that a bot was told of; see `games.search`."""
        return restored(start, turn, position)

    def max_turns(self, settings: Mapping[str, int]) -> int:
        """Return the move limit."""
        return settings["move_limit"]


RULESET = AngryMobRules()
