/**
 * Faults, events and scores of a match.
 */

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  EVENT,
  FAILED,
  LATE,
  Moments,
  REFUSED,
  WASTED,
} from "../../../server/lanista/page/browser/moments.js";

const ANSWERED = ["answer", "answer"];

/** Frames with these plays, as far as they are loaded. */
function framesOf(plays, scores = []) {
  return {
    count: plays.length,
    frame: (n) =>
      plays[n] === null ? null : { n, marks: [], scores: scores[n] ?? [0, 0], ...plays[n] },
  };
}

function fault(seat, code) {
  return { turn: 0, seat, code, index: null, words: "why" };
}

const MATCH = [
  {},
  { play: { verdicts: ANSWERED }, events: [[0, "read a book"]] },
  { play: { verdicts: ANSWERED, faults: [fault(1, "illegal")] } },
  { play: { verdicts: ["late", "answer"], faults: [fault(0, "late")] } },
  { play: { verdicts: ["answer", "missing"], left: { 1: "closed" } } },
  { play: { verdicts: ["answer", "missing"] } },
  { play: { verdicts: ["answer", "missing"], faults: [fault(1, "disconnected")] }, events: [[-1, "x"]] },
  { play: { verdicts: ["answer", "out"] } },
];

test("its scores are those of its rounds, as far as they are loaded", () => {
  const moments = new Moments(2);
  moments.include(framesOf([{}, null, {}], [[1, 2], [3, 4], [5, 6]]));
  assert.deepEqual([0, 1, 2].map((n) => moments.scores(n)), [[1, 2], null, [5, 6]]);
});

test("what there was is known by round and seat", () => {
  const moments = new Moments(2);
  moments.include(framesOf(MATCH));
  const of = (seat) => MATCH.map((_, n) => moments.at(n, seat));
  assert.deepEqual(of(0), [0, EVENT, 0, LATE, 0, 0, EVENT, 0]);
  assert.deepEqual(of(1), [0, 0, REFUSED, 0, FAILED, 0, FAILED | EVENT, 0]);
  assert.deepEqual(of(null), [0, EVENT, REFUSED, LATE, FAILED, 0, FAILED | EVENT, 0]);
});

test("the next fault is that of a seat, or of any, in either direction", () => {
  const moments = new Moments(2);
  moments.include(framesOf(MATCH));
  // A grave one first; where no more follow, one by which a part of an answer was refused.
  assert.equal(moments.fault(0, 1, null), 3);
  assert.equal(moments.fault(3, -1, null), 2);
  assert.equal(moments.fault(3, 1, null), 4);
  assert.equal(moments.fault(2, 1, 1), 4);
  assert.equal(moments.fault(7, -1, 0), 3);
  assert.equal(moments.fault(3, -1, 0), null);
  assert.equal(moments.fault(6, 1, null), null);
});

test("a fault that goes on for several rounds is one fault of its seat", () => {
  const late = { play: { verdicts: ["late", "answer"], faults: [fault(0, "late")] } };
  const both = { play: { verdicts: ["late", "late"], faults: [fault(0, "late"), fault(1, "late")] } };
  const moments = new Moments(2);
  moments.include(framesOf([{}, late, late, both, late, {}, late]));
  const begun = [0, 1, 2, 3, 4, 5, 6].map((n) => moments.begun(n, null));
  assert.deepEqual(begun, [0, LATE, 0, LATE, 0, 0, LATE]);
  assert.equal(moments.fault(1, 1, null), 3);
  assert.equal(moments.fault(1, 1, 0), 6);
});

test("a jump in the share of orders without effect is a mark, where the frames are complete", () => {
  const orders = (count, idle) =>
    Array.from({ length: count }, (_, i) => ["goes", i, [], ...(i < idle ? ["blocked"] : [])]);
  const turn = (idle) => ({ play: { verdicts: ANSWERED, submoves: [orders(4, idle), null] } });
  // Up to the 20th round one order in four is without effect, then three, then one again.
  const turns = [...Array(20).fill(1), ...Array(10).fill(3), ...Array(20).fill(1)].map(turn);
  const moments = new Moments(2);
  const late = [{}, null, ...turns.slice(1)];
  moments.include(framesOf(late));
  assert.equal(moments.fault(0, 1, null), null);
  late[1] = turns[0];
  moments.include(framesOf(late));
  const marked = late.flatMap((_, n) => ((moments.at(n, 0) & WASTED) !== 0 ? [n] : []));
  // 30 points more in the last ten rounds: six of three and four of one are 0.55 against 0.25.
  assert.deepEqual(marked, Array.from({ length: marked.length }, (_, i) => 26 + i));
  assert.equal(moments.fault(0, 1, 0), 26);
  assert.equal(moments.fault(0, 1, 1), null);
  assert.ok(marked.length < 15);
});

test("what is wasted from the middle on is marked to the end, and what was so from the start never", () => {
  const moments = new Moments(2);
  const turn = (submoves) => ({ play: { verdicts: ANSWERED, submoves } });
  const steps = [["goes", 1, []], ["goes", 2, []]];
  const blocked = [["goes", 9, [], "blocked"]];
  const units = [0, 0, 0, 1].map((seat, n) => [0, n, seat, "disc", "", n === 3 ? 9 : n, -1]);
  // Of three units of A two have orders, and none from the 21st round on; B's only one is stuck.
  const frames = [
    { key: true, marks: units },
    ...Array(20).fill(turn([steps, blocked])),
    ...Array(180).fill(turn([[], blocked])),
  ];
  moments.include(framesOf(frames));
  const marked = (seat) => frames.flatMap((_, n) => ((moments.at(n, seat) & WASTED) !== 0 ? [n] : []));
  assert.deepEqual(marked(0), Array.from({ length: 176 }, (_, i) => 25 + i));
  assert.deepEqual(marked(1), []);
});

test("where a bot orders little, no share jumps", () => {
  const turn = (count) => ({
    play: { verdicts: ANSWERED, submoves: [Array(count).fill(["goes", 1, [], "blocked"]), null] },
  });
  const moments = new Moments(2);
  const few = Array.from({ length: 40 }, (_, n) => (n % 5 === 0 ? turn(1) : turn(0)));
  moments.include(framesOf(few));
  assert.ok(few.every((_, n) => moments.at(n, 0) === 0));
});

test("frames that are loaded later are included then, however many there are", () => {
  const moments = new Moments(2);
  const plays = Array.from({ length: 3000 }, () => null);
  moments.include(framesOf(plays));
  assert.equal(moments.fault(0, 1, null), null);
  const before = moments.version;
  plays[2999] = MATCH[3];
  moments.include(framesOf(plays));
  assert.equal(moments.fault(0, 1, null), 2999);
  assert.ok(moments.version > before);
});
