"""One WebSocket: what a viewer asks, and what it is sent (docs/api.md, "WebSocket").

A viewer gets only what it asks for, one answer a question: one that is slow asks seldom, and one
that doesn't read is dropped. Nothing here waits for a viewer but its own tasks.
"""

import json
import re
import tempfile
from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs
import trio
from websockets.trio.server import ServerConnection

from lanista import __version__
from lanista.hosting.control import RunningMatch
from lanista.playback.frame_cache import Film, NoFramesError
from lanista.playback.frames import API, encode
from lanista.web.connections import Peer
from lanista.web.view import View

SEND_TIME = 10.0
"""Seconds for a message to be taken; then the viewer is dropped."""
MAX_WAITING = 64
"""Questions of a viewer that are open at once."""
MAX_FILE = 32 * 1024 * 1024
"""Bytes of a file that is sent to be shown."""
MAX_FILES = 512 * 1024 * 1024
"""Bytes of all files that are shown at once, whoever sent them."""
SILENCE = 10.0
"""Seconds without a byte after which a file that was announced isn't waited for any more."""
SHORTEST = 0.04
"""Seconds between two answers with frames of a match that is played…"""
SHARE = 0.008
"""…or so many for every viewer, if that is more: all of them together get but a small share of
the loop's time, however many there are."""
LOBBY_EVERY = 0.25
"""Seconds between two messages of the lobby."""
LONGEST = 4096
"""Characters of a message."""
HEARD_EVERY = 0.01
"""Seconds from one message to the next that is read."""
MAX_FILMS = 64
"""FrameCache of a viewer that are open at once."""
MADE_WITHIN = 3.0
"""Seconds that a film of a match that is over may take until it is shown as far as it is made."""
OPERATIONS = frozenset({"start", "mode", "pause", "resume", "step", "cancel", "kick"})
WAITING = frozenset({"open", "frames", "file"})
"""Questions that may have to wait for their answer."""


class BadMessageError(Exception):
    """What was asked can't be done; in words for people."""


@attrs.define(eq=False)
class Upload:
    """A file that was sent to be shown, or is being sent."""

    viewer: "Viewer"
    match: str
    """The id of its film."""
    began: float
    folder: Path | None = None
    """Where it is, alone."""
    size: int = 0
    """Bytes of it that are here."""


@attrs.define(eq=False)
class Viewer:
    """Whoever looks at the page; `run` to its end."""

    connection: ServerConnection
    peer: Peer
    """What the connection goes over."""
    view: View
    others: Collection["Viewer"]
    operates: Callable[[str | None], bool]
    """Whether commands are taken from who says a token."""
    operator: bool = attrs.field(default=False, init=False)
    _films: dict[str, Film] = attrs.field(factory=dict, init=False)
    _waits: dict[str, set[trio.CancelScope]] = attrs.field(factory=dict, init=False)
    """Of every film, the questions that wait for its frames."""
    _files: int = attrs.field(default=0, init=False)
    _waiting: int = attrs.field(default=0, init=False)
    _one_answer: trio.Lock = attrs.field(factory=trio.Lock, init=False)
    _last_frames: float = attrs.field(default=0.0, init=False)
    _tells_lobby: bool = attrs.field(default=False, init=False)
    _nursery: trio.Nursery = attrs.field(init=False)
    uploads: dict[str, Upload] = attrs.field(factory=dict, init=False)
    """By film, of those that are made of a file that was sent."""

    async def run(self) -> None:
        """Answer until it leaves.

        Raises:
            ConnectionClosed: It has left.
        """
        self.operator = self.operates(None)
        try:
            async with trio.open_nursery() as self._nursery:
                await self._send(
                    {
                        "type": "hello",
                        "api": API,
                        "software": __version__,
                        "mode": "play" if self.view.arena is None else "serve",
                        "operator": self.operator,
                        "match": self.view.match,
                    }
                )
                while True:  # until it has left: then `recv` raises
                    await self._hear(await self.connection.recv())
                    await trio.sleep(HEARD_EVERY)
        finally:
            for match, film in self._films.items():
                self._leave(match, film)
            for match in list(self.uploads):  # what came in only half
                self._remove(match)

    async def _send(self, message: Mapping[str, Any] | bytes) -> None:
        data = message if isinstance(message, bytes) else encode(message)
        with trio.move_on_after(SEND_TIME) as scope:
            await self.connection.send(data, text=True)
        if scope.cancelled_caught:
            # Half a message may be on its way: there is nothing to be said any more.
            await trio.aclose_forcefully(self.connection.stream)
            self._nursery.cancel_scope.cancel()

    async def _hear(self, said: str | bytes) -> None:
        asked = None
        try:
            message = _read(said)
            asked = _id(message)
            await self._do(message)
        except (BadMessageError, NoFramesError) as error:
            await self._send({"type": "error", "id": asked, "words": str(error)})

    async def _do(self, message: Mapping[str, Any]) -> None:
        """Answer at once what can be; the rest gets a task."""
        what = _field(message, "do", str)
        if what in WAITING and self._waiting >= MAX_WAITING:
            raise BadMessageError(f"{MAX_WAITING} questions are open already; wait for answers")
        if what in OPERATIONS:
            if not self.operator:
                raise BadMessageError(f"{what} is the operator's; say the token first")
            self._operate(what, message)
            await self._done(message)
        elif what == "token":
            token = _field(message, "token", str)
            if not self.operates(token):
                raise BadMessageError("this isn't the operator's token")
            self.operator = True
            await self._send({"type": "operator", "operator": True, "id": message.get("id")})
        elif what == "lobby":
            if not self._tells_lobby:
                self._tells_lobby = True
                self._nursery.start_soon(self._tell_lobby)
            await self._done(message)
        elif what == "open":
            self._nursery.start_soon(self._aside, self._open, message)
        elif what == "frames":
            self._nursery.start_soon(self._aside, self._frames, message)
        elif what == "close":
            match = _field(message, "match", str)
            self._close(match)
            await self._done(message)
        elif what == "file":
            await self._file(message)
        else:
            raise BadMessageError(f"nothing is known to do as {what!r}; see docs/api.md")

    async def _aside(
        self, do: Callable[[Mapping[str, Any]], Awaitable[None]], message: Mapping[str, Any]
    ) -> None:
        """Answer a question that may have to wait, in a task of its own."""
        self._waiting += 1
        try:
            await do(message)
        except (BadMessageError, NoFramesError) as error:
            answer = {"type": "error", "id": message.get("id"), "words": str(error)}
            await self._send(answer)
        finally:
            self._waiting -= 1

    async def _done(self, message: Mapping[str, Any]) -> None:
        await self._send({"type": "done", "id": message.get("id")})

    # -- the lobby -----------------------------------------------------------------------------

    async def _tell_lobby(self) -> None:
        changes = self.view.running.changes
        while True:
            seen = changes.count
            await self._send(self.view.lobby())
            await changes.wait(seen)
            await trio.sleep(LOBBY_EVERY)  # what comes close together is told together

    # -- films ---------------------------------------------------------------------------------

    async def _open(self, message: Mapping[str, Any]) -> None:
        match = _field(message, "match", str)
        if message.get("logs") is True:
            with self._until_closed(match) as scope:
                await self.view.until_shown(match)
            if scope.cancelled_caught:
                await self._done(message)
                return
        open_ = self._films.get(match)
        if open_ is not None and match not in self.uploads:
            # It broke off, or may be told with its logs now: made anew.
            is_old = not open_.logs and await self.view.record_of(match) is not None
            if open_.failed is not None or is_old:
                self._close(match)
        if match not in self._films:
            self._check_room()
            film = await self.view.take_film(match)
            if match in self._films:  # asked for twice at once
                self.view.films.leave(match, film)
            else:
                self._films[match] = film
        await self._tell_head(message, match, self._films[match])

    def _check_room(self) -> None:
        if len(self._films) >= MAX_FILMS:
            raise BadMessageError(f"{MAX_FILMS} films are open already; close one")

    async def _tell_head(self, message: Mapping[str, Any], match: str, film: Film) -> None:
        head = None
        if self._films.get(match) is film:
            with self._until_closed(match):
                try:
                    head = await film.begun()
                except NoFramesError:
                    self._close(match)
                    raise
                if match not in self.view.running.matches:
                    # All of it, so that who goes to a round finds it; but a long one is begun.
                    with trio.move_on_after(MADE_WITHIN):
                        await film.made()
        if head is None:  # closed while it waited
            await self._done(message)
            return
        live = match in self.view.running.matches
        about = {"match": match, "live": live, "logs": film.logs, "id": message.get("id")}
        await self._send({**head, **about})

    @contextmanager
    def _until_closed(self, match: str) -> Iterator[trio.CancelScope]:
        """What waits in here is given up when the film is closed."""
        waits = self._waits.setdefault(match, set())
        with trio.CancelScope() as scope:
            waits.add(scope)
            try:
                yield scope
            finally:
                waits.discard(scope)

    def _close(self, match: str) -> None:
        film = self._films.pop(match, None)
        if film is not None:
            for scope in self._waits.pop(match, ()):
                scope.cancel()
            self._leave(match, film)

    def _leave(self, match: str, film: Film) -> None:
        # A sent file's film is nobody else's.
        self.view.films.leave(str(film.path) if match in self.uploads else match, film)
        self._remove(match)

    def _remove(self, match: str) -> None:
        """Remove what was sent, if this is of a file that was."""
        upload = self.uploads.pop(match, None)
        if upload is not None and upload.folder is not None:
            self.view.films.remove(upload.folder)

    async def _frames(self, message: Mapping[str, Any]) -> None:
        match = _field(message, "match", str)
        place = _field(message, "from", int)
        known = message.get("known", False)
        film = self._films.get(match)
        if film is None:
            raise BadMessageError(f"the match {match!r} isn't open; open it first")
        if place < -1:
            raise BadMessageError(f"from is {place}; it is a frame's number, or -1 for the newest")
        if known not in (True, False) or (known and place < 1):
            raise BadMessageError("known is true only with the number of a frame behind another")
        with self._until_closed(match) as scope:
            await film.reach(place)
            if film.failed is not None and match not in self.uploads:
                # It broke off; once more from the record, which gives the same frames.
                film = await self._again(match, film)
                await film.reach(place)
            if self.view.running.matches:
                await self._wait_turn()
            if place >= film.count and film.end is not None:
                # Its result is written before its bots are told. Then there is a record, too.
                await self.view.until_over(match)
        if scope.cancelled_caught:
            await self._done(message)  # closed while it waited
            return
        if place == -1:
            place = film.count - 1
        if not 0 <= place < film.count:
            await self._tell_end(message, match, film)
            return
        async with self._one_answer:  # however many are asked for, one is in memory
            if self._films.get(match) is not film:
                await self._done(message)
                return
            try:
                first, frames = film.frames(place, known=known)
            except OSError as error:
                film.add({"failed": f"the film is gone: {error.strerror}; open it again"})
                await self._tell_end(message, match, film)
                return
            about = encode(
                {
                    "type": "frames",
                    "id": message.get("id"),
                    "match": match,
                    "from": first,
                    "count": film.count,
                    "over": film.over,
                }
            )
            await self._send(b'%b,"frames":[%b]}' % (about[:-1], frames))

    async def _again(self, match: str, broken: Film) -> Film:
        """The film of a match whose first one broke off."""
        if self._films.get(match) is broken:
            film = await self.view.take_film(match)
            if self._films.get(match) is broken:
                self._films[match] = film
                self.view.films.leave(match, broken)
            else:
                self.view.films.leave(match, film)
        return self._films.get(match, broken)

    async def _wait_turn(self) -> None:
        """Leave the loop to the matches: frames come at most so often."""
        pause = max(SHORTEST, SHARE * len(self.others))
        turn = max(self._last_frames + pause, trio.current_time())
        self._last_frames = turn
        await trio.sleep_until(turn)

    async def _tell_end(self, message: Mapping[str, Any], match: str, film: Film) -> None:
        end = film.end or {"type": "end", "seed": None, "trouble": film.failed, "result": None}
        await self._send({**end, "match": match, "count": film.count, "id": message.get("id")})

    async def _file(self, message: Mapping[str, Any]) -> None:
        """Take in a file, and open its film. Nothing else is heard from this viewer meanwhile."""
        size = _field(message, "size", int)
        name = _field(message, "name", str)
        if not 0 < size <= MAX_FILE:
            raise BadMessageError(f"a file of {size} bytes; from 1 to {MAX_FILE} can be shown")
        self._check_room()
        self._files += 1
        match = f"file-{self._files}"
        upload = self.uploads[match] = Upload(self, match, trio.current_time())
        try:
            upload.folder = Path(tempfile.mkdtemp(prefix="upload-", dir=self.view.films.folder))
            path = upload.folder / (
                re.sub(r"[^A-Za-z0-9._-]", "_", name)[-64:].lstrip(".") or "file"
            )
            await self._receive(upload, path, size)
        except (BadMessageError, OSError) as error:
            self._remove(match)
            if isinstance(error, OSError):
                raise BadMessageError(f"no room for the file: {error.strerror}") from None
            raise
        film = self._films[match] = self.view.films.take(str(path), path, live=False)
        self._nursery.start_soon(
            self._aside, lambda message: self._tell_head(message, match, film), message
        )

    async def _receive(self, upload: Upload, path: Path, size: int) -> None:
        """Write the bytes that are sent into a file."""
        async with await trio.open_file(path, "wb") as file:
            while upload.size < size:
                part = await self._part()
                if isinstance(part, str):
                    raise BadMessageError("bytes of the file are binary messages")
                if upload.size + len(part) > size:
                    raise BadMessageError(f"the file is longer than the {size} bytes announced")
                self._make_room(len(part))
                upload.size += len(part)
                await file.write(part)
                if upload.match not in self.uploads:
                    raise BadMessageError("others' files needed the room; send the file again")

    async def _part(self) -> str | bytes:
        """The next message, which may take long but must not stand still."""
        began = trio.current_time()
        while True:
            quiet_until = max(began, self.peer.heard) + SILENCE
            if quiet_until <= trio.current_time():
                raise BadMessageError(f"no byte of the file came for {SILENCE:g} s; send it again")
            with trio.move_on_at(quiet_until):
                return await self.connection.recv()

    def _make_room(self, size: int) -> None:
        """Give up files until there is room for so many bytes more.

        Of the address that has sent the most, the oldest one goes: so nobody can keep out others.
        """
        while True:
            by_address: dict[str, list[Upload]] = {}
            for viewer in self.others:
                for upload in viewer.uploads.values():
                    by_address.setdefault(viewer.peer.address, []).append(upload)
            sizes = {
                address: sum(upload.size for upload in uploads)
                for address, uploads in by_address.items()
            }
            if sum(sizes.values()) + size <= MAX_FILES:
                return
            greediest = max(sizes, key=lambda address: sizes[address])
            full = [upload for upload in by_address[greediest] if upload.size]
            oldest = min(full, key=lambda upload: upload.began)
            oldest.viewer.give_up(oldest.match)

    def give_up(self, match: str) -> None:
        """Close a sent file's film, or what has come of the file, as others need the room."""
        self._close(match)
        self._remove(match)

    # -- commands ------------------------------------------------------------------------------

    def _operate(self, what: str, message: Mapping[str, Any]) -> None:
        """Carry out an operator's command."""
        arena = self.view.arena
        if what in {"start", "mode", "kick"} and arena is None:
            raise BadMessageError(f"{what} is for an arena; this is the page of one match")
        if what == "start":
            assert arena is not None
            game, room = _field(message, "game", str), message.get("room")
            if not (room is None or isinstance(room, str)) or not arena.start((game, room)):
                raise BadMessageError("no match is ready there")
        elif what == "mode":
            assert arena is not None
            arena.set_manual(_field(message, "manual", bool))
        elif what == "kick":
            assert arena is not None
            bot = _field(message, "bot", int)
            if not arena.kick(bot):
                raise BadMessageError(f"there is no bot {bot} any more")
        else:
            self._steer(what, self._running(message))

    def _running(self, message: Mapping[str, Any]) -> RunningMatch:
        match = _field(message, "match", str)
        running = self.view.running.matches.get(match)
        if running is None:
            raise BadMessageError(f"no match {match!r} is running")
        return running

    def _steer(self, what: str, running: RunningMatch) -> None:
        if what == "cancel":
            running.control.give_up()
            running.playing.interrupt("the operator ended this match")
        elif what == "pause":
            running.control.pause()
        elif what == "resume":
            running.control.resume()
        else:
            running.control.step()
        self.view.running.changes.tell()


def _id(message: Mapping[str, Any]) -> int | str | None:
    """By which the answer is told from others."""
    asked = message.get("id")
    if not (asked is None or isinstance(asked, int | str)):
        raise BadMessageError("id is neither a whole number nor text")
    return asked


def _read(said: str | bytes) -> dict[str, Any]:
    if isinstance(said, bytes):
        raise BadMessageError("binary; a message is a JSON object in text")
    if len(said) > LONGEST:
        # Reading it would keep the matches waiting.
        raise BadMessageError(f"{len(said)} characters; no message needs more than {LONGEST}")
    try:
        message = json.loads(said)
    except (ValueError, RecursionError) as error:
        raise BadMessageError(f"no JSON ({error})") from None
    if not isinstance(message, dict):
        raise BadMessageError("no JSON object")
    return message


def _field(message: Mapping[str, Any], name: str, kind: type) -> Any:
    value = message.get(name)
    if type(value) is not kind:
        kinds = {str: "text", int: "a whole number", bool: "true or false"}
        raise BadMessageError(f"{name} is {value!r}; it should be {kinds[kind]}")
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise BadMessageError(f"half a character (a lone surrogate) in {name}") from None
    return value
