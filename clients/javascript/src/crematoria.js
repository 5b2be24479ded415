/**
 * A match of Crematoria as plain attributes (rules/crematoria.md, PROTOCOL.md 5).
 *
 * A position is `[i, j, k]`: row from 0 at the top, column from 0 at the left, level 0 underground
 * and 1 outside. Columns are circular on both levels: 79 and 0 are neighbours. No strategy lives
 * here.
 */

import { CellMap, CellSet } from "./cells.js";
import { CLOSED, FREE, Paths } from "./paths.js";
import { cellsOf, decimal, integer, line, numbersOf, rowsOf, some, State, word } from "./state.js";

/** @typedef {import("./cells.js").Cell} Cell */
/** @typedef {import("./cells.js").Pos} Pos */
/** @typedef {import("./paths.js").Way<Pos>} Way */
/** @typedef {import("./state.js").Facts} Facts */

/** Direction: a row down. */
export const BOTTOM = 0;
/** Direction: down and to the right. */
export const BR = 1;
/** Direction: a column to the right. */
export const RIGHT = 2;
/** Direction: up and to the right. */
export const RT = 3;
/** Direction: a row up, on the same level. */
export const TOP = 4;
/** Direction: up and to the left. */
export const TL = 5;
/** Direction: a column to the left. */
export const LEFT = 6;
/** Direction: down and to the left. */
export const LB = 7;
/** Direction: by an elevator to level 1. */
export const UP = 8;
/** Direction: by an elevator to level 0. */
export const DOWN = 9;
/** Stay. */
export const NONE = 10;

/**
 * Of each direction, what it adds to row, column and level.
 * @type {readonly Pos[]}
 */
export const DIRECTIONS = Object.freeze([
  [1, 0, 0],
  [1, 1, 0],
  [0, 1, 0],
  [-1, 1, 0],
  [-1, 0, 0],
  [-1, -1, 0],
  [0, -1, 0],
  [1, -1, 0],
  [0, 0, 1],
  [0, 0, -1],
  [0, 0, 0],
]);

/** What `CrematoriaUnit.type` is for a pioneer. */
export const PIONEER = "p";
/** What `CrematoriaUnit.type` is for a furyan. */
export const FURYAN = "f";
/** What `CrematoriaUnit.type` is for a necromonger. */
export const NECROMONGER = "n";
/** What `CrematoriaUnit.type` is for a hellhound. */
export const HELLHOUND = "h";

/** A living unit; a descending necromonger too. */
export class CrematoriaUnit {
  /** @param {readonly string[]} words those of its line */
  constructor(words) {
    const [id, , player, health, turns, i, j, k] = words;
    /** It never changes. @readonly */
    this.id = integer(id);
    /** `PIONEER`, `FURYAN`, `NECROMONGER` or `HELLHOUND`. @readonly */
    this.type = word(words, 1);
    /** Who it belongs to; -1: nobody. @readonly */
    this.player = integer(player);
    /** Its health points; a hellhound's are -1, for it is immortal. @readonly */
    this.health = integer(health);
    /**
     * Above 0: a necromonger that is descending over that cell, for so many rounds, and isn't on
     * the board.
     * @readonly
     */
    this.turns = integer(turns);
    /** The row. @readonly */
    this.i = integer(i);
    /** The column. @readonly */
    this.j = integer(j);
    /** The level. @readonly */
    this.k = integer(k);
    /** Where it is. @readonly @type {Pos} */
    this.pos = [this.i, this.j, this.k];
  }
}

/** A match of Crematoria. */
export class CrematoriaState extends State {
  /** @type {string[]} */
  #caves;
  /** @type {CellSet<Cell>} */
  #lifts;
  /** @type {Paths<Pos>} */
  #paths;
  /** @type {CellMap<Pos, CrematoriaUnit> | null} */
  #at = null;

  /**
   * @param {string} match
   * @param {Facts} start
   */
  constructor(match, start) {
    super(match, start);
    const [rows, cols] = line(start, "size");
    /** The board's height in cells. @readonly */
    this.rows = integer(rows);
    /** Its width in cells. @readonly */
    this.cols = integer(cols);
    /** The rounds of the whole match. @readonly */
    this.nbRounds = integer(String(this.settings.nb_rounds));
    /**
     * Where the elevators are, the same on both levels, row by row.
     * @readonly
     * @type {readonly Cell[]}
     */
    this.elevators = cellsOf(start.elevator);
    this.#lifts = new CellSet(this.elevators);
    this.#caves = rowsOf(some(start, "row"), this.rows, this.cols);
    /** @param {Pos} pos */
    const number = ([i, j, k]) => (this.posOk(i, j, k) ? (k * this.rows + i) * this.cols + j : -1);
    this.#paths = new Paths(number, (pos) => this.#waysFrom(pos));
    /**
     * The rows of level 0, a character a cell: `R` rock, `E` an elevator, `C` a cave or the player
     * that owns it.
     * @type {readonly string[]}
     */
    this.own = this.#caves;
    /**
     * Every living unit by its id, in order of ids; new objects each turn.
     * @type {Map<number, CrematoriaUnit>}
     */
    this.units = new Map();
    /** Where gems lie, on level 1, row by row. @type {readonly Pos[]} */
    this.gems = [];
    /** The first of the sunlit columns of level 1; they are half of all, circular. */
    this.sun = 0;
    /** Of each player, the caves it owns now. @type {readonly number[]} */
    this.nbCells = [];
    /** Of each player, the gems it ever picked. @type {readonly number[]} */
    this.nbGems = [];
    /** Of each player, its points: cells, and gems at their value. @type {readonly number[]} */
    this.points = [];
    /**
     * Of each player, its answer times as a share of the match's allowance; -1: out.
     * @type {readonly number[]}
     */
    this.status = [];
  }

  /**
   * Take the facts of a turn (PROTOCOL.md 5).
   * @override
   * @param {number} turn
   * @param {Facts} facts
   */
  update(turn, facts) {
    super.update(turn, facts);
    this.#at = null;
    this.own = rowsOf(some(facts, "own"), this.rows, this.cols);
    const units = some(facts, "unit").map((words) => new CrematoriaUnit(words));
    this.units = new Map(units.sort((a, b) => a.id - b.id).map((unit) => [unit.id, unit]));
    this.gems = cellsOf(facts.gem).map(([i, j]) => [i, j, 1]);
    if (
      ![...this.gems, ...units.map((unit) => unit.pos)].every((pos) => this.posOk(...pos)) ||
      !units.every(({ player }) => player === -1 || player in this.players)
    ) {
      throw new SyntaxError("something outside the board, or a unit of no player");
    }
    this.sun = integer(line(facts, "sun")[0]);
    this.nbCells = numbersOf(facts, "cells", this.players.length);
    this.nbGems = numbersOf(facts, "gems", this.players.length);
    this.points = numbersOf(facts, "score", this.players.length);
    this.status = numbersOf(facts, "status", this.players.length, decimal);
  }

  /** The round that is asked for, from 0: the turn. */
  get round() {
    return this.turn;
  }

  /** Our own number: the seat. */
  get me() {
    return this.seat;
  }

  /** Of each player; another word for `points`. */
  get score() {
    return this.points;
  }

  /**
   * The pioneers of a player, by id.
   * @param {number} player
   */
  pioneers(player) {
    return this.#of(PIONEER).filter((unit) => unit.player === player);
  }

  /**
   * The furyans of a player, by id.
   * @param {number} player
   */
  furyans(player) {
    return this.#of(FURYAN).filter((unit) => unit.player === player);
  }

  /** The living necromongers, the descending ones too, by id. */
  necromongers() {
    return this.#of(NECROMONGER);
  }

  /** The hellhounds, by id. */
  hellhounds() {
    return this.#of(HELLHOUND);
  }

  /** @param {string} type */
  #of(type) {
    return [...this.units.values()].filter((unit) => unit.type === type);
  }

  /**
   * Whether the position lies on the board.
   * @param {number} i the row
   * @param {number} j the column
   * @param {number} k the level
   */
  posOk(i, j, k) {
    return i >= 0 && i < this.rows && j >= 0 && j < this.cols && (k === 0 || k === 1);
  }

  /**
   * Whether units can stand there: on the board and no rock.
   * @param {number} i the row
   * @param {number} j the column
   * @param {number} k the level
   */
  passable(i, j, k) {
    return this.posOk(i, j, k) && (k === 1 || this.#caves[i]?.[j] !== "R");
  }

  /**
   * Whether there is an elevator at that row and column.
   * @param {number} i the row
   * @param {number} j the column
   */
  elevator(i, j) {
    return this.#lifts.has([i, j]);
  }

  /**
   * Whether level 0 has a cave there, which can be owned; false outside the board.
   * @param {number} i the row
   * @param {number} j the column
   */
  cave(i, j) {
    return this.#caves[i]?.[j] === "C";
  }

  /**
   * The player that owns a cell of level 0; -1: nobody, as rock and elevators.
   * @param {number} i the row
   * @param {number} j the column
   */
  owner(i, j) {
    const mark = this.own[i]?.[j] ?? "C";
    return mark >= "0" && mark <= "9" ? Number(mark) : -1;
  }

  /**
   * The unit on a cell, if any; a necromonger that still descends isn't on it.
   * @param {Pos} pos
   */
  unitAt(pos) {
    if (this.#at === null) {
      this.#at = new CellMap();
      for (const unit of this.units.values()) if (unit.turns <= 0) this.#at.set(unit.pos, unit);
    }
    return this.#at.get(pos);
  }

  /**
   * Whether the cell is sunlit now, so that who steps there dies.
   * @param {Pos} pos
   */
  daylight([, j, k]) {
    return k === 1 && this.#around(j - this.sun) < Math.floor(this.cols / 2);
  }

  /**
   * How many rounds who stands there outlives in place: 0 in the sun and before sunrise.
   *
   * The sun takes two columns at the end of each round (rules/crematoria.md 5.5), so after a step
   * to a cell with 0 of them, the unit burns in this very round.
   *
   * @param {Pos} pos
   */
  roundsOfNight([, j]) {
    const half = Math.floor(this.cols / 2);
    const night = this.#around(j - this.sun - half);
    return night < half ? Math.floor(night / 2) : 0;
  }

  /**
   * Steps between two positions as if there were no rock: circular Chebyshev, no levels.
   * @param {Pos} a
   * @param {Pos} b
   */
  distance(a, b) {
    const across = Math.abs(a[1] - b[1]);
    return Math.max(Math.abs(a[0] - b[0]), Math.min(across, this.cols - across));
  }

  /**
   * The ways out of a cell: each direction open to a unit, and the position it leads to. `UP` and
   * `DOWN` are among them on elevators. Whether units, sun or hellhounds are there is another
   * question.
   *
   * @param {Pos} pos
   * @returns {readonly Way[]}
   */
  neighbours(pos) {
    return this.#paths.from(pos);
  }

  /**
   * Of each position, how many steps it is from the nearest goal, nearest first. Ways lead around
   * rock and by elevators; positions that none leads to aren't in it.
   *
   * @param {Iterable<Pos>} goals where to measure from
   * @param {object} [options]
   * @param {CellMap<Pos, unknown> | Iterable<Pos>} [options.blocked] positions to go
   *   around
   * @param {number} [options.within] steps to look at, at most
   * @param {readonly number[]} [options.levels] the levels on which ways may lead; `[0]`:
   *   underground alone
   * @returns {CellMap<Pos, number>}
   */
  distances(goals, { blocked = [], within = Infinity, levels = [0, 1] } = {}) {
    const level = this.rows * this.cols;
    const steps = new Int32Array(2 * level).fill(FREE);
    for (const k of [0, 1]) {
      if (!levels.includes(k)) steps.fill(CLOSED, k * level, (k + 1) * level);
    }
    return this.#paths.distances(goals, blocked, within, steps);
  }

  /** @param {Pos} pos */
  #waysFrom([i, j, k]) {
    /** @type {Way[]} */
    const ways = [];
    const last = this.elevator(i, j) ? DOWN : LB;
    for (let d = BOTTOM; d <= last; d++) {
      const [di, dj, dk] = DIRECTIONS[d];
      /** @type {Pos} */
      const to = [i + di, this.#around(j + dj), k + dk];
      if (this.passable(to[0], to[1], to[2])) ways.push([d, to]);
    }
    return ways;
  }

  /**
   * A column, brought back onto the board around its edge.
   * @param {number} j
   */
  #around(j) {
    return ((j % this.cols) + this.cols) % this.cols;
  }
}
