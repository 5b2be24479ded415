"""The vectors of protocol/vectors as the tests use them: read, with their bytes spelled out.

The format is given in protocol/vectors/README.md. No expectation lives here.
"""

import json
import types
from pathlib import Path

import pytest

from lanista_protocol import Session, State, messages

ROOT = Path(__file__).parents[2]
VECTORS = ROOT / "protocol" / "vectors"
MESSAGES = {
    name: made
    for name, made in vars(messages).items()
    if isinstance(made, types.FunctionType) and made.__annotations__.get("return") is bytes
    if not name.startswith("_")
}
"""By keyword, the function that makes the message."""


def bytes_of(value):
    """The bytes that a vector means: text, hex, a repeated text, or several of these."""
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, list):
        return b"".join(map(bytes_of, value))
    if "hex" in value:
        return bytes.fromhex(value["hex"])
    return value["text"].encode() * value["times"]


def load(name):
    """All vectors of a file."""
    text = (VECTORS / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.split("\n") if line]


def each(name, where=lambda _: True):
    """A test of every vector of a file, by the vector's name; `where` chooses some."""
    vectors = [vector for vector in load(name) if where(vector)]
    assert vectors, f"no vector of {name} is chosen"
    return pytest.mark.parametrize("vector", vectors, ids=[vector["name"] for vector in vectors])


class Feed:
    """A session and the bytes on their way to it, read as the arena reads: while it wants data.

    Args:
        size: Bytes a read; 0: all that have come; None: as many as the session has room for.
    """

    def __init__(self, size):
        self.session = Session()
        self.hello = None
        self._size = size
        self._coming = bytearray()
        self._read = 0  # bytes of it; what is read stays, or each of many bytes would copy the rest
        self._at_end = False

    def come(self, data):
        """Bytes arrive at the arena's machine."""
        self._coming += data

    def end(self):
        """The bot has closed its end."""
        self._at_end = True

    def read(self):
        """Read what is there, where the arena reads at all: not between two turns."""
        session = self.session
        while (
            session.state is not State.PLAYING
            and session.wants_data
            and (self._read < len(self._coming) or self._at_end)
        ):
            size = self._size or (len(self._coming) if self._size == 0 else session.room_for)
            chunk = bytes(self._coming[self._read : self._read + size])
            self._read += len(chunk)
            session.receive(chunk)
            if self.hello is None:
                self.hello = session.take_hello()
        return self.hello
