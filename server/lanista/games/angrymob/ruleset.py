"""The ruleset of Angry Mob: its settings, its seeds, and how its games begin."""

import functools
from collections.abc import Mapping
from typing import ClassVar

from lanista.games.angrymob import board as boards
from lanista.games.angrymob.board import Board
from lanista.games.angrymob.game import SEATS, AngryMob
from lanista.games.angrymob.generator import generate
from lanista.games.angrymob.scene import TURN_WORD
from lanista.games.base import ByHand, Consequence, Setting
from lanista.games.chance import SEED_BITS, Chance, SeededChance
from lanista.games.search import Facts, cell_of, settings_of


class Classic:
    """The original wire format: the map, then the opponent's answers, byte for byte."""

    def opening(self, game: AngryMob, seat: int) -> bytes:
        """Return the map, in which `A` is the receiver's own base."""
        board = game.board
        return "\n".join((f"{board.rows} {board.cols}", *board.lines(seat), "")).encode()

    def turn(self, game: AngryMob, seat: int) -> bytes:
        """Return the numbers that the opponent sent last turn, formatted uniformly."""
        numbers = game.moved[1 - seat]
        return f"{' '.join(map(str, numbers or ()))}\n".encode()

    def closing(self, game: AngryMob, seat: int) -> bytes:
        """Return the opponent's last answer if both answers were well formed and in time.

        Such an answer is sent even if it was illegal.
        """
        if None in game.moved:
            return b""
        return self.turn(game, seat)


class AngryMobRules:
    """The ruleset of Angry Mob, as the registry loads it."""

    name = "angrymob"
    title = "Angry Mob"
    version = "1"
    seats = SEATS
    consequence = Consequence.FORFEIT
    settings = (
        Setting(
            "move_limit", 2400, 1, 1_000_000, "moves without a capture until the match is a draw"
        ),
    )
    seeds = (-(2 ** (SEED_BITS - 1)), 2 ** (SEED_BITS - 1) - 1)
    classic = Classic()
    turn_word = TURN_WORD
    client_state = "AngryMobState"
    submove_numbers = 4
    by_hand = ByHand(steps=((0, 1), (-1, 0), (0, -1), (1, 0)), counts=True)
    endings: ClassVar[Mapping[str, str]] = {
        "capture": "whoever conquers the other's base wins, whatever the scores (rules, section 3)",
        "both-captured": "both bases were conquered in the same move, which is a draw, whatever "
        "the scores (rules, section 3)",
        "no-units": "neither player has a unit left, which is a draw (rules, section 3)",
        "move-limit": "no base was conquered within the move limit, which is a draw, whatever the "
        "scores (rules, section 3)",
    }

    chance = staticmethod(SeededChance)
    read_board = staticmethod(boards.read_board)
    write_board = staticmethod(boards.write_board)

    def generate(self, settings: Mapping[str, int], chance: Chance) -> Board:  # noqa: ARG002 - maps depend on chance alone
        """Generate a random map."""
        return generate(chance)

    def new(self, settings: Mapping[str, int], board: Board, chance: Chance) -> AngryMob:  # noqa: ARG002 - no chance once the map is made
        """Start a game, in which each player has one unit on its base."""
        return AngryMob(board, settings["move_limit"])

    def restore(self, start: Facts, turn: int, position: Facts, chance: Chance) -> AngryMob:  # noqa: ARG002 - no chance once the map is made
        """Return the game in the position that a bot was sent.

        `position` has a line `neutral` for every cell that changed since the start.
        """
        rows = sorted((int(row), cells) for row, *cells in start["row"])
        lines = [" ".join(start["size"][0]), *(" ".join(cells) for _, cells in rows)]
        board = _board("\n".join(lines))
        game = AngryMob(board, settings_of(start)["move_limit"])
        game.turn, game.units = turn, ({}, {})
        for row, col, seat, number in position.get("unit", ()):
            game.units[int(seat)][cell_of(row, col, board.rows, board.cols)] = int(number)
        for row, col, number in position.get("neutral", ()):
            cell = cell_of(row, col, board.rows, board.cols)
            game.neutral[cell] = int(number)
            game.changed.add(cell)
        moved: list[tuple[int, ...] | None] = [None] * SEATS
        for seat, *numbers in position.get("moved", ()):
            moved[int(seat)] = tuple(map(int, numbers))
        game.moved = tuple(moved)
        return game

    def max_turns(self, settings: Mapping[str, int]) -> int:
        """Return the move limit."""
        return settings["move_limit"]


_board = functools.lru_cache(maxsize=8)(boards.read_unfair_board)
"""Reads a map, which a bot that looks ahead wants in every turn of a match."""


RULESET = AngryMobRules()
