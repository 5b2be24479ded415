/**
 * The frames of a match: decoding of differences, random access, fetching (docs/api.md, "Frames").
 */

import assert from "node:assert/strict";
import { test } from "node:test";

import { BadDataError, positionOf, readFrame, readHead } from "../../../server/lanista/page/browser/decode.js";
import { MatchFrames, READ_AHEAD } from "../../../server/lanista/page/browser/match_frames.js";
import { FakeLink, headOf, mark, seen, settled, walk, walked } from "./fixtures.js";

const END = { type: "end", seed: "5", trouble: null, result: null };

/** Collect the messages of all `trouble` events from now on. */
function troubles(match) {
  const reported = [];
  match.addEventListener("trouble", ({ detail }) => reported.push(detail));
  return reported;
}

test("complete data gives every position, in any order", () => {
  const match = MatchFrames.fromData({ head: headOf(), frames: walk(65), end: END });
  assert.equal(match.count, 65);
  assert.equal(match.over, true);
  assert.deepEqual(match.end, END);
  for (const n of [64, 0, 19, 20, 21, 40, 39, 1, 63, 5]) {
    const position = match.position(n);
    assert.equal(position.n, n);
    assert.deepEqual(seen(position), walked(n));
    assert.equal(position.marks.length, 2);
  }
});

test("positions that were dropped from the cache are built again", () => {
  const match = MatchFrames.fromData({ head: headOf(), frames: walk(400), end: END });
  const first = match.position(3);
  for (let n = 0; n < 400; n += 1) {
    assert.deepEqual(seen(match.position(n)), walked(n));
  }
  assert.notEqual(match.position(3), first);
  assert.deepEqual(seen(match.position(3)), walked(3));
});

test("a mark that stays is the same object, and so is ground that doesn't change", () => {
  const match = MatchFrames.fromData({ head: headOf(), frames: walk(12), end: END });
  const gem = (position) => position.marks.find(({ shape }) => shape === "gem");
  assert.equal(gem(match.position(9)), gem(match.position(8)));
  assert.equal(match.position(9).own, match.position(8).own);
  assert.notEqual(match.position(2).own, match.position(1).own);
  assert.equal(match.position(9), match.position(9));
});

test("there is no frame before the first, after the last, or between two", () => {
  const match = MatchFrames.fromData({ head: headOf(), frames: walk(3), end: END });
  for (const n of [-1, 3, 1000, 0.5, NaN]) {
    assert.equal(match.position(n), null);
  }
  assert.equal(match.frame(2).n, 2);
  assert.equal(match.frame(3), null);
});

test("a position has everything that its frame has", () => {
  const play = { turn: 1, limit: 0.2, verdicts: ["answer"], raw: ["x"], times: [null] };
  const { scene } = headOf();
  const frame = {
    n: 0,
    turn: 4,
    key: true,
    own: [11, 1],
    marks: [mark(2, 3, { health: 0.25, unit: 3, lines: ["furyan 3", "health 20 of 80"] })],
    lit: [[1, 2]],
    scores: [1, 2],
    captions: ["a", "b"],
    stats: [[1, "x"], [2, "y"]],
    arrows: [[0, 0, 0, 1, 1, "12"]],
    captured: [3, 1],
    events: [[-1, "it rained"], [0, "converted wizard 9", [9], [5, 11]]],
    play,
  };
  const position = positionOf(scene, readFrame(frame, scene, 0), null);
  assert.deepEqual([...position.lit], [0, 1, 1, 0]);
  assert.equal(position.own[11], 1);
  assert.deepEqual(position.marks, [
    {
      row: 2,
      col: 3,
      seat: 0,
      shape: "disc",
      text: "w",
      unit: 3,
      health: 0.25,
      lines: ["furyan 3", "health 20 of 80"],
    },
  ]);
  assert.deepEqual(position.stats, [[1, "x"], [2, "y"]]);
  assert.deepEqual(position.arrows, [{ row: 0, col: 0, toRow: 0, toCol: 1, seat: 1, text: "12" }]);
  assert.deepEqual([...position.captured], [[3, 1]]);
  assert.deepEqual(position.events, [
    { seat: -1, text: "it rained", units: [], cells: [] },
    {
      ...{ seat: 0, text: "converted wizard 9", units: [9] },
      cells: [{ row: 1, col: 1 }, { row: 2, col: 3 }],
    },
  ]);
  assert.equal(position.play, play);
});

test("ground can lose its owner", () => {
  const [first] = walk(1);
  const second = { n: 1, turn: 1, own: [0, -1], gone: [], marks: [], scores: [], captions: [] };
  const match = MatchFrames.fromData({ head: headOf(), frames: [first, second], end: END });
  assert.equal(match.position(0).own[0], 0);
  assert.equal(match.position(1).own[0], -1);
});

for (const [what, change, message] of [
  ["another number than expected", { n: 3 }, /no frame 0/],
  ["a cell outside", { own: [12, 0] }, /`own`/],
  ["a cell without a seat", { own: [1] }, /`own`/],
  ["a mark outside", { marks: [mark(3, 0)] }, /mark/],
  ["a mark without a shape", { marks: [[0, 0, 0]] }, /mark/],
  ["a mark that isn't a list", { marks: [7] }, /mark/],
  ["nothing about what is gone", { key: undefined }, /gone/],
  ["light outside", { lit: [[3, 2]] }, /lit/],
  ["an arrow to a cell outside", { arrows: [[0, 0, 0, 4, 0, "1"]] }, /arrow/],
  ["an event without a text", { events: [[0]] }, /event/],
  ["no scores", { scores: null }, /scores/],
]) {
  test(`a frame with ${what} is refused`, () => {
    const frame = { ...walk(1)[0], ...change };
    const data = { head: headOf(), frames: [frame], end: END };
    assert.throws(() => MatchFrames.fromData(data), (error) => error instanceof BadDataError && message.test(error.message));
  });
}

for (const [what, head] of [
  ["nothing", null],
  ["no scene", { ...headOf(), scene: undefined }],
  ["no cells", headOf({ rows: 0, ground: [] })],
  ["ground of another size", headOf({ ground: ["....", "....", "..."] })],
  ["a level outside", headOf({ levels: [{ title: "", col: 1, cols: 4, wraps: false }] })],
  ["a base outside", headOf({ owners: [[3, 0, 0]] })],
  ["more cells than can be", headOf({ rows: 3000, cols: 3000 })],
  ["nameless players", { ...headOf(), players: [{}] }],
]) {
  test(`a head with ${what} is refused`, () => {
    assert.throws(() => readHead(head), BadDataError);
  });
}

test("removing a mark that isn't there is trouble, reported once", () => {
  const frames = walk(3);
  frames[2] = { ...frames[2], gone: [9] };
  const match = MatchFrames.fromData({ head: headOf(), frames, end: END });
  const reported = troubles(match);
  assert.equal(match.position(2), null);
  assert.equal(match.position(2), null);
  assert.deepEqual(reported, ["frame 2 of the match: there is no mark 9 to remove"]);
  assert.deepEqual(seen(match.position(1)), walked(1));
});

test("differences with nothing before them are refused", () => {
  const frames = walk(3).slice(1).map((frame, n) => ({ ...frame, n }));
  assert.throws(() => MatchFrames.fromData({ head: headOf(), frames, end: END }), BadDataError);
});

test("a missing frame is fetched, with those before it up to a key frame and those ahead", async () => {
  const link = new FakeLink(walk(300));
  const match = await MatchFrames.fromLink(link, "M1");
  assert.deepEqual(link.froms, []);
  assert.equal(match.position(150), null);
  await settled();
  assert.equal(match.count, 300);
  assert.deepEqual(seen(match.position(150)), walked(150));
  // All frames are loaded from the key frame to those read ahead, but not the rest.
  assert.notEqual(match.frame(140), null);
  assert.notEqual(match.frame(150 + READ_AHEAD), null);
  assert.equal(match.frame(299), null);
  assert.equal(match.frame(100), null);
});

test("no range is requested twice, whatever is wanted meanwhile", async () => {
  const link = new FakeLink(walk(300));
  const match = await MatchFrames.fromLink(link, "M1");
  for (let n = 0; n < 90; n += 1) {
    match.position(n);
    match.load(n);
  }
  await settled();
  for (let n = 0; n < 300; n += 1) {
    match.position(n);
    await settled();
  }
  assert.equal(match.frame(299).n, 299);
  assert.equal(new Set(link.froms).size, link.froms.length);
});

test("playing backwards reads ahead backwards", async () => {
  const link = new FakeLink(walk(300));
  const match = await MatchFrames.fromLink(link, "M1");
  match.load(290);
  await settled();
  match.load(200);
  await settled();
  assert.notEqual(match.frame(200 - READ_AHEAD), null);
  assert.equal(match.frame(100), null);
});

test("loadAll fetches all frames", async () => {
  const link = new FakeLink(walk(300));
  const match = await MatchFrames.fromLink(link, "M1");
  match.loadAll();
  await settled();
  assert.deepEqual([...Array(300).keys()].filter((n) => match.frame(n) === null), []);
  assert.equal(match.over, true);
  assert.equal(match.end.seed, "5");
});

test("the end of a match that is over is fetched once", async () => {
  const link = new FakeLink(walk(5));
  const match = await MatchFrames.fromLink(link, "M1");
  match.load(0);
  await settled();
  assert.equal(match.end.seed, "5");
  match.load(4);
  await settled();
  assert.deepEqual(link.froms, [0, 5]);
});

test("a match has fewer frames than its record promised if the end says so", async () => {
  const link = new FakeLink(walk(5));
  const answer = link.frames.bind(link);
  link.frames = (from, known) => ({ ...answer(from, known), count: 9, over: true });
  const match = await MatchFrames.fromLink(link, "M1");
  match.load(0);
  await settled();
  assert.deepEqual([match.count, match.over], [5, true]);
});

test("following fetches the newest frame first, then each new one, then the end", async () => {
  const link = new FakeLink(walk(45), { over: false });
  const match = await MatchFrames.fromLink(link, "M1");
  match.follow();
  await settled();
  assert.equal(match.count, 45);
  assert.deepEqual(seen(match.position(44)), walked(44));
  // One request waits for frame 45.
  assert.deepEqual(link.froms, [-1, 45]);
  link.grow(walk(46));
  await settled();
  assert.deepEqual(seen(match.position(45)), walked(45));
  assert.equal(match.over, false);
  link.finish();
  await settled();
  assert.equal(match.over, true);
  assert.equal(match.end.seed, "5");
  assert.deepEqual(link.froms, [-1, 45, 46]);
});

test("`newest` is the newest loaded frame while the count grows faster", async () => {
  const link = new FakeLink(walk(45), { over: false });
  const match = await MatchFrames.fromLink(link, "M1");
  assert.equal(match.newest, -1);
  const answer = link.frames.bind(link);
  // Whenever an answer comes, the match is 30 turns further.
  link.frames = (from, known) => ({ ...answer(from, known), count: 75 });
  match.load(44);
  await settled();
  assert.equal(match.count, 75);
  assert.equal(match.position(74), null);
  assert.equal(match.newest, 44);
  assert.deepEqual(seen(match.position(match.newest)), walked(44));
});

test("keeping only the newest position drops other frames and doesn't fetch them again", async () => {
  const link = new FakeLink(walk(45), { over: false });
  const match = await MatchFrames.fromLink(link, "M1", { keep: "newest" });
  const reported = troubles(match);
  const held = () => [...Array(match.count).keys()].filter((n) => match.frame(n) !== null);
  match.follow();
  await settled();
  assert.deepEqual(held(), [40, 41, 42, 43, 44]);
  for (let count = 46; count <= 130; count += 7) {
    link.grow(walk(count));
    await settled();
    assert.deepEqual(seen(match.position(match.count - 1)), walked(count - 1));
    await settled();
    assert.ok(held().length <= 20, `${held()}`);
    assert.equal(held()[0] % 20, 0);
  }
  assert.equal(match.position(3), null);
  await settled();
  assert.equal(match.position(3), null);
  assert.ok(!link.froms.slice(1).some((from) => from < 45), `${link.froms}`);
  assert.deepEqual(reported, []);
});

test("earlier frames can be loaded while following", async () => {
  const link = new FakeLink(walk(45), { over: false });
  const match = await MatchFrames.fromLink(link, "M1");
  match.follow();
  await settled();
  assert.equal(match.position(3), null);
  await settled();
  assert.deepEqual(seen(match.position(3)), walked(3));
});

test("after a loss the match is opened again; loaded frames stay", async () => {
  const link = new FakeLink(walk(45), { over: false });
  const match = await MatchFrames.fromLink(link, "M1");
  const reported = troubles(match);
  match.follow();
  await settled();
  const before = match.position(44);
  link.lose();
  await settled();
  assert.equal(match.position(44), before);
  assert.equal(match.position(3), null);
  link.grow(walk(50));
  const asked = link.froms.length;
  link.comeBack();
  // Nothing is requested before the match is open again.
  assert.equal(match.position(3), null);
  assert.equal(link.froms.length, asked);
  await settled();
  assert.equal(link.asked.filter((message) => message.do === "open").length, 2);
  assert.equal(match.count, 50);
  assert.deepEqual(seen(match.position(49)), walked(49));
  assert.deepEqual(seen(match.position(3)), walked(3));
  assert.deepEqual(reported, []);
});

test("a match that no longer exists after a loss is trouble", async () => {
  const link = new FakeLink(walk(45), { over: false });
  const match = await MatchFrames.fromLink(link, "M1");
  const reported = troubles(match);
  match.follow();
  await settled();
  link.answer = () => {
    throw new Error("there is no match M1");
  };
  link.lose();
  link.comeBack();
  await settled();
  assert.deepEqual(reported, ["there is no match M1"]);
  match.stop();
});

test("a match that another view closed on the same connection is opened again", async () => {
  const link = new FakeLink(walk(45), { over: false });
  const match = await MatchFrames.fromLink(link, "M1");
  const reported = troubles(match);
  match.follow();
  await settled();
  link.ask({ do: "close", match: "M1" });
  await settled();
  assert.deepEqual(
    link.asked.map((message) => message.do),
    ["open", "frames", "frames", "close", "open", "frames"],
  );
  link.grow(walk(46));
  await settled();
  assert.deepEqual(seen(match.position(45)), walked(45));
  assert.deepEqual(reported, []);
});

test("opening is repeated if another view closed the match meanwhile", async () => {
  const link = new FakeLink(walk(45));
  const answers = [{ type: "done" }, headOf()];
  link.answer = () => answers.shift();
  const match = await MatchFrames.fromLink(link, "M1");
  assert.equal(match.head.match, "M1");
});

test("a loaded frame isn't replaced when it is sent again", async () => {
  const link = new FakeLink(walk(300));
  const match = await MatchFrames.fromLink(link, "M1");
  match.load(150);
  await settled();
  const frame = match.frame(140);
  match.load(139);
  await settled();
  // The arena sends frames from 120 on, at most 25 at once.
  assert.ok(link.froms.includes(139));
  assert.equal(match.frame(140), frame);
});

test("after a loaded frame only differences are requested, no key frame", async () => {
  const link = new FakeLink(walk(45), { over: false });
  const match = await MatchFrames.fromLink(link, "M1");
  match.follow();
  await settled();
  const [first, second] = link.asked.filter((message) => message.do === "frames");
  assert.deepEqual([first.known, second.known], [undefined, true]);
  const answers = [];
  const { frames } = link;
  link.frames = (...asked) => {
    answers.push(frames.apply(link, asked));
    return answers.at(-1);
  };
  link.grow(walk(46));
  await settled();
  assert.deepEqual(answers.map((answer) => [answer.from, answer.frames.length]), [[45, 1]]);
  assert.deepEqual(seen(match.position(45)), walked(45));
});

test("a repeated refusal is trouble, with the arena's message, and ends the requests", async () => {
  const link = new FakeLink(walk(45));
  const match = await MatchFrames.fromLink(link, "M1");
  const reported = troubles(match);
  let asked = 0;
  link.ask = (message) => {
    asked += 1;
    return message.do === "open"
      ? Promise.resolve(headOf())
      : Promise.reject(new Error("the frames can't be computed"));
  };
  match.load(7);
  await settled();
  assert.deepEqual(reported, ["the frames can't be computed"]);
  const before = asked;
  match.load(30);
  await settled();
  assert.equal(asked, before);
});

test("a running match that can't be fetched is opened again after a while", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const link = new FakeLink(walk(45), { over: false });
  const match = await MatchFrames.fromLink(link, "M1");
  const reported = troubles(match);
  const { frames } = link;
  let isBroken = true;
  link.frames = (...asked) => (isBroken ? 7 : frames.apply(link, asked));
  match.follow();
  for (const opened of [1, 2]) {
    await settled();
    assert.equal(reported.length, opened);
    assert.equal(link.asked.filter((message) => message.do === "open").length, opened);
    t.mock.timers.tick(5000 * opened); // less and less often
  }
  isBroken = false;
  await settled();
  assert.deepEqual(seen(match.position(44)), walked(44));
  link.grow(walk(46));
  await settled();
  assert.deepEqual(seen(match.position(45)), walked(45));
  assert.equal(reported.length, 2);
});

test("a match that was stopped isn't opened again", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const link = new FakeLink(walk(45), { over: false });
  const match = await MatchFrames.fromLink(link, "M1");
  link.frames = () => 7;
  match.follow();
  await settled();
  match.stop();
  const before = link.asked.length;
  t.mock.timers.tick(5000);
  await settled();
  assert.equal(link.asked.length, before);
});

for (const [what, answer, message] of [
  ["something else", { type: "lobby" }, /something else than frames/],
  ["done, again and again", { type: "done" }, /the arena closed the match/],
  ["nonsense", 7, /something else than frames/],
  ["no frames", { type: "frames", from: 0, count: 45, over: true, frames: [] }, /doesn't hold/],
  ["other frames than requested", new FakeLink(walk(45)).frames(20), /doesn't hold frame 0/],
  ["something that isn't a frame", { ...new FakeLink([]).frames(0), count: 45, frames: [7] }, /no frame 0/],
]) {
  test(`an answer of ${what} is trouble, reported once, and nothing is thrown`, async () => {
    const link = new FakeLink(walk(45));
    link.frames = () => answer;
    const match = await MatchFrames.fromLink(link, "M1");
    const reported = troubles(match);
    match.load(0);
    await settled();
    match.load(30);
    await settled();
    assert.equal(reported.length, 1);
    assert.match(reported[0], message);
  });
}

test("without such a match the promise rejects with the arena's message", async () => {
  const link = new FakeLink([]);
  link.answer = () => {
    throw new Error("there is no match M1");
  };
  await assert.rejects(MatchFrames.fromLink(link, "M1"), /there is no match M1/);
});

test("stopping closes the match and ends the requests; loaded frames stay", async () => {
  const link = new FakeLink(walk(300), { over: false });
  const match = await MatchFrames.fromLink(link, "M1");
  match.follow();
  match.position(5);
  await settled();
  match.stop();
  match.stop();
  const before = link.asked.length;
  match.load(150);
  link.grow(walk(310));
  link.lose();
  link.comeBack();
  await settled();
  assert.equal(link.asked.length, before);
  assert.deepEqual(seen(match.position(5)), walked(5));
  assert.deepEqual(link.asked.filter((message) => message.do === "close"), [
    { do: "close", match: "M1" },
  ]);
});

test("a file is sent, and sent again after a loss", async () => {
  const link = new FakeLink(walk(45));
  const file = new File(["x"], "match.res");
  const match = await MatchFrames.fromFile(link, file);
  match.load(0);
  await settled();
  link.lose();
  link.comeBack();
  await settled();
  const sent = link.asked.filter((message) => message.do === "file");
  assert.deepEqual(sent, Array(2).fill({ do: "file", name: "match.res", size: 1 }));
});

test("a file that the arena has closed is sent again once, and its former id is closed", async () => {
  const link = new FakeLink(walk(45), { over: false });
  let sent = 0;
  link.send = (file, message) => {
    link.asked.push(message);
    sent += 1;
    return Promise.resolve({ ...headOf(), match: `file-${sent}` });
  };
  const { ask } = link;
  link.ask = (message) =>
    message.do === "frames" && message.match === "file-1" && link.isClosed
      ? Promise.reject(new Error("the match 'file-1' isn't open"))
      : ask.call(link, message);
  const match = await MatchFrames.fromFile(link, new File(["x"], "match.res"));
  match.follow();
  await settled();
  link.isClosed = true;
  match.load(5);
  link.ask({ do: "close", match: "file-1" });
  await settled();
  assert.deepEqual(seen(match.position(5)), walked(5));
  assert.equal(sent, 2);
  const closed = link.asked.filter((message) => message.do === "close");
  assert.deepEqual(closed.slice(1), [{ do: "close", match: "file-1" }]);
  link.grow(walk(46));
  await settled();
  assert.deepEqual(seen(match.position(45)), walked(45));
  match.stop();
});

/** An arena that sends logs only when the match is over: seat 1 logs the number of each frame. */
class LateLogsLink extends FakeLink {
  /** Whether logs may be seen. */
  shown = false;
  #logsSent = false;

  constructor(count, options) {
    super(walk(count), options);
  }

  answer(message) {
    if (message.do !== "open") {
      return super.answer(message);
    }
    if (message.logs === true && !this.shown) {
      return new Promise((resolve) => this.addEventListener("shown", resolve, { once: true })).then(
        () => this.answer(message),
      );
    }
    this.#logsSent = this.shown;
    return { ...headOf(), logs: this.#logsSent };
  }

  frames(from, known) {
    const answer = super.frames(from, known);
    const play = (n) => (this.#logsSent ? { turn: n, logs: { 1: `# ${n}` } } : { turn: n });
    return { ...answer, frames: answer.frames.map((frame) => ({ ...frame, play: play(frame.n) })) };
  }

  show() {
    this.shown = true;
    this.dispatchEvent(new Event("shown"));
  }

  get logs() {
    return this.asked.filter((message) => message.logs === true);
  }
}

/** Return the numbers of the frames that have logs. */
function logged(match) {
  return Array.from({ length: match.count }, (_, n) => n).filter(
    (n) => match.frame(n)?.play?.logs?.[1] === `# ${n}`,
  );
}

test("logs that were withheld while the match was running are fetched when they may be seen", async () => {
  const link = new LateLogsLink(45, { over: false, most: 10 });
  const match = await MatchFrames.fromLink(link, "M1");
  const reported = troubles(match);
  match.follow();
  match.load(0);
  await settled();
  const before = match.position(3);
  assert.equal(match.head.logs, false);
  link.finish();
  await settled();
  assert.deepEqual(logged(match), []);
  assert.deepEqual(link.logs, [{ do: "open", match: "M1", logs: true }]);
  link.show();
  await settled();
  assert.equal(match.head.logs, true);
  const loaded = Array.from({ length: 45 }, (_, n) => n).filter((n) => match.frame(n) !== null);
  assert.ok(loaded.length > 40);
  assert.deepEqual(logged(match), loaded);
  // A cached position gets logs by becoming another object, so that it is shown again.
  assert.equal(match.position(3).play.logs[1], "# 3");
  assert.notEqual(match.position(3), before);
  assert.deepEqual(seen(match.position(3)), seen(before));
  assert.equal(link.logs.length, 1);
  assert.deepEqual(reported, []);
});

test("logs are fetched after a loss as well, but not after stop", async () => {
  const link = new LateLogsLink(45, { over: false });
  const match = await MatchFrames.fromLink(link, "M1");
  const reported = troubles(match);
  match.follow();
  match.loadAll();
  link.finish();
  await settled();
  link.lose();
  link.shown = true;
  link.comeBack();
  await settled();
  assert.deepEqual(logged(match), [...Array(45).keys()]);
  assert.deepEqual(reported, []);

  const other = new LateLogsLink(45, { over: false });
  const stopped = await MatchFrames.fromLink(other, "M1");
  stopped.follow();
  other.finish();
  await settled();
  stopped.stop();
  const before = other.asked.length;
  other.show();
  await settled();
  assert.equal(other.asked.length, before);
});

test("keeping only the newest position doesn't fetch logs", async () => {
  const link = new LateLogsLink(45, { over: false });
  const match = await MatchFrames.fromLink(link, "M1", { keep: "newest" });
  match.follow();
  link.finish();
  await settled();
  assert.deepEqual(link.logs, []);
});
