"""Boards in terminals of given sizes: half blocks, levels and parts in turn, letters."""

import io
import re
from pathlib import Path

import pytest
import trio
from rich.console import Console

import lanista
from lanista.cli.live import DELAY, PART_SECONDS, LiveBoard
from lanista.cli.view import GROUNDS, HALF, SUN, THINGS, BoardView, Part, Window
from lanista.games import registry
from lanista.games.base import complete_settings, start_game
from lanista.games.picture import Frame, Ground, Level, Mark, Scene, Shape
from lanista.page.seat_colours import DARK

NAMES = ("Ann", "Bob", "Cid", "Dora")
FLOOR, WALL, BASE = Ground.FLOOR, Ground.WALL, Ground.BASE
SCENE = Scene(
    rows=5,
    cols=8,
    ground=tuple(
        tuple(map(Ground, row))
        for row in ("..##....", ".......=", "........", ".#.#.#.#", "........")
    ),
    owners={},
    signs=(("w", "wizard"),),
    kinds=((Shape.DISC, "w", "wizard"), (Shape.BOOK, "+", "book")),
    turn_word="round",
)
FRAME = Frame(
    turn=7,
    marks=(
        Mark(0, 0, 0, "w", Shape.DISC),
        Mark(1, 1, 1, "w", Shape.DISC),
        Mark(2, 2, 2, "w", Shape.DISC),
        Mark(3, 3, 3, "w", Shape.DISC),
        Mark(4, 4, None, "+", Shape.BOOK),
    ),
    captions=("1", "2", "3", "4"),
    owned={(0, 7): 0, (2, 7): 3},
)
LEVELLED = Scene(
    rows=12,
    cols=21,
    ground=((FLOOR,) * 10 + (WALL,) + (FLOOR,) * 10,) * 12,
    owners={},
    levels=(Level(title="below", col=0, cols=10), Level(title="above", col=11, cols=10)),
)
IN_LEVELS = Frame(turn=0, marks=(Mark(1, 0, 0, "p"), Mark(1, 20, 1, "f")), captions=("",) * 4)

SYMBOLS = {
    **{colours.unit: letter for colours, letter in zip(DARK.seats, "ABCD", strict=True)},
    **{colours.ground: letter for colours, letter in zip(DARK.seats, "abcd", strict=True)},
    GROUNDS[FLOOR]: ".",
    GROUNDS[WALL]: "#",
    GROUNDS[BASE]: "=",
    THINGS[Shape.BOOK]: "+",
    "red1": "*",
}


def console(width, height, colours="truecolor"):
    """A terminal of a size."""
    return Console(
        file=io.StringIO(),
        force_terminal=True,
        width=width,
        height=height,
        color_system=colours,
        _environ={},
    )


def view(scene, on, size=1):
    return BoardView(scene, NAMES, size, on)


def lines(drawing):
    """The lines of a drawing, without colours."""
    return [line.plain for line in drawing.renderables]


def cells(drawing):
    """The cells of half blocks, by their colours, a row of cells a line."""
    rows = []
    for line in drawing.renderables:
        if not line.plain or set(line.plain) != {HALF}:
            continue
        styles = [style for start, end, style in line.spans for _ in range(start, end)]
        rows.append("".join(SYMBOLS[style.color.name] for style in styles))
        if styles[0].bgcolor is not None:
            rows.append("".join(SYMBOLS[style.bgcolor.name] for style in styles))
    return rows


WHOLE = [
    "A.##...a",
    ".B.....=",
    "..C....d",
    ".#.D.#.#",
    "....+...",
]


def test_a_line_of_half_blocks_shows_two_rows_in_the_colours_of_the_page():
    drawing = view(SCENE, console(70, 5)).screen(FRAME, 0, {})
    assert WHOLE == cells(drawing)
    assert [
        "round 7   A Ann: 1   B Bob: 2   C Cid: 3   D Dora: 4   ■ wizard   ■ ",
        "book",
        *[HALF * 8] * 3,
    ] == lines(drawing)


def test_what_a_bot_marks_shows_in_half_blocks_and_what_stands_on_it_stays():
    drawn = {(0, 0): "red1", (1, 0): "red1", (4, 7): "red1"}
    drawing = view(SCENE, console(70, 5)).screen(FRAME, 0, drawn)
    assert ["A.##...a", "*B.....="] == cells(drawing)[:2]
    assert "....+..*" == cells(drawing)[-1]


@pytest.mark.parametrize("colours", [None, "standard"])
def test_without_the_colours_a_window_too_small_has_letters_and_says_its_part(colours):
    """NO_COLOR, dumb terminals, and those of 8 or 16 colours."""
    on = console(70, 5, colours)
    first, second = (view(SCENE, on).screen(FRAME, number, {}) for number in (0, 1))
    assert [
        "shown: rows 0 to 2 of 5, in turn; a window of 16x9 shows all of it",
        "round 7   A Ann: 1   B Bob: 2   C Cid: 3   D Dora: 4",
        "Aw . # # . . . a",
        " .Bw . . . . . =",
        " . .Cw . . . . d",
    ] == lines(first)
    assert "shown: rows 2 to 4 of 5, in turn; a window of 16x9 shows all of it" == lines(second)[0]
    assert [
        " . .Cw . . . . d",
        " . # .Dw . # . #",
        " . . . . + . . .",
    ] == lines(second)[2:]


@pytest.mark.parametrize(("width", "colours"), [(8, "256"), (16, None), (40, "256")])
def test_a_window_of_the_size_that_the_notice_names_shows_all(width, colours):
    """And one with a line less doesn't, so the notice asks for no more than needed."""

    def said(height, width):
        on = console(width, height, colours)
        return " ".join(lines(view(SCENE, on).screen(FRAME, 0, {})))

    found = re.search("a window of (\\d+)x(\\d+) shows all of it", said(3, width))
    wide, high = map(int, found.groups())
    assert "shown" not in said(high, wide)
    assert "shown" in said(high - 1, wide)


def test_levels_are_side_by_side_though_one_below_another_fits():
    drawn = lines(BoardView(LEVELLED, ("A", "B"), 1, console(21, 30)).screen(IN_LEVELS, 0, {}))
    assert ["p" + " " * 19 + "f"] == [line for line in drawn if line.startswith("p")]


def new_game(name):
    """A match's first position, on a generated board."""
    ruleset = registry.get(name)
    settings = complete_settings(ruleset, {})
    return start_game(ruleset, settings, 1)


@pytest.mark.parametrize(
    ("name", "size", "shown", "notice"),
    [
        ("hogwarts", (80, 36), (60, 60), ""),
        ("hogwarts", (80, 24), (42, 60), "shown: rows 0 to 41 of 60, in turn; "),
        ("crematoria", (80, 24), (40, 80), "shown: underground, in turn; "),
        ("crematoria", (170, 24), (40, 161), ""),
        ("crematoria", (80, 48), (80, 80), ""),
    ],
)
def test_the_games_of_four_fit_by_half_blocks(name, size, shown, notice):
    """All is in the window; what isn't shown is said."""
    on = console(*size)
    game = new_game(name)
    drawing = BoardView(game.scene(), NAMES, 2, on).screen(game.frame(), 0, {})
    board = [line for line in lines(drawing) if line and set(line) == {HALF}]
    assert shown == (2 * len(board), len(board[0]))
    assert lines(drawing)[0].startswith(notice or "round 0")
    assert len(lines(drawing)) <= size[1]
    assert max(map(len, lines(drawing))) <= size[0]


@pytest.mark.parametrize("colours", ["truecolor", None])
@pytest.mark.parametrize("size", [(80, 24), (30, 10), (7, 5), (1, 1)])
@pytest.mark.parametrize("scene", [(SCENE, FRAME), (LEVELLED, IN_LEVELS)])
def test_the_parts_together_are_the_whole_board(scene, size, colours):
    """Whatever the window: each cell is in one of the parts that are shown in turn."""
    (board, frame), on = scene, console(*size, colours)
    drawn = view(board, on)
    layout = drawn._fit(frame, Window(*size), drawn._choices)
    covered = {
        (row, col)
        for screen in layout.screens
        for part in screen
        for row in range(part.row, part.row + part.rows)
        for col in range(part.col, part.col + part.cols)
    }
    whole = ((Part(0, board.rows, 0, board.cols),),)
    spaces = {10} if board.levels and layout.screens != whole else set()
    assert {
        (r, c) for r in range(board.rows) for c in range(board.cols) if c not in spaces
    } <= covered
    assert bool(layout.notice) == (len(layout.screens) > 1)


def test_printed_in_a_terminal_parts_stand_one_below_another():
    on = console(10, 4, None)
    view(LEVELLED, on).print(IN_LEVELS, {})
    printed = on.file.getvalue().splitlines()
    assert ["below, columns 0 to 4 of 10", "below, columns 5 to 9 of 10"] == [
        line for line in printed if line.startswith("below")
    ]
    assert ["Ap . . . .", " . . . .Bf"] == [line for line in printed if re.search("Ap|Bf", line)]


@pytest.fixture
def on(monkeypatch):
    """A console of 80 columns and 24 lines on which live boards are drawn."""
    drawn = console(80, 24)
    monkeypatch.setattr("lanista.cli.live.Console", lambda **_: drawn)
    return drawn


async def test_live_parts_change_by_time_and_the_whole_board_is_left(autojump_clock, on):
    game = new_game("crematoria")
    with LiveBoard(NAMES, 2, PART_SECONDS) as live:
        await live.watch(game)
        assert "shown: underground, in turn; " in on.file.getvalue()
        assert "shown: outside, in turn; " not in on.file.getvalue()
        await live.watch(game)
        assert "shown: outside, in turn; " in on.file.getvalue()
        on.file.truncate(0)
    left = on.file.getvalue()
    assert left.count(HALF) == 40 * 80
    assert left.index("underground") < left.index("outside")


async def test_what_is_said_meanwhile_stands_above_the_board(autojump_clock, on):
    with LiveBoard(NAMES[:2], 2, None) as live:
        await live.watch(new_game("angrymob"))
        on.file.truncate(0)
        live.say("waiting for [Ann] …")
        said = on.file.getvalue()
    assert said.index("waiting for [Ann] …\n") < said.rindex("move 0")


async def test_drawing_takes_a_match_no_longer_than_a_bound(autojump_clock, on, monkeypatch):
    """80 turns of an instant each, the first shown for as long as usual, the last left."""
    monkeypatch.setattr("lanista.cli.live.LONGEST", 2.0)
    game = new_game("angrymob")
    began = trio.current_time()
    with LiveBoard(NAMES[:2], 2, None) as live:
        await live.watch(game)
        assert DELAY == pytest.approx(trio.current_time() - began)
        for _ in range(79):
            await live.watch(game)
        assert 1.0 < trio.current_time() - began < 2.0
        on.file.truncate(0)
    assert "A" in on.file.getvalue()


def test_the_colours_are_those_of_the_pages_dark_theme():
    page = Path(lanista.__file__).parent / "page" / "browser" / "colours.js"
    dark = page.read_text().split("dark: {")[1].split("});")[0]
    seats = re.findall(r'unit: "(.{7})", ground: "(.{7})", text: ".{7}", on: "(.{7})"', dark)
    ours = [*DARK.seats, DARK.neutral]
    assert seats == [(colours.unit, colours.ground, colours.on) for colours in ours]
    named = dict(re.findall(r'(\w+): "(#.{6})",\n', dark))
    assert [
        *(GROUNDS[ground] for ground in (FLOOR, WALL, BASE)),
        SUN,
        *(THINGS[shape] for shape in (Shape.BOOK, Shape.GEM, Shape.SHIP)),
    ] == [named[name] for name in ("floor", "wall", "base", "sun", "book", "gem", "hull")]
