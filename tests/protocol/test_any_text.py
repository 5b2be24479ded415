"""Any text at all through the readers and writers of single lines: hello, answers, messages."""

import re
import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from lanista_protocol import (
    ErrorCode,
    Hello,
    RemoteProtocolError,
    bad_hello,
    messages,
    parse_hello,
    shown,
)
from lanista_protocol.messages import number

ANY_TEXT = st.text(st.characters(codec=None), max_size=60)  # surrogates and controls among it
SPACES = st.integers(1, 3).map(lambda n: " " * n)

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


@given(st.floats(-1e15, 1e15))
def test_numbers_are_near_and_have_the_form(value):
    """PROTOCOL.md 1: at most 4 digits after the point, no trailing zeros, no `-0`."""
    text = number(value)
    assert re.fullmatch(r"-?(0|[1-9][0-9]*)(\.[0-9]{0,3}[1-9])?", text)
    assert text != "-0"
    assert abs(float(text) - value) <= 0.00005 + abs(value) * 1e-15


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
