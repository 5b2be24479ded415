/**
 * Where two matches first differ, and what differs in a round.
 */

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  boardRows,
  firstRounds,
  ordersApart,
  PairMoments,
  seatsApart,
} from "../../../server/lanista/page/browser/difference.js";
import { DIFFERENCE, FAILED, LATE, Moments } from "../../../server/lanista/page/browser/moments.js";
import { headOf, mark } from "./fixtures.js";

const HEAD = headOf();

/** A turn in which both seats answered. */
function play(raw, more = {}) {
  return { turn: 0, limit: 0, verdicts: ["answer", "answer"], raw, times: [], ...more };
}

/** The frames of a match, of which some may not be loaded (null). */
function framesOf(frames) {
  return { count: frames.length, end: null, frame: (n) => frames[n] ?? null };
}

function position(marks, more = {}) {
  return {
    marks: marks.map(([row, col, seat, shape, text, unit, health, ...lines]) => {
      return { row, col, seat, shape, text, unit, health, lines };
    }),
    own: new Int8Array(12).fill(-1),
    ...more,
  };
}

test("answers differ in what counts in the game: not when they are late", () => {
  assert.deepEqual(seatsApart([play(["1 2", "m 3"]), play(["2 1", "m 4"])]), [0, 1]);
  const late = { verdicts: ["late", "answer"] };
  assert.deepEqual(seatsApart([play(["1", "2"], late), play([null, "2"], late)]), []);
  assert.deepEqual(seatsApart([play(["1", "2"], late), play(["1", "2"])]), [0]);
  const gone = { verdicts: ["missing", "answer"] };
  assert.deepEqual(
    seatsApart([play([null, "2"], gone), play([null, "2"], { ...gone, left: { 0: "x" } })]),
    [0],
  );
  assert.deepEqual(seatsApart([null, play(["1", "2"])]), []);
});

test("the arena counts turns, the page the rounds that they led to", () => {
  const found = { is_comparable: true, start: [], turn: 2, position_turn: 4 };
  assert.deepEqual(firstRounds(found), { answers: 3, boards: 4, first: 3 });
  const none = { answers: null, boards: null, first: null };
  assert.deepEqual(firstRounds({ ...found, turn: null, position_turn: null }), none);
});

test("faults of both matches and the difference are at one slider", () => {
  const turn = (verdict) => ({ n: 0, marks: [], scores: [0, 0], play: { verdicts: [verdict, "answer"] } });
  const answered = turn("answer");
  const [one, other] = [new Moments(2), new Moments(2)];
  one.include(framesOf([answered, turn("late")]));
  other.include(framesOf([answered, answered, answered, turn("malformed"), answered]));
  const moments = new PairMoments([one, other], 3);
  assert.deepEqual(
    [0, 1, 2, 3, 4].map((n) => moments.at(n, null)),
    [0, LATE, 0, FAILED | DIFFERENCE, 0],
  );
  assert.equal(moments.fault(0, 1, null), 1);
  assert.equal(moments.fault(1, 1, null), 3);
  assert.equal(moments.fault(4, -1, null), 3);
  assert.equal(moments.fault(3, -1, null), 1);
  assert.equal(moments.fault(3, 1, null), null);
});

test("only the submoves that the other match doesn't have are told, as often as they differ", () => {
  const submove = (text) => [text, -1, []];
  const [one, other] = [["go", "go", "stay"], ["stay", "go", "jump"]].map((texts) =>
    play(["", ""], { submoves: [texts.map(submove), null] }),
  );
  const only = ordersApart([HEAD, HEAD], [one, other], 0);
  assert.deepEqual(
    only.map((orders) => orders.map(({ text }) => text)),
    [["go"], ["jump"]],
  );
  assert.equal(ordersApart([HEAD, HEAD], [one, other], 1), null);
  const late = { ...other, verdicts: ["late", "answer"] };
  assert.deepEqual(ordersApart([HEAD, HEAD], [one, late], 0)[1], []);
});

test("units are compared by number, other things by cell, the ground as a whole", () => {
  const gem = { seat: -1, shape: "gem", lines: ["gem"] };
  const unit = (row, col, more) => mark(row, col, { unit: 7, lines: ["wizard 7", ...more] });
  const one = position([unit(0, 1, ["health 3"]), mark(2, 2, gem), mark(1, 1, gem)]);
  const other = position([unit(0, 2, ["health 3"]), mark(1, 1, gem)]);
  other.own[5] = 1;
  assert.deepEqual(boardRows([HEAD, HEAD], [one, one]), []);
  assert.deepEqual(boardRows([HEAD, HEAD], [one, other]), [
    {
      name: "wizard 7 of A",
      states: ["(0, 1)", "(0, 2)"],
      units: [7],
      cells: [{ row: 0, col: 1 }, { row: 0, col: 2 }],
    },
    { name: "(2, 2)", states: ["gem", "nothing"], units: [], cells: [{ row: 2, col: 2 }] },
    {
      name: "ground of 1 cell",
      states: ["1 of nobody", "1 of B"],
      units: [],
      cells: [{ row: 1, col: 1 }],
    },
  ]);
  const gone = boardRows([HEAD, HEAD], [one, position([mark(2, 2, gem), mark(1, 1, gem)])]);
  assert.deepEqual(gone.map(({ states }) => states), [["(0, 1)", "not there"]]);
  const won = mark(0, 1, { unit: 7, seat: 1, lines: ["wizard 7", "health 2"] });
  const [row] = boardRows([HEAD, HEAD], [position([unit(0, 1, ["health 3"])]), position([won])]);
  assert.deepEqual(
    [row.name, ...row.states],
    ["wizard 7", "(0, 1), of A, health 3", "(0, 1), of B, health 2"],
  );
});
