"""Log lines that draw: the vectors, any text at all, and what PROTOCOL.md 9 says of limits."""

import math
import re

import attrs
from hypothesis import given
from hypothesis import strategies as st

from lanista_protocol import drawing
from lanista_protocol.drawing import COLOURS, Drawing, Fault, Remark, Value, read_line, read_log
from protocol.table import bytes_of, each
from protocol.test_page import first_cells, section

LEVELS = [(40, 80), (40, 80)]
ANY_TEXT = st.text(st.characters(codec=None), max_size=60)
WORDS = st.sampled_from([
    *("cell", "line", "arrow", "text", "value", "circle", "red", "own", "#12ab9C", "#12", "nan"),
    *("0", "1", "39", "40", "79", "80", "-1", "2147483648", "0.5", "1e15", "1e16", "danger", "é"),
    *("", "\t", "\r", "\n", "#@", "\n#@", "\n#@ cell 1 1 red\n", "\N{SNAKE}"),
])  # fmt: skip
LOGS = st.one_of(
    ANY_TEXT,
    ANY_TEXT.map(lambda text: f"#@{text}"),
    st.lists(WORDS, max_size=40).map(lambda words: "#@ " + " ".join(words)),
)


def meaning(content):
    """What the vectors call it."""
    match content:
        case Drawing(kind=kind, points=points, level=level, colour=colour, text=text):
            places = [list(point) for point in points]
            told = {"draw": kind, "points": places, "level": level, "colour": colour}
            return {**told, "text": text} if kind == "text" else told
        case Value(name, number):
            return {"value": name, "number": number}
        case Remark(fault, _):
            return {"fault": fault.value}
    return None


@each("drawings")
def test_each_line_means_what_the_vector_says(vector):
    """PROTOCOL.md 9; whatever a line means, its text can be shown as it came."""
    expected = []
    for told in vector["lines"]:
        one = dict(told or {})
        expected += [one or None] * one.pop("times", 1)
    log = bytes_of(vector["log"]).decode()
    lines = read_log(log, vector["levels"])
    assert expected == [meaning(line.content) for line in lines]
    shown = "".join(f"{line.text}\n" for line in lines)
    assert shown.removesuffix("\n") == log.removesuffix("\n")


@given(LOGS)
def test_whatever_a_bot_logs_is_read_and_bounded(log):
    """PROTOCOL.md 9: no text raises, and what is drawn is on the board and finite."""
    for line in read_log(log, LEVELS):
        match line.content:
            case Drawing(points=points, level=level, colour=colour, text=text):
                assert level in {0, 1}
                assert all(0 <= row < 40 and 0 <= col < 80 for row, col in points)
                assert colour in COLOURS or re.fullmatch("#[0-9A-Fa-f]{6}", colour)
                assert len(text) <= 80
            case Value(name, number):
                assert re.fullmatch(r"[A-Za-z0-9._-]{1,32}", name)
                assert math.isfinite(number)
            case Remark(_, words):
                assert words.isprintable()
            case None:
                assert not line.text.startswith("#@")


@given(st.lists(LOGS, max_size=8), st.integers(1, 400))
def test_a_turn_is_bounded(logs, times):
    """PROTOCOL.md 9, whatever the length of the log."""
    contents = [line.content for line in read_log("\n".join(logs * times), LEVELS)]
    drawings = [content for content in contents if isinstance(content, Drawing)]
    assert len(drawings) <= 500
    assert sum(len(one.points) for one in drawings) <= 4000
    assert sum(isinstance(content, Value) for content in contents) <= 20


INTEGERS = st.lists(st.tuples(st.integers(0, 39), st.integers(0, 79)), min_size=1, max_size=5)


@given(
    st.sampled_from(["cell", "line", "arrow"]),
    INTEGERS,
    st.sampled_from([None, 0, 1]),
    st.sampled_from([*COLOURS, "#0088ff"]),
)
def test_a_line_of_the_form_is_read_as_it_was_written(kind, points, level, colour):
    if kind != "cell" and len(points) == 1:
        points *= 2
    numbers = [number for point in points for number in point]
    numbers += [] if level is None else [level]
    line = " ".join(map(str, ["#@", kind, *numbers, colour]))
    expected = Drawing(kind=kind, points=tuple(points), level=level or 0, colour=colour)
    assert expected == read_line(line, LEVELS)


def test_a_board_without_cells_has_no_place_to_draw():
    assert Fault.CELL is read_line("#@ cell 0 0 red", [(0, 0)]).fault
    assert Fault.CELL is read_line("#@ cell 0 0 red", []).fault


def test_remarks_are_those_of_the_page():
    table = section(9).split("| remark |")[1]
    assert {fault.value for fault in Fault} == set(first_cells(table))


def test_limits_and_colours_are_those_of_the_page():
    page = section(9)
    assert f"| a line | {drawing.MAX_LINE:,} code points |" in page
    assert f"| a text | {drawing.MAX_TEXT} code points |" in page
    in_turn = f"{drawing.MAX_DRAWINGS} drawings with {drawing.MAX_POINTS:,} points"
    assert in_turn in page
    assert f"and {drawing.MAX_VALUES} values" in page
    names = page.split("The names are ")[1].split("A viewer")[0]
    assert list(COLOURS) == re.findall("`([a-z]+)`", names)


def test_the_examples_of_the_page_draw():
    example = re.findall(r"^    (#@ .*)$", section(9), re.MULTILINE)
    kinds = [meaning(line.content) for line in read_log("\n".join(example), LEVELS)]
    assert ["cell", "cell", "line", "arrow", "text", None] == [one.get("draw") for one in kinds]
    assert not any("fault" in one for one in kinds)


def test_contents_are_immutable():
    """Viewers keep them."""
    assert all(attrs.has(kind) for kind in (Drawing, Value, Remark))
    hash(read_line("#@ line 1 1 2 2 red", LEVELS))
