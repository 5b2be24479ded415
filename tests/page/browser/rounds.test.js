/**
 * The rounds of a tournament, the race of its leaders, and what the screen of a hall shows next.
 */

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  bracketOf,
  liveMatch,
  roundName,
  roundsOf,
} from "../../../server/lanista/page/browser/bracket.js";
import { extentOf, spreadOut, ticksOf } from "../../../server/lanista/page/browser/chart.js";
import { curvesOf } from "../../../server/lanista/page/browser/race.js";
import { nextMatch, optionsOf } from "../../../server/lanista/page/browser/screen.js";
import { hasLeft, publicAddress, shares } from "../../../server/lanista/page/browser/screen_scenes.js";
import { nextRound, verdictOf } from "../../../server/lanista/page/browser/screen_match.js";

const heat = (...bots) => ({ bots, points: bots.map(() => 0), blocks: 0, over: false, through: [] });

test("a bracket has the rounds that are still to come", () => {
  const first = [heat("a"), heat("b", "c"), heat("d", "e"), heat("f", "g")];
  const rounds = bracketOf([first], 2);
  assert.deepEqual(rounds, [first, [null, null], [null]]);
  assert.deepEqual(
    rounds.map((round, i) => roundName(i, round.length, i === rounds.length - 1)),
    ["Round 1", "Semifinals", "Final"],
  );
});

test("heats of four don't tell how many follow", () => {
  assert.deepEqual(bracketOf([[heat("a", "b", "c", "d"), heat("e", "f", "g", "h")]], 4).length, 1);
});

test("a bot's rounds are its meetings, or none", () => {
  const [one, two] = [heat("a", "b"), heat("a")];
  assert.deepEqual(roundsOf(["a", "b", "__proto__"], [[one], [two]]), [
    { bot: "a", met: [one, two] },
    { bot: "b", met: [one, null] },
    { bot: "__proto__", met: [null, null] },
  ]);
});

test("a meeting is live while a match of exactly its bots runs", () => {
  const match = { match: "1", players: [{ name: "b" }, { name: "a" }] };
  assert.equal(liveMatch(["a", "b"], [match]), match);
  assert.equal(liveMatch(["a", "c"], [match]), null);
});

test("a race has a curve of each bot that has a rating", () => {
  const curves = curvesOf({
    blocks: [1, 3],
    curves: [
      { bot: "a", ratings: [1500, 1600] },
      { bot: "b", ratings: [null, 1399.6] },
      { bot: "c", ratings: [null, null] },
    ],
  });
  assert.deepEqual(
    curves.map(({ name, last, values }) => [name, last, values]),
    [
      ["1600 a", 1600, [1500, 1600]],
      ["1400 b", 1399.6, [null, 1399.6]],
    ],
  );
});

test("an axis is divided by round numbers", () => {
  assert.deepEqual(ticksOf(0, 200, 4), [0, 50, 100, 150, 200]);
  assert.deepEqual(ticksOf(-3, 4.2, 4), [-2, 0, 2, 4]);
  assert.deepEqual(ticksOf(0.1, 0.32, 4), [0.1, 0.2, 0.3]);
  assert.deepEqual(ticksOf(7, 7, 4), [7]);
});

test("the extent of curves includes their bands", () => {
  const curve = { values: [5, null, 7], low: [4, null], high: [null, 9] };
  assert.deepEqual(extentOf([curve, { values: [null] }]), [4, 9]);
  assert.equal(extentOf([{ values: [null] }]), null);
});

test("names keep apart, and stay beside the picture", () => {
  assert.deepEqual(spreadOut([0.5, 0.1], 0.2), [0.5, 0.1]);
  assert.deepEqual(spreadOut([0, 0, 0.25], 0.25), [0, 0.25, 0.5]);
  assert.deepEqual(spreadOut([1, 1], 0.25), [0.75, 1]);
  assert.deepEqual(spreadOut([1, 1, 1], 0.75), [0, 0.5, 1]);
});

test("the screen shows the match that wasn't shown for the longest time", () => {
  const running = ["x", "y", "z"].map((match) => ({ match }));
  assert.equal(nextMatch([], new Map()), null);
  assert.equal(nextMatch(running, new Map()).match, "x");
  assert.equal(nextMatch(running, new Map([["x", 1]])).match, "y");
  assert.equal(nextMatch(running, new Map([["x", 3], ["y", 1], ["z", 2]])).match, "y");
});

for (const [query, options] of [
  ["", { seconds: 20, results: true, tournament: null, address: null }],
  [
    "seconds=5&results=hidden&tournament=cup&address=http://a.example",
    { seconds: 5, results: false, tournament: "cup", address: "http://a.example" },
  ],
  ["seconds=0.1", { seconds: 3, results: true, tournament: null, address: null }],
  ["seconds=9999", { seconds: 600, results: true, tournament: null, address: null }],
  ["seconds=soon&results=x", { seconds: 20, results: true, tournament: null, address: null }],
]) {
  test(`the screen's parameters ${JSON.stringify(query)}`, () => {
    assert.deepEqual(optionsOf(new URLSearchParams(query)), options);
  });
}

test("a match is through when its time is over, and a slow one is followed", () => {
  assert.equal(nextRound(0, 100, 20_000), 1);
  assert.equal(nextRound(0, 100, 2000), 10);
  assert.equal(nextRound(99, 100, 2000), 100);
  assert.equal(nextRound(100, 100, 2000), 100);
  assert.equal(nextRound(5, 100, -5), 100);
});

for (const [result, isShown, text] of [
  [{ end: "finished", ranks: [2, 1] }, true, "b wins"],
  [{ end: "finished", ranks: [2, 1] }, false, "The match is over."],
  [{ end: "finished", ranks: [1, 1] }, true, "Draw"],
  [{ end: "void", ranks: [1, 2] }, true, "The match is void: it doesn't count."],
  [null, true, "The match is over."],
]) {
  test(`${JSON.stringify(result)} is ${isShown ? "" : "hidden as "}${text}`, () => {
    assert.equal(verdictOf(result, ["a", "b"], isShown), text);
  });
}

test("a score's share is of all scores, and a score below 0 has none", () => {
  assert.deepEqual([0.75, 0.25, 0], shares([6, 2, -4]));
  assert.deepEqual([0, 0], shares([0, 0]));
});

test("a tournament leaves the screen ten minutes after its end", () => {
  const cup = { standings: { over: true }, computed: "2026-05-01T12:00:00+00:00" };
  assert.equal(hasLeft(cup, Date.parse("2026-05-01T12:09:00Z")), false);
  assert.equal(hasLeft(cup, Date.parse("2026-05-01T12:11:00Z")), true);
  const running = { ...cup, standings: { over: false } };
  assert.equal(hasLeft(running, Date.parse("2026-05-02T12:00:00Z")), false);
});

test("an address that only this machine can open isn't shown", () => {
  const place = (/** @type {string} */ address) => new URL(address);
  assert.equal(publicAddress(null, place("http://127.0.0.1:8080/screen")), null);
  assert.equal(publicAddress(null, place("http://10.0.0.5:8080/screen")), "http://10.0.0.5:8080");
  assert.equal(publicAddress("http://a.example", place("http://[::1]:8080/screen")), "http://a.example");
});
