"""The strict reader of words with lines."""

import pytest

from lanista.games.base import FormatError
from lanista.games.tokens import Tokens


def test_words_are_taken_in_order_with_their_lines():
    tokens = Tokens("a b\n\n  c\t7 -2\r\n0.5", FormatError)
    tokens.literal("a", "b")
    assert 3 == tokens.line
    assert "c" == tokens.peek() == tokens.word("a letter")
    assert (7, -2) == tokens.integers(2, "a number")
    assert not tokens.at_end
    assert 0.5 == tokens.decimal("a share")
    assert tokens.at_end
    assert tokens.peek() is None
    tokens.end()


def test_numbers_and_choices():
    tokens = Tokens("5 y 1e-05 -1", FormatError)
    assert 5 == tokens.integer("a number", 5, 5)
    assert "y" == tokens.choice("x or y", "x", "y")
    assert (1e-05, -1.0) == (tokens.decimal("a"), tokens.decimal("b"))


@pytest.mark.parametrize(
    ("text", "take", "words"),
    [
        ("", lambda t: t.word("a name"), "line 1: the file ends where a name belongs"),
        ("a\nb\n\n\n", lambda t: t.literal("a", "b", "c"), "line 2: the file ends where `c`"),
        ("\n\nx", lambda t: t.literal("y"), "line 3, column 1: expected `y`, got 'x'"),
        ("x", lambda t: t.choice("`m` or `s`", "m", "s"), "column 1: expected `m` or `s`, got 'x'"),
        ("1.5", lambda t: t.integer("a count"), "expected a count, a whole number, got '1.5'"),
        ("\uff11", lambda t: t.integer("a count"), r"a whole number, got '\uff11'"),
        ("12345678901", lambda t: t.integer("a count"), "a whole number, got '12345678901'"),
        ("-1", lambda t: t.integer("a count", 0), "expected a count, at least 0, got -1"),
        ("9", lambda t: t.integer("a count", 1, 8), "expected a count, from 1 to 8, got 9"),
        ("9", lambda t: t.integer("a count", 8, 8), "expected a count, 8, got 9"),
        ("x", lambda t: t.decimal("a share"), "expected a share, a number, got 'x'"),
        ("nan", lambda t: t.decimal("a share"), "expected a share, a number, got 'nan'"),
        ("1e999", lambda t: t.decimal("a share"), "expected a share, a number, got '1e999'"),
        ("\nx", lambda t: t.end(), "line 2, column 1: expected the end of the file, got 'x'"),
        ("z" * 50, lambda t: t.end(), "got '" + "z" * 40 + "'..."),
    ],
)
def test_everything_else_is_refused_with_its_line(text, take, words):
    with pytest.raises(FormatError) as caught:
        take(Tokens(text, FormatError))
    assert words in str(caught.value)
    assert caught.value.line is not None


def test_errors_are_about_the_word_taken_last():
    tokens = Tokens("a\nb\nc", FormatError)
    tokens.literal("a", "b")
    assert "line 2, column 1: so" == str(tokens.error("so"))
    assert (None, "so") == (FormatError("so").line, str(FormatError("so")))


@pytest.mark.parametrize("taken", [0, 1, 2, 3])
def test_another_reader_reads_what_remains_in_the_same_places(taken):
    text = "a\n\nb c\n d"
    tokens = Tokens(text, FormatError)
    for _ in range(taken):
        tokens.word("a letter")
    rest = tokens.remaining(lambda rest: rest)
    assert text.split()[taken:] == rest.split()
    assert len(text) == len(rest)
    assert 3 == rest.count("\n")
    assert tokens.at_end
