/**
 * Texts of the match view: the end, events, refused submoves, times.
 */

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  answerTime,
  describeEnding,
  describeLead,
  eventsOf,
  formatDuration,
  nameSeats,
  printable,
  splitAnswer,
} from "../../../server/lanista/page/browser/text.js";

const HEAD = {
  title: "Hogwarts",
  game: "hogwarts",
  players: [{ name: "Ada" }, { name: "Bob" }],
  scene: { cols: 10, turn: "round" },
};

const RESULT = {
  end: "finished",
  reason: "capture",
  ranks: [2, 1],
  scores: [3, 71],
  turns: 9,
  faults: [],
  error: null,
  ended: "2026-01-01T00:00:00+00:00",
};

function position({ marks = [], events = [], play = null }) {
  return { n: 5, marks, events, play };
}

function mark(unit, seat, line = `wizard ${unit}`) {
  return { row: 0, col: 0, seat, shape: "disc", text: "w", unit, health: -1, lines: [line] };
}

test("the end of a match of two has both scores, of more only the best", () => {
  assert.equal(
    "Bob won: 71 to 3 (base captured)",
    describeEnding(HEAD, { seed: 1, trouble: null, result: RESULT }, []).text,
  );
  const fewer = { ...RESULT, ranks: [1, 2] };
  assert.equal(
    "Ada won: 3 to 71 (base captured)",
    describeEnding(HEAD, { seed: 1, trouble: null, result: fewer }, []).text,
  );
  const players = ["Ada", "Bob", "Cy", "Di"].map((name) => ({ name }));
  const four = { ...RESULT, reason: "rounds", ranks: [2, 1, 3, 3], scores: [4, 8104, 3, 3] };
  assert.equal(
    "Bob won: 8,104 points (all rounds played)",
    describeEnding({ ...HEAD, players }, { seed: 1, trouble: null, result: four }, []).text,
  );
});

test("the end of a match that doesn't count has no points", () => {
  const result = { ...RESULT, end: "aborted", reason: "interrupted", ranks: [1, 1] };
  const { text, seats } = describeEnding(HEAD, { seed: 1, trouble: null, result }, []);
  assert.deepEqual([], seats);
  assert.match(text, /^aborted/);
  assert.doesNotMatch(text, /71/);
});

test("a record without a result says so, unless the frames end early", () => {
  const textFor = (trouble) => describeEnding(HEAD, { seed: 1, trouble, result: null }, [1, 2]).text;
  assert.equal("the record has no result", textFor(null));
  assert.equal("", textFor("the rules have changed"));
});

test("winners with the same name are told apart by their letters, and their seats are given", () => {
  const players = ["Dummy", "Dummy", "Ada"].map((name) => ({ name }));
  const of = (ranks) =>
    describeEnding({ ...HEAD, players }, { seed: 1, trouble: null, result: { ...RESULT, ranks, scores: [1, 9, 1] } }, []);
  assert.deepEqual(
    { text: "B Dummy won: 9 points (base captured)", seats: [1] },
    of([2, 1, 2]),
  );
  assert.deepEqual(
    { text: "B Dummy and Ada share first place: 9 points (base captured)", seats: [1, 2] },
    of([2, 1, 1]),
  );
});

test("the end of an original game's file says who won by its last scores", () => {
  const players = ["Null", "Demo", "Dummy", "alfus"].map((name) => ({ name }));
  const of = (scores) =>
    describeEnding({ ...HEAD, source: "res", players }, { seed: null, trouble: null, result: null }, scores);
  assert.deepEqual({ text: "alfus won: 1,319 points", seats: [3] }, of([1, 20, 300, 1319]));
  assert.deepEqual({ text: "Demo and alfus share first place: 1 point", seats: [1, 3] }, of([0, 1, 0, 1]));
  assert.deepEqual({ text: "draw: 0 points", seats: [] }, of([0, 0, 0, 0]));
});

test("until then it is told who leads", () => {
  const players = ["Null", "Demo", "Dummy", "alfus"].map((name) => ({ name }));
  const of = (scores) => describeLead({ ...HEAD, players }, scores);
  assert.deepEqual({ text: "alfus leads: 1,319 points", seats: [3] }, of([1, 20, 300, 1319]));
  assert.deepEqual({ text: "Demo and alfus lead: 1 point", seats: [1, 3] }, of([0, 1, 0, 1]));
  assert.deepEqual({ text: "Bob leads: 9 to 2", seats: [1] }, describeLead(HEAD, [2, 9]));
  assert.deepEqual({ text: "all are level: 4 to 4", seats: [] }, describeLead(HEAD, [4, 4]));
});

test("seat numbers in a ruleset's text become letter and name", () => {
  assert.equal("lost furyan 4, reborn for B Bob", nameSeats("lost furyan 4, reborn for seat 1", HEAD));
  assert.equal("changes to seat 7", nameSeats("changes to seat 7", HEAD));
  // A name that is written from right to left doesn't turn the number after it around.
  const turned = { ...HEAD, players: [{ name: "\u05d0 1" }, { name: "Bob" }] };
  assert.equal("A \u2068\u05d0 1\u2069: 3 gems, B Bob", nameSeats("seat 0: 3 gems, seat 1", turned));
  assert.deepEqual(
    { text: "\u2068\u05d0 1\u2069 leads: 9 to 2", seats: [0] },
    describeLead(turned, [9, 2]),
  );
});

test("events come first, then changes of sides, then faults", () => {
  const play = {
    verdicts: ["answer", "late"],
    faults: [
      { turn: 4, seat: 0, code: "illegal", index: 0, words: "no unit 9" },
      { turn: 4, seat: 0, code: "illegal", index: 2, words: "no unit 8" },
      { turn: 4, seat: 1, code: "late", index: null, words: "no answer within 0.2 s" },
    ],
    submoves: [
      [["unit 9 moves left", -1, []], ["wizard 7 moves up", 7, [3]], ["wizard 8 goes", 8, [12]]],
      null,
    ],
  };
  const events = [{ seat: 0, text: "cast a spell: 9 cells", units: [2], cells: [] }];
  assert.deepEqual(
    [
      { seat: 0, text: "cast a spell: 9 cells", kind: "event", units: [2], cells: [] },
      { seat: 0, text: "wizard 31: B → A", kind: "event", units: [31], cells: [] },
      {
        ...{ seat: 0, text: "2 refused; the first: no unit 9", kind: "refused" },
        ...{ units: [8], cells: [{ row: 1, col: 2 }] },
      },
      { seat: 1, text: "late: no answer within 0.2 s", kind: "fault", units: [], cells: [] },
    ],
    eventsOf(
      HEAD,
      position({ marks: [mark(31, 0)], events, play }),
      position({ marks: [mark(31, 1)] }),
    ),
  );
});

test("a seat that left is away until it is back, unless it is out", () => {
  const events = (/** @type {any} */ play) =>
    eventsOf(HEAD, position({ play }), position({})).map(({ seat, text, kind }) => [
      seat,
      text,
      kind === "fault",
    ]);
  const verdicts = ["answer", "missing"];
  const left = { 1: "closed its connection" };
  assert.deepEqual([[1, "away: closed its connection", true]], events({ verdicts, left }));
  assert.deepEqual([[1, "away", true]], events({ verdicts }));
  const both = { verdicts: ["answer", "answer"], rejoined: [1] };
  assert.deepEqual([[1, "is back", false]], events(both));
  const faults = [
    { turn: 4, seat: 1, code: "disconnected", index: null, words: "closed its connection" },
  ];
  assert.deepEqual([[1, "gone: closed its connection", true]], events({ verdicts, faults }));
});

test("refusals beyond those that a frame has are counted too", () => {
  const faults = [{ turn: 4, seat: 0, code: "illegal", index: 0, words: "no unit 9" }];
  const play = { verdicts: ["answer", "answer"], faults, more_faults: { 0: 1233 } };
  assert.deepEqual(
    ["1234 refused; the first: no unit 9"],
    eventsOf(HEAD, position({ play }), position({})).map(({ text }) => text),
  );
  const alike = { ...play, faults: [...faults, { ...faults[0], index: 1 }], more_faults: {} };
  assert.deepEqual(
    ["2 refused: no unit 9"],
    eventsOf(HEAD, position({ play: alike }), position({})).map(({ text }) => text),
  );
});

test("a change of sides that an event mentions isn't repeated; that of another unit is added", () => {
  const texts = ["converted wizard 3, as planned", "converted wizards 4 and 31"];
  const found = eventsOf(
    HEAD,
    position({
      marks: [3, 4, 31, 1, 9].map((unit) => mark(unit, 0)),
      events: texts.map((text) => ({ seat: 0, text })),
    }),
    position({ marks: [...[3, 4, 31, 1].map((unit) => mark(unit, 1)), mark(9, -1)] }),
  );
  const others = ["wizard 1: B → A", "wizard 9: nobody → A"];
  assert.deepEqual([...texts, ...others], found.map(({ text }) => text));
});

test("a mark without a number, or a new unit, didn't change sides", () => {
  const before = position({ marks: [mark(-1, 0)] });
  assert.deepEqual([], eventsOf(HEAD, position({ marks: [mark(-1, 1), mark(4, 1)] }), before));
  assert.deepEqual([], eventsOf(HEAD, position({ marks: [mark(4, 1)] }), null));
});

test("refused submoves are parts of their own, and nothing of the answer is lost", () => {
  const cases = [
    [null, "m 7 6 s 0 1 2  m 4 4", [1], ["s 0 1 2"]],
    [null, "m 7 6", [0], ["m 7 6"]],
    [2, "60 1 41 0 1 0", [0, 2], ["60 1", "1 0"]],
    [4, "1 3 1 3 5 5 2 0", [1], ["5 5 2 0"]],
    [4, "1 3 1 3 5 5", [1], ["5 5"]],
    [null, "1 2 3", [4], []],
    [2, "1 2", [null], []],
  ];
  for (const [numbers, raw, indexes, expected] of cases) {
    const found = splitAnswer(
      numbers,
      raw,
      indexes.map((index) => ({ index, words: "why" })),
    );
    assert.equal(raw, found.map(({ text }) => text).join(""));
    assert.deepEqual(
      expected,
      found.filter(({ refused }) => refused === "why").map(({ text }) => text),
      `${numbers}: ${raw}`,
    );
  }
});

test("control characters are visible, and nothing changes the direction of writing", () => {
  assert.equal("a␛[31mb␇\n\tc", printable("a\u001b[31mb\u0007\n\tc"));
  assert.equal("\ufffdevil\ufffd", printable("\u202eevil\u2066"));
  assert.equal("<b> ñ 日本", printable("<b> ñ 日本"));
});

test("an answer's time is the latest possible one", () => {
  const play = { times: [[10, 1500, 2500, 2600], [10], null] };
  assert.deepEqual(
    [2.5, null, null],
    [0, 1, 2].map((seat) => answerTime(play, seat)),
  );
  assert.equal(null, answerTime(null, 0));
});

test("durations have about three digits", () => {
  const cases = [
    [0, "0 µs"],
    [0.0074, "7 µs"],
    [0.25, "0.25 ms"],
    [4.556, "4.56 ms"],
    [45.56, "45.6 ms"],
    [199.6, "200 ms"],
    [1234, "1234 ms"],
    [20000, "20.0 s"],
    [null, "–"],
  ];
  for (const [ms, expected] of cases) {
    assert.equal(expected, formatDuration(ms));
  }
});
