/**
 * How two matches differ: where they first do, and what differs in a round.
 *
 * The arena has found where they first differ (page/difference.py). These are pure functions of that,
 * of frames and of positions; they create no elements.
 *
 * @module
 */

import { seatLetter } from "./colours.js";
import { cellOf } from "./decode.js";
import { counted } from "./figures.js";
import { DIFFERENCE } from "./moments.js";
import { ordersOf } from "./orders.js";
import { nameSeats } from "./text.js";

/** @typedef {import("./decode.js").Head} Head */
/** @typedef {import("./decode.js").Mark} Mark */
/** @typedef {import("./decode.js").Play} Play */
/** @typedef {import("./decode.js").Position} Position */
/** @typedef {import("./moments.js").Moments} Moments */
/** @typedef {import("./orders.js").Ordered} Ordered */
/** @typedef {import("./text.js").Subject} Subject */
/**
 * Something that both matches have: of the first and of the second.
 * @template T
 * @typedef {[T, T]} Two
 */

/** Something on the board, as it is in each match. @typedef {{name: string, states: Two<string>} & Subject} Row */

/**
 * How the arena compares two matches: `turn`: the first one in which the answers differ;
 * `position_turn`: the number of turns after which the boards do; null: never (docs/cli.md,
 * `replay diff --json`).
 *
 * @typedef {{is_comparable: boolean, start: string[], turn: number | null,
 *   position_turn: number | null}} Difference
 */
/**
 * The rounds in which two matches first differ: those to which different answers led, those with
 * different boards, and the first of them; null: none.
 *
 * @typedef {{answers: number | null, boards: number | null, first: number | null}} FirstRounds
 */

/** Return the rounds in which two matches first differ. @param {Difference} difference @returns {FirstRounds} */
export function firstRounds({ turn, position_turn: boards }) {
  const answers = turn === null ? null : turn + 1;
  return { answers, boards, first: answers ?? boards };
}

/** The moments of two matches at one slider, with their first difference. */
export class PairMoments {
  #both;
  #first;

  /** @param {readonly Moments[]} both of two matches @param {number | null} first where they differ */
  constructor(both, first) {
    this.#both = both;
    this.#first = first;
  }

  /** Increases when something was added. */
  get version() {
    const [one, other] = this.#both;
    return one.version + other.version;
  }

  /** Return what there was in a round, as `Moments.at`. @param {number} n @param {number | null} seat */
  at(n, seat) {
    const [one, other] = this.#both.map((moments) => moments.at(n, seat));
    return one | other | (n === this.#first ? DIFFERENCE : 0);
  }

  /** Nothing: two matches have no common advantage. */
  scores() {
    return null;
  }

  /** Return what began in a round, as `Moments.begun`. @param {number} n @param {number | null} seat */
  begun(n, seat) {
    const [one, other] = this.#both.map((moments) => moments.begun(n, seat));
    return one | other | (n === this.#first ? DIFFERENCE : 0);
  }

  /**
   * Return the next round with a fault in either match, as `Moments.fault`.
   *
   * @param {number} from
   * @param {1 | -1} direction
   * @param {number | null} seat
   * @returns {number | null}
   */
  fault(from, direction, seat) {
    const found = this.#both.flatMap((moments) => {
      // From a round that a shorter match doesn't have, the way back leads to its last one.
      const start = direction < 0 ? Math.min(from, moments.count) : from;
      return moments.fault(start, direction, seat) ?? [];
    });
    return found.length === 0 ? null : direction * Math.min(...found.map((n) => direction * n));
  }
}

/**
 * Return the seats whose turns differ in what counts in the game.
 *
 * @param {Two<Play | null | undefined>} plays
 * @returns {number[]} none if a match has no such turn, or its file has no answers
 */
export function seatsApart([one, other]) {
  if (!one || !other) {
    return [];
  }
  return one.verdicts.flatMap((_, seat) => (isSameTurn(one, other, seat) ? [] : [seat]));
}

/** @param {Play} one @param {Play} other @param {number} seat */
function isSameTurn(one, other, seat) {
  const verdict = one.verdicts[seat];
  const [gone, otherGone] = [one, other].map(({ left }) => left?.[seat] !== undefined);
  if (verdict !== other.verdicts[seat] || gone !== otherGone) {
    return false;
  }
  // What a late answer says has no effect, and it may not even have arrived in one of them.
  return verdict === "late" || (one.raw[seat] ?? "") === (other.raw[seat] ?? "");
}

/**
 * Return the submoves that a seat ordered in only one of two matches.
 *
 * @param {Two<Head>} heads
 * @param {Two<Play>} plays
 * @param {number} seat
 * @returns {Two<Ordered[]> | null} null: there are no words for its answers
 */
export function ordersApart(heads, plays, seat) {
  const [one, other] = [0, 1].map((at) =>
    plays[at].verdicts[seat] === "answer" ? ordersOf(heads[at], plays[at], seat) : [],
  );
  return one === null || other === null ? null : [without(one, other), without(other, one)];
}

/**
 * Return submoves without those that others have, too, in their order.
 *
 * @param {readonly Ordered[]} submoves
 * @param {readonly Ordered[]} others
 */
function without(submoves, others) {
  /** @type {Map<string, number>} */
  const left = new Map();
  for (const { text } of others) {
    left.set(text, (left.get(text) ?? 0) + 1);
  }
  return submoves.filter(({ text }) => {
    const count = left.get(text) ?? 0;
    left.set(text, count - 1);
    return count <= 0;
  });
}

/**
 * Return what stands on the boards of two positions differently: units by their number, everything
 * else by its cell, and the ground as a whole.
 *
 * @param {Two<Head>} heads
 * @param {Two<Position>} positions
 * @returns {Row[]}
 */
export function boardRows(heads, positions) {
  return [...unitRows(heads, positions), ...cellRows(heads, positions), ...groundRow(heads, positions)];
}

/** @param {Two<Head>} heads @param {Two<Position>} positions @returns {Row[]} */
function unitRows(heads, positions) {
  const [one, other] = positions.map(
    ({ marks }) => new Map(marks.flatMap((mark) => (mark.unit < 0 ? [] : [[mark.unit, mark]]))),
  );
  const units = [...new Set([...one.keys(), ...other.keys()])].sort((a, b) => a - b);
  return units.flatMap((unit) => {
    const marks = [one.get(unit), other.get(unit)];
    const present = marks.flatMap((mark) => mark ?? []);
    const [first, second = first] = present;
    const isOfOne = first.seat === second.seat;
    const details = present.map(({ lines }) => lines.slice(1).join());
    const isDetailed = details[0] !== (details[1] ?? details[0]);
    const states = marks.map((mark, at) => {
      if (mark === undefined) {
        return "not there";
      }
      const rest = isDetailed ? mark.lines.slice(1).map((line) => nameSeats(line, heads[at])) : [];
      return [placeText(heads[at], mark), ...(isOfOne ? [] : [ownerText(mark)]), ...rest].join(", ");
    });
    const name = first.lines[0] ?? `unit ${unit}`;
    return states[0] === states[1]
      ? []
      : [
          {
            name: isOfOne && first.seat >= 0 ? `${name} ${ownerText(first)}` : name,
            states: /** @type {Two<string>} */ (states),
            units: [unit],
            cells: present.map(({ row, col }) => ({ row, col })),
          },
        ];
  });
}

/** @param {Two<Head>} heads @param {Two<Position>} positions @returns {Row[]} */
function cellRows(heads, positions) {
  const { cols } = heads[0].scene;
  const [one, other] = positions.map(({ marks }, at) => {
    /** @type {Map<number, string[]>} */
    const byCell = new Map();
    for (const mark of marks) {
      if (mark.unit < 0) {
        const cell = mark.row * cols + mark.col;
        byCell.set(cell, [...(byCell.get(cell) ?? []), thingOf(heads[at], mark)].sort());
      }
    }
    return byCell;
  });
  const cells = [...new Set([...one.keys(), ...other.keys()])].sort((a, b) => a - b);
  return cells.flatMap((cell) => {
    const states = [one, other].map((byCell) => byCell.get(cell)?.join(" and ") ?? "nothing");
    const place = cellOf(heads[0].scene, cell);
    return states[0] === states[1]
      ? []
      : [
          {
            name: placeText(heads[0], place),
            states: /** @type {Two<string>} */ (states),
            units: [],
            cells: [place],
          },
        ];
  });
}

/** @param {Two<Head>} heads @param {Two<Position>} positions @returns {Row[]} */
function groundRow(heads, positions) {
  const { scene, players } = heads[0];
  const [one, other] = positions.map(({ own }) => own);
  const apart = [...one.keys()].filter((cell) => one[cell] !== other[cell]);
  if (apart.length === 0) {
    return [];
  }
  const states = [one, other].map((own) =>
    [...players.keys(), -1].flatMap((seat) => {
      const count = apart.filter((cell) => own[cell] === seat).length;
      return count === 0 ? [] : [`${count} of ${seatLetter(seat) || "nobody"}`];
    }).join(", "),
  );
  return [
    {
      name: `ground of ${counted(apart.length, "cell")}`,
      states: /** @type {Two<string>} */ (states),
      units: [],
      cells: apart.map((cell) => cellOf(scene, cell)),
    },
  ];
}

/** Name the owner of a thing. @param {Mark} mark */
function ownerText({ seat }) {
  return `of ${seatLetter(seat) || "nobody"}`;
}

/** Name what stands on a cell and has no number. @param {Head} head @param {Mark} mark */
function thingOf(head, mark) {
  const [name = mark.text, ...rest] = mark.lines.map((line) => nameSeats(line, head));
  return [mark.seat < 0 ? name : `${name} ${ownerText(mark)}`, ...rest].join(", ");
}

/**
 * Name a cell: `(14, 6)`, with the title of its level if the game has several.
 *
 * @param {Head} head
 * @param {import("./layout.js").Cell} cell
 */
function placeText({ scene }, { row, col }) {
  const level = scene.levels.find((one) => col >= one.col && col < one.col + one.cols);
  return level === undefined || level.title === ""
    ? `(${row}, ${col})`
    : `(${row}, ${col - level.col}) ${level.title}`;
}
