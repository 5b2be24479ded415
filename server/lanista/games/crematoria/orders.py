"""The parser of a player's answer, which decides which orders count (rules/crematoria.md 6)."""

from collections.abc import Iterator, Sequence
from typing import cast

from lanista.games.base import (
    Answer,
    MalformedAnswerError,
    Reason,
    Refusal,
    Submove,
    Token,
    TooManySubmovesError,
    illegal,
)
from lanista.games.crematoria.board import ELEVATOR, ROCK
from lanista.games.crematoria.geometry import DIRECTIONS, LEVEL, NEAR, NONE, UP
from lanista.games.crematoria.scene import NAMES, PLACES
from lanista.games.crematoria.state import State

MAX_ORDERS = 1000
"""The greatest number of submoves in a turn, valid or not."""
WAYS = (
    *("down", "down-right", "right", "up-right", "up", "up-left", "left", "down-left"),
    *("up to the outside", "down underground"),
)
"""The directions 0 to 9 in words."""


def read_orders(state: State, seat: int, tokens: Sequence[Token]) -> Answer:
    """Read `id d id d …`; the orders are those that count, in the order of the answer.

    Raises:
        MalformedAnswerError: There is a letter, or the number of tokens is odd (PROTOCOL.md 4).
        TooManySubmovesError: There are more than `MAX_ORDERS` submoves.
    """
    orders, refused = _judged(state, seat, tokens)
    return Answer(tuple(orders), tuple(refused))


def explain_orders(state: State, seat: int, tokens: Sequence[Token]) -> tuple[Refusal, ...]:
    """Return what is wrong with the orders that `read_orders` refuses, given the same arguments."""
    return illegal(_judged(state, seat, tokens)[1])


def legal_orders(state: State, unit: int) -> list[tuple[int, int]]:
    """Return the orders that lead a living unit to a passable cell, whoever stands there."""
    cell = state.pos[unit]
    ways = DIRECTIONS[:NONE] if state.caves[cell % LEVEL] == ELEVATOR else DIRECTIONS[:UP]
    return [
        (unit, direction)
        for direction in range(len(ways))
        if (target := NEAR[cell][direction]) >= LEVEL
        or (target >= 0 and state.caves[target] != ROCK)
    ]


def decode_orders(state: State, tokens: Sequence[Token]) -> Iterator[Submove]:
    """Yield what the submoves of a well-formed answer order, refused or not, in its order."""
    numbers = iter(cast("Sequence[int]", tokens))
    for unit, direction in zip(numbers, numbers, strict=True):
        is_known = 0 <= unit < len(state.kind)
        kind = NAMES[state.kind[unit]] if is_known else "unit"
        cells = [state.pos[unit]] if is_known and state.pos[unit] >= 0 else []
        if direction == NONE:
            what = "stays"
        elif not 0 <= direction < NONE:
            what = f"moves by {direction}"
        else:
            what = f"moves {WAYS[direction]}"
            cells += [target for cell in cells if (target := NEAR[cell][direction]) >= 0]
        yield Submove(
            f"{kind} {unit} {what}",
            unit if is_known else None,
            tuple(PLACES[cell] for cell in cells),
        )


def _judged(
    state: State, seat: int, tokens: Sequence[Token]
) -> tuple[list[tuple[int, int]], dict[int, Reason]]:
    """Return the orders that count, and the reasons for refused orders by index."""
    if not all(isinstance(token, int) for token in tokens):
        index, letter = next(
            (index, token) for index, token in enumerate(tokens) if not isinstance(token, int)
        )
        raise MalformedAnswerError(
            f"`{letter}` where a number belongs; a submove is two numbers: id direction", index // 2
        )
    if len(tokens) % 2:
        raise MalformedAnswerError(
            f"{len(tokens)} numbers; a submove is two: id direction", len(tokens) // 2
        )
    if len(tokens) > 2 * MAX_ORDERS:
        raise TooManySubmovesError(
            f"{len(tokens) // 2} submoves; a turn takes at most {MAX_ORDERS}"
        )
    orders: list[tuple[int, int]] = []
    ordered: set[int] = set()
    refused: dict[int, Reason] = {}
    numbers = iter(cast("Sequence[int]", tokens))
    for index, (unit, direction) in enumerate(zip(numbers, numbers, strict=True)):
        fault = _fault(state, seat, unit, direction, ordered)
        if fault is not None:
            refused[index] = fault
            continue
        ordered.add(unit)
        if direction != NONE:
            orders.append((unit, direction))
    return orders, refused


def _fault(state: State, seat: int, unit: int, direction: int, ordered: set[int]) -> Reason | None:
    """Return what is wrong with an order, if anything, checked in the original's sequence."""
    if not 0 <= unit < len(state.kind):
        return ("there is no unit {}; ids are from 0 to {}", unit, len(state.kind) - 1)
    owner = state.player[unit]
    if owner != seat:
        if not state.health[unit]:
            return ("unit {} is not alive", unit)
        if owner < 0:
            return ("unit {} is nobody's, not yours", unit)
        return ("unit {} is player {}'s, not yours", unit, owner)
    if unit in ordered:
        return ("unit {} has an order already; the first one counts", unit)
    if not 0 <= direction < len(DIRECTIONS):
        return ("direction {}; it is from 0 (Bottom) to 10 (None)", direction)
    return None
