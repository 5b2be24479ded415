"""Null gives no orders in Crematoria."""

from __future__ import annotations

import sys

from lanista.games.house_bot import play

TYPE_CHECKING = False  # type checkers know this name; importing typing would cost 15 ms
if TYPE_CHECKING:
    from lanista.games.house_bot import Steps
    from lanista_client import CrematoriaState


class Null:
    """A bot that never gives its units an order."""

    def __init__(self, state: CrematoriaState) -> None:
        """Ignore the state."""

    def moves(self, state: CrematoriaState) -> Steps:  # noqa: ARG002 - the bots' interface
        """Return no submoves."""
        return []


if __name__ == "__main__":
    sys.exit(play("Null", "crematoria", Null))
