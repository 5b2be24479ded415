"""Carrying out the operator's commands in a running arena (docs/arena.md, "While it runs").

Decisions that are to last are stored by the commands themselves, whether an arena runs or not:
names, and which of them are benched, in the database of names; which are struck in that of the
ladder. An arena takes them up when it notices that the operator has changed something, in whatever
process (`Names.changed`); the command `look` only has it look at once.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import attrs
import structlog
import trio

from lanista import __version__
from lanista.arena.arena import Arena
from lanista.arena.control import CommandRefusedError, serve_commands
from lanista_protocol import ErrorCode, RemoteProtocolError

if TYPE_CHECKING:  # as in `lobby`
    from lanista.arena.ladder_room import LadderRoom
    from lanista.arena.names import Names

AGAIN = 1.0
"""Seconds until a database is read again that couldn't be."""

log = structlog.get_logger()


@attrs.define(eq=False)
class Operator:
    """Carries out the operator's commands; `run` it while the arena runs."""

    arena: Arena
    _since: float = attrs.field(factory=trio.current_time, init=False)
    _one_at_a_time: trio.Lock = attrs.field(factory=trio.Lock, init=False)

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Take commands, and take up what the operator changes in databases, until cancelled."""
        commands = {"kick": self._kick, "look": self._look, "status": self._status}
        async with trio.open_nursery() as nursery:
            if self.arena.names is not None:
                nursery.start_soon(self._keep_up, self.arena.names)
            await serve_commands(self.arena.options.data, commands, task_status=task_status)

    # -- what is stored ------------------------------------------------------------------------

    async def _keep_up(self, names: "Names") -> None:
        """Take up every change of the operator, also one that another process has stored."""
        seen = 0
        while True:
            await names.changed.wait(seen)
            seen = names.changed.count
            if not await self._take_up(names):
                seen = -1  # another one than any count, so that it is tried again
                await trio.sleep(AGAIN)

    async def _look(self, _: Mapping[str, Any]) -> None:
        """Take up now what another process has just stored."""
        names = self.arena.names
        if names is not None:
            await names.look()
            if not await self._take_up(names):
                raise CommandRefusedError("the arena can't read its databases at present")

    async def _take_up(self, names: "Names") -> bool:
        """Take up which names were benched, removed, struck and the like.

        Returns:
            False if a database can't be read now.
        """
        # Imported only now, as an arena without ladders needs nothing of the store.
        from lanista.results.errors import StoreError  # noqa: PLC0415

        async with self._one_at_a_time:
            try:
                present = [player.who for player in self.arena.members() if player.who]
                revoked = set(await names.revoked(present))
                for room in self.arena.ladders.values():
                    await room.take_up_notes()
                benched = await names.benched()
            except StoreError as error:
                log.error("the operator's changes can't be read", why=str(error))  # noqa: TRY400
                return False
            why = "the operator has removed this name, or given it another token"
            for player in self.arena.members():
                if player.who in revoked:
                    self.arena.kick(player.number, RemoteProtocolError(ErrorCode.BAD_TOKEN, why))
            self.arena.bench(benched)
            return True

    # -- commands ------------------------------------------------------------------------------

    async def _kick(self, asked: Mapping[str, Any]) -> Mapping[str, object]:
        """Close all connections of the bots of a name."""
        name = _text(asked, "name")
        kicked = self.arena.kick_all(name)
        if not kicked:
            raise CommandRefusedError(f"no bot called {name!r} is connected")
        return {"connections": kicked}

    async def _status(self, _: Mapping[str, Any]) -> Mapping[str, object]:
        """Return figures on the arena and its ladders."""
        arena = self.arena
        ladders = [await self._ladder_status(room) for room in arena.ladders.values()]
        waiting = arena.waiting()
        return {
            "version": __version__,
            "uptime": round(trio.current_time() - self._since, 1),
            "address": arena.address,
            "page": arena.page,
            "workers": arena.options.spec.workers,
            "connections": arena.connections,
            "max_connections": arena.options.spec.max_connections,
            "matches": len(arena.running.matches),
            "over": arena.over,
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
            "unstored": room.results.waiting,
        }


def _text(asked: Mapping[str, Any], key: str) -> str:
    """Return the text under a key of a command, with single spaces between its words."""
    value = asked.get(key)
    if not isinstance(value, str):
        raise CommandRefusedError(f"{key}: expected text")
    return " ".join(value.split())
