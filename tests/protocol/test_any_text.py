"""Any text at all through the readers and writers of single lines: hello, answers, messages."""

import re
import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lanista_protocol import (
    ErrorCode,
    Hello,
    LocalProtocolError,
    MalformedLineError,
    NoteCode,
    RemoteProtocolError,
    bad_hello,
    messages,
    number,
    parse_hello,
    shown,
    tokenize,
)

ANY_TEXT = st.text(st.characters(codec=None), max_size=60)  # surrogates and controls among it
SPACES = st.integers(1, 3).map(lambda n: " " * n)
LETTERS = [chr(at) for at in (*range(65, 91), *range(97, 123))]
NUMBERS = st.integers(-(2**31), 2**31 - 1)


def is_one_printable_line(words):
    return bool(words) and words.isprintable()


def tried(fault, call, *arguments):
    """What a call gives, or the one fault that it may raise."""
    try:
        return call(*arguments)
    except fault as error:
        return error


# -- hello -----------------------------------------------------------------------------------------

NAME_WORDS = st.text(
    st.characters(categories=["L", "M", "N", "P", "S"], exclude_characters="="),
    min_size=1,
    max_size=9,
)
OPTIONS = {
    "v": st.sampled_from(["1", "01", "0001"]),
    "game": st.from_regex(r"\A[a-z][a-z0-9_-]{0,63}\Z"),
    "room": st.from_regex(r"\A[A-Za-z0-9._-]{1,64}\Z"),
    "seat": st.integers(0, 9999).map(str),
    "token": st.from_regex(r"\A[A-Za-z0-9._=-]{1,128}\Z"),
    "keep": st.sampled_from("01"),
    "notes": st.sampled_from("01"),
}
SOUP = st.lists(
    st.one_of(
        ANY_TEXT,
        SPACES,
        st.sampled_from(
            [*(f"{key}=" for key in OPTIONS), "=", "Ann", "1", "0", "v=1", "seat=-1", "\t"]
        ),
    ),
    max_size=8,
).map("".join)


@given(st.one_of(ANY_TEXT, SOUP))
def test_any_text_is_a_hello_or_the_bots_fault(line):
    """And the fault's words are one printable line that `error` can carry (PROTOCOL.md 7)."""
    hello = tried(RemoteProtocolError, parse_hello, line)
    if isinstance(hello, RemoteProtocolError):
        assert hello.code in {ErrorCode.BAD_HELLO, ErrorCode.UNKNOWN_VERSION}
        assert is_one_printable_line(hello.message)
        assert messages.error(hello.code, hello.message).count(b"\n") == 1
        return
    assert isinstance(hello, Hello)
    assert 1 <= len(hello.name) <= 32
    assert hello.name == " ".join(hello.name.split())
    assert "=" not in hello.name


@given(
    st.lists(NAME_WORDS, min_size=1, max_size=4),
    st.fixed_dictionaries({}, optional=OPTIONS),
    st.data(),
)
def test_what_a_hello_says_is_read(words, options, data):
    """PROTOCOL.md 2: options in any order, any number of spaces between words."""
    name = " ".join(words)
    assume(len(name) <= 32)
    said = [f"{key}={value}" for key, value in data.draw(st.permutations(list(options.items())))]
    line = "".join(data.draw(SPACES) + word for word in [*words, *said]) + data.draw(SPACES)
    hello = parse_hello(line)
    expected = Hello(
        name=name,
        version=1 if "v" in options else None,
        game=options.get("game"),
        room=options.get("room"),
        seat=int(options["seat"]) if "seat" in options else None,
        token=options.get("token"),
        keep=options.get("keep") == "1",
        notes=options.get("notes") == "1",
    )
    assert expected == hello
    # A name that was accepted can be told to every seat, and comes back whole.
    assert f"player 0 {name}\n".encode() == messages.player(0, hello.name)


@given(st.characters(codec=None))
def test_characters_of_a_name(char):
    """PROTOCOL.md 2: categories L, M, N, P, S; a `=` makes the word an option."""
    allowed = unicodedata.category(char)[0] in "LMNPS" and char != "="
    try:
        parse_hello(f"a{char}b")
    except RemoteProtocolError:
        assert not allowed
    else:
        assert allowed or char == " "


def test_a_token_is_never_shown():
    """Neither where it is wrong, nor where a hello is printed."""
    with pytest.raises(RemoteProtocolError) as caught:
        parse_hello("Ann token=hunter2+")
    assert "hunter2" not in str(caught.value)
    assert "hunter2" not in repr(parse_hello("Ann token=hunter2"))


def test_bad_hello_is_the_error_of_its_code():
    error = bad_hello("seat 9; angrymob has seats 0 to 1")
    assert (ErrorCode.BAD_HELLO, "seat 9; angrymob has seats 0 to 1") == (error.code, error.message)


# -- answers ---------------------------------------------------------------------------------------


@given(st.one_of(ANY_TEXT, st.text("0123456789-+ aZ.\t٣", max_size=30)))
def test_any_text_is_tokens_or_malformed(line):
    tokens = tried(MalformedLineError, tokenize, line)
    if isinstance(tokens, MalformedLineError):
        assert is_one_printable_line(str(tokens))
        return
    for token in tokens:
        if isinstance(token, int):
            assert -(2**31) <= token < 2**31
        else:
            assert token in LETTERS
    assert len(tokens) == len([word for word in line.split(" ") if word])


@given(st.lists(st.one_of(NUMBERS, st.sampled_from(LETTERS)), max_size=30), st.data())
def test_tokens_come_back(tokens, data):
    """PROTOCOL.md 1: whatever the runs of spaces."""
    line = "".join(data.draw(SPACES) + str(token) for token in tokens)
    assert tokens == tokenize(line + data.draw(st.sampled_from(["", " ", "   "])))
    assert tokens == tokenize(line.lstrip())


@given(
    st.lists(NUMBERS, max_size=6),
    st.sampled_from(["+1", "1.0", "٣", "aa", "2147483648", "\t", "1\r"]),
    st.lists(NUMBERS, max_size=6),
)
def test_the_first_bad_token_is_named_by_its_place(before, bad, after):
    line = " ".join(map(str, [*before, bad, *after]))
    with pytest.raises(MalformedLineError, match=f"^token {len(before)} is "):
        tokenize(line)


# -- messages --------------------------------------------------------------------------------------


@given(ANY_TEXT, st.integers(-2, 10**6), st.one_of(st.none(), st.integers(-2, 10**4)))
def test_any_message_is_one_line_or_our_error(text, count, index):
    """What comes from a bot or a rule can't break the lines of another (PROTOCOL.md 3)."""
    makers = (
        lambda: messages.player(count, text),
        lambda: messages.start(text),
        lambda: messages.error(ErrorCode.LATE, text),
        lambda: messages.note(NoteCode.ILLEGAL, count, index, text),
    )
    for make in makers:
        message = tried(LocalProtocolError, make)
        if isinstance(message, LocalProtocolError):
            continue
        line = message.decode()
        assert line.endswith(f" {text}\n")
        assert is_one_printable_line(line[:-1])


@given(st.floats(-1e15, 1e15))
def test_numbers_are_near_and_have_the_form(value):
    """PROTOCOL.md 1: at most 4 digits after the point, no trailing zeros, no `-0`."""
    text = number(value)
    assert re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]{0,3}[1-9])?", text)
    assert text != "-0"
    assert abs(float(text) - value) <= 0.00005 + abs(value) * 1e-15


# -- shown -----------------------------------------------------------------------------------------


@given(st.one_of(ANY_TEXT, st.binary(max_size=60)), st.integers(0, 60))
def test_what_is_shown_is_short_and_printable_ascii(text, limit):
    out = shown(text, limit)
    assert out.isascii()
    assert out.isprintable()
    assert len(out) <= 10 * limit + 5
    assert out.endswith("'...") == (len(text) > limit)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ann", "'Ann'"),
        ("it's", r"'it\'s'"),
        ("a\tb\n", r"'a\tb\n'"),
        ("é", r"'\xe9'"),
        ("x" * 41, "'" + "x" * 40 + "'..."),
        (b"Ann\xff \xc3\xa9", r"'Ann\xff \xc3\xa9'"),
        (b"\\", r"'\\'"),
    ],
)
def test_shown(text, expected):
    assert expected == shown(text)
