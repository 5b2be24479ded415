"""The lines of the arena's log: bounded, and safe whatever bots have sent."""

import json
import math
import os
import select
from pathlib import Path

import pytest

from lanista.cli.logs import MAX_ITEMS, MAX_TEXT, Stderr, escaped, json_line, shortened


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("short", "short"),
        (7, 7),
        (True, True),
        (None, None),
        (0.5, 0.5),
        (math.inf, "inf"),
        (Path("/a"), "/a"),
        (("a", 1), ["a", 1]),
        ({1: {"b": math.nan}}, {"1": {"b": "nan"}}),
    ],
)
def test_a_value_becomes_one_that_json_has(value, expected):
    assert expected == shortened(value)


def test_what_is_long_is_shortened():
    """Its beginning and its end stay, as a trace says most at its end."""
    text = shortened("b" + "x" * 2 * MAX_TEXT + "e")
    assert MAX_TEXT + 3 == len(text)
    assert ("b", "e") == (text[0], text[-1])
    assert [0] * MAX_ITEMS == shortened([0] * 2 * MAX_ITEMS)
    assert MAX_ITEMS == len(shortened({str(number): 0 for number in range(2 * MAX_ITEMS)}))
    assert MAX_TEXT + 3 == len(shortened([["x" * 2 * MAX_TEXT]])[0][0])


def test_a_line_is_printable_ascii():
    """Controls of terminals, line ends of any kind and lone surrogates are escaped."""
    name = '\x1b[2J\x7f\x9b\n\r\u2028\ud800é"\\'
    event = {"name": name, "level": "info", "event": "hello", "timestamp": "now"}
    line = json_line(None, "info", event)
    assert line.isascii()
    assert line.isprintable()
    assert event == json.loads(line)
    assert ["timestamp", "level", "event", "name"] == list(json.loads(line))


def test_a_terminal_obeys_nothing_in_a_line_of_text():
    """The name of a file among the records, for one, may be anybody's."""
    event = {"path": "a\x1b]0;owned\x07\rb", "trace": "one\ntwo", "worker": 1}
    expected = {"path": r"a\x1b]0;owned\x07\rb", "trace": "one\ntwo", "worker": 1}
    assert expected == escaped(None, "info", event)


def test_a_log_that_nobody_reads_any_more_holds_nothing():
    """The loop of all matches writes it, also to a pager, or to a terminal after Ctrl-S."""
    log, line = Stderr(), "x" * MAX_TEXT + "\n"
    stderr = os.dup(2)
    read, write = os.pipe()
    try:
        os.dup2(write, 2)
        while select.select([], [2], [], 0)[1]:
            log.write(line)
        log.write(line)  # doesn't wait for the reader
        os.read(read, 1 << 20)
        log.write("seen again\n")
        assert b"seen again\n" == os.read(read, 100)
    finally:
        os.dup2(stderr, 2)
        for descriptor in (stderr, read, write):
            os.close(descriptor)
