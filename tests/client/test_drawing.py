"""`arena.draw`: each call is log lines of the form of PROTOCOL.md 9, whatever it is given."""

import pytest

from client.test_author import first_turn
from lanista_protocol.drawing import Fault, Remark, read_line

PATH = [(3, 4), (3, 9), (12, 9)]
UP = [(1, 1, 0), (1, 2, 0), (1, 2, 1), (1, 3, 1), (1, 3, 0)]
"""A way that changes the level twice."""


@pytest.mark.parametrize(
    ("draw", "lines"),
    [
        (lambda draw: draw.cell((3, 4)), "#@ cell 3 4 own\n"),
        (lambda draw: draw.cell((3, 4), "red"), "#@ cell 3 4 red\n"),
        (lambda draw: draw.cell((3, 4, 1), "#8040ff"), "#@ cell 3 4 1 #8040ff\n"),
        (lambda draw: draw.cells(PATH, "blue"), "#@ cell 3 4 3 9 12 9 blue\n"),
        (lambda draw: draw.line(PATH), "#@ line 3 4 3 9 12 9 own\n"),
        (lambda draw: draw.arrow(iter(PATH), "pink"), "#@ arrow 3 4 3 9 12 9 pink\n"),
        (lambda draw: draw.text((3, 4), "go on", "ink"), "#@ text 3 4 ink go on\n"),
        (lambda draw: draw.text((3, 4, 1), "é", "ink"), "#@ text 3 4 1 ink é\n"),
        (lambda draw: draw.value("danger", 0.25), "#@ value danger 0.25\n"),
        (lambda draw: draw.value("danger", -7), "#@ value danger -7\n"),
        (lambda draw: draw.arrow(UP, "red"), "#@ arrow 1 1 1 2 0 red\n#@ arrow 1 2 1 3 1 red\n"),
        (
            lambda draw: draw.cells(UP, "red"),
            "#@ cell 1 1 1 2 0 red\n#@ cell 1 2 1 3 1 red\n#@ cell 1 3 0 red\n",
        ),
        (lambda draw: draw.line([(1, 1)]), ""),
        (lambda draw: draw.cells([]), ""),
        (lambda draw: draw.text((1, 2), "a\nb\r\x85\u2028c", "red"), "#@ text 1 2 red a b   c\n"),
        (lambda draw: draw.cell((1, 2), "red\n1 2 1 0"), "#@ cell 1 2 red 1 2 1 0\n"),
    ],
)
def test_each_call_is_lines_of_the_form(monkeypatch, draw, lines):
    """The other libraries are tested with the same lines."""
    arena, wire = first_turn(monkeypatch)
    draw(arena.draw)
    assert lines == wire.sent.decode()


def test_a_text_of_any_length_costs_no_match(monkeypatch):
    """PROTOCOL.md 1: a line past 65,536 bytes would; a part of it isn't drawn."""
    arena, wire = first_turn(monkeypatch)
    arena.draw.text((1, 2), "\U0001f40d" * 40_000)
    assert wire.sent.endswith(b"\n")
    assert len(wire.sent) <= 65_536
    line = wire.sent.decode().removesuffix("\n")
    assert isinstance(read_line(line, [(9, 9)]), Remark)
    assert Fault.LONG is read_line(line, [(9, 9)]).fault


@pytest.mark.parametrize(
    ("draw", "line"),
    [
        (lambda draw: draw.cell(3, 4), "#@ cell 3 4\n"),
        (lambda draw: draw.cell(None), "#@ cell None own\n"),
        (lambda draw: draw.line((3, 4)), "#@ line 3 4 own\n"),
        (lambda draw: draw.cells(5), "#@ cell 5 own\n"),
        (lambda draw: draw.cells([(1,)]), "#@ cell (1,) own\n"),
        (lambda draw: draw.text(3, "hi"), "#@ text 3 own hi\n"),
    ],
)
def test_what_is_no_place_costs_no_match(monkeypatch, draw, line):
    """It is a remark for whoever sees the board."""
    arena, wire = first_turn(monkeypatch)
    draw(arena.draw)
    assert line == wire.sent.decode()
    assert isinstance(read_line(line.removesuffix("\n"), [(9, 9)]), Remark)
