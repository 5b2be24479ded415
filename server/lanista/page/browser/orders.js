/**
 * What the bots ordered in a turn, and what became of it: each submove in the ruleset's words, with
 * the units and cells that it is about.
 *
 * These are pure functions of a match's data; they create no elements.
 *
 * @module
 */

import { cellOf } from "./decode.js";
import { isGrave, nameSeats, printable } from "./text.js";

/** @typedef {import("./decode.js").Head} Head */
/** @typedef {import("./decode.js").Play} Play */
/** @typedef {import("./text.js").Subject} Subject */

/**
 * A submove. `fate`: `done`, `idle` (it changed nothing) or `refused` (it didn't count); `why`: the
 * reason, empty if it was carried out.
 * @typedef {{text: string, fate: "done" | "idle" | "refused", why: string} & Subject} Ordered
 */

/** Maximum number of submoves of a seat that the arena puts into words (docs/api.md). */
const MAX_IN_WORDS = 100;

/**
 * Return what a seat ordered in a turn.
 *
 * @param {Head} head
 * @param {Play} play
 * @param {number} seat
 * @returns {Ordered[] | null} null: there are no words for it
 */
export function ordersOf(head, play, seat) {
  const submoves = play.submoves?.[seat] ?? null;
  if (submoves === null) {
    return null;
  }
  const refused = new Map(
    (play.faults ?? []).flatMap((fault) =>
      fault.seat === seat && fault.index !== null ? [[fault.index, fault]] : [],
    ),
  );
  return submoves.map(([text, unit, cells, why], index) => {
    const fault = refused.get(index);
    const reason = fault?.words ?? why ?? "";
    const isRefused = fault !== undefined && isGrave(fault);
    return {
      text: nameSeats(text, head),
      fate: isRefused ? "refused" : reason === "" ? "done" : "idle",
      why: nameSeats(printable(reason), head),
      units: unit < 0 ? [] : [unit],
      cells: cells.map((cell) => cellOf(head.scene, cell)),
    };
  });
}

/**
 * Count the submoves that a seat ordered in a turn, and those of them that were allowed but changed
 * nothing, among those that the arena puts into words.
 *
 * @param {Play | null} play
 * @param {number} seat
 * @returns {{count: number, idle: number}}
 */
export function effectOf(play, seat) {
  const submoves = play?.submoves?.[seat] ?? [];
  const codes = new Map(
    (play?.faults ?? []).flatMap((fault) => (fault.seat === seat ? [[fault.index, fault]] : [])),
  );
  const idle = submoves.filter(([, , , why], index) => {
    const fault = codes.get(index);
    return fault === undefined ? why !== undefined : !isGrave(fault);
  });
  return { count: submoves.length, idle: idle.length };
}

/**
 * Return the units of a seat that it gave no order in a turn.
 *
 * @param {Play | null} play
 * @param {number} seat
 * @param {readonly number[]} units the seat's units before the turn, by their numbers
 * @returns {readonly number[]} none if it gave no answer that counts, or more orders than are known
 */
export function withoutOrders(play, seat, units) {
  const submoves = play?.submoves?.[seat] ?? null;
  if (submoves === null || submoves.length >= MAX_IN_WORDS) {
    return [];
  }
  const ordered = new Set(submoves.map(([, unit]) => unit));
  return units.filter((unit) => !ordered.has(unit));
}

/**
 * Sum up what a seat ordered: `15 submoves, 2 refused, 3 without effect`.
 *
 * @param {readonly Ordered[]} orders
 * @returns {string}
 */
export function summaryOf(orders) {
  const count = (/** @type {string} */ fate) => orders.filter((one) => one.fate === fate).length;
  const all = orders.length < MAX_IN_WORDS ? `${orders.length}` : `the first ${MAX_IN_WORDS}`;
  const parts = [`${all} ${orders.length === 1 ? "submove" : "submoves"}`];
  const [refused, idle] = [count("refused"), count("idle")];
  if (refused > 0) {
    parts.push(`${refused} refused`);
  }
  if (idle > 0) {
    parts.push(`${idle} without effect`);
  }
  return parts.join(", ");
}

/**
 * Return whether a text is about what somebody points at.
 *
 * @param {Subject} subject
 * @param {Subject} pointed
 */
export function concerns(subject, pointed) {
  return (
    subject.units.some((unit) => pointed.units.includes(unit)) ||
    subject.cells.some((cell) =>
      pointed.cells.some((other) => other.row === cell.row && other.col === cell.col),
    )
  );
}

/** Endings of a bot whose connection broke (docs/records.md). */
const ENDED_BY_CRASH = new Set(["disconnect", "crash"]);
/** How the arena tells that a process ended by a fault of its own. */
const CRASH = /^(exited with code [1-9]|killed by |was ended: )/;

/**
 * Tell whether a bot's process crashed in the match.
 *
 * @param {string | undefined} ending how the match ended for the bot
 * @param {string | undefined} exit how its process ended
 */
export function hasCrashed(ending, exit) {
  return ENDED_BY_CRASH.has(ending ?? "") && CRASH.test(exit ?? "");
}

/**
 * Return the line of a bot's output that says what crashed: the last line of its last traceback.
 *
 * Python, and a C++ or Go program that dies of what it says last, name it in the last line. Java
 * and Rust say it first, and then where it was.
 *
 * @param {string} output
 * @returns {string} empty if the bot wrote nothing
 */
export function crashLine(output) {
  const lines = output.split("\n").map((line) => line.trimEnd());
  const findLast = (/** @type {RegExp} */ pattern) => lines.findLastIndex((line) => pattern.test(line));
  const traceback = findLast(/^\s*Traceback \(most recent call last\):$/);
  if (traceback >= 0) {
    const named = lines.slice(traceback + 1).find((line) => /^\S/.test(line));
    if (named !== undefined) {
      return named;
    }
  }
  const thrown = findLast(/^Exception in thread "|^panic: /);
  if (thrown >= 0) {
    return lines[thrown];
  }
  const panicked = findLast(/^thread '.*' panicked at /);
  if (panicked >= 0) {
    const message = lines[panicked + 1] ?? "";
    return message === "" ? lines[panicked] : `${lines[panicked]} ${message}`;
  }
  return lines.findLast((line) => line !== "") ?? "";
}
