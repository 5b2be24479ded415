"""The orders of Hogwarts: the parser of an answer, and the faults of a single order.

See PROTOCOL.md 4 and 5, and rules/hogwarts.md 4, 9.2 and 18. Orders are carried out by `game`.
"""

import functools
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, islice, zip_longest
from typing import NamedTuple

from lanista.games.base import (
    REPEATED,
    Answer,
    MalformedAnswerError,
    Reason,
    Submove,
    Token,
    TooManySubmovesError,
)
from lanista.games.hogwarts.board import CLANS, GROUPS, INGREDIENTS, NEAR, OUTSIDE, PLACES
from lanista.games.picture import counted

MAX_ORDERS = 1000
"""The greatest number of submoves in a round, valid or not."""
DIRECTIONS = 8
STRAIGHT = frozenset((0, 2, 4, 6))
"""The directions in which every unit can move; only ghosts move diagonally."""
_LENGTHS: Mapping[Token | None, int] = {"m": 3, "s": 2 + INGREDIENTS}
"""The number of tokens of a submove, by the letter with which it begins."""
_MEMBERS = INGREDIENTS // GROUPS
_EVEN = [group for group in range(GROUPS) for _ in range(_MEMBERS)]
"""The groups of a spell's ingredients in ascending order, if each has as many as it must."""

WAYS = ("down", "down-right", "right", "up-right", "up", "up-left", "left", "down-left")
"""The directions in words."""


class Order(NamedTuple):
    """An order: a spell if it has groups, otherwise a move."""

    unit: int
    direction: int
    """The direction, 0 to 7; -1 for a spell. A move in any other direction has no effect."""
    groups: tuple[int, ...] | None = None
    """The group of each ingredient, for a spell."""


def judged(
    seat: int, clans: Sequence[int], ingredients: Sequence[int], tokens: Sequence[Token]
) -> Answer:
    """Read `m ID D` and `s ID g1 … g15`, given each unit's clan and the round's ingredients.

    The answer's orders are the first ones of each unit that the seat owns, in their order. Refused
    ones are among them: they take a place in the seat's sequence (rules/hogwarts.md 4 and 5).
    Raises MalformedAnswerError and TooManySubmovesError, as `Game.parse`.
    """
    orders: dict[int, Order] = {}
    refused: dict[int, Reason] = {}
    units = len(clans)
    step_of = _steps(units).get
    rest = iter(tokens)
    # This loop runs for every submove, however often a bot repeats itself, and no step of it calls
    # a function that it doesn't have to. Of the few submoves that aren't of three tokens, `_read`
    # takes the others.
    for index, three in enumerate(zip_longest(rest, rest, rest)):
        if index == MAX_ORDERS and three[0] in _LENGTHS:
            raise TooManySubmovesError(f"more than {MAX_ORDERS} submoves in one turn")
        step = step_of(three)
        order = step or _read(three, rest, index)
        unit = order.unit
        if unit in orders:
            refused[index] = (REPEATED, unit)
        elif not 0 <= unit < units:
            refused[index] = ("there is no unit {}; units are 0 to {}", unit, units - 1)
        elif clans[unit] != seat:
            refused[index] = ("unit {} is of clan {}, not yours", unit, clans[unit])
        else:
            orders[unit] = order
            reason = None if step else fault(order, ingredients)
            if reason is not None:
                refused[index] = reason
    return Answer(tuple(orders.values()), refused)


def decode(cells: Sequence[int], tokens: Sequence[Token]) -> Iterator[Submove]:
    """Yield what the submoves of a well-formed answer order, refused or not, in its order.

    The cells are those of the units at the start of the round.
    """
    start, count, units = 0, len(tokens), len(cells)
    while start < count:
        is_move = tokens[start] == "m"
        unit, direction = tokens[start + 1], tokens[start + 2]
        start += 3 if is_move else 2 + INGREDIENTS
        # A well-formed answer has numbers there.
        if not isinstance(unit, int) or not isinstance(direction, int):
            continue
        text = _words(unit, units, direction if is_move else None)
        if not 0 <= unit < units:
            yield Submove(text)
            continue
        cell = cells[unit]
        target = NEAR[direction][cell] if is_move and 0 <= direction < DIRECTIONS else OUTSIDE
        yield Submove(
            text, unit, (PLACES[cell],) if target == OUTSIDE else (PLACES[cell], PLACES[target])
        )


@functools.lru_cache(maxsize=4096)
def _words(unit: int, units: int, direction: int | None) -> str:
    kind = "unit" if not 0 <= unit < units else "ghost" if unit < CLANS else "wizard"
    if direction is None:
        return f"{kind} {unit} casts a spell"
    way = WAYS[direction] if 0 <= direction < DIRECTIONS else f"by {direction}"
    return f"{kind} {unit} moves {way}"


@functools.lru_cache(maxsize=8)
def _steps(units: int) -> dict[tuple[Token | None, ...], Order]:
    """Return the moves in directions that their units can take, by their tokens.

    Nearly all orders are such, and need no further checks and no objects of their own.
    """
    return {
        ("m", unit, direction): Order(unit, direction)
        for unit in range(units)
        for direction in range(DIRECTIONS)
        if unit < CLANS or direction in STRAIGHT
    }


def _read(three: Sequence[Token | None], rest: Iterator[Token], index: int) -> Order:
    """Return the next order of an answer, given its first three tokens, None if missing.

    A spell takes what belongs to it of the rest. Raises MalformedAnswerError.
    """
    letter, *first = three
    length = _LENGTHS.get(letter)
    if length is None:
        raise MalformedAnswerError(
            f"`{letter}` where a submove begins; one is `m ID D` or `s ID` and 15 groups", index
        )
    found = [token for token in (*first, *islice(rest, length - 3)) if token is not None]
    numbers = [token for token in found if isinstance(token, int)]
    if len(numbers) < length - 1:
        wrong = next((token for token in found if isinstance(token, str)), None)
        raise MalformedAnswerError(
            f"`{letter}` with {counted(len(found), 'number')}; it takes {length - 1}"
            if wrong is None
            else f"`{wrong}` where a number belongs",
            index,
        )
    unit, *others = numbers
    return Order(unit, others[0]) if letter == "m" else Order(unit, -1, tuple(others))


def fault(order: Order, ingredients: Sequence[int]) -> Reason | None:
    """Return why an order has no effect in any position, or None if it can have one."""
    is_ghost = order.unit < CLANS
    if order.groups is not None:
        if not is_ghost:
            return ("unit {} is a wizard; only ghosts cast spells", order.unit)
        return spell_fault(order.groups, ingredients)
    if not 0 <= order.direction < DIRECTIONS:
        return ("direction {}; it is from 0 to {}", order.direction, DIRECTIONS - 1)
    if order.direction % 2 and not is_ghost:
        return ("direction {} is diagonal; wizards move by 0, 2, 4 or 6", order.direction)
    return None


def spell_fault(groups: Sequence[int], ingredients: Sequence[int]) -> Reason | None:
    """Return what is wrong with a solution, or None if it is right (rules/hogwarts.md 9.2, 5)."""
    if sorted(groups) != _EVEN:
        for group in groups:
            if not 0 <= group < GROUPS:
                return ("group {}; groups are 0 to {}", group, GROUPS - 1)
        for group in range(GROUPS):
            members = groups.count(group)
            if members != _MEMBERS:
                return ("group {} has {} ingredients; each has {}", group, members, _MEMBERS)
    sums = [0] * GROUPS
    for group, ingredient in zip(groups, ingredients, strict=True):
        sums[group] += ingredient
    if len(set(sums)) > 1:
        return ("the groups' sums are {}, {}, {}, {}, {}; they must be equal", *sums)
    return None


@functools.lru_cache(maxsize=64)
def solution(ingredients: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return the group of each ingredient so that the spell is right, or None if it can't be.

    Programs that look ahead ask again and again for the same rounds, so the last ones are kept.
    """
    each, rest = divmod(sum(ingredients), GROUPS)
    groups = [GROUPS] * INGREDIENTS

    def fill(group: int) -> bool:
        if group == GROUPS:
            return True
        first, *others = (i for i in range(INGREDIENTS) if groups[i] == GROUPS)
        for second, third in combinations(others, 2):
            if ingredients[first] + ingredients[second] + ingredients[third] == each:
                groups[first] = groups[second] = groups[third] = group
                if fill(group + 1):
                    return True
                groups[first] = groups[second] = groups[third] = GROUPS
        return False

    return tuple(groups) if not rest and fill(0) else None
