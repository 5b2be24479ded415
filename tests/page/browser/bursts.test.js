/**
 * What is shown for a moment between two positions, and why a score changed.
 */

import assert from "node:assert/strict";
import { test } from "node:test";

import { burstsOf } from "../../../server/lanista/page/browser/bursts.js";
import { scoreChange } from "../../../server/lanista/page/browser/changes.js";
import { levelByColumn } from "../../../server/lanista/page/browser/layout.js";
import { headOf } from "./fixtures.js";

const head = headOf({ rows: 20, cols: 20, stats: ["cells", "units", "strength per unit"] });
const { scene } = head;

function positionOf(n, marks, more = {}) {
  const filled = marks.map(([row, col, seat, unit, shape = "mage", text = ""]) => (
    { row, col, seat, shape, text, unit, health: -1, lines: [] }
  ));
  return { n, marks: filled, scores: [0, 0], stats: [], events: [], captured: new Map(), ...more };
}

function between(before, after) {
  return burstsOf(scene, levelByColumn(scene), before, after);
}

test("falls, turns, things picked up and spells are found where they happened", () => {
  const before = positionOf(4, [
    [1, 1, 0, 10], [2, 2, 0, 11], [3, 3, 1, 12], [4, 4, 1, 13], [5, 6, -1, -1, "book"], [9, 9, 0, 14],
  ]);
  const after = positionOf(
    5,
    [[1, 2, 0, 10], [18, 18, 1, 11], [3, 4, 0, 12], [4, 4, 1, 13, "turncoat"], [5, 6, 1, 15], [9, 9, 0, 14]],
    {
      captured: new Map([[1, 0], [2, 0], [3, 0], [4, 0]]),
      events: [{ seat: 0, text: "cast a spell: 4 cells", units: [14], cells: [] }],
    },
  );
  const { bursts } = between(before, after);
  assert.deepEqual(bursts.map(({ kind, row, col, seat }) => [kind, row, col, seat]), [
    ["spell", 9, 9, 0],
    ["fell", 2, 2, 0],
    ["turned", 3, 4, 0],
    ["turned", 4, 4, 1],
    ["picked", 5, 6, 1],
  ]);
  assert.deepEqual(between(before, { ...after, n: 9 }).bursts, [], "rounds between are unknown");
});

test("points float up beside numbers, and only where something happened", () => {
  const event = { seat: 0, text: "recruited 9 units", units: [], cells: [{ row: 3, col: 3 }] };
  const counts = [[3, 3, 0, -1, "count", "10"], [2, 3, -1, -1, "count", "5"]];
  const before = positionOf(0, counts);
  const after = positionOf(1, counts, { scores: [9, 4], events: [event] });
  assert.deepEqual(between(before, after).floats, [{ row: 2, col: 4, seat: 0, text: "+9" }]);
});

test("a score's change is told by the figures that changed", () => {
  const before = positionOf(1, [], { scores: [5, 5], stats: [[10, 4, 2.5], [1, 1, 1]] });
  const after = positionOf(2, [], { scores: [9, 5], stats: [[1022, 1, 2.75], [9, 1, 1]] });
  assert.equal(scoreChange(head, after, before, 0), "cells +1,012, units −3");
  assert.equal(scoreChange(head, after, before, 1), "", "the score is as before");
  assert.equal(scoreChange(head, after, null, 0), "");
});
