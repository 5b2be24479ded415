/** What a person who starts a bot reads: that there is no arena, or that the bot waits. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";

import { Arena } from "../src/arena.js";
import { isQuiet } from "../src/hello.js";
import { Waiting } from "../src/waiting.js";
import { FORFEIT, START, TURN_0, WELCOME, Wire } from "./scripted.js";

const LIBRARY = new URL("../src/index.js", import.meta.url).href;
const OPENING = { host: "127.0.0.1", port: 7777, hello: "A v=1 game=angrymob room=lab token=x\n" };
const WAITING =
  "lanista: waiting for an opponent at 127.0.0.1:7777 (game angrymob, room lab, 1 of 2 seats taken); " +
  "the arena's page, whose address `lanista serve` prints, shows who is there\n";

/** A port on which nothing listens. */
async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  server.close();
  await once(server, "close");
  return port;
}

/** @param {string} code of a module that has `connect` */
async function run(code) {
  const script = `import { connect } from ${JSON.stringify(LIBRARY)};\n${code}`;
  const bot = spawn(process.execPath, ["--input-type=module", "-e", script]);
  const [out, err, [status]] = await Promise.all([
    text(bot.stdout),
    text(bot.stderr),
    once(bot, "close"),
  ]);
  return { out, err, status };
}

/**
 * Fakes the timers, and keeps what is written to stderr.
 * @param {import("node:test").TestContext} t
 */
function faked(t) {
  const seen = { told: "" };
  t.mock.timers.enable({ apis: ["setTimeout"] });
  t.mock.method(process.stderr, "write", (/** @type {string} */ text) => {
    if (text.startsWith("lanista: ")) seen.told += text; // Node warns that fake timers are new
    return true;
  });
  return seen;
}

for (const [how, code] of [
  ["awaited at the top", "await connect({ name: 'A', port: PORT });"],
  ["in a function", "async function main() { await connect({ name: 'A', port: PORT }); }\nmain();"],
]) {
  test(`a bot without an arena ends with one line: ${how}`, async () => {
    const port = await freePort();
    const done = await run(code.replace("PORT", String(port)));
    const err = `unreachable: no arena at 127.0.0.1:${port}; start one with \`lanista serve\`\n`;
    assert.deepEqual(done, { out: "", err, status: 1 });
  });
}

test("a bot may catch the error, and its own still have stacks", async () => {
  const done = await run(
    `await connect({ name: "A", port: ${await freePort()} }).catch((e) => console.log(e.code));\n` +
      'throw new Error("mine");',
  );
  assert.equal(done.out, "unreachable\n");
  assert.match(done.err, /Error: mine\n +at /);
  assert.equal(done.status, 1);
});

test("a bot that waits for a second says so once", (t) => {
  const seen = faked(t);
  const waiting = new Waiting(OPENING);
  waiting.begin(["1", "2"]);
  t.mock.timers.tick(999);
  assert.equal(seen.told, "");
  t.mock.timers.tick(1);
  assert.equal(seen.told, WAITING);
  waiting.begin(["1", "2"]);
  t.mock.timers.tick(5000);
  assert.equal(seen.told, WAITING);
});

test("a match that begins at once is played in silence, though its bot thinks for long", async (t) => {
  const seen = faked(t);
  const arena = new Arena(
    new Wire([WELCOME, START + TURN_0, `${FORFEIT}bye\n`]),
    false,
    null,
    new Waiting(OPENING),
  );
  for await (const _ of arena) {
    t.mock.timers.tick(5000);
    arena.send();
  }
  assert.equal(arena.result?.end, "forfeit");
  assert.equal(seen.told, "");
});

test("an arena says for its bot that it waits, then the match begins", async (t) => {
  const seen = faked(t);
  const stream = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  const arena = new Arena(stream, false, null, new Waiting(OPENING));
  const first = arena.next();
  stream.push(WELCOME);
  await setImmediate();
  t.mock.timers.tick(1000);
  assert.equal(seen.told, WAITING);
  stream.push(START + TURN_0);
  assert.equal((await first).value.turn, 0);
  arena.close();
});

test("a bot that is closed while it waits says nothing", async (t) => {
  const seen = faked(t);
  const stream = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  const arena = new Arena(stream, false, null, new Waiting(OPENING));
  void arena.next();
  stream.push(WELCOME);
  await setImmediate();
  arena.close();
  t.mock.timers.tick(5000);
  assert.equal(seen.told, "");
});

test("an option goes before LANISTA_QUIET", () => {
  for (const [quiet, variable, expected] of /** @type {const} */ ([
    [undefined, undefined, false],
    [undefined, "1", true],
    [undefined, "0", false],
    [true, undefined, true],
    [false, "1", false],
  ])) {
    assert.equal(isQuiet({ quiet }, { LANISTA_QUIET: variable }), expected);
  }
});
