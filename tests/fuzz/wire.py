"""What bots send, before any ruleset reads it: hellos, lines, conversations, answers; and messages
that the arena makes of what bots and rulesets said.
"""

import string
from collections.abc import Callable, Mapping, Sequence
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
    messages,
    parse_hello,
    tokenize,
)
from protocol.scripts import LineMachine, SessionMachine, play, without_words
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


# -- conversations ---------------------------------------------------------------------------------

Script = Sequence[str | bytes]
"""Bytes of the bot, and what the arena does."""


def session() -> Target:
    """A conversation gives the same answers, logs and error in whatever pieces its bytes come.

    Those of a short one are what a reader of whole lines gives.
    """
    corpus = [bytes_of(vector["sent"]) for vector in load("lines")]
    corpus += [b"\n" * 20, b"Ann v=1 keep=1\n1 2 3 0\n# log\n\n1 1 1 1\nm 3 4 s 1\n"]
    corpus += [b"# log\n" * 5 + b"answer\n", b"a\r\n\r\n#\n#\n", b"x" * 300 + b"\n"]
    short = [sent for sent in corpus if len(sent) <= LONG]

    def draw(random: Random) -> Script:
        data = changed(random, corpus if random.random() < 0.01 else short)
        if data.count(b"\n") > LONG:
            data = data[:LONG]  # each line is asked for
        if random.random() < 0.8:
            data = b"Ann v=1\n" + data
        script: list[str | bytes] = []
        while data or random.random() < 0.7:
            if data and random.random() < 0.5:
                size = 1 + int(random.random() * random.choice((3, 30, len(data))))
                script.append(data[:size])
                data = data[size:]
            else:
                steps = ("start", "ask", "ask", "answer", "answer", "give_up", "end")
                script.append(random.choice(steps))
        return script

    def check(script: Script) -> None:
        said = b"".join(step for step in script if isinstance(step, bytes))
        is_long = len(said) > LONG
        sizes = (0, None) if is_long else (0, 1, None, 5)
        whole, *others = [play(script, SessionMachine(Feed(size))) for size in sizes]
        for other in others:
            assert whole == other
        if not is_long and not said.startswith(b"\x16"):  # TLS is refused before its first line
            assert without_words(play(script, LineMachine())) == without_words(whole)

    return Target(draw=draw, check=check, short=400)


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
    "session": session,
    "answers": answers,
    "messages": any_message,
}
