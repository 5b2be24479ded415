/**
 * The moments of a match that are worth going to: turns with a fault of a bot, turns in which
 * something happened; and its scores.
 *
 * No elements here; marks.js draws the moments at the slider.
 *
 * @module
 */

import { isGrave } from "./text.js";

/** @typedef {import("./decode.js").End} End */
/** @typedef {import("./decode.js").Frame} Frame */
/** @typedef {{count: number, end: End | null, frame(n: number): Frame | null}} Frames */

/** Parts of an answer were refused. */
export const REFUSED = 1;
/** An answer came too late. */
export const LATE = 2;
/** An answer couldn't be read, or a bot was gone. */
export const FAILED = 4;
/** Something happened by the rules. */
export const EVENT = 8;
/** Two matches differ for the first time. */
export const DIFFERENCE = 16;
/** A bot gives orders for few of its units, or many that change nothing, as its story says. */
export const WASTED = 32;
/** What is told before other faults. */
const GRAVE = LATE | FAILED;
/** Everything that is a bot's fault. */
export const FAULTS = GRAVE | REFUSED;

/** The moments of a match, as far as its frames are loaded. */
export class Moments {
  /** Number of rounds. */
  count = 0;
  /** Increases when something was added. */
  version = 0;
  #seats;
  /** By round, then by seat. */
  #flags = new Uint8Array(1024);
  #included = new Uint8Array(256);
  /** By round. @type {(readonly number[] | undefined)[]} */
  #scores = [];
  /** Number of rounds of which all are included. */
  #complete = 0;
  #hasStory = false;

  /** @param {number} seats */
  constructor(seats) {
    this.#seats = seats;
  }

  /**
   * Include frames that were loaded since the last call.
   *
   * @param {Frames} frames
   */
  include(frames) {
    if (frames.count !== this.count) {
      this.count = frames.count;
      this.version += 1;
    }
    this.#included = grown(this.#included, frames.count);
    this.#flags = grown(this.#flags, frames.count * this.#seats);
    for (let n = this.#complete; n < frames.count; n += 1) {
      const frame = this.#included[n] === 0 ? frames.frame(n) : null;
      if (frame !== null) {
        this.#included[n] = 1;
        this.version += 1;
        for (let seat = 0; seat < this.#seats; seat += 1) {
          this.#flags[n * this.#seats + seat] |= flagsOf(frame, seat);
        }
        this.#scores[n] = frame.scores;
      }
      this.#complete += n === this.#complete ? this.#included[n] : 0;
    }
    if (frames.end?.story && !this.#hasStory) {
      this.#hasStory = true;
      this.version += 1;
      const { chapters, losses } = frames.end.story;
      for (const [first, seat, , last = -1] of [...chapters, ...Object.values(losses).flat()]) {
        for (let n = first; n <= last; n += 1) {
          this.#flags[n * this.#seats + seat] |= WASTED;
        }
      }
    }
  }

  /** Return the scores in a round; null: it isn't loaded. @param {number} n */
  scores(n) {
    return this.#scores[n] ?? null;
  }

  /**
   * Return what there was in a round.
   *
   * @param {number} n
   * @param {number | null} seat null: of all seats
   * @returns {number} flags
   */
  at(n, seat) {
    const first = n * this.#seats;
    if (seat !== null) {
      return this.#flags[first + seat] ?? 0;
    }
    let all = 0;
    for (let one = first; one < first + this.#seats; one += 1) {
      all |= this.#flags[one] ?? 0;
    }
    return all;
  }

  /**
   * Return what began in a round: what there was, but not in the round before of the same seat.
   *
   * @param {number} n
   * @param {number | null} seat null: of all seats
   * @returns {number} flags
   */
  begun(n, seat) {
    let all = 0;
    for (const one of seat === null ? Array(this.#seats).keys() : [seat]) {
      const before = n === 0 ? 0 : (this.#flags[(n - 1) * this.#seats + one] ?? 0);
      all |= (this.#flags[n * this.#seats + one] ?? 0) & ~before;
    }
    return all;
  }

  /**
   * Return the next round in which a fault begins: a grave one, or if no more of those follow one by
   * which a part of an answer was refused, or from which on many more orders are wasted.
   *
   * @param {number} from the round from which to look
   * @param {1 | -1} direction
   * @param {number | null} seat null: of any seat
   * @returns {number | null} null: there is none, as far as frames are loaded
   */
  fault(from, direction, seat) {
    return (
      this.#next(from, direction, seat, GRAVE) ?? this.#next(from, direction, seat, REFUSED | WASTED)
    );
  }

  /**
   * Return the seat whose fault begins in a round: of a grave one, if there is any.
   *
   * @param {number} n
   * @returns {number} -1: no fault begins
   */
  seatAtFault(n) {
    const begun = Array.from({ length: this.#seats }, (_, seat) => this.begun(n, seat));
    const grave = begun.findIndex((flags) => (flags & GRAVE) !== 0);
    return grave < 0 ? begun.findIndex((flags) => (flags & (REFUSED | WASTED)) !== 0) : grave;
  }

  /**
   * @param {number} from
   * @param {1 | -1} direction
   * @param {number | null} seat
   * @param {number} flags
   */
  #next(from, direction, seat, flags) {
    for (let n = from + direction; n >= 0 && n < this.count; n += direction) {
      if ((this.begun(n, seat) & flags) !== 0) {
        return n;
      }
    }
    return null;
  }
}

/**
 * Return what there was in a frame's turn for a seat.
 *
 * @param {Frame} frame
 * @param {number} seat
 */
function flagsOf({ play, events = [] }, seat) {
  let flags = events.some(([of]) => of === seat || of < 0) ? EVENT : 0;
  if (play === undefined) {
    return flags;
  }
  const verdict = play.verdicts[seat];
  const fault = play.faults?.find((one) => one.seat === seat && isGrave(one));
  if (verdict === "late") {
    flags |= LATE;
  } else if (verdict === "malformed" || (verdict === "missing" && fault) || play.left?.[seat]) {
    flags |= FAILED;
  } else if (verdict === "answer" && fault) {
    flags |= REFUSED;
  }
  return flags;
}

/**
 * Return an array with room for so many bytes.
 *
 * @param {Uint8Array<ArrayBuffer>} old
 * @param {number} length
 */
function grown(old, length) {
  if (length <= old.length) {
    return old;
  }
  const longer = new Uint8Array(Math.max(length, 2 * old.length));
  longer.set(old);
  return longer;
}
