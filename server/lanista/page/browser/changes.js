/**
 * What changed a score from one turn to the next, told by the figures that a game shows of each seat.
 *
 * @module
 */

import { signed } from "./figures.js";

/** @typedef {import("./decode.js").Head} Head */
/** @typedef {import("./decode.js").Position} Position */

/** Maximum number of figures that are named. */
const MOST = 2;

/**
 * Explain a change of a score: `cells +12, units −3`.
 *
 * @param {Head} head
 * @param {Position} position
 * @param {Position | null} before the position a turn earlier; null: there is none
 * @param {number} seat
 * @returns {string} empty if the score is as before, or nothing explains it
 */
export function scoreChange(head, position, before, seat) {
  if (before?.n !== position.n - 1 || before.scores[seat] === position.scores[seat]) {
    return "";
  }
  return (position.stats[seat] ?? [])
    .flatMap((value, at) => {
      const change = Number(value) - Number(before.stats[seat]?.[at]);
      const title = head.scene.stats[at];
      // Shares and texts change too, but explain nothing.
      return Number.isInteger(change) && change !== 0 ? [`${title} ${signed(change)}`] : [];
    })
    .slice(0, MOST)
    .join(", ");
}
