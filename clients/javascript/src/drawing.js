/**
 * Drawing on the board of whoever may see the bot's log (PROTOCOL.md 9): `arena.draw`.
 *
 * A drawing is a log line of a fixed form. Nothing is checked here: whoever shows the board remarks
 * beside a line what is wrong with it, so that drawing never costs a match. What isn't even a place
 * is written as it is, for the same remark.
 */

/** @typedef {import("./cells.js").Cell | import("./cells.js").Pos} Place */

/**
 * Code points of a line, at most 4 bytes each: within the 65,536 bytes of PROTOCOL.md 1. A line that
 * is cut is too long to be drawn, so half a number never draws anything.
 */
const LONGEST = 8192;
/** Whatever would end the line, and whatever can't be seen. */
const UNSEEN = /[\x00-\x1f\x7f-\x9f\u2028\u2029]/g;

/**
 * What a bot shows on the board in the present turn.
 *
 * Places are `[i, j]`, in Crematoria `[i, j, k]`, as in the state. A colour is `own` (the seat's),
 * `red`, `orange`, `yellow`, `green`, `blue`, `pink`, `gray`, `ink` (dark on light, light on dark)
 * or `#rrggbb`. Each call is sent at once, as log lines: the arena keeps 16 KiB a turn.
 */
export class Draw {
  #write;

  /**
   * For `Arena`.
   * @param {(text: string) => void} write
   */
  constructor(write) {
    this.#write = write;
  }

  /**
   * Mark a cell.
   * @param {Place} place
   * @param {string} [colour]
   */
  cell(place, colour) {
    this.cells([place], colour);
  }

  /**
   * Mark cells; one call for many needs less of the log than many calls.
   * @param {Iterable<Place>} places
   * @param {string} [colour]
   */
  cells(places, colour = "own") {
    this.#points("cell", places, colour);
  }

  /**
   * Draw a line from place to place; where it changes the level, it begins anew.
   * @param {Iterable<Place>} places
   * @param {string} [colour]
   */
  line(places, colour = "own") {
    this.#points("line", places, colour);
  }

  /**
   * Draw a line as `line` does, with an arrowhead at its end.
   * @param {Iterable<Place>} places
   * @param {string} [colour]
   */
  arrow(places, colour = "own") {
    this.#points("arrow", places, colour);
  }

  /**
   * Write a text of up to 80 characters that begins at a cell.
   * @param {Place} place
   * @param {string} text
   * @param {string} [colour]
   */
  text(place, text, colour = "own") {
    this.#line("text", ...(isList(place) ? place : [place]), colour, text);
  }

  /**
   * Give the number of this turn for the curve of that name (of `A-Z a-z 0-9 . _ -`).
   * @param {string} name
   * @param {number} number
   */
  value(name, number) {
    this.#line("value", name, number);
  }

  /**
   * Draw by as many lines of the log as there are changes of the level.
   * @param {"cell" | "line" | "arrow"} kind
   * @param {Iterable<Place>} places
   * @param {string} colour
   */
  #points(kind, places, colour) {
    const given = isList(places) ? [...places] : [places];
    if (!given.every((place) => isList(place))) {
      this.#line(kind, ...given, colour); // no places: as a line, it gets its remark
      return;
    }
    const least = kind === "cell" ? 1 : 2;
    /** @type {Place[]} */
    let run = [];
    const flush = () => {
      const [, , ...level] = run[0] ?? [];
      const numbers = run.flatMap(([i, j]) => [i, j]);
      if (run.length >= least) this.#line(kind, ...numbers, ...level, colour);
      run = [];
    };
    for (const place of given) {
      if (run.length > 0 && run[0][2] !== place[2]) flush();
      run.push(place);
    }
    flush();
  }

  /** @param {...unknown} words */
  #line(...words) {
    const line = [...words.join(" ").slice(0, 2 * LONGEST)].slice(0, LONGEST).join("");
    this.#write(`#@ ${line.replace(UNSEEN, " ")}\n`);
  }
}

/**
 * @param {any} given
 * @returns {given is Iterable<any>}
 */
function isList(given) {
  return typeof given === "object" && typeof given?.[Symbol.iterator] === "function";
}
