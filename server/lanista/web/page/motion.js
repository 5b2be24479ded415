/**
 * What happens between two positions, for the animation: which marks move, appear, leave, stay.
 *
 * Pure; no canvas. Computed once for a pair of positions, drawn many times.
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
 * @property {number} rows how far down
 * @property {number} cols how far to the right, also over the seam of a level that wraps
 */

/**
 * @typedef {object} Glide units without numbers that go along an arrow
 * @property {Arrow} arrow
 * @property {number} rows
 * @property {number} cols
 */

/**
 * @typedef {object} Motion
 * @property {Mark[]} still alike in both
 * @property {Move[]} moves
 * @property {Mark[]} leaving marks of the position before that are no longer there
 * @property {Mark[]} coming those that were not there
 * @property {Glide[]} glides
 */

/** Maximum distance in cells that is shown as movement; a diagonal step is 1.41. */
const STEP = 1.5;
const COUNT = "count";

/**
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
  // A key frame has new objects even for marks that are the same.
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
  return { still, moves, leaving: glides.length > 0 ? gone(leaving, glides) : leaving, coming, glides };
}

/**
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
 * The counts of a cell without those that move along an arrow: what is still shown there while
 * they move.
 * @param {Mark[]} leaving
 * @param {Glide[]} glides
 * @returns {Mark[]}
 */
function gone(leaving, glides) {
  /** @type {Map<string, number>} */
  const going = new Map();
  for (const { arrow } of glides) {
    const key = `${arrow.row} ${arrow.col} ${arrow.seat}`;
    going.set(key, (going.get(key) ?? 0) + (Number.parseInt(arrow.text, 10) || 0));
  }
  const left = [];
  for (const mark of leaving) {
    const went = mark.shape === COUNT ? going.get(`${mark.row} ${mark.col} ${mark.seat}`) : undefined;
    const rest = Number.parseInt(mark.text, 10) - (went ?? 0);
    if (went === undefined) {
      left.push(mark);
    } else if (rest > 0) {
      left.push({ ...mark, text: String(rest) });
    }
  }
  return left;
}

/** @param {Mark} mark */
function keyOf({ row, col, seat, shape, text, unit, health, lines }) {
  return `${row} ${col} ${seat} ${shape} ${unit} ${health} ${text} ${lines.join("\n")}`;
}
