"""Orders of Hogwarts: reading them from an answer, and what is wrong with one by itself.

PROTOCOL.md 4 and 5, rules/hogwarts.md 4, 9.2 and 18. What an order does is in `game`.
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
"""Submoves a seat may send in a round, whatever they say."""
DIRECTIONS = 8
STRAIGHT = frozenset((0, 2, 4, 6))
"""The directions that every unit may take."""
_MEMBERS = INGREDIENTS // GROUPS


class Order(NamedTuple):
    """One order: a move, or a spell when it has groups."""

    unit: int
    direction: int
    """0 to 7; another number never does anything. -1 for a spell."""
    groups: tuple[int, ...] | None = None
    """The group of each ingredient."""


def parse(
    seat: int, clans: Sequence[int], ingredients: Sequence[int], tokens: Sequence[Token]
) -> Answer:
    """Read `m ID D` and `s ID g1 … g15`.

    The orders are the first one of each unit the seat owns, in order: also those that are
    refused for what they say, because they take their unit's only order and their turn among
    the orders (rules/hogwarts.md 4 and 5).

    Args:
        seat: Whose answer it is.
        clans: The clan of each unit at the start of the round.
        ingredients: Those of this round.
        tokens: The answer.

    Raises:
        MalformedAnswerError: The tokens are no such submoves.
        TooManySubmovesError: There are more than 1000.
    """
    orders: dict[int, Order] = {}
    refused: list[Refusal] = []
    at = index = 0
    while at < len(tokens):
        kind = tokens[at]
        if kind == "m":
            end = at + 3
        elif kind == "s":
            end = at + 2 + INGREDIENTS
        else:
            raise MalformedAnswerError(
                f"`{kind}` where a submove begins; one is `m ID D` or `s ID` and 15 groups", index
            )
        if index == MAX_ORDERS:
            raise TooManySubmovesError(f"more than {MAX_ORDERS} submoves in one turn")
        order = _order(tokens[at:end], end - at, index)
        unit, direction, groups = order
        words = None
        if not 0 <= unit < len(clans) or clans[unit] != seat:
            words = _not_ours(clans, unit)
        elif unit in orders:
            words = f"a second order for unit {unit}; only its first one counts"
        else:
            orders[unit] = order
            # Most orders are moves of wizards, and most of these are sound.
            if groups is not None or direction not in STRAIGHT:
                words = fault(order, ingredients)
        if words is not None:
            refused.append(Refusal(RefusalCode.ILLEGAL, words, index))
        at = end
        index += 1
    return Answer(tuple(orders.values()), tuple(refused))


def _order(words: Sequence[Token], length: int, index: int) -> Order:
    numbers = [word for word in words if type(word) is int]
    if len(numbers) < length - 1:
        letter = next((word for word in words[1:] if isinstance(word, str)), None)
        raise MalformedAnswerError(
            f"`{words[0]}` with {len(words) - 1} numbers; it takes {length - 1}"
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
    """Why an order can do nothing wherever its unit stands; None when there is no such reason."""
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
    """Why a solution is wrong, or None when it is right (rules/hogwarts.md 9.2, 5)."""
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
