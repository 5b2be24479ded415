"""Tokens of an answer: whole numbers of 32 bits and single letters (PROTOCOL.md 1, 4).

Which letters, how many tokens, and what they mean is the ruleset's.
"""

import re

from lanista_protocol.errors import shown

Token = int | str

_NUMERIC = "0123456789- "
_MAX_DIGITS = 10
_INTEGER = re.compile(r"-?[0-9]{1,10}")
_LETTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
_LOW, _HIGH = -(2**31), 2**31 - 1


class MalformedLineError(Exception):
    """A line that has something else than whole numbers and letters; the connection goes on."""


def tokenize(line: str) -> list[Token]:
    """Split an answer into numbers and letters; an empty line gives none.

    Raises:
        MalformedLineError: Names the first token that is neither, and its place from 0.
    """
    words = line.split(" ")
    if not line.strip(_NUMERIC):
        # The common case, all of it in C: this runs once a seat a turn, and a line may have tens
        # of thousands of tokens. Whatever is odd about them is left to the words below.
        words = line.split()
        if not words:
            return []
        if len(max(words, key=len)) <= _MAX_DIGITS:
            try:
                numbers = [int(word) for word in words]
            except ValueError:  # a `-` in a wrong place
                numbers = [_HIGH + 1]
            if min(numbers) >= _LOW and max(numbers) <= _HIGH:
                return list(numbers)
    return [
        word if word in _LETTERS else _token(word, at)
        for at, word in enumerate([word for word in words if word])
    ]


def _token(word: str, at: int) -> Token:
    """A token that isn't a letter."""
    if not _INTEGER.fullmatch(word):
        raise MalformedLineError(
            f"token {at} is {shown(word)}; tokens are whole numbers separated by single spaces"
        )
    value = int(word)
    if not _LOW <= value <= _HIGH:
        raise MalformedLineError(f"token {at} is {word}; whole numbers are of 32 bits")
    return value
