/**
 * What changed a score from one turn to the next, told by the figures that a game shows of each seat.
 *
 * @module
 */

/** @typedef {import("./decode.js").Head} Head */
/** @typedef {import("./decode.js").Position} Position */

/** Maximum number of figures that are named. */
const MOST = 2;

/**
 * Explain a change of a score: `+12 cells, −3 units`.
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
      return Number.isInteger(change) && change !== 0 ? [`${signed(change)} ${title}`] : [];
    })
    .slice(0, MOST)
    .join(", ");
}

/** Format a number with its sign. @param {number} value */
function signed(value) {
  return value < 0 ? `\u2212${(-value).toLocaleString("en")}` : `+${value.toLocaleString("en")}`;
}
