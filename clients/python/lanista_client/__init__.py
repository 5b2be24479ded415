"""The Python client of Lanista: one folder, no dependency, to install or to copy beside a bot.

It speaks version 1 of the wire protocol over a blocking socket and gives the position as plain
attributes. No strategy lives here, no thread, no clock but for the pauses between attempts to
connect, and nothing beyond the standard library; nor is anything heavy imported, for a bot's start
is time that somebody waits for.

    from lanista_client import Arena

    with Arena("MyBot", game="angrymob") as arena:
        for state in arena:
            arena.send([(i, j, 1, 0) for i, j in state.mine if state.passable(i, j + 1)])
    print(arena.result)
"""

from __future__ import annotations

import os
import sys
import time
from _thread import get_ident

from lanista_client.arguments import hello_line, port_number, tls_context
from lanista_client.console import (
    STDIO,
    address,
    escaped,
    install_hook,
    is_quiet,
    no_arena,
    tell_note,
    tell_waiting,
)
from lanista_client.crematoria import CrematoriaState, CrematoriaUnit
from lanista_client.drawing import Draw
from lanista_client.hogwarts import HogwartsState, HogwartsUnit
from lanista_client.states import (
    DIRECTIONS,
    DOWN,
    LEFT,
    RIGHT,
    UP,
    AngryMobState,
    State,
    by_seat,
    number,
)

TYPE_CHECKING = False  # type checkers take it for typing's own; importing that costs 15 ms
if TYPE_CHECKING:
    import socket
    import ssl
    from collections.abc import Iterable, Iterator
    from typing import Any, Self

    from lanista_client.states import Facts

__all__ = [
    "DIRECTIONS",
    "DOWN",
    "GAMES",
    "LEFT",
    "RIGHT",
    "UP",
    "AngryMobState",
    "Arena",
    "ArenaError",
    "CrematoriaState",
    "CrematoriaUnit",
    "Draw",
    "HogwartsState",
    "HogwartsUnit",
    "MisuseError",
    "Note",
    "Result",
    "State",
]

DEFAULT_HOST, DEFAULT_PORT = "127.0.0.1", 7777
_CONNECT_TIMEOUT = 10.0  # seconds
_SILENCE = 1.0  # seconds of waiting for an opponent until that is told
_READ_BUFFER = 1 << 16  # bytes; a turn of a big map comes in one read
_MOST = 8 << 20  # bytes that the arena sends from one `go` to the next (PROTOCOL.md 3)
_LOG_PIECE = 1 << 13  # code points, at most 4 bytes each: within the 65,536 bytes of PROTOCOL.md 1
_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.5, 60.0  # seconds, between attempts to connect
_FINAL_CODES = frozenset({
    *("bad-hello", "unknown-game", "unknown-version", "bad-token", "name-taken", "replaced"),
    *("not-utf8", "line-too-long", "flood", "too-many-submoves", "unreadable"),
})  # fmt: skip
"""Codes after which the same bot would fare no better: "no" in the table of PROTOCOL.md 7."""


class ArenaError(Exception):
    """The match can't go on: the arena said `error`, or the connection is lost.

    If nothing catches it, the bot ends with one line, which is the code and the words.

    Attributes:
        code: a code of `PROTOCOL.md 7` (`bad-hello`, `name-taken`, `late`, `shutdown` …) or one of
            the client's own: `unreachable` (no connection could be made), `disconnected` (it ended
            in mid-match), `unreadable` (the arena sent something outside the protocol).
        words: the explanation, for people.
    """

    def __init__(self, code: str, words: str = "") -> None:
        super().__init__(code, words)
        self.code = code
        self.words = words

    def __str__(self) -> str:
        return escaped(f"{self.code}: {self.words}" if self.words else self.code)


class MisuseError(RuntimeError):
    """The bot's author used the client wrongly; the message says what would be right."""


class Result:
    """How a match ended (`PROTOCOL.md 3`).

    Attributes:
        end: `finished`, `forfeit`, `aborted` or `void`.
        ranks: the place of each seat, 1 is best, equal places are ties.
        scores: the final score of each seat, in the units of the game's rules.
    """

    __slots__ = ("end", "ranks", "scores")

    def __init__(self, end: str, ranks: tuple[int, ...], scores: tuple[float, ...]) -> None:
        self.end = end
        self.ranks = ranks
        self.scores = scores

    def __repr__(self) -> str:
        return f"Result(end={self.end!r}, ranks={self.ranks}, scores={self.scores})"


class Note:
    """Something of ours that the arena refused, the match going on (`PROTOCOL.md 7`).

    Attributes:
        code: `late`, `malformed` or `illegal`; or `benched`, after a match: the bot rests; or
            `room`, before one: the room isn't a ladder.
        turn: the turn that was answered so; of `benched` the seconds of rest, 0: until the operator
            ends it.
        index: the submove's place in that answer, from 0; None: the answer as a whole.
        words: the explanation, for people.
    """

    __slots__ = ("code", "index", "turn", "words")

    def __init__(self, code: str, turn: int, index: int | None, words: str) -> None:
        self.code = code
        self.turn = turn
        self.index = index
        self.words = words

    def __repr__(self) -> str:
        return f"Note({self.code!r}, turn={self.turn}, index={self.index}, {self.words!r})"


GAMES: dict[str, type[State]] = {
    "angrymob": AngryMobState,
    "hogwarts": HogwartsState,
    "crematoria": CrematoriaState,
}
"""The class that reads each game's facts; a game that isn't here gets the plain `State`."""


class Arena:
    """A connection to the arena; iterate over it to play: one state for each answer asked for.

    The same state object comes again each turn, brought up to date. The iteration ends with the
    match; with `keep` it goes on with the next match, under a new state object, until the arena
    closes. Used as a context manager it closes the connection.

    With LANISTA_LOCAL=1, which `lanista play`, `check` and tournaments set, the arguments `host`,
    `port`, `token`, `tls`, `tls_ca`, `room` and `reconnect` count for nothing.

    Args:
        name: what to be called, 1 to 32 printable characters; else LANISTA_NAME.
        game: the ruleset wanted; None: the arena's default.
        host: where the arena is; else LANISTA_HOST, else 127.0.0.1.
        port: its TCP port; else LANISTA_PORT, else 7777.
        token: the secret for this name or seat; else LANISTA_TOKEN, else none.
        tls: connect by TLS, and only to an arena whose certificate is trusted and has the name
            `host`; else LANISTA_TLS=1.
        tls_ca: a file of certificates (PEM) to trust instead of the system's; else LANISTA_TLS_CA.
        room: wait for opponents in this room only.
        seat: ask for this seat, from 0.
        keep: stay for match after match.
        notes: be told of everything that was refused, not only of why a match was lost.
        reconnect: connect again, for as long as it takes, when there is no connection or it breaks,
            and take the match up again if the arena allows it; each attempt is told on stderr.
            With `keep` the iteration then ends only by an error that would come again.
        quiet: don't tell on stderr that the bot has been waiting for an opponent for a second; else
            LANISTA_QUIET=1, which the arena sets for the bots that it starts.

    Attributes:
        state: the current match, also after its end (then the final position); None before one.
        results: the `Result` of each match that has ended.
        notes: the `Note`s of the current match.
        draw: draws on the board of whoever may see this bot's log (`PROTOCOL.md 9`).

    Raises:
        ValueError: no name, or one of the arguments can't be said in a hello or used.
        ArenaError: `unreachable`; while iterating, whatever the arena or the network says.
    """

    def __init__(
        self,
        name: str | None = None,
        *,
        game: str | None = None,
        host: str | None = None,
        port: int | None = None,
        token: str | None = None,
        tls: bool | None = None,
        tls_ca: str | None = None,
        room: str | None = None,
        seat: int | None = None,
        keep: bool = False,
        notes: bool = False,
        reconnect: bool = False,
        quiet: bool | None = None,
    ) -> None:
        install_hook()
        environ = os.environ
        if environ.get("LANISTA_LOCAL") == "1":  # it is started here, whatever it was written for
            host = port = token = tls = tls_ca = room = None
            reconnect = False
        options = {
            "v": 1,
            "game": game,
            "room": room,
            "seat": seat,
            "token": token or environ.get("LANISTA_TOKEN") or None,
            "keep": 1 if keep else None,
            "notes": 1 if notes else None,
        }
        self._hello = hello_line(name or environ.get("LANISTA_NAME", ""), options)
        self._host = host or environ.get("LANISTA_HOST") or DEFAULT_HOST
        if port is None:
            self._port = port_number("LANISTA_PORT", environ.get("LANISTA_PORT") or DEFAULT_PORT)
        else:
            self._port = port_number("port", port)
        self._tls = tls_context(tls, tls_ca, environ)
        self.state: Any = None  # its class depends on the arena's `game` line
        self.results: list[Result] = []
        self.notes: list[Note] = []
        self.draw = Draw(self._write)
        self._game = game
        self._keep = keep
        self._reconnect = reconnect
        self._quiet = is_quiet(environ.get("LANISTA_QUIET")) if quiet is None else quiet
        self._waited = False  # whether it has been told that the bot waits
        self._pause = _SHORTEST_PAUSE  # before the next attempt to connect, at most
        self._owes = False  # an answer to the last `go`
        self._over = False
        self._match: str | None = None  # its id, from `start` to the end of its scores
        self._end: str | None = None  # why it ended, once `end` has come
        self._turn: int | None = None  # a turn whose facts are still coming in
        self._facts: Facts = {}  # where lines go whose keyword isn't in the table below
        self._readers = {
            "start": self._read_start,
            "turn": self._read_turn,
            "go": self._read_go,
            "note": self._read_note,
            "end": self._read_end,
            "wait": self._read_wait,
            "bye": self._read_bye,
            "error": self._read_error,
        }
        if environ.get("LANISTA_STDIO") == "1":
            raise ArenaError("unreachable", STDIO)
        try:
            self._connect()
        except ArenaError as error:
            if not reconnect:
                raise
            self._connect_again(error)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        """The state at the next turn that asks for an answer.

        Raises:
            StopIteration: the match, with `keep` the connection, has ended as it should.
            ArenaError: it has ended otherwise.
            MisuseError: the last turn wasn't answered.
        """
        if self._owes:
            raise MisuseError(
                f"turn {self.state.turn} wasn't answered: every state needs one arena.send(moves), "
                "arena.send([]) to do nothing"
            )
        while not self._over:
            broken = None
            try:
                self._read_on()
            except ArenaError as error:
                played = self.results and not self._keep
                if not self._reconnect or played or error.code in _FINAL_CODES:
                    raise
                broken = error
            if broken is not None:  # not above: a Ctrl-C there would be told along with it
                self._connect_again(broken)
            if self._owes:
                return self.state
        raise StopIteration

    def _read_on(self) -> None:
        """Read to the next turn that asks for an answer, or to the end."""
        readers = self._readers
        left = _MOST
        while not (self._owes or self._over):
            try:
                line = self._input.readline(left)  # a `wait` may have put another stream there
            except OSError:  # a reset: what came before it has been used
                line = b""
            left -= len(line)
            keyword, *words = line.decode("utf-8", "replace").split() or [""]
            reader = readers.get(keyword)
            if not line.endswith(b"\n"):  # the end; a line that it cuts off is dropped
                reader = self._read_closed if left else self._read_too_much
            elif reader is None:
                self._facts.setdefault(keyword, []).append(words)
                continue
            try:
                reader(words)
            except (ValueError, LookupError, TypeError) as error:
                self._over = True
                text = line.decode("utf-8", "replace").rstrip("\n")[:200]
                raise ArenaError("unreadable", f"the client can't use {text!r}") from error

    @property
    def result(self) -> Result | None:
        """How the last match ended; None while none has."""
        return self.results[-1] if self.results else None

    def send(self, moves: Iterable[Iterable[int | str]] = ()) -> None:
        """Answer the turn.

        Args:
            moves: the submoves, each a tuple as the game's rules have it, such as `(i, j, k, d)`
                in angrymob; none at all is a valid answer.

        Raises:
            MisuseError: this turn is answered already, or `moves` isn't of that form. A connection
                that is lost meanwhile is told by the next step of the iteration, for the arena may
                have said why.
        """
        if not self._owes:
            raise MisuseError("no turn asks for an answer: send once for each state, not before it")
        tokens: list[str] = []
        for move in _items(moves, "list of submoves"):
            for token in map(str, _items(move, "submove")):
                if not _is_token(token):
                    where = f"{token!r} in {move!r}"
                    raise MisuseError(f"not integers and letters of the game: {where}")
                tokens.append(token)
        self._owes = False
        self._write(" ".join(tokens) + "\n")

    def log(self, text: object) -> None:
        """Have the arena keep a text with this turn; long lines are divided (`PROTOCOL.md 4`).

        Anything else than a text is logged as `print` shows it.

        It is sent at once, so that it isn't lost when the bot then fails. The arena keeps 16 KiB a
        turn.
        """
        pieces = [
            line[at : at + _LOG_PIECE]
            for line in str(text).splitlines() or [""]
            for at in range(0, len(line) or 1, _LOG_PIECE)
        ]
        self._write("".join([f"# {piece}\n" for piece in pieces]))

    def close(self) -> None:
        """Close the connection; in mid-match the arena takes that for a loss."""
        self._over, self._owes = True, False
        self._input.close()
        try:  # noqa: SIM105 - as in `_write`
            self._socket.shutdown(2)  # both ways, also where a process that was forked has it open
        except OSError:
            pass  # the arena has closed
        self._socket.close()

    def _connect(self) -> None:
        """Connect and say hello."""
        import socket  # noqa: PLC0415 - slow; the arena's own bots have a lighter way

        host = self._host
        # Given a str, getaddrinfo imports a codec for international names: 8 ms at every start.
        way: Any = (host.encode() if host.isascii() else host, self._port)
        try:
            self._socket = socket.create_connection(way, _CONNECT_TIMEOUT)
        except (OSError, UnicodeError) as error:  # UnicodeError: no name that a host can have
            raise ArenaError("unreachable", no_arena(host, self._port, error)) from error
        if self._tls is not None:
            self._begin_tls(self._tls)
        self._socket.settimeout(None)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        _notice_silence(self._socket)
        self._input: Any = self._socket.makefile("rb", _READ_BUFFER)
        self._thread = get_ident()  # whose failure ends the match
        self._write(self._hello)

    def _begin_tls(self, context: ssl.SSLContext) -> None:
        """Perform the handshake, and check the certificate."""
        from lanista_client.tls import TlsError, secured  # noqa: PLC0415 - as in `tls_context`

        try:
            self._socket = secured(self._socket, context, self._host)
        except TlsError as error:
            words = f"no TLS with {address(self._host, self._port)}: {error}"
            raise ArenaError("unreachable", words) from error

    def _connect_again(self, error: ArenaError) -> None:
        """Connect, as often as it takes (`PROTOCOL.md 8`); the match stays what it is."""
        if error.code != "unreachable":
            self.close()
        while True:
            # A random part is left out, so that many bots don't come all at once. The bot's own
            # random numbers aren't touched, and `random` is slow to import.
            pause = self._pause * (1 - os.urandom(1)[0] / 510)
            self._pause = min(2 * self._pause, _LONGEST_PAUSE)
            sys.stderr.write(f"lanista: {error}; connecting again in {pause:.1f} s\n")
            time.sleep(pause)
            try:
                self._connect()
            except ArenaError as another:
                error = another
            else:
                break
        self._over = False
        self._turn = None
        self._facts = {}

    def _write(self, text: str) -> None:
        try:  # noqa: SIM105 - contextlib would be one more import at every start
            self._socket.sendall(text.encode(errors="backslashreplace"))
        except OSError:
            pass  # the arena has closed: what it said before that waits to be read, and says why

    def _read_start(self, words: list[str]) -> None:
        self._finish()
        self._pause = _SHORTEST_PAUSE
        if not self._over:
            if words[0] != self._match:  # else we are back in it, after a break
                self.state = None
                self.notes = []
            self._match = words[0]
            self._turn = None
            self._facts = {}

    def _read_turn(self, words: list[str]) -> None:
        if self.state is None:
            start, game = self._facts, self._facts["game"][0][0]
            if game != self._game and self._game is not None:
                raise ValueError("another game")
            self.state = GAMES.get(game, State)(self._match or "", start)
        self._turn = int(words[0])
        if self._turn < 0:
            raise ValueError("a turn before the first")
        self._facts = {}

    def _read_go(self, _words: list[str]) -> None:
        self._position()
        self._owes = True

    def _read_note(self, words: list[str]) -> None:
        code, turn, index, *rest = words
        at = None if index == "-" else int(index)
        note = Note(code, int(turn), at, " ".join(rest))
        self.notes.append(note)
        if code in {"room", "benched"} and not self._quiet:
            tell_note(code, note.turn, note.words)

    def _read_end(self, words: list[str]) -> None:
        if self._turn is not None:  # the final position, which has no `go`
            self._position()
        self._end = words[0]
        self._facts = {}

    def _read_wait(self, words: list[str]) -> None:
        self._finish()
        self._pause = _SHORTEST_PAUSE
        if not (self._quiet or self._waited or self._over) and self._is_silent():
            self._waited = True
            tell_waiting(address(self._host, self._port), self._hello, words)

    def _is_silent(self) -> bool:
        """Return whether the arena has nothing to say for a second; nothing is read."""
        self._socket.settimeout(_SILENCE)
        try:
            self._input.peek(1)
        except TimeoutError:
            # A stream that has timed out once can't be read again. Its buffer was empty.
            self._input.close()
            self._input = self._socket.makefile("rb", _READ_BUFFER)
            return True
        except OSError:
            pass  # a reset: the next read tells
        finally:
            self._socket.settimeout(None)
        return False

    def _read_bye(self, _words: list[str]) -> None:
        self._finish()
        self._over = True
        if self._keep and self._reconnect:
            raise ArenaError("disconnected", "the arena said bye")

    def _read_error(self, words: list[str]) -> None:
        self._finish()
        self._over = True
        raise ArenaError(words[0], " ".join(words[1:]))

    def _read_closed(self, _words: list[str]) -> None:
        """The connection has ended without `bye`: that is well between matches alone."""
        self._finish()
        self._over = True
        if self._match is not None:
            words = "the connection ended in mid-match"
            advice = "check that the arena is running, and start the bot again"
        elif not self.results or (self._keep and self._reconnect):
            words = "the connection ended before a match"
            advice = "check that the arena is running, and that the port is the one for bots"
        else:
            return
        raise ArenaError("disconnected", words if self._reconnect else f"{words}; {advice}")

    def _read_too_much(self, _words: list[str]) -> None:
        self._over = True
        words = f"the arena sent {_MOST >> 20} MiB without asking for an answer"
        raise ArenaError("unreadable", words)

    def _position(self) -> None:
        """Give the state the facts of the turn, complete now (their order says nothing)."""
        turn, self._turn = self._turn, None
        if turn is None:
            raise ValueError("a go without its turn")
        self.state.update(turn, self._facts)
        self._facts = {}

    def _finish(self) -> None:
        """Make the result of a match whose `end`, ranks and scores have come."""
        if self._end is not None:
            ranks = tuple(int(words[0]) for _, words in by_seat(self._facts.get("rank", [])))
            scores = tuple(number(words[0]) for _, words in by_seat(self._facts.get("score", [])))
            self.results.append(Result(self._end, ranks, scores))
            self._match = self._end = None
            self._over = not self._keep


def _notice_silence(connected: socket.socket) -> None:
    """Have the system end the connection if the arena's machine is gone for two minutes.

    Otherwise a bot that waits for its next match would wait for ever, and one that has just sent an
    answer for 15 minutes.
    """
    import socket  # noqa: PLC0415 - as in `_connect`

    connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in (
        ("TCP_KEEPIDLE", 60),  # s
        ("TCP_KEEPINTVL", 20),  # s
        ("TCP_KEEPCNT", 3),
        ("TCP_USER_TIMEOUT", 120_000),  # ms
    ):
        if hasattr(socket, option):  # else the system has its own
            connected.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)


def _items(given: Any, what: str) -> Iterator[Any]:
    """Iterate over what an author gave as a list of submoves, or as one; a string is neither.

    Raises:
        MisuseError: It can't be one.
    """
    try:
        if not isinstance(given, str | bytes):
            return iter(given)
    except TypeError:
        pass
    raise MisuseError(f"{given!r} is no {what}: send a list of tuples, [(1, 2, 1, 0)]")


def _is_token(text: str) -> bool:
    """Return whether a text is an integer or a single letter (`PROTOCOL.md 4`)."""
    is_letter = len(text) == 1 and text.isalpha()
    return text.isascii() and (is_letter or text.removeprefix("-").isdigit())
