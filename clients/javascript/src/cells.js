/**
 * Maps and sets whose keys are cells.
 *
 * JavaScript compares arrays by identity, so that a `Map` doesn't find `[1, 2]` again. No game's
 * rules live here.
 */

import { inspect } from "node:util";

/**
 * A cell of a flat board: row and column, from 0 at the top left.
 * @typedef {readonly [i: number, j: number]} Cell
 */

/**
 * A position on a board of two levels: row, column, level.
 * @typedef {readonly [i: number, j: number, k: number]} Pos
 */

/**
 * One number for a cell, small where the board is: rows up to 511 keep it one machine word.
 *
 * @param {Cell | Pos} cell columns from -131,072 to 131,071, levels 0 to 3
 */
function key(cell) {
  return cell[0] * 0x100000 + cell[1] * 4 + (cell.length === 3 ? cell[2] : 0);
}

/**
 * A `Map` whose keys are cells, compared by their numbers: `steps.get([1, 2])` finds what was set
 * for another array `[1, 2]`. It is iterated in the order of setting, as `[cell, value]`.
 *
 * @template {Cell | Pos} C
 * @template V
 */
export class CellMap {
  /** @type {Map<number, readonly [C, V]>} */
  #entries = new Map();

  /** @param {Iterable<readonly [C, V]>} [entries] what it begins with */
  constructor(entries = []) {
    for (const [cell, value] of entries) this.set(cell, value);
  }

  /** How many cells it holds. */
  get size() {
    return this.#entries.size;
  }

  /**
   * The value of a cell; undefined: it has none.
   * @param {C} cell
   * @returns {V | undefined}
   */
  get(cell) {
    return this.#entries.get(key(cell))?.[1];
  }

  /**
   * Whether a cell has a value.
   * @param {C} cell
   */
  has(cell) {
    return this.#entries.has(key(cell));
  }

  /**
   * Give a cell a value; one that had another keeps its place in the order.
   * @param {C} cell
   * @param {V} value
   */
  set(cell, value) {
    this.#entries.set(key(cell), [cell, value]);
    return this;
  }

  /**
   * Take a cell out; tells whether it was there.
   * @param {C} cell
   */
  delete(cell) {
    return this.#entries.delete(key(cell));
  }

  /** The cells with their values. */
  entries() {
    return this.#entries.values();
  }

  /**
   * The cells.
   * @returns {IterableIterator<C>}
   */
  *keys() {
    for (const [cell] of this.#entries.values()) yield cell;
  }

  /**
   * The values.
   * @returns {IterableIterator<V>}
   */
  *values() {
    for (const [, value] of this.#entries.values()) yield value;
  }

  [Symbol.iterator]() {
    return this.#entries.values();
  }

  /** What `console.log` shows. */
  [inspect.custom]() {
    return new Map(this);
  }
}

/**
 * A `Set` of cells, compared by their numbers; iterated in the order of adding.
 *
 * @template {Cell | Pos} C
 */
export class CellSet {
  /** @type {Map<number, C>} */
  #cells = new Map();

  /** @param {Iterable<C>} [cells] what it begins with */
  constructor(cells = []) {
    for (const cell of cells) this.add(cell);
  }

  /** How many cells it holds. */
  get size() {
    return this.#cells.size;
  }

  /**
   * Whether a cell is in it.
   * @param {C} cell
   */
  has(cell) {
    return this.#cells.has(key(cell));
  }

  /**
   * Put a cell in.
   * @param {C} cell
   */
  add(cell) {
    this.#cells.set(key(cell), cell);
    return this;
  }

  /**
   * Take a cell out; tells whether it was there.
   * @param {C} cell
   */
  delete(cell) {
    return this.#cells.delete(key(cell));
  }

  [Symbol.iterator]() {
    return this.#cells.values();
  }

  /** What `console.log` shows. */
  [inspect.custom]() {
    return new Set(this);
  }
}
