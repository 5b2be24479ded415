/**
 * A match of Angry Mob as plain attributes (rules/angrymob.md, PROTOCOL.md 5). No strategy lives
 * here.
 */

import { CellMap } from "./cells.js";
import { FREE, Paths } from "./paths.js";
import { bySeat, integer, line, rowsOf, some, State } from "./state.js";

/** @typedef {import("./cells.js").Cell} Cell */
/** @typedef {import("./paths.js").Way<Cell>} Way */
/** @typedef {import("./state.js").Facts} Facts */

/** Direction: a column to the right. */
export const RIGHT = 0;
/** Direction: a row up. */
export const UP = 1;
/** Direction: a column to the left. */
export const LEFT = 2;
/** Direction: a row down. */
export const DOWN = 3;

/**
 * Of each direction, what it adds to the row and to the column.
 * @type {readonly Cell[]}
 */
export const DIRECTIONS = Object.freeze([
  [0, 1],
  [-1, 0],
  [0, -1],
  [1, 0],
]);

/** A match of Angry Mob; cells are `[i, j]`, row and column, from 0 at the top left. */
export class AngryMobState extends State {
  /** @type {boolean[][]} */
  #passable;
  /** @type {Paths<Cell>} */
  #paths;

  /**
   * @param {string} match
   * @param {Facts} start
   */
  constructor(match, start) {
    super(match, start);
    const [rows, cols] = line(start, "size");
    /** The map's height in cells. @readonly */
    this.rows = integer(rows);
    /** Its width in cells. @readonly */
    this.cols = integer(cols);
    const lines = some(start, "row").map(([row, ...words]) => [row, words]);
    /** @type {string[][]} */
    const grid = rowsOf(lines, this.rows, this.cols);
    this.#passable = grid.map((row) => row.map((word) => word !== "#"));
    this.#paths = new Paths(
      ([i, j]) => (this.#passable[i]?.[j] === undefined ? -1 : i * this.cols + j),
      ([i, j]) => this.#waysFrom(i, j),
    );
    /**
     * The cells that hold neutral units now, and how many.
     * @type {CellMap<Cell, number>}
     */
    this.neutral = new CellMap();
    grid.forEach((row, i) => {
      row.forEach((word, j) => {
        if (/^[0-9]+$/.test(word)) this.neutral.set([i, j], integer(word));
      });
    });
    /** The base of each seat. @readonly @type {readonly Cell[]} */
    this.bases = bySeat(some(start, "base")).map(([i, j]) => this.#placeOf(i, j));
    /** Our own base. @readonly */
    this.base = baseOf(this.bases, this.seat);
    /** The opponent's base. @readonly */
    this.enemyBase = baseOf(this.bases, 1 - this.seat);
    /**
     * The cells that hold our units, and how many; a new map each turn.
     * @type {CellMap<Cell, number>}
     */
    this.mine = new CellMap();
    /**
     * The cells that hold the opponent's units, and how many; a new map each turn.
     * @type {CellMap<Cell, number>}
     */
    this.theirs = new CellMap();
    /** How many units each seat has on the map. @type {readonly number[]} */
    this.totals = [];
  }

  /**
   * Take the facts of a turn (PROTOCOL.md 5).
   * @override
   * @param {number} turn
   * @param {Facts} facts
   */
  update(turn, facts) {
    super.update(turn, facts);
    /** @type {CellMap<Cell, number>} */
    const mine = new CellMap();
    /** @type {CellMap<Cell, number>} */
    const theirs = new CellMap();
    for (const [i, j, seat, n] of facts.unit ?? []) {
      const units = integer(seat) === this.seat ? mine : theirs;
      units.set(this.#placeOf(i, j), integer(n));
    }
    this.mine = mine;
    this.theirs = theirs;
    for (const [i, j, n] of facts.neutral ?? []) {
      if (n === "0") this.neutral.delete(this.#placeOf(i, j));
      else this.neutral.set(this.#placeOf(i, j), integer(n));
    }
    this.totals = bySeat(facts.total).map(([n]) => integer(n));
  }

  /**
   * Of each seat, the submoves `[i, j, k, d]` that it sent last turn; none at turn 0.
   * @returns {[i: number, j: number, k: number, d: number][][]}
   */
  get moved() {
    /** @type {[number, number, number, number][][]} */
    const moved = [[], []];
    for (const [seat, ...words] of this.facts.moved ?? []) {
      for (let at = 0; at < words.length; at += 4) {
        const [i, j, k, d] = words.slice(at, at + 4);
        moved[integer(seat)]?.push([integer(i), integer(j), integer(k), integer(d)]);
      }
    }
    return moved;
  }

  /**
   * Whether the cell lies on the map and units can stand there.
   * @param {number} i the row
   * @param {number} j the column
   */
  passable(i, j) {
    return this.#passable[i]?.[j] === true;
  }

  /**
   * The ways out of a cell: each direction that a unit can take, and the cell it leads to.
   * @param {number} i the row
   * @param {number} j the column
   * @returns {readonly Way[]}
   */
  neighbours(i, j) {
    return this.#paths.from([i, j]);
  }

  /**
   * Of each cell, how many steps it is from the nearest goal, nearest first. Cells that no way
   * leads to aren't in it, and goals that aren't on the map aren't looked at.
   *
   * @param {Iterable<Cell>} goals where to measure from
   * @param {object} [options]
   * @param {import("./cells.js").CellMap<Cell, unknown> | Iterable<Cell>} [options.blocked] cells
   *     to go around, beside the impassable ones
   * @param {number} [options.within] steps to look at, at most
   * @returns {CellMap<Cell, number>}
   */
  distances(goals, { blocked = [], within = Number.POSITIVE_INFINITY } = {}) {
    const steps = new Int32Array(this.rows * this.cols).fill(FREE);
    return this.#paths.distances(goals, blocked, within, steps);
  }

  /**
   * @param {string} [row]
   * @param {string} [col]
   * @returns {Cell} where units can stand
   */
  #placeOf(row, col) {
    const [i, j] = [integer(row), integer(col)];
    if (!this.passable(i, j)) throw new SyntaxError(`nothing can stand in ${i}, ${j}`);
    return [i, j];
  }

  /**
   * @param {number} i
   * @param {number} j
   */
  #waysFrom(i, j) {
    /** @type {Way[]} */
    const ways = [];
    DIRECTIONS.forEach(([di, dj], d) => {
      if (this.passable(i + di, j + dj)) ways.push([d, [i + di, j + dj]]);
    });
    return ways;
  }
}

/**
 * @param {readonly Cell[]} bases
 * @param {number} seat
 */
function baseOf(bases, seat) {
  const base = bases[seat];
  if (base === undefined) throw new SyntaxError(`no base of seat ${seat}`);
  return base;
}
