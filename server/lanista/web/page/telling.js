/**
 * Describes a cell of a position in words, and finds the light it is in.
 *
 * Pure; no canvas, no page.
 */

import { seatLetter } from "./colours.js";
import { named } from "./words.js";

/** @typedef {import("./decode.js").Head} Head */
/** @typedef {import("./decode.js").Mark} Mark */
/** @typedef {import("./decode.js").Position} Position */
/** @typedef {import("./decode.js").Scene} Scene */
/** @typedef {import("./layout.js").Place} Place */
/** @typedef {"" | "sun" | "night"} Light */

/**
 * The light of each column. If a level has a column in the light, its other columns are in the
 * night; a level with none has neither day nor night.
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
 * @param {Head} head
 * @param {Position} position
 * @param {Place} place
 * @param {Mark[]} marks what stands there
 * @returns {string[]} where it is; what ground; a line or more for each that stands there
 */
export function describe(head, position, place, marks) {
  const { row, col, level, levelCol } = place;
  const title = head.scene.levels[level].title;
  const where = `row ${row}, column ${levelCol}`;
  const lines = [title === "" ? where : `${title}, ${where}`, ground(head, position, row, col)];
  for (const mark of marks) {
    // Only texts of the ruleset name seats by number; a bot's name may look like that by chance.
    const [first = mark.text, ...rest] = mark.lines.map((line) => named(line, head));
    lines.push(mark.seat < 0 ? first : `${first}, of ${owner(head, mark.seat)}`, ...rest);
  }
  return lines;
}

/**
 * @param {Head} head
 * @param {Position} position
 * @param {number} row
 * @param {number} col
 */
function ground({ scene, players }, position, row, col) {
  const kind = scene.ground[row][col];
  if (kind === "#") {
    return "wall";
  }
  const base = scene.owners.find(([baseRow, baseCol]) => baseRow === row && baseCol === col);
  if (base !== undefined) {
    return `base of ${owner({ players }, base[2])}`;
  }
  if (kind === "=") {
    return "elevator";
  }
  const seat = position.own[row * scene.cols + col];
  const light = lightOf(scene, position.lit)[col];
  const text = seat >= 0 ? `ground of ${owner({ players }, seat)}` : "free ground";
  return light === "" ? text : `${text}, in the ${light}`;
}

/** @param {Pick<Head, "players">} head @param {number} seat */
function owner({ players }, seat) {
  return `${seatLetter(seat)} ${players[seat]?.name ?? ""}`.trim();
}
