"""What may befall a connection, as scripts, and two machines that play them.

`SessionMachine` drives the real `Session`, reading in pieces of a size. `LineMachine` is the
reference: the rules of PROTOCOL.md 1 and 4 over whole lines, written as plainly as they stand
there, with neither chunks nor limits of memory. Both tell what they saw; tests compare that.
"""

import attrs
import pytest
from hypothesis import strategies as st

from lanista_protocol import (
    ErrorCode,
    LocalProtocolError,
    RemoteProtocolError,
    Session,
    State,
    parse_hello,
)
from protocol.table import Feed

OPERATIONS = ("start", "ask", "answer", "give_up", "end")
LEGAL = {
    "GREETING": (),
    "WAITING": ("start",),
    "PLAYING": ("ask", "end"),
    "ASKED": ("answer", "give_up", "end"),
}
"""By state, what the arena may do; `end` while an answer is awaited gives it up."""
CUT = "# … the rest of this turn's log was dropped\n"

# -- scripts ---------------------------------------------------------------------------------------

_PIECES = st.one_of(
    st.sampled_from([
        b"\n", b"\r\n", b"\r", b"#", b"# log\n", b"#\xc3\xa9\r\n", b"1 2 3 0\n", b"1 2 3 0", b" ",
        b"\xff", b"\xff\n", b"#\xe2\x82\n", b"\xe2\x82", b"a\nb\n\nc\n", b"#a\n#\xff\n1\n",
        b"#" + b"z" * 9_000 + b"\n", b"y" * 40_000, b"#" + b"x" * 65_534 + b"\n",
    ]),
    st.binary(max_size=6),
    st.text(max_size=6).map(str.encode),
)  # fmt: skip
_HELLOS = st.one_of(
    st.sampled_from([b"Ann keep=1\n", b"Ann v=1\r\n", b"Ann v=1 notes=1\n# log\n"]),
    st.sampled_from([b"Ann v=1 keep=1\n"]),
    st.sampled_from([b"", b"\n", b"Ann v=2\n", b"Ann\xff\n", b"A" * 513, b"Ann", b"Ann\t\n"]),
)
_BYTES = st.lists(_PIECES, min_size=1, max_size=4).map(b"".join)


@st.composite
def scripts(draw):
    """A hello, then bytes and operations in any order; some operations are illegal there."""
    script = [draw(_HELLOS)]
    # Mostly as matches go, so that turns are reached at all; then anything.
    if draw(st.booleans()):
        script += ["start", "ask"]
    turn = st.sampled_from(
        [["ask", "answer"], ["answer", "ask"], ["give_up", "ask"], ["end", "start", "ask"]]
    )
    anything = st.one_of(
        _BYTES.map(lambda data: [data]), turn, st.sampled_from(OPERATIONS).map(lambda name: [name])
    )
    for part in draw(st.lists(anything, max_size=14)):
        script += part
    return script


# -- machines --------------------------------------------------------------------------------------


@attrs.define
class SessionMachine:
    """The real one, read in pieces of so many bytes (see `Feed`)."""

    feed: Feed
    seen: list = attrs.field(factory=list)

    @property
    def state(self):
        return self.feed.session.state.name

    def come(self, data):
        self.feed.come(data)
        self.settle()

    def settle(self):
        """Read, as the arena does in this state."""
        known = self.feed.hello
        try:
            self.feed.read()
        finally:
            if self.feed.hello is not known:
                self.seen.append(("hello", self.feed.hello))

    def do(self, name):
        session = self.feed.session
        if name == "answer":
            self.seen.append(("answer", session.take_answer()))
        else:
            getattr(session, name)()
        if name in {"answer", "give_up"}:
            self.seen.append(("log", session.take_log()))

    def refuse(self, name):
        """An operation that isn't legal now is our own error, and changes nothing."""
        session = self.feed.session
        before = (session.state, session.owed, session.has_answer, session.wants_data)
        with pytest.raises(LocalProtocolError):
            session.take_answer() if name == "answer" else getattr(session, name)()
        assert before == (session.state, session.owed, session.has_answer, session.wants_data)

    def failed(self, error):
        assert isinstance(error.code, ErrorCode)
        assert error.message.isprintable()
        self.seen.append(("log", self.feed.session.take_log()))
        self.seen.append(("error", error.code, error.message))

    def close(self):
        self.feed.session.close()
        assert self.feed.session.state is State.CLOSED


@attrs.define
class HandedOver(SessionMachine):
    """One whose session is given away and taken up before some of its steps, by their numbers."""

    cuts: frozenset = frozenset()
    steps: int = 0

    def _cut(self):
        if self.steps in self.cuts:
            given = self.feed.session.give_away()
            self.feed.session = Session.take_up(given)
            assert given == self.feed.session.give_away()
        self.steps += 1

    def settle(self):
        self._cut()
        super().settle()

    def do(self, name):
        self._cut()
        super().do(name)

    def failed(self, error):
        self._cut()
        super().failed(error)


@attrs.define
class LineMachine:
    """The reference."""

    state: str = "GREETING"
    seen: list = attrs.field(factory=list)
    data: bytes = b""
    owed: int = 0
    held: str | None = None
    log: bytes = b""

    def come(self, data):
        self.data += data
        self.settle()

    def settle(self):
        if self.state == "GREETING":
            line = self._line(512)
            if line is not None:
                self.seen.append(("hello", parse_hello(_text(line))))
                self.state = "WAITING"
        elif self.state == "ASKED":
            self._sort()

    def _line(self, limit):
        line, newline, rest = self.data.partition(b"\n")
        if len(line) > limit:
            raise RemoteProtocolError(ErrorCode.LINE_TOO_LONG, "words")
        if not newline:
            return None
        self.data = rest
        return line

    def _sort(self):
        while self.held is None:
            line = self._line(65_536)
            if line is None:
                return
            text = _text(line)
            if line.startswith(b"#"):
                self.log += line + b"\n"
            elif self.owed:
                self.owed -= 1
            else:
                self.held = text

    def do(self, name):
        if name == "answer":
            self.seen.append(("answer", self.held))
            self.state = "ASKED" if self.held is None else "PLAYING"
            self.held = None
        elif name == "give_up" or (name == "end" and self.state == "ASKED"):
            self.owed += self.held is None
            self.held = None
            self.state = "PLAYING"
        if name in {"answer", "give_up"}:
            self.seen.append(("log", self._take_log()))
        self.state = {"start": "PLAYING", "ask": "ASKED", "end": "WAITING"}.get(name, self.state)
        self.settle()

    def _take_log(self):
        log, self.log = self.log, b""
        text = log[:16_384].decode(errors="ignore")
        if len(log) > 16_384:
            text = text.removesuffix("\n") + "\n" + CUT
        return text

    def refuse(self, name):
        """Nothing happens."""

    def failed(self, error):
        self.seen.append(("log", self._take_log()))
        self.seen.append(("error", error.code, "words"))

    def close(self):
        self.state = "CLOSED"


def _text(line):
    try:
        return line.removesuffix(b"\r").decode()
    except UnicodeDecodeError:
        raise RemoteProtocolError(ErrorCode.NOT_UTF8, "words") from None


def play(script, machine):
    """Play a script, then ask for all that is left; what the machine has seen."""
    try:
        for step in script:
            if isinstance(step, bytes):
                machine.come(step)
                continue
            machine.settle()
            if step in LEGAL[machine.state]:
                machine.do(step)
            else:
                machine.refuse(step)
        machine.settle()
        _drain(machine)
    except RemoteProtocolError as error:
        machine.failed(error)
    machine.close()
    return machine.seen


def _drain(machine):
    while machine.state != "GREETING":
        if machine.state == "WAITING":
            machine.do("start")
        if machine.state == "PLAYING":
            machine.do("ask")
        machine.settle()
        machine.do("answer")
        if machine.seen[-2] == ("answer", None):
            return


def without_words(seen):
    """The words of an error are for people; its code is what counts."""
    return [entry[:2] if entry[0] == "error" else entry for entry in seen]
