/**
 * The data of the charts: frames are included as they are loaded, and binned.
 */

import assert from "node:assert/strict";
import { test } from "node:test";

import { Series } from "../../../server/lanista/page/browser/plots.js";

/** Make a match of which some frames are loaded. */
function framesOf(count, loaded, make) {
  return { count, frame: (n) => (loaded(n) ? make(n) : null) };
}

/** Make a frame of two seats: scores n and 2n, answers after n µs and 1 ms. */
function frame(n) {
  const play = {
    limit: 0.2,
    verdicts: ["answer", "answer"],
    times: [
      [0, n, n, n],
      [0, 900, 1000, 1000],
    ],
  };
  return { n, scores: [n, 2 * n], play: n === 0 ? undefined : play };
}

test("each round is a point while there are few", () => {
  const series = new Series(2);
  assert.equal(true, series.include(framesOf(4, () => true, frame)));
  const { rounds, scores, times } = series.lines();
  assert.deepEqual([0, 1, 2, 3], rounds);
  assert.deepEqual(
    [
      [0, 1, 2, 3],
      [0, 2, 4, 6],
    ],
    scores,
  );
  assert.deepEqual(
    [
      [null, 0.001, 0.002, 0.003],
      [null, 1, 1, 1],
    ],
    times,
  );
});

test("a frame that isn't loaded is a gap, which is filled later", () => {
  const series = new Series(2);
  series.include(framesOf(5, (n) => n >= 3, frame));
  assert.deepEqual([null, null, null, 3, 4], series.lines().scores[0]);
  assert.equal(false, series.include(framesOf(5, (n) => n >= 3, frame)));
  assert.equal(true, series.include(framesOf(5, () => true, frame)));
  assert.deepEqual([0, 1, 2, 3, 4], series.lines().scores[0]);
});

test("a match may become longer than the arrays", () => {
  const series = new Series(2);
  series.include(framesOf(3, () => true, frame));
  series.include(framesOf(1000, () => true, frame));
  const { scores } = series.lines();
  assert.deepEqual([0, 999], [scores[0][0], scores[0][999]]);
});

test("many rounds are binned: each bin has its last score and its longest time", () => {
  const slow = (n) => {
    const made = frame(n);
    if (n === 5) {
      made.play.times[1] = [0, 1, 90_000, 90_000];
      made.play.verdicts[1] = "late";
    }
    return made;
  };
  const series = new Series(2);
  series.include(framesOf(12, () => true, slow));
  const { rounds, scores, times, late } = series.lines(3);
  assert.deepEqual([3, 7, 11], rounds);
  assert.deepEqual([3, 7, 11], scores[0]);
  assert.deepEqual([1, 90, 1], times[1]);
  assert.deepEqual([false, true, false], late[1]);
  assert.deepEqual([false, false, false], late[0]);
});

test("an answer that never came is drawn at its limit", () => {
  const silent = (n) => ({
    n,
    scores: [0],
    play: { limit: 0.2, verdicts: ["late"], times: [[4]] },
  });
  const series = new Series(1);
  series.include(framesOf(1, () => true, silent));
  assert.deepEqual([[200]], series.lines().times);
  assert.deepEqual([[true]], series.lines().late);
});

test("a million rounds become as many points as a chart can show", () => {
  const series = new Series(2);
  series.include(framesOf(1_000_000, (n) => n > 999_900, frame));
  const { rounds, scores } = series.lines();
  assert.ok(rounds.length <= 1200);
  assert.equal(999_999, rounds.at(-1));
  assert.equal(999_999, scores[0].at(-1));
});
