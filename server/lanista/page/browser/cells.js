/**
 * Descriptions of the cells of a position, and the light that the cells are in.
 *
 * These are pure functions: no canvas, no elements.
 */

import { seatLetter } from "./colours.js";
import { isolated } from "./matches.js";
import { nameSeats, printable } from "./text.js";

/** @typedef {import("./decode.js").Head} Head */
/** @typedef {import("./decode.js").Mark} Mark */
/** @typedef {import("./decode.js").Position} Position */
/** @typedef {import("./decode.js").Scene} Scene */
/** @typedef {import("./layout.js").Place} Place */
/** @typedef {"" | "sun" | "night"} Light */

/**
 * Return the light of each column. If a level has a column in the light, its other columns are in
 * the night; a level without one has neither day nor night.
 * @param {Scene} scene
 * @param {Uint8Array} lit by column
 * @returns {Light[]}
 */
export function lightOf(scene, lit) {
  /** @type {Light[]} */
  const light = new Array(scene.cols).fill("");
  for (const { col, cols } of scene.levels) {
    if (lit.subarray(col, col + cols).includes(1)) {
      for (let column = col; column < col + cols; column += 1) {
        light[column] = lit[column] === 1 ? "sun" : "night";
      }
    }
  }
  return light;
}

/**
 * Describe a cell: where it is, what its ground is, and what stands on it.
 * @param {Head} head
 * @param {Position} position
 * @param {Place} place
 * @param {Mark[]} marks what stands on it
 * @returns {string[]} lines
 */
export function describeCell(head, position, place, marks) {
  const { row, col, level, levelCol } = place;
  const title = head.scene.levels[level].title;
  const where = `row ${row}, column ${levelCol}`;
  const ground = describeGround(head, position, row, col);
  const lines = [title === "" ? where : `${title}, ${where}`, ground];
  for (const mark of marks) {
    // Only texts of the ruleset contain seat numbers; a bot's name may look like one by chance.
    const [first = mark.text, ...rest] = mark.lines.map((line) => nameSeats(printable(line), head));
    lines.push(mark.seat < 0 ? first : `${first}, of ${seatName(head, mark.seat)}`, ...rest);
  }
  return lines;
}

/**
 * @param {Head} head
 * @param {Position} position
 * @param {number} row
 * @param {number} col
 */
function describeGround({ scene, players }, position, row, col) {
  const kind = scene.ground[row][col];
  if (kind === "#") {
    return "wall";
  }
  const base = scene.owners.find(([baseRow, baseCol]) => baseRow === row && baseCol === col);
  if (base !== undefined) {
    return `base of ${seatName({ players }, base[2])}`;
  }
  if (kind === "=") {
    return scene.base;
  }
  const seat = position.own[row * scene.cols + col];
  const light = lightOf(scene, position.lit)[col];
  const text = seat >= 0 ? `ground of ${seatName({ players }, seat)}` : "free ground";
  return light === "" ? text : `${text}, in the ${light}`;
}

/** The letter and the name of a seat. @param {Pick<Head, "players">} head @param {number} seat */
function seatName({ players }, seat) {
  return `${seatLetter(seat)} ${isolated(printable(players[seat]?.name ?? ""))}`.trim();
}
