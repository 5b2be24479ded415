"""CamperJoe never moves."""

from __future__ import annotations

import sys

from lanista.games.house_bot import play

TYPE_CHECKING = False  # type checkers know this name; importing typing would cost 15 ms
if TYPE_CHECKING:
    from lanista.games.house_bot import Moves
    from lanista_client import AngryMobState


class CamperJoe:
    """A bot that stays on its base with its one unit: the first opponent for a new bot."""

    def __init__(self, state: AngryMobState) -> None:
        """Ignore the state."""

    def moves(self, state: AngryMobState) -> Moves:  # noqa: ARG002 - the bots' interface
        """Return no submoves, whatever happens."""
        return []


if __name__ == "__main__":
    sys.exit(play("CamperJoe", "angrymob", CamperJoe))
