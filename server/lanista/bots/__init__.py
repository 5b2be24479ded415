"""Starting, watching and ending bot processes; nothing here knows a game, a match or the wire.

`command` reads a bot's command line, `process` runs it, `keeper` is the small process beside each
bot that ends it whatever becomes of the arena, `strays` ends what a killed keeper leaves behind.
"""

from lanista.bots.command import CommandError, environment, fill, parse_command
from lanista.bots.process import Bot, Exit, start_bot
from lanista.bots.strays import become_subreaper

__all__ = [
    "Bot",
    "CommandError",
    "Exit",
    "become_subreaper",
    "environment",
    "fill",
    "parse_command",
    "start_bot",
]
