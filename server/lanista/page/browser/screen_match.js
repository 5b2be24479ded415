/**
 * A match on the screen of a hall: its board as large as the screen allows, who plays, the scores
 * and each one's share of them, what happens, and in the end who won.
 *
 * A match is played back from where the screen left it, fast enough to be through when its time is
 * over; one that is slower than that is followed live. So a match of a second can be watched as
 * well as one of an hour.
 *
 * @module
 */

import { Board } from "./board.js";
import { seatVariable } from "./colours.js";
import { el, fill, list } from "./dom.js";
import { MatchFrames } from "./match_frames.js";
import { nameOf, seatMark } from "./matches.js";
import { EventList, shares } from "./screen_scenes.js";
import { printable, turnText } from "./text.js";
import { theme } from "./theme.js";

/** @typedef {import("./decode.js").Position} Position */
/** @typedef {import("./link.js").Link} Link */
/** @typedef {import("./link.js").Running} Running */

/** Milliseconds between two rounds that are shown. */
const STEP = 200;
/** Number of rounds at the end of a long match from which it is played back. */
const MAX_ROUNDS = 600;
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
 * Show a match until its time is over, and its end if that comes before.
 *
 * @param {HTMLElement} stage is filled
 * @param {Link} link
 * @param {Running} running
 * @param {object} how
 * @param {number} how.seconds the match's time
 * @param {AbortSignal} how.signal ends it at once
 * @param {() => boolean} how.results whether scores and the winner are shown
 * @param {() => boolean} how.held whether to stay for longer
 * @param {(about: string) => void} how.tell called with the round that is shown
 * @returns {Promise<boolean>} whether it could be shown
 */
export async function showMatch(stage, link, running, { seconds, signal, results, held, tell }) {
  let isBroken = false;
  const frames = await MatchFrames.fromLink(link, running.match);
  frames.addEventListener("trouble", () => {
    isBroken = true;
  });
  const players = running.players.map(({ name }) => printable(name));
  const canvas = el("canvas", {
    role: "img",
    "aria-label": `Board of ${players.join(", ")}`,
  });
  const box = el("div", { class: "board" }, canvas);
  const seats = el("ul", { class: "seats", dataset: { count: players.length } });
  const events = new EventList(frames.head);
  const verdict = el("p", { class: "verdict", role: "status", hidden: true });
  const board = new Board(canvas, frames.head, { small: true });
  board.setTheme(theme());
  /** @type {Position | null} */
  let position = null;
  const draw = () => {
    if (position !== null) {
      board.draw(position, { previous: null, t: 1, followed: null, hover: null });
      events.show(position);
    }
  };
  const resizing = new ResizeObserver(() => {
    if (box.clientWidth > 0 && box.clientHeight > 0) {
      board.resize(box.clientWidth, box.clientHeight);
      draw();
    }
  });
  try {
    showSeats(seats, players, null);
    frames.follow();
    const patience = performance.now() + PATIENCE;
    while (frames.count === 0 && !isBroken && performance.now() < patience) {
      await pause(STEP / 4, signal);
      if (signal.aborted) {
        return true;
      }
    }
    if (frames.count === 0) {
      return false;
    }
    stage.classList.toggle("wide", isWide(frames.head.scene));
    fill(stage, box, el("div", { class: "beside" }, seats, verdict, events.element));
    resizing.observe(box);
    /** Show a round; whether its position is loaded. @param {number} n */
    const showRound = (n) => {
      const next = frames.position(n);
      if (next !== null) {
        position = next;
        draw();
        tell(turnText(frames.head, next.turn));
        showSeats(seats, players, results() ? next.scores : null);
      }
      return next !== null;
    };
    let at = Math.max(0, frames.count - MAX_ROUNDS);
    let until = performance.now() + 1000 * seconds;
    while (!signal.aborted && !isBroken && (held() || performance.now() < until)) {
      if (showRound(at)) {
        if (frames.over && at === frames.count - 1) {
          break;
        }
        at = nextRound(at, frames.count - 1, until - performance.now());
      }
      await pause(STEP, signal);
    }
    const isEnd = frames.over && at === frames.count - 1 && !isBroken;
    // The time may be over before the last round was drawn: the verdict is about that one.
    if (isEnd && (await isThereSoon(() => showRound(at), signal))) {
      await isThereSoon(() => frames.end !== null, signal);
      verdict.textContent = verdictOf(frames.end?.result ?? null, players, results());
      verdict.hidden = false;
      until = performance.now() + END_STAYS;
      while (!signal.aborted && (held() || performance.now() < until)) {
        await pause(STEP, signal);
      }
    }
    return position !== null;
  } finally {
    resizing.disconnect();
    frames.stop();
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
