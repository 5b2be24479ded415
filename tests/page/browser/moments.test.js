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
function framesOf(plays, { scores = [], story = null } = {}) {
  return {
    count: plays.length,
    end: story === null ? null : { story },
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
  moments.include(framesOf([{}, null, {}], { scores: [[1, 2], [3, 4], [5, 6]] }));
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

test("the seat whose fault begins in a round is known, of a grave one first", () => {
  const moments = new Moments(2);
  const turn = (...faults) => ({ play: { verdicts: ANSWERED, faults } });
  const late = { play: { verdicts: ["answer", "late"], faults: [fault(0, "illegal"), fault(1, "late")] } };
  moments.include(framesOf([{}, turn(fault(1, "illegal")), turn(fault(1, "illegal")), {}, late]));
  assert.deepEqual([0, 1, 2, 3, 4].map((n) => moments.seatAtFault(n)), [-1, 1, -1, -1, 1]);
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

test("what a bot wasted is marked as its story tells it, once there is one", () => {
  const moments = new Moments(2);
  const frames = Array(6).fill({ play: { verdicts: ANSWERED } });
  moments.include(framesOf(frames));
  assert.equal(moments.fault(0, 1, null), null);
  const before = moments.version;
  const story = {
    chapters: [[1, 0, "takes the lead"], [2, 1, "gives no orders", 3]],
    losses: { 1: [[2, 1, "gives no orders", 3], [5, 1, "2 of 2 orders have no effect", 5]] },
  };
  moments.include(framesOf(frames, { story }));
  assert.ok(moments.version > before);
  const of = (seat) => frames.map((_, n) => moments.at(n, seat));
  assert.deepEqual(of(0), [0, 0, 0, 0, 0, 0]);
  assert.deepEqual(of(1), [0, 0, WASTED, WASTED, 0, WASTED]);
  assert.equal(moments.fault(0, 1, null), 2);
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
