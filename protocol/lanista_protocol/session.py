"""The arena's side of one connection: what was received, what is owed, what may come next.

Sans-I/O: bytes go in by `receive`, lines come out by `take_hello` and `take_answer`. No socket,
no clock, no game. The state changes only by `TRANSITIONS`.
"""

from enum import Enum, auto

from lanista_protocol.errors import ErrorCode, LocalProtocolError, RemoteProtocolError, shown
from lanista_protocol.hello import Hello, bad_hello, parse_hello
from lanista_protocol.lines import HELLO_LIMIT, LINE_LIMIT, LineBuffer

LOG_LIMIT = 16_384
"""Bytes of a bot's log that are kept a turn."""
TLS_HANDSHAKE = b"\x16\x03"
"""How a client begins that wants encryption (RFC 8446 5.1); no hello begins so."""
LOG_CUT = "# … the rest of this turn's log was dropped\n"


class State(Enum):
    """Where a connection stands."""

    GREETING = auto()
    """Nothing said yet: the next line is the hello."""
    WAITING = auto()
    """In the lobby, between matches."""
    PLAYING = auto()
    """In a match; no answer is asked for."""
    ASKED = auto()
    """A `go` was sent and not yet answered."""
    CLOSED = auto()
    """No more lines either way."""

    # By identity, in C: Enum's own hash is a Python function, and a turn needs several.
    __hash__ = object.__hash__


class Step(Enum):
    """What moves a connection from state to state."""

    HELLO = auto()
    """The bot said its name."""
    START = auto()
    """A match begins."""
    ASK = auto()
    """An answer is asked for: a `go`, or what a dialect has for it."""
    ANSWER = auto()
    """The answer was taken."""
    GIVE_UP = auto()
    """The time is over: the answer is owed."""
    END = auto()
    """The match is over."""
    CLOSE = auto()
    """The connection closes."""

    __hash__ = object.__hash__  # as State


TRANSITIONS: dict[tuple[State, Step], State] = {
    (State.GREETING, Step.HELLO): State.WAITING,
    (State.WAITING, Step.START): State.PLAYING,
    (State.PLAYING, Step.ASK): State.ASKED,
    (State.ASKED, Step.ANSWER): State.PLAYING,
    (State.ASKED, Step.GIVE_UP): State.PLAYING,
    (State.PLAYING, Step.END): State.WAITING,
    (State.GREETING, Step.CLOSE): State.CLOSED,
    (State.WAITING, Step.CLOSE): State.CLOSED,
    (State.PLAYING, Step.CLOSE): State.CLOSED,
    (State.ASKED, Step.CLOSE): State.CLOSED,
    (State.CLOSED, Step.CLOSE): State.CLOSED,
}
"""Every step that is allowed, and where it leads; any other is a LocalProtocolError."""


class Session:
    """One connection as the arena sees it.

    Every `ask` is owed exactly one answer, in order (PROTOCOL.md 4): an answer that is given up
    is thrown away when it comes. At most one unread answer is held; `wants_data` turns false
    then, and the caller stops reading.
    """

    def __init__(self) -> None:
        self.state = State.GREETING
        self.owed = 0
        """Answers given up that haven't come yet."""
        self.ended = False
        """The peer's end of input was reached."""
        self._buffer = LineBuffer()
        self._answer: str | None = None
        self._log = bytearray()
        self._log_was_cut = False

    def _step(self, step: Step) -> None:
        following = TRANSITIONS.get((self.state, step))
        if following is None:
            raise LocalProtocolError(f"{step.name} while {self.state.name}")
        self.state = following

    # -- receiving -----------------------------------------------------------------------------

    @property
    def wants_data(self) -> bool:
        """Whether to read more: not while an answer is held unread, nor after the end."""
        return self._answer is None and not self.ended and self.state is not State.CLOSED

    @property
    def room_for(self) -> int:
        """How many bytes to read at most, so that no more than the limit is held; at least 1."""
        limit = HELLO_LIMIT if self.state is State.GREETING else LINE_LIMIT
        return max(1, limit + 1 - len(self._buffer))

    @property
    def has_answer(self) -> bool:
        """Whether an answer is there to take."""
        return self._answer is not None

    @property
    def has_more(self) -> bool:
        """Whether bytes beyond the held answer were received."""
        return len(self._buffer) > 0

    @property
    def is_flooded(self) -> bool:
        """Whether more was received behind an unread answer than is held for a match."""
        return self._answer is not None and len(self._buffer) > LINE_LIMIT

    def receive(self, data: bytes) -> None:
        """Take received bytes; none means the end of input.

        Raises:
            RemoteProtocolError: A line too long, or not UTF-8. The connection must close.
        """
        if self.state is State.CLOSED:
            raise LocalProtocolError("bytes received after the close")
        if self._is_just_the_answer(data):
            self._answer = _decoded(data[:-1].removesuffix(b"\r"))
            return
        if data:
            self._buffer.feed(data)
        else:
            self.ended = True
        if self.state is not State.GREETING:
            self._sort()

    def _is_just_the_answer(self, data: bytes) -> bool:
        """Whether these bytes are one answer and nothing else: the common case of a turn."""
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
        """The hello, once its line is complete; what came behind it waits for the next step.

        Raises:
            RemoteProtocolError: It can't be used; `error` tells why.
        """
        if self.state is not State.GREETING:
            raise LocalProtocolError("a second hello")
        if self._buffer.startswith(TLS_HANDSHAKE):
            # It may have no newline, and would wait for its answer.
            raise bad_hello("a TLS handshake; connections here are plain text, without TLS")
        line = self._buffer.take_line(HELLO_LIMIT)
        if line is None:
            return None
        hello = parse_hello(_decoded(line))
        # Not sorted here: a fault in the bytes behind it must not take the hello with it.
        self._step(Step.HELLO)
        return hello

    def _sort(self) -> None:
        """Move what is at the buffer's head to the log, to the debts, or to the held answer."""
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
        good = len(log)
        try:
            log.decode("utf-8")
        except UnicodeDecodeError as error:
            # The lines before the bad one count, as if they had come alone.
            good = log.rfind(b"\n", 0, error.start) + 1
        room = LOG_LIMIT - len(self._log)
        if good > room:
            self._log_was_cut = True
        self._log += log[: min(good, room)]
        if good < len(log):
            _decoded(log[good : log.index(b"\n", good)].removesuffix(b"\r"))

    # -- the match -----------------------------------------------------------------------------

    def start(self) -> None:
        """A match begins."""
        self._step(Step.START)

    def ask(self) -> None:
        """An answer is asked for; one that was sent ahead may be there at once.

        Raises:
            RemoteProtocolError: A line too long, or not UTF-8, came behind the last answer.
        """
        self._step(Step.ASK)
        if self._buffer:
            self._sort()

    def take_answer(self) -> str | None:
        """The answer to the present `ask`; None if it isn't there yet."""
        if self.state is not State.ASKED:
            raise LocalProtocolError("an answer taken that nobody asked for")
        answer = self._answer
        if answer is not None:
            self._answer = None
            self._step(Step.ANSWER)
        return answer

    def give_up(self) -> None:
        """The time is over: the answer is thrown away, now if it is there, else when it comes."""
        self._step(Step.GIVE_UP)
        if self._answer is None:
            self.owed += 1
        self._answer = None

    def take_log(self) -> str:
        """The log lines since the last call, `#` and newlines included, cut at the limit.

        `LOG_CUT` is the last line then.
        """
        if not self._log:
            return ""
        text = self._log.decode("utf-8", "ignore")
        if self._log_was_cut:
            text = text.removesuffix("\n") + "\n" + LOG_CUT
        self._log.clear()
        self._log_was_cut = False
        return text

    def end(self) -> None:
        """The match is over; an answer that is still asked for is given up."""
        if self.state is State.ASKED:
            self.give_up()
        self._step(Step.END)

    def close(self) -> None:
        """The connection closes."""
        self._step(Step.CLOSE)


def _decoded(line: bytes) -> str:
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RemoteProtocolError(
            ErrorCode.NOT_UTF8,
            f"byte {error.start} of {shown(line)} is no UTF-8; lines are text in UTF-8",
        ) from None
