/**
 * The connection to the arena, against a WebSocket that is a script: no network, no waiting.
 */

import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";

import {
  CHECK_EVERY,
  CHECK_TIME,
  MAX_FILE,
  MAX_RETRY,
  Link,
} from "../../../server/lanista/page/browser/link.js";
import { settled } from "./fixtures.js";

const HELLO = { type: "hello", api: 1, software: "0", mode: "serve", operator: true, match: null };
const LOBBY = { type: "lobby", manual: true, trouble: null, rooms: [], running: [], recent: [], standings: [] };

/** A socket whose other side is the test. */
class FakeSocket extends EventTarget {
  /** @type {FakeSocket[]} */
  static all = [];

  static get last() {
    return FakeSocket.all[FakeSocket.all.length - 1];
  }

  constructor(url) {
    super();
    this.url = url;
    this.readyState = 0;
    this.sent = [];
    this.bufferedAmount = 0;
    FakeSocket.all.push(this);
  }

  send(data) {
    this.sent.push(typeof data === "string" ? JSON.parse(data) : data);
  }

  close() {
    this.break();
  }

  say(message) {
    this.readyState = 1;
    const data = typeof message === "string" ? message : JSON.stringify(message);
    this.dispatchEvent(new MessageEvent("message", { data }));
  }

  break() {
    if (this.readyState !== 3) {
      this.readyState = 3;
      this.dispatchEvent(new Event("close"));
    }
  }
}

const real = globalThis.WebSocket;

beforeEach(() => {
  FakeSocket.all = [];
  globalThis.WebSocket = FakeSocket;
  mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
});

afterEach(() => {
  globalThis.WebSocket = real;
  mock.timers.reset();
});

/** Make a link that is open. */
function open() {
  const link = new Link("ws://arena/api/1/ws", () => 0);
  FakeSocket.last.say(HELLO);
  return link;
}

/** Collect the states of a link from now on. */
function statesOf(link) {
  const states = [];
  link.addEventListener("state", () => states.push(link.state));
  return states;
}

test("a link is open when the arena has said hello", async () => {
  const link = new Link("ws://arena/api/1/ws");
  const states = statesOf(link);
  const opened = link.opened();

  assert.equal(link.state, "connecting");
  assert.equal(FakeSocket.last.url, "ws://arena/api/1/ws");
  FakeSocket.last.say(HELLO);

  await opened;
  assert.deepEqual(states, ["open"]);
  assert.deepEqual(link.hello, HELLO);
});

test("answers are matched to requests by id, in any order", async () => {
  const link = open();
  const first = link.ask({ do: "open", match: "A" });
  const second = link.ask({ do: "close", match: "B" });
  const [a, b] = FakeSocket.last.sent;

  FakeSocket.last.say({ type: "done", id: b.id });
  FakeSocket.last.say({ type: "head", id: a.id, match: "A" });

  assert.deepEqual(await first, { type: "head", id: a.id, match: "A" });
  assert.deepEqual(await second, { type: "done", id: b.id });
  assert.notEqual(a.id, b.id);
  assert.deepEqual({ ...a, id: 0 }, { do: "open", match: "A", id: 0 });
});

test("a refusal is an error with the arena's message", async () => {
  const link = open();
  const asked = link.ask({ do: "kick", bot: 7 });

  FakeSocket.last.say({ type: "error", id: FakeSocket.last.sent[0].id, words: "no bot 7" });

  await assert.rejects(asked, new Error("no bot 7"));
});

test("requests before the hello are refused, and pending ones fail at a loss", async () => {
  const link = new Link("ws://arena/api/1/ws");
  await assert.rejects(link.ask({ do: "lobby" }), /no connection/);
  FakeSocket.last.say(HELLO);
  const asked = link.ask({ do: "frames", match: "A", from: 3 });

  FakeSocket.last.break();

  await assert.rejects(asked, /was lost/);
  await assert.rejects(link.ask({ do: "lobby" }), /no connection/);
  assert.equal(link.state, "lost");
  assert.equal(link.hello, null);
});

test("attempts come after 0.5 s at least, 10 s at most, and soon again after a hello", () => {
  const link = new Link("ws://arena/api/1/ws", () => 0.999999);
  const delays = [];
  for (let attempt = 0; attempt < 7; attempt += 1) {
    const attempts = FakeSocket.all.length;
    FakeSocket.last.break();
    let waited = 0;
    while (FakeSocket.all.length === attempts) {
      mock.timers.tick(100);
      waited += 100;
    }
    delays.push(waited);
  }

  // 0.5 s doubled at each attempt, up to MAX_RETRY.
  assert.deepEqual(delays, [1000, 2000, 4000, 8000, 10_000, 10_000, 10_000]);
  assert.equal(MAX_RETRY, 10);
  FakeSocket.last.say(HELLO);
  FakeSocket.last.break();
  mock.timers.tick(1000);
  assert.equal(FakeSocket.all.length, 9);
  link.close();
});

test("jitter never makes an attempt come before 0.5 s", () => {
  open();
  FakeSocket.last.break();

  mock.timers.tick(499);
  assert.equal(FakeSocket.all.length, 1);
  mock.timers.tick(1);
  assert.equal(FakeSocket.all.length, 2);
});

test("the state stays lost while attempts fail, until the next hello", () => {
  const link = open();
  const states = statesOf(link);

  FakeSocket.last.break();
  mock.timers.tick(500);
  FakeSocket.last.break();
  mock.timers.tick(500);
  FakeSocket.last.say(HELLO);

  assert.deepEqual(states, ["lost", "open"]);
});

test("a lobby that was requested is requested again after a loss", () => {
  const link = open();
  const heard = [];
  link.addEventListener("lobby", (event) => heard.push(event.detail));
  link.ask({ do: "lobby" }).catch(() => {});
  FakeSocket.last.say({ ...LOBBY, id: FakeSocket.last.sent[0].id });
  FakeSocket.last.say(LOBBY);

  FakeSocket.last.break();
  mock.timers.tick(500);
  FakeSocket.last.say(HELLO);

  assert.deepEqual(
    FakeSocket.last.sent.map((message) => message.do),
    ["lobby"],
  );
  assert.equal(heard.length, 2);
  assert.deepEqual(link.lobby, LOBBY);
});

test("a lobby that wasn't requested isn't requested after a loss", () => {
  open();
  FakeSocket.last.break();
  mock.timers.tick(500);
  FakeSocket.last.say(HELLO);

  assert.deepEqual(FakeSocket.last.sent, []);
});

test("requests of a hello listener are sent before all others", () => {
  const link = open();
  link.ask({ do: "lobby" }).catch(() => {});
  link.addEventListener("hello", () => {
    link.ask({ do: "token", token: "T" }).catch(() => {});
  });

  FakeSocket.last.break();
  mock.timers.tick(500);
  FakeSocket.last.say(HELLO);

  assert.deepEqual(
    FakeSocket.last.sent.map((message) => message.do),
    ["token", "lobby"],
  );
});

test("a file is a message with its size and then its bytes", async () => {
  const link = open();
  const blob = new Blob(["12345"]);
  const sent = link.send(blob, { do: "file", name: "x.res" });
  const [message, bytes] = FakeSocket.last.sent;

  FakeSocket.last.say({ type: "head", id: message.id, match: "file-1" });

  assert.deepEqual({ ...message, id: 0 }, { do: "file", name: "x.res", size: 5, id: 0 });
  assert.equal(await bytes.text(), "12345");
  assert.equal((await sent).match, "file-1");
});

test("a file that is too large isn't sent", async () => {
  const link = open();
  const blob = { size: MAX_FILE + 1 };

  await assert.rejects(link.send(blob, { do: "file", name: "x" }), {
    message: "the file has 32.0 MiB; the arena takes up to 32 MiB",
  });
  assert.deepEqual(FakeSocket.last.sent, []);
});

for (const garbage of ["HTTP/1.1 200 OK", "null", "3"]) {
  test(`an unreadable message ends the connection: ${garbage}`, () => {
    const link = open();

    FakeSocket.last.say(garbage);

    assert.equal(link.state, "lost");
  });
}

test("a closed link stays closed", () => {
  const link = open();
  link.close();
  mock.timers.tick(60_000);

  assert.equal(FakeSocket.all.length, 1);
  assert.equal(link.state, "lost");
});

test("a connection on which the arena doesn't answer any more is found out and replaced", async () => {
  const link = open();
  const states = statesOf(link);
  const answered = link.check();
  FakeSocket.last.say({ type: "done", id: FakeSocket.last.sent.at(-1).id });
  await answered;
  mock.timers.tick(CHECK_TIME * 1000);
  assert.deepEqual(states, []);
  const lost = link.check();
  FakeSocket.last.break = () => {}; // nobody answers to its end either
  mock.timers.tick(CHECK_TIME * 1000);
  await lost;
  assert.deepEqual(states, ["lost"]);
  mock.timers.tick(MAX_RETRY * 1000);
  FakeSocket.last.say(HELLO);
  assert.deepEqual(states, ["lost", "open"]);
  assert.equal(FakeSocket.all.length, 2);
});

test("a lost connection is found out though nobody looks", async () => {
  const states = statesOf(open());
  mock.timers.tick(CHECK_EVERY * 1000);
  FakeSocket.last.say({ type: "done", id: FakeSocket.last.sent.at(-1).id });
  await settled();
  mock.timers.tick(CHECK_EVERY * 1000);
  mock.timers.tick(CHECK_TIME * 1000); // on a slow line, the answer takes longer
  assert.deepEqual(states, []);
  mock.timers.tick((CHECK_EVERY - CHECK_TIME) * 1000);
  assert.deepEqual(states, ["lost"]);
});

test("a connection on which a file is still being sent isn't taken for lost", () => {
  const link = open();
  const states = statesOf(link);
  FakeSocket.last.bufferedAmount = MAX_FILE;
  void link.check();
  FakeSocket.last.bufferedAmount = MAX_FILE / 2;
  mock.timers.tick(CHECK_TIME * 1000);
  assert.deepEqual(states, []);
  mock.timers.tick(CHECK_TIME * 1000);
  assert.deepEqual(states, ["lost"]);
});
