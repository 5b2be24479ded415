/**
 * Small matches for tests, and a connection whose other side is the test.
 */

import { channels } from "../../../server/lanista/page/browser/colours.js";

/** Distance between key frames, as in the arena (docs/api.md, "Frames"). */
export const KEY_EVERY = 20;

/** Make a head with a scene of one level; `scene` replaces parts of it. */
export function headOf(scene = {}) {
  const { rows = 3, cols = 4 } = scene;
  return {
    type: "head",
    match: "M1",
    source: "record",
    game: "tiny",
    title: "Tiny",
    started: null,
    players: [{ name: "Ann", protocol: "1" }, { name: "Bob", protocol: "1" }],
    settings: {},
    clock: null,
    attempt: 1,
    rounds: null,
    scene: {
      rows,
      cols,
      ground: Array.from({ length: rows }, () => ".".repeat(cols)),
      owners: [],
      levels: [{ title: "", col: 0, cols, wraps: false }],
      signs: [],
      kinds: [],
      stats: [],
      base: "free base",
      ...scene,
    },
  };
}

/** Make a mark as it is in a frame. */
export function mark(row, col, more = {}) {
  const { seat = 0, shape = "disc", text = "w", unit = -1, health = -1, lines = [] } = more;
  return [row, col, seat, shape, text, unit, health, ...lines];
}

/**
 * Make frames in which unit 7 walks round and round through row 0 and takes the ground, while a gem
 * stays in its place. Every 20th is a key frame.
 */
export function walk(count, cols = 4) {
  const gem = mark(2, 2, { seat: -1, shape: "gem", text: "*" });
  const unit = (n) => mark(0, n % cols, { unit: 7, lines: [`wizard 7, step ${n}`] });
  const owned = (n) => Array.from({ length: Math.min(n + 1, cols) }, (_, col) => [col, 0]).flat();
  return Array.from({ length: count }, (_, n) => {
    const frame = { n, turn: n, scores: [n, 0], captions: ["", ""] };
    return n % KEY_EVERY === 0
      ? { ...frame, key: true, own: owned(n), marks: [unit(n), gem] }
      : {
          ...frame,
          own: n < cols ? [n, 0] : [],
          // The unit is the first mark in a key frame, and after the gem from then on.
          gone: [n % KEY_EVERY === 1 ? 0 : 1],
          marks: [unit(n)],
        };
  });
}

/** Return what `seen` must find after n turns of a `walk`. */
export function walked(n, cols = 4) {
  return {
    own: [...Array(cols).keys()].map((col) => (col <= n ? 0 : -1)),
    unit: [0, n % cols, `wizard 7, step ${n}`],
    scores: [n, 0],
  };
}

/** Return what a position of a `walk` shows. */
export function seen(position, cols = 4) {
  const unit = position.marks.find((one) => one.unit === 7);
  return {
    own: [...position.own.subarray(0, cols)],
    unit: [unit.row, unit.col, ...unit.lines],
    scores: [...position.scores],
  };
}

/** An arena with one match: it answers `frames` as docs/api.md says, with at most `most` at once. */
export class FakeLink extends EventTarget {
  state = "open";
  /** All requests in order. */
  asked = [];
  #waiting = [];
  #frames;
  #most;
  #end = null;

  constructor(frames, { most = 25, over = true } = {}) {
    super();
    this.#frames = frames;
    this.#most = most;
    if (over) {
      this.#end = { type: "end", match: "M1", seed: "5", trouble: null, result: null };
    }
  }

  ask(message) {
    this.asked.push(message);
    return new Promise((resolve, reject) => {
      if (this.state !== "open") {
        reject(new Error("there is no connection"));
      } else if (message.do === "frames") {
        this.#waiting.push({ message, resolve, reject });
        this.#serve();
      } else {
        if (message.do === "close") {
          this.#waiting.splice(0).forEach((each) => each.resolve({ type: "done" }));
        }
        resolve(this.answer(message));
      }
    });
  }

  send(file, message) {
    this.asked.push(message);
    return Promise.resolve(headOf());
  }

  /** Return the answer to any other request than for frames. */
  answer(message) {
    return message.do === "open" ? headOf() : { type: "done" };
  }

  /** Return the answer to a request for frames from a number on; tests replace this. */
  frames(from, known = false) {
    const newest = this.#frames.length - 1;
    const asked = from < 0 ? newest : from;
    const first = known ? asked : asked - (asked % KEY_EVERY);
    return {
      type: "frames",
      match: "M1",
      from: first,
      count: this.#frames.length,
      over: this.#end !== null,
      frames: this.#frames.slice(first, Math.max(asked + 1, first + this.#most)),
    };
  }

  /** Let the match go on: these are all its frames so far. */
  grow(frames) {
    this.#frames = frames;
    this.#serve();
  }

  finish() {
    this.#end = { type: "end", match: "M1", seed: "5", trouble: null, result: null };
    this.#serve();
  }

  #serve() {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const each of waiting) {
      if (each.message.from < this.#frames.length) {
        each.resolve(structuredClone(this.frames(each.message.from, each.message.known)));
      } else if (this.#end !== null) {
        each.resolve(this.#end);
      } else {
        this.#waiting.push(each);
      }
    }
  }

  lose() {
    this.state = "lost";
    this.dispatchEvent(new Event("state"));
    this.#waiting.splice(0).forEach(({ reject }) => reject(new Error("the connection was lost")));
  }

  comeBack() {
    this.state = "open";
    this.dispatchEvent(new Event("state"));
  }

  /** The numbers from which frames were requested. */
  get froms() {
    return this.asked.filter((message) => message.do === "frames").map(({ from }) => from);
  }
}

/** Return a colour's linear red, green and blue, from 0 to 1. */
export function light(colour) {
  return channels(colour).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
}

/** Return the contrast of two colours (WCAG 2). */
export function contrast(one, other) {
  const [dark, bright] = [one, other]
    .map((colour) => {
      const [red, green, blue] = light(colour);
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    })
    .sort((first, second) => first - second);
  return (bright + 0.05) / (dark + 0.05);
}

/** Wait until everything that was already under way has happened. */
export function settled() {
  return new Promise((resolve) => setImmediate(resolve));
}
