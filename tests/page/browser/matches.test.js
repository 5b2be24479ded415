/**
 * Texts about the end of a match, and requests to the arena.
 */

import assert from "node:assert/strict";
import { test } from "node:test";

import { withOlder } from "../../../server/lanista/page/browser/match_list.js";
import { endReason, fetchJson, outcome, timeText, winners } from "../../../server/lanista/page/browser/matches.js";

/** Make a match of four that is over; `differences` replaces parts of it. */
function match(differences) {
  return {
    match: "M",
    game: "hogwarts",
    title: "Hogwarts",
    state: "over",
    started: "2026-01-01T00:00:00+00:00",
    ended: "2026-01-01T00:01:00+00:00",
    players: ["Ann", "Bob", "Cid", "Dot"],
    end: "finished",
    reason: "rounds",
    ranks: [2, 1, 3, 4],
    scores: [5, 9, 3, 1],
    turns: 200,
    seed: 1,
    faults: [0, 0, 0, 0],
    ...differences,
  };
}

const pair = { players: ["Ann", "Bob"], scores: [1, 1] };

for (const [differences, seats, text] of [
  [{}, [1], "Bob won"],
  [{ end: "forfeit" }, [1], "Bob won"],
  [{ players: ["Ann", "Bob", "Bob", "Dot"] }, [1], "B Bob won"],
  [{ ranks: [1, 1, 3, 4] }, [0, 1], "Ann and Bob share first place"],
  [{ ranks: [1, 1, 1, 4] }, [0, 1, 2], "Ann, Bob and Cid share first place"],
  [{ ranks: [1, 1, 1, 1] }, [], "draw"],
  [{ ...pair, ranks: [1, 1] }, [], "draw"],
  [{ end: "void", reason: "stall" }, [], "void, doesn't count"],
  [{ end: "aborted", ranks: null, scores: null }, [], "aborted, doesn't count"],
  [{ state: "running", end: null, ranks: null, scores: null }, [], "running"],
]) {
  test(`the outcome of ${JSON.stringify(differences)} is: ${text}`, () => {
    assert.deepEqual(winners(match(differences)), seats);
    assert.equal(outcome(match(differences)), text);
  });
}

for (const [differences, text] of [
  [{}, "all rounds played"],
  [{ reason: "capture" }, "base captured"],
  [{ reason: "a-reason-of-another-game" }, "a-reason-of-another-game"],
  [{ end: "forfeit", reason: "forfeit" }, "by forfeit"],
  [{ end: "forfeit", reason: "all-out" }, "by forfeit: no bot was left"],
  [{ end: "forfeit", reason: "removed" }, "by forfeit: a bot was removed"],
  [{ state: "running", end: null, reason: null }, ""],
]) {
  test(`the reason of ${JSON.stringify(differences)} is: ${text}`, () => {
    assert.equal(endReason(match(differences)), text);
  });
}

/** Call `fetchJson` while `fetch` gives this response. */
function asked(body, init) {
  const before = globalThis.fetch;
  globalThis.fetch = () => Promise.resolve(new Response(body, init));
  return fetchJson("/api/1/games", new AbortController().signal).finally(() => {
    globalThis.fetch = before;
  });
}

test("a response that is cut off is an error, whatever its status", async () => {
  const cut = new ReadableStream({
    start: (controller) => controller.error(new DOMException("left", "AbortError")),
  });
  await assert.rejects(asked(cut, { status: 200 }), { name: "AbortError" });
});

test("a refusal is an error with the arena's message, or its status", async () => {
  await assert.rejects(asked('{"error": "no such match"}', { status: 404 }), /^Error: no such match$/);
  await assert.rejects(asked("<html>", { status: 502 }), /^Error: status 502$/);
});

test("a time has its day unless that is today, and its year if that is another", () => {
  const now = new Date(2026, 0, 9, 12);
  const text = (...then) => timeText(new Date(...then).toISOString(), now);
  assert.doesNotMatch(text(2026, 0, 9, 11, 30), /9|26/);
  assert.match(text(2026, 0, 5, 11, 30), /5/);
  assert.doesNotMatch(text(2026, 0, 5, 11, 30), /26/);
  assert.match(text(2025, 0, 9, 11, 30), /2025/);
});

test("new matches come above those that a list shows, if there are none between", () => {
  const page = (names, next) => ({
    matches: [...names].map((match) => ({ match, state: match === "R" ? "running" : "over" })),
    next,
  });
  for (const [newest, next, shown, expected, expectedNext] of [
    ["CB", "2", "BA", "CBA", "old"],
    ["RCB", "2", "BA", "RCBA", "old"],
    ["CB", "2", "RBA", "CBA", "old"],
    ["CB", "2", "BC", "CB", "2"],
    ["DC", "2", "RBA", "DC", "2"], // there may be more than these
    ["RDC", "2", "RBA", "RDC", "2"],
    ["CB", null, "", "CB", null],
  ]) {
    const found = withOlder(page(newest, next), page(shown, "old"));
    assert.deepEqual(found, page(expected, expectedNext));
  }
});
