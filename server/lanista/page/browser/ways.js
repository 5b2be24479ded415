/**
 * Ways over a board, step by step: around walls, across the edge of a level that wraps, and from
 * level to level.
 *
 * @module
 */

import { levelByColumn } from "./layout.js";

/** @typedef {import("./decode.js").Scene} Scene */
/** @typedef {import("./layout.js").Cell} Cell */

/**
 * How orders are written as submoves: `WORD UNIT DIRECTION`, or `WORD ROW COLUMN COUNT DIRECTION`.
 * `word`: empty for none; `counts`: whether units have no numbers; `steps`: by direction, the rows
 * down and the columns to the right that it leads; null: it isn't used; `lifts`: the directions from
 * the first level to the second and back, where a base stands on both; null: there are none.
 * @typedef {{word: string, counts: boolean, steps: ([number, number] | null)[],
 *   lifts: [number, number] | null}} ByHand
 */

/** The steps that lead from cell to cell. Cells are numbers, row * cols + col. */
export class Ways {
  #scene;
  #byHand;
  #levelOf;
  /** By cell. @type {Map<number, readonly {cell: number, direction: number}[]>} */
  #steps = new Map();

  /** @param {Scene} scene @param {ByHand} byHand */
  constructor(scene, byHand) {
    this.#scene = scene;
    this.#byHand = byHand;
    this.#levelOf = levelByColumn(scene);
  }

  /** Return a place's cell. @param {Cell} place */
  cell({ row, col }) {
    return row * this.#scene.cols + col;
  }

  /** Return a cell's place. @param {number} cell @returns {Cell} */
  place(cell) {
    const { cols } = this.#scene;
    return { row: Math.floor(cell / cols), col: cell % cols };
  }

  /** Return the steps from a cell. @param {number} cell */
  steps(cell) {
    let steps = this.#steps.get(cell);
    if (steps === undefined) {
      steps = [...this.#stepsFrom(cell)];
      this.#steps.set(cell, steps);
    }
    return steps;
  }

  /**
   * Return a shortest path.
   *
   * @param {number} from
   * @param {(cell: number) => boolean} isGoal
   * @returns {number[] | null} cells with both ends; null: there is none
   */
  path(from, isGoal) {
    /** @type {Map<number, number>} */
    const before = new Map([[from, from]]);
    // Keys that are added meanwhile come later, so this goes in breadth.
    for (const cell of before.keys()) {
      if (isGoal(cell)) {
        const path = [cell];
        while (path[0] !== from) {
          path.unshift(/** @type {number} */ (before.get(path[0])));
        }
        return path;
      }
      for (const next of this.steps(cell)) {
        if (!before.has(next.cell)) {
          before.set(next.cell, cell);
        }
      }
    }
    return null;
  }

  /** Return the direction of a path's first step. @param {readonly number[]} path at least two cells */
  direction([from, to]) {
    return this.steps(from).find(({ cell }) => cell === to)?.direction;
  }

  /** @param {number} from */
  *#stepsFrom(from) {
    const { ground, levels, rows } = this.#scene;
    const { steps, lifts } = this.#byHand;
    const { row, col } = this.place(from);
    const index = this.#levelOf[col];
    const level = levels[index];
    for (const [direction, step] of steps.entries()) {
      if (step !== null) {
        const down = row + step[0];
        let right = col + step[1] - level.col;
        if (level.wraps) {
          right = (right + level.cols) % level.cols;
        }
        const isInside = down >= 0 && down < rows && right >= 0 && right < level.cols;
        if (isInside && ground[down][level.col + right] !== "#") {
          yield { cell: this.cell({ row: down, col: level.col + right }), direction };
        }
      }
    }
    if (lifts !== null && ground[row][col] === "=") {
      const other = col - level.col + levels[1 - index].col;
      if (ground[row][other] === "=") {
        yield { cell: this.cell({ row, col: other }), direction: lifts[index] };
      }
    }
  }

  /**
   * Return the cells of a board as drawings: of each level that they are on, a list of its points.
   *
   * @param {readonly number[]} cells
   * @returns {{level: number, points: [row: number, col: number][]}[]} neighbours in the list stay
   *   together unless they are on different levels
   */
  points(cells) {
    /** @type {{level: number, points: [row: number, col: number][]}[]} */
    const parts = [];
    for (const cell of cells) {
      const { row, col } = this.place(cell);
      const level = this.#levelOf[col];
      if (parts.at(-1)?.level !== level) {
        parts.push({ level, points: [] });
      }
      parts[parts.length - 1].points.push([row, col - this.#scene.levels[level].col]);
    }
    return parts;
  }

  /** Say where a cell is. @param {number} cell */
  name(cell) {
    const [{ level, points }] = this.points([cell]);
    const { title } = this.#scene.levels[level];
    return `${title === "" ? "" : `${title} `}(${points[0].join(", ")})`;
  }
}
