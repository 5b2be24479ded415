"""Generated maps of Angry Mob: what holds for every seed, and that maps differ in character."""

import json
from collections import Counter

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.rewrite_golden import GOLDEN, fingerprints
from lanista.games.angrymob import generator
from lanista.games.angrymob.board import IMPASSABLE, Board, read_board, write_board
from lanista.games.angrymob.generator import generate
from lanista.games.chance import Chance, SeededChance
from support.chances import HighestChance, LowestChance

SEEDS = range(-150, 150)
LAYOUTS = len(generator._LAYOUT_KINDS)


@attrs.define
class Fixed:
    """Some draws by name, the others from another chance."""

    chance: Chance
    values: dict[str, int]

    def below(self, n, why):
        return self.values[why] if why in self.values else self.chance.below(n, why)


@attrs.define
class Cycle:
    """The same few numbers over and over, each taken modulo n."""

    numbers: list[int]
    drawn: int = 0

    def below(self, n, why):  # noqa: ARG002 - the interface's arguments
        self.drawn += 1
        return self.numbers[self.drawn % len(self.numbers)] % n


@pytest.fixture(scope="module")
def boards() -> dict[int, Board]:
    """A board by seed."""
    return {seed: generate(SeededChance(seed)) for seed in SEEDS}


def passable(board: Board) -> list[int]:
    return [cell for cell, state in enumerate(board.cells) if state != IMPASSABLE]


def check(board: Board) -> None:
    """All that rules/angrymob.md 1, "Generated maps", demands and that is quick to check."""
    last = len(board.cells) - 1
    assert 10 <= board.rows <= 40
    assert 10 <= board.cols <= 60
    assert board.cells == board.cells[::-1]  # central symmetry: row by row, backwards is the mirror
    assert last == sum(board.bases)
    assert board.bases[0] != board.bases[1]
    assert (0, 0) == tuple(board.cells[base] for base in board.bases)
    steps = board.distances(board.bases[0])
    assert [cell for cell, far in enumerate(steps) if far >= 0] == passable(board)  # one whole
    # Weaker than the rule, for nothing on the map is farther from a base than the longest shortest
    # path is long; the rule itself is checked on small maps, below.
    assert 2 * steps[board.bases[1]] >= max(steps)
    assert 10 * board.cells.count(IMPASSABLE) <= 4 * len(board.cells)
    units = [state for state in board.cells if state > 0]
    others = len(passable(board))
    # With the bases among the other cells or without them: the share holds either way.
    assert others <= 10 * len(units)
    assert 2 * len(units) <= others - 2
    assert min(units) >= 1
    assert max(units) <= 30
    assert board == read_board(write_board(board))


@pytest.mark.parametrize("step", [6, pytest.param(1, marks=pytest.mark.long)])
def test_maps_keep_the_rules(boards, step):
    """A sample, or all; the odd ones: `test_any_chance_gives_a_map_that_keeps_the_rules`."""
    for board in list(boards.values())[::step]:
        check(board)


def test_bases_are_apart_by_at_least_half_of_the_longest_shortest_path(boards):
    """Exact, on small maps; and the distance varies from half to the whole."""
    parts = []
    for board in boards.values():
        if len(board.cells) <= 225:
            whole = max(max(board.distances(cell)) for cell in passable(board))
            parts.append(board.distances(board.bases[0])[board.bases[1]] / whole)
    assert len(parts) > 10
    assert 0.5 <= min(parts) < 0.75
    assert max(parts) == 1


def test_sizes_are_drawn_independently_over_the_whole_range(boards):
    sizes = [(board.rows, board.cols) for board in boards.values()]
    assert {10, 40} <= {rows for rows, _ in sizes}
    assert {10, 60} <= {cols for _, cols in sizes}
    # Each quarter of the range of sizes (few or many rows, few or many columns) has its share:
    # a fourth of 300 maps is 75.
    quarters = Counter((rows > 25, cols > 35) for rows, cols in sizes)
    assert all(50 <= quarters[few, many] <= 100 for few in (False, True) for many in (False, True))
    parities = Counter((rows % 2, cols % 2) for rows, cols in sizes)
    assert len(parities) == 4


def test_layouts_differ_in_their_share_of_rock():
    """Maps differ in character."""
    shares = []
    for layout in range(LAYOUTS):
        made = [generate(Fixed(SeededChance(seed), {"layout": layout})) for seed in range(10)]
        shares.append([board.cells.count(IMPASSABLE) / len(board.cells) for board in made])
    means = [sum(of_layout) / 10 for of_layout in shares]
    assert min(means) < 0.05
    assert max(means) > 0.33
    assert min(map(min, shares)) == 0
    assert max(map(max, shares)) > 0.38


def test_small_numbers_are_common_and_big_ones_rare(boards):
    counts = Counter(state for board in boards.values() for state in board.cells if state > 0)
    assert set(range(1, 31)) == set(counts)
    assert all(counts[number] > counts[number + 1] for number in range(1, 8))
    thirds = [sum(counts[n] for n in range(low, low + 10)) for low in (1, 11, 21)]
    assert thirds[0] > 4 * thirds[1] > 8 * thirds[2]


def test_some_maps_have_rich_deposits_and_some_have_none(boards):
    """A deposit: a cell of 10 or more units with at least two neighbours of 10 or more."""

    def is_rich(board):
        rich = [
            sum(near >= 0 and board.cells[near] >= 10 for near in board.neighbours()[cell])
            for cell, state in enumerate(board.cells)
            if state >= 10
        ]
        return max(rich, default=0) >= 2

    count = sum(map(is_rich, boards.values()))
    assert len(boards) // 4 < count < len(boards)


def test_seeds_give_the_maps_they_always_gave():
    """A seed determines the map on every machine and version; see `rewrite_golden`."""
    assert json.loads(GOLDEN.read_text(encoding="ascii")) == fingerprints()


@pytest.mark.parametrize("layout", range(LAYOUTS))
@pytest.mark.parametrize("size", [{}, {"rows": 0, "columns": 0}, {"rows": 30, "columns": 50}])
@pytest.mark.parametrize("chance", [LowestChance(), HighestChance()])
def test_the_dullest_chances_give_maps_too(chance, size, layout):
    """Always the lowest or the highest draw: it ends, and the map keeps the rules."""
    check(generate(Fixed(chance, {"layout": layout, **size})))


@pytest.mark.parametrize(("cols", "holds"), [(11, True), (13, False)])
def test_the_centre_cell_gets_units_only_within_the_half(cols, holds):
    """An open field of 11 by 11 has 119 cells beside the bases, of which 59 can hold units: 29
    pairs and the centre. 11 by 13 has 141, of which 70 can: 35 pairs, nothing left for the centre.
    """
    fixed = {"rows": 1, "columns": cols - 10, "layout": 0, "share": 0}
    board = generate(Fixed(HighestChance(), fixed))
    check(board)
    assert board.cells.count(IMPASSABLE) == 0
    assert holds == (board.cells[len(board.cells) // 2] > 0)


@given(st.lists(st.integers(0, 2**16), min_size=1, max_size=40))
def test_any_chance_gives_a_map_that_keeps_the_rules(numbers):
    check(generate(Cycle(numbers)))


def rings(grid, chance):
    """Concentric walls, each open at two opposite places, turned by a quarter from the last one."""
    side, middle = grid.rows, grid.rows // 2
    free = 0
    for row in range(side):
        for col in range(side):
            depth = min(row, col, side - 1 - row, side - 1 - col)
            door = col == middle if depth % 4 == 1 else row == middle
            if depth % 2 == 0 or door:
                free |= 1 << grid.bit(row, col)
    return free


def test_a_map_without_a_place_for_the_bases_becomes_an_open_field(monkeypatch):
    """In these rings the longest way is more than twice that from any cell to its mirror."""
    # They have more rock than two fifths.
    monkeypatch.setattr(generator, "_thinned", lambda _grid, free, _chance: free)
    monkeypatch.setattr(generator, "_LAYOUT_KINDS", (rings,))
    board = generate(Fixed(SeededChance(1), {"rows": 29, "columns": 29}))
    check(board)
    assert IMPASSABLE not in board.cells
    assert (0, 39 * 39 - 1) == board.bases


def made_of(text: str, monkeypatch) -> list[str]:
    """The map that comes of a layout, rock and ground only; `.` is passable in both."""
    rows = text.split()

    def layout(grid, chance):
        cells = [(row, col) for row in range(grid.rows) for col in range(grid.cols)]
        return sum(1 << grid.bit(row, col) for row, col in cells if rows[row][col] == ".")

    monkeypatch.setattr(generator, "_LAYOUT_KINDS", (layout,))
    sizes = {"rows": len(rows) - 10, "columns": len(rows[0]) - 10}
    board = generate(Fixed(SeededChance(1), sizes))
    check(board)
    ground = "".join("#" if state == IMPASSABLE else "." for state in board.cells)
    return [ground[start : start + board.cols] for start in range(0, len(ground), board.cols)]


def test_two_halves_are_joined_by_a_tunnel(monkeypatch):
    drawn = f"{'.' * 11} " * 5 + f"{'#' * 11} " * 2 + f"{'.' * 11} " * 5
    made = made_of(drawn, monkeypatch)
    assert ["." * 11] * 5 == made[:5] == made[-5:]
    # One tunnel of two cells and its mirror, dug from the first place of the wall.
    assert [".#########."] * 2 == made[5:7]


def test_pockets_that_no_base_reaches_are_filled_and_larger_caves_joined(monkeypatch):
    """Passable cells that no base reaches are made impassable (rules/angrymob.md 1)."""
    half = "..#.........  .##.........  ###.........  ......#####  ......#...."
    rows = [(row + "." * 12)[:12] for row in half.split()]
    text = " ".join(rows + [row[::-1] for row in reversed(rows)])
    made = made_of(text, monkeypatch)
    assert "###........." == made[0]  # three cells in the corner are too few
    assert "###........." == made[1]
    assert text.split()[2:8] == made[2:8]


def test_too_much_rock_is_opened_until_it_is_two_fifths(monkeypatch):
    """A cross of ground in solid rock: 28 of 144 cells; the rest is opened from the cross on."""
    rows = [("." if row in (5, 6) else "#") * 5 + ".." for row in range(12)]
    text = " ".join(row + row[:5] for row in rows)
    made = "".join(made_of(text, monkeypatch))
    # 40 % of 144 is 57.6, and cells are opened in pairs: 56 are left.
    assert 56 == made.count("#")
    assert all(
        new == "." for new, old in zip(made, text.replace(" ", ""), strict=True) if old == "."
    )
