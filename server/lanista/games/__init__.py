"""The games: their interface, in `base`, and a folder for each game with all that is the game's.

No other folder names a game: whoever needs something of one asks `registry`. The rules know no
socket, no clock, no file and no line of the wire but the facts: a ruleset gets numbers and chance
as arguments and returns its facts as bytes. House bots begin in milliseconds, so importing this
package or a game's imports none of its modules.
"""

DEFAULT_GAME = "angrymob"
"""The game that is played where nobody names one."""
