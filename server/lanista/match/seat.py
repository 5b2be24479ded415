"""A seat of a match: one turn's hand-over, its answer, and when that came.

Judges nothing: it says what came and when; `runner` gives the verdict.
"""

from collections import deque
from typing import Any

import attrs
import trio

from lanista.match.bundle import TURNS_KEPT
from lanista.match.channel import BrokenChannelError
from lanista.match.clock import Arrival, arrival
from lanista.match.connection import Connection
from lanista.match.encoder import Encoder
from lanista_protocol import ErrorCode, RemoteProtocolError

LAST_READS = 32
"""Reads at the deadline before an answer that still isn't complete is late: 2 MiB."""


@attrs.define(eq=False)
class Seat:
    """Who plays at one place of a match, and this turn's state."""

    index: int
    name: str
    connection: Connection
    encoder: Encoder
    late_streak: int = 0
    used: float = 0.0
    """Seconds of answer time so far."""
    gone: str | None = None
    """Why it plays no more, as a word of the record: `disconnected`, `late`, …"""
    gone_words: str = ""
    kicked: str | None = None
    """Why somebody wants it out, as soon as an answer is awaited of it."""
    dismissed: bool = False
    """Whether its last bytes are on their way, after which its connection closes."""

    last_turns: deque[tuple[Any, ...]] = attrs.field(
        init=False, factory=lambda: deque(maxlen=TURNS_KEPT)
    )
    """What was said in its last turns: the values of a `bundle.Exchange` each, made if needed."""
    told: bytes = attrs.field(init=False, default=b"")
    """What it was handed in this turn."""
    line: str | None = attrs.field(init=False, default=None)
    """This turn's answer."""
    arrived: Arrival | None = attrs.field(init=False, default=None)
    handed_at: float = attrs.field(init=False, default=0.0)
    deadline: float = attrs.field(init=False, default=0.0)
    _known_empty: float = attrs.field(init=False, default=0.0)
    _unsent: memoryview = attrs.field(init=False, factory=lambda: memoryview(b""))
    limit: float = attrs.field(init=False, default=0.0)
    """Seconds that it has in this turn."""

    @property
    def playing(self) -> bool:
        """Whether it is still asked for answers."""
        return self.gone is None

    @property
    def blocked(self) -> bool:
        """Whether some of its bytes couldn't be handed over at once."""
        return bool(self._unsent) and self.gone is None

    @property
    def settled(self) -> bool:
        """Whether nothing more is awaited of it this turn."""
        return self.line is not None or self.gone is not None

    def lose(self, why: str, words: str) -> None:
        """It plays no more."""
        if self.gone is None:
            self.gone, self.gone_words = why, words

    def kick(self, why: str) -> None:
        """Put it out in this turn, or in the next one if it has answered."""
        self.kicked = why
        self.connection.channel.wake()

    def _leave_if_kicked(self) -> None:
        if self.kicked is not None and not self.settled:
            self.lose(ErrorCode.SHUTDOWN.value, self.kicked)

    # -- a turn --------------------------------------------------------------------------------

    def ask(self) -> None:
        """Note that an answer is asked for: before the bytes go out, so that nothing is between."""
        self.line = self.arrived = None
        self._leave_if_kicked()
        try:
            self.connection.session.ask()
        except RemoteProtocolError as error:
            self.lose(error.code.value, error.message)

    def hand_over(self, data: bytes, limit: float) -> bool:
        """Give the turn's bytes to the system; the clock runs from here (PROTOCOL.md 4).

        Returns whether some of them couldn't be given yet.
        """
        self.told = data
        try:
            sent = self.connection.channel.send_some(data)
        except BrokenChannelError:
            # What it answered before it left still counts: reading will tell.
            sent = len(data)
        self.handed_at = self._known_empty = trio.current_time()
        self.deadline = self.handed_at + limit
        self.limit = limit
        if self.connection.session.has_answer:
            self._take(Arrival(self.handed_at, self.handed_at, self.handed_at))
        if sent < len(data):
            self._unsent = memoryview(data)[sent:]
        return sent < len(data)

    async def hand_over_rest(self) -> None:
        """Give over what the bot didn't take at once; it is out if that takes all its time."""
        with trio.move_on_at(self.deadline):
            try:
                while self._unsent and self.kicked is None:
                    await self.connection.channel.wait_writable()
                    self._unsent = self._unsent[self.connection.channel.send_some(self._unsent) :]
            except BrokenChannelError:
                self._unsent = memoryview(b"")
        if self._unsent and self.kicked is not None:
            self.lose(ErrorCode.SHUTDOWN.value, self.kicked)
            return
        if self._unsent:
            self.lose("late", f"did not read what it was sent within {self.limit:g} s")
            return
        self.handed_at = self._known_empty = trio.current_time()
        self.deadline = self.handed_at + self.limit
        if self.line is not None:  # sent ahead: 0 ms from the hand-over, which is only now
            self.arrived = Arrival(self.handed_at, self.handed_at, self.handed_at)

    async def answer(self) -> bool:
        """Wait until the answer is there or the bot is gone; whether there was any wait.

        Cancelled at the deadline.
        """
        waited = False
        self._leave_if_kicked()
        while not self.settled:
            if self._read():
                # A bot that sends without end must not keep the loop from the others.
                await trio.lowlevel.checkpoint()
                waited = True
            elif not self.settled:
                await self.connection.channel.wait_readable()
                waited = True
            self._leave_if_kicked()
        return waited

    async def last_look(self) -> None:
        """At the deadline: read what is there without waiting; without an answer, one is owed."""
        reads = 0
        while not self.settled and reads < LAST_READS and self._read():
            reads += 1
            # When it came decides, not when it is read: what a flooding bot has heaped up must
            # not keep the loop from the others.
            await trio.lowlevel.checkpoint()
        if not self.settled:
            self.connection.session.give_up()

    def _read(self) -> bool:
        """Read once; whether there was something that didn't settle the turn."""
        session = self.connection.session
        if not session.wants_data:
            self.lose("disconnected", "closed its connection")
            return False
        room = session.room_for
        before = trio.current_time()
        chunk = self.connection.channel.receive_some(room)
        if chunk is None:
            self._known_empty = before  # what comes while we look may be there after it already
            return False
        try:
            session.receive(chunk.data)
        except RemoteProtocolError as error:
            self.lose(error.code.value, error.message)
            return False
        if session.has_answer:
            came = arrival(
                known_empty=self._known_empty,
                stamp=chunk.stamp,
                read_at=chunk.read_at,
                # A read cut by its limit carries the stamp of what is still unread behind it.
                has_trailing=session.has_more or len(chunk.data) == room,
            )
            self._take(came)
        elif session.ended:
            self.lose("disconnected", "closed its connection")
        return not self.settled

    def _take(self, came: Arrival) -> None:
        if self.gone is None and self.connection.session.has_answer:
            self.line = self.connection.session.take_answer()
            self.arrived = came
