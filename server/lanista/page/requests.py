"""The requests of viewers but for frames (docs/api.md, "WebSocket"): reading and carrying them out.

They are JSON objects: the operator's commands, the match that a viewer plays, and the files that
viewers send. One that can't be carried out is a `BadInputError`, whose message the viewer is shown.
"""

import json
import re
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import attrs
import trio
from websockets.trio.server import ServerConnection

from lanista.arena import decisions
from lanista.arena.arena import Arena
from lanista.arena.person import Person, PersonsWish
from lanista.arena.spec import LadderSpec
from lanista.errors import BadInputError
from lanista.hosting.control import RunningMatch
from lanista.page.connections import Peer
from lanista.page.view import View
from lanista.results.names import NameStore
from lanista_protocol import option_fault

LONGEST = 4096
"""Maximum length of a text message in characters."""


def parse(data: str | bytes) -> dict[str, Any]:
    """Return a message as a JSON object."""
    if isinstance(data, bytes):
        raise BadInputError("binary; a message is a JSON object in text")
    if len(data) > LONGEST:
        # Parsing it would hold up the matches.
        raise BadInputError(f"{len(data)} characters; no message needs more than {LONGEST}")
    try:
        message = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BadInputError(f"not JSON ({error})") from None
    if not isinstance(message, dict):
        raise BadInputError("not a JSON object")
    if not isinstance(message.get("id"), int | str | None):
        raise BadInputError("id is neither a whole number nor text")
    return message


def field(message: Mapping[str, Any], name: str, kind: type) -> Any:
    """Return a field of a message, which must be of this type."""
    value = message.get(name)
    if type(value) is not kind:
        kinds = {str: "text", int: "a whole number", bool: "true or false", list: "a list"}
        raise BadInputError(f"{name} is {value!r}; it should be {kinds[kind]}")
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise BadInputError(f"half a character (a lone surrogate) in {name}") from None
    return value


# -- the operator's commands -----------------------------------------------------------------------


def operate(view: View, what: str, message: Mapping[str, Any]) -> None:
    """Carry out an operator's command, one of `viewer.OPERATIONS`."""
    arena = view.arena
    if what not in {"start", "mode", "kick", "house"}:
        _control(view, what, _running(view, message))
    elif arena is None:
        raise BadInputError(f"{what} is for an arena; this is the page of one match")
    elif what == "start":
        game, room = field(message, "game", str), message.get("room")
        if not (room is None or isinstance(room, str)) or not arena.matches.start((game, room)):
            raise BadInputError("no match is ready there")
    elif what == "mode":
        arena.matches.set_manual(field(message, "manual", bool))
    elif what == "house":
        _start_guest(arena, message)
    elif not arena.connections.kick(bot := field(message, "bot", int)):
        raise BadInputError(f"there is no bot {bot} any more")


def _start_guest(arena: Arena, message: Mapping[str, Any]) -> None:
    game, bot = field(message, "game", str), field(message, "bot", str)
    room = field(message, "room", str)
    if (expected := option_fault("room", room)) is not None:
        raise BadInputError(f"room is {room!r}; it is {expected}")
    if room in arena.ladders:
        raise BadInputError(f"room is {room!r}, which is a ladder; name another room")
    arena.seat_house_bot(game, bot, room)


def _running(view: View, message: Mapping[str, Any]) -> RunningMatch:
    match = field(message, "match", str)
    running = view.running.matches.get(match)
    if running is None:
        if view.is_running(match):
            raise BadInputError(
                "a tournament plays this match; only the match itself can be watched here"
            )
        raise BadInputError(f"no match {match!r} is running")
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
    what: str,
    name: str,
    ladder: str | None,
    ladders: Mapping[str, LadderSpec],
    house: Mapping[str, str],
) -> Callable[[NameStore], str | None]:
    """Return what stores a decision about a name, one of `viewer.DECISIONS`.

    It returns the name's new token, if there is one. If `ladder` is None, the decision is for all.
    `house` is that of `Names`.
    """
    if what in {"strike", "unstrike"}:
        if ladder is None:
            raise BadInputError(f"{what} is for one ladder; name it")
        of, is_struck = ladders[ladder], what == "strike"
        return lambda store: decisions.strike(store, name, of, is_struck=is_struck)
    by_name: dict[str, Callable[[NameStore], str | None]] = {
        "add-name": lambda store: decisions.add_name(store, name, house=house),
        "reset-name": lambda store: decisions.reset_token(store, name),
        "remove-name": lambda store: decisions.remove_name(store, name),
        "bench": lambda store: decisions.bench(store, name, ladder),
        "unbench": lambda store: decisions.unbench(store, name, ladder, ladders.values()),
    }
    return by_name[what]


# -- a match that the viewer plays -----------------------------------------------------------------


SEED = re.compile(r"-?[0-9]{1,19}")


@attrs.define(eq=False)
class Playing:
    """The matches that a viewer plays, one at a time."""

    _view: View
    _address: str
    """The viewer's address, as there is a limit for each."""
    _send: Callable[[Mapping[str, Any]], Awaitable[None]]
    _person: Person | None = attrs.field(default=None, init=False)
    """The viewer in the match that it plays, or has played last."""

    async def begin(self, message: Mapping[str, Any]) -> None:
        """Begin a match that the viewer plays, and answer when its first turn is asked for."""
        arena = self._view.arena
        if arena is None:
            raise BadInputError("play is for an arena; this is the page of one match")
        if self._person is not None and not self._person.is_over:
            raise BadInputError(f"you play the match {self._person.match}; end it first")
        bots = field(message, "bots", list)
        if not all(isinstance(bot, str) for bot in bots):
            raise BadInputError("bots are the names of house bots")
        wish = PersonsWish(
            game=field(message, "game", str),
            name=field(message, "name", str),
            bots=bots,
            seat=field(message, "seat", int),
            seed=None if message.get("seed") is None else _seed(message),
        )
        self._person = arena.people.begin(wish, self._address)
        await self._ask(self._person, message)

    async def answer(self, message: Mapping[str, Any]) -> None:
        """Send the answer for a turn, and answer when the next one is asked for."""
        person = self._in_match(message)
        await person.answer(field(message, "turn", int), field(message, "line", str))
        await self._ask(person, message)

    def resign(self, message: Mapping[str, Any]) -> None:
        """Leave the match's seat."""
        self._in_match(message).leave()

    def close(self) -> None:
        """Leave the seat of whatever match is played."""
        if self._person is not None:
            self._person.leave()

    async def _ask(self, person: Person, message: Mapping[str, Any]) -> None:
        """Say for which turn the person's answer is awaited, as soon as one is."""
        turn = await person.next_turn()
        if person.match is None:
            raise BadInputError(person.why or "the match didn't begin")
        await self._send(
            {"type": "asked", "match": person.match, "turn": turn, "id": message.get("id")}
        )

    def _in_match(self, message: Mapping[str, Any]) -> Person:
        match = field(message, "match", str)
        if self._person is None or self._person.match != match:
            raise BadInputError(f"you don't play the match {match!r}")
        return self._person


def _seed(message: Mapping[str, Any]) -> int:
    """Return a match's seed, which is text, as JavaScript's numbers have too few digits for it."""
    text = field(message, "seed", str)
    if not SEED.fullmatch(text):
        raise BadInputError(f"seed is {text!r}; it is a whole number, as text")
    return int(text)


# -- files that viewers send -----------------------------------------------------------------------


MAX_FILE = 32 * 1024 * 1024
"""Maximum size of a file that a viewer sends to be shown, in bytes."""
MAX_FILES = 512 * 1024 * 1024
"""Maximum size of all files that viewers have sent, in bytes."""
SILENCE = 10.0
"""Seconds without a byte after which an upload is given up."""


@attrs.define(eq=False)
class Upload:
    """A file that a viewer has sent to be shown, or is sending."""

    connection: ServerConnection
    peer: Peer
    """The stream below the connection."""
    close: Callable[[], None]
    """Closes the file for its viewer, and removes it."""
    all: Callable[[], Iterable["Upload"]]
    """Returns the uploads of all viewers."""
    began: float = attrs.field(factory=trio.current_time, init=False)
    """When the upload began, by trio's clock."""
    folder: Path | None = attrs.field(default=None, init=False)
    """The folder that holds only this file."""
    size: int = attrs.field(default=0, init=False)
    """Number of bytes received so far."""
    is_given_up: bool = attrs.field(default=False, init=False)

    async def receive(self, name: str, size: int, folder: Path) -> Path:
        """Write so many bytes from the viewer into a file, in a new folder, and return the file.

        It is named as the viewer says, as far as that is safe.
        """
        if not 0 < size <= MAX_FILE:
            raise BadInputError(f"a file of {size} bytes; from 1 to {MAX_FILE} can be shown")
        try:
            self.folder = Path(tempfile.mkdtemp(prefix="upload-", dir=folder))
            path = self.folder / (re.sub(r"[^A-Za-z0-9._-]", "_", name)[-64:].lstrip(".") or "file")
            async with await trio.open_file(path, "wb") as file:
                while self.size < size:
                    part = await self._next_part()
                    if isinstance(part, str):
                        raise BadInputError("bytes of the file are binary messages")
                    if self.size + len(part) > size:
                        raise BadInputError(f"the file is longer than the {size} bytes announced")
                    self._make_room(len(part))
                    self.size += len(part)
                    await file.write(part)
                    if self.is_given_up:
                        raise BadInputError("others' files needed the room; send the file again")
        except OSError as error:
            raise BadInputError(f"no room for the file: {error.strerror}") from None
        return path

    async def _next_part(self) -> str | bytes:
        """Return the next message; it may take any time, as long as bytes keep coming."""
        began = trio.current_time()
        while True:
            deadline = max(began, self.peer.heard) + SILENCE
            if deadline <= trio.current_time():
                raise BadInputError(f"no byte of the file came for {SILENCE:g} s; send it again")
            with trio.move_on_at(deadline):
                return await self.connection.recv()

    def _make_room(self, size: int) -> None:
        """Give up uploads until there is room: the oldest of the address that has sent the most."""
        while True:
            uploads = list(self.all())
            sizes: Counter[str] = Counter()
            for upload in uploads:
                sizes[upload.peer.address] += upload.size
            if sizes.total() + size <= MAX_FILES:
                return
            greediest = sizes.most_common(1)[0][0]
            full = [one for one in uploads if one.size and one.peer.address == greediest]
            oldest = min(full, key=lambda upload: upload.began)
            oldest.is_given_up = True
            oldest.close()
