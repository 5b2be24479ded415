/**
 * Decodes heads and frames (docs/api.md, "Frames") into positions.
 *
 * These are pure functions: they check what the arena sent, and build a position from the previous
 * one and the differences. Fetching and storing are in match_frames.js.
 */

/**
 * @typedef {{title: string, col: number, cols: number, wraps: boolean}} Level
 * @typedef {object} Scene
 * @property {number} rows
 * @property {number} cols
 * @property {string[]} ground a string for each row: `.` floor, `#` wall, `=` base
 * @property {[row: number, col: number, seat: number][]} owners the bases that belong to a seat
 * @property {Level[]} levels
 * @property {[text: string, meaning: string][]} signs
 * @property {string} base what a base without an owner is called
 * @property {[shape: string, text: string, meaning: string][]} kinds
 * @property {string[]} stats titles of the statistics of each seat
 * @property {string} [turn] the game's own word for a turn, such as `move` or `round`
 */

/**
 * @typedef {object} Head
 * @property {string} match
 * @property {boolean} [live] whether the match is running; absent without an arena
 * @property {boolean | number[]} [logs] whether frames contain the bots' logs, or of which seats;
 *   absent without an arena
 * @property {number[]} [bundles] the seats whose failure bundles may be downloaded; absent as above
 * @property {"record" | "res"} source
 * @property {string} game
 * @property {string} title
 * @property {string | null} started
 * @property {{name: string, protocol: string | null}[]} players by seat
 * @property {Record<string, any>} settings
 * @property {{time_init: number, time_move: number, late_limit: number, lag_allowance: number} |
 *   null} clock in seconds; 0: no limit
 * @property {number} attempt
 * @property {string | null} [ladder] the ladder that the match was played on
 * @property {number | null} rounds maximum number of turns; null: unlimited
 * @property {number | null} [numbers] how many numbers a submove has; null: it begins with a letter
 * @property {Scene} scene
 */

/**
 * A frame as the arena sent it. In a key frame `own` and `marks` are complete; in any other they
 * are differences to the frame before.
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
 * @property {[seat: number, text: string, units?: number[], cells?: number[]][]} [events]
 * @property {Play} [play]
 */

/**
 * What a submove orders; unit -1: none; `why`: why it changed nothing, absent if it did.
 * @typedef {[text: string, unit: number, cells: number[], why?: string]} Submove
 */

/**
 * The turn that led to a frame. `times` are in µs; `limit` and `stall` are in seconds. Lists are by
 * seat.
 * @typedef {object} Play
 * @property {number} turn
 * @property {number} limit 0: none
 * @property {string[]} verdicts
 * @property {(string | null)[]} raw answers
 * @property {(Submove[] | null)[]} [submoves] the answers in words, at most 100 submoves of each;
 *   absent if the ruleset has no words for them
 * @property {(number[] | null)[]} times
 * @property {Record<string, number>} [lags] by seat, the µs that were added to its limit
 * @property {Record<string, [smoothed: number, least: number]>} [round_trips] by seat, in µs
 * @property {number} [stall]
 * @property {(number | null)[]} [status]
 * @property {{turn: number, seat: number, code: string, index: number | null, words: string}[]}
 *   [faults] at most 100 of each seat
 * @property {Record<string, number>} [more_faults] by seat, how many more there were
 * @property {Record<string, string>} [left] by seat that is away since this turn, why
 * @property {number[]} [rejoined] the seats that are back since this turn
 * @property {Record<string, string>} [logs] by seat
 */

/**
 * Seat -1: it is about none; `last`: the last round in which orders were wasted, of such chapters.
 * @typedef {[round: number, seat: number, text: string, last?: number]} Chapter
 */

/**
 * @typedef {object} Story
 * @property {Chapter[]} chapters what happened, in order
 * @property {number | null} decided the round in which the winner's lead grew the most
 * @property {[number, number]} best the first and the last round of the part in which most happened
 * @property {Record<string, Chapter[]>} losses by seat that didn't win, what it lost by
 * @property {number[]} losers these seats, those with the gravest reasons first
 */

/**
 * @typedef {object} End
 * @property {Story | null} [story] null: the match wasn't played to its end
 * @property {string | null} seed
 * @property {string | null} trouble why the frames end before the match does; null: they don't
 * @property {{end: string, reason: string, ranks: number[], scores: number[], turns: number,
 *   error: string | null, ended: string, endings?: string[],
 *   out?: Record<string, {turn: number, code: string, words: string, since?: number}>,
 *   exits?: Record<string, string>, outputs?: Record<string, string>,
 *   output_turns?: Record<string, [number, number][]>} | null} result `out`: by
 *   seat that didn't play to the end, the fault that ended it, and the first of late or absent turns in a row, if it isn't that one; `exits` and `outputs`: by seat, how the
 *   bot's process ended and what it wrote, its end if it is long, as far as that may be seen;
 *   `output_turns`: the turns in which parts of it came, with where they begin
 */

/**
 * Something that stands on a cell. A mark that didn't change is the same object in both positions.
 * @typedef {object} Mark
 * @property {number} row
 * @property {number} col
 * @property {number} seat -1: neutral
 * @property {string} shape
 * @property {string} text
 * @property {number} unit the unit's number; -1: it has none
 * @property {number} health 0 to 1; -1: it has none
 * @property {string[]} lines description, shown while the pointer is on it
 */

/** @typedef {import("./layout.js").Cell} Cell */
/** @typedef {{row: number, col: number, toRow: number, toCol: number, seat: number,
 *   text: string}} Arrow */

/**
 * The state of the board after a turn. It is read-only, as positions share what hasn't changed.
 * @typedef {object} Position
 * @property {number} n the frame's number
 * @property {number} turn the turn's number as the game counts
 * @property {Int8Array} own by cell, row * cols + col: the seat that owns the ground; -1: none
 * @property {readonly Mark[]} marks
 * @property {Uint8Array} lit by column: 1 in the light
 * @property {readonly number[]} scores by seat
 * @property {readonly string[]} captions by seat
 * @property {readonly (readonly (number | string)[])[]} stats by seat; empty: the game has none
 * @property {readonly Arrow[]} arrows moves of the turn that led here
 * @property {ReadonlyMap<number, number>} captured seat by cell
 * @property {readonly {seat: number, text: string, units: readonly number[],
 *   cells: readonly Cell[]}[]} events
 * @property {Play | null} play
 */

/** Maximum number of cells of a grid; the largest grid of a game has 40,000. */
const LARGEST = 4_000_000;

/** Data that isn't as docs/api.md says. The message is shown to the user. */
export class BadDataError extends Error {}

/**
 * Return a head, after checking everything that the page relies on.
 * @param {any} value
 * @returns {Head}
 * @throws {BadDataError}
 */
export function readHead(value) {
  const scene = value?.scene;
  need(isObject(value) && isObject(scene), "the match's head has no scene");
  const { rows, cols } = scene;
  need(isCount(rows) && isCount(cols) && rows > 0 && cols > 0, "the match's scene has no size");
  need(rows * cols <= LARGEST, `the match's scene is too large: ${rows} rows of ${cols}`);
  need(
    Array.isArray(scene.ground) &&
      scene.ground.length === rows &&
      scene.ground.every((/** @type {any} */ row) => isText(row) && row.length === cols),
    `the match's ground isn't ${rows} rows of ${cols} cells`,
  );
  need(
    Array.isArray(scene.levels) &&
      scene.levels.length > 0 &&
      scene.levels.every(
        (/** @type {any} */ level) =>
          isText(level?.title) &&
          isCount(level.col) &&
          level.cols > 0 &&
          level.col + level.cols <= cols,
      ),
    "a level of the match lies outside its scene",
  );
  need(
    Array.isArray(scene.owners) &&
      scene.owners.every(
        (/** @type {any} */ owner) =>
          Array.isArray(owner) && owner[0] < rows && owner[1] < cols && owner.every(isCount),
      ),
    "a base of the match lies outside its scene",
  );
  need(
    Array.isArray(value.players) &&
      value.players.every((/** @type {any} */ player) => isText(player?.name)),
    "the match's head names no players",
  );
  need(
    [scene.signs, scene.kinds, scene.stats].every(Array.isArray),
    "the match's head has no legend",
  );
  return value;
}

/**
 * Return a frame, after checking it.
 * @param {any} value
 * @param {Scene} scene
 * @param {number} n the number it must have
 * @returns {Frame}
 * @throws {BadDataError}
 */
export function readFrame(value, scene, n) {
  const { rows, cols } = scene;
  const cells = rows * cols;
  /** @param {boolean} isValid @param {string} problem */
  const check = (isValid, problem) => need(isValid, `frame ${n} of the match: ${problem}`);
  need(isObject(value) && value.n === n, `the match has no frame ${n} where it should be`);
  check(Number.isInteger(value.turn), "its turn isn't a number");
  check(isPairs(value.own, cells), "`own` isn't pairs of cell and seat");
  check(
    value.captured === undefined || isPairs(value.captured, cells),
    "`captured` isn't pairs of cell and seat",
  );
  check(
    Array.isArray(value.marks) &&
      value.marks.every((/** @type {any} */ mark) => isMark(mark, scene)),
    "a mark is malformed or lies outside the grid",
  );
  check(
    value.key === true || (Array.isArray(value.gone) && value.gone.every(isCount)),
    "it is neither a key frame nor says which marks are gone",
  );
  check(
    isListOf(value.lit, (range) => isCount(range[0]) && range[0] + range[1] <= cols),
    "`lit` reaches beyond the grid",
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
    "an arrow reaches beyond the grid",
  );
  check(
    isListOf(
      value.events,
      ([seat, text, units = [], places = []]) =>
        isSeat(seat) && isText(text) && isListOfCounts(units) && isCells(places, cells),
    ),
    "an event isn't a seat, a text, units and cells",
  );
  check(
    areSubmoves(value.play?.submoves, cells),
    "a submove isn't a text, a unit and cells",
  );
  return value;
}

/**
 * Build the position of a frame.
 * @param {Scene} scene
 * @param {Frame} frame checked by `readFrame`
 * @param {Position | null} before the position of the frame before; ignored for a key frame
 * @returns {Position}
 * @throws {BadDataError} if the frame's differences don't fit that position
 */
export function positionOf(scene, frame, before) {
  const last = frame.key === true ? null : before;
  if (last === null && frame.key !== true) {
    throw new BadDataError(`frame ${frame.n} isn't a key frame, and the one before it is missing`);
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
    events: (frame.events ?? []).map(([seat, text, units = [], cells = []]) => ({
      seat,
      text,
      units,
      cells: cells.map((cell) => cellOf(scene, cell)),
    })),
    play: frame.play ?? null,
  };
}

/**
 * Return the place of a cell.
 * @param {Pick<Scene, "cols">} scene
 * @param {number} cell its number: row * cols + col
 * @returns {Cell}
 */
export function cellOf({ cols }, cell) {
  return { row: Math.floor(cell / cols), col: cell % cols };
}

/**
 * @param {Scene} scene
 * @param {Frame} frame
 * @param {Position | null} last null for a key frame
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
 * @param {Position | null} last null for a key frame
 * @returns {readonly Mark[]}
 */
function marksOf(frame, last) {
  const added = frame.marks.map(markOf);
  if (last === null) {
    return added;
  }
  const gone = new Set(frame.gone);
  for (const place of gone) {
    need(
      place < last.marks.length,
      `frame ${frame.n} of the match: there is no mark ${place} to remove`,
    );
  }
  if (gone.size === 0 && added.length === 0) {
    return last.marks;
  }
  return last.marks.filter((_, place) => !gone.has(place)).concat(added);
}

/** @param {any[]} values of a mark, in the order of docs/api.md @returns {Mark} */
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

/** @param {any} list */
function isListOfCounts(list) {
  return Array.isArray(list) && list.every(isCount);
}

/** @param {any} list @param {number} cells */
function isCells(list, cells) {
  return isListOfCounts(list) && list.every((/** @type {number} */ cell) => cell < cells);
}

/** Whether a value is absent, or has null or submoves for each seat. @param {any} value @param {number} cells */
function areSubmoves(value, cells) {
  const bySeat = Array.isArray(value) ? value.filter((one) => one !== null) : value;
  return isListOf(bySeat, (submoves) => submoves.every((submove) => isSubmove(submove, cells)));
}

/** @param {any} value @param {number} cells */
function isSubmove(value, cells) {
  return (
    Array.isArray(value) &&
    isText(value[0]) &&
    Number.isInteger(value[1]) &&
    isCells(value[2], cells) &&
    (value[3] === undefined || isText(value[3]))
  );
}

/**
 * Whether a value is absent, or a list of valid lists.
 * @param {any} list
 * @param {(item: any[]) => boolean} isValid
 */
function isListOf(list, isValid) {
  return (
    list === undefined ||
    (Array.isArray(list) && list.every((item) => Array.isArray(item) && isValid(item)))
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

/** Whether a value is a seat, or -1 for none; it must fit in a signed byte. @param {any} value */
function isSeat(value) {
  return Number.isInteger(value) && value >= -1 && value <= 127;
}

/** @param {boolean} isValid @param {string} message */
function need(isValid, message) {
  if (!isValid) {
    throw new BadDataError(message);
  }
}
