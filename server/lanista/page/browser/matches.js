/**
 * What all views share that list matches: texts about the end of a match, elements for times, seats
 * and players, addresses, and loading JSON.
 *
 * @module
 */

import { PALETTE, seatLetter } from "./colours.js";
import { el } from "./dom.js";

/** @typedef {import("./link.js").Match} Match */

/** Texts for those reasons of docs/records.md that need one; others are shown as they are. */
const REASONS = new Map([
  ["all-out", "no bot was left"],
  ["arena-ended", "the arena ended before the match"],
  ["both-captured", "both bases captured"],
  ["capture", "base captured"],
  ["error", "an error of the arena"],
  ["forfeit", "a bot gave up"],
  ["interrupted", "stopped by the arena"],
  ["move-limit", "move limit reached, no base captured"],
  ["no-units", "no units left"],
  ["removed", "a bot was removed"],
  ["rounds", "all rounds played"],
  ["stall", "the machine stalled"],
]);

/**
 * Return the seats that won: those of the best rank, if the match counts and not all have that
 * rank.
 *
 * @param {Match} match
 * @returns {number[]}
 */
export function winners(match) {
  const ranks = match.ranks ?? [];
  const counts = match.end === "finished" || match.end === "forfeit";
  const best = ranks.flatMap((rank, seat) => (rank === 1 ? [seat] : []));
  return counts && best.length < ranks.length ? best : [];
}

/**
 * Describe the outcome of a match: `Dummy won`, `draw`, `Demo and Null share first place`,
 * `void, doesn't count`.
 *
 * @param {Match} match
 * @returns {string}
 */
export function outcome(match) {
  if (match.state === "running") {
    return "running";
  }
  if (match.end === "void" || match.end === "aborted") {
    return `${match.end}, doesn't count`;
  }
  const names = winners(match).map((seat) => nameOf(match.players, seat));
  if (names.length === 0) {
    return "draw";
  }
  if (names.length === 1) {
    return `${names[0]} won`;
  }
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)} share first place`;
}

/** Letters that are written from right to left. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufeff\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/**
 * Keep a name that is written from right to left from turning around the names and numbers beside it.
 *
 * @param {string} name
 * @returns {string}
 */
export function isolated(name) {
  return RIGHT_TO_LEFT.test(name) ? `\u2068${name}\u2069` : name;
}

/**
 * Return the name of a seat's bot, with the seat's letter in front if another bot has the same
 * name.
 *
 * @param {readonly string[]} players names by seat
 * @param {number} seat
 * @returns {string}
 */
export function nameOf(players, seat) {
  const name = players[seat];
  const alone = players.filter((other) => other === name).length === 1;
  return alone ? isolated(name) : `${seatLetter(seat)} ${isolated(name)}`;
}

/**
 * Describe why a match ended: `base captured`. Empty while it is running.
 *
 * @param {Match} match
 * @returns {string}
 */
export function endReason(match) {
  const reason = REASONS.get(match.reason ?? "") ?? match.reason ?? "";
  if (match.end !== "forfeit") {
    return reason;
  }
  return match.reason === "forfeit" ? "by forfeit" : `by forfeit: ${reason}`;
}

/**
 * Format a time as the user does, with the day unless it is today, and the year if it is another.
 *
 * @param {string} iso ISO 8601
 * @param {Date} [now]
 * @returns {string}
 */
export function timeText(iso, now = new Date()) {
  const then = new Date(iso);
  const time = { hour: /** @type {const} */ ("2-digit"), minute: /** @type {const} */ ("2-digit") };
  const day = { day: /** @type {const} */ ("numeric"), month: /** @type {const} */ ("short") };
  if (then.toDateString() === now.toDateString()) {
    return then.toLocaleTimeString(undefined, time);
  }
  const isThisYear = then.getFullYear() === now.getFullYear();
  const year = isThisYear ? {} : { year: /** @type {const} */ ("numeric") };
  return then.toLocaleString(undefined, { ...day, ...year, ...time });
}

/**
 * Make an element for a time, formatted by `timeText`.
 *
 * @param {string} iso ISO 8601
 * @returns {HTMLTimeElement}
 */
export function timeElement(iso) {
  const title = new Date(iso).toLocaleString();
  return el("time", { datetime: iso, title }, timeText(iso));
}

/** Format the times on the page anew: in a tab that stays open, today's become another day's. */
export function refreshTimes() {
  for (const time of document.querySelectorAll("time")) {
    time.textContent = timeText(time.dateTime);
  }
}

/**
 * Make an element with a seat's colour and letter.
 *
 * @param {number} seat
 * @returns {HTMLElement}
 */
export function seatMark(seat) {
  const letter = seatLetter(seat);
  const dataset = { seat: seat % PALETTE.light.seats.length };
  return el("span", { class: "seat", dataset, title: `seat ${letter}` }, letter);
}

/**
 * Make a list of the players of a match, by rank, with the winners in bold.
 *
 * @param {Match} match
 * @param {((name: string) => string) | null} [linkOf] returns where a name leads; null: nowhere
 * @returns {HTMLElement}
 */
export function playersOf(match, linkOf = null) {
  const best = winners(match);
  const seats = match.players.map((_, seat) => seat);
  const { ranks, scores } = match;
  if (ranks !== null) {
    seats.sort((a, b) => ranks[a] - ranks[b] || a - b);
  }
  return el(
    "ul",
    { class: "players" },
    seats.map((seat) =>
      el(
        "li",
        { class: best.includes(seat) ? "winner" : null },
        seatMark(seat),
        linkOf === null
          ? el("span", { class: "name" }, match.players[seat])
          : el("a", { class: "name", href: linkOf(match.players[seat]) }, match.players[seat]),
        scores !== null && el("span", { class: "score" }, scores[seat].toLocaleString("en")),
      ),
    ),
  );
}

/**
 * Return the address of a match's view.
 *
 * @param {string} match
 * @returns {string}
 */
export function addressOf(match) {
  return `/match/${encodeURIComponent(match)}`;
}

/**
 * Return the address of a list of matches.
 *
 * @param {Record<string, string>} filters
 * @returns {string}
 */
export function matchesAddress(filters) {
  return `#/matches?${new URLSearchParams(filters)}`;
}

/**
 * Fetch JSON from the arena.
 *
 * @param {string} address
 * @param {AbortSignal} [signal]
 * @param {RequestInit} [options] of the request
 * @returns {Promise<any>}
 * @throws {Error} with the arena's message, if it refuses
 */
export async function fetchJson(address, signal, options = {}) {
  const response = await fetch(address, { ...options, signal });
  if (response.ok) {
    return response.json(); // rejects if the response was cut off, as when the view was left
  }
  const answer = await response.json().catch(() => ({ error: `status ${response.status}` }));
  throw new Error(String(answer.error));
}

/**
 * Return the message for an error of `fetchJson`.
 *
 * @param {unknown} error
 * @returns {string}
 */
export function errorMessage(error) {
  // The browser's own message about a lost connection doesn't help the user.
  return error instanceof TypeError || !(error instanceof Error)
    ? "the arena doesn't answer"
    : error.message;
}
