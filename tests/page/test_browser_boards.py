"""What a board draws of positions made for the purpose: numbers, and what is shown for a moment.

The page's own modules draw them, in a page of an arena; no match is played.
"""

MADE = """
  const { Board } = await import("/page/board.js");
  const { readHead } = await import("/page/decode.js");
  const { PALETTE } = await import("/page/colours.js");
  const levels = [{ title: "", col: 0, cols: 7, wraps: false }];
  const head = readHead({
    type: "head", match: "M1", source: "record", game: "made", title: "Made", settings: {},
    players: [{ name: "Ann" }, { name: "Bob" }],
    scene: {
      rows: 7, cols: 7, ground: Array(7).fill("......."), owners: [[3, 3, 0]], levels, signs: [],
      kinds: [], stats: [], base: "base",
    },
  });
  const position = (n, marks, more) => ({
    n, turn: n, own: new Int8Array(49).fill(-1), marks, lit: new Uint8Array(7), scores: [0, 0],
    captions: ["", ""], stats: [], arrows: [], captured: new Map(), events: [], play: null, ...more,
  });
  const canvas = document.createElement("canvas");
  const board = new Board(canvas, head);
  board.setTheme("dark");
  const drawn = (size, ...how) => {
    board.resize(size, size);
    board.draw(...how);
    const copy = new OffscreenCanvas(canvas.width, canvas.height);
    const pen = copy.getContext("2d", { willReadFrequently: true });
    pen.drawImage(canvas, 0, 0);
    return pen.getImageData(0, 0, canvas.width, canvas.height).data;
  };
"""
NUMBERS = (
    "async () => {"
    + MADE
    + """
  const marks = [[3, 3, "128"], [3, 4, "7"], [3, 2, "45"], [2, 3, "999"], [4, 3, "30"]].map(
    ([row, col, text]) => (
      { row, col, seat: 0, shape: "count", text, unit: -1, health: -1, lines: [] }
    ),
  );
  const arrows = [[0, 1], [0, -1], [1, 0], [-1, 0]].flatMap(([down, right]) => [
    { row: 3, col: 3, toRow: 3 + down, toCol: 3 + right, seat: 1, text: "5" },
    { row: 3 + down, col: 3 + right, toRow: 3, toCol: 3, seat: 1, text: "5" },
  ]);
  const [red, green, blue] = PALETTE.dark.seats[0].on.match(/[0-9a-f]{2}/g).map(
    (part) => parseInt(part, 16),
  );
  return [120, 200, 420].map((size) => {
    const bare = drawn(size, position(1, marks)).slice();
    const full = drawn(size, position(1, marks, { arrows }));
    const places = [...Array(bare.length / 4).keys()].map((pixel) => 4 * pixel).filter(
      (at) => bare[at] === red && bare[at + 1] === green && bare[at + 2] === blue,
    );
    const covered = places.filter((at) => [0, 1, 2].some((by) => bare[at + by] !== full[at + by]));
    const differs = bare.some((value, at) => value !== full[at]);
    return { seen: places.length, covered: covered.length, differs };
  });
}"""
)
MOMENT = (
    "async () => {"
    + MADE
    + """
  const event = { seat: 0, text: "it happened", units: [], cells: [{ row: 5, col: 5 }] };
  const previous = position(0, []);
  const next = position(1, [], { scores: [9, 0], events: [event] });
  const same = (one, other) => one.every((value, at) => value === other[at]);
  const rest = drawn(420, next).slice();
  const shown = drawn(420, next, { previous, t: 0.7 }).slice();
  const calm = drawn(420, next, { previous, t: 0.7, calm: true });
  return [same(rest, shown), same(rest, calm)];
}"""
)
APART = (
    "async () => {"
    + MADE
    + """
  const bare = drawn(420, position(1, [])).slice();
  const same = drawn(420, position(1, []), { apart: [] }).slice();
  const apart = drawn(420, position(1, []), { apart: [{ row: 5, col: 5 }, { row: 5, col: 5 }] });
  const middle = ({ row, col }) => {
    const { x, y } = board.middleOf({ row, col });
    return 4 * (Math.floor(y) * canvas.width + Math.floor(x));
  };
  const changed = (pixels, row, col) =>
    [0, 1, 2].some((by) => pixels[middle({ row, col }) + by] !== bare[middle({ row, col }) + by]);
  const cells = [...Array(49).keys()].map((cell) => [Math.floor(cell / 7), cell % 7]);
  return [same, apart].map((pixels) => cells.filter(([row, col]) => changed(pixels, row, col)));
}"""
)


def test_no_number_is_covered(arena, show):
    """Arrows in all directions, and the frame of a base, lie beneath the numbers of units."""
    sizes = show(arena.page).evaluate(NUMBERS)
    assert [0] * len(sizes) == [one["covered"] for one in sizes]
    for one in sizes:
        assert one["seen"] > 50
        assert one["differs"]


def test_what_is_shown_for_a_moment_is_left_out_if_it_is_to_be_calm(arena, show):
    """A burst and the points that were won: between two rounds, and not under reduced motion."""
    assert [False, True] == show(arena.page).evaluate(MOMENT)


def test_a_veil_lies_on_all_but_the_cells_in_which_boards_differ(arena, show):
    """There is none where nothing differs; a cell that is named twice is lit, too."""
    same, apart = show(arena.page).evaluate(APART)
    assert [] == same
    cells = [[row, col] for row in range(7) for col in range(7)]
    assert [cell for cell in cells if cell != [5, 5]] == apart
