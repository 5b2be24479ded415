"""The tokens of an answer: 32-bit whole numbers and single letters (PROTOCOL.md 1, 4).

The ruleset decides which letters it takes, how many tokens, and what they mean.
"""

import re
from collections.abc import Mapping

from lanista_protocol.errors import shown

Token = int | str

_NUMERIC = "0123456789- "
_MAX_DIGITS = 10
_INTEGER = re.compile(r"-?[0-9]{1,10}")
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_COMMON: Mapping[str, Token] = {
    **{letter: letter for letter in _LETTERS},
    **{str(number): number for number in range(1000)},
}
"""The tokens that most answers are made of, by the words for them."""
_LOW, _HIGH = -(2**31), 2**31 - 1


class MalformedLineError(Exception):
    """An answer has a token that is neither a whole number nor a letter; the connection goes on."""


def tokenize(line: str) -> list[Token]:
    """Split an answer into numbers and letters; an empty line has no tokens.

    Raises:
        MalformedLineError: A token is neither; the message names the first one and its index.
    """
    if not line:
        return []
    words = line.split(" ")
    try:
        # The common case, done by a loop in C: this runs for each seat in each turn, and a line may
        # have tens of thousands of tokens.
        return list(map(_COMMON.__getitem__, words))
    except KeyError:
        pass
    if not line.strip(_NUMERIC):
        # As fast as can be for other numbers. Whatever is wrong with one is left to `_number`,
        # which reports it.
        words = line.split()
        if not words:
            return []
        if len(max(words, key=len)) <= _MAX_DIGITS:
            try:
                numbers = [int(word) for word in words]
            except ValueError:  # a `-` that is no sign
                numbers = [_HIGH + 1]
            if min(numbers) >= _LOW and max(numbers) <= _HIGH:
                return list(numbers)
    return [
        _COMMON[word] if word in _COMMON else _number(word, index)
        for index, word in enumerate([word for word in words if word])
    ]


def _number(word: str, index: int) -> int:
    if _INTEGER.fullmatch(word) and _LOW <= int(word) <= _HIGH:
        return int(word)
    raise MalformedLineError(
        f"token {index} is {shown(word)}; tokens are separated by spaces, and each is a letter or "
        "a whole number that must fit in 32 bits"
    )
