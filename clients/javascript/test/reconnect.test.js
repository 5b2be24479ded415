/** Connecting again: after what pauses, and how it ends. The conversations have what the bot sees. */

import assert from "node:assert/strict";
import { createServer } from "node:net";
import { test } from "node:test";

import { Arena } from "../src/arena.js";
import { clock, Connector, FINAL_CODES } from "../src/connector.js";
import { ArenaError, connect } from "../src/index.js";
import { FORFEIT, START, TURN_0, TURN_1, WELCOME, Wire } from "./scripted.js";

const OPENING = { host: "127.0.0.1", port: 7, hello: "A v=1\n" };
const REFUSED = new ArenaError("unreachable", "no arena");
const MATCH = WELCOME + START + TURN_0 + TURN_1 + FORFEIT;
const realPause = clock.pause;

/**
 * Has no pause take time, and nothing written to stderr.
 * @param {import("node:test").TestContext} t
 */
function faked(t) {
  const seen = { pauses: /** @type {number[]} */ ([]), told: "" };
  t.mock.method(clock, "pause", async (/** @type {number} */ ms) => void seen.pauses.push(ms));
  t.mock.method(process.stderr, "write", (/** @type {string} */ text) => {
    seen.told += text;
    return true;
  });
  return seen;
}

/**
 * A connector whose connections say these things, or fail.
 * @param {(string | ArenaError)[]} coming
 */
function connector(...coming) {
  const made = new Connector(OPENING, true);
  made.connect = async () => {
    const one = /** @type {string | ArenaError} */ (coming.shift());
    if (one instanceof ArenaError) throw one;
    return new Wire([one]);
  };
  return made;
}

/** @param {(string | ArenaError)[]} coming */
async function arenaOf(keep = false, ...coming) {
  const made = connector(...coming);
  return new Arena(await made.connect(), keep, made);
}

/** @param {Arena} arena */
async function turns(arena) {
  const seen = [];
  for await (const state of arena) {
    seen.push(state.turn);
    arena.send();
  }
  return seen;
}

/** @param {number} pause @param {number} longest */
function assertPause(pause, longest) {
  assert.ok(longest / 2 <= pause && pause <= longest, `${pause} ms of ${longest}`);
}

test("pauses double to a minute, less a random part", async (t) => {
  const seen = faked(t);
  const refusals = Array.from({ length: 40 }, () => REFUSED);
  assert.ok(await connector(...refusals, "").connectAgain(REFUSED));
  assert.equal(seen.pauses.length, 41);
  for (const [at, pause] of seen.pauses.entries()) {
    assertPause(pause, Math.min(60_000, 500 * 2 ** at));
  }
  assert.ok(new Set(seen.pauses.slice(-20)).size > 5, "there is a random part");
  assert.match(seen.told, /^lanista: unreachable: no arena; connecting again in 0\.[2-5] s\n/);
  assert.equal(seen.told.split("\n").length, 42);
});

for (const said of ["wait 1 2\n", START + TURN_0]) {
  test(`pauses begin anew once the bot is let in: ${said.slice(0, 5)}`, async (t) => {
    const { pauses } = faked(t);
    const welcome = "welcome 1 lanista 0.1.0\n";
    const arena = await arenaOf(false, welcome, welcome, welcome + said, MATCH);
    await turns(arena);
    for (const [at, longest] of [500, 1000, 500].entries()) {
      assertPause(/** @type {number} */ (pauses[at]), longest);
    }
    assert.equal(pauses.length, 3);
  });
}

for (const code of FINAL_CODES) {
  test(`a code that would come again ends it: ${code}`, async (t) => {
    const { pauses } = faked(t);
    const said = code === "unreadable" ? "turn x\n" : `error ${code} words\n`;
    await assert.rejects(turns(await arenaOf(true, WELCOME + said)), { code });
    assert.deepEqual(pauses, []);
  });
}

test("a match that broke off goes on under the same state, and only its own", async (t) => {
  faked(t);
  const other = MATCH.replace("01JDEXAMPLE", "01JDOTHER");
  const arena = await arenaOf(
    true,
    WELCOME + START + TURN_0 + "turn 1\nunit 9",
    WELCOME + START + TURN_1,
    other + "error replaced x\n",
  );
  /** @type {any[]} */
  const states = [];
  await assert.rejects(
    (async () => {
      for await (const state of arena) {
        states.push(state);
        arena.send();
      }
    })(),
    { code: "replaced" },
  );
  const [first, second, third, fourth] = states;
  assert.equal(states.length, 4);
  assert.ok(first === second && second !== third && third === fourth);
  assert.equal(second.mine.get([1, 1]), 2);
  assert.equal(arena.results.length, 1);
});

test("without keep the end of a match is the end", async (t) => {
  const { pauses } = faked(t);
  const arena = await arenaOf(false, MATCH + "bye\n");
  assert.deepEqual(await turns(arena), [0, 1]);
  const shut = await arenaOf(false, MATCH + "error shutdown x\n");
  await assert.rejects(turns(shut), { code: "shutdown" });
  assert.deepEqual(pauses, []);
});

test("closing ends a pause at once", async (t) => {
  const seen = faked(t);
  t.mock.method(clock, "pause", realPause);
  const arena = await arenaOf(false, WELCOME);
  const waiting = arena.next();
  while (!seen.told) await new Promise(setImmediate);
  arena.close();
  assert.deepEqual(await waiting, { value: undefined, done: true });
});

test("the arena may be started after its bot", async (t) => {
  faked(t);
  const server = createServer((socket) => void socket.resume().end(MATCH + "bye\n"));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(undefined)));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  await new Promise((resolve) => server.close(resolve));
  t.mock.method(
    clock,
    "pause",
    () => new Promise((resolve) => server.listen(port, "127.0.0.1", () => resolve(undefined))),
  );
  const arena = await connect({ name: "A", port, reconnect: true });
  assert.deepEqual(await turns(arena), [0, 1]);
  await new Promise((resolve) => server.close(resolve));
});
