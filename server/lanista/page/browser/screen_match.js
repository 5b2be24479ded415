/**
 * A match on the screen of a hall: its board as large as the screen allows, who plays, the scores
 * and each one's share of them, what happens, and in the end who won.
 *
 * A match is played back from where the screen left it, fast enough to be through when its time is
 * over; one that is slower than that is followed live. So a match of a second can be watched as
 * well as one of an hour. Of a match that is over, the best part is shown.
 *
 * @module
 */

import { Board } from "./board.js";
import { seatVariable } from "./colours.js";
import { el, fill, list } from "./dom.js";
import { MatchFrames } from "./match_frames.js";
import { nameOf, seatMark } from "./matches.js";
import { EventList, shares } from "./screen_scenes.js";
import { nameSeats, printable, turnText } from "./text.js";
import { theme } from "./theme.js";

/** @typedef {import("./decode.js").Position} Position */
/** @typedef {import("./link.js").Link} Link */
/** @typedef {import("./link.js").Running} Running */

/** Milliseconds between two rounds that are shown. */
const STEP = 200;
/** Number of rounds at the end of a long match from which it is played back. */
const MAX_ROUNDS = 600;
/** Maximum milliseconds for which a round of a best part stays. */
const MAX_BEST_STEP = 700;
/** Milliseconds for which the end of a match stays. */
const END_STAYS = 6000;
/** Width of a board in relation to its height from which the players are below it. */
const WIDE = 1.8;
/** Milliseconds to wait for the first frame. */
const PATIENCE = 10_000;

/**
 * Return the number of the round to show next.
 *
 * @param {number} at the round that is shown
 * @param {number} newest
 * @param {number} left milliseconds until the match's time is over
 * @returns {number}
 */
export function nextRound(at, newest, left) {
  const steps = Math.max(1, Math.floor(left / STEP));
  return Math.min(newest, at + Math.max(1, Math.ceil((newest - at) / steps)));
}

/**
 * How a match is shown.
 *
 * @typedef {object} How
 * @property {number} seconds the match's time
 * @property {AbortSignal} signal ends it at once
 * @property {() => boolean} results returns whether scores and the winner are shown
 * @property {() => boolean} held returns whether to stay for longer
 * @property {(about: string) => void} tell is called with the round that is shown
 */

/**
 * Show a match until its time is over, and its end if that comes before.
 *
 * @param {HTMLElement} stage is filled
 * @param {Link} link
 * @param {Running} running
 * @param {How} how
 * @returns {Promise<boolean>} whether it could be shown
 */
export async function showMatch(stage, link, running, how) {
  const { seconds, signal, results, held } = how;
  const scene = await Scene.open(stage, link, running.match, how);
  const { frames } = scene;
  try {
    frames.follow();
    if (!(await isThereSoon(() => frames.count > 0 || scene.isBroken, signal))) {
      return signal.aborted;
    }
    let at = Math.max(0, frames.count - MAX_ROUNDS);
    let until = performance.now() + 1000 * seconds;
    while (!signal.aborted && !scene.isBroken && (held() || performance.now() < until)) {
      if (scene.show(at)) {
        if (frames.over && at === frames.count - 1) {
          break;
        }
        at = nextRound(at, frames.count - 1, until - performance.now());
      }
      await pause(STEP, signal);
    }
    const isEnd = frames.over && at === frames.count - 1 && !scene.isBroken;
    // The time may be over before the last round was drawn: the verdict is about that one.
    if (isEnd && (await isThereSoon(() => scene.show(at), signal))) {
      await isThereSoon(() => frames.end !== null, signal);
      scene.say(verdictOf(frames.end?.result ?? null, scene.players, results()));
      until = performance.now() + END_STAYS;
      while (!signal.aborted && (held() || performance.now() < until)) {
        await pause(STEP, signal);
      }
    }
    return scene.isShown && !scene.isBroken;
  } finally {
    scene.close();
  }
}

/**
 * Show the best part of a match that is over, with what its story tells of each round.
 *
 * @param {HTMLElement} stage is filled
 * @param {Link} link
 * @param {string} match its id
 * @param {How} how
 * @returns {Promise<boolean>} whether it could be shown
 */
export async function showBestPart(stage, link, match, how) {
  const { seconds, signal, results, held } = how;
  const scene = await Scene.open(stage, link, match, how);
  const { frames } = scene;
  try {
    frames.load(0);
    await isThereSoon(() => frames.end !== null || scene.isBroken, signal);
    const story = frames.end?.story ?? null;
    if (story === null) {
      return signal.aborted;
    }
    const [first, last] = story.best;
    const step = Math.min(MAX_BEST_STEP, (1000 * seconds) / (last - first + 1));
    for (let at = first; at <= last; at += 1) {
      if (!(await isThereSoon(() => scene.show(at), signal))) {
        return signal.aborted;
      }
      const told = story.chapters.findLast(([round]) => first <= round && round <= at);
      if (told !== undefined && results()) {
        scene.tell(told);
      }
      do {
        await pause(step, signal);
      } while (held() && !signal.aborted);
    }
    return true;
  } finally {
    scene.close();
  }
}

/** The board of a match with what stands beside it. */
class Scene {
  #stage;
  #board;
  #how;
  #box;
  #canvas = el("canvas", { role: "img" });
  #seats;
  #verdict = el("p", { class: "verdict", role: "status", hidden: true });
  #chapter = el("p", { class: "chapter", hidden: true });
  #events;
  #resizing = new ResizeObserver(() => this.#fit());
  /** @type {Position | null} */
  #position = null;
  /** Whether the match can't be loaded any further. */
  isBroken = false;

  /**
   * @param {HTMLElement} stage
   * @param {MatchFrames} frames
   * @param {How} how
   */
  constructor(stage, frames, how) {
    this.#stage = stage;
    this.frames = frames;
    this.#how = how;
    /** By seat: the name, fit to be shown. */
    this.players = frames.head.players.map(({ name }) => printable(name));
    this.#canvas.setAttribute("aria-label", `Board of ${this.players.join(", ")}`);
    this.#box = el("div", { class: "board" }, this.#canvas);
    this.#seats = el("ul", {
      class: "seats",
      dataset: { count: this.players.length },
      style: { "--letters": String(Math.max(...this.players.map(({ length }) => length))) },
    });
    this.#events = new EventList(frames.head);
    this.#board = new Board(this.#canvas, frames.head, { small: true });
    this.#board.setTheme(theme());
    frames.addEventListener("trouble", () => {
      this.isBroken = true;
    });
  }

  /**
   * Open a match; nothing is shown of it yet.
   *
   * @param {HTMLElement} stage
   * @param {Link} link
   * @param {string} match
   * @param {How} how
   */
  static async open(stage, link, match, how) {
    return new Scene(stage, await MatchFrames.fromLink(link, match), how);
  }

  /** Whether anything was shown. */
  get isShown() {
    return this.#position !== null;
  }

  /** Show a round; returns whether its position is loaded. @param {number} n */
  show(n) {
    const next = this.frames.position(n);
    if (next === null) {
      return false;
    }
    if (this.#position === null) {
      this.#stage.classList.toggle("wide", isWide(this.frames.head.scene));
      const beside = [this.#seats, this.#verdict, this.#chapter, this.#events.element];
      fill(this.#stage, this.#box, el("div", { class: "beside" }, beside));
      this.#resizing.observe(this.#box);
    }
    this.#position = next;
    this.#draw();
    this.#how.tell(turnText(this.frames.head, next.turn));
    showSeats(this.#seats, this.players, this.#how.results() ? next.scores : null);
    return true;
  }

  /** Say how the match ended. @param {string} verdict */
  say(verdict) {
    this.#verdict.textContent = verdict;
    this.#verdict.hidden = false;
  }

  /** Tell a part of the match's story. @param {import("./decode.js").Chapter} chapter */
  tell([, seat, text]) {
    const words = nameSeats(printable(text), this.frames.head);
    fill(this.#chapter, seat >= 0 && seatMark(seat), " ", words);
    this.#chapter.hidden = false;
  }

  close() {
    this.#resizing.disconnect();
    this.frames.stop();
  }

  #draw() {
    if (this.#position !== null) {
      const how = { previous: null, t: 1, followed: null, hover: null };
      this.#board.draw(this.#position, how);
      this.#events.show(this.#position);
    }
  }

  #fit() {
    const { clientWidth, clientHeight } = this.#box;
    if (clientWidth > 0 && clientHeight > 0) {
      this.#board.resize(clientWidth, clientHeight);
      this.#draw();
    }
  }
}

/**
 * Return whether a board is so wide that its players have more room below it.
 *
 * @param {import("./decode.js").Scene} scene
 * @returns {boolean}
 */
function isWide({ rows, cols }) {
  return cols > WIDE * rows;
}

/**
 * Wait, or until a signal.
 *
 * @param {number} milliseconds
 * @param {AbortSignal} signal
 * @returns {Promise<void>}
 */
export function pause(milliseconds, signal) {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener("abort", end);
  });
}

/**
 * Wait until something is there, for a moment.
 *
 * @param {() => boolean} isThere
 * @param {AbortSignal} signal
 * @returns {Promise<boolean>} whether it is there
 */
async function isThereSoon(isThere, signal) {
  const until = performance.now() + PATIENCE;
  while (!isThere()) {
    if (signal.aborted || performance.now() > until) {
      return false;
    }
    await pause(STEP / 2, signal);
  }
  return true;
}

/**
 * Say how a match ended.
 *
 * @param {{end: string, ranks: number[]} | null} result
 * @param {readonly string[]} players
 * @param {boolean} isShown whether the result is to be shown
 * @returns {string}
 */
export function verdictOf(result, players, isShown) {
  if (!isShown || result === null) {
    return "The match is over.";
  }
  if (result.end === "void" || result.end === "aborted") {
    return `The match is ${result.end}: it doesn't count.`;
  }
  const best = result.ranks.flatMap((rank, seat) => (rank === 1 ? [seat] : []));
  if (best.length === players.length) {
    return "Draw";
  }
  const names = best.map((seat) => nameOf(players, seat));
  return names.length === 1 ? `${names[0]} wins` : `${names.join(" and ")} share first place`;
}

/**
 * Show who plays, with scores if they may be seen.
 *
 * @param {HTMLElement} seats
 * @param {readonly string[]} players
 * @param {readonly number[] | null} scores
 */
function showSeats(seats, players, scores) {
  const share = shares(scores ?? []);
  list(
    seats,
    players.map((name, seat) => ({ name, seat, score: scores?.[seat] ?? null, share: share[seat] })),
    ({ seat }) => seat,
    ({ name, seat, score, share }) =>
      el(
        "li",
        null,
        seatMark(seat),
        el("span", { class: "name" }, name),
        score !== null && el("span", { class: "score" }, score.toLocaleString("en")),
        score !== null &&
          el("span", {
            class: "share",
            style: { "--share": share.toFixed(4), "--colour": seatVariable(seat) },
          }),
      ),
  );
}
