/**
 * A cell of a position in words, and what light it lies in.
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
 * The light of each column. Where a level has any column in the light, its others lie in the
 * night; a level with none has no day and night.
 * @param {Scene} scene
 * @param {Uint8Array} lit by column
 * @returns {Light[]}
 */
export function lightOf(scene, lit) {
  /** @type {Light[]} */
  const light = new Array(scene.cols).fill("");
  for (const { col, cols } of scene.levels) {
    if (lit.subarray(col, col + cols).includes(1)) {
      for (let at = col; at < col + cols; at += 1) {
        light[at] = lit[at] === 1 ? "sun" : "night";
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
    // Only the ruleset's own words name seats by number; a name may look like that by itself.
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
  const base = scene.owners.find((one) => one[0] === row && one[1] === col);
  if (base !== undefined) {
    return `base of ${owner({ players }, base[2])}`;
  }
  if (kind === "=") {
    return "elevator";
  }
  const seat = position.own[row * scene.cols + col];
  const light = lightOf(scene, position.lit)[col];
  const words = seat >= 0 ? `ground of ${owner({ players }, seat)}` : "free ground";
  return light === "" ? words : `${words}, in the ${light}`;
}

/** @param {Pick<Head, "players">} head @param {number} seat */
function owner({ players }, seat) {
  return `${seatLetter(seat)} ${players[seat]?.name ?? ""}`.trim();
}
