"""The arena's side of one connection: its state, the received bytes and the owed answers.

This is sans-I/O: received bytes go in by `receive`; the hello and the answers come out by
`take_hello` and `take_answer`. The module knows no socket, no clock and no game, and the state of a
connection changes only along `TRANSITIONS`.

**Debts of answers.** Lines from the bot carry no turn number, so a line can only be matched to its
turn by counting: the n-th answer belongs to the n-th `ask` (PROTOCOL.md 4). When the time of a turn
is over, the match calls `give_up` and goes on; the bot then still owes that answer. `owed` counts
these debts, and each answer that comes while something is owed pays one and is thrown away.
Otherwise a bot that was late once would be one turn behind for the rest of the match. Debts outlive
the match, because the late line may arrive only after its end.

**The held answer.** A bot may also send an answer before it is asked. One such answer is decoded
and held in `_answer`; it answers the next `ask`. While it is held, `wants_data` is false and a
match stops reading, so finally TCP's flow control stops the bot: one that floods the arena blocks
itself, and the arena holds at most a line's worth of its bytes. Between matches the arena has to
read on, or it wouldn't notice that a bot has left; there `is_flooded` tells when a bot sent too
much. The log lines before an answer belong to that answer's turn, so the bytes after a held answer
are sorted only once it has been taken.

**Another process.** A conversation can be continued by another process that has the connection's
socket: `give_away` returns everything that the session knows, `take_up` makes a session of it. What
wasn't read yet stays in the kernel's buffers, for whoever reads next.
"""

from enum import Enum, auto

import attrs

from lanista_protocol.errors import ErrorCode, LocalProtocolError, RemoteProtocolError, shown
from lanista_protocol.hello import Hello, bad_hello, parse_hello
from lanista_protocol.lines import HELLO_LIMIT, LINE_LIMIT, LineBuffer

LOG_LIMIT = 16_384
"""How many bytes of a bot's log are kept per turn."""
TLS_HANDSHAKE = b"\x16\x03"
"""The first bytes of a client that wants encryption (RFC 8446 5.1); no hello begins with them."""
LOG_CUT = "# … the rest of this turn's log was dropped\n"
"""The line that ends a log of which something was dropped."""


class State(Enum):
    """The state of a connection."""

    GREETING = auto()
    """Nothing was received yet; the next line is the hello."""
    WAITING = auto()
    """The bot waits in the lobby, before a match or between two."""
    PLAYING = auto()
    """The bot is in a match, and no answer is asked for."""
    ASKED = auto()
    """An answer was asked for, and it is awaited."""
    CLOSED = auto()
    """No more lines pass in either direction."""

    # Hash by identity, which is done in C: Enum's own __hash__ is a Python function, and every turn
    # looks up several states.
    __hash__ = object.__hash__


class Step(Enum):
    """An event that moves a connection from one state to another."""

    HELLO = auto()
    """The hello was accepted."""
    START = auto()
    """A match began."""
    ASK = auto()
    """An answer was asked for, by `go` or by its equivalent in a dialect."""
    ANSWER = auto()
    """The answer was taken."""
    GIVE_UP = auto()
    """The time for the answer is over, and the answer is owed."""
    END = auto()
    """The match ended."""
    CLOSE = auto()
    """The connection is closed."""

    __hash__ = object.__hash__  # as for State


TRANSITIONS: dict[tuple[State, Step], State] = {
    (State.GREETING, Step.HELLO): State.WAITING,
    (State.WAITING, Step.START): State.PLAYING,
    (State.PLAYING, Step.ASK): State.ASKED,
    (State.ASKED, Step.ANSWER): State.PLAYING,
    (State.ASKED, Step.GIVE_UP): State.PLAYING,
    (State.PLAYING, Step.END): State.WAITING,
    **{(state, Step.CLOSE): State.CLOSED for state in State},
}
"""The next state by state and step; any step that isn't listed is a `LocalProtocolError`."""


@attrs.frozen(kw_only=True)
class SessionState:
    """Everything that a session knows, as plain values."""

    state: State
    owed: int
    ended: bool
    unsorted: bytes
    """The bytes that were received and haven't been sorted into lines."""
    answer: str | None
    """The held answer."""
    log: bytes
    """The log lines that haven't been taken."""


class Session:
    """The state of one connection, as the arena sees it.

    The top of this module explains debts and the held answer.
    """

    def __init__(self) -> None:
        self.state = State.GREETING
        self.owed = 0
        """How many answers were given up and haven't come yet."""
        self.ended = False
        """Whether the end of the peer's input was reached."""
        self._buffer = LineBuffer()
        self._answer: str | None = None
        self._log = bytearray()  # of at most a byte above the limit, if something was dropped

    def give_away(self) -> SessionState:
        """Return what another process needs to go on; this session must not be used meanwhile."""
        return SessionState(
            state=self.state,
            owed=self.owed,
            ended=self.ended,
            unsorted=bytes(self._buffer),
            answer=self._answer,
            log=bytes(self._log),
        )

    @classmethod
    def take_up(cls, given: SessionState) -> "Session":
        """Return a session that goes on where another one was given away."""
        session = cls()
        session.state, session.owed, session.ended = given.state, given.owed, given.ended
        session._buffer += given.unsorted
        session._answer = given.answer
        session._log += given.log
        return session

    def _step(self, step: Step) -> None:
        next_state = TRANSITIONS.get((self.state, step))
        if next_state is None:
            raise LocalProtocolError(f"step {step.name} isn't allowed in state {self.state.name}")
        self.state = next_state

    # -- receiving -----------------------------------------------------------------------------

    @property
    def wants_data(self) -> bool:
        """Whether to read more: not while an answer is held, nor after the end of input."""
        return self._answer is None and not self.ended and self.state is not State.CLOSED

    @property
    def room_for(self) -> int:
        """The most bytes to read next, at least 1, so that no more than the limit is held."""
        limit = HELLO_LIMIT if self.state is State.GREETING else LINE_LIMIT
        return max(1, limit + 1 - len(self._buffer))

    @property
    def has_answer(self) -> bool:
        """Whether an answer is held."""
        return self._answer is not None

    @property
    def has_more(self) -> bool:
        """Whether bytes after the held answer were received."""
        return len(self._buffer) > 0

    @property
    def is_flooded(self) -> bool:
        """Whether more bytes were received after the held answer than may be held."""
        return self._answer is not None and len(self._buffer) > LINE_LIMIT

    def receive(self, data: bytes) -> None:
        """Take received bytes; `b""` means the end of input.

        Raises:
            RemoteProtocolError: A line is too long or isn't UTF-8. The connection must be closed.
        """
        if self.state is State.CLOSED:
            raise LocalProtocolError("bytes received after the close")
        if self._is_just_the_answer(data):
            self._answer = _decoded(data[:-1].removesuffix(b"\r"))
            return
        if data:
            self._buffer += data
        else:
            self.ended = True
        if self.state is not State.GREETING:
            self._sort()

    def _is_just_the_answer(self, data: bytes) -> bool:
        """Tell whether the bytes are exactly one answer, which is the common case of a turn."""
        return (
            self.state is State.ASKED
            and not self.owed
            and self._answer is None
            and not self._buffer
            and data.find(b"\n") == len(data) - 1
            and 0 < len(data) <= LINE_LIMIT
            and not data.startswith(b"#")
        )

    def take_hello(self) -> Hello | None:
        """Return the hello, or None if its line isn't complete yet.

        Bytes after it stay in the buffer until the next `receive` or `ask`.

        Raises:
            RemoteProtocolError: The hello can't be used.
        """
        if self.state is not State.GREETING:
            raise LocalProtocolError(f"a second hello, in state {self.state.name}")
        if self._buffer.startswith(TLS_HANDSHAKE):
            # A TLS hello may have no newline, and its client sends no more until it gets an answer.
            # The connection may be one within TLS already.
            raise bad_hello(
                "a TLS handshake where the hello is expected; connect without TLS, or without a "
                "second one within the first"
            )
        line = self._buffer.take_line(HELLO_LIMIT)
        if line is None:
            return None
        hello = parse_hello(_decoded(line))
        # The bytes after it aren't sorted here: a fault in them must not lose the hello.
        self._step(Step.HELLO)
        return hello

    def _sort(self) -> None:
        """Sort the buffered lines, up to the next answer to hold.

        Log lines go to the log, and answers that are owed are thrown away.
        """
        while self._answer is None:
            log = self._buffer.take_log()
            if log:
                self._keep_log(log)
            line = self._buffer.take_line(LINE_LIMIT)
            if line is None:
                return
            text = _decoded(line)
            if self.owed:
                self.owed -= 1
            else:
                self._answer = text

    def _keep_log(self, log: bytes) -> None:
        valid = len(log)
        try:
            log.decode("utf-8")
        except UnicodeDecodeError as error:
            # The lines before the bad one count, as if they had come in a read of their own.
            valid = log.rfind(b"\n", 0, error.start) + 1
        room = LOG_LIMIT + 1 - len(self._log)
        self._log += log[: min(valid, room)]
        if valid < len(log):
            # Raises the error for the bad line.
            _decoded(log[valid : log.index(b"\n", valid)].removesuffix(b"\r"))

    # -- the match -----------------------------------------------------------------------------

    def start(self) -> None:
        """Begin a match."""
        self._step(Step.START)

    def ask(self) -> None:
        """Ask for an answer; one that was sent ahead may be held already.

        Raises:
            RemoteProtocolError: A line after the last answer is too long or isn't UTF-8.
        """
        self._step(Step.ASK)
        if self._buffer:
            self._sort()

    def take_answer(self) -> str | None:
        """Return the answer to the present `ask`; None if it hasn't come yet."""
        if self.state is not State.ASKED:
            raise LocalProtocolError(
                f"an answer was taken in state {self.state.name}, where none is asked for"
            )
        answer = self._answer
        if answer is not None:
            self._answer = None
            self._step(Step.ANSWER)
        return answer

    def give_up(self) -> None:
        """Give up the answer: it is thrown away now if it is held, otherwise when it comes."""
        self._step(Step.GIVE_UP)
        if self._answer is None:
            self.owed += 1
        self._answer = None

    def take_log(self) -> str:
        """Return the log lines since the last call, including the `#` and newlines.

        A log that reached the limit is cut there and ends with `LOG_CUT`.
        """
        if not self._log:
            return ""
        text = self._log[:LOG_LIMIT].decode("utf-8", "ignore")
        if len(self._log) > LOG_LIMIT:
            text = text.removesuffix("\n") + "\n" + LOG_CUT
        self._log.clear()
        return text

    def end(self) -> None:
        """End the match; an answer that is still awaited is given up."""
        if self.state is State.ASKED:
            self.give_up()
        self._step(Step.END)

    def close(self) -> None:
        """Close the connection."""
        self._step(Step.CLOSE)


def _decoded(line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RemoteProtocolError(
            ErrorCode.NOT_UTF8,
            f"byte {error.start} of {shown(line)} is not UTF-8; lines must be text in UTF-8",
        ) from None
