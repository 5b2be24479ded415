"""CamperJoe never moves."""

import sys

from lanista.games.house_bot import Silent, play

CamperJoe = Silent

if __name__ == "__main__":
    sys.exit(play("CamperJoe", "angrymob", CamperJoe))
