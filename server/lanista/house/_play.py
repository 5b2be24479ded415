"""What the house bots share: playing a match, or match after match, and going quietly.

No strategy lives here. A bot is a class whose `moves(state)` gives the submoves of a turn; it is
made anew for each match, and all its chance comes from `random.Random(state.seed)`, so that the
same seed against the same opponent plays the same match.
"""

from __future__ import annotations

import os
import signal
import sys

from lanista_client import Arena, ArenaError

TYPE_CHECKING = False  # type checkers take it for typing's own; importing that costs 15 ms
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Protocol, TypeAlias

    Moves: TypeAlias = list[tuple[int, int, int, int]]  # of Angry Mob
    Orders: TypeAlias = list[tuple[int | str, ...]]  # of Hogwarts
    Steps: TypeAlias = list[tuple[int, int]]  # of Crematoria

    class Bot(Protocol):
        """What decides: given the state of a turn, the submoves as the game has them."""

        def moves(self, state: Any) -> Sequence[tuple[int | str, ...]]:
            """The answer to this turn."""


_QUIET = ("shutdown", "disconnected")
"""The ends that are no fault of anyone (`PROTOCOL.md 7`, `ArenaError`): nothing is printed."""


def play(own_name: str, game: str, make: Callable[[Any], Bot]) -> int:
    """Play one match; with LANISTA_KEEP=1 match after match, until the arena says goodbye.

    Args:
        own_name: what to be called when LANISTA_NAME says nothing.
        game: the ruleset that the bot knows.
        make: makes the bot from the first state.

    Returns:
        The exit code: 0 however the match ended, also when the arena closed or refused the bot
        (that is told in one line on stderr); 1 if no arena could be reached or the environment
        holds something unusable.
    """
    # Left to the kernel: nothing needs tidying up, and a handler of Python's own only runs after
    # the system call that it came just too early to interrupt, here a wait for the arena.
    # A shell's background job was started to ignore it.
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    name = os.environ.get("LANISTA_NAME") or own_name
    try:
        arena = Arena(name, game=game, keep=os.environ.get("LANISTA_KEEP") == "1")
    except (ArenaError, ValueError) as error:
        print(f"{name}: {error}", file=sys.stderr)  # noqa: T201 - a process tells its end so
        return 1
    try:
        with arena:
            bot = playing = None
            for state in arena:
                if bot is None or state is not playing:  # another match has another state
                    bot, playing = make(state), state
                arena.send(bot.moves(state))
    except ArenaError as error:
        if error.code not in _QUIET:
            print(f"{name}: {error}", file=sys.stderr)  # noqa: T201 - a process tells its end so
    return 0
