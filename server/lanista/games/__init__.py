"""The games: their interface, in `base`, and a folder for each game with all that is the game's.

No other folder names a game: whoever needs something of one asks `registry`. House bots begin in
milliseconds, so importing this package or a game's imports none of its modules.
"""

DEFAULT_GAME = "angrymob"
"""The game that is played where nobody names one."""
