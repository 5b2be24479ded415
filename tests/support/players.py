"""Random players by ruleset, for the conformance suite and the golden playthroughs.

Each makes tokens for a seat from the game and a source of chance: mostly good ones, which lead
through many kinds of positions, and now and then one that is refused.
"""

from collections.abc import Sequence
from random import Random

from lanista.games.angrymob.game import AngryMob
from lanista.games.base import Token
from support import crematoria, hogwarts
from support.tinygame import Counting


def units_of(game: AngryMob, seat: int) -> list[tuple[int, int, int]]:
    """Row, column and number of a seat's units, as a viewer sees them."""
    marks = game.frame().marks
    return [(mark.row, mark.col, int(mark.text)) for mark in marks if mark.seat == seat]


def wander(game: AngryMob, seat: int, pick: Random) -> list[Token]:
    """Angry Mob: some of the units go somewhere."""
    near = game.board.neighbours()
    tokens: list[Token] = []
    for row, col, count in units_of(game, seat):
        left = count
        while left and pick.random() < 0.6:
            cells = near[row * game.board.cols + col]
            direction = pick.choice([d for d in range(4) if cells[d] >= 0])
            sent = pick.randint(1, left)
            left -= sent
            tokens += [row, col, sent, direction]
    return tokens


def stray(game: AngryMob, seat: int, pick: Random) -> list[Token]:
    """Angry Mob: as `wander`, but in one move of 100 from a cell that may be any."""
    tokens = wander(game, seat, pick)
    if pick.random() < 0.01:
        tokens += [pick.randrange(game.board.rows), pick.randrange(game.board.cols), 1, 0]
    return tokens


def attack(game: AngryMob, seat: int, pick: Random) -> list[Token]:
    """Angry Mob: one unit stays home, the others go for the opponent's base, detours included."""
    board = game.board
    steps = board.distances(board.bases[1 - seat])
    tokens: list[Token] = []
    for row, col, count in units_of(game, seat):
        cell = row * board.cols + col
        ways = [d for d in range(4) if board.neighbours()[cell][d] >= 0]
        ways.sort(key=lambda d: steps[board.neighbours()[cell][d]])
        going = count - 1 if cell == board.bases[seat] and game.turn else count
        if going:
            tokens += [row, col, going, ways[0] if pick.random() < 0.8 else pick.choice(ways)]
    return tokens


def count(game: Counting, seat: int, pick: Random) -> list[Token]:
    """Counting: a number or `a`, sometimes nothing, too much, or a letter that means nothing."""
    if pick.random() < 0.1:
        return pick.choice([[], [10], [-1, 3], [1, 2], ["b"]])
    return [pick.choice([*range(10), "a"])]


PLAYERS = {
    "angrymob": stray,
    "crematoria": crematoria.roam,
    "counting": count,
    "hogwarts": hogwarts.roam,
}
"""By ruleset: who plays it in the conformance suite."""


def line(tokens: Sequence[Token]) -> str:
    """Tokens as a bot sends them."""
    return " ".join(map(str, tokens))
