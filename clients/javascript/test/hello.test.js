/** What the client says first, and from where it knows it (PROTOCOL.md 2). */

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, Socket } from "node:net";
import { test } from "node:test";

import { ArenaError, connect } from "../src/index.js";
import { holding, opening } from "../src/hello.js";
import { serve } from "./scripted.js";

/** @type {[import("../src/hello.js").Options, string][]} */
const HELLOS = [
  [{ name: "CamperJoe" }, "CamperJoe v=1\n"],
  [{ name: "Ann Lee", game: "angrymob" }, "Ann Lee v=1 game=angrymob\n"],
  [
    { name: "A", game: "crematoria", room: "cup-3", seat: 0, token: "9f=" },
    "A v=1 game=crematoria room=cup-3 seat=0 token=9f=\n",
  ],
  [{ name: "Zoë", keep: true, notes: true }, "Zoë v=1 keep=1 notes=1\n"],
  [{ name: "A", game: null, seat: null, keep: false, notes: false }, "A v=1\n"],
  [{ name: "x".repeat(32) }, `${"x".repeat(32)} v=1\n`],
  [{ name: "\u{1f40d}".repeat(32) }, `${"\u{1f40d}".repeat(32)} v=1\n`],
];

for (const [options, hello] of HELLOS) {
  test(`a hello says name and options: ${hello.trim()}`, () => {
    assert.equal(opening(options, {}).hello, hello);
  });
}

test("without anything the arena is on this machine", () => {
  const { host, port } = opening({ name: "A" }, {});
  assert.deepEqual([host, port], ["127.0.0.1", 7777]);
});

const ENVIRONMENT = {
  LANISTA_HOST: "arena",
  LANISTA_PORT: "99",
  LANISTA_NAME: "E",
  LANISTA_TOKEN: "t",
};

test("the environment tells what the options don't", () => {
  assert.deepEqual(opening({}, ENVIRONMENT), {
    host: "arena",
    port: 99,
    tls: null,
    hello: "E v=1 token=t\n",
  });
});

test("a bot started by Lanista stays with it, whatever it says of another arena", () => {
  const elsewhere = { host: "other", port: 1, token: "u", room: "pit", tls: true, reconnect: true };
  const held = holding({ name: "A", keep: true, ...elsewhere }, { LANISTA_LOCAL: "1" });
  const { host, port, tls, hello } = opening(held, ENVIRONMENT);
  assert.deepEqual([host, port, tls, hello], ["arena", 99, null, "A v=1 token=t keep=1\n"]);
  assert.equal(held.reconnect, false);
  assert.equal(holding(elsewhere, { LANISTA_LOCAL: "0" }), elsewhere);
});

test("options override the environment", () => {
  const options = { name: "A", host: "other", port: 1, token: "u" };
  assert.deepEqual(opening(options, { ...ENVIRONMENT, LANISTA_PORT: "no" }), {
    host: "other",
    port: 1,
    tls: null,
    hello: "A v=1 token=u\n",
  });
});

test("empty variables say nothing", () => {
  const empty = Object.fromEntries(Object.keys(ENVIRONMENT).map((name) => [name, ""]));
  assert.deepEqual(opening({ name: "A" }, empty), {
    host: "127.0.0.1",
    port: 7777,
    tls: null,
    hello: "A v=1\n",
  });
});

/** @type {[any, string][]} */
const REFUSED = [
  [{}, 'the bot has no name: write connect({ name: "MyBot" }) or set LANISTA_NAME'],
  [{ name: "" }, 'the bot has no name: write connect({ name: "MyBot" }) or set LANISTA_NAME'],
  [
    { name: "a=b" },
    "a name is 1 to 32 printable characters, single spaces between, no '=': not 'a=b'",
  ],
  [{ name: "two\nlines" }, "not 'two\\nlines'"],
  [{ name: `${"long ".repeat(30)}\nlines` }, "\\nlines'"],
  [{ name: "two  spaces" }, "single spaces"],
  [{ name: " A" }, "single spaces"],
  [{ name: "a\u2003b" }, "printable"],
  [{ name: "\ud800" }, "printable"],
  [{ name: "x".repeat(33) }, "1 to 32"],
  [{ name: 7 }, "not 7"],
  [{ name: "A", room: "cup 3" }, "room must be one printable word without spaces, not 'cup 3'"],
  [{ name: "A", room: "" }, "room must be"],
  [{ name: "A", game: "" }, "game must be"],
  [{ name: "A", token: "t\n" }, "token must be"],
  [{ name: "A", token: "my secret" }, "token must be"],
  [{ name: "A", port: "http" }, "port must be a port number from 1 to 65535, such as 7777, not 'http'"],
  [{ name: "A", port: 65536 }, "port must be a port number from 1 to 65535, such as 7777, not 65536"],
  [{ name: "A", port: 0 }, "port must be a port number from 1 to 65535, such as 7777, not 0"],
  [
    { name: "A", nane: "B" },
    "no option 'nane'; there are name, game, host, port, token, tls, tlsCa, room, seat, keep, notes",
  ],
];

for (const [options, words] of REFUSED) {
  test(`refused before connecting: ${JSON.stringify(options)}`, async () => {
    await assert.rejects(connect(options), (error) => {
      assert.ok(error instanceof TypeError);
      assert.ok(error.message.includes(words), error.message);
      assert.ok(!error.message.includes("\n"));
      assert.ok(!error.message.includes("secret"), error.message);
      return true;
    });
  });
}

test("a port in the environment that is no number is named", () => {
  assert.throws(() => opening({ name: "A" }, { LANISTA_PORT: "http" }), {
    message: "LANISTA_PORT must be a port number from 1 to 65535, such as 7777, not 'http'",
  });
});

test("the hello is one write, by the environment of the process", async (t) => {
  const { port, done } = await serve({ hears: "E v=1\n" });
  process.env.LANISTA_PORT = String(port);
  process.env.LANISTA_NAME = "E";
  t.after(() => {
    delete process.env.LANISTA_PORT;
    delete process.env.LANISTA_NAME;
  });
  const arena = await connect();
  arena.close();
  assert.equal(await done, "");
});

test("small writes go at once (PROTOCOL.md 1: both sides set TCP_NODELAY)", async (t) => {
  const setNoDelay = t.mock.method(Socket.prototype, "setNoDelay");
  const server = createServer((socket) => socket.resume().on("end", () => socket.end()));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const arena = await connect({ name: "A", port });
  assert.deepEqual(
    setNoDelay.mock.calls.map((call) => call.arguments),
    [[true]],
  );
  arena.close();
  server.close();
  await once(server, "close");
});

test("no arena is told in one line", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  server.close();
  await once(server, "close");
  await assert.rejects(connect({ name: "A", port }), (error) => {
    assert.ok(error instanceof ArenaError);
    assert.equal(error.code, "unreachable");
    assert.equal(
      String(error),
      `ArenaError: unreachable: no arena at 127.0.0.1:${port}; start one with \`lanista serve\``,
    );
    return true;
  });
});

test("of a name with several addresses the first one's error is told", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  server.close();
  await once(server, "close");
  await assert.rejects(connect({ name: "A", host: "localhost", port }), {
    code: "unreachable",
    words: `no arena at localhost:${port}; start one with \`lanista serve\``,
  });
});
