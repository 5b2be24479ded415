/**
 * Films: decoding of differences, random access, fetching (docs/api.md, "Frames").
 */

import assert from "node:assert/strict";
import { test } from "node:test";

import { BadFilm, positionOf, readFrame, readHead } from "../../../server/lanista/web/page/decode.js";
import { AHEAD, Film } from "../../../server/lanista/web/page/film.js";
import { FakeLink, headOf, mark, seen, settled, walk, walked } from "./films.js";

const END = { type: "end", seed: "5", trouble: null, result: null };

/** Every trouble that a film tells from now on. */
function troubles(film) {
  const told = [];
  film.addEventListener("trouble", ({ detail }) => told.push(detail));
  return told;
}

test("a whole film tells every position, in any order", () => {
  const film = Film.fromData({ head: headOf(), frames: walk(65), end: END });
  assert.equal(film.count, 65);
  assert.equal(film.over, true);
  assert.deepEqual(film.end, END);
  for (const n of [64, 0, 19, 20, 21, 40, 39, 1, 63, 5]) {
    const position = film.at(n);
    assert.equal(position.n, n);
    assert.deepEqual(seen(position), walked(n));
    assert.equal(position.marks.length, 2);
  }
});

test("positions forgotten meanwhile are built again", () => {
  const film = Film.fromData({ head: headOf(), frames: walk(400), end: END });
  const first = film.at(3);
  for (let n = 0; n < 400; n += 1) {
    assert.deepEqual(seen(film.at(n)), walked(n));
  }
  assert.notEqual(film.at(3), first);
  assert.deepEqual(seen(film.at(3)), walked(3));
});

test("a mark that stays is the same object, so is ground that doesn't change", () => {
  const film = Film.fromData({ head: headOf(), frames: walk(12), end: END });
  const gem = (position) => position.marks.find(({ shape }) => shape === "gem");
  assert.equal(gem(film.at(9)), gem(film.at(8)));
  assert.equal(film.at(9).own, film.at(8).own);
  assert.notEqual(film.at(2).own, film.at(1).own);
  assert.equal(film.at(9), film.at(9));
});

test("no frame before the first, behind the last, or between two", () => {
  const film = Film.fromData({ head: headOf(), frames: walk(3), end: END });
  for (const n of [-1, 3, 1000, 0.5, NaN]) {
    assert.equal(film.at(n), null);
  }
  assert.equal(film.frame(2).n, 2);
  assert.equal(film.frame(3), null);
});

test("all keys of a frame come through", () => {
  const play = { turn: 1, limit: 0.2, verdicts: ["answer"], raw: ["x"], times: [null] };
  const { scene } = headOf();
  const told = {
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
    events: [[-1, "it rained"]],
    play,
  };
  const position = positionOf(scene, readFrame(told, scene, 0), null);
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
  assert.deepEqual(position.events, [{ seat: -1, words: "it rained" }]);
  assert.equal(position.play, play);
});

test("ground can become nobody's again", () => {
  const [first] = walk(1);
  const second = { n: 1, turn: 1, own: [0, -1], gone: [], marks: [], scores: [], captions: [] };
  const film = Film.fromData({ head: headOf(), frames: [first, second], end: END });
  assert.equal(film.at(0).own[0], 0);
  assert.equal(film.at(1).own[0], -1);
});

for (const [what, change, words] of [
  ["a number that isn't its place", { n: 3 }, /no frame 0/],
  ["a cell outside", { own: [12, 0] }, /`own`/],
  ["a cell without a seat", { own: [1] }, /`own`/],
  ["a mark outside", { marks: [mark(3, 0)] }, /mark/],
  ["a mark without a shape", { marks: [[0, 0, 0]] }, /mark/],
  ["a mark that is no list", { marks: [7] }, /mark/],
  ["nothing about what is gone", { key: undefined }, /gone/],
  ["light outside", { lit: [[3, 2]] }, /lit/],
  ["an arrow that leaves", { arrows: [[0, 0, 0, 4, 0, "1"]] }, /arrow/],
  ["an event without words", { events: [[0]] }, /event/],
  ["no scores", { scores: null }, /scores/],
]) {
  test(`a frame with ${what} is refused`, () => {
    const frame = { ...walk(1)[0], ...change };
    const data = { head: headOf(), frames: [frame], end: END };
    assert.throws(() => Film.fromData(data), (error) => error instanceof BadFilm && words.test(error.message));
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
    assert.throws(() => readHead(head), BadFilm);
  });
}

test("what is gone but never was is trouble, told once", () => {
  const frames = walk(3);
  frames[2] = { ...frames[2], gone: [9] };
  const film = Film.fromData({ head: headOf(), frames, end: END });
  const told = troubles(film);
  assert.equal(film.at(2), null);
  assert.equal(film.at(2), null);
  assert.deepEqual(told, ["frame 2 of the film: mark 9 can't be gone"]);
  assert.deepEqual(seen(film.at(1)), walked(1));
});

test("differences with nothing before them are refused", () => {
  const frames = walk(3).slice(1).map((frame, n) => ({ ...frame, n }));
  assert.throws(() => Film.fromData({ head: headOf(), frames, end: END }), BadFilm);
});

test("a frame is fetched when it is looked for, with those around it and beyond", async () => {
  const link = new FakeLink(walk(300));
  const film = await Film.fromLink(link, "M1");
  assert.deepEqual(link.froms, []);
  assert.equal(film.at(150), null);
  await settled();
  assert.equal(film.count, 300);
  assert.deepEqual(seen(film.at(150)), walked(150));
  // From the whole frame before to beyond what is read ahead; not all.
  assert.notEqual(film.frame(140), null);
  assert.notEqual(film.frame(150 + AHEAD), null);
  assert.equal(film.frame(299), null);
  assert.equal(film.frame(100), null);
});

test("no range is asked for twice, whatever is wanted meanwhile", async () => {
  const link = new FakeLink(walk(300));
  const film = await Film.fromLink(link, "M1");
  for (let n = 0; n < 90; n += 1) {
    film.at(n);
    film.want(n);
  }
  await settled();
  for (let n = 0; n < 300; n += 1) {
    film.at(n);
    await settled();
  }
  assert.equal(film.frame(299).n, 299);
  assert.equal(new Set(link.froms).size, link.froms.length);
});

test("playing backwards reads ahead backwards", async () => {
  const link = new FakeLink(walk(300));
  const film = await Film.fromLink(link, "M1");
  film.want(290);
  await settled();
  film.want(200);
  await settled();
  assert.notEqual(film.frame(200 - AHEAD), null);
  assert.equal(film.frame(100), null);
});

test("all of it is fetched if it is wanted", async () => {
  const link = new FakeLink(walk(300));
  const film = await Film.fromLink(link, "M1");
  film.wantAll();
  await settled();
  assert.deepEqual([...Array(300).keys()].filter((n) => film.frame(n) === null), []);
  assert.equal(film.over, true);
  assert.equal(film.end.seed, "5");
});

test("the end of a match that is over is fetched once", async () => {
  const link = new FakeLink(walk(5));
  const film = await Film.fromLink(link, "M1");
  film.want(0);
  await settled();
  assert.equal(film.end.seed, "5");
  film.want(4);
  await settled();
  assert.deepEqual(link.froms, [0, 5]);
});

test("following gets the newest first, then each frame as it comes, then the end", async () => {
  const link = new FakeLink(walk(45), { over: false });
  const film = await Film.fromLink(link, "M1");
  film.follow();
  await settled();
  assert.equal(film.count, 45);
  assert.deepEqual(seen(film.at(44)), walked(44));
  // One question waits for frame 45.
  assert.deepEqual(link.froms, [-1, 45]);
  link.grow(walk(46));
  await settled();
  assert.deepEqual(seen(film.at(45)), walked(45));
  assert.equal(film.over, false);
  link.finish();
  await settled();
  assert.equal(film.over, true);
  assert.equal(film.end.seed, "5");
  assert.deepEqual(link.froms, [-1, 45, 46]);
});

test("the newest loaded frame is told while the count grows faster", async () => {
  const link = new FakeLink(walk(45), { over: false });
  const film = await Film.fromLink(link, "M1");
  assert.equal(film.newest, -1);
  const answer = link.frames.bind(link);
  // The match is 30 turns further whenever an answer comes.
  link.frames = (from, known) => ({ ...answer(from, known), count: 75 });
  film.want(44);
  await settled();
  assert.equal(film.count, 75);
  assert.equal(film.at(74), null);
  assert.equal(film.newest, 44);
  assert.deepEqual(seen(film.at(film.newest)), walked(44));
});

test("a film that keeps the newest drops what that isn't built from, and doesn't fetch it again", async () => {
  const link = new FakeLink(walk(45), { over: false });
  const film = await Film.fromLink(link, "M1", { keep: "newest" });
  const told = troubles(film);
  const held = () => [...Array(film.count).keys()].filter((n) => film.frame(n) !== null);
  film.follow();
  await settled();
  assert.deepEqual(held(), [40, 41, 42, 43, 44]);
  for (let count = 46; count <= 130; count += 7) {
    link.grow(walk(count));
    await settled();
    assert.deepEqual(seen(film.at(film.count - 1)), walked(count - 1));
    await settled();
    assert.ok(held().length <= 20, `${held()}`);
    assert.equal(held()[0] % 20, 0);
  }
  assert.equal(film.at(3), null);
  await settled();
  assert.equal(film.at(3), null);
  assert.ok(!link.froms.slice(1).some((from) => from < 45), `${link.froms}`);
  assert.deepEqual(told, []);
});

test("following doesn't keep from looking back", async () => {
  const link = new FakeLink(walk(45), { over: false });
  const film = await Film.fromLink(link, "M1");
  film.follow();
  await settled();
  assert.equal(film.at(3), null);
  await settled();
  assert.deepEqual(seen(film.at(3)), walked(3));
});

test("after a loss it opens the match again and goes on; what was loaded stays", async () => {
  const link = new FakeLink(walk(45), { over: false });
  const film = await Film.fromLink(link, "M1");
  const told = troubles(film);
  film.follow();
  await settled();
  const before = film.at(44);
  link.lose();
  await settled();
  assert.equal(film.at(44), before);
  assert.equal(film.at(3), null);
  link.grow(walk(50));
  const asked = link.froms.length;
  link.comeBack();
  // Not before the arena knows again what film this is.
  assert.equal(film.at(3), null);
  assert.equal(link.froms.length, asked);
  await settled();
  assert.equal(link.asked.filter((message) => message.do === "open").length, 2);
  assert.equal(film.count, 50);
  assert.deepEqual(seen(film.at(49)), walked(49));
  assert.deepEqual(seen(film.at(3)), walked(3));
  assert.deepEqual(told, []);
});

test("a match that is gone after a loss is trouble", async () => {
  const link = new FakeLink(walk(45), { over: false });
  const film = await Film.fromLink(link, "M1");
  const told = troubles(film);
  film.follow();
  await settled();
  link.answer = () => {
    throw new Error("there is no match M1");
  };
  link.lose();
  link.comeBack();
  await settled();
  assert.deepEqual(told, ["there is no match M1"]);
});

test("closed by another view on the same connection, it opens the match again", async () => {
  const link = new FakeLink(walk(45), { over: false });
  const film = await Film.fromLink(link, "M1");
  const told = troubles(film);
  film.follow();
  await settled();
  link.ask({ do: "close", match: "M1" });
  await settled();
  assert.deepEqual(
    link.asked.map((message) => message.do),
    ["open", "frames", "frames", "close", "open", "frames"],
  );
  link.grow(walk(46));
  await settled();
  assert.deepEqual(seen(film.at(45)), walked(45));
  assert.deepEqual(told, []);
});

test("a head that another view's closing gave up is asked for again", async () => {
  const link = new FakeLink(walk(45));
  const answers = [{ type: "done" }, headOf()];
  link.answer = () => answers.shift();
  const film = await Film.fromLink(link, "M1");
  assert.equal(film.head.match, "M1");
});

test("frames that are there stay when they are sent again", async () => {
  const link = new FakeLink(walk(300));
  const film = await Film.fromLink(link, "M1");
  film.want(150);
  await settled();
  const frame = film.frame(140);
  film.want(139);
  await settled();
  // From 120 on, and 25 at once.
  assert.ok(link.froms.includes(139));
  assert.equal(film.frame(140), frame);
});

test("behind a frame that is there, a whole one isn't sent again", async () => {
  const link = new FakeLink(walk(45), { over: false });
  const film = await Film.fromLink(link, "M1");
  film.follow();
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
  assert.deepEqual(seen(film.at(45)), walked(45));
});

test("a refusal that stays is trouble, in the arena's words, and ends the asking", async () => {
  const link = new FakeLink(walk(45));
  const film = await Film.fromLink(link, "M1");
  const told = troubles(film);
  let asked = 0;
  link.ask = (message) => {
    asked += 1;
    return message.do === "open"
      ? Promise.resolve(headOf())
      : Promise.reject(new Error("the film can't be made"));
  };
  film.want(7);
  await settled();
  assert.deepEqual(told, ["the film can't be made"]);
  const before = asked;
  film.want(30);
  await settled();
  assert.equal(asked, before);
});

for (const [what, answer, words] of [
  ["something else", { type: "lobby" }, /something else than frames/],
  ["done, again and again", { type: "done" }, /the arena closed the film/],
  ["nonsense", 7, /something else than frames/],
  ["no frames", { type: "frames", from: 0, count: 45, over: true, frames: [] }, /doesn't hold/],
  ["other frames than asked for", new FakeLink(walk(45)).frames(20), /doesn't hold frame 0/],
  ["a frame that is none", { ...new FakeLink([]).frames(0), count: 45, frames: [7] }, /no frame 0/],
]) {
  test(`an answer of ${what} is trouble, told once, and nothing is thrown`, async () => {
    const link = new FakeLink(walk(45));
    link.frames = () => answer;
    const film = await Film.fromLink(link, "M1");
    const told = troubles(film);
    film.want(0);
    await settled();
    film.want(30);
    await settled();
    assert.equal(told.length, 1);
    assert.match(told[0], words);
  });
}

test("no such match: the promise is broken, in the arena's words", async () => {
  const link = new FakeLink([]);
  link.answer = () => {
    throw new Error("there is no match M1");
  };
  await assert.rejects(Film.fromLink(link, "M1"), /there is no match M1/);
});

test("stopping closes the match and asks for nothing more; what is loaded stays", async () => {
  const link = new FakeLink(walk(300), { over: false });
  const film = await Film.fromLink(link, "M1");
  film.follow();
  film.at(5);
  await settled();
  film.stop();
  film.stop();
  const before = link.asked.length;
  film.want(150);
  link.grow(walk(310));
  link.lose();
  link.comeBack();
  await settled();
  assert.equal(link.asked.length, before);
  assert.deepEqual(seen(film.at(5)), walked(5));
  assert.deepEqual(link.asked.filter((message) => message.do === "close"), [
    { do: "close", match: "M1" },
  ]);
});

test("a file is sent, and sent again after a loss", async () => {
  const link = new FakeLink(walk(45));
  const file = new File(["x"], "match.res");
  const film = await Film.fromFile(link, file);
  film.want(0);
  await settled();
  link.lose();
  link.comeBack();
  await settled();
  const sent = link.asked.filter((message) => message.do === "file");
  assert.deepEqual(sent, Array(2).fill({ do: "file", name: "match.res", size: 1 }));
});

/** An arena that tells a match's logs once it is over: of every frame the number, by seat 1. */
class ShyLink extends FakeLink {
  /** Whether the record may be seen. */
  shown = false;
  #told = false;

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
    this.#told = this.shown;
    return { ...headOf(), logs: this.#told };
  }

  frames(from, known) {
    const answer = super.frames(from, known);
    const play = (n) => (this.#told ? { turn: n, logs: { 1: `# ${n}` } } : { turn: n });
    return { ...answer, frames: answer.frames.map((told) => ({ ...told, play: play(told.n) })) };
  }

  show() {
    this.shown = true;
    this.dispatchEvent(new Event("shown"));
  }

  get logs() {
    return this.asked.filter((message) => message.logs === true);
  }
}

/** The numbers of the frames whose logs are there. */
function logged(film) {
  return Array.from({ length: film.count }, (_, n) => n).filter(
    (n) => film.frame(n)?.play?.logs?.[1] === `# ${n}`,
  );
}

test("logs that weren't told while the match ran are fetched when they may be seen", async () => {
  const link = new ShyLink(45, { over: false, most: 10 });
  const film = await Film.fromLink(link, "M1");
  const told = troubles(film);
  film.follow();
  film.want(0);
  await settled();
  const before = film.at(3);
  assert.equal(film.head.logs, false);
  link.finish();
  await settled();
  assert.deepEqual(logged(film), []);
  assert.deepEqual(link.logs, [{ do: "open", match: "M1", logs: true }]);
  link.show();
  await settled();
  assert.equal(film.head.logs, true);
  const loaded = Array.from({ length: 45 }, (_, n) => n).filter((n) => film.frame(n) !== null);
  assert.ok(loaded.length > 40);
  assert.deepEqual(logged(film), loaded);
  // A position that was built tells them too, and is another one, so that it is shown again.
  assert.equal(film.at(3).play.logs[1], "# 3");
  assert.notEqual(film.at(3), before);
  assert.deepEqual(seen(film.at(3)), seen(before));
  assert.equal(link.logs.length, 1);
  assert.deepEqual(told, []);
});

test("logs are fetched after a loss as well, and not for one who has stopped", async () => {
  const link = new ShyLink(45, { over: false });
  const film = await Film.fromLink(link, "M1");
  const told = troubles(film);
  film.follow();
  film.wantAll();
  link.finish();
  await settled();
  link.lose();
  link.shown = true;
  link.comeBack();
  await settled();
  assert.deepEqual(logged(film), [...Array(45).keys()]);
  assert.deepEqual(told, []);

  const other = new ShyLink(45, { over: false });
  const stopped = await Film.fromLink(other, "M1");
  stopped.follow();
  other.finish();
  await settled();
  stopped.stop();
  const before = other.asked.length;
  other.show();
  await settled();
  assert.equal(other.asked.length, before);
});

test("a film that keeps the newest alone doesn't fetch logs", async () => {
  const link = new ShyLink(45, { over: false });
  const film = await Film.fromLink(link, "M1", { keep: "newest" });
  film.follow();
  link.finish();
  await settled();
  assert.deepEqual(link.logs, []);
});
