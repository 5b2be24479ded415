/**
 * The position of a match as plain attributes, whatever the game, and how facts are read.
 *
 * Facts come in (PROTOCOL.md 5), attributes come out; nothing here knows of sockets, and no
 * strategy lives here. `angrymob.js`, `hogwarts.js` and `crematoria.js` have the states of those
 * games.
 */

/**
 * Lines by their keyword: of each line with it, the other words.
 * @typedef {Record<string, string[][]>} Facts
 */

/** A match as one seat sees it; there is one object a match, kept current. */
export class State {
  /**
   * @param {string} match
   * @param {Facts} start every line that described the match
   */
  constructor(match, start) {
    /** The arena's id of the match. @readonly */
    this.match = match;
    /** The ruleset's name. @readonly */
    this.game = word(line(start, "game"), 0);
    /** Which player we are, from 0. @readonly */
    this.seat = integer(line(start, "seat")[0]);
    /** The name in each seat. @readonly @type {readonly string[]} */
    this.players = bySeat(start.player).map((words) => words.join(" "));
    if (!(this.seat in this.players)) throw new SyntaxError(`no player in seat ${this.seat}`);
    const [first, other] = line(start, "clock");
    /**
     * Seconds for the first answer and for every other; 0: no limit.
     * @readonly
     * @type {readonly [first: number, other: number]}
     */
    this.clock = [decimal(first), decimal(other)];
    /** For our own random choices, 0 to 2147483647; another one in every match. @readonly */
    this.seed = integer(line(start, "seed")[0]);
    /**
     * The ruleset's settings by its own names; numbers where they are.
     * @readonly
     * @type {Readonly<Record<string, number | string>>}
     */
    this.settings = settings(start.set);
    /** Every line that described the match. @readonly */
    this.startFacts = start;
    /** How many moves have been played. */
    this.turn = 0;
    /** The lines of this turn. @type {Facts} */
    this.facts = noFacts();
  }

  /**
   * Take the facts of a turn; called by `Arena` once all of them are known.
   * @param {number} turn
   * @param {Facts} facts
   */
  update(turn, facts) {
    this.turn = turn;
    this.facts = facts;
  }
}

/**
 * No lines yet; without a prototype, for a keyword may be any word.
 * @returns {Facts}
 */
export function noFacts() {
  return Object.create(null);
}

/**
 * The words of the only line with a keyword, or of the first.
 * @param {Facts} facts
 * @param {string} keyword
 */
export function line(facts, keyword) {
  return some(facts, keyword)[0] ?? [];
}

/**
 * The lines with a keyword that must be there.
 * @param {Facts} facts
 * @param {string} keyword
 */
export function some(facts, keyword) {
  const lines = facts[keyword];
  if (lines === undefined) throw new SyntaxError(`no line ${keyword}`);
  return lines;
}

/**
 * A word of a line.
 * @param {readonly string[]} words
 * @param {number} at its place, from 0
 */
export function word(words, at) {
  const found = words[at];
  if (found === undefined) throw new SyntaxError(`no word ${at}`);
  return found;
}

const INTEGER = /^-?[0-9]+$/;
const DECIMAL = /^-?[0-9]+(?:\.[0-9]+)?$/;

/**
 * An integer as the arena writes it (PROTOCOL.md 1).
 * @param {string | undefined} text
 */
export function integer(text) {
  if (text === undefined || !INTEGER.test(text)) throw new SyntaxError(`no integer: ${text}`);
  return Number(text);
}

/**
 * A number as the arena writes it (PROTOCOL.md 1).
 * @param {string | undefined} text
 */
export function decimal(text) {
  if (text === undefined || !DECIMAL.test(text)) throw new SyntaxError(`no number: ${text}`);
  return Number(text);
}

/**
 * Of lines that begin with a seat or a row, the rest, in the order of those numbers, which isn't
 * that of their coming.
 * @param {string[][]} [lines]
 */
export function bySeat(lines = []) {
  return lines
    .map(([first, ...rest]) => ({ at: integer(first), rest }))
    .sort((a, b) => a.at - b.at)
    .map(({ rest }) => rest);
}

/**
 * The rows of a board of this size, each told by its number and its cells. Nothing is made of a size
 * that the lines don't have, whatever an arena says.
 * @param {any[][]} lines
 * @param {number} count how many rows the board has
 * @param {number} length how many cells each has
 * @returns {any[]}
 */
export function rowsOf(lines, count, length) {
  const told = new Map(lines.map(([row, cells]) => [integer(row), cells]));
  const rows = lines.map((_, i) => told.get(i));
  if (rows.length !== count || rows.some((cells) => cells?.length !== length)) {
    throw new SyntaxError(`not a board of ${count} rows and ${length} columns`);
  }
  return rows;
}

/**
 * The numbers of the line with a keyword, of which it must have so many.
 * @param {Facts} facts
 * @param {string} keyword
 * @param {number} count
 * @param {(text: string) => number} [kind]
 */
export function numbersOf(facts, keyword, count, kind = integer) {
  const words = line(facts, keyword);
  if (words.length !== count) throw new SyntaxError(`not ${count} numbers after ${keyword}`);
  return words.map((text) => kind(text));
}

/**
 * Places told by lines `I J`, by row, then by column.
 * @param {string[][]} [lines]
 */
export function cellsOf(lines = []) {
  return lines
    .map(([i, j]) => /** @type {[i: number, j: number]} */ ([integer(i), integer(j)]))
    .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
}

/**
 * What `set NAME VALUE` lines say.
 * @param {string[][]} [lines]
 */
function settings(lines = []) {
  /** @type {Record<string, number | string>} */
  const found = Object.create(null);
  for (const [name, ...words] of lines) {
    const text = words.join(" ");
    found[name ?? ""] = DECIMAL.test(text) ? Number(text) : text;
  }
  return found;
}
