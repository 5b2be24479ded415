"""Null gives no orders in Crematoria (`python -m lanista.house.crematoria_null`)."""

from __future__ import annotations

import sys

from lanista.house._play import play

TYPE_CHECKING = False  # type checkers take it for typing's own; importing that costs 15 ms
if TYPE_CHECKING:
    from lanista.house._play import Steps
    from lanista_client import CrematoriaState


class Null:
    """Lets its units stand where they are, whatever happens."""

    def __init__(self, state: CrematoriaState) -> None:
        """It needs to know nothing."""

    def moves(self, state: CrematoriaState) -> Steps:  # noqa: ARG002 - the bots' interface
        """No submoves."""
        return []


if __name__ == "__main__":
    sys.exit(play("Null", "crematoria", Null))
