/**
 * The orders of a person in a game whose units are counted by cell, as a program would write them:
 * `ROW COLUMN COUNT DIRECTION` moves so many of a cell's units to a neighbour.
 *
 * A person chooses a cell and then where its units are to go. If that is farther away than a
 * neighbour, they march there turn by turn. This is pure: no canvas, no elements.
 *
 * @module
 */

/** @typedef {import("./decode.js").Position} Position */
/** @typedef {import("./decode.js").Scene} Scene */
/** @typedef {import("./drawing_paint.js").SeatDrawing} SeatDrawing */
/** @typedef {import("./layout.js").Cell} Cell */

/**
 * Units on their way. `wanted`: how many; null: all that stand there. `count`: how many go now.
 * `path`: numbers of cells, from where they are to where they are to go.
 * @typedef {{wanted: number | null, count: number, path: readonly number[]}} March
 */

/** By the number of a direction: its steps in rows and columns. */
const DIRECTIONS = Object.freeze([
  [0, 1],
  [-1, 0],
  [0, -1],
  [1, 0],
]);

/** The orders that a person gives for a turn, and the marches that go on in later ones. */
export class GroupOrders {
  /** @type {readonly March[]} */
  marches = [];
  /** The cell whose units get the next order; null: none. @type {number | null} */
  selected = null;
  #scene;
  #seat;
  /** By cell: the person's units. @type {Map<number, number>} */
  #units = new Map();

  /**
   * @param {Scene} scene
   * @param {number} seat the person's
   */
  constructor(scene, seat) {
    this.#scene = scene;
    this.#seat = seat;
  }

  /** Begin the orders of a turn; marches go on with what is left of them. @param {Position} position */
  begin(position) {
    this.#units = new Map();
    for (const { row, col, seat, text } of position.marks) {
      if (seat === this.#seat) {
        this.#units.set(this.#cell({ row, col }), Number(text));
      }
    }
    this.selected = null;
    const before = this.marches;
    this.marches = [];
    for (const march of before) {
      this.#add(march.wanted, march.path);
    }
  }

  /** Return how many units of a cell have no order yet. @param {number} cell */
  free(cell) {
    const ordered = this.marches.filter(({ path }) => path[0] === cell);
    const all = this.#units.get(cell) ?? 0;
    return ordered.reduce((rest, { count }) => rest - count, all);
  }

  /**
   * Choose a cell's units, or send the chosen ones to a cell. Units whose orders were all given
   * lose them when they are chosen again.
   *
   * @param {Cell} place
   * @param {number | null} wanted how many to send; null: all
   */
  click(place, wanted = null) {
    const cell = this.#cell(place);
    const from = this.selected;
    if (from !== null) {
      const path = cell === from ? null : this.#path(from, cell);
      if (path !== null) {
        this.#add(wanted !== null && wanted < this.free(from) ? wanted : null, path);
      }
      if (path === null || this.free(from) === 0) {
        this.selected = null;
      }
    } else if (this.#units.has(cell)) {
      if (this.free(cell) === 0) {
        this.marches = this.marches.filter(({ path }) => path[0] !== cell);
      }
      this.selected = cell;
    }
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

  /** Return the answer of this turn. */
  line() {
    const submoves = this.marches.map(({ count, path }) => {
      const { row, col } = this.place(path[0]);
      const next = this.place(path[1]);
      const way = DIRECTIONS.findIndex(
        ([down, right]) => row + down === next.row && col + right === next.col,
      );
      return `${row} ${col} ${count} ${way}`;
    });
    return submoves.join(" ");
  }

  /** Take note that the answer was sent: marches have one step less to go. */
  sent() {
    this.marches = this.marches
      .map((march) => ({ ...march, path: march.path.slice(1) }))
      .filter(({ path }) => path.length > 1);
  }

  /** Return what shows the orders on the board. @returns {SeatDrawing[]} */
  drawings() {
    /** @param {"cell" | "arrow"} kind @param {readonly number[]} cells @param {string} colour */
    const drawing = (kind, cells, colour) => {
      const points = cells.map((cell) => this.#point(cell));
      return { seat: this.#seat, drawing: { kind, points, level: 0, colour, text: "" } };
    };
    const shown = this.marches.map(({ path }) => drawing("arrow", path, "own"));
    if (this.selected !== null) {
      const near = this.#neighbours(this.selected);
      shown.push(drawing("cell", near, "green"), drawing("cell", [this.selected], "yellow"));
    }
    return shown;
  }

  /** Return a cell's place. @param {number} cell @returns {Cell} */
  place(cell) {
    const { cols } = this.#scene;
    return { row: Math.floor(cell / cols), col: cell % cols };
  }

  /** @param {number} cell @returns {[row: number, col: number]} */
  #point(cell) {
    const { row, col } = this.place(cell);
    return [row, col];
  }

  /** @param {Cell} place */
  #cell({ row, col }) {
    return row * this.#scene.cols + col;
  }

  /** @param {number | null} wanted @param {readonly number[]} path */
  #add(wanted, path) {
    const free = this.free(path[0]);
    if (free > 0) {
      this.marches = [...this.marches, { wanted, count: Math.min(wanted ?? free, free), path }];
    }
  }

  /** Return the cells to which units can step. @param {number} cell @returns {number[]} */
  #neighbours(cell) {
    const { rows, cols, ground } = this.#scene;
    const from = this.place(cell);
    return DIRECTIONS.map(([down, right]) => ({ row: from.row + down, col: from.col + right }))
      .filter(({ row, col }) => row >= 0 && row < rows && col >= 0 && col < cols)
      .filter(({ row, col }) => ground[row][col] !== "#")
      .map((place) => this.#cell(place));
  }

  /**
   * Return a shortest path.
   *
   * @param {number} from
   * @param {number} to
   * @returns {number[] | null} with both ends; null: there is none
   */
  #path(from, to) {
    /** @type {Map<number, number>} */
    const before = new Map([[from, from]]);
    // Keys that are added meanwhile come later, so this goes in breadth.
    for (const cell of before.keys()) {
      if (cell === to) {
        const path = [to];
        while (path[0] !== from) {
          path.unshift(/** @type {number} */ (before.get(path[0])));
        }
        return path;
      }
      for (const next of this.#neighbours(cell)) {
        if (!before.has(next)) {
          before.set(next, cell);
        }
      }
    }
    return null;
  }
}
