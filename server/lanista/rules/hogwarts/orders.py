"""The orders of Hogwarts: the parser of an answer, and the faults of a single order.

See PROTOCOL.md 4 and 5, and rules/hogwarts.md 4, 9.2 and 18. Orders are carried out by `game`.
"""

from collections.abc import Sequence
from typing import NamedTuple

from lanista.rules.base import (
    Answer,
    MalformedAnswerError,
    Refusal,
    RefusalCode,
    Token,
    TooManySubmovesError,
)
from lanista.rules.hogwarts.board import CLANS
from lanista.rules.hogwarts.placing import GROUPS, INGREDIENTS

MAX_ORDERS = 1000
"""The greatest number of submoves in a round, valid or not."""
DIRECTIONS = 8
"""The number of directions."""
STRAIGHT = frozenset((0, 2, 4, 6))
"""The directions in which every unit can move; only ghosts move diagonally."""
_MEMBERS = INGREDIENTS // GROUPS


class Order(NamedTuple):
    """An order: a spell if it has groups, otherwise a move."""

    unit: int
    direction: int
    """The direction, 0 to 7; -1 for a spell. A move in any other direction has no effect."""
    groups: tuple[int, ...] | None = None
    """The group of each ingredient, for a spell."""


def parse(
    seat: int, clans: Sequence[int], ingredients: Sequence[int], tokens: Sequence[Token]
) -> Answer:
    """Read `m ID D` and `s ID g1 … g15`.

    The result has the first order of each unit that the seat owns, in the order of the answer. A
    refused one is included too, because it is still its unit's only order and takes a place in
    the seat's sequence (rules/hogwarts.md 4 and 5).

    Args:
        seat: The seat that answered.
        clans: The clan of each unit at the start of the round.
        ingredients: The ingredients of this round.
        tokens: The answer.

    Raises:
        MalformedAnswerError: The tokens don't form such submoves.
        TooManySubmovesError: There are more than `MAX_ORDERS` submoves.
    """
    orders: dict[int, Order] = {}
    refused: list[Refusal] = []
    start = index = 0
    while start < len(tokens):
        kind = tokens[start]
        if kind == "m":
            end = start + 3
        elif kind == "s":
            end = start + 2 + INGREDIENTS
        else:
            raise MalformedAnswerError(
                f"`{kind}` where a submove begins; one is `m ID D` or `s ID` and 15 groups", index
            )
        if index == MAX_ORDERS:
            raise TooManySubmovesError(f"more than {MAX_ORDERS} submoves in one turn")
        order = _order(tokens[start:end], end - start, index)
        unit, direction, groups = order
        message = None
        if not 0 <= unit < len(clans) or clans[unit] != seat:
            message = _not_ours(clans, unit)
        elif unit in orders:
            message = f"a second order for unit {unit}; only its first one counts"
        else:
            orders[unit] = order
            # Most orders are valid moves of wizards, which need no further check.
            if groups is not None or direction not in STRAIGHT:
                message = fault(order, ingredients)
        if message is not None:
            refused.append(Refusal(RefusalCode.ILLEGAL, message, index))
        start = end
        index += 1
    return Answer(tuple(orders.values()), tuple(refused))


def _order(tokens: Sequence[Token], length: int, index: int) -> Order:
    numbers = [token for token in tokens if type(token) is int]
    if len(numbers) < length - 1:
        letter = next((token for token in tokens[1:] if isinstance(token, str)), None)
        raise MalformedAnswerError(
            f"`{tokens[0]}` with {len(tokens) - 1} numbers; it takes {length - 1}"
            if letter is None
            else f"`{letter}` where a number belongs",
            index,
        )
    if length == 3:
        return Order(numbers[0], numbers[1])
    return Order(numbers[0], -1, tuple(numbers[1:]))


def _not_ours(clans: Sequence[int], unit: int) -> str:
    if not 0 <= unit < len(clans):
        return f"there is no unit {unit}; units are 0 to {len(clans) - 1}"
    return f"unit {unit} is of clan {clans[unit]}, not yours"


def fault(order: Order, ingredients: Sequence[int]) -> str | None:
    """Return why an order has no effect in any position, or None if it can have one."""
    is_ghost = order.unit < CLANS
    if order.groups is not None:
        if not is_ghost:
            return f"unit {order.unit} is a wizard; only ghosts cast spells"
        return spell_fault(order.groups, ingredients)
    if not 0 <= order.direction < DIRECTIONS:
        return f"direction {order.direction}; it is from 0 to {DIRECTIONS - 1}"
    if order.direction % 2 and not is_ghost:
        return f"direction {order.direction} is diagonal; wizards move by 0, 2, 4 or 6"
    return None


def spell_fault(groups: Sequence[int], ingredients: Sequence[int]) -> str | None:
    """Return what is wrong with a solution, or None if it is right (rules/hogwarts.md 9.2, 5)."""
    sums = [0] * GROUPS
    for group, ingredient in zip(groups, ingredients, strict=True):
        if not 0 <= group < GROUPS:
            return f"group {group}; groups are 0 to {GROUPS - 1}"
        sums[group] += ingredient
    for group in range(GROUPS):
        members = groups.count(group)
        if members != _MEMBERS:
            return f"group {group} has {members} ingredients; each has {_MEMBERS}"
    if len(set(sums)) > 1:
        return f"the groups' sums are {', '.join(map(str, sums))}; they must be equal"
    return None
