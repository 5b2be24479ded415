/**
 * How far apart the scores of two matches are, as a curve.
 */

import assert from "node:assert/strict";
import { test } from "node:test";

import { scoresApart } from "../../../server/lanista/page/browser/compare_chart.js";

const SCORES = [
  [[1, 1], [1, 1]],
  [[5, 2], [3, 4]],
  [null, [4, 4]],
  [[7, 3], [7, 0]],
];

test("the curves are the second match's scores minus the first's, where both are known", () => {
  const { rounds, values } = scoresApart((n) => SCORES[n], 3, 3, 2);
  assert.deepEqual(rounds, [0, 1, 2, 3]);
  assert.deepEqual(values, [[0, -2, null, 0], [0, 2, null, -3]]);
});

test("nothing is told beyond a round, and of many rounds the last of each bin", () => {
  assert.deepEqual(scoresApart((n) => SCORES[n], 3, 1, 2).values[0], [0, -2, null, null]);
  const { rounds, values } = scoresApart((n) => SCORES[n], 3, 3, 2, 2);
  assert.deepEqual([rounds, values[1]], [[1, 3], [2, -3]]);
});
