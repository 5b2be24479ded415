/**
 * The charts of a match: the scores over time, and the time of each answer against its limit.
 *
 * They show the frames that are loaded so far, binned to as many points as a chart can show. A
 * click on a chart asks the caller to show that round.
 *
 * @module
 */

import { Chart, extentOf } from "./chart.js";
import { seatLetter, seatVariable } from "./colours.js";
import { el } from "./dom.js";
import { formatDuration, turnWord } from "./text.js";

/** @typedef {import("./decode.js").Frame} Frame */
/** @typedef {import("./decode.js").Head} Head */
/** @typedef {import("./match_frames.js").MatchFrames} MatchFrames */

/** Maximum number of points of a line: more than a chart is wide in pixels. */
export const MAX_POINTS = 1200;
/** Lower end of the logarithmic scale in ms, as it can't show 0. */
const MIN_TIME = 0.01;
/** Minimum milliseconds between two drawings of growing data. */
const DRAW_INTERVAL = 500;
/** The same, while a chart that must not show what is to come follows the shown round. */
const FOLLOW_INTERVAL = 120;

/** Scores and answer times by round, as far as the frames are loaded. */
export class Series {
  #seats;
  /** By seat and round; NaN: unknown. @type {Float64Array[]} */
  #scores;
  /** In ms, by seat and round; NaN: unknown or no answer. @type {Float64Array[]} */
  #times;
  /** By seat and round; 1: the answer was late. @type {Uint8Array[]} */
  #late;
  /** By round; 1: its frame is included. */
  #included = new Uint8Array(256);
  /** All rounds before this one are included. */
  #complete = 0;
  /** Number of rounds, included or not. */
  count = 0;

  /** @param {number} seats */
  constructor(seats) {
    this.#seats = seats;
    const empty = () => Array.from({ length: seats }, () => new Float64Array(256).fill(NaN));
    this.#scores = empty();
    this.#times = empty();
    this.#late = Array.from({ length: seats }, () => new Uint8Array(256));
  }

  /**
   * Include frames that were loaded since the last call.
   *
   * @param {{count: number, frame(n: number): Frame | null}} frames
   * @returns {boolean} whether anything was added
   */
  include(frames) {
    const before = this.count;
    let more = false;
    this.count = frames.count;
    this.#grow(frames.count);
    for (let n = this.#complete; n < frames.count; n += 1) {
      if (this.#included[n] === 0) {
        const frame = frames.frame(n);
        if (frame !== null) {
          this.#add(n, frame);
          more = true;
        }
      }
      if (n === this.#complete && this.#included[n] === 1) {
        this.#complete += 1;
      }
    }
    return more || frames.count !== before;
  }

  /**
   * Return the lines to draw. If there are more rounds than points, rounds are binned. A bin has
   * its last score and its longest time, so that no late answer gets lost.
   *
   * @param {number} [points] at most
   * @param {number} [upTo] the last round of which anything is told
   * @returns {{rounds: number[], scores: (number | null)[][], times: (number | null)[][],
   *   late: boolean[][]}} all but `rounds` by seat; times in ms; null: unknown or no answer
   */
  lines(points = MAX_POINTS, upTo = Infinity) {
    const size = Math.max(1, Math.ceil(this.count / points));
    /** @type {number[]} */
    const rounds = [];
    for (let n = 0; n < this.count; n += size) {
      rounds.push(Math.min(n + size, this.count) - 1);
    }
    const seats = Array.from({ length: this.#seats }, (_, seat) => seat);
    /** @template T @param {(seat: number, from: number, to: number) => T} value */
    const binned = (value) =>
      seats.map((seat) =>
        rounds.map((last, at) => value(seat, at * size, Math.min(last, Math.max(upTo, at * size - 1)))),
      );
    return {
      rounds,
      scores: binned((seat, from, to) => {
        for (let n = to; n >= from; n -= 1) {
          if (!Number.isNaN(this.#scores[seat][n])) {
            return this.#scores[seat][n];
          }
        }
        return null;
      }),
      times: binned((seat, from, to) => {
        let longest = -1;
        for (let n = from; n <= to; n += 1) {
          longest = this.#times[seat][n] > longest ? this.#times[seat][n] : longest;
        }
        return longest < 0 ? null : longest;
      }),
      late: binned((seat, from, to) => this.#late[seat].subarray(from, to + 1).includes(1)),
    };
  }

  /** @param {number} n @param {Frame} frame */
  #add(n, frame) {
    this.#included[n] = 1;
    const { play } = frame;
    for (let seat = 0; seat < this.#seats; seat += 1) {
      this.#scores[seat][n] = frame.scores[seat] ?? NaN;
      const late = play?.verdicts[seat] === "late";
      this.#late[seat][n] = late ? 1 : 0;
      const arrived = play?.times[seat]?.[2];
      if (arrived !== undefined) {
        this.#times[seat][n] = arrived / 1000;
      } else if (late && play !== undefined && play.limit > 0) {
        // No answer came: it would have taken longer than the limit.
        this.#times[seat][n] = play.limit * 1000;
      }
    }
  }

  /** @param {number} count */
  #grow(count) {
    if (count <= this.#included.length) {
      return;
    }
    const length = Math.max(count, 2 * this.#included.length);
    /** @param {Uint8Array} old */
    const bytes = (old) => {
      const longer = new Uint8Array(length);
      longer.set(old);
      return longer;
    };
    /** @param {Float64Array} old */
    const numbers = (old) => {
      const longer = new Float64Array(length).fill(NaN);
      longer.set(old);
      return longer;
    };
    this.#included = bytes(this.#included);
    this.#late = this.#late.map(bytes);
    this.#scores = this.#scores.map(numbers);
    this.#times = this.#times.map(numbers);
  }
}

/**
 * Return the values of seats as curves.
 *
 * @param {readonly (readonly (number | null)[])[]} values by seat
 * @returns {import("./chart.js").Curve[]}
 */
export function seatCurves(values) {
  return values.map((line, seat) => ({
    name: seatLetter(seat),
    colour: seatVariable(seat),
    values: line,
  }));
}

/**
 * Make the two charts of a match.
 *
 * @param {Head} head
 * @param {(round: number) => void} seek is called with the round at which a chart was clicked
 * @returns {{scores: HTMLElement, times: HTMLElement, update(frames: MatchFrames): void,
 *   mark(round: number, spoils: boolean): void, close(): void}} `update` includes new frames; `mark`
 *   points out a round, beyond which nothing is shown unless `spoils` is set
 */
export function plots(head, seek) {
  const series = new Series(head.players.length);
  const limit = head.clock?.time_move ? 1000 * head.clock.time_move : null;
  let logarithmic = true;
  const word = turnWord(head);
  const formatAt = (/** @type {number} */ round) => `${word} ${round}`;
  const score = new Chart(`Score by ${word}`, seek);
  const time = new Chart(`Answer time by ${word}`, seek);
  let lines = series.lines();
  const showScores = () => {
    const curves = seatCurves(lines.scores);
    const [low, high] = extentOf(curves) ?? [0, 1];
    score.show({
      at: lines.rounds,
      curves,
      range: [Math.min(0, low), Math.max(1, 1.06 * high)],
      format: (value) => value.toLocaleString("en"),
      formatAt,
    });
  };
  const showTimes = () => {
    const curves = seatCurves(lines.times).map((curve, seat) => ({
      ...curve,
      values: curve.values.map((ms) => (ms === null ? null : Math.max(ms, MIN_TIME))),
      marked: lines.late[seat],
    }));
    const most = Math.max(extentOf(curves)?.[1] ?? 1, limit ?? 0, MIN_TIME);
    time.show({
      at: lines.rounds,
      curves,
      // A limit that is a power of ten needs some room, or its line would be at the chart's edge.
      range: logarithmic ? [MIN_TIME, 10 ** Math.ceil(Math.log10(1.2 * most))] : [0, 1.06 * most],
      dots: true,
      logarithmic,
      limit,
      format: (ms) => (ms >= 1000 ? `${ms / 1000} s` : `${Number(ms.toPrecision(3))} ms`),
      formatAt,
    });
  };
  const scale = el(
    "button",
    { class: "button small", type: "button", "aria-pressed": "true" },
    "Logarithmic",
  );
  scale.addEventListener("click", () => {
    logarithmic = !logarithmic;
    scale.setAttribute("aria-pressed", String(logarithmic));
    showTimes();
  });
  const caption = `${limit === null ? "" : `dashed: the limit, ${formatDuration(limit)}; `}ringed: late`;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer = undefined;
  let drawn = -Infinity;
  let upTo = Infinity;
  /** The last round of which the charts tell anything. */
  let toldUpTo = NaN;
  /** @type {MatchFrames | null} */
  let source = null;
  const draw = () => {
    timer = undefined;
    drawn = performance.now();
    if (source !== null && (series.include(source) || upTo !== toldUpTo)) {
      toldUpTo = upTo;
      lines = series.lines(MAX_POINTS, upTo);
      showScores();
      showTimes();
    }
  };
  /** @param {number} interval */
  const drawSoon = (interval) => {
    timer ??= setTimeout(draw, Math.max(0, drawn + interval - performance.now()));
  };
  return {
    scores: score.element,
    times: el(
      "div",
      null,
      time.element,
      el("div", { class: "row" }, scale, el("span", { class: "muted" }, caption)),
    ),
    update(frames) {
      source = frames;
      drawSoon(DRAW_INTERVAL);
    },
    mark(round, spoils) {
      score.mark(round);
      time.mark(round);
      upTo = spoils ? Infinity : round;
      if (upTo !== toldUpTo) {
        drawSoon(FOLLOW_INTERVAL);
      }
    },
    close() {
      clearTimeout(timer);
    },
  };
}
