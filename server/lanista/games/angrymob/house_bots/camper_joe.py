"""CamperJoe never moves."""

from lanista.games.house_bot import Silent

CamperJoe = Silent
