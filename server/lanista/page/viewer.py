"""A viewer's WebSocket: its requests and the answers to them (docs/api.md, "WebSocket").

A viewer is sent only what it asks for, one answer for each request, so nothing piles up for a slow
one. One that doesn't read is dropped; only its own tasks ever wait for it.
"""

import base64
import zlib
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager, suppress
from functools import partial
from typing import Any

import attrs
import structlog
import trio
from websockets.exceptions import ConnectionClosed
from websockets.trio.server import ServerConnection

from lanista import __version__
from lanista.arena.limits import Turns
from lanista.errors import BadInputError
from lanista.page import frames
from lanista.page.authorization import OperatorToken
from lanista.page.connections import Peer
from lanista.page.frame_cache import FrameFile, NoFramesError
from lanista.page.requests import Playing, Upload, decision, field, operate, parse
from lanista.page.view import View, Visitor
from lanista_protocol import RemoteProtocolError

MAX_WAITING = 64
"""Maximum number of requests of a viewer that wait for their answers."""
MAX_TASKS = 1500
"""Maximum number of tasks that answer such requests, of all viewers together; each viewer may have
the same share of them. Garbage collection, which holds up the matches, takes 0.02 ms for each.

Besides those, a viewer has four tasks: two of its connection, which receive and ping; one that
reads requests; and one that sends the lobby when it changes."""
SHORTEST = 0.04
"""Minimum seconds between two answers with frames to a viewer while matches run."""
SHARE = 0.008
"""The same minimum, as seconds for each connected viewer: all viewers together get only a small
share of the loop's time, however many there are."""
LOBBY_EVERY = 0.25
"""Minimum seconds between two messages of the lobby."""
HEARD_EVERY = 0.01
"""Seconds between a message and the next one that is read."""
MAX_NAMES = 64
"""Maximum number of names whose tokens a viewer has shown."""
MAX_OPEN = 64
"""Maximum number of matches that a viewer has open at once."""
WHOLE_WITHIN = 3.0
"""Seconds to wait for all frames of a finished match whose number of frames isn't known; then it is
shown without the last ones."""
OPERATIONS = frozenset(
    {"start", "mode", "pause", "resume", "step", "cancel", "kick", "house", "play"}
)
"""Requests that only an operator may make."""
DECISIONS = frozenset(
    {"add-name", "reset-name", "remove-name", "bench", "unbench", "strike", "unstrike"}
)
"""Such requests that change the arena's database."""
WORTH_PACKING = 16 * 1024
"""Bytes of frames from which on they are compressed for a viewer that wants that."""

log = structlog.get_logger()

Handler = Callable[[Mapping[str, Any]], Awaitable[None]]
"""Answers a request."""


@attrs.define(eq=False)
class Viewer:
    """A viewer of the page, from its connection to its end."""

    connection: ServerConnection
    peer: Peer
    """The stream below the connection."""
    view: View
    others: Collection["Viewer"]
    """All viewers, with this one."""
    operator: OperatorToken
    visitor: Visitor = attrs.field(factory=Visitor, init=False)
    uploads: dict[str, Upload] = attrs.field(factory=dict, init=False)
    """The files that this viewer sent, by the ids under which they are open."""
    _frame_files: dict[str, FrameFile] = attrs.field(factory=dict, init=False)
    """The frames of all matches that are open, by match."""
    _waits: dict[str, set[trio.CancelScope]] = attrs.field(factory=dict, init=False)
    """The scopes of requests that wait for something of a match, by match."""
    _upload_count: int = attrs.field(default=0, init=False)
    _tasks: int = attrs.field(default=0, init=False)
    """Number of tasks that answer requests."""
    _queue: deque[tuple[Handler, Mapping[str, Any]]] = attrs.field(factory=deque, init=False)
    """The requests that wait for such a task, each with what answers it."""
    _one_answer: trio.Lock = attrs.field(factory=trio.Lock, init=False)
    """Held while frames are in memory to be sent."""
    _turns: Turns = attrs.field(factory=Turns, init=False)
    """Wakes one of the requests that wait for the same match when something happens in it.

    All those of hundreds of viewers at once would hold up the matches.
    """
    _one_token: trio.Lock = attrs.field(factory=trio.Lock, init=False)
    """Held while a token is checked: each connection may have only one checked at a time."""
    _playing: Playing = attrs.field(init=False)
    _later: Mapping[str, Handler] = attrs.field(init=False)
    """The requests whose answers may have to wait, and what answers them."""
    _last_frames: float = attrs.field(default=0.0, init=False)
    """The time for which the last answer with frames was planned, by trio's clock."""
    _sends_lobby: bool = attrs.field(default=False, init=False)
    _nursery: trio.Nursery = attrs.field(init=False)

    async def run(self) -> None:
        """Answer requests until the viewer leaves."""
        self.visitor = Visitor(operator=not self.operator.is_needed)
        self._playing = Playing(self.view, self.peer.address, self._send)
        self._later = dict.fromkeys(DECISIONS, self._decide) | {
            "open": self._open,
            "frames": self._send_frames,
            "play": self._playing.begin,
            "answer": self._playing.answer,
            "token": self._prove_operator,
            "name": self._prove_name,
        }
        try:
            async with trio.open_nursery() as self._nursery:
                await self._send(
                    {
                        "type": "hello",
                        "api": frames.API,
                        "software": __version__,
                        "mode": self.view.mode,
                        "operator": self.visitor.operator,
                        "match": self.view.match,
                        "bots": self.view.bots_port(),
                        "play": self.view.may_play,
                    }
                )
                # Within the nursery, as an exception that cancels a nursery refers to itself.
                with suppress(ConnectionClosed):
                    while True:
                        await self._answer(await self.connection.recv())
                        await trio.sleep(HEARD_EVERY)
                self._nursery.cancel_scope.cancel()
        finally:
            for match in {**self._frame_files, **self.uploads}:
                self._close(match)
            self._playing.close()
            # They refer to this; hundreds that left would be garbage to search for.
            del self._later, self._playing

    async def _send(self, message: Mapping[str, Any] | bytes) -> None:
        data = message if isinstance(message, bytes) else frames.encode(message)
        await self.connection.send(data, text=True)

    async def _answer(self, data: str | bytes) -> None:
        message: Mapping[str, Any] = {}
        try:
            message = parse(data)
            await self._do(message)
        except (BadInputError, RemoteProtocolError) as error:
            await self._refuse(message, error)

    async def _do(self, message: Mapping[str, Any]) -> None:
        """Carry out a request, in a task of its own if it may have to wait."""
        what = field(message, "do", str)
        later = self._later.get(what)
        if what in OPERATIONS | DECISIONS and not self.visitor.operator:
            later = self._command_after_tokens
        if later is not None:
            self._answer_later(later, message)
            return
        if what == "file":
            await self._file(message)
            return
        if what == "resign":
            self._playing.resign(message)
        elif what in OPERATIONS:
            operate(self.view, what, message)
        elif what == "lobby":
            if not self._sends_lobby:
                self._sends_lobby = True
                self._nursery.start_soon(self._send_lobby)
        elif what == "close":
            await self._give_up(field(message, "match", str))
        else:
            raise BadInputError(f"unknown request {what!r}; see docs/api.md")
        await self._done(message)

    def _answer_later(self, do: Handler, message: Mapping[str, Any]) -> None:
        """Answer a request in a task of its own, as soon as there may be another one."""
        if self._tasks + len(self._queue) >= MAX_WAITING:
            raise BadInputError(f"{MAX_WAITING} questions are open already; wait for answers")
        self._queue.append((do, message))
        self._begin_tasks()

    def _begin_tasks(self) -> None:
        while self._queue and self._tasks < max(1, MAX_TASKS // len(self.others)):
            self._tasks += 1
            self._nursery.start_soon(self._answer_now, *self._queue.popleft())

    async def _answer_now(self, do: Handler, message: Mapping[str, Any]) -> None:
        try:
            await do(message)
        except (BadInputError, RemoteProtocolError) as error:
            await self._refuse(message, error)
        finally:
            self._tasks -= 1
            self._begin_tasks()

    async def _refuse(self, message: Mapping[str, Any], error: Exception) -> None:
        words = error.message if isinstance(error, RemoteProtocolError) else str(error)
        await self._reply(message, "error", words=words)

    async def _done(self, message: Mapping[str, Any]) -> None:
        await self._reply(message, "done")

    async def _reply(self, message: Mapping[str, Any], kind: str, **content: object) -> None:
        await self._send({"type": kind, **content, "id": message.get("id")})

    # -- the lobby -----------------------------------------------------------------------------

    async def _send_lobby(self) -> None:
        changes = self.view.running.changes
        while True:
            seen = changes.count
            await self._send(self.view.lobby())
            await changes.wait(seen)
            await trio.sleep(LOBBY_EVERY)  # changes at about the same time make one message

    # -- matches -------------------------------------------------------------------------------

    async def _open(self, message: Mapping[str, Any]) -> None:
        match = field(message, "match", str)
        if message.get("logs") is True and self._may_come(match):
            with self._until_closed(match) as scope:
                async with self._turns.turn(("logs", match)):
                    await self.view.until_shown(match)
            if scope.cancelled_caught:
                await self._done(message)
                return
        if match not in self._frame_files:
            self._check_room()
        if match not in self.uploads:
            await self._acquire(match)
        await self._send_head(match, message)

    async def _acquire(self, match: str) -> None:
        """Open a match, with other frames than before if they failed, or may have logs now."""
        try:
            frame_file = await self.view.acquire_frames(match, self.visitor, self.peer.group)
        except NoFramesError:
            if match not in self._frame_files:
                raise
            return  # it is over, and its record can't be seen yet
        if self._frame_files.get(match) is frame_file:
            self.view.frame_cache.release(frame_file)
        else:
            self._close(match)
            self._frame_files[match] = frame_file

    def _may_come(self, match: str) -> bool:
        """Return whether a match may have a record to wait for."""
        if match in self.uploads:
            return False
        is_unfinished = self.view.is_running(match) or self.view.running.hides(match)
        return is_unfinished or match in self._frame_files

    def _check_room(self) -> None:
        if len(self._frame_files) >= MAX_OPEN:
            raise BadInputError(f"{MAX_OPEN} matches are open already; close one")

    async def _send_head(self, match: str, message: Mapping[str, Any]) -> None:
        head = None
        frame_file = self._frame_files.get(match)
        if frame_file is not None:
            with self._until_closed(match):
                try:
                    head = await frame_file.wait_head()
                except NoFramesError:
                    self._close(match)
                    raise
                if frame_file.total is None and not self.view.is_running(match):
                    # The viewer may want to begin at any frame; but it doesn't wait for too long.
                    with trio.move_on_after(WHOLE_WITHIN):
                        await frame_file.wait_over()
        if head is None or frame_file is None:  # the match was closed meanwhile
            await self._done(message)
            return
        live = self.view.is_running(match)
        logs = frame_file.logs
        is_stored = not live and match not in self.uploads
        about = {
            "match": match,
            "live": live,
            "logs": True if logs is None else sorted(logs) or False,
            "bundles": await self.view.bundles(match, logs) if is_stored else [],
            "id": message.get("id"),
        }
        await self._send({**head, **about})

    @contextmanager
    def _until_closed(self, match: str) -> Iterator[trio.CancelScope]:
        waits = self._waits.setdefault(match, set())
        with trio.CancelScope() as scope:
            waits.add(scope)
            try:
                yield scope
            finally:
                waits.discard(scope)

    async def _give_up(self, match: str) -> None:
        """Close a match, and answer those requests for it that wait for a task."""
        self._close(match)
        waits = (self._open, self._send_frames)
        given_up = [one for one in self._queue if one[0] in waits and one[1].get("match") == match]
        self._queue = deque(one for one in self._queue if one not in given_up)
        for _, message in given_up:
            await self._done(message)

    def _close(self, match: str) -> None:
        for scope in self._waits.pop(match, ()):
            scope.cancel()
        frame_file = self._frame_files.pop(match, None)
        upload = self.uploads.pop(match, None)
        if frame_file is not None:
            cache = self.view.frame_cache if upload is None else self.view.sent_frames
            cache.release(frame_file)
        if upload is not None and upload.folder is not None:
            self.view.sent_frames.remove(upload.folder)

    async def _send_frames(self, message: Mapping[str, Any]) -> None:
        match = field(message, "match", str)
        position = field(message, "from", int)
        known, packed = message.get("known", False), message.get("packed", False)
        frame_file = self._frame_files.get(match)
        if frame_file is None:
            raise BadInputError(f"the match {match!r} isn't open; open it first")
        if position < -1:
            raise BadInputError(f"from is {position}; it is a frame's number, or -1 for the newest")
        if known not in (True, False) or (known and position < 1):
            raise BadInputError("known is true or false, and true only with from of 1 or more")
        if packed not in (True, False):
            raise BadInputError("packed is true or false")
        if position == -1 and frame_file.total is not None:
            position = frame_file.total - 1
        is_there = max(position, 0) < frame_file.count
        async with AsyncExitStack() as turn:
            scope = turn.enter_context(self._until_closed(match))
            if not is_there:
                await turn.enter_async_context(self._turns.turn(match))
            await frame_file.wait_frame(position)
            may_end = frame_file.count > 0 and not self.view.is_running(match)
            if frame_file.failed is not None and not may_end:
                # A page that is told the end asks for no more frames; without any frame it has
                # nothing to show.
                raise NoFramesError(frame_file.failed)
            if self.view.running.matches:
                await self._wait_turn()
            if position >= frame_file.count and frame_file.end is not None:
                # The result is written before the match ends and its record gets its name.
                await self.view.until_over(match)
        if scope.cancelled_caught:
            await self._done(message)  # the match was closed meanwhile
            return
        if position == -1:
            position = frame_file.count - 1
        if not 0 <= position < frame_file.count:
            await self._send_end(message, match, frame_file)
            return
        async with self._one_answer:  # only one answer is in memory, however many are due
            if self._frame_files.get(match) is not frame_file:
                await self._done(message)
                return
            try:
                first, chunk = frame_file.chunk(position, known=known)
            except OSError as error:
                words = f"can't read the frames: {error.strerror}; open the match again"
                frame_file.fail(words)
                raise NoFramesError(words) from None
            about = frames.encode(
                {
                    "type": "frames",
                    "id": message.get("id"),
                    "match": match,
                    "from": first,
                    "count": frame_file.total or frame_file.count,
                    # A failed file has a total, too.
                    "over": frame_file.total is not None
                    and (frame_file.failed is None or not self.view.is_running(match)),
                }
            )
            if packed and len(chunk) >= WORTH_PACKING:
                key, value = "packed", await trio.to_thread.run_sync(_packed, chunk)
            else:
                key, value = "frames", b"[%b]" % chunk
            await self._send(b'%b,"%b":%b}' % (about[:-1], key.encode(), value))

    async def _wait_turn(self) -> None:
        """Wait until this viewer may have frames again, as matches need the loop, too."""
        pause = max(SHORTEST, SHARE * len(self.others))
        turn = max(self._last_frames + pause, trio.current_time())
        self._last_frames = turn
        await trio.sleep_until(turn)

    async def _send_end(
        self, message: Mapping[str, Any], match: str, frame_file: FrameFile
    ) -> None:
        end = frame_file.end or frames.end(None, None, frame_file.failed)
        await self._send(
            {**end, "match": match, "count": frame_file.count, "id": message.get("id")}
        )

    async def _file(self, message: Mapping[str, Any]) -> None:
        """Receive a file and open it. The viewer's next request is read only after that."""
        size = field(message, "size", int)
        name = field(message, "name", str)
        self._check_room()
        self._upload_count += 1
        match = f"file-{self._upload_count}"
        close = partial(self._close, match)
        upload = self.uploads[match] = Upload(self.connection, self.peer, close, self._uploads)
        try:
            path = await upload.receive(name, size, self.view.sent_frames.folder)
            # The ids of uploads are this viewer's own, so the cache knows them by their paths.
            self._frame_files[match] = self.view.sent_frames.acquire(
                str(path), path, live=False, address=self.peer.group
            )
            self._answer_later(partial(self._send_head, match), message)
        except BadInputError:
            self._close(match)
            raise

    def _uploads(self) -> Iterator[Upload]:
        for viewer in self.others:
            yield from viewer.uploads.values()

    # -- tokens --------------------------------------------------------------------------------

    async def _prove_operator(self, message: Mapping[str, Any]) -> None:
        token = field(message, "token", str)
        async with self._one_token:
            is_operators = await self.operator.is_operators(token, self.peer.address)
        if not is_operators:
            raise BadInputError("this isn't the operator's token")
        self.visitor = attrs.evolve(self.visitor, operator=True)
        await self._reply(message, "operator", operator=True)

    async def _prove_name(self, message: Mapping[str, Any]) -> None:
        """Check the token of a name, whose logs and failure bundles may then be seen."""
        name, token = field(message, "name", str), field(message, "token", str)
        names = self.view.ladder_names
        if len(self.visitor.names) >= MAX_NAMES:
            raise BadInputError(f"{MAX_NAMES} names at once; load the page again for others")
        async with self._one_token:
            proved = await names.prove(name, token, self.peer.address)
        self.visitor = attrs.evolve(self.visitor, names={**self.visitor.names, proved.name: proved})
        await self._reply(message, "name", name=proved.name)

    # -- commands ------------------------------------------------------------------------------

    async def _command_after_tokens(self, message: Mapping[str, Any]) -> None:
        """Carry out a command once the tokens that were said before it are checked."""
        async with self._one_token:
            pass
        if not self.visitor.operator:
            raise BadInputError(f"{message['do']} is the operator's; say the token first")
        await self._do(message)

    async def _decide(self, message: Mapping[str, Any]) -> None:
        names, name = self.view.ladder_names, field(message, "name", str)
        assert self.view.arena is not None
        ladders = {room.spec.name: room.spec for room in self.view.arena.ladders.values()}
        ladder = message.get("ladder")
        if ladder is not None and field(message, "ladder", str) not in ladders:
            raise BadInputError(f"there is no ladder {ladder!r}; known: {', '.join(ladders)}")
        do = decision(message["do"], name, ladder, ladders, names.house)
        token = await names.decide(do)
        log.info("decided by the operator", what=message["do"], name=name, ladder=ladder)
        if token is None:
            await self._done(message)
        else:
            await self._reply(message, "new-token", name=name, token=token)


def _packed(frames: bytes) -> bytes:
    """Return frames as a compressed list: the Base64, in quotes, of zlib's format."""
    return b'"%b"' % base64.b64encode(zlib.compress(b"[%b]" % frames, 1))
