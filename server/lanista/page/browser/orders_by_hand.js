/**
 * The orders that a person gives by clicks: first units are chosen, then where they are to go. If
 * that is farther away than a step, they march there turn by turn.
 *
 * `GroupOrders` are for games whose units are counted by cell, `UnitOrders` for those whose units
 * have numbers. Both are pure: no canvas, no elements.
 *
 * @module
 */

import { Ways } from "./ways.js";

/** @typedef {import("./decode.js").Position} Position */
/** @typedef {import("./decode.js").Scene} Scene */
/** @typedef {import("./drawing_paint.js").SeatDrawing} SeatDrawing */
/** @typedef {import("./layout.js").Cell} Cell */
/** @typedef {import("./ways.js").ByHand} ByHand */

/**
 * Units on their way. `unit`: its number; -1: `count` units of a cell, of which `wanted` were sent,
 * null: all that stand there. `path`: cells, from where they are to where they are to go.
 * @typedef {{unit: number, wanted: number | null, count: number, path: readonly number[]}} March
 */

/** What both kinds of orders share. */
class Orders {
  /** @type {readonly March[]} */
  marches = [];
  /** The cell whose units get the next order; null: none. @type {number | null} */
  selected = null;
  ways;
  seat;
  word;

  /**
   * @param {Scene} scene
   * @param {ByHand} byHand
   * @param {number} seat the person's
   */
  constructor(scene, byHand, seat) {
    this.ways = new Ways(scene, byHand);
    this.seat = seat;
    this.word = byHand.word === "" ? "" : `${byHand.word} `;
  }

  /** Take back an order. @param {March} march */
  remove(march) {
    this.marches = this.marches.filter((other) => other !== march);
  }

  /** Choose nothing; if nothing was chosen, take back all orders. */
  clear() {
    if (this.selected === null) {
      this.marches = [];
    }
    this.selected = null;
  }

  /** Describe an order. @param {March} march @param {string} turn the game's word for a turn */
  describe({ unit, count, path }, turn) {
    const who = unit < 0 ? `${count}: ` : `unit ${unit}: `;
    const steps = path.length > 2 ? ` in ${path.length - 1} ${turn}s` : "";
    return `${who}${this.ways.name(path[0])} → ${this.ways.name(path[path.length - 1])}${steps}`;
  }

  /** Return what shows the orders on the board. @returns {SeatDrawing[]} */
  drawings() {
    /** @param {"cell" | "line" | "arrow"} kind @param {readonly number[]} cells @param {string} colour */
    const drawn = (kind, cells, colour) =>
      this.ways.points(cells).map(({ level, points }) => ({
        seat: this.seat,
        drawing: { kind, points, level, colour, text: "" },
      }));
    const shown = this.marches.flatMap(({ path }) => drawn("arrow", path, "own"));
    if (this.selected !== null) {
      const near = this.ways.steps(this.selected).map(({ cell }) => cell);
      shown.push(...drawn("cell", near, "green"), ...drawn("cell", [this.selected], "yellow"));
    }
    return shown;
  }
}

/** Orders for units that are counted by cell: a part of them can be sent. */
export class GroupOrders extends Orders {
  /** By cell: the person's units. @type {Map<number, number>} */
  #units = new Map();

  /** Begin the orders of a turn; marches go on with what is left of them. @param {Position} position */
  begin(position) {
    const before = this.marches.map((march) => ({ ...march, path: march.path.slice(1) }));
    this.#units = new Map();
    for (const mark of position.marks) {
      if (mark.seat === this.seat) {
        this.#units.set(this.ways.cell(mark), Number(mark.text));
      }
    }
    this.selected = null;
    this.marches = [];
    for (const { wanted, path } of before) {
      if (path.length > 1) {
        this.#add(wanted, path);
      }
    }
  }

  /** Return how many units of a cell have no order yet. @param {number} cell */
  #free(cell) {
    const ordered = this.marches.filter(({ path }) => path[0] === cell);
    return ordered.reduce((rest, { count }) => rest - count, this.#units.get(cell) ?? 0);
  }

  /** Return what is chosen, in words. */
  chosen() {
    const count = this.selected === null ? 0 : this.#free(this.selected);
    return `${count} ${count === 1 ? "unit" : "units"}`;
  }

  /**
   * Choose a cell's units, or send the chosen ones to a cell. Units whose orders were all given
   * lose them when they are chosen again.
   *
   * @param {Cell} place
   * @param {number | null} [wanted] how many to send; null: all
   */
  click(place, wanted = null) {
    const cell = this.ways.cell(place);
    const from = this.selected;
    if (from !== null) {
      const path = cell === from ? null : this.ways.path(from, (at) => at === cell);
      if (path !== null) {
        this.#add(wanted !== null && wanted < this.#free(from) ? wanted : null, path);
      }
      if (path === null || this.#free(from) === 0) {
        this.selected = null;
      }
    } else if (this.#units.has(cell)) {
      if (this.#free(cell) === 0) {
        this.marches = this.marches.filter(({ path }) => path[0] !== cell);
      }
      this.selected = cell;
    }
  }

  /** Return the answer of this turn. */
  line() {
    const submoves = this.marches.map(({ count, path }) => {
      const { row, col } = this.ways.place(path[0]);
      return `${this.word}${row} ${col} ${count} ${this.ways.direction(path)}`;
    });
    return submoves.join(" ");
  }

  /** @param {number | null} wanted @param {readonly number[]} path */
  #add(wanted, path) {
    const free = this.#free(path[0]);
    if (free > 0) {
      const count = Math.min(wanted ?? free, free);
      this.marches = [...this.marches, { unit: -1, wanted, count, path }];
    }
  }
}

/** Orders for units that have numbers; those without an order can look for ground by themselves. */
export class UnitOrders extends Orders {
  /** Whether units without an order go to the nearest cell that isn't the person's. */
  spreads = true;
  /** By unit: the cell of each of the person's. @type {Map<number, number>} */
  #units = new Map();
  /** @type {Position | null} */
  #position = null;

  /** Begin the orders of a turn; marches go on from where the units are. @param {Position} position */
  begin(position) {
    this.#position = position;
    this.#units = new Map();
    for (const mark of position.marks) {
      if (mark.seat === this.seat && mark.unit >= 0) {
        this.#units.set(mark.unit, this.ways.cell(mark));
      }
    }
    this.selected = null;
    const before = this.marches;
    this.marches = [];
    for (const { unit, path } of before) {
      this.#send(unit, path[path.length - 1]);
    }
  }

  /** Return what is chosen, in words. */
  chosen() {
    return `unit ${this.#chosen()}`;
  }

  /** Choose the unit on a cell, or send the chosen one to a cell. @param {Cell} place */
  click(place) {
    const cell = this.ways.cell(place);
    const unit = this.#chosen();
    if (unit !== undefined) {
      this.selected = null;
      this.#send(unit, cell);
    } else if ([...this.#units.values()].includes(cell)) {
      this.selected = cell;
    }
  }

  /** Return the answer of this turn. */
  line() {
    const ordered = new Map(this.marches.map(({ unit, path }) => [unit, path]));
    const goals = new Set();
    const submoves = [];
    for (const [unit, cell] of this.#units) {
      const path = ordered.get(unit) ?? (this.spreads ? this.#spread(cell, goals) : null);
      if (path !== null && path.length > 1) {
        submoves.push(`${this.word}${unit} ${this.ways.direction(path)}`);
      }
    }
    return submoves.join(" ");
  }

  /** Return the unit that is chosen. @returns {number | undefined} */
  #chosen() {
    return [...this.#units].find(([, cell]) => cell === this.selected)?.[0];
  }

  /** @param {number} unit @param {number} goal */
  #send(unit, goal) {
    const from = this.#units.get(unit);
    const path = from === undefined ? null : this.ways.path(from, (cell) => cell === goal);
    this.marches = this.marches.filter((march) => march.unit !== unit);
    if (path !== null && path.length > 1) {
      this.marches = [...this.marches, { unit, wanted: null, count: 1, path }];
    }
  }

  /**
   * Return the way to the nearest cell that isn't the person's and no other unit's goal.
   *
   * @param {number} from
   * @param {Set<number>} goals gets this one
   */
  #spread(from, goals) {
    const own = this.#position?.own;
    const path = this.ways.path(
      from,
      (cell) => cell !== from && own?.[cell] !== this.seat && !goals.has(cell),
    );
    if (path !== null) {
      goals.add(path[path.length - 1]);
    }
    return path;
  }
}
