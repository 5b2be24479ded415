"""The operator's commands to a running arena: the socket by which they come, and what they do.

It is a Unix socket in the arena's data folder, which only the arena's user may open. A client
sends one line of JSON, `{"command": NAME, …}`, and gets one line, `{"answer": …}` or
`{"error": TEXT}`; then the connection is closed.

Decisions that are to last are stored by the commands themselves (`decisions`), whether an arena
runs or not. An arena takes them up when it notices that the operator has changed something, in
whatever process (`Names.changed`); the command `look` only has it look at once.
"""

import contextlib
import errno
import json
import os
import socket
import traceback
from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
import structlog
import trio

from lanista import __version__
from lanista.errors import BadInputError, StoreError
from lanista.results.data_folder import DataFolder
from lanista.system import undoing

if TYPE_CHECKING:  # so that a command that talks to an arena needs nothing of it
    from lanista.arena.arena import Arena
    from lanista.arena.ladder_room import LadderRoom
    from lanista.arena.names import Names

AGAIN = 1.0
"""Seconds until a database is read again that couldn't be."""
STORE_PATIENCE = 5.0
"""Seconds that the database has to say how many matches are stored."""
_MAX_ADDRESS = 100
"""Bytes of a path with which a socket can surely be addressed; 104 to 108 in most systems."""

Command = Callable[[Mapping[str, Any]], Awaitable[object]]
"""Carries out a command whose line has these keys; its answer can be written as JSON."""

log = structlog.get_logger()


@contextlib.contextmanager
def socket_address(data: DataFolder) -> Iterator[Path]:
    """Yield the address of the socket in a data folder, even if the folder's path is too long.

    Raises:
        OSError: The folder isn't there.
    """
    path = data.control_socket
    if len(os.fsencode(path)) <= _MAX_ADDRESS:
        yield path
        return
    descriptor = os.open(data.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield Path(f"/proc/self/fd/{descriptor}/{path.name}")
    finally:
        os.close(descriptor)


async def serve_commands(
    data: DataFolder,
    commands: Mapping[str, Command],
    *,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Carry out the commands of these names until cancelled, after saying when they can be sent.

    If the folder has the socket of another arena that is running, or can't have one, this is
    logged, and there are no commands.
    """
    try:
        listening = _listen(data)
    except OSError as error:
        log.warning(
            "commands can't be sent to this arena",
            socket=str(data.control_socket),
            why=error.strerror or str(error),
        )
        task_status.started()
        return
    with listening:
        listener = trio.SocketListener(trio.socket.from_stdlib_socket(listening))
        task_status.started()
        try:
            await trio.serve_listeners(partial(_answer, commands), [listener])
        finally:
            with contextlib.suppress(OSError):
                data.control_socket.unlink()


def _listen(data: DataFolder) -> socket.socket:
    """Make the socket, in place of one that a killed arena has left."""
    with socket_address(data) as address:
        if _is_answered(address):
            raise OSError(errno.EADDRINUSE, "another running arena uses it")
        address.unlink(missing_ok=True)
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        with undoing(listening.close):
            listening.bind(str(address))
            # Nobody can connect before `listen`.
            address.chmod(0o600)
            listening.listen()
            listening.setblocking(False)
        return listening


def _is_answered(address: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as trying:
        trying.setblocking(False)
        try:
            trying.connect(str(address))
        except (FileNotFoundError, ConnectionRefusedError):
            return False
        except BlockingIOError:  # many others are trying to connect, too
            return True
    return True


async def _answer(commands: Mapping[str, Command], stream: trio.SocketStream) -> None:
    line = b""
    async with stream:
        with contextlib.suppress(trio.BrokenResourceError):  # whoever sent it has gone
            async for part in stream:
                line += part
                if b"\n" in part:
                    reply = await _reply(commands, line)
                    await stream.send_all(reply.encode("ascii") + b"\n")
                    return


async def _reply(commands: Mapping[str, Command], line: bytes) -> str:
    try:
        asked = json.loads(line)
        carry_out = commands.get(asked["command"])
        if carry_out is None:  # it is that of another version
            known = ", ".join(sorted(commands))
            return json.dumps({"error": f"unknown command; known are {known}"})
        return json.dumps({"answer": await carry_out(asked)})
    except BadInputError as error:
        return json.dumps({"error": str(error)})
    except Exception:  # noqa: BLE001 - a fault of ours must not end the arena
        log.error("command ended by an error", trace=traceback.format_exc())
        return json.dumps({"error": "the arena failed to do this; its log says why"})


# -- what they do ------------------------------------------------------------------------------


@attrs.define(eq=False)
class Operator:
    """Carries out the operator's commands; `run` it while the arena runs."""

    arena: "Arena"
    _since: float = attrs.field(factory=trio.current_time, init=False)
    _one_at_a_time: trio.Lock = attrs.field(factory=trio.Lock, init=False)

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Take commands, and take up what the operator changes in databases, until cancelled."""
        commands = {
            "disable": self._disable,
            "kick": self._kick,
            "look": self._look,
            "status": self._status,
        }
        async with trio.open_nursery() as nursery:
            if self.arena.names is not None:
                nursery.start_soon(self._keep_up, self.arena.names)
            await serve_commands(self.arena.options.data, commands, task_status=task_status)

    async def _keep_up(self, names: "Names") -> None:
        seen = 0
        while True:
            await names.changed.wait(seen)
            seen = names.changed.count
            if not await self._take_up(names):
                seen = -1  # another one than any count, so that it is tried again
                await trio.sleep(AGAIN)

    async def _look(self, _: Mapping[str, Any]) -> None:
        names = self.arena.names
        if names is not None:
            await names.look()
            if not await self._take_up(names):
                raise BadInputError("the arena can't read its databases now")

    async def _take_up(self, names: "Names") -> bool:
        """Take up who was benched, removed, struck and so on; return False if it can't be read."""
        connected = self.arena.connections.members.values()
        async with self._one_at_a_time:
            try:
                present = [player.member.who for player in connected if player.member is not None]
                revoked = set(await names.revoked(present))
                for room in self.arena.ladders.values():
                    await room.take_up_notes()
                benched = await names.benched()
                if self.arena.submissions is not None:
                    await self.arena.submissions.look_up_names(names)
            except StoreError as error:
                log.error("the operator's changes can't be read", why=str(error))
                return False
            for player in connected:
                if player.member is not None and player.member.who in revoked:
                    self.arena.connections.revoke(player.number, player.member)
            self.arena.ladder_matches.bench(benched, connected)
            return True

    async def _kick(self, asked: Mapping[str, Any]) -> Mapping[str, object]:
        name, connections = _text(asked, "name"), self.arena.connections
        bots = [bot for bot in connections.players.values() if not bot.replaced]
        called = [bot.number for bot in bots if bot.name.casefold() == name.casefold()]
        if not called:
            raise BadInputError(f"no bot called {name!r} is connected")
        return {"connections": sum(map(connections.kick, called))}

    async def _disable(self, asked: Mapping[str, Any]) -> None:
        """Let a name hand in and play nothing more on a ladder, or again if `why` is empty."""
        every, name = self.arena.submissions, _text(asked, "ladder")
        ladder = None if every is None else every.ladders.get(name)
        if ladder is None:
            raise BadInputError(
                f"no programs are handed in to a ladder {name!r} of the running arena; "
                "it may have been started before its file was changed"
            )
        await ladder.disable(_text(asked, "name"), _text(asked, "why"))

    async def _status(self, _: Mapping[str, Any]) -> Mapping[str, object]:
        arena = self.arena
        # One for all ladders: the more there are, the longer a silent server would be waited for.
        deadline = trio.current_time() + STORE_PATIENCE
        ladders = [await self._ladder_status(room, deadline) for room in arena.ladders.values()]
        waiting = arena.lobby.waiting()
        return {
            "version": __version__,
            "uptime": round(trio.current_time() - self._since, 1),
            "address": arena.connections.address,
            "page": arena.connections.page,
            "workers": arena.options.spec.workers,
            "connections": arena.connections.admission.taken,
            "max_connections": arena.options.spec.max_connections,
            "matches": len(arena.running.matches),
            "over": arena.matches.over,
            "waiting": sum(player.member is None for player in waiting),
            "trouble": arena.matches.space.trouble,
            "ladders": ladders,
        }

    async def _ladder_status(self, room: "LadderRoom", deadline: float) -> Mapping[str, object]:
        name = room.spec.name
        running = self.arena.running.matches.values()
        return {
            "name": name,
            "game": room.ruleset.name,
            **room.presence(),
            "matches": sum(match.room == name for match in running),
            "stored": await room.results.stored(deadline),
            "unstored": room.results.waiting,
        }


def _text(asked: Mapping[str, Any], key: str) -> str:
    """Return the text under a key of a command, with single spaces between its words."""
    return " ".join(str(asked[key]).split())
