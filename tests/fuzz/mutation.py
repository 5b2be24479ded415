"""Changes valid inputs into nearly valid and quite invalid ones, quickly and by a given chance.

Everything is drawn from the `Random` that is passed in: the same state gives the same input.
"""

import json
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

SPACE = b" \t\r\n\x0b\x0c"
ODD_BYTES = (
    *(bytes([code]) for code in (0, 1, 7, 8, 9, 10, 11, 12, 13, 26, 27, 28, 31, 127, 128, 255)),
    b"\r\n",
    b"\xc3",  # the beginning of a character
    b"\xa9",  # the end of one
    b"\xc0\x80",  # NUL in more bytes than it needs
    b"\xed\xa0\x80",  # half a surrogate pair
    b"\xf4\x90\x80\x80",  # beyond the last code point
    *(
        char.encode()
        for char in (
            "\x85\xa0\u2003\u2028\u3000\ufeff"  # spaces and ends of lines, to some
            "\u0301\u200d\u202e\u061c"  # marks that join, or turn the direction
            "\u0663\u00b2\u00bd\u216b\uff11"  # digits, to some
            "ıßﬁ\ufffd\uffff\U0001f600\U000e0041\U0010ffff"
        )
    ),
)
"""Bytes that readers of text stumble over."""
ODD_WORDS = (
    *(b"0", b"-0", b"+1", b"-1", b"1", b"2", b"00", b"0001", b"1_0", b"0x10", b"1.5", b"1e5"),
    *(b"9999", b"10000", b"32767", b"65536", b"1000000", b"999999999", b"1000000000"),
    *(b"%d" % (sign * 2**bits + more) for bits in (31, 32, 53, 63, 64) for sign in (1, -1)
      for more in (-1, 0, 1)),
    *(b"9999999999", b"99999999999", b"-9999999999"),
    *(b"1e999", b"-1e999", b"1e-999", b"0." + b"3" * 20),
    *(b"9" * 400, b"9" * 4300, b"9" * 5000, b"-" + b"9" * 5000, b"0x" + b"f" * 5000),
    *(b"nan", b"NaN", b"inf", b"Infinity", b"-Infinity", b"null", b"true", b"None"),
    *(b"", b"-", b"--1", b"#", b"=", b"a=b", b";", b",", b'"', b"'", b"\\", b"\\u0000", b"\\ud800"),
    *(b"%s%n", b"../..", b"{0}", b"x" * 40, b"x" * 41, b"x" * 600, b"x" * 5000),
    *(b"[" * 2000, b"{" * 2000, b'{"a":' * 2000, b"(" * 2000, b"a." * 500 + b"a"),
)  # fmt: skip
"""Words of which at least one is too large, too long, too deep or of another kind."""
MOST = 70_000
"""Bytes of a changed input, unless a target says otherwise."""


def bounds_of_word(data: bytes, at: int) -> tuple[int, int]:
    """Where the word at a place begins and ends; nothing lies between in white space."""
    begin = end = at
    while begin and data[begin - 1] not in SPACE:
        begin -= 1
    while end < len(data) and data[end] not in SPACE:
        end += 1
    return begin, end


def _below(random: Random, limit: int) -> int:
    return int(random.random() * limit)


def _piece(random: Random, data: bytes) -> tuple[int, int]:
    """A short piece, or now and then a long one."""
    begin = _below(random, len(data) + 1)
    most = len(data) - begin
    length = _below(random, most + 1) if random.random() < 0.2 else 1 + _below(random, 8)
    return begin, min(len(data), begin + length)


def _flip(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    if not data:
        return data
    at = _below(random, len(data))
    return data[:at] + bytes([data[at] ^ 1 << _below(random, 8)]) + data[at + 1 :]


def _other_byte(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    at = _below(random, len(data) + 1)
    return data[:at] + random.choice(ODD_BYTES) + data[at + 1 :]


def _insert(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    at = _below(random, len(data) + 1)
    return data[:at] + random.choice(ODD_BYTES) + data[at:]


def _delete(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    begin, end = _piece(random, data)
    return data[:begin] + data[end:]


def _truncate(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    return data[: _below(random, len(data) + 1)]


def _repeat(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    begin, end = _piece(random, data)
    times = 1 + _below(random, 3) if random.random() < 0.9 else 1 << _below(random, 17)
    times = min(times, MOST // max(1, end - begin))
    return data[:end] + data[begin:end] * times + data[end:]


def _move(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    begin, end = _piece(random, data)
    rest = data[:begin] + data[end:]
    at = _below(random, len(rest) + 1)
    return rest[:at] + data[begin:end] + rest[at:]


def _splice(random: Random, data: bytes, corpus: Sequence[bytes]) -> bytes:
    """Put a piece of another example into this one, or let that go on from here."""
    other = random.choice(corpus)
    at = _below(random, len(data) + 1)
    if random.random() < 0.5:
        return data[:at] + other[_below(random, len(other) + 1) :]
    begin, end = _piece(random, other)
    return data[:at] + other[begin:end] + data[at:]


def _other_word(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    begin, end = bounds_of_word(data, _below(random, len(data) + 1))
    return data[:begin] + random.choice(ODD_WORDS) + data[end:]


def _nudge(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """Another number, near the one that stands there, so that what is around it stays valid."""
    begin, end = bounds_of_word(data, _below(random, len(data) + 1))
    if not data[begin:end].removeprefix(b"-").isdigit() or end - begin > 40:
        return data
    number = int(data[begin:end])
    return data[:begin] + b"%d" % (number + random.choice((-60, -2, -1, 1, 2, 60))) + data[end:]


def _copy_word(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    """A word that stands elsewhere."""
    begin, end = bounds_of_word(data, _below(random, len(data) + 1))
    first, last = bounds_of_word(data, _below(random, len(data) + 1))
    return data[:begin] + data[first:last] + data[end:]


def _bounds_of_line(random: Random, data: bytes) -> tuple[int, int]:
    at = _below(random, len(data) + 1)
    end = data.find(b"\n", at)
    return data.rfind(b"\n", 0, at) + 1, len(data) if end < 0 else end + 1


def _drop_line(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    begin, end = _bounds_of_line(random, data)
    return data[:begin] + data[end:]


def _copy_line(random: Random, data: bytes, _: Sequence[bytes]) -> bytes:
    begin, end = _bounds_of_line(random, data)
    at, _end = _bounds_of_line(random, data)
    return data[:at] + data[begin:end] + data[at:]


CHANGES: tuple[Callable[[Random, bytes, Sequence[bytes]], bytes], ...] = (
    *(_flip, _other_byte, _insert, _delete, _truncate, _repeat, _move, _splice),
    *(_other_word, _other_word, _nudge, _nudge, _nudge, _copy_word, _drop_line, _copy_line),
)


def changed(random: Random, corpus: Sequence[bytes], most: int = MOST) -> bytes:
    """An example with one to four changes, often one; now and then none.

    Args:
        random: What decides.
        corpus: Valid examples.
        most: Bytes above which the rest is cut off.
    """
    data = random.choice(corpus)
    while True:
        data = random.choice(CHANGES)(random, data, corpus)
        if random.random() < 0.6:
            return data[:most]


def changed_text(random: Random, corpus: Sequence[bytes], most: int = MOST) -> str:
    """As `changed`, decoded as readers of files decode; what is no UTF-8 becomes U+FFFD."""
    return changed(random, corpus, most).decode("utf-8", "replace")


ODD_TEXTS = (
    *("", " ", "a", "0", "-1", "1", "A", "late", "answer", "out", "../x"),
    *("\0", "\n", "\ud800", "\u2028", "é", "\U0001f600", "\x1b[2J"),
    *("x" * 41, "x" * 5000, "9" * 5000, "%s", "{0}", "[" * 500),
)  # fmt: skip
ODD_NUMBERS = (
    *(0, 1, -1, 2, 3, 7, 255, 10_000, 2**31 - 1, 2**31, -(2**31) - 1, 2**53 + 1, 2**63, 2**64),
    *(-(2**63), 10**30, 10**400, 10**4000, -(10**4000), 0.0, -0.0, 0.5, 1e308, 5e-324),
    *(float("inf"), float("-inf"), float("nan")),
)


def odd_value(random: Random, depth: int = 0) -> Any:
    """A JSON value that hardly belongs where it is put."""
    kind = _below(random, 10)
    if kind < 3:
        return random.choice(ODD_NUMBERS)
    if kind < 6:
        return random.choice(ODD_TEXTS)
    if kind < 8 or depth > 2:
        return random.choice((None, True, False, [], {}))
    if kind == 8:
        return [odd_value(random, depth + 1) for _ in range(_below(random, 4))]
    return {random.choice(ODD_TEXTS): odd_value(random, depth + 1)}


def warp(random: Random, value: Any, changes: Sequence[bytes] = ()) -> None:
    """Change one place of a JSON object or list, in place.

    Args:
        random: What decides.
        value: The object or list.
        changes: Examples of texts, from which changed texts are made.
    """
    holder = value
    while holder:
        keys = list(holder) if isinstance(holder, dict) else range(len(holder))
        key = random.choice(keys)
        child = holder[key]
        if not (isinstance(child, (dict, list)) and child and random.random() < 0.8):
            break
        holder = child
    else:
        return
    what = _below(random, 10)
    if what < 2:
        holder[key] = odd_value(random)
    elif what == 2:
        del holder[key]
    elif what == 3:
        if isinstance(holder, dict):
            holder[random.choice(ODD_TEXTS)] = child
        else:
            holder.insert(key, child)
    elif what == 4:
        other = random.choice(keys)
        holder[key], holder[other] = holder[other], child
    elif type(child) is int:
        holder[key] = child + random.choice((-100, -2, -1, 1, 2, 100))
    elif type(child) is str:
        texts = [child.encode("utf-8", "replace"), *changes]
        holder[key] = changed(random, texts[:1] if random.random() < 0.7 else texts).decode(
            "utf-8", "replace"
        )
    else:
        holder[key] = odd_value(random)


def json_line(value: Any) -> bytes:
    """A value as a line of JSON, such odd numbers as `Infinity` included."""
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"
