"""Null gives no orders in Hogwarts."""

from __future__ import annotations

import sys

from lanista.games.house_bot import play

TYPE_CHECKING = False  # type checkers know this name; importing typing would cost 15 ms
if TYPE_CHECKING:
    from lanista.games.house_bot import Orders
    from lanista_client import HogwartsState


class Null:
    """A bot that never gives its units an order."""

    def __init__(self, state: HogwartsState) -> None:
        """Ignore the state."""

    def moves(self, state: HogwartsState) -> Orders:  # noqa: ARG002 - the bots' interface
        """Return no submoves."""
        return []


if __name__ == "__main__":
    sys.exit(play("Null", "hogwarts", Null))
