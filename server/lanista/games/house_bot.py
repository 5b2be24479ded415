"""The main program of the house bots: plays one match or several, and exits quietly.

A bot is a class of its name whose `moves(state)` returns the submoves of a turn; an object of it
plays one match. It takes all random numbers from `random.Random(state.seed)`, so that matches with
the same seed and opponent go the same way. `lanista bots` shows the first sentence of its module.
"""

from __future__ import annotations

import _socket
import gc
import importlib
import os
import sys

from lanista_client import _READ_BUFFER, Arena, ArenaError

# Imports are most of what the start of a house bot takes. Of the modules that are left out here and
# in the client, `socket`, `typing` and `signal` alone would double it.
TYPE_CHECKING = False  # type checkers know this name
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable, Container, Iterable, Sequence
    from typing import Any, Protocol, TypeAlias

    Moves: TypeAlias = list[tuple[int, int, int, int]]  # submoves of Angry Mob
    Orders: TypeAlias = list[tuple[int | str, ...]]  # submoves of Hogwarts
    Steps: TypeAlias = list[tuple[int, int]]  # submoves of Crematoria

    class Bot(Protocol):
        """A player of one match."""

        def moves(self, state: Any) -> Sequence[tuple[int | str, ...]]:
            """Return the submoves for the turn whose state this is."""


else:
    import _signal as signal  # the part in C that `signal` wraps

_QUIET = ("shutdown", "disconnected")
"""Codes of ends that are nobody's fault (`PROTOCOL.md 7`, `ArenaError`), so nothing is printed."""


class _NearArena(Arena):
    """A connection that needs less of Python's library if an arena here has started the bot."""

    _socket: Any

    def _connect(self) -> None:
        if self._quiet and self._tls is None and self._host == "127.0.0.1":
            self._socket = _socket.socket()
            if self._socket.connect_ex((self._host, self._port)) == 0:
                self._socket.setsockopt(_socket.IPPROTO_TCP, _socket.TCP_NODELAY, 1)
                fd = self._socket.fileno()
                self._input = open(fd, "rb", _READ_BUFFER, closefd=False)  # noqa: SIM115 - see `close`
                self._write(self._hello)
                return
            self._socket.close()
        super()._connect()  # if there is no arena, this says so


FAR = 65535
"""The steps to a cell that can't be reached; no board has so many cells."""


def spread(
    near: Sequence[Sequence[int]], sources: Iterable[int], blocked: Container[int] = ()
) -> list[int]:
    """Return by cell the steps to the nearest source that isn't blocked, around blocked cells.

    The neighbours of each cell are given.
    """
    field = [FAR] * len(near)
    queue = [cell for cell in sources if cell not in blocked]
    for cell in queue:
        field[cell] = 0
    for cell in queue:  # which grows in the loop
        steps = field[cell] + 1
        for to in near[cell]:
            if field[to] == FAR and to not in blocked:
                field[to] = steps
                queue.append(to)
    return field


class Silent:
    """A bot that never gives an order: the first opponent for a new bot."""

    def __init__(self, state: Any) -> None:
        """Ignore the state."""

    def moves(self, state: Any) -> list[tuple[int | str, ...]]:  # noqa: ARG002 - the bots' interface
        """Return no submoves, whatever happens."""
        return []


def run(module: str, name: str) -> int:
    """Play as a house bot of ours, a class of this name in a module; return the exit code.

    `python -m lanista.games.house_bot MODULE NAME` does the same; `registry.house_bots` has both.
    """
    game = module.split(".")[-3]
    return play(name, game, getattr(importlib.import_module(module), name))


def play(own_name: str, game: str, make: Callable[[Any], Bot]) -> int:
    """Play one match; with LANISTA_KEEP=1, play matches until the arena says goodbye.

    LANISTA_ROOM and LANISTA_NAME, if set, are the bot's room and name; `make` makes the bot of a
    match from its first state. The exit code is 0 even if the arena refused the bot, which is
    reported on stderr; 1 if there is no arena, or an environment variable has a bad value.
    """
    # SIGINT ends the process by the kernel's default, since there is nothing to clean up. Python's
    # own handler would have to wait for the end of a system call that has just begun, here a wait
    # for the arena. If SIGINT is ignored, as in a shell's background job, that stays so.
    if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    name = os.environ.get("LANISTA_NAME") or own_name
    try:
        room = os.environ.get("LANISTA_ROOM") or None
        arena = _NearArena(name, game=game, room=room, keep=os.environ.get("LANISTA_KEEP") == "1")
    except (ArenaError, ValueError) as error:
        print(f"{name}: {error}", file=sys.stderr)  # noqa: T201 - so a process says why it ends
        return 1
    try:
        with arena:
            bot = playing = None
            for state in arena:
                if bot is None or state is not playing:  # each match has a state object of its own
                    bot, playing = make(state), state
                arena.send(bot.moves(state))
    except ArenaError as error:
        if error.code not in _QUIET:
            print(f"{name}: {error}", file=sys.stderr)  # noqa: T201 - so a process says why it ends
    gc.freeze()  # memory goes with the process: to search it for garbage at the end takes 2 ms
    return 0


if __name__ == "__main__":
    sys.exit(run(*sys.argv[1:]))
