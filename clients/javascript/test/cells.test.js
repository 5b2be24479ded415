/** Maps and sets of cells: what `Map` and `Set` do, but for the equality of keys. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";

import { CellMap, CellSet } from "../src/index.js";

/** @typedef {import("../src/index.js").Cell} Cell */
/** @typedef {import("../src/index.js").Pos} Pos */

test("a map finds a cell by its numbers", () => {
  const map = new CellMap([/** @type {[Cell, string]} */ ([[1, 2], "a"])]);
  assert.deepEqual([map.get([1, 2]), map.get([2, 1]), map.size], ["a", undefined, 1]);
  assert.deepEqual([map.has([1, 2]), map.has([2, 1])], [true, false]);
  assert.equal(map.set([0, 5], "b").set([1, 2], "c").size, 2);
  assert.deepEqual(
    [...map],
    [
      [[1, 2], "c"],
      [[0, 5], "b"],
    ],
  );
  assert.deepEqual([...map.entries()], [...map]);
  assert.deepEqual(
    [...map.keys()],
    [
      [1, 2],
      [0, 5],
    ],
  );
  assert.deepEqual([...map.values()], ["c", "b"]);
  assert.deepEqual([map.delete([1, 2]), map.delete([1, 2]), map.size], [true, false, 1]);
  assert.equal(inspect(map), "Map(1) { [ 0, 5 ] => 'b' }");
});

test("a set finds a cell by its numbers", () => {
  const set = new CellSet(/** @type {Pos[]} */ ([[1, 2, 0]]));
  assert.deepEqual([set.has([1, 2, 0]), set.has([1, 2, 1])], [true, false]);
  assert.equal(set.add([1, 2, 0]).add([1, 2, 1]).size, 2);
  assert.deepEqual(
    [...set],
    [
      [1, 2, 0],
      [1, 2, 1],
    ],
  );
  assert.deepEqual([set.delete([1, 2, 0]), set.delete([1, 2, 0]), set.size], [true, false, 1]);
  assert.equal(inspect(set), "Set(1) { [ 1, 2, 1 ] }");
});

test("no two cells of a big board, or just outside it, are one", () => {
  /** @type {CellSet<Pos>} */
  const set = new CellSet();
  let count = 0;
  for (const i of [-2, -1, 0, 1, 511, 512, 99_999]) {
    for (const j of [-131_072, -16_384, -2, -1, 0, 1, 79, 80, 16_384, 131_071]) {
      for (const k of [0, 1]) {
        set.add([i, j, k]);
        count++;
      }
    }
  }
  assert.equal(set.size, count);
});
