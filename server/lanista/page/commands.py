"""The operator's commands to the arena and its running matches (docs/api.md, "WebSocket")."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from lanista.arena import decisions
from lanista.arena.arena import Arena
from lanista.arena.spec import LadderSpec
from lanista.errors import BadInputError
from lanista.hosting.control import RunningMatch
from lanista.page.messages import BadMessageError, field
from lanista.page.view import View
from lanista.results.names import NameStore

ROOM = re.compile(r"[A-Za-z0-9._-]{1,64}")
"""The form of a friendly room's name in which a house bot is seated (PROTOCOL.md 2)."""


def operate(view: View, what: str, message: Mapping[str, Any]) -> None:
    """Carry out an operator's command, one of `viewer.OPERATIONS`.

    Raises:
        BadInputError: It can't be carried out.
    """
    arena = view.arena
    if what not in {"start", "mode", "kick", "house"}:
        _control(view, what, _running(view, message))
    elif arena is None:
        raise BadMessageError(f"{what} is for an arena; this is the page of one match")
    elif what == "start":
        game, room = field(message, "game", str), message.get("room")
        if not (room is None or isinstance(room, str)) or not arena.matches.start((game, room)):
            raise BadMessageError("no match is ready there")
    elif what == "mode":
        arena.matches.set_manual(field(message, "manual", bool))
    elif what == "house":
        _start_guest(arena, message)
    elif not arena.connections.kick(bot := field(message, "bot", int)):
        raise BadMessageError(f"there is no bot {bot} any more")


def _start_guest(arena: Arena, message: Mapping[str, Any]) -> None:
    """Start a house bot for a friendly room."""
    game, bot = field(message, "game", str), field(message, "bot", str)
    room = field(message, "room", str)
    if not ROOM.fullmatch(room) or room in arena.ladders:
        raise BadMessageError(
            f"room is {room!r}; it is 1 to 64 of A-Z a-z 0-9 . _ -, and no ladder's name"
        )
    arena.seat_house_bot(game, bot, room)


def _running(view: View, message: Mapping[str, Any]) -> RunningMatch:
    match = field(message, "match", str)
    running = view.running.matches.get(match)
    if running is None:
        if view.is_running(match):
            raise BadMessageError(
                "a tournament plays this match; only the match itself can be watched here"
            )
        raise BadMessageError(f"no match {match!r} is running")
    return running


def _control(view: View, what: str, running: RunningMatch) -> None:
    if what == "cancel":
        running.control.given_up = True
        running.playing.interrupt("the operator ended this match")
    elif what == "pause":
        running.control.pause()
    elif what == "resume":
        running.control.resume()
    else:
        running.control.step()
    view.running.changes.tell()


def decision(
    what: str, name: str, ladder: str | None, ladders: Mapping[str, LadderSpec]
) -> Callable[[NameStore], str | None]:
    """Return what stores a decision about a name, and returns its new token if it gets one.

    Args:
        what: One of `viewer.DECISIONS`.
        name: The name.
        ladder: The name of the ladder; None for all ladders.
        ladders: All ladders, by name.
    """
    if what in {"strike", "unstrike"}:
        if ladder is None:
            raise BadInputError(f"{what} is for one ladder; name it")
        of, is_struck = ladders[ladder], what == "strike"
        return lambda store: decisions.strike(store, name, of, is_struck=is_struck)
    by_name: dict[str, Callable[[NameStore], str | None]] = {
        "add-name": lambda store: decisions.add_name(store, name),
        "reset-name": lambda store: decisions.reset_token(store, name),
        "remove-name": lambda store: decisions.remove_name(store, name),
        "bench": lambda store: decisions.bench(store, name, ladder),
        "unbench": lambda store: decisions.unbench(store, name, ladder, ladders.values()),
    }
    return by_name[what]
