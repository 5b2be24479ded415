/**
 * A match of Hogwarts as plain attributes (rules/hogwarts.md, PROTOCOL.md 5).
 *
 * What the originals call `me()`, `pos_voldemort()` and so on is here under the same words; a cell
 * is `[i, j]`, row and column from 0 at the top left. No strategy lives here: spells are for bots
 * to solve.
 */

import { CellMap, CellSet } from "./cells.js";
import { FREE, Paths } from "./paths.js";
import { cellsOf, decimal, integer, line, numbersOf, rowsOf, some, State } from "./state.js";

/** @typedef {import("./cells.js").Cell} Cell */
/** @typedef {import("./paths.js").Way<Cell>} Way */
/** @typedef {import("./state.js").Facts} Facts */

/** Direction: a row down. */
export const DOWN = 0;
/** Direction: down and to the right; for ghosts alone. */
export const DR = 1;
/** Direction: a column to the right. */
export const RIGHT = 2;
/** Direction: up and to the right; for ghosts alone. */
export const RU = 3;
/** Direction: a row up. */
export const UP = 4;
/** Direction: up and to the left; for ghosts alone. */
export const UL = 5;
/** Direction: a column to the left. */
export const LEFT = 6;
/** Direction: down and to the left; for ghosts alone. */
export const LD = 7;

/**
 * Of each direction, what it adds to the row and to the column.
 * @type {readonly Cell[]}
 */
export const DIRECTIONS = Object.freeze([
  [1, 0],
  [1, 1],
  [0, 1],
  [-1, 1],
  [-1, 0],
  [-1, -1],
  [0, -1],
  [1, -1],
]);

/** A wizard's directions (rules/hogwarts.md 2). @type {readonly number[]} */
export const STRAIGHT = Object.freeze([DOWN, RIGHT, UP, LEFT]);

/** A wizard or a ghost. */
export class HogwartsUnit {
  /** @param {readonly string[]} words those of its line */
  constructor(words) {
    const [id, type, player, i, j, rounds, next] = words;
    /** It never changes; the ghost of clan p has the id p. @readonly */
    this.id = integer(id);
    /** Whether it is a ghost; else it is a wizard. @readonly */
    this.ghost = type === "g";
    /** The clan it belongs to. @readonly */
    this.player = integer(player);
    /** The row. @readonly */
    this.i = integer(i);
    /** The column. @readonly */
    this.j = integer(j);
    /** Where it is. @readonly @type {Cell} */
    this.pos = [this.i, this.j];
    /**
     * A wizard's rounds until it changes clan, 0: it isn't converting; a ghost's rounds still to
     * rest, 0: it may cast a spell.
     * @readonly
     */
    this.roundsPending = integer(rounds);
    /**
     * The clan a wizard will change to, -1: none; the last round in which a ghost was attacked,
     * -1: never.
     * @readonly
     */
    this.nextPlayer = integer(next);
  }

  /** Whether it is a wizard that will change clan unless one of its own frees it. */
  get converting() {
    return this.roundsPending > 0 && !this.ghost;
  }
}

/** A match of Hogwarts. */
export class HogwartsState extends State {
  /** @type {string[]} */
  #corridors;
  /** The ways of wizards. @type {Paths<Cell>} */
  #straight;
  /** The ways of ghosts. @type {Paths<Cell>} */
  #diagonal;
  /** @type {CellMap<Cell, HogwartsUnit> | null} */
  #at = null;
  /** @type {CellSet<Cell> | null} */
  #books = null;

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
    this.numRounds = integer(String(this.settings.NUM_ROUNDS));
    this.#corridors = rowsOf(some(start, "row"), this.rows, this.cols);
    /** @param {Cell} cell */
    const number = ([i, j]) => (this.posOk(i, j) ? i * this.cols + j : -1);
    this.#straight = new Paths(number, (cell) => this.#waysFrom(cell, 2));
    this.#diagonal = new Paths(number, (cell) => this.#waysFrom(cell, 1));
    /**
     * The rows of the board, a character a cell: `W` a wall, the clan that owns it, or `.`.
     * @type {readonly string[]}
     */
    this.own = this.#corridors;
    /**
     * Every unit by its id, in order of ids; new objects each turn.
     * @type {Map<number, HogwartsUnit>}
     */
    this.units = new Map();
    /** Where books lie, row by row. @type {readonly Cell[]} */
    this.books = [];
    /** Where Voldemort is. @type {Cell} */
    this.voldemort = [-1, -1];
    /** The 15 ingredients of this round. @type {readonly number[]} */
    this.spellIngredients = [];
    /** Of each clan, its strength points, not divided by its units. @type {readonly number[]} */
    this.strength = [];
    /** Of each clan, its score. @type {readonly number[]} */
    this.score = [];
    /**
     * Of each clan, its answer times as a share of the match's allowance; -1: out.
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
    this.#books = null;
    this.own = rowsOf(some(facts, "own"), this.rows, this.cols);
    const units = some(facts, "unit").map((words) => new HogwartsUnit(words));
    this.units = new Map(units.sort((a, b) => a.id - b.id).map((unit) => [unit.id, unit]));
    this.books = cellsOf(facts.book);
    const [i, j] = line(facts, "voldemort");
    this.voldemort = [integer(i), integer(j)];
    const cells = [...this.books, this.voldemort, ...units.map((unit) => unit.pos)];
    if (
      !cells.every(([i, j]) => this.posOk(i, j)) ||
      !units.every((unit) => unit.player in this.players) ||
      !this.players.every((_, p) => this.units.get(p)?.ghost && this.units.get(p)?.player === p)
    ) {
      throw new SyntaxError("something outside the board, or a unit without its clan");
    }
    this.spellIngredients = numbersOf(facts, "spell", 15);
    this.strength = numbersOf(facts, "strength", this.players.length);
    this.score = numbersOf(facts, "score", this.players.length);
    this.status = numbersOf(facts, "status", this.players.length, decimal);
  }

  /** The round that is asked for, from 0: the turn. */
  get round() {
    return this.turn;
  }

  /** Our own clan: the seat. */
  get me() {
    return this.seat;
  }

  /**
   * The wizards of a clan, also those in conversion, by id.
   * @param {number} player
   */
  wizards(player) {
    return [...this.units.values()].filter((unit) => unit.player === player && !unit.ghost);
  }

  /**
   * The ghost of a clan.
   * @param {number} player from 0 to 3
   * @returns {HogwartsUnit}
   */
  ghost(player) {
    const ghost = this.units.get(player);
    if (!ghost?.ghost) throw new RangeError(`there is no clan ${player}`);
    return ghost;
  }

  /**
   * What a clan fights with: its strength points for each of its units, rounded down.
   * @param {number} player
   */
  magicStrength(player) {
    let units = 0;
    for (const unit of this.units.values()) if (unit.player === player) units++;
    return Math.floor((this.strength[player] ?? 0) / units);
  }

  /**
   * Whether the cell lies on the board.
   * @param {number} i the row
   * @param {number} j the column
   */
  posOk(i, j) {
    return i >= 0 && i < this.rows && j >= 0 && j < this.cols;
  }

  /**
   * Whether the cell is a corridor; false outside the board.
   * @param {number} i the row
   * @param {number} j the column
   */
  passable(i, j) {
    return this.posOk(i, j) && this.#corridors[i]?.[j] !== "W";
  }

  /**
   * The clan that owns a cell; -1: none, as of a wall.
   * @param {number} i the row
   * @param {number} j the column
   */
  owner(i, j) {
    const mark = this.own[i]?.[j] ?? ".";
    return mark >= "0" && mark <= "9" ? Number(mark) : -1;
  }

  /**
   * The unit on a cell, if any.
   * @param {number} i the row
   * @param {number} j the column
   */
  unitAt(i, j) {
    this.#at ??= new CellMap([...this.units.values()].map((unit) => [unit.pos, unit]));
    return this.#at.get([i, j]);
  }

  /**
   * Whether a book lies on a cell.
   * @param {number} i the row
   * @param {number} j the column
   */
  book(i, j) {
    this.#books ??= new CellSet(this.books);
    return this.#books.has([i, j]);
  }

  /**
   * Whether who steps there dies at once: Voldemort's cell and the 8 around it.
   * @param {number} i the row
   * @param {number} j the column
   */
  deadly(i, j) {
    return Math.abs(i - this.voldemort[0]) <= 1 && Math.abs(j - this.voldemort[1]) <= 1;
  }

  /**
   * Whether Voldemort's next step, wherever it leads, may kill who stands there.
   * @param {number} i the row
   * @param {number} j the column
   */
  reachOfVoldemort(i, j) {
    const di = Math.abs(i - this.voldemort[0]);
    const dj = Math.abs(j - this.voldemort[1]);
    return Math.min(di, dj) <= 1 && Math.max(di, dj) <= 2;
  }

  /**
   * The ways out of a cell: each direction open to a wizard, and the cell it leads to.
   *
   * @param {number} i the row
   * @param {number} j the column
   * @param {object} [options]
   * @param {boolean} [options.diagonal] the ways of a ghost, which goes in all eight directions
   * @returns {readonly Way[]}
   */
  neighbours(i, j, { diagonal = false } = {}) {
    return (diagonal ? this.#diagonal : this.#straight).from([i, j]);
  }

  /**
   * Of each cell, how many steps it is from the nearest goal, nearest first. Cells that no way
   * leads to aren't in it.
   *
   * @param {Iterable<Cell>} goals where to measure from
   * @param {object} [options]
   * @param {boolean} [options.diagonal] in the steps of a ghost
   * @param {CellMap<Cell, unknown> | Iterable<Cell>} [options.blocked] cells to go
   *   around, beside the walls
   * @param {number} [options.within] steps to look at, at most
   * @returns {CellMap<Cell, number>}
   */
  distances(goals, { diagonal = false, blocked = [], within = Infinity } = {}) {
    const steps = new Int32Array(this.rows * this.cols).fill(FREE);
    return (diagonal ? this.#diagonal : this.#straight).distances(goals, blocked, within, steps);
  }

  /**
   * @param {Cell} cell
   * @param {1 | 2} every which directions: all, or every second one
   */
  #waysFrom([i, j], every) {
    /** @type {Way[]} */
    const ways = [];
    for (let d = 0; d < DIRECTIONS.length; d += every) {
      const [di, dj] = DIRECTIONS[d];
      if (this.passable(i + di, j + dj)) ways.push([d, [i + di, j + dj]]);
    }
    return ways;
  }
}
