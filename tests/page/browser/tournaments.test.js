/**
 * The texts of a tournament's figures, and their places on an axis and in a table.
 */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import {
  axisOf,
  CENTRE,
  formatAdvantage,
  formatFailures,
  formatInterval,
  formatPercent,
  formatPlaces,
  formatProgress,
  formatRanks,
  formatRating,
  meetingsOf,
} from "../../../server/lanista/page/browser/figures.js";
import { tournamentAddress } from "../../../server/lanista/page/browser/tournaments.js";

for (const [estimate, rating, interval] of [
  [null, "", ""],
  [{ value: 1623.4, low: 1603.4, high: 1643.4 }, "1623", "1623 ±20"],
  [{ value: -0.4, low: -0.4, high: -0.4 }, "0", "0 ±0"],
  // A bot that won every match, one that lost every match, and one of which nothing is known.
  [{ value: 2169, low: 1565.4, high: null }, "≥ 1565", "≥ 1565"],
  [{ value: 831, low: null, high: 1434.6 }, "≤ 1435", "≤ 1435"],
  [{ value: 1503, low: null, high: null }, "?", "?"],
]) {
  test(`the rating ${JSON.stringify(estimate)} is ${JSON.stringify(interval)}`, () => {
    assert.equal(formatRating(estimate), rating);
    assert.equal(formatInterval(estimate), interval);
  });
}

test("the advantage of a seat has a sign", () => {
  assert.equal(formatAdvantage({ value: 14, low: 3, high: 25 }), "+14 ±11");
  assert.equal(formatAdvantage({ value: -14.2, low: -20.2, high: -8.2 }), "−14 ±6");
});

test("the scale of ratings is that of the arena", async () => {
  const python = await readFile(new URL("../../../server/lanista/ratings/table.py", import.meta.url), "utf8");
  assert.equal(Number(/^CENTRE = (.+)$/m.exec(python)?.[1]), CENTRE);
});

for (const [low, high, text] of [
  [null, null, ""],
  [1, 1, "1"],
  [2, 13, "2–13"],
]) {
  test(`ranks from ${low} to ${high} are ${JSON.stringify(text)}`, () => {
    assert.equal(formatRanks({ rank_low: low, rank_high: high }), text);
  });
}

for (const [places, draws, seats, text] of [
  [[12, 5], 3, 2, "12–3–5"],
  [[], 0, 2, "0–0–0"],
  [[4, 3, 2, 1], 2, 4, "4–3–2–1"],
  [[4], 0, 4, "4–0–0–0"],
]) {
  test(`${seats} seats: the places ${places} with ${draws} draws are ${text}`, () => {
    assert.equal(formatPlaces({ places, draws }, seats), text);
  });
}

for (const [endings, text] of [
  [{ normal: 20, void: 2, crash: 0 }, ""],
  [{ crash: 2, normal: 1, late: 1, "start-failure": 10 }, "1 late, 2 crash, 10 start-failure"],
]) {
  test(`${JSON.stringify(endings)} are the failures ${JSON.stringify(text)}`, () => {
    assert.equal(formatFailures(endings).replaceAll("\u00a0", " "), text);
  });
}

const half = { blocks: 9, planned: 18, matches: 18, voids: 0, uncounted: 0, over: false };
for (const [differences, text] of [
  [{}, "9 of 18 blocks, 18 matches, not over"],
  [{ planned: null }, "9 blocks, 18 matches, not over"],
  [{ blocks: 18, matches: 36, over: true }, "18 blocks, 36 matches, all played"],
  [{ blocks: 0, matches: 0 }, "0 of 18 blocks, 0 matches, not over"],
  [{ blocks: 1, planned: 1, matches: 1, over: true }, "1 block, 1 match, all played"],
  [{ planned: 1200 }, "9 of 1,200 blocks, 18 matches, not over"],
  [
    { voids: 3, uncounted: 1 },
    "9 of 18 blocks, 18 matches, 3 void and played again, 1 block uncounted, not asked for now, " +
      "not over",
  ],
]) {
  test(`${JSON.stringify(differences)} is the progress: ${text}`, () => {
    assert.equal(formatProgress({ ...half, ...differences }), text);
  });
}

for (const [share, text] of [
  [null, ""],
  [0.9964, "99.6 %"],
  [0.5, "50.0 %"],
  [0.99999, "> 99.9 %"],
  [1, "100.0 %"],
  [0.00001, "< 0.1 %"],
  [0, "0.0 %"],
]) {
  test(`the likelihood ${share} is ${JSON.stringify(text)}`, () => {
    assert.equal(formatPercent(share), text);
  });
}

test("all estimates share one axis, which contains its zero", () => {
  const best = { value: 60, low: 50, high: 75 };
  const worst = { value: 10, low: 5, high: 20 };
  const place = axisOf([best, worst], 0);
  assert.deepEqual(place(best), { zero: 0, low: 50 / 75, value: 0.8, high: 1 });
  assert.deepEqual(axisOf([{ value: -5, low: -10, high: 0 }], 0)({ value: -5, low: -10, high: 0 }), {
    zero: 1,
    low: 0,
    value: 0.5,
    high: 1,
  });
});

test("an interval without an end reaches to the end of the axis", () => {
  const best = { value: 60, low: 50, high: null };
  const worst = { value: -40, low: null, high: -20 };
  const place = axisOf([best, worst], 0);
  assert.deepEqual(place(best), { zero: 0.4, low: 0.9, value: 1, high: 1 });
  assert.deepEqual(place(worst), { zero: 0.4, low: 0, value: 0, high: 0.2 });
});

test("an axis of zeros alone has places, too", () => {
  const zero = { value: 0, low: 0, high: 0 };
  assert.deepEqual(axisOf([zero], 0)(zero), { zero: 0, low: 0, value: 0, high: 0 });
});

test("a meeting is in both bots' rows, unless one of them isn't shown", () => {
  const meeting = (bot, opponent) => ({ bot, opponent, matches: 2, points: 1, superior: null });
  const [there, back] = [meeting("Ann", "Bob"), meeting("Bob", "Ann")];
  assert.deepEqual(meetingsOf(["Bob", "Ann", "__proto__"], [there, back, meeting("Ann", "Cid")]), [
    { bot: "Bob", met: [null, back, null] },
    { bot: "Ann", met: [there, null, null] },
    { bot: "__proto__", met: [null, null, null] },
  ]);
});

test("a tournament's address may contain any name", () => {
  assert.equal(tournamentAddress("A/B? #1"), "/tournament/A%2FB%3F%20%231");
});
