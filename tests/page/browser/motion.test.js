/**
 * Which marks move, come and leave between two positions; descriptions of cells.
 */

import assert from "node:assert/strict";
import { test } from "node:test";

import { positionOf, readFrame } from "../../../server/lanista/page/browser/decode.js";
import { levelByColumn } from "../../../server/lanista/page/browser/layout.js";
import { motionOf } from "../../../server/lanista/page/browser/motion.js";
import { describeCell, lightOf } from "../../../server/lanista/page/browser/cells.js";
import { headOf, mark } from "./fixtures.js";

const HEAD = headOf({
  rows: 4,
  cols: 13,
  ground: ["#....=#......", ".............", "=............", "............."],
  owners: [[2, 0, 1]],
  base: "elevator",
  levels: [
    { title: "below", col: 0, cols: 6, wraps: true },
    { title: "above", col: 7, cols: 6, wraps: false },
  ],
});
const { scene: SCENE } = HEAD;

/** Make the position of a key frame. */
function position(n, marks, more = {}) {
  const frame = { n, turn: n, key: true, own: [], marks, scores: [], captions: [], ...more };
  return positionOf(SCENE, readFrame(frame, SCENE, n), null);
}

/** Return the motion from some marks to others. */
function between(before, after, more = {}, first = 0) {
  return motionOf(SCENE, levelByColumn(SCENE), position(first, before), position(1, after, more));
}

const unit = (row, col, more = {}) => mark(row, col, { unit: 3, ...more });
const placesOf = (marks) => marks.map(({ row, col, text }) => [row, col, text]);

test("marks that are alike stay, also in a key frame", () => {
  const gem = mark(1, 1, { seat: -1, shape: "gem" });
  const { still, moves, coming, leaving } = between([gem, unit(0, 2)], [gem, unit(0, 2)]);
  assert.deepEqual([still.length, moves.length, coming.length, leaving.length], [2, 0, 0, 0]);
});

for (const [what, from, to, rows, cols] of [
  ["to the right", [1, 1], [1, 2], 0, 1],
  ["diagonally", [1, 2], [0, 1], -1, -1],
  ["over the seam", [1, 5], [2, 0], 1, 1],
  ["back over the seam", [1, 0], [1, 5], 0, -1],
]) {
  test(`a unit moves ${what}`, () => {
    const { moves, coming, leaving } = between([unit(...from)], [unit(...to)]);
    assert.deepEqual(moves.map((move) => [move.rows, move.cols]), [[rows, cols]]);
    assert.deepEqual([coming, leaving], [[], []]);
  });
}

for (const [what, from, to] of [
  ["farther than a step", [1, 1], [1, 3]],
  ["to another level", [1, 5], [1, 7]],
  ["over the edge of a level that doesn't wrap", [1, 7], [1, 12]],
]) {
  test(`a unit ${what} leaves here and comes there`, () => {
    const { moves, coming, leaving } = between([unit(...from)], [unit(...to)]);
    assert.deepEqual(moves, []);
    assert.deepEqual(placesOf(leaving), [[...from, "w"]]);
    assert.deepEqual(placesOf(coming), [[...to, "w"]]);
  });
}

test("a unit whose looks change is a move of no distance", () => {
  const { moves } = between([unit(1, 1)], [unit(1, 1, { seat: 1, shape: "cross" })]);
  assert.deepEqual(moves.map(({ rows, cols, after }) => [rows, cols, after.shape]), [[0, 0, "cross"]]);
});

test("marks without a number come and leave", () => {
  const { moves, coming, leaving } = between([mark(1, 1)], [mark(1, 2)]);
  assert.deepEqual([moves.length, coming.length, leaving.length], [0, 1, 1]);
});

test("two equal marks in one cell count as two", () => {
  const { still, leaving } = between([mark(1, 1), mark(1, 1)], [mark(1, 1)]);
  assert.deepEqual([still.length, leaving.length], [1, 1]);
});

const count = (row, col, text, seat = 0) => mark(row, col, { shape: "count", text, seat });

test("units that move along arrows leave the rest behind", () => {
  const { glides, leaving } = between(
    [count(1, 1, "9"), count(3, 3, "4"), count(2, 2, "5", 1)],
    [count(1, 1, "2"), count(1, 2, "3"), count(0, 1, "4")],
    {
      arrows: [
        [1, 1, 1, 2, 0, "3"],
        [1, 1, 0, 1, 0, "4"],
        [3, 3, 3, 4, 0, "4"],
      ],
    },
  );
  assert.deepEqual(glides.map(({ rows, cols }) => [rows, cols]), [[0, 1], [-1, 0], [0, 1]]);
  // 9 - 3 - 4 stay, 4 - 4 don't; those of the other seat didn't go.
  assert.deepEqual(placesOf(leaving), [[1, 1, "2"], [2, 2, "5"]]);
});

test("arrows are shown only between consecutive frames", () => {
  const more = { arrows: [[1, 1, 1, 2, 0, "9"]] };
  const { glides, leaving } = between([count(1, 1, "9")], [count(1, 2, "9")], more, 5);
  assert.deepEqual(glides, []);
  assert.deepEqual(placesOf(leaving), [[1, 1, "9"]]);
});

test("a level with any light has night in its other columns, a level without has neither", () => {
  const { lit } = position(0, [], { lit: [[7, 2]] });
  assert.deepEqual(lightOf(SCENE, lit), [
    ...Array(7).fill(""),
    "sun",
    "sun",
    ...Array(4).fill("night"),
  ]);
});

test("the description of a cell", () => {
  const shown = position(
    0,
    [unit(1, 8, { seat: 1, lines: ["furyan 3", "health 80 of 100"] }), mark(1, 8, { seat: -1, lines: [] })],
    { own: [21, 1, 14, 0], lit: [[7, 2]] },
  );
  const at = (row, col, level, marks = []) =>
    describeCell(HEAD, shown, { row, col, level, levelCol: col - SCENE.levels[level].col }, marks);
  assert.deepEqual(at(1, 8, 1, [...shown.marks]), [
    "above, row 1, column 1",
    "ground of B Bob, in the sun",
    "furyan 3, of B Bob",
    "health 80 of 100",
    "w",
  ]);
  assert.deepEqual(at(1, 1, 0), ["below, row 1, column 1", "ground of A Ann"]);
  assert.deepEqual(at(3, 12, 1), ["above, row 3, column 5", "free ground, in the night"]);
  assert.deepEqual(at(0, 0, 0), ["below, row 0, column 0", "wall"]);
  assert.deepEqual(at(0, 5, 0), ["below, row 0, column 5", "elevator"]);
  assert.deepEqual(at(2, 0, 0), ["below, row 2, column 0", "base of B Bob"]);
});

test("seat numbers in a ruleset's text are replaced, but not in a bot's name", () => {
  const head = { ...HEAD, players: [{ name: "seat 1" }, { name: "Bob" }] };
  const shown = position(0, [mark(1, 1, { seat: 0, lines: ["orc", "bound to seat 1"] })]);
  const place = { row: 1, col: 1, level: 0, levelCol: 1 };
  assert.deepEqual(describeCell(head, shown, place, [...shown.marks]).slice(2), [
    "orc, of A seat 1",
    "bound to B Bob",
  ]);
});
