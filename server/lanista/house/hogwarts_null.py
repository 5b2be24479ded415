"""Null gives no orders in Hogwarts (`python -m lanista.house.hogwarts_null`)."""

from __future__ import annotations

import sys

from lanista.house._play import play

TYPE_CHECKING = False  # type checkers take it for typing's own; importing that costs 15 ms
if TYPE_CHECKING:
    from lanista.house._play import Orders
    from lanista_client import HogwartsState


class Null:
    """Lets its units stand where they are, whatever happens."""

    def __init__(self, state: HogwartsState) -> None:
        """It needs to know nothing."""

    def moves(self, state: HogwartsState) -> Orders:  # noqa: ARG002 - the bots' interface
        """No submoves."""
        return []


if __name__ == "__main__":
    sys.exit(play("Null", "hogwarts", Null))
