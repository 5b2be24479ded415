/**
 * Decodes heads and frames (docs/api.md, "Frames") into positions.
 *
 * Pure functions: they check what the arena sent, and build a position from the one before and
 * the differences. No fetching, no storing (film.js), no drawing.
 */

/**
 * @typedef {{title: string, col: number, cols: number, wraps: boolean}} Level
 * @typedef {object} Scene
 * @property {number} rows
 * @property {number} cols
 * @property {string[]} ground a string a row: `.` floor, `#` wall, `=` base
 * @property {[row: number, col: number, seat: number][]} owners of bases
 * @property {Level[]} levels
 * @property {[text: string, meaning: string][]} signs
 * @property {[shape: string, text: string, meaning: string][]} kinds
 * @property {string[]} stats titles of the statistics of each seat
 */

/**
 * @typedef {object} Head
 * @property {string} match
 * @property {boolean} [live] whether the match is running; absent where there is no arena
 * @property {boolean} [logs] whether frames tell what bots logged; absent where there is no arena
 * @property {"record" | "res"} source
 * @property {string} game
 * @property {string} title
 * @property {string | null} started
 * @property {{name: string, protocol: string | null}[]} players by seat
 * @property {Record<string, any>} settings
 * @property {{first: number, turn: number, late_limit: number} | null} clock seconds; 0: no limit
 * @property {number} attempt
 * @property {number | null} rounds how many turns there can be at most
 * @property {Scene} scene
 */

/**
 * A frame as the arena sent it; `key` says whether `own` and `marks` are complete.
 * @typedef {object} Frame
 * @property {number} n
 * @property {number} turn
 * @property {boolean} [key]
 * @property {number[]} own
 * @property {number[]} [gone]
 * @property {any[][]} marks
 * @property {[first: number, count: number][]} [lit]
 * @property {number[]} scores
 * @property {string[]} captions
 * @property {(number | string)[][]} [stats]
 * @property {[number, number, number, number, number, string][]} [arrows]
 * @property {number[]} [captured]
 * @property {[seat: number, words: string][]} [events]
 * @property {Play} [play]
 */

/**
 * The turn that led to a frame. Times are µs, by seat; limit and stall are seconds.
 * @typedef {object} Play
 * @property {number} turn
 * @property {number} limit 0: none
 * @property {string[]} verdicts
 * @property {(string | null)[]} raw answers
 * @property {(number[] | null)[]} times
 * @property {number} [stall]
 * @property {(number | null)[]} [status]
 * @property {{turn: number, seat: number, code: string, index: number | null, words: string}[]}
 *   [faults] at most 100 of each seat
 * @property {Record<string, number>} [more_faults] by seat, how many more there were
 * @property {Record<string, string>} [logs] by seat
 */

/**
 * @typedef {object} End
 * @property {string | null} seed
 * @property {string | null} trouble why the film stops early
 * @property {{end: string, reason: string, ranks: number[], scores: number[], turns: number,
 *   error: string | null, ended: string} | null} result
 */

/**
 * Something that stands on a cell. If two positions share the object, nothing of it has changed.
 * @typedef {object} Mark
 * @property {number} row
 * @property {number} col
 * @property {number} seat -1: neutral
 * @property {string} shape
 * @property {string} text
 * @property {number} unit -1: it has no number
 * @property {number} health 0 to 1; -1: none
 * @property {string[]} lines to show when it is pointed at
 */

/** @typedef {{row: number, col: number, toRow: number, toCol: number, seat: number,
 *   text: string}} Arrow */

/**
 * What stands where after some turn. Read only: positions share what hasn't changed.
 * @typedef {object} Position
 * @property {number} n the frame's number
 * @property {number} turn as the game counts
 * @property {Int8Array} own by cell, row * cols + col: the seat that owns the ground; -1: none
 * @property {readonly Mark[]} marks
 * @property {Uint8Array} lit by column: 1 in the light
 * @property {readonly number[]} scores by seat
 * @property {readonly string[]} captions by seat
 * @property {readonly (readonly (number | string)[])[]} stats by seat; empty: the game has none
 * @property {readonly Arrow[]} arrows moves that led here
 * @property {ReadonlyMap<number, number>} captured seat by cell
 * @property {readonly {seat: number, words: string}[]} events
 * @property {Play | null} play
 */

/** Maximum number of cells of a grid; the largest of the games has 40,000. */
const LARGEST = 4_000_000;

/** Data that isn't as docs/api.md says; the message is shown to people. */
export class BadFilm extends Error {}

/**
 * A head, checked as far as the page relies on it.
 * @param {any} value
 * @returns {Head}
 * @throws {BadFilm}
 */
export function readHead(value) {
  const scene = value?.scene;
  need(isObject(value) && isObject(scene), "the film's head has no scene");
  const { rows, cols } = scene;
  need(isCount(rows) && isCount(cols) && rows > 0 && cols > 0, "the film's scene has no size");
  need(rows * cols <= LARGEST, `the film's scene is too large: ${rows} rows of ${cols}`);
  need(
    Array.isArray(scene.ground) &&
      scene.ground.length === rows &&
      scene.ground.every((/** @type {any} */ row) => isText(row) && row.length === cols),
    `the film's ground isn't ${rows} rows of ${cols} cells`,
  );
  need(
    Array.isArray(scene.levels) &&
      scene.levels.length > 0 &&
      scene.levels.every(
        (/** @type {any} */ level) =>
          isText(level?.title) && isCount(level.col) && level.cols > 0 && level.col + level.cols <= cols,
      ),
    "the film's levels don't lie in its scene",
  );
  need(
    Array.isArray(scene.owners) &&
      scene.owners.every(
        (/** @type {any} */ owner) =>
          Array.isArray(owner) && owner[0] < rows && owner[1] < cols && owner.every(isCount),
      ),
    "the film's bases don't lie in its scene",
  );
  need(
    Array.isArray(value.players) &&
      value.players.every((/** @type {any} */ player) => isText(player?.name)),
    "the film's head names no players",
  );
  need([scene.signs, scene.kinds, scene.stats].every(Array.isArray), "the film has no legend");
  return value;
}

/**
 * A frame, checked.
 * @param {any} value
 * @param {Scene} scene
 * @param {number} n the number it must have
 * @returns {Frame}
 * @throws {BadFilm}
 */
export function readFrame(value, scene, n) {
  const { rows, cols } = scene;
  const cells = rows * cols;
  /** @param {boolean} right @param {string} what */
  const check = (right, what) => need(right, `frame ${n} of the film: ${what}`);
  need(isObject(value) && value.n === n, `the film has no frame ${n} where it should be`);
  check(Number.isInteger(value.turn), "its turn isn't a number");
  check(isPairs(value.own, cells), "`own` isn't pairs of cell and seat");
  check(value.captured === undefined || isPairs(value.captured, cells), "`captured` isn't pairs");
  check(
    Array.isArray(value.marks) && value.marks.every((/** @type {any} */ mark) => isMark(mark, scene)),
    "a mark isn't one, or lies outside the grid",
  );
  check(
    value.key === true || (Array.isArray(value.gone) && value.gone.every(isCount)),
    "it is neither whole nor says what is gone",
  );
  check(
    isListOf(value.lit, (range) => isCount(range[0]) && range[0] + range[1] <= cols),
    "`lit` leaves the grid",
  );
  check(Array.isArray(value.scores) && Array.isArray(value.captions), "it has no scores");
  check(isListOf(value.stats, () => true), "`stats` isn't a list by seat");
  check(
    isListOf(
      value.arrows,
      (arrow) =>
        arrow.slice(0, 4).every(isCount) &&
        Math.max(arrow[0], arrow[2]) < rows &&
        Math.max(arrow[1], arrow[3]) < cols &&
        isSeat(arrow[4]) &&
        isText(arrow[5]),
    ),
    "an arrow leaves the grid",
  );
  check(
    isListOf(value.events, (event) => isSeat(event[0]) && isText(event[1])),
    "an event isn't seat and words",
  );
  return value;
}

/**
 * Builds the position of a frame.
 * @param {Scene} scene
 * @param {Frame} frame checked by `readFrame`
 * @param {Position | null} before the position of the frame before; not looked at if it is whole
 * @returns {Position}
 * @throws {BadFilm} if the frame's differences don't fit the position before
 */
export function positionOf(scene, frame, before) {
  const last = frame.key === true ? null : before;
  if (last === null && frame.key !== true) {
    throw new BadFilm(`frame ${frame.n} of the film tells differences, but there is none before it`);
  }
  const lit = new Uint8Array(scene.cols);
  for (const [first, count] of frame.lit ?? []) {
    lit.fill(1, first, first + count);
  }
  return {
    n: frame.n,
    turn: frame.turn,
    own: ownership(scene, frame, last),
    marks: marksOf(frame, last),
    lit,
    scores: frame.scores,
    captions: frame.captions,
    stats: frame.stats ?? [],
    arrows: (frame.arrows ?? []).map(([row, col, toRow, toCol, seat, text]) => ({
      row,
      col,
      toRow,
      toCol,
      seat,
      text,
    })),
    captured: new Map(pairs(frame.captured ?? [])),
    events: (frame.events ?? []).map(([seat, words]) => ({ seat, words })),
    play: frame.play ?? null,
  };
}

/**
 * @param {Scene} scene
 * @param {Frame} frame
 * @param {Position | null} last null: the frame is whole
 */
function ownership(scene, frame, last) {
  if (last !== null && frame.own.length === 0) {
    return last.own;
  }
  const own = last === null ? new Int8Array(scene.rows * scene.cols).fill(-1) : last.own.slice();
  for (const [cell, seat] of pairs(frame.own)) {
    own[cell] = seat;
  }
  return own;
}

/**
 * @param {Frame} frame
 * @param {Position | null} last null: the frame is whole
 * @returns {readonly Mark[]}
 */
function marksOf(frame, last) {
  const added = frame.marks.map(markOf);
  if (last === null) {
    return added;
  }
  const gone = new Set(frame.gone);
  for (const place of gone) {
    need(place < last.marks.length, `frame ${frame.n} of the film: mark ${place} can't be gone`);
  }
  if (gone.size === 0 && added.length === 0) {
    return last.marks;
  }
  return last.marks.filter((_, place) => !gone.has(place)).concat(added);
}

/** @param {any[]} told @returns {Mark} */
function markOf([row, col, seat, shape, text, unit, health, ...lines]) {
  return { row, col, seat, shape, text, unit, health, lines };
}

/** @param {number[]} flat @returns {[number, number][]} */
function pairs(flat) {
  return Array.from({ length: flat.length / 2 }, (_, at) => [flat[2 * at], flat[2 * at + 1]]);
}

/** @param {any} mark @param {Scene} scene */
function isMark(mark, { rows, cols }) {
  if (!Array.isArray(mark) || mark.length < 7) {
    return false;
  }
  const [row, col, seat, shape, text, unit, health, ...lines] = mark;
  return (
    isCount(row) &&
    row < rows &&
    isCount(col) &&
    col < cols &&
    isSeat(seat) &&
    isText(shape) &&
    isText(text) &&
    Number.isInteger(unit) &&
    Number.isFinite(health) &&
    lines.every(isText)
  );
}

/** @param {any} flat @param {number} cells */
function isPairs(flat, cells) {
  return (
    Array.isArray(flat) &&
    flat.length % 2 === 0 &&
    flat.every((value, at) => (at % 2 === 0 ? isCount(value) && value < cells : isSeat(value)))
  );
}

/**
 * Whether a value is absent, or a list of lists that are all right.
 * @param {any} list
 * @param {(item: any[]) => boolean} right
 */
function isListOf(list, right) {
  return (
    list === undefined ||
    (Array.isArray(list) && list.every((item) => Array.isArray(item) && right(item)))
  );
}

/** @param {any} value @returns {value is Record<string, any>} */
function isObject(value) {
  return typeof value === "object" && value !== null;
}

/** @param {any} value */
function isText(value) {
  return typeof value === "string";
}

/** @param {any} value */
function isCount(value) {
  return Number.isInteger(value) && value >= 0;
}

/** -1 is no seat; ownership is kept in signed bytes. @param {any} value */
function isSeat(value) {
  return Number.isInteger(value) && value >= -1 && value <= 127;
}

/** @param {boolean} right @param {string} words */
function need(right, words) {
  if (!right) {
    throw new BadFilm(words);
  }
}
