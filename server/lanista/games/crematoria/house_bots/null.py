"""Null gives no orders in Crematoria."""

import sys

from lanista.games.house_bot import Silent, play

Null = Silent

if __name__ == "__main__":
    sys.exit(play("Null", "crematoria", Null))
