"""Tokens of an answer: whole numbers of 32 bits and single letters (PROTOCOL.md 1, 4).

Which letters, how many tokens, and what they mean is the ruleset's.
"""

import re

from lanista_protocol.errors import shown

Token = int | str

_INTEGERS = re.compile(r" *(?:-?[0-9]{1,10}(?: +|$))*")
_INTEGER = re.compile(r"-?[0-9]{1,10}")
_LETTER = re.compile(r"[A-Za-z]")
_LOW, _HIGH = -(2**31), 2**31 - 1


class MalformedLineError(Exception):
    """A line that has something else than whole numbers and letters; the connection goes on."""


def tokenize(line: str) -> list[Token]:
    """Split an answer into numbers and letters; an empty line gives none.

    Raises:
        MalformedLineError: Names the first token that is neither, and its place from 0.
    """
    if _INTEGERS.fullmatch(line):
        # The common case in one pass each of C code: this runs once a seat a turn.
        numbers = [int(word) for word in line.split()]
        if not numbers or (min(numbers) >= _LOW and max(numbers) <= _HIGH):
            return list(numbers)
    return [_token(word, at) for at, word in enumerate(word for word in line.split(" ") if word)]


def _token(word: str, at: int) -> Token:
    if _INTEGER.fullmatch(word):
        value = int(word)
        if _LOW <= value <= _HIGH:
            return value
        raise MalformedLineError(f"token {at} is {word}; whole numbers are of 32 bits")
    if _LETTER.fullmatch(word):
        return word
    raise MalformedLineError(
        f"token {at} is {shown(word)}; tokens are whole numbers separated by single spaces"
    )
