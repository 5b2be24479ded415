/**
 * The places of levels and cells, hit-testing, distances.
 */

import assert from "node:assert/strict";
import { test } from "node:test";

import { arrange, chooseLabels, columnsBetween, layout, levelByColumn, part, placeAt } from "../../../server/lanista/page/browser/layout.js";
import { headOf } from "./fixtures.js";

/** Two levels of 80 columns with a wall between, as Crematoria has. */
const LEVELS = [
  { title: "underground", col: 0, cols: 80, wraps: true },
  { title: "outside", col: 81, cols: 80, wraps: true },
];
const { scene: TWO } = headOf({ rows: 40, cols: 161, levels: LEVELS });
const { scene: ONE } = headOf({ rows: 20, cols: 17 });

test("a level takes the room it has, in whole pixels of the screen", () => {
  // Beside the numbers of rows and below those of columns: (516 - 16) / 20 = 25 by height, 878 / 17
  // by width.
  assert.deepEqual(layout(ONE, 900, 516, 1, false), {
    width: 447,
    height: 516,
    tile: 25,
    title: 16,
    side: 22,
    levels: [{ x: 22, y: 16 }],
  });
  // 510 / 20 = 25.5: half CSS pixels are whole ones of a screen that has two.
  assert.equal(layout(ONE, 900, 526, 1, false).tile, 25);
  assert.equal(layout(ONE, 900, 526, 2, false).tile, 25.5);
});

test("levels lie beside each other or above each other, whichever gives larger tiles", () => {
  const wide = layout(TWO, 1940, 400, 1, false);
  // (400 - 16 for titles and numbers) / 40 = 9.6; above each other it would be (400 - 38) / 80 = 4.
  assert.equal(wide.tile, 9);
  assert.deepEqual(wide.levels, [{ x: 22, y: 16 }, { x: 22 + 80 * 9 + 6, y: 16 }]);
  const high = layout(TWO, 1000, 1000, 1, false);
  // (1000 - 2 * 16 - 6) / 80 = 12.03; beside each other (1000 - 22 - 6) / 160 = 6.
  assert.equal(high.tile, 12);
  // The last one is on top.
  assert.deepEqual(high.levels, [{ x: 22, y: 16 + 40 * 12 + 6 + 16 }, { x: 22, y: 16 }]);
  // (846 - 28) / 160 and (490 - 38) / 80 are 5 whole pixels: they leave more room above each other.
  assert.equal(layout(TWO, 846, 490, 1, false).width, 22 + 80 * 5);
});

test("the evidence is where it leaves larger cells to the board", () => {
  const needed = { width: 336, height: 288 };
  const of = (scene, width, height) => arrange(scene, { width, height }, needed, { boards: 1, gap: 10, caption: 0 }, 1);
  // A square board beside it: (620 - 16) / 20 = 30; below it would be (332 - 16) / 20 = 15.
  assert.deepEqual(of(ONE, 1256, 620), { isBelow: false, isStacked: false, width: 920, height: 620 });
  // Two wide levels in a wide window: (1500 - 28) / 160 = 9; beside it (700 - 38) / 80 = 8.
  assert.deepEqual(of(TWO, 1500, 700), { isBelow: true, isStacked: false, width: 1500, height: 412 });
  // In a high one: 878 / 17 = 51 by width; beside it (878 - 336) / 17 = 31.
  assert.ok(of(ONE, 900, 1400).isBelow);
});

test("levels fill the width where that leaves them about as large", () => {
  const needed = { width: 336, height: 288 };
  const of = (scene, width, height) => arrange(scene, { width, height }, needed, { boards: 1, gap: 10, caption: 0 }, 1);
  // (1256 - 28) / 160 and (620 - 38) / 80 are 7 whole pixels.
  assert.ok(of(TWO, 1256, 620).isBelow);
  // 8 beside each other and 9 above each other; 6 and 7 are too far apart.
  assert.ok(of(TWO, 1400, 800).isBelow);
  assert.ok(!of(TWO, 1000, 620).isBelow);
  // One level has no other way to lie.
  assert.ok(!of(ONE, 950, 820).isBelow);
});

test("two boards and what differs lie where the cells are the largest", () => {
  const of = (scene, width, height) =>
    arrange(scene, { width, height }, { width: 320, height: 256 }, { boards: 2, gap: 10, caption: 20 }, 1);
  // Side by side, with the evidence beside them: (1256 - 320 - 10) / 2 = 463, 441 / 17 = 25; below
  // them it would be (620 - 256 - 36) / 20 = 16.
  assert.deepEqual(of(ONE, 1256, 620), {
    isBelow: false,
    isStacked: false,
    width: 463,
    height: 600,
  });
  // Wide boards one above the other: 914 / 60 = 15; side by side it would be 441 / 60 = 7.
  const { scene: wide } = headOf({ rows: 10, cols: 60 });
  const stacked = of(wide, 1256, 620);
  assert.deepEqual([stacked.isBelow, stacked.isStacked], [false, true]);
  // In a high and narrow window, too.
  assert.ok(of(ONE, 390, 1400).isStacked);
});

test("zoomed, a part is seen: a point of the board stays where it is, up to the edges", () => {
  const fitting = layout(ONE, 425, 500, 1, true);
  const whole = layout(ONE, 425, 500, 1, true, 2);
  assert.deepEqual([whole.tile, whole.width, whole.height], [50, 850, 1000]);
  const seen = (point, at) => part(whole, fitting, { zoom: 2, point, at }, 1);
  const middle = seen({ x: 0.5, y: 0.5 }, { x: 100, y: 100 });
  assert.deepEqual([middle.left, middle.top], [325, 400]);
  assert.deepEqual([middle.seen.width, middle.seen.height], [425, 500]);
  assert.deepEqual(middle.seen.levels, [{ x: -325, y: -400 }]);
  // The cell under the point is the one in the middle of the board.
  const { row, col } = placeAt(ONE, middle.seen, 101, 101);
  assert.deepEqual([row, col], [10, 8]);
  const corner = seen({ x: 0, y: 1 }, { x: 300, y: 0 });
  assert.deepEqual([corner.left, corner.top], [0, 500]);
});

test("a board never takes more than there is", () => {
  for (const scene of [ONE, TWO]) {
    for (const ratio of [1, 1.25, 2, 3]) {
      for (const [width, height] of [[1280, 620], [390, 500], [280, 180], [64, 48]]) {
        for (const small of [true, false]) {
          const where = layout(scene, width, height, ratio, small);
          assert.ok(where.width <= width + 1e-9, `${where.width} of ${width}`);
          assert.ok(where.height <= height + 1e-9, `${where.height} of ${height}`);
        }
      }
    }
  }
});

test("a small board has no titles, and broken tiles use the room", () => {
  const where = layout(TWO, 280, 180, 1, true);
  assert.equal(where.title, 0);
  // Above each other: min(280 / 80, (180 - 2) / 80) = 2.225; beside: (280 - 2) / 160 = 1.7.
  assert.equal(where.tile, 2.225);
});

test("a room of nothing still has a size", () => {
  assert.ok(layout(TWO, 1, 1, 1, false).tile > 0);
});

test("every cell is found at its middle and at its corners, on its level", () => {
  for (const [width, height] of [[1940, 400], [1000, 1000], [300, 200]]) {
    for (const ratio of [1, 2]) {
      const where = layout(TWO, width, height, ratio, false);
      const { tile } = where;
      for (const [level, { col }] of LEVELS.entries()) {
        const { x, y } = where.levels[level];
        for (const row of [0, 17, 39]) {
          for (const levelCol of [0, 33, 79]) {
            const expected = { row, col: col + levelCol, level, levelCol };
            for (const inside of [0.02, 0.5, 0.98]) {
              const found = placeAt(TWO, where, x + (levelCol + inside) * tile, y + (row + inside) * tile);
              assert.deepEqual(found, expected);
            }
          }
        }
      }
    }
  }
});

test("between levels, on titles and outside there is nothing", () => {
  const where = layout(TWO, 1940, 400, 1, false);
  const between = 22 + 80 * where.tile + 3;
  for (const [x, y] of [[between, 100], [5, 10], [-1, 100], [5, 20 + 40 * 9], [1e6, 100]]) {
    assert.equal(placeAt(TWO, where, x, y), null);
  }
});

test("columns of no level have level -1", () => {
  const levels = levelByColumn(TWO);
  assert.deepEqual([levels[0], levels[79], levels[80], levels[81], levels[160]], [0, 0, -1, 1, 1]);
});

test("over the seam is the shorter way where a level wraps", () => {
  const levels = levelByColumn(TWO);
  assert.equal(columnsBetween(TWO, levels, 3, 5), 2);
  assert.equal(columnsBetween(TWO, levels, 79, 0), 1);
  assert.equal(columnsBetween(TWO, levels, 0, 79), -1);
  assert.equal(columnsBetween(TWO, levels, 81, 160), -1);
  assert.equal(columnsBetween(TWO, levels, 79, 81), Infinity);
  assert.equal(columnsBetween(TWO, levels, 80, 81), Infinity);
  assert.equal(columnsBetween(ONE, levelByColumn(ONE), 16, 0), -16);
});

test("numbers too large for their cells: seats' first, then the largest, none upon another", () => {
  const label = (row, col, seat, text) => ({ row, col, seat, text });
  const all = [
    label(0, 0, 0, "2"),
    label(0, 1, 1, "30"),
    label(0, 9, -1, "500"),
    label(0, 10, 0, "1"),
    label(9, 0, 0, "7"),
  ];
  const shown = chooseLabels(all, 2);
  assert.deepEqual(shown.map(({ text }) => text), ["30", "7", "1"]);
});

test("of many numbers no two cover each other, and each that is left out would cover one", () => {
  const all = Array.from({ length: 400 }, (_, at) => ({
    row: (at * 37) % 60,
    col: (at * 53) % 71,
    seat: (at % 3) - 1,
    text: String(1 + ((at * at) % 1200)),
  }));
  const height = 3;
  const half = ({ text }) => (0.6 * height * text.length + 0.3 * height) / 2;
  const covers = (one, other) =>
    Math.abs(one.row - other.row) < height && Math.abs(one.col - other.col) < half(one) + half(other);
  const shown = chooseLabels(all, height);
  for (const [at, one] of shown.entries()) {
    assert.equal(shown.slice(at + 1).some((other) => covers(one, other)), false);
  }
  const left = all.filter((one) => !shown.includes(one));
  assert.ok(left.length > 0);
  assert.deepEqual(left.filter((one) => !shown.some((other) => covers(one, other))), []);
});
