"""For the tests of Hogwarts: a player, hand-made positions, scripted chances, the traces.

Positions are small on purpose: an empty hall with four ghosts and four wizards, of which a test
puts those it is about where it wants them; the others and Voldemort wait far away.
"""

import functools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from random import Random

import attrs

import lanista
from lanista.games.base import Answer, Late, MalformedAnswerError, Token, Verdict, complete_settings
from lanista.games.chance import OriginalChance
from lanista.games.hogwarts.board import BORDER, CELLS, CLANS, NEAR, OUTSIDE, SIDE, Board, Unit
from lanista.games.hogwarts.game import Hogwarts
from lanista.games.hogwarts.orders import solution
from lanista.games.hogwarts.originals import ORIGINALS, Res
from lanista.games.hogwarts.ruleset import RULESET
from support import originals
from support.golden import GoldenGame
from support.traces import Traces

read_res, read_orders = ORIGINALS.read_res, ORIGINALS.read_orders
match_text = functools.partial(originals.match_text, ORIGINALS)
write_res = functools.partial(originals.write_res, ORIGINALS)
TRACES = Traces(ORIGINALS, "hogwarts")
DOWN, DR, RIGHT, RU, UP, UL, LEFT, LD = range(8)
INGREDIENTS = (5, 8, 6, 7, 6, 7, 8, 5, 5, 9, 5, 9, 7, 8, 5)
"""Seed 1's: five groups of 20."""
ADDED_UP = tuple(range(1, 16))
"""1 to 15: five groups of 24."""
PARKED = {
    **{ghost: (ghost, 59, 4 * ghost) for ghost in range(4)},
    **{4 + clan: (clan, 55, 4 * clan) for clan in range(4)},
}
"""Where units stand that a test doesn't speak of: clan, row, column by id."""
VOLDEMORT = (57, 57)
FAR_BOOK = (50, 0)


class Draws:
    """A chance that gives scripted values by reason, and others by a seed; it keeps all draws.

    A value of the script is checked to be possible; `done` checks that all were drawn.
    """

    def __init__(self, script: dict[str, Sequence[int]] | None = None, seed: int = 1):
        self.script = defaultdict(
            list, {why: list(values) for why, values in (script or {}).items()}
        )
        self.made: list[tuple[str, int, int]] = []
        self._rest = OriginalChance(seed)

    def below(self, n: int, why: str) -> int:
        values = self.script[why]
        value = values.pop(0) if values else self._rest.below(n, why)
        assert 0 <= value < n, f"the script says {value} for a draw below {n} ({why})"
        self.made.append((why, n, value))
        return value

    def ranges(self, why: str) -> list[int]:
        """The n of the draws for a reason."""
        return [n for reason, n, _ in self.made if reason == why]

    def done(self) -> None:
        left = {why: values for why, values in self.script.items() if values}
        assert not left, f"never drawn: {left}"


def cell(row: int, col: int) -> int:
    """A cell's number."""
    return row * SIDE + col


def hall(
    units: dict[int, tuple[int, ...]] | None = None,
    *,
    walls: Sequence[tuple[int, int]] = (),
    books: Sequence[tuple[int, int]] = (FAR_BOOK,),
    owned: dict[tuple[int, int], int] | None = None,
    voldemort: tuple[int, int] = VOLDEMORT,
    ingredients: Sequence[int] = INGREDIENTS,
) -> Board:
    """A board without walls but those given.

    Units are given as (clan, row, column) or (clan, row, column, rounds, next) by id; the number
    of wizards is made a multiple of four.
    """
    placed = {**PARKED, **(units or {})}
    for spare in range(8, 8 + 4 * len(placed)):
        if len(placed) % 4 == 0:
            break
        if spare not in placed:
            placed[spare] = (0, 45, 4 * (spare - 8))
    cells = bytearray(b"." * CELLS)
    for row, col in walls:
        cells[cell(row, col)] = ord("W")
    for (row, col), clan in (owned or {}).items():
        cells[cell(row, col)] = ord(str(clan))
    made = []
    for number in range(len(placed)):
        clan, row, col, rounds, turns_to = (*placed[number], 0, -1)[:5]
        cells[cell(row, col)] = ord(str(clan))
        made.append(Unit(clan, cell(row, col), rounds, turns_to))
    board = Board(
        bytes(cells),
        tuple(made),
        tuple(sorted(cell(*book) for book in books)),
        tuple(ingredients),
        cell(*voldemort),
    )
    assert RULESET.read_board(RULESET.write_board(board)) == board
    return board


def begin(board: Board, chance=None, **settings: int) -> Hogwarts:
    """A game on a board, with the settings that it needs."""
    given = complete_settings(RULESET, {**board.needs, **settings})
    return RULESET.new(given, board, chance or Draws())


def seeded(seed: int, **settings: int) -> Hogwarts:
    """A game on the board of a seed."""
    return lanista.new_game("hogwarts", seed=seed, settings=settings).rules


def res_of(game: Hogwarts, turns: Iterable[Sequence[Verdict]], **about) -> Res:
    """The match file of a game that is played through these turns, fewer than its rounds or not."""
    text = "".join(match_text(game, turns, **about))
    whole, played = (f"\nNUM_ROUNDS\t\t\t{n}\n" for n in (game.settings["NUM_ROUNDS"], game.turn))
    res = read_res(text.replace(whole, played))
    return attrs.evolve(res, settings={**res.settings, "NUM_ROUNDS": game.settings["NUM_ROUNDS"]})


def tokens(line: str) -> list[Token]:
    """A bot's line."""
    return [word if word.isalpha() else int(word) for word in line.split()]


def answers(game: Hogwarts, lines: dict[int, str]) -> list[Answer]:
    """What the seats said, by seat; nothing for those not named."""
    return [game.parse(seat, tokens(lines.get(seat, ""))) for seat in range(CLANS)]


def play(game: Hogwarts, lines: dict[int, str] | None = None) -> list[int]:
    """One round; the units whose orders had an effect, in the order of execution."""
    game.advance(answers(game, lines or {}))
    return [order.unit for order in game.executed]


def spell(ghost: int, ingredients: Sequence[int]) -> str:
    """A submove with a right solution."""
    return f"s {ghost} {' '.join(map(str, solution(tuple(ingredients))))}"


def roam(game: Hogwarts, seat: int, pick: Random) -> list[Token]:
    """Most units go somewhere, towards others now and then; ghosts cast when they can."""
    said: list[Token] = []
    for unit, clan in enumerate(game.clans):
        if clan != seat or pick.random() < 0.1:
            continue
        if unit < CLANS and not game.rounds[unit]:
            right = pick.random() < 0.9
            said += ["s", unit, *(solution(game.ingredients) if right else [0] * 15)]
            continue
        ways = range(0 if unit >= CLANS else 1, 8, 2)
        near = {way: NEAR[way][game.cells[unit]] for way in ways}
        taken = set(game.cells) | game.books
        good = [way for way in ways if near[way] in taken] if pick.random() < 0.7 else []
        said += ["m", unit, pick.choice(good or ways)]
    if pick.random() < 0.05:
        said += pick.choice([["m", 500, 0], ["m", 0, 1], ["m", 5, 9], ["m", 70, 2], ["m", 1]])
    return said


def roaming(game: Hogwarts, rounds: int, pick: Random) -> Iterator[list[Verdict]]:
    """The turns of four roaming players; one whose answer is malformed is late."""
    for _ in range(rounds):
        turn: list[Verdict] = []
        for seat in range(CLANS):
            try:
                turn.append(game.parse(seat, roam(game, seat, pick)))
            except MalformedAnswerError:
                turn.append(Late())
        yield turn


def check_invariants(game: Hogwarts) -> None:
    """What holds before and after every round (rules/hogwarts.md 12)."""
    settings = game.settings
    units = len(game.board.units)
    assert units == len(set(game.cells)), "two units on a cell"
    assert [0, 1, 2, 3] == game.clans[:4]
    assert settings["NUM_INI_BOOKS"] == len(game.books)
    assert not game.books & set(game.cells), "a book under a unit"
    for at in range(CELLS):
        wall = game.board.cells[at] == ord("W")
        assert wall == (game.owners[at] == ord("W")), "walls change"
    for unit, at in enumerate(game.cells):
        assert game.owners[at] == ord(str(game.clans[unit])), f"unit {unit} on foreign ground"
        if unit >= 4:
            assert 0 <= game.rounds[unit] < max(settings["ROUNDS_FOR_CONVERTING"], 5)
            converting = game.rounds[unit] > 0
            assert converting == (game.nexts[unit] >= 0)
            assert game.nexts[unit] != game.clans[unit]
        else:
            assert game.rounds[unit] >= 0
            assert -1 <= game.nexts[unit] < max(game.turn, 1)
    assert all(game.owners[at] != ord("W") for at in game.books)
    assert game.voldemort not in BORDER
    around = [NEAR[way][game.voldemort] for way in range(8)]
    assert OUTSIDE not in around
    assert not set(game.cells) & {game.voldemort, *around}, "a unit next to Voldemort"
    total = sum(game.ingredients)
    assert 15 == len(game.ingredients)
    assert total % 5 == 0
    assert solution(game.ingredients)
    if game.turn:
        scores = tuple(
            points + settings["POINTS_PER_OWNED_CELL"] * game.owners.count(ord(str(clan)))
            for clan, points in enumerate(game.conversion_points)
        )
        assert scores == game.scores()
    else:
        assert (0, 0, 0, 0) == game.scores()


def _roamed(seed: int):
    pick = Random(seed)
    return lambda game: [" ".join(map(str, roam(game, seat, pick))) for seat in range(CLANS)]


def _faults(game: Hogwarts):
    """Everybody silent in every way, then one seat out for good."""
    if not game.turn:
        return [{"verdict": "late"}, {"verdict": "missing"}, "m 6", "q 1 2"]
    return [f"m 0 {game.turn % 8}", {"verdict": "out"}, "m 2 0 m 2 2 m 0 0 m 6 1", ""]


_QUICK = {
    "NUM_ROUNDS": 60,
    "NUM_INI_WIZARDS_PER_CLAN": 5,
    "NUM_INI_BOOKS": 30,
    "ROUNDS_SPELL_RESTING_GHOST": 3,
}
GOLDEN = [
    GoldenGame(name="hogwarts-text", game="hogwarts", seed=30, settings=_QUICK, answers=_roamed(1)),
    GoldenGame(
        name="hogwarts-original",
        game="hogwarts",
        seed=30,
        settings={**_QUICK, "original": 1},
        answers=_roamed(1),
    ),
    GoldenGame(
        name="hogwarts-faults",
        game="hogwarts",
        seed=7,
        settings={"NUM_ROUNDS": 6, "NUM_INI_WIZARDS_PER_CLAN": 1, "NUM_INI_BOOKS": 1},
        board=RULESET.write_board(hall({0: (0, 10, 10), 1: (1, 11, 12), 4: (0, 11, 11, 2, 1)})),
        answers=_faults,
    ),
]
"""Golden playthroughs, for tests/conformance/rewrite_golden.py."""
