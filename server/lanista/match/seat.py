"""A seat of a match: the hand-over of a turn's bytes, the answer, and when that arrived.

A seat judges nothing. It reports what was received and when, and `runner` gives the verdict.
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
"""Number of reads after the deadline, at most 2 MiB, in which an answer is still looked for."""


@attrs.define(eq=False)
class Seat:
    """A player's seat in a match, and its state in the present turn."""

    index: int
    name: str
    connection: Connection
    encoder: Encoder
    late_streak: int = 0
    """Number of consecutive late turns, including the last one."""
    used: float = 0.0
    """Seconds that the seat's answers took so far."""
    gone: str | None = None
    """Why the seat is out, as a code of the record: `disconnected`, `late`, …; None: it plays."""
    gone_message: str = ""
    """Why the seat is out, for people."""
    kicked: str | None = None
    """Why the seat is to be removed, which happens when its next answer is awaited."""
    dismissed: bool = False
    """Whether the seat's last bytes are being sent, after which its connection closes."""

    last_turns: deque[tuple[Any, ...]] = attrs.field(
        init=False, factory=lambda: deque(maxlen=TURNS_KEPT)
    )
    """The seat's last turns, each as the arguments of a `bundle.Exchange`, which is built only when
    it is needed."""
    payload: bytes = attrs.field(init=False, default=b"")
    """The bytes that the seat is sent in this turn."""
    line: str | None = attrs.field(init=False, default=None)
    """The answer to this turn; None until it has come."""
    arrived: Arrival | None = attrs.field(init=False, default=None)
    """When the answer arrived; None until it has come."""
    handed_at: float = attrs.field(init=False, default=0.0)
    """When this turn's payload was handed to the operating system, on trio's clock."""
    deadline: float = attrs.field(init=False, default=0.0)
    """When the time for the answer is over, on trio's clock."""
    # The last moment at which nothing was there to read.
    _known_empty: float = attrs.field(init=False, default=0.0)
    _unsent: memoryview = attrs.field(init=False, factory=lambda: memoryview(b""))
    limit: float = attrs.field(init=False, default=0.0)
    """Time limit of this turn, in seconds."""

    @property
    def playing(self) -> bool:
        """Whether the seat is still asked for answers."""
        return self.gone is None

    @property
    def blocked(self) -> bool:
        """Whether a part of the payload couldn't be sent at once."""
        return bool(self._unsent) and self.gone is None

    @property
    def settled(self) -> bool:
        """Whether nothing more is awaited from the seat in this turn."""
        return self.line is not None or self.gone is not None

    def lose(self, code: str, message: str) -> None:
        """Put the seat out of the match, unless it is out already."""
        if self.gone is None:
            self.gone, self.gone_message = code, message

    def kick(self, why: str) -> None:
        """Put the seat out in this turn, or in the next one if it has answered already."""
        self.kicked = why
        self.connection.channel.wake()

    def _leave_if_kicked(self) -> None:
        if self.kicked is not None and not self.settled:
            self.lose(ErrorCode.SHUTDOWN.value, self.kicked)

    # -- a turn --------------------------------------------------------------------------------

    def ask(self) -> None:
        """Begin the turn: forget the last answer, and ask the session for the next one."""
        self.line = self.arrived = None
        self._leave_if_kicked()
        try:
            self.connection.session.ask()
        except RemoteProtocolError as error:
            self.lose(error.code.value, error.message)

    def hand_over(self, payload: bytes, limit: float) -> bool:
        """Hand the turn's payload to the operating system, and start the clock (PROTOCOL.md 4).

        Args:
            payload: The bytes of the turn.
            limit: Seconds that the seat has for its answer.

        Returns:
            Whether a part of the payload couldn't be sent yet.
        """
        self.payload = payload
        try:
            sent = self.connection.channel.send_some(payload)
        except BrokenChannelError:
            # An answer that it sent before it left still counts; reading will find it.
            sent = len(payload)
        self.handed_at = self._known_empty = trio.current_time()
        self.deadline = self.handed_at + limit
        self.limit = limit
        if self.connection.session.has_answer:
            self._take(Arrival(self.handed_at, self.handed_at, self.handed_at))
        if sent < len(payload):
            self._unsent = memoryview(payload)[sent:]
        return sent < len(payload)

    async def hand_over_rest(self) -> None:
        """Send the part of the payload that wasn't taken at once, and start the clock again.

        A bot that doesn't take it within the turn's time limit is out.
        """
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
        if self.line is not None:
            # The answer was sent ahead: it counts as 0 s after the hand-over, which ended only now.
            self.arrived = Arrival(self.handed_at, self.handed_at, self.handed_at)

    def look(self) -> bool:
        """Read once, without waiting; return whether the turn is settled now."""
        self._leave_if_kicked()
        if not self.settled:
            self._read()
        return self.settled

    async def answer(self) -> None:
        """Wait until the answer is there or the bot is gone.

        The caller cancels this at the deadline. A bot that sends without end doesn't block the
        other tasks, since each read but the first comes after a checkpoint.
        """
        while not self.look():
            await self.connection.channel.wait_readable()

    async def last_look(self) -> None:
        """Read once more at the deadline, without waiting; give the answer up if there is none."""
        reads = 0
        while not self.settled and reads < LAST_READS and self._read():
            reads += 1
            # The time of receipt decides, not that of the read, so there is time for a checkpoint:
            # a flooding bot must not block the other tasks.
            await trio.lowlevel.checkpoint()
        if not self.settled:
            self.connection.session.give_up()

    def _read(self) -> bool:
        """Read once; return whether something was read that didn't settle the turn."""
        session = self.connection.session
        if not session.wants_data:
            self.lose("disconnected", "closed its connection")
            return False
        room = session.room_for
        before = trio.current_time()
        chunk = self.connection.channel.receive_some(room)
        if chunk is None:
            # Data that came during the read may be there already, so the time before it counts.
            self._known_empty = before
            return False
        try:
            session.receive(chunk.data)
        except RemoteProtocolError as error:
            self.lose(error.code.value, error.message)
            return False
        if session.has_answer:
            arrived = arrival(
                known_empty=self._known_empty,
                stamp=chunk.stamp,
                read_at=chunk.read_at,
                # After a read that was cut by its limit, the stamp may be that of unread bytes.
                has_trailing=session.has_more or len(chunk.data) == room,
            )
            self._take(arrived)
        elif session.ended:
            self.lose("disconnected", "closed its connection")
        return not self.settled

    def _take(self, arrived: Arrival) -> None:
        if self.gone is None and self.connection.session.has_answer:
            self.line = self.connection.session.take_answer()
            self.arrived = arrived
