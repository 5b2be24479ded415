"""What the operator's commands do in a running arena (docs/arena.md, "While it runs")."""

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

import attrs
import trio

from lanista import __version__
from lanista.arena.control import CommandRefusedError, serve_commands
from lanista.arena.ladder_matches import HOUSE_BOT
from lanista.arena.server import Arena

if TYPE_CHECKING:  # as in `lobby`
    from lanista.arena.ladder_room import LadderRoom


@attrs.define(eq=False)
class Operator:
    """Carries out the operator's commands; `run` it while the arena runs."""

    arena: Arena
    _since: float = attrs.field(factory=trio.current_time, init=False)

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Take commands until cancelled."""
        commands = {"kick": self._kick, "status": self._status}
        await serve_commands(self.arena.options.data, commands, task_status=task_status)

    async def _kick(self, asked: Mapping[str, Any]) -> Mapping[str, object]:
        """Close all connections of the bots of a name."""
        name = _text(asked, "name")
        numbers = self._numbers(name)
        kicked = [number for number in numbers if self.arena.matches.kick(number)]
        if not kicked:
            raise CommandRefusedError(f"no bot called {name!r} is connected")
        return {"connections": len(kicked)}

    def _numbers(self, name: str) -> Collection[int]:
        """Return the numbers of the bots of a name that wait or play, whatever its capitals."""
        arena, wanted = self.arena, name.casefold()
        bots = [(player.number, player.name) for player in arena.lobby.waiting()]
        for running in arena.running.matches.values():
            bots += running.bots
        return {number for number, name in bots if name.casefold() == wanted} - {HOUSE_BOT}

    async def _status(self, _: Mapping[str, Any]) -> Mapping[str, object]:
        """Return figures on the arena and its ladders."""
        arena = self.arena
        ladders = [await self._ladder_status(room) for room in arena.ladders.rooms.values()]
        waiting = arena.lobby.waiting()
        return {
            "version": __version__,
            "uptime": round(trio.current_time() - self._since, 1),
            "address": arena.address,
            "page": arena.page,
            "workers": arena.options.workers,
            "connections": arena.connections,
            "max_connections": arena.options.max_connections,
            "matches": len(arena.running.matches),
            "over": arena.matches.over + arena.ladders.over,
            "waiting": sum(player.ladder is None for player in waiting),
            "ladders": ladders,
        }

    async def _ladder_status(self, room: "LadderRoom") -> Mapping[str, object]:
        name = room.spec.name
        running = self.arena.running.matches.values()
        return {
            "name": name,
            "game": room.ruleset.name,
            **room.presence(),
            "matches": sum(match.room == name for match in running),
            "stored": await room.results.stored(),
            "unstored": room.results.waiting + room.results.left_in_records,
        }


def _text(asked: Mapping[str, Any], key: str) -> str:
    """Return the text under a key of a command, with single spaces between its words."""
    value = asked.get(key)
    if not isinstance(value, str):
        raise CommandRefusedError(f"{key}: expected text")
    return " ".join(value.split())
