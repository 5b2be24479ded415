/**
 * The changes between two positions, for the animation: which marks move, appear, leave or stay.
 *
 * They are computed once for a pair of positions and drawn many times.
 */

import { columnsBetween } from "./layout.js";

/** @typedef {import("./decode.js").Arrow} Arrow */
/** @typedef {import("./decode.js").Mark} Mark */
/** @typedef {import("./decode.js").Position} Position */
/** @typedef {import("./decode.js").Scene} Scene */

/**
 * @typedef {object} Move a unit that moves to a neighbouring cell
 * @property {Mark} before
 * @property {Mark} after
 * @property {number} rows number of rows by which it moves down
 * @property {number} cols number of columns by which it moves to the right; a move across the seam
 *   of a level that wraps counts as one
 */

/**
 * @typedef {object} Glide units without numbers that move along an arrow
 * @property {Arrow} arrow
 * @property {number} rows
 * @property {number} cols
 */

/**
 * @typedef {object} Motion
 * @property {Mark[]} still marks that are alike in both positions
 * @property {Move[]} moves
 * @property {Mark[]} leaving marks that only the previous position has
 * @property {Mark[]} coming marks that only the new position has
 * @property {Glide[]} glides
 */

/** Maximum distance in cells that is shown as movement; a diagonal step has 1.41. */
const STEP = 1.5;
const COUNT = "count";

/**
 * Compare two positions.
 * @param {Scene} scene
 * @param {Int16Array} levelOf by `levelByColumn`
 * @param {Position} previous
 * @param {Position} position
 * @returns {Motion}
 */
export function motionOf(scene, levelOf, previous, position) {
  const before = new Set(previous.marks);
  const still = [];
  let added = [];
  for (const mark of position.marks) {
    if (before.delete(mark)) {
      still.push(mark);
    } else {
      added.push(mark);
    }
  }
  // A key frame has new objects even for marks that didn't change.
  const alike = new Map([...before].map((mark) => [keyOf(mark), mark]));
  const units = new Map();
  added = added.filter((mark) => {
    const same = alike.get(keyOf(mark));
    if (same !== undefined && before.delete(same)) {
      still.push(mark);
      return false;
    }
    return true;
  });
  for (const mark of before) {
    if (mark.unit >= 0) {
      units.set(mark.unit, mark);
    }
  }
  const moves = [];
  const coming = [];
  for (const after of added) {
    const mark = after.unit < 0 ? undefined : units.get(after.unit);
    const rows = mark === undefined ? 0 : after.row - mark.row;
    const cols = mark === undefined ? 0 : columnsBetween(scene, levelOf, mark.col, after.col);
    if (mark !== undefined && Math.hypot(rows, cols) <= STEP) {
      before.delete(mark);
      moves.push({ before: mark, after, rows, cols });
    } else {
      coming.push(after);
    }
  }
  const leaving = [...before];
  // Arrows belong to the turn between two consecutive frames.
  const glides =
    previous.n === position.n - 1 ? glidesOf(scene, levelOf, position.arrows) : [];
  return { still, moves, leaving: withoutGliding(leaving, glides), coming, glides };
}

/**
 * Return how units move along arrows; those between levels aren't shown as movement.
 * @param {Scene} scene
 * @param {Int16Array} levelOf
 * @param {readonly Arrow[]} arrows
 * @returns {Glide[]}
 */
function glidesOf(scene, levelOf, arrows) {
  const glides = [];
  for (const arrow of arrows) {
    const cols = columnsBetween(scene, levelOf, arrow.col, arrow.toCol);
    if (Number.isFinite(cols)) {
      glides.push({ arrow, rows: arrow.toRow - arrow.row, cols });
    }
  }
  return glides;
}

/**
 * Subtract the units that move along arrows from the counts of their cells, which are still shown
 * while they move.
 * @param {Mark[]} leaving
 * @param {Glide[]} glides
 * @returns {Mark[]}
 */
function withoutGliding(leaving, glides) {
  /** @type {Map<string, number>} */
  const going = new Map();
  for (const { arrow } of glides) {
    const key = `${arrow.row} ${arrow.col} ${arrow.seat}`;
    going.set(key, (going.get(key) ?? 0) + (Number.parseInt(arrow.text, 10) || 0));
  }
  const left = [];
  for (const mark of leaving) {
    const key = `${mark.row} ${mark.col} ${mark.seat}`;
    const went = mark.shape === COUNT ? going.get(key) : undefined;
    const rest = Number.parseInt(mark.text, 10) - (went ?? 0);
    if (went === undefined) {
      left.push(mark);
    } else if (rest > 0) {
      left.push({ ...mark, text: String(rest) });
    }
  }
  return left;
}

/** Return a key that is equal for marks that look alike. @param {Mark} mark */
function keyOf({ row, col, seat, shape, text, unit, health, lines }) {
  return `${row} ${col} ${seat} ${shape} ${unit} ${health} ${text} ${lines.join("\n")}`;
}
