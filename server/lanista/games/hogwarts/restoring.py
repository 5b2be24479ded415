"""A game of Hogwarts from what a bot is told of it (PROTOCOL.md 5)."""

from lanista.games.chance import Chance
from lanista.games.hogwarts.board import CLANS, Board, Unit
from lanista.games.hogwarts.game import Hogwarts
from lanista.games.hogwarts.grid import SIDE
from lanista.games.hogwarts.placing import INGREDIENTS
from lanista.games.search import (
    Facts,
    UnreadableFactsError,
    numbers_of,
    rows_of,
    settings_of,
)


def restored(start: Facts, turn: int, position: Facts, chance: Chance) -> Hogwarts:
    """Return the game in this position; see `games.search.RestorableRuleset.restore`.

    Everything is said every round except the draws to come.
    """
    settings = settings_of(start)
    units: list[Unit] = []
    for words in sorted(position.get("unit", ()), key=lambda words: int(words[0])):
        number, _, clan, row, col, rounds, following = words
        if int(number) != len(units):
            raise UnreadableFactsError(f"unit {number} where unit {len(units)} belongs")
        units.append(Unit(int(clan), _cell(row, col), int(rounds), int(following)))
    if len(units) != CLANS * (1 + settings["NUM_INI_WIZARDS_PER_CLAN"]):
        raise UnreadableFactsError(f"{len(units)} units, which these settings don't have")
    board = Board(
        cells=rows_of(position, "own", SIDE, SIDE),
        units=tuple(units),
        books=tuple(sorted(_cell(row, col) for row, col in position.get("book", ()))),
        ingredients=tuple(numbers_of(position, "spell", INGREDIENTS)),
        voldemort=_cell(*position["voldemort"][0]),
    )
    game = Hogwarts(settings, board, chance)
    strength, scores = (numbers_of(position, keyword, CLANS) for keyword in ("strength", "score"))
    game.resume(turn, strength, scores)
    return game


def _cell(row: str, col: str) -> int:
    if not (0 <= int(row) < SIDE and 0 <= int(col) < SIDE):
        raise UnreadableFactsError(f"({row}, {col}) lies outside the board")
    return int(row) * SIDE + int(col)
