"""The files that viewers send to be shown: receiving them, and how much room they may take."""

import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import attrs
import trio
from websockets.trio.server import ServerConnection

from lanista.page.connections import Peer
from lanista.page.messages import BadMessageError

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
        """Write the bytes that the viewer sends into a file.

        Args:
            name: The name that the viewer gives it.
            size: How many bytes they are.
            folder: Where a folder is made for it.

        Returns:
            The file.

        Raises:
            BadMessageError: It can't be taken, or others' files need the room.
        """
        if not 0 < size <= MAX_FILE:
            raise BadMessageError(f"a file of {size} bytes; from 1 to {MAX_FILE} can be shown")
        try:
            self.folder = Path(tempfile.mkdtemp(prefix="upload-", dir=folder))
            path = self.folder / (re.sub(r"[^A-Za-z0-9._-]", "_", name)[-64:].lstrip(".") or "file")
            async with await trio.open_file(path, "wb") as file:
                while self.size < size:
                    part = await self._next_part()
                    if isinstance(part, str):
                        raise BadMessageError("bytes of the file are binary messages")
                    if self.size + len(part) > size:
                        raise BadMessageError(f"the file is longer than the {size} bytes announced")
                    self._make_room(len(part))
                    self.size += len(part)
                    await file.write(part)
                    if self.is_given_up:
                        raise BadMessageError("others' files needed the room; send the file again")
        except OSError as error:
            raise BadMessageError(f"no room for the file: {error.strerror}") from None
        return path

    async def _next_part(self) -> str | bytes:
        """Return the next message; it may take any time, as long as bytes keep coming."""
        began = trio.current_time()
        while True:
            deadline = max(began, self.peer.heard) + SILENCE
            if deadline <= trio.current_time():
                raise BadMessageError(f"no byte of the file came for {SILENCE:g} s; send it again")
            with trio.move_on_at(deadline):
                return await self.connection.recv()

    def _make_room(self, size: int) -> None:
        """Give up uploads until there is room for so many bytes more.

        The oldest one of the address that has sent the most is given up first, so that no address
        can keep others out.
        """
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
