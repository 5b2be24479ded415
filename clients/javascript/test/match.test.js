/** A match through the client: bytes in, states and bytes out (PROTOCOL.md 3 to 5). */

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  AngryMobState,
  ArenaError,
  connect,
  DIRECTIONS,
  DOWN,
  LEFT,
  RIGHT,
  State,
  UP,
} from "../src/index.js";
import { LineReader, MOST } from "../src/lines.js";
import { FORFEIT, nextOf, serve, START, TURN_0, TURN_1, WELCOME, wired } from "./scripted.js";

const MATCH = `${WELCOME}${START}${TURN_0}${TURN_1}${FORFEIT}bye\n`;

/**
 * Play on, each answer telling the turn; what was seen of each state.
 * @param {import("../src/arena.js").Arena<any>} arena
 */
async function played(arena) {
  const seen = [];
  for await (const state of arena) {
    const cells = [state.mine, state.theirs, state.neutral].map((units) => [...units]);
    seen.push([state.turn, ...cells, state.moved]);
    arena.send([[state.turn, 0, 0, 0]]);
  }
  return seen;
}

/** @param {string} text */
function linesOf(text) {
  return text.split(/(?<=\n)/);
}

/** @returns {Promise<AngryMobState>} */
async function firstState(said = MATCH) {
  return nextOf(wired(said).arena);
}

test("a match over a socket: nothing is sent before it is asked for, one line a turn", async () => {
  const { port, done } = await serve(
    { hears: "Ann Lee v=1 game=angrymob\n" },
    { says: WELCOME + START + TURN_0 },
    { hears: "2 1 1 1\n" },
    { says: TURN_1 },
    { hears: "1 1 1 0 1 1 1 1\n" },
    { says: `${FORFEIT}bye\n` },
  );
  const arena = await connect({ name: "Ann Lee", game: "angrymob", port });
  const turns = [];
  for await (const state of arena) {
    turns.push(state.turn);
    if (state.turn === 0) arena.send([[2, 1, 1, UP]]);
    else {
      arena.send([
        [1, 1, 1, RIGHT],
        [1, 1, 1, UP],
      ]);
    }
  }
  assert.equal(await done, "");
  assert.deepEqual(turns, [0, 1]);
  assert.deepEqual({ ...arena.result }, { end: "forfeit", ranks: [1, 2], scores: [2, 2] });
});

test("the facts of the match", async () => {
  const state = await firstState();
  assert.ok(state instanceof AngryMobState);
  assert.deepEqual([state.match, state.game, state.seat], ["01JDEXAMPLE", "angrymob", 0]);
  assert.deepEqual(state.players, ["Ann Lee", "Böb"]);
  assert.deepEqual(state.clock, [20, 0.2]);
  assert.equal(state.seed, 52011);
  assert.deepEqual({ ...state.settings }, { move_limit: 2400 });
  assert.deepEqual([state.rows, state.cols], [6, 7]);
  assert.deepEqual(state.bases, [
    [2, 1],
    [3, 5],
  ]);
  assert.deepEqual([state.base, state.enemyBase], state.bases);
  assert.equal(state.neutral.size, 12); // counted on the page
  assert.deepEqual([state.neutral.get([1, 4]), state.neutral.get([4, 2])], [3, 3]);
  assert.deepEqual(state.startFacts.row?.[0], ["0", ".", "1", ".", ".", "#", "#", "2"]);
});

test("the other seat sees itself as mine", async () => {
  const state = await firstState(MATCH.replace("seat 0", "seat 1"));
  assert.deepEqual(
    [state.base, state.enemyBase],
    [
      [3, 5],
      [2, 1],
    ],
  );
  assert.deepEqual([...state.mine], [[[3, 5], 1]]);
  assert.deepEqual([...state.theirs], [[[2, 1], 1]]);
});

test("outside the map nothing is passable; directions are those of the rules", async () => {
  const state = await firstState();
  assert.deepEqual(
    [state.passable(2, 1), state.passable(0, 1), state.passable(0, 4)],
    [true, true, false],
  );
  assert.deepEqual(
    [state.passable(-1, 0), state.passable(0, -1), state.passable(6, 0), state.passable(0, 7)],
    [false, false, false, false],
  );
  assert.deepEqual(state.neighbours(2, 1), [
    [RIGHT, [2, 2]],
    [UP, [1, 1]],
    [LEFT, [2, 0]],
    [DOWN, [3, 1]],
  ]);
  assert.deepEqual(state.neighbours(0, 0), [[RIGHT, [0, 1]]]);
  assert.deepEqual(state.neighbours(-2, 0), []);
  assert.deepEqual(DIRECTIONS, [
    [0, 1],
    [-1, 0],
    [0, -1],
    [1, 0],
  ]);
});

test("distances: around impassable cells, never through `blocked`, up to `within`", async () => {
  const state = await firstState();
  const steps = state.distances([[0, 1]]);
  assert.deepEqual([steps.size, steps.get([2, 1]), steps.get([5, 6])], [32, 2, 10]);
  assert.equal(state.distances([[0, 1]], { blocked: [[1, 1]] }).get([2, 1]), 4);
  assert.deepEqual(
    [...state.distances([[0, 1]], { within: 1 })],
    [
      [[0, 1], 0],
      [[0, 2], 1],
      [[0, 0], 1],
      [[1, 1], 1],
    ],
  );
  assert.equal(state.distances([[-1, 0]]).size, 0);
});

test("units are new each turn, neutral ones are kept and corrected (PROTOCOL.md 5)", async () => {
  const { arena } = wired(MATCH);
  const state = await nextOf(arena);
  assert.deepEqual(state.moved, [[], []]);
  assert.equal(state.neutral.get([1, 1]), 1);
  arena.send();
  assert.equal(await nextOf(arena), state);
  assert.equal(state.turn, 1);
  assert.deepEqual([...state.mine], [[[1, 1], 2]]);
  assert.deepEqual([...state.theirs], [[[4, 5], 2]]);
  assert.deepEqual(state.totals, [2, 2]);
  assert.deepEqual(state.moved, [[[2, 1, 1, 1]], [[3, 5, 1, 3]]]);
  assert.equal(state.neutral.size, 10); // 12 less the two that were recruited
  assert.equal(state.neutral.has([1, 1]), false);
  assert.deepEqual(state.facts.neutral, [
    ["1", "1", "0"],
    ["4", "5", "0"],
  ]);
});

test("units come in the order of their lines", async () => {
  const cells = ["0 1", "0 2", "3 0", "4 0", "5 4"];
  const units = cells.map((cell) => `unit ${cell} 0 1\n`).join("");
  const state = await firstState(`${WELCOME}${START}turn 0\n${units}go\n`);
  assert.deepEqual(
    [...state.mine.keys()].map((cell) => cell.join(" ")),
    cells,
  );
});

test("a neutral number may change to another", async () => {
  const state = await firstState(`${WELCOME}${START}turn 0\nneutral 1 1 7\nneutral 0 0 2\ngo\n`);
  assert.deepEqual([state.neutral.get([1, 1]), state.neutral.get([0, 0])], [7, 2]);
});

test("the final position has no go: it is in arena.state after the loop", async () => {
  const final =
    "turn 2\nunit 3 5 0 4\ntotal 0 4\ntotal 1 0\n" +
    "end finished\nrank 0 1\nrank 1 2\nscore 0 4\nscore 1 0\nbye\n";
  const { arena } = wired(WELCOME + START + TURN_0 + final);
  assert.deepEqual(
    (await played(arena)).map(([turn]) => turn),
    [0],
  );
  assert.equal(arena.state.turn, 2);
  assert.deepEqual([...arena.state.mine], [[[3, 5], 4]]);
  assert.equal(arena.state.theirs.size, 0);
  assert.equal(arena.result?.end, "finished");
});

test("order between start, turn and go means nothing (PROTOCOL.md 3)", async () => {
  const straight = wired(MATCH);
  const expected = await played(straight.arena);
  const [first = "", ...rest] = linesOf(START);
  const [turn, ...facts] = linesOf(TURN_1);
  const go = facts.pop();
  const turned = [turn, ...facts.reverse(), go].join("");
  const said = [WELCOME, first, ...rest.reverse(), TURN_0, turned, FORFEIT, "bye\n"].join("");
  const crossed = wired(said);
  assert.deepEqual(await played(crossed.arena), expected);
  assert.deepEqual(crossed.arena.state.players, ["Ann Lee", "Böb"]);
  assert.equal(crossed.wire.sent, straight.wire.sent);
});

test("unknown keywords are passed over wherever they stand (PROTOCOL.md 3)", async () => {
  const expected = await played(wired(MATCH).arena);
  const strange = "weather 1 rain\n__proto__ 1\nconstructor x\n\n";
  const said = ["", ...linesOf(MATCH), ""].join(strange);
  assert.deepEqual(await played(wired(said).arena), expected);
  const state = await firstState(MATCH.replaceAll("go\n", "weather 1 rain\nweather 2\n\ngo\n"));
  assert.deepEqual(state.facts.weather, [["1", "rain"], ["2"]]);
});

test("bytes that aren't UTF-8 are no harm", async () => {
  const said = Buffer.concat([
    Buffer.from(WELCOME),
    Buffer.from(START.replace("Böb", "B?b"), "latin1"),
    Buffer.from([0xff, 0xc3, 0x0a]), // the second one begins a character, and the newline ends it
    Buffer.from(TURN_0),
  ]);
  said[said.indexOf("B?b") + 1] = 0xf6;
  const state = await nextOf(wired(said).arena);
  assert.deepEqual(state.players, ["Ann Lee", "B\ufffdb"]);
  assert.equal(state.mine.size, 1);
});

test("split at every byte, and byte by byte, the match is the same", async () => {
  const whole = wired(MATCH);
  const expected = await played(whole.arena);
  const bytes = Buffer.from(MATCH);
  const splits = Array.from(bytes.keys(), (at) => [bytes.subarray(0, at), bytes.subarray(at)]);
  splits.push(Array.from(bytes.keys(), (at) => bytes.subarray(at, at + 1)));
  for (const pieces of splits) {
    const { arena, wire } = wired(...pieces.filter((piece) => piece.length > 0));
    assert.deepEqual(await played(arena), expected);
    assert.equal(wire.sent, whole.wire.sent);
    assert.equal(arena.result?.end, "forfeit");
  }
});

test("cut off at any byte it is disconnected or over (PROTOCOL.md 1)", async () => {
  const bytes = Buffer.from(MATCH);
  const ended = bytes.indexOf("end forfeit\n") + "end forfeit\n".length;
  for (const at of bytes.keys()) {
    const { arena } = wired(bytes.subarray(0, at));
    if (at < ended) {
      await assert.rejects(played(arena), { code: "disconnected" });
      assert.equal(arena.result, null);
    } else {
      await played(arena);
      assert.equal(arena.result?.end, "forfeit");
    }
  }
});

test("a line may be long, and what arrives in many pieces is joined once", () => {
  const reader = new LineReader();
  const piece = Buffer.alloc(1 << 16, "é");
  for (let i = 0; i < 100; i++) reader.push(piece);
  assert.equal(reader.shift(), undefined);
  reader.push(Buffer.from("\nnext\nrest"));
  assert.equal(reader.shift(), "é".repeat((100 * (1 << 16)) / 2));
  reader.push(Buffer.from(" of it\n"));
  assert.deepEqual(
    [reader.shift(), reader.shift(), reader.shift()],
    ["next", "rest of it", undefined],
  );
  reader.push(Buffer.from("last\n"));
  assert.deepEqual([reader.shift(), reader.shift()], ["last", undefined]);
});

test("lines that are not taken, and the bytes of one without end, are held up to a limit", () => {
  for (const text of ["x", "x\n"]) {
    const reader = new LineReader();
    for (let turn = 0; turn < 3; turn++) {
      reader.push(Buffer.alloc(MOST / 2, text));
      reader.allow();
      assert.equal(reader.isExhausted, turn > 0);
    }
    while (reader.shift() !== undefined);
    reader.allow();
    assert.equal(reader.isExhausted, true, "what came last is lost");
  }
});

/** @type {[string, string][]} */
const UNREADABLE = [
  ["a go without its turn", `${WELCOME}${START}go\n`],
  ["a turn before a match", `${WELCOME}turn 0\n`],
  ["a turn that is no number", `${WELCOME}${START}turn zero\n`],
  ["a match without a seat", `${WELCOME}${START.replace("seat 0\n", "")}${TURN_0}`],
  ["a match without a map", `${WELCOME}${START.replace(/^row .*\n/gm, "")}${TURN_0}`],
  ["units that are no numbers", WELCOME + START + TURN_0.replace("2 1 0 1", "2 1 0 x")],
  ["units without a number", WELCOME + START + TURN_0.replace("2 1 0 1", "2 1 0")],
  ["an error without a code", "error\n"],
  ["a rank of nobody", `${WELCOME}${START}${TURN_0}end finished\nrank x 1\nbye\n`],
];

for (const [what, said] of UNREADABLE) {
  test(`${what} is unreadable`, async () => {
    const { arena } = wired(said);
    await assert.rejects(
      async () => {
        for await (const _ of arena) arena.send();
      },
      (error) => {
        assert.ok(error instanceof ArenaError);
        assert.equal(error.code, "unreadable");
        assert.match(error.words, /^the client can't use '.*'$/);
        return true;
      },
    );
    assert.deepEqual(await arena.next(), { value: undefined, done: true });
  });
}

test("whatever comes is a match or an arena error", async () => {
  const known = linesOf(MATCH);
  const keywords =
    "start turn go end rank score note wait bye error unit row size neutral total set";
  const words = ["", "-", "x", "0", "1", "-3", "99", "2.5", "#", "é", "1e3"];
  let seed = 1;
  /** @param {number} n */
  const below = (n) => {
    seed = (seed * 48271) % 0x7fffffff;
    return seed % n;
  };
  /** @template T @param {T[]} from @returns {T} */
  const any = (from) => /** @type {T} */ (from[below(from.length)]);
  const line = () =>
    below(2)
      ? any(known)
      : [any(keywords.split(" ")), ...words.filter(() => !below(3))].join(" ") + "\n";
  for (let run = 0; run < 500; run++) {
    const noise = Array.from({ length: below(40) }, line).join("");
    const { arena } = wired((run % 2 ? WELCOME + START : "") + noise);
    try {
      for await (const _ of arena) arena.send();
    } catch (error) {
      assert.ok(error instanceof ArenaError, `run ${run}: ${error}`);
    }
    assert.deepEqual(await arena.next(), { value: undefined, done: true });
  }
});

const OTHER = `\
start 7
game chess
seat 2
player 0 A
player 1 B
player 2 C
player 3 D
clock 0 0
seed 0
set rounds 120
set risk 0.25
set original 1
set label deep end
size 60 60
turn 0
unit 4 w 2 1 1 0 0
unit 7 g 2 5 5 0 0
spell 1 2 3
go
end finished
score 0 10
score 1 10.5
score 2 -3
score 3 0
rank 3 3
rank 2 4
rank 1 1
rank 0 2
bye
`;

test("a game without a class of its own is played by its facts", async () => {
  const { arena, wire } = wired(WELCOME + OTHER);
  for await (const state of arena) {
    assert.equal(Object.getPrototypeOf(state), State.prototype);
    assert.deepEqual(state.startFacts.size, [["60", "60"]]);
    assert.deepEqual(state.facts.unit, [
      ["4", "w", "2", "1", "1", "0", "0"],
      ["7", "g", "2", "5", "5", "0", "0"],
    ]);
    arena.send([
      ["m", 4, 2],
      ["s", 7, ...Array(15).keys()],
    ]);
  }
  assert.equal(wire.sent, "m 4 2 s 7 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14\n");
  const settings = { rounds: 120, risk: 0.25, original: 1, label: "deep end" };
  assert.deepEqual({ ...arena.state.settings }, settings);
  assert.deepEqual(arena.state.clock, [0, 0]);
  assert.deepEqual(arena.result?.ranks, [2, 1, 4, 3]);
  assert.deepEqual(arena.result?.scores, [10, 10.5, -3, 0]);
});
