"""Starting, watching and ending bot processes; nothing here knows a game, a match or the wire.

`command` reads a bot's command line, `process` runs it, `keeper` is the small process beside each
bot that ends it whatever becomes of the arena, `orphans` ends what a killed keeper leaves behind.

`limits` says what a bot may use, `usage` measures it, `cgroup` lets the kernel hold it. `sandbox`
shuts a bot off from the machine, `reach` finds what it must see of it, `launcher` runs inside.
`execute` and `proctree` are what keeper and launcher share, `syscalls` is what the keeper asks of
the kernel by number.
"""

from lanista.bots.cgroup import use_cgroups
from lanista.bots.command import CommandError, environment, fill, parse_command
from lanista.bots.limits import NO_LIMITS, BotLimits, LimitsError, parse_limits
from lanista.bots.orphans import become_subreaper
from lanista.bots.process import Bot, Exit, start_bot
from lanista.bots.sandbox import Sandbox, SandboxError, check_sandbox

__all__ = [
    "NO_LIMITS",
    "Bot",
    "BotLimits",
    "CommandError",
    "Exit",
    "LimitsError",
    "Sandbox",
    "SandboxError",
    "become_subreaper",
    "check_sandbox",
    "environment",
    "fill",
    "parse_command",
    "parse_limits",
    "start_bot",
    "use_cgroups",
]
