/** Every conversation of protocol/vectors, byte for byte; its README says what to compare. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { clock } from "../src/connector.js";
import { ArenaError, connect } from "../src/index.js";
import { serve } from "./scripted.js";

const VECTORS = new URL("../../../protocol/vectors/conversations.jsonl", import.meta.url);

/**
 * The bytes that a vector writes down.
 * @param {any} written
 * @returns {Buffer}
 */
function bytes(written) {
  if (typeof written === "string") return Buffer.from(written);
  if (Array.isArray(written)) return Buffer.concat(written.map(bytes));
  if ("hex" in written) return Buffer.from(written.hex, "hex");
  return Buffer.from(written.text.repeat(written.times));
}

/**
 * A hello, the order of its options left out.
 * @param {string} line
 */
function said(line) {
  assert.ok(line.endsWith("\n"));
  const words = line.slice(0, -1).split(" ");
  const name = words.filter((word) => !word.includes("="));
  return [...name, ...words.filter((word) => word.includes("=")).sort()];
}

/** @param {any} units */
function triples(units) {
  return [...units].map(([cell, n]) => [...cell, n]);
}

/** @param {any} state */
function position(state) {
  const { turn, mine, theirs, neutral, totals, moved } = state;
  return {
    turn,
    mine: triples(mine),
    theirs: triples(theirs),
    neutral: triples(neutral),
    totals: [...totals],
    moved,
  };
}

/** @param {any} state */
function description({ match, game, seat, players, clock, seed, settings, rows, cols, bases }) {
  return { match, game, seat, players, clock, seed, settings: { ...settings }, rows, cols, bases };
}

/** @param {any} steps */
function script(steps) {
  let greeted = false;
  return steps.map((/** @type {any} */ step) => {
    if ("arena" in step) return { says: bytes(step.arena) };
    if ("closes" in step) {
      greeted = false;
      return { closes: true };
    }
    const expected = bytes(step.bot);
    if (greeted) return { hears: expected };
    greeted = true;
    const hears = (/** @type {string} */ line) => {
      assert.deepEqual(said(line), said(expected.toString()));
    };
    return { hears };
  });
}

const lines = readFileSync(VECTORS, "utf8").split("\n").filter(Boolean);

for (const vector of lines.map((line) => JSON.parse(line))) {
  test(vector.name, async (t) => {
    t.mock.method(clock, "pause", async () => {});
    const { port, done } = await serve(...script(vector.steps));
    const arena = await connect({ ...vector.connect, port });
    /** @type {{ state: any, notes: any, asked: number }[]} */
    const played = [];
    let code = null;
    try {
      for await (const state of arena) {
        if (played.at(-1)?.state !== state) played.push({ state, notes: arena.notes, asked: 0 });
        const match = vector.matches[played.length - 1];
        const current = /** @type {{ asked: number }} */ (played.at(-1));
        const { log, answer, ...expected } = match.asks[current.asked++];
        assert.deepEqual(position(state), expected);
        for (const line of log) arena.log(line);
        arena.send(answer);
      }
    } catch (error) {
      if (!(error instanceof ArenaError)) throw error;
      code = error.code;
    }
    assert.equal(await done, "", "the bot says no more than that");
    assert.equal(code, vector.error);
    assert.equal(played.length, vector.matches.length);
    for (const [at, { state, notes, asked }] of played.entries()) {
      const { asks, final, notes: noted, result: _, ...described } = vector.matches[at];
      assert.deepEqual(description(state), described);
      assert.equal(asked, asks.length);
      const { log: _log, answer: _answer, ...last } = asks.at(-1);
      assert.deepEqual(position(state), final ?? last);
      assert.deepEqual(
        notes.map((/** @type {any} */ { code, turn, index }) => ({ code, turn, index })),
        noted,
      );
    }
    assert.deepEqual(
      arena.results.map((result) => ({ ...result })),
      vector.matches.map((/** @type {any} */ match) => match.result).filter(Boolean),
    );
  });
}
