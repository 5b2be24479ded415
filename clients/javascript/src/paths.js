/**
 * Ways from cell to cell of a board that doesn't change in a match, and the search for distances
 * over them. What the ways are is told by each game's state.
 */

import { CellMap } from "./cells.js";

/** @typedef {import("./cells.js").Cell} Cell */
/** @typedef {import("./cells.js").Pos} Pos */

/**
 * A way out of a cell: the direction, and the cell it leads to.
 * @template {Cell | Pos} C
 * @typedef {readonly [d: number, to: C]} Way
 */

/** Of a cell that the search hasn't come to. */
export const FREE = -1;
/** Of a cell that the search must go around. */
export const CLOSED = -2;

/**
 * The ways of a board, each cell's found when it is first asked for.
 *
 * The search runs on numbers of cells: with maps of arrays it would take ten times as long.
 *
 * @template {Cell | Pos} C
 */
export class Paths {
  /** @type {(readonly Way<C>[])[]} */
  #ways = [];
  /** The numbers of the cells that the ways out of a cell lead to. @type {number[][]} */
  #beside = [];
  #number;
  #find;

  /**
   * @param {(cell: C) => number} number a cell's number, from 0; -1: it isn't on the board
   * @param {(cell: C) => Way<C>[]} find the ways out of a cell
   */
  constructor(number, find) {
    this.#number = number;
    this.#find = find;
  }

  /**
   * The ways out of a cell; the same array every time.
   * @param {C} cell
   * @returns {readonly Way<C>[]}
   */
  from(cell) {
    const at = this.#number(cell);
    return at < 0 ? this.#find(cell) : (this.#ways[at] ??= this.#find(cell));
  }

  /**
   * Of each cell, how many steps it is from the nearest goal, nearest first.
   *
   * @param {Iterable<C>} goals where to measure from, on the board
   * @param {CellMap<C, unknown> | Iterable<C>} blocked cells to go around
   * @param {number} within steps to look at, at most
   * @param {Int32Array} steps `FREE` or `CLOSED` for each number of a cell; used up
   */
  distances(goals, blocked, within, steps) {
    for (const cell of blocked instanceof CellMap ? blocked.keys() : blocked) {
      const at = this.#number(cell);
      if (at >= 0) steps[at] = CLOSED;
    }
    /** @type {CellMap<C, number>} */
    const found = new CellMap();
    /** @type {C[]} */
    const queue = [];
    /** @param {C} cell @param {number} at @param {number} step */
    const reach = (cell, at, step) => {
      steps[at] = step;
      found.set(cell, step);
      queue.push(cell);
    };
    for (const goal of goals) {
      const at = this.#number(goal);
      if (at >= 0 && steps[at] !== 0) reach(goal, at, 0);
    }
    for (let n = 0; n < queue.length; n++) {
      const cell = queue[n];
      const at = this.#number(cell);
      const step = steps[at] + 1;
      if (step > within) break;
      const ways = this.from(cell);
      const beside = (this.#beside[at] ??= ways.map((way) => this.#number(way[1])));
      for (let w = 0; w < beside.length; w++) {
        if (steps[beside[w]] === FREE) reach(ways[w][1], beside[w], step);
      }
    }
    return found;
  }
}
