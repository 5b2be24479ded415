/** What a bot's author does with the client, rightly and wrongly. */

import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import { Worker } from "node:worker_threads";

import { ArenaError, connect, MisuseError } from "../src/index.js";
import { FORFEIT, kept, nextOf, serve, START, TURN_0, TURN_1, WELCOME, wired } from "./scripted.js";

/** An arena that asks for turn 0, and what is sent to it. */
async function firstTurn() {
  const { arena, wire } = wired(WELCOME + START + TURN_0);
  await arena.next();
  return { arena, wire };
}

/**
 * Play on, each turn answered with nothing.
 * @param {import("../src/arena.js").Arena} arena
 */
async function playOut(arena) {
  for await (const _ of arena) arena.send();
}

/** @type {[Iterable<Iterable<number | string>>, string][]} */
const ANSWERS = [
  [[], "\n"],
  [[[2, 1, 1, 0]], "2 1 1 0\n"],
  [
    [
      [2, 1, 1, 0],
      [0, 0, -1, 3],
    ],
    "2 1 1 0 0 0 -1 3\n",
  ],
  [new Set([new Set([1, 2, 3, 0])]), "1 2 3 0\n"],
  [[["m", 4, 2]], "m 4 2\n"],
  [[["7", "-3"]], "7 -3\n"],
  [[[-0, 1]], "0 1\n"],
];

for (const [moves, line] of ANSWERS) {
  test(`submoves become one line, written once: ${JSON.stringify(line)}`, async () => {
    const { arena, wire } = await firstTurn();
    arena.send(moves);
    assert.equal(wire.sent, line);
    assert.equal(wire.writes, 1);
  });
}

/** @type {any[]} */
const NO_ANSWERS = [
  "1 1 1 0",
  [1, 1, 1, 0],
  ["1 1 1 0"],
  [["1 1 1 0"]],
  [["1\n1", 1, 0]],
  [["# log"]],
  [[""]],
  [[1.5]],
  [[NaN]],
  [[1e21]],
  [[undefined]],
  [[[1, 2, 3, 0]]],
  [{ i: 1, j: 2 }],
  7,
  null,
  undefined,
];

for (const [at, moves] of NO_ANSWERS.entries()) {
  test(`what is no list of submoves is refused and nothing sent (${at})`, async () => {
    const { arena, wire } = await firstTurn();
    assert.throws(() => arena.send(moves), MisuseError);
    assert.equal(wire.sent, "");
    arena.send([]);
    assert.equal(wire.sent, "\n");
  });
}

test("the refusal says what would be right", async () => {
  const { arena } = await firstTurn();
  assert.throws(() => arena.send(/** @type {any} */ ([7, 8])), {
    name: "MisuseError",
    message: "7 is no submove: send an array of arrays, [[1, 2, 1, 0]]",
  });
  assert.throws(() => arena.send([[1, "two"]]), {
    message: "not integers and letters of the game: 'two' in [ 1, 'two' ]",
  });
});

test("a second answer to a turn is misuse (PROTOCOL.md 4: it would answer the next)", async () => {
  const { arena, wire } = await firstTurn();
  arena.send([]);
  assert.throws(() => arena.send([[2, 1, 1, 0]]), /once for each state/);
  assert.equal(wire.sent, "\n");
});

test("an answer before the first state is misuse", () => {
  const { arena } = wired(WELCOME + START + TURN_0);
  assert.throws(() => arena.send([]), MisuseError);
});

test("a turn without an answer is misuse: both sides would wait", async () => {
  const { arena, wire } = await firstTurn();
  await assert.rejects(arena.next(), {
    name: "MisuseError",
    message:
      "turn 0 wasn't answered: every state needs one arena.send(moves), " +
      "arena.send([]) to do nothing",
  });
  arena.send([]); // it may be answered still
  assert.equal(wire.sent, "\n");
});

test("to wait twice for the next turn is misuse: one of them would never come", async () => {
  const { arena } = wired(WELCOME + START + TURN_0);
  const first = arena.next();
  await assert.rejects(arena.next(), MisuseError);
  assert.equal((await first).value.turn, 0);
});

/** @type {[string, string][]} */
const LOGS = [
  ["plan: wait", "# plan: wait\n"],
  ["one\ntwo\r\nthree\n", "# one\n# two\n# three\n"],
  ["", "# \n"],
  ["a\n\nb", "# a\n# \n# b\n"],
  ["é\u2028\ud800", "# é\n# \ufffd\n"],
];

for (const [text, lines] of LOGS) {
  test(`log lines begin with a number sign: ${JSON.stringify(text)}`, async () => {
    const { arena, wire } = await firstTurn();
    arena.log(text);
    assert.equal(wire.sent, lines);
  });
}

test("long log lines are divided: one past 65,536 bytes loses (PROTOCOL.md 1)", async () => {
  const { arena, wire } = await firstTurn();
  arena.log("\u{1f40d}".repeat(40_000)); // 4 bytes each
  const lines = wire.sent.split("\n").slice(0, -1);
  assert.deepEqual(
    lines.map((line) => [...line].length - "# ".length),
    [8192, 8192, 8192, 8192, 40_000 - 4 * 8192],
  );
  assert.ok(lines.every((line) => line.startsWith("# ") && Buffer.byteLength(line) < 65_536));
});

test("notes are kept (PROTOCOL.md 7: code, turn, the submove's place or `-`, words)", async () => {
  const notes = "note illegal 0 2 no unit in (1, 1)\nnote late 0 -\n";
  const { arena } = wired(WELCOME + START + TURN_0 + notes + FORFEIT + "bye\n");
  await playOut(arena);
  assert.deepEqual(
    arena.notes.map((note) => ({ ...note })),
    [
      { code: "illegal", turn: 0, index: 2, words: "no unit in (1, 1)" },
      { code: "late", turn: 0, index: null, words: "" },
    ],
  );
});

test("an error is thrown with its code, and then the iteration is over", async () => {
  const { arena } = wired("error name-taken Ann is playing already\n");
  await assert.rejects(arena.next(), (error) => {
    assert.ok(error instanceof ArenaError);
    assert.deepEqual([error.code, error.words], ["name-taken", "Ann is playing already"]);
    assert.equal(String(error), "ArenaError: name-taken: Ann is playing already");
    return true;
  });
  assert.deepEqual(await arena.next(), { value: undefined, done: true });
});

test("an error without words is its code", () => {
  assert.equal(new ArenaError("late").message, "late");
});

test("an error does nothing to a terminal", () => {
  const error = new ArenaError("\x1bc", "the\u202e wörd's");
  assert.equal(error.message, "\\u{1b}c: the\\u{202e} wörd's");
  assert.deepEqual([error.code, error.words], ["\x1bc", "the\u202e wörd's"]);
});

test("a shutdown in mid-match is an error (PROTOCOL.md 3: it comes instead of `end`)", async () => {
  const { arena } = wired(WELCOME + START + TURN_0 + "error shutdown\n");
  await assert.rejects(playOut(arena), { code: "shutdown" });
  assert.equal(arena.result, null);
});

for (const loss of ["", "turn 1\nunit", new Error("reset by peer")]) {
  for (const keep of [false, true]) {
    test(`a connection lost in mid-match is an error: ${loss}, ${keep}`, async () => {
      const { arena } = kept(keep, WELCOME + START + TURN_0, loss);
      await assert.rejects(playOut(arena), {
        name: "ArenaError",
        code: "disconnected",
      });
    });
  }
}

test("a connection that ends before a match is an error", async () => {
  const { arena } = wired(WELCOME);
  await assert.rejects(playOut(arena), { code: "disconnected" });
});

/** An arena of its own thread: it goes on while the bot computes and reads nothing. */
const BESIDE = `
const { parentPort, workerData } = require("node:worker_threads");
const server = require("node:net").createServer((socket) => {
  server.close();
  socket.once("data", () => {
    socket.write(workerData.first);
    Atomics.wait(workerData.flags, 0, 0); // the bot has its turn
    socket.end(workerData.last);
    socket.destroySoon();
    socket.on("close", () => {
      Atomics.store(workerData.flags, 1, 1);
      Atomics.notify(workerData.flags, 1);
    });
  });
});
server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));
`;

test("what the arena said before closing is read though sending fails", async () => {
  const flags = new Int32Array(new SharedArrayBuffer(8));
  const worker = new Worker(BESIDE, {
    eval: true,
    workerData: {
      flags,
      first: WELCOME + START + TURN_0,
      last: "error late ten turns in a row\n",
    },
  });
  const exited = once(worker, "exit");
  const [port] = await once(worker, "message");
  const arena = await connect({ name: "A", port });
  await arena.next();
  Atomics.store(flags, 0, 1);
  Atomics.notify(flags, 0);
  Atomics.wait(flags, 1, 0); // the arena has closed: the answer meets nobody, the log a reset
  arena.send([]);
  arena.log("still here");
  arena.log("still here");
  await assert.rejects(arena.next(), { message: "late: ten turns in a row" });
  await exited;
});

test("an answer goes out at once, though the bot computes on", async () => {
  const flags = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(
    `
    const { parentPort, workerData } = require("node:worker_threads");
    const server = require("node:net").createServer((socket) => {
      server.close();
      socket.once("data", () => {
        socket.write(workerData.first);
        socket.once("data", () => {
          Atomics.store(workerData.flags, 0, 1);
          Atomics.notify(workerData.flags, 0);
          socket.end("error shutdown\\n");
        });
      });
    });
    server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));
    `,
    { eval: true, workerData: { flags, first: WELCOME + START + TURN_0 } },
  );
  const exited = once(worker, "exit");
  const [port] = await once(worker, "message");
  const arena = await connect({ name: "A", port });
  await arena.next();
  arena.send([]);
  // This thread stands still until the arena has the answer.
  assert.notEqual(Atomics.wait(flags, 0, 0, 20_000), "timed-out");
  await assert.rejects(arena.next(), { code: "shutdown" });
  await exited;
});

test("leaving the loop closes the connection", async () => {
  const { port, done } = await serve(
    { hears: "A v=1\n" },
    { says: WELCOME + START + TURN_0 },
    { hears: "\n" },
  );
  const arena = await connect({ name: "A", port });
  for await (const _ of arena) {
    arena.send([]);
    break;
  }
  assert.equal(await done, "");
  arena.close(); // once more does no harm
  arena.log("to nobody");
  assert.throws(() => arena.send([]), MisuseError);
  assert.deepEqual(await arena.next(), { value: undefined, done: true });
});

test("an exception in the loop closes the connection", async () => {
  const { port, done } = await serve({ hears: "A v=1\n" }, { says: WELCOME + START + TURN_0 });
  const arena = await connect({ name: "A", port });
  await assert.rejects(async () => {
    for await (const state of arena) throw new RangeError(`at turn ${state.turn}`);
  }, RangeError);
  assert.equal(await done, "");
});

test("closing ends a wait for the next turn", async () => {
  const { arena } = wired(WELCOME + START);
  const waiting = arena.next();
  arena.close();
  assert.deepEqual(await waiting, { value: undefined, done: true });
});

const MATCH_2 = START.replace("01JDEXAMPLE", "01JDSECOND").replace("seat 0", "seat 1") + TURN_0;

test("keep plays match after match", async () => {
  const voided = "end void\nrank 0 1\nrank 1 1\nscore 0 1\nscore 1 1\n";
  const { arena, wire } = kept(
    true,
    `${WELCOME}${START}${TURN_0}note late 0 - x\n${voided}`,
    `${START}${TURN_0}${TURN_1}${FORFEIT}wait 1 2\nwait 2 2\n`,
    `${MATCH_2}${FORFEIT}bye\n`,
  );
  const states = [];
  const seen = [];
  for await (const state of arena) {
    states.push(state);
    seen.push([state.match, state.seat, state.turn, arena.notes.length]);
    arena.send([[state.seat]]);
  }
  assert.deepEqual(seen, [
    ["01JDEXAMPLE", 0, 0, 0],
    ["01JDEXAMPLE", 0, 0, 0],
    ["01JDEXAMPLE", 0, 1, 0],
    ["01JDSECOND", 1, 0, 0],
  ]);
  assert.equal(new Set(states).size, 3);
  assert.deepEqual(
    arena.results.map((result) => result.end),
    ["void", "forfeit", "forfeit"],
  );
  assert.equal(arena.result, arena.results[2]);
  assert.equal(wire.sent, "0\n0\n0\n1\n");
});

for (const last of ["", "wait 1 2\n", "bye\n"]) {
  test(`keep ends well between matches: ${JSON.stringify(last)}`, async () => {
    const { arena } = kept(true, WELCOME + START + TURN_0 + FORFEIT + last);
    await playOut(arena);
    assert.deepEqual(
      arena.results.map((result) => result.end),
      ["forfeit"],
    );
  });
}

test("keep tells a shutdown between matches after the result", async () => {
  const { arena } = kept(true, `${WELCOME}${START}${TURN_0}${FORFEIT}error shutdown\n`);
  await assert.rejects(playOut(arena), { code: "shutdown" });
  assert.equal(arena.result?.end, "forfeit");
});

test("without keep one match is all, even if the arena began another", async () => {
  const { arena } = wired(WELCOME + START + TURN_0 + FORFEIT + MATCH_2);
  for await (const state of arena) {
    assert.equal(state.match, "01JDEXAMPLE");
    arena.send([]);
  }
  assert.equal(arena.results.length, 1);
});

test("a game may be given a class of its own", async () => {
  const { GAMES, State } = await import("../src/index.js");
  class Chess extends State {
    get board() {
      return this.facts.board;
    }
  }
  GAMES.set("chess", Chess);
  try {
    const start = START.replace("game angrymob", "game chess");
    const { arena } = wired(`${WELCOME}${start}turn 0\nboard empty\ngo\n`);
    const state = await nextOf(arena);
    assert.ok(state instanceof Chess);
    assert.deepEqual(state.board, [["empty"]]);
  } finally {
    GAMES.delete("chess");
  }
});
