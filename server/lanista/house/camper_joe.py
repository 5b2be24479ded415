"""CamperJoe never moves (`python -m lanista.house.camper_joe`)."""

from __future__ import annotations

import sys

from lanista.house._play import play

TYPE_CHECKING = False  # type checkers take it for typing's own; importing that costs 15 ms
if TYPE_CHECKING:
    from lanista.house._play import Moves
    from lanista_client import AngryMobState


class CamperJoe:
    """Stays on his base with his one unit: the first opponent of a first bot."""

    def __init__(self, state: AngryMobState) -> None:
        """He needs to know nothing."""

    def moves(self, state: AngryMobState) -> Moves:  # noqa: ARG002 - the bots' interface
        """No submoves, whatever happens."""
        return []


if __name__ == "__main__":
    sys.exit(play("CamperJoe", "angrymob", CamperJoe))
