"""What bots draw, in the terminal: PROTOCOL.md 9."""

from rich.console import Console

from lanista.cli.common import say
from lanista.cli.view import BoardView, turn_drawings
from lanista.games.picture import Frame, Ground, Level, Mark, Scene
from lanista.page.seat_colours import DARK

NAMES = ["Ann", "Bob"]
RANGES = "rows are 0 to 2, columns 0 to 11"


def scene(cols=12, levels=()):
    """A board without walls, of three rows."""
    ground = ((Ground.FLOOR,) * cols,) * 3
    return Scene(rows=3, cols=cols, ground=ground, owners={}, levels=levels)


def test_cells_lines_and_arrows_colour_cells():
    log = "#@ cell 0 1 red\n#@ line 2 0 2 2 #12ab9c\n#@ arrow 0 4 2 6 own\n"
    cells = turn_drawings(scene(), NAMES, {"1": log}).cells
    assert {(0, 1): "red1", **{(2, col): "#12ab9c" for col in range(3)}} == {
        place: colour for place, colour in cells.items() if place[1] < 4
    }
    assert {(0, 4), (1, 5), (2, 6)} == {place for place in cells if place[1] >= 4}
    assert {DARK.seats[1].unit} == {colour for place, colour in cells.items() if place[1] >= 4}


def test_levels_are_columns_of_the_grid_and_a_ring_has_a_shorter_way():
    levels = (
        Level(title="below", col=0, cols=5, wraps=True),
        Level(title="above", col=6, cols=5, wraps=True),
    )
    log = "#@ line 0 4 0 1 1 red\n#@ cell 2 4 blue\n"
    cells = turn_drawings(scene(11, levels), NAMES, {"0": log}).cells
    assert {(0, 10), (0, 6), (0, 7), (2, 4)} == set(cells)


def test_values_texts_and_what_is_wrong_are_listed(capsys):
    log = "#@ value danger 0.25\n#@ value n 3\n#@ text 1 2 red a\x1bb\n#@ cell 3 0 red\n# else\n"
    say(*turn_drawings(scene(), NAMES, {"1": log}).lines)
    assert [
        "B Bob: danger 0.25, n 3",
        r"B Bob, row 1, column 2: a\x1bb",
        "B Bob, not drawn: #@ cell 3 0 red: row 3, column 0 isn't on the board; " + RANGES,
    ] == capsys.readouterr().out.splitlines()


def test_a_long_list_is_cut():
    lines = turn_drawings(scene(), NAMES, {"0": "#@\n" * 5000}).lines
    assert 13 == len(lines)
    assert "A Ann: and 4988 lines more" == lines[-1]


def printed(drawn, *, plain):
    """The board with a unit in its corner, as it is printed."""
    console = Console(width=200, color_system=None if plain else "truecolor", force_terminal=True)
    view = BoardView(scene(4), NAMES, 2, console)
    frame = Frame(turn=0, marks=(Mark(0, 0, 0, "7"),), captions=("", ""))
    with console.capture() as capture:
        view.print(frame, drawn)
    return capture.get().splitlines()[1:]


def test_without_colours_a_marked_cell_has_a_star():
    rows = printed({(0, 0): "red1", (0, 2): "red1"}, plain=True)
    assert ["*A7  .* .  .", "  .  .  .  .", "  .  .  .  ."] == rows


def test_with_colours_what_stands_on_a_marked_cell_stays():
    marked = {(0, 0): "red1", (1, 1): "#12ab9c"}
    before, after = printed({}, plain=False), printed(marked, plain=False)
    assert before[2] == after[2]
    assert before[0] != after[0]
    assert "7" in after[0]
    assert "48;2;18;171;156" in after[1]
