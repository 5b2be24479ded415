/** TLS: the option and the environment, what is told when there is none, and a match over it. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, Socket } from "node:net";
import { test } from "node:test";
import { createServer as createTlsServer } from "node:tls";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";

import { clock } from "../src/connector.js";
import { opening } from "../src/hello.js";
import { connect } from "../src/index.js";
import { secured } from "../src/tls.js";
import { FORFEIT, nextOf, START, TURN_0, TURN_1, WELCOME } from "./scripted.js";

const folder = new URL("../../../tests/arena/certificates/", import.meta.url);
const pathOf = (/** @type {string} */ name) => fileURLToPath(new URL(name, folder));
const identity = (/** @type {string} */ certificate, /** @type {string} */ key) => ({
  cert: readFileSync(pathOf(certificate)),
  key: readFileSync(pathOf(key)),
});
/** Of localhost and 127.0.0.1, signed by itself; and its file. */
const LOCALHOST = identity("localhost.pem", "localhost.key");
const CA = pathOf("localhost.pem");

/**
 * Listen on a port of this machine until the test is over; bots may break their connections.
 *
 * @param {import("node:test").TestContext} t
 * @param {import("node:net").Server} server
 */
async function listening(t, server) {
  /** @type {Set<import("node:stream").Duplex>} */
  const open = new Set();
  const keep = (/** @type {import("node:stream").Duplex} */ socket) => {
    open.add(socket.on("error", () => {}));
  };
  server.on("connection", keep).on("secureConnection", keep);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(async () => {
    for (const socket of open) socket.destroy();
    server.close();
    await once(server, "close");
  });
  return /** @type {import("node:net").AddressInfo} */ (server.address()).port;
}

/**
 * An arena that says this to each bot, once it has heard the hello.
 *
 * @param {import("node:test").TestContext} t
 * @param {string[]} said connection after connection
 */
async function arenaSaying(t, ...said) {
  const heard = /** @type {string[]} */ ([]);
  const server = createTlsServer(LOCALHOST, (socket) => {
    socket.once("data", (data) => {
      heard.push(String(data));
      socket.resume().end(said.shift() ?? "");
    });
  });
  return { port: await listening(t, server), heard };
}

/** @type {[any, Record<string, string>, ReturnType<typeof opening>["tls"]][]} */
const GIVEN = [
  [{}, {}, null],
  [{}, { LANISTA_TLS: "" }, null],
  [{}, { LANISTA_TLS: "0", LANISTA_TLS_CA: "e.pem" }, null],
  [{}, { LANISTA_TLS: "1" }, { file: null, whose: "LANISTA_TLS_CA" }],
  [{}, { LANISTA_TLS: "1", LANISTA_TLS_CA: "e.pem" }, { file: "e.pem", whose: "LANISTA_TLS_CA" }],
  [{ tlsCa: "o.pem" }, { LANISTA_TLS: "1" }, { file: "o.pem", whose: "tlsCa" }],
  [{ tls: true, tlsCa: "" }, { LANISTA_TLS: "no" }, { file: null, whose: "LANISTA_TLS_CA" }],
  [{ tls: false, tlsCa: "o.pem" }, { LANISTA_TLS: "1" }, null],
];

for (const [options, environment, tls] of GIVEN) {
  test(`options, then the environment: ${JSON.stringify([options, environment])}`, () => {
    assert.deepEqual(opening({ name: "A", ...options }, environment).tls, tls);
  });
}

const DAMAGED = pathOf("../test_tls.py"); // a text that is no certificate

/** @type {[any, Record<string, string>, string][]} */
const REFUSED = [
  [{}, { LANISTA_TLS: "yes" }, "LANISTA_TLS must be 1 for TLS or 0 for plain text, not 'yes'"],
  [{ tls: "1" }, {}, "tls must be true or false, not '1'"],
  [{ tls: true, tlsCa: 7 }, {}, "tlsCa must be the name of a file, not 7"],
  [{ tlsCa: CA }, {}, "tlsCa is of no use without TLS: add tls: true"],
  [{ tls: true, tlsCa: "no.pem" }, {}, "tlsCa: no.pem can't be read: no such file or directory"],
  [{ tls: true, tlsCa: DAMAGED }, {}, `tlsCa: ${DAMAGED} has no certificate in PEM`],
  [
    { tls: true },
    { LANISTA_TLS_CA: "no.pem" },
    "LANISTA_TLS_CA: no.pem can't be read: no such file or directory",
  ],
];

for (const [options, environment, message] of REFUSED) {
  test(`refused before connecting: ${message}`, async (t) => {
    Object.assign(process.env, environment);
    t.after(() => {
      for (const name of Object.keys(environment)) delete process.env[name];
    });
    await assert.rejects(connect({ name: "A", port: 1, ...options }), {
      name: "TypeError",
      message,
    });
  });
}

test("a match over TLS, and again after a break", async (t) => {
  t.mock.method(clock, "pause", async () => {});
  t.mock.method(process.stderr, "write", () => true);
  const setNoDelay = t.mock.method(Socket.prototype, "setNoDelay");
  const setKeepAlive = t.mock.method(Socket.prototype, "setKeepAlive");
  const connecting = t.mock.method(Socket.prototype, "connect");
  const { port, heard } = await arenaSaying(
    t,
    WELCOME + START + TURN_0 + "turn 1\nunit",
    `${WELCOME}${START}${TURN_1}${FORFEIT}bye\n`,
  );
  const arena = await connect({ name: "A", port, tls: true, tlsCa: CA, reconnect: true });
  const turns = [];
  for await (const state of arena) {
    turns.push(state.turn);
    arena.send();
  }
  assert.deepEqual(turns, [0, 1]);
  assert.equal(arena.result?.end, "forfeit");
  assert.deepEqual(heard, ["A v=1\n", "A v=1\n"]);
  assert.deepEqual(
    setNoDelay.mock.calls.map((call) => call.arguments),
    [[true], [true]],
  );
  assert.equal(setKeepAlive.mock.callCount(), 2);
  // A distant arena may take longer to answer than Node's 250 ms, also at the first of its addresses.
  const options = /** @type {any} */ (connecting.mock.calls[0].arguments[0]);
  assert.equal(options.autoSelectFamilyAttemptTimeout, 2000);
});

test("a host's name is looked up, told to the arena and checked", async (t) => {
  const names = /** @type {unknown[]} */ ([]);
  const server = createTlsServer(LOCALHOST, (socket) => {
    names.push(socket.servername);
    socket.resume().end("error shutdown\n");
  });
  const port = await listening(t, server);
  for (const host of ["localhost", "127.0.0.1"]) {
    const arena = await connect({ name: "A", host, port, tls: true, tlsCa: CA });
    await assert.rejects(arena.next(), { code: "shutdown" });
  }
  assert.deepEqual(names, ["localhost", false]);
});

/** @type {[string, () => import("node:net").Server, string | null, string][]} */
const FAILING = [
  [
    "nobody vouches for the certificate",
    () => createTlsServer(LOCALHOST),
    null,
    "its certificate isn't trusted (self-signed certificate); " +
      "to trust it, name a file with it or its issuer's in LANISTA_TLS_CA",
  ],
  [
    "another issuer is trusted",
    () => createTlsServer(identity("valid.pem", "arena.key")),
    CA,
    "its certificate isn't trusted (self-signed certificate); " +
      "to trust it, name a file with it or its issuer's in LANISTA_TLS_CA",
  ],
  [
    "the certificate is another host's",
    () => createTlsServer(identity("valid.pem", "arena.key")),
    pathOf("valid.pem"),
    "its certificate is for other names than 127.0.0.1; connect by one of those",
  ],
  [
    "the certificate is old",
    () => createTlsServer(identity("expired.pem", "arena.key")),
    pathOf("expired.pem"),
    "its certificate has expired",
  ],
  [
    "the certificate's time hasn't come",
    () => createTlsServer(identity("future.pem", "arena.key")),
    pathOf("future.pem"),
    "its certificate isn't valid yet by this machine's clock",
  ],
  [
    "the arena speaks plain text",
    () => createServer((socket) => void socket.resume().end("error bad-hello a TLS handshake\n")),
    CA,
    "the arena there speaks plain text; connect without TLS",
  ],
  [
    "the arena has no place",
    () => createServer((socket) => void socket.resume().end()),
    CA,
    "the connection ended in the handshake",
  ],
];

for (const [what, serve, ca, why] of FAILING) {
  test(`no TLS is told in one line: ${what}`, async (t) => {
    const port = await listening(t, serve());
    await assert.rejects(connect({ name: "A", port, tls: true, tlsCa: ca }), {
      name: "ArenaError",
      code: "unreachable",
      words: `no TLS with 127.0.0.1:${port}: ${why}`,
    });
  });
}

test("a connection that has ended before the handshake begins isn't waited for", async (t) => {
  const port = await listening(t, createServer((socket) => void socket.end()));
  const plain = new Socket().connect(port, "127.0.0.1");
  await once(plain, "close");
  await assert.rejects(secured(plain, "localhost", port, undefined, 1000), {
    words: `no TLS with localhost:${port}: the connection ended in the handshake`,
  });
});

/** An arena of its own thread: it goes on while the bot computes and reads nothing. */
const BESIDE = `
const { parentPort, workerData } = require("node:worker_threads");
const { identity, flags, first, last } = workerData;
const server = require("node:tls").createServer(identity, (socket) => {
  server.close();
  socket.on("error", () => {});
  socket.once("data", () => {
    socket.write(first);
    socket.once("data", () => {
      Atomics.store(flags, 0, 1);
      Atomics.notify(flags, 0);
      socket.end(last);
      socket.destroySoon();
      socket.on("close", () => {
        Atomics.store(flags, 1, 1);
        Atomics.notify(flags, 1);
      });
    });
  });
});
server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));
`;

test("an answer goes out at once, and what the arena said last is read", async () => {
  const flags = new Int32Array(new SharedArrayBuffer(8));
  const worker = new Worker(BESIDE, {
    eval: true,
    workerData: {
      identity: LOCALHOST,
      flags,
      first: WELCOME + START + TURN_0,
      last: "error late ten turns in a row\n",
    },
  });
  const exited = once(worker, "exit");
  const [port] = await once(worker, "message");
  const arena = await connect({ name: "A", port, tls: true, tlsCa: CA });
  await nextOf(arena);
  arena.send([]);
  // This thread stands still until the arena has the answer, and then until it has closed.
  assert.notEqual(Atomics.wait(flags, 0, 0, 20_000), "timed-out");
  assert.notEqual(Atomics.wait(flags, 1, 0, 20_000), "timed-out");
  arena.log("to nobody");
  arena.log("to nobody");
  await assert.rejects(arena.next(), { message: "late: ten turns in a row" });
  await exited;
});
