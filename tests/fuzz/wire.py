"""What bots send, before any ruleset reads it: hellos, lines, conversations, answers; and messages
that the arena makes of what bots and rulesets said.
"""

import string
from collections.abc import Callable, Mapping
from random import Random
from typing import Any

import attrs

from fuzz.mutation import ODD_NUMBERS, changed, changed_text
from fuzz.target import Target, check_words
from lanista_protocol import (
    ErrorCode,
    Hello,
    LocalProtocolError,
    MalformedLineError,
    NoteCode,
    RemoteProtocolError,
    State,
    messages,
    parse_hello,
    tokenize,
)
from lanista_protocol.lines import LINE_LIMIT, LineBuffer
from protocol.table import Feed, bytes_of, load

LONG = 2000
"""Bytes of a conversation above which it isn't also read byte by byte."""


def hello() -> Target:
    """Any text is a hello, or an error that can be told."""
    corpus = [bytes_of(vector["line"]) for vector in load("hello")]

    def check(line: str) -> None:
        try:
            said = parse_hello(line)
        except RemoteProtocolError as error:
            code, words = error.code, error.message
            assert code in {ErrorCode.BAD_HELLO, ErrorCode.UNKNOWN_VERSION}
            check_words(words)
            assert messages.error(code, words).count(b"\n") == 1
            return
        assert isinstance(said, Hello)
        assert 1 <= len(said.name) <= 32
        assert said.name == " ".join(said.name.split(" "))
        assert messages.player(0, said.name).decode() == f"player 0 {said.name}\n"
        assert repr(said) == repr(attrs.evolve(said, token="another")), "the token is shown"

    return Target(draw=lambda random: changed_text(random, corpus, 600), check=check, short=3000)


# -- lines -----------------------------------------------------------------------------------------


def lines() -> Target:
    """Lines come out as they went in, in whatever pieces; the first that is too long is refused."""
    corpus = [bytes_of(vector["sent"]) for vector in load("lines")]
    corpus = [sent for sent in corpus if len(sent) <= LONG]
    corpus += [b"# log\n" * 5 + b"answer\n", b"a\r\n\r\n#\n#\n", b"x" * 300 + b"\n"]

    def draw(random: Random) -> tuple[bytes, int, int]:
        size = random.choice((1, 2, 3, 7, 64, 1000)) if random.random() < 0.5 else 1 << 17
        limit = random.choice((10, 64, LINE_LIMIT))
        most = LONG if size < 64 else 1 << 17
        return changed(random, corpus, most), size, limit

    def check(given: tuple[bytes, int, int]) -> None:
        data, size, limit = given
        buffer, log, read = LineBuffer(), b"", []
        refused = False
        for at in range(0, len(data), size):
            buffer.extend(data[at : at + size])
            try:
                while True:
                    if limit == LINE_LIMIT:  # a hello has no log before it
                        log += buffer.take_log()
                    line = buffer.take_line(limit)
                    if line is None:
                        break
                    read.append(line)
            except RemoteProtocolError as error:
                check_words(error.message)
                refused = error.code is ErrorCode.LINE_TOO_LONG
                break
        expected_log, expected, too_long = _split(data, limit)
        assert expected == read
        assert expected_log == log
        assert too_long == refused

    return Target(draw=draw, check=check)


def _split(data: bytes, limit: int) -> tuple[bytes, list[bytes], bool]:
    """What `LineBuffer` should make of bytes: log, lines, and whether a line is too long."""
    log, read = b"", []
    *whole, rest = data.split(b"\n")
    for line in whole:
        if line.startswith(b"#") and len(line) <= limit == LINE_LIMIT:
            log += line + b"\n"
        elif len(line) > limit:
            return log, read, True
        else:
            read.append(line.removesuffix(b"\r"))
    return log, read, len(rest) > limit


# -- conversations ---------------------------------------------------------------------------------

Steps = tuple[tuple[str, bytes], ...]


def session() -> Target:
    """A conversation gives the same answers, logs and error in whatever pieces its bytes come."""
    corpus = [bytes_of(vector["sent"]) for vector in load("lines")]
    corpus += [b"\n" * 20, b"Ann v=1 keep=1\n1 2 3 0\n# log\n\n1 1 1 1\nm 3 4 s 1\n"]
    short = [sent for sent in corpus if len(sent) <= LONG]

    def draw(random: Random) -> Steps:
        data = changed(random, corpus if random.random() < 0.01 else short)
        if random.random() < 0.8:
            data = b"Ann v=1\n" + data
        steps: list[tuple[str, bytes]] = []
        while data or random.random() < 0.7:
            if data and random.random() < 0.5:
                size = 1 + int(random.random() * random.choice((3, 30, len(data))))
                steps.append(("bot", data[:size]))
                data = data[size:]
            else:
                step = random.choice(("start", "go", "go", "take", "take", "deadline", "end"))
                steps.append((step, b""))
        return (*steps, ("closes", b""), *LAST)

    def check(steps: Steps) -> None:
        length = sum(len(data) for _, data in steps)
        sizes = (0, None) if length > LONG else (0, 1, None, 5)
        told = [_transcript(steps, size) for size in sizes]
        for other in told[1:]:
            assert told[0] == other

    return Target(draw=draw, check=check, short=400)


LAST: Steps = tuple((step, b"") for step in ("take", "start", "go", "take", "end", "start", "go"))
"""What brings to light an error that some sizes of pieces show earlier than others."""


def _transcript(steps: Steps, size: int | None) -> list[object]:
    """What comes of these steps, those left out that aren't possible in the session's state."""
    feed = Feed(size)
    session = feed.session
    told: list[object] = []
    error = None
    try:
        for step, data in steps:
            if step == "bot":
                feed.come(data)
            elif step == "closes":
                feed.end()
            elif step == "start" and session.state is State.WAITING:
                session.start()
            elif step == "go" and session.state is State.PLAYING:
                session.ask()
            elif step == "end" and session.state in {State.PLAYING, State.ASKED}:
                session.end()
            elif step == "take" and session.state is State.ASKED:
                told.append((session.take_answer(), session.take_log(), session.owed))
            elif step == "deadline" and session.state is State.ASKED:
                session.give_up()
                told.append((session.take_log(), session.owed))
            feed.read()
    except RemoteProtocolError as raised:
        check_words(raised.message)
        error = raised.code
    session.close()
    return [*told, feed.hello, error]


# -- answers ---------------------------------------------------------------------------------------


def answers() -> Target:
    """Any text is tokens, or names the first that is none; as a reader that takes its time says."""
    corpus = [bytes_of(vector["line"]) for vector in load("answers")]
    corpus = [line for line in corpus if len(line) <= LONG] + [b"1 2 3 0", b"m 3 4 s 1 0 1 2"]

    def check(line: str) -> None:
        expected = _tokens(line)
        try:
            tokens: object = tokenize(line)
        except MalformedLineError as error:
            check_words(str(error))
            tokens = int(str(error).split(" ")[1])
        assert expected == tokens

    return Target(draw=lambda random: changed_text(random, corpus), check=check, short=3000)


def _tokens(line: str) -> object:
    """The tokens, or the place of the first word that is none."""
    tokens: list[int | str] = []
    for at, word in enumerate([word for word in line.split(" ") if word]):
        digits = word.removeprefix("-")
        if len(word) == 1 and word in string.ascii_letters:
            tokens.append(word)
        elif 1 <= len(digits) <= 10 and not digits.strip(string.digits):
            if not -(2**31) <= int(word) < 2**31:
                return at
            tokens.append(int(word))
        else:
            return at
    return tokens


# -- messages --------------------------------------------------------------------------------------

MAKERS: Mapping[str, Callable[[str, int, float], bytes]] = {
    "player": lambda text, number, _: messages.player(number, text),
    "note": lambda text, number, _: messages.note(
        NoteCode.ILLEGAL, number, None if number % 2 else number, text
    ),
    "welcome": lambda text, number, _: messages.welcome(number, text, text),
    "wait": lambda _text, number, _: messages.wait(number, number),
    "error": lambda text, _number, _: messages.error(ErrorCode.INTERNAL, text),
    "start": lambda text, _number, _: messages.start(text),
    "game": lambda text, _number, _: messages.game(text),
    "end": lambda text, _number, _: messages.end(text),
    "seat": lambda _, number, __: messages.seat(number),
    "seed": lambda _, number, __: messages.seed(number),
    "turn": lambda _, number, __: messages.turn(number),
    "rank": lambda _, number, __: messages.rank(number, number),
    "score": lambda _, number, __: messages.score(0, number),
    "clock": lambda _, __, seconds: messages.clock(seconds, seconds),
}
WORDED = {"player", "note", "error", "start", "game", "end"}
"""Those that end with the text."""


def any_message() -> Target:
    """A message is one printable line, or an error of ours."""
    corpus = [b"Ann Lee", "Zoë".encode(), b"finished", b"lanista", b"unit 3 is not yours"]
    numbers = [one for one in ODD_NUMBERS if isinstance(one, int) and abs(one) < 10**1000]
    times = [one for one in ODD_NUMBERS if abs(one) < 10**100 or isinstance(one, float)]

    def draw(random: Random) -> tuple[str, str, int, float]:
        number = int(random.random() * 40) if random.random() < 0.7 else random.choice(numbers)
        seconds = random.random() if random.random() < 0.5 else random.choice(times)
        # A ruleset's words may hold anything, so what is no UTF-8 becomes half a surrogate pair.
        text = changed(random, corpus, 200).decode("utf-8", "surrogateescape")
        return (random.choice([*MAKERS]), text, number, seconds)

    def check(given: tuple[str, str, int, float]) -> None:
        keyword, text, *values = given
        try:
            line = MAKERS[keyword](text, *values).decode()
        except LocalProtocolError:
            return
        check_words(line.removesuffix("\n"), 10_000)
        assert line.split(" ")[0].strip() == keyword
        if keyword in WORDED:
            assert line.endswith(f" {text}\n")

    return Target(draw=draw, check=check, short=3000)


TARGETS: Mapping[str, Any] = {
    "hello": hello,
    "lines": lines,
    "session": session,
    "answers": answers,
    "messages": any_message,
}
