"""A seat of a match: the hand-over of a turn's bytes, the answer, and when that arrived.

A seat judges nothing. It reports what was received and when, and `judge` gives the verdict. If its
bot may come back after it lost its connection, the seat is absent meanwhile (`AbsentSeats`).
"""

import re
from collections import deque
from collections.abc import Sequence
from typing import Any

import attrs
import trio

from lanista.games.base import Ruleset
from lanista.match.bundle import TURNS_KEPT
from lanista.match.channel import BrokenChannelError, RoundTrip
from lanista.match.clock import Arrival, arrival
from lanista.match.connection import Connection
from lanista.match.encoder import Encoder, dialect_of
from lanista.match.record import RejoinInfo
from lanista_protocol import ErrorCode, RemoteProtocolError, State

LAST_READS = 32
"""Number of reads after the deadline, at most 2 MiB, in which an answer is still looked for."""
_TOKEN = re.compile(r"(?<!\S)token=\S+")
"""The option of a hello that is secret; no answer that can be read has an `=`."""


@attrs.define(eq=False)
class Seat:
    """A player's seat in a match, and its state in the present turn."""

    index: int
    name: str
    connection: Connection
    """The connection to its bot; another one once the bot has come back."""
    encoder: Encoder
    may_rejoin: bool = False
    """Whether its bot may come back: then the seat is absent, not out, if its connection breaks."""
    silence_hint: str = ""
    """Why its bot may be late if it has never answered, for the message; or empty."""
    late_streak: int = 0
    """Number of consecutive turns in which it was late or absent, including the last one."""
    used: float = 0.0
    """Seconds that the seat's answers took so far, without `lag`."""
    lag: float = 0.0
    """Seconds that are added to the time limit of this turn for the way to its bot and back."""
    # The least round trip of this connection so far; None if it isn't known. And what is added to
    # the time limits of the turns to come.
    _least: int | None = None
    _next_lag: float = 0.0
    gone: str | None = None
    """Why the seat is out, as a code of the record: `disconnected`, `late`, …; None: it plays."""
    gone_message: str = ""
    """Why the seat is out, for people."""
    present: bool = True
    """Whether the seat is asked for answers: it is neither out nor absent."""
    why_absent: str = ""
    """Why the seat is absent or was so last, for people."""
    successor: Connection | None = None
    """The connection by which its bot has come back, until it is used in the next turn."""
    kicked: str | None = None
    """Why the seat is to be removed, which happens when its next answer is awaited."""
    kicked_code: ErrorCode = ErrorCode.SHUTDOWN
    """The code of the error that its bot is then sent."""
    excused: bool = False
    """Whether nobody waits for its answer any longer, since another seat's fault ends the match."""
    dismissed: bool = False
    """Whether the connection needs no more closing by the match: that is being done already, or it
    was replaced, and is closed by whoever replaced it."""

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
    """Time limit of this turn, in seconds, with `lag`."""

    @property
    def playing(self) -> bool:
        """Whether the seat is still in the match: present or absent."""
        return self.gone is None

    @property
    def absent(self) -> bool:
        """Whether the seat has no connection, but its bot may come back."""
        return not self.present and self.gone is None

    @property
    def missed(self) -> bool:
        """Whether the seat is absent, and neither is its bot back nor is it to be removed."""
        return self.absent and self.successor is None and self.kicked is None

    @property
    def blocked(self) -> bool:
        """Whether a part of the payload couldn't be sent at once."""
        return bool(self._unsent) and self.present

    @property
    def settled(self) -> bool:
        """Whether nothing more is awaited from the seat in this turn."""
        return self.line is not None or not self.present

    def lose(self, code: str, message: str) -> None:
        """Put the seat out of the match, unless it is out already."""
        if self.gone is None:
            self.gone, self.gone_message = code, message
            self.present = False

    def _break(self, code: str, message: str) -> None:
        """Give the connection up: the seat is absent if its bot may come back, and else out."""
        if self.may_rejoin:
            self._be_absent(message)
        else:
            self.lose(code, message)

    def _be_absent(self, why: str) -> None:
        self.present, self.why_absent = False, why
        self.line = self.arrived = None

    def kick(self, why: str, code: ErrorCode = ErrorCode.SHUTDOWN) -> None:
        """Put the seat out in this turn, or in the next one if it has answered already."""
        self.kicked, self.kicked_code = why, code
        self.connection.channel.wake()

    def excuse(self) -> None:
        """Wait for no more answers of this seat."""
        self.excused = True
        self.connection.channel.wake()

    def leave_if_kicked(self) -> None:
        """Put the seat out now if it is to be removed."""
        if self.kicked is not None:
            self.lose(self.kicked_code.value, self.kicked)

    # -- coming back ---------------------------------------------------------------------------

    @property
    def is_awaited(self) -> bool:
        """Whether the seat's answer is awaited now."""
        return not self.settled and self.connection.session.state is State.ASKED

    def replace(self, connection: Connection) -> Connection | None:
        """Use another connection from the next turn on; returns as `Match.rejoin`.

        If an answer is awaited that hasn't come yet, nobody waits for it any longer, and the seat
        is absent until then.
        """
        replaced, self.successor = self.successor, connection
        if replaced is None and self.present:
            replaced, self.dismissed = self.connection, True
            if self._unsent or self.is_awaited:
                self._be_absent("was replaced by another connection")
            # No task of the match waits for this channel any longer, so that the caller's may.
            replaced.channel.wake()
        return replaced

    def take_successor(self) -> None:
        """Make the connection by which the bot has come back the seat's own."""
        assert self.successor is not None
        self.connection, self.successor = self.successor, None
        self.dismissed = False
        self._unsent = memoryview(b"")
        self._least, self._next_lag = None, 0.0

    def measure(self, allowance: float) -> RoundTrip | None:
        """Return the round trip as it is now, if it is known.

        The least one so far, but at most `allowance` seconds, is added to the time limits from the
        next hand-over on.
        """
        found = self.connection.channel.round_trip()
        if found is not None:
            self._least = found.least if self._least is None else min(self._least, found.least)
            # In whole microseconds, as in the record.
            self._next_lag = min(self._least, round(allowance * 1e6)) / 1e6
        return found

    # -- a turn --------------------------------------------------------------------------------

    def ask(self) -> None:
        """Begin the turn: forget the last answer, and ask the session for the next one."""
        self.line = self.arrived = None
        self.leave_if_kicked()
        try:
            self.connection.session.ask()
        except RemoteProtocolError as error:
            self.lose(error.code.value, error.message)

    def hand_over(self, payload: bytes, limit: float) -> bool:
        """Hand the turn's payload to the operating system, and start the clock (PROTOCOL.md 4).

        The seat has `limit` seconds, as every other one, and `lag`. Returns whether a part of the
        payload couldn't be sent yet.
        """
        self.payload = payload
        try:
            sent = self.connection.channel.send_some(payload)
        except BrokenChannelError:
            # An answer that it sent before it left still counts; reading will find it.
            sent = len(payload)
        self.handed_at = self._known_empty = trio.current_time()
        self.lag = self._next_lag
        self.limit = limit + self.lag
        self.deadline = self.handed_at + self.limit
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
                while self._unsent and self.present and self.kicked is None:
                    await self.connection.channel.wait_writable()
                    self._unsent = self._unsent[self.connection.channel.send_some(self._unsent) :]
            except BrokenChannelError:
                self._unsent = memoryview(b"")
        if not self.present:
            return
        if self._unsent and self.kicked is not None:
            self.leave_if_kicked()
            return
        if self._unsent:
            self._break("late", f"did not read what it was sent within {self.limit:g} s")
            return
        self.handed_at = self._known_empty = trio.current_time()
        self.deadline = self.handed_at + self.limit
        if self.line is not None:
            # The answer was sent ahead: it counts as 0 s after the hand-over, which ended only now.
            self.arrived = Arrival(self.handed_at, self.handed_at, self.handed_at)

    def look(self) -> bool:
        """Read once, without waiting; return whether nothing more is awaited from the seat."""
        if not self.settled:
            if self.kicked is None:
                self._read()
            else:
                self.leave_if_kicked()
        return self.settled or self.excused

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
            self._break("disconnected", "closed its connection")
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
            self._break("disconnected", "closed its connection")
        return not self.settled

    def _take(self, arrived: Arrival) -> None:
        if self.present and self.connection.session.has_answer:
            self.line = self.connection.session.take_answer()
            if self.line is not None and "token=" in self.line:
                # A bot that says its hello again would publish its token: everybody sees answers.
                self.line = _TOKEN.sub("token=***", self.line)
            self.arrived = arrived


# -- seats without a connection ------------------------------------------------------------------


class RejoinError(Exception):
    """A bot can't come back into a match; the message says why, for people."""


@attrs.define(eq=False)
class AbsentSeats:
    """The seats of a match that may be absent: waits for their bots, and seats these again."""

    seats: Sequence[Seat]
    ruleset: Ruleset
    possible: bool = attrs.field(init=False)
    """Whether any seat can be absent, which is decided at the match's beginning."""
    rejoined: dict[str, RejoinInfo] = attrs.field(init=False, factory=dict)
    """The seats whose bots came back in this turn, with what the record says about each."""
    # Set when an absent seat needs to be waited for no longer.
    _changed: trio.Event = attrs.field(init=False, factory=trio.Event)

    def __attrs_post_init__(self) -> None:
        self.possible = any(seat.may_rejoin for seat in self.seats)

    def rejoin(self, seat: Seat, connection: Connection) -> Connection | None:
        """Let a seat's bot go on over another connection, as `Match.rejoin` says."""
        if seat.is_awaited:
            seat.look()  # an answer that has come by now still counts
            seat.connection.channel.wake()  # for the task that waited for it
        if seat.gone is not None:
            raise RejoinError(f"its seat is out ({seat.gone}: {seat.gone_message})")
        if seat.kicked is not None:
            raise RejoinError(f"its seat is being removed ({seat.kicked})")
        if not seat.may_rejoin:
            raise RejoinError("in this match a bot can't come back to its seat")
        if dialect_of(connection.greeting, self.ruleset) is not None:
            raise RejoinError("a bot can come back only if it speaks version 1 (v=1)")
        replaced = seat.replace(connection)
        self.wake()
        return replaced

    def wake(self) -> None:
        """Look again whether an absent seat is still to be waited for."""
        self._changed.set()

    def take_successors(self) -> list[Seat]:
        """Begin a turn: seat the bots that have come back, and return their seats."""
        self.rejoined = {}
        back = [seat for seat in self.seats if seat.successor is not None and seat.playing]
        for seat in back:
            seat.take_successor()
            seat.connection.session.start()
            seat.present = True
            self.rejoined[str(seat.index)] = RejoinInfo(notes=seat.connection.greeting.notes)
        return back

    async def wait(self, deadline: float) -> None:
        """Wait for the end of the turn's time if a seat is absent, unless its bot comes back.

        The turn of an absent seat lasts as long as that of one that is silent. So the late limit
        gives a bot the same time to come back however fast the others are, and it makes no
        difference to anybody whether the arena has noticed already that a connection is broken.
        """
        if any(seat.missed for seat in self.seats):
            with trio.CancelScope(deadline=deadline):
                while any(seat.missed for seat in self.seats):
                    self._changed = trio.Event()
                    await self._changed.wait()
        for seat in self.seats:
            if seat.absent:
                seat.leave_if_kicked()

    def give_up(self) -> list[Seat]:
        """Put out the seats that are still absent when the match ends, and return them."""
        missed = [seat for seat in self.seats if seat.missed]
        for seat in missed:
            seat.lose("disconnected", f"{seat.why_absent}; it was not back at the match's end")
        return missed
