/**
 * The curves of the values that bots name in their logs (drawing.js): a chart for each name, with a
 * line for each bot.
 *
 * @module
 */

import { Chart, extentOf } from "./chart.js";
import { el } from "./dom.js";
import { readTurn } from "./drawing.js";
import { MAX_POINTS, seatCurves } from "./plots.js";
import { turnWord } from "./text.js";

/** @typedef {import("./decode.js").Frame} Frame */
/** @typedef {import("./decode.js").Head} Head */
/** @typedef {import("./decode.js").Play} Play */
/** @typedef {import("./match_frames.js").MatchFrames} MatchFrames */

/** Maximum number of names of a bot whose curves are shown: those that came first. */
export const MAX_NAMES = 12;
/** Maximum milliseconds for which logs are read at a time. */
const READ_TIME = 4;
/** Minimum milliseconds between two drawings of growing data. */
const DRAW_INTERVAL = 500;

/** @typedef {{first: number, numbers: Map<number, number>}} Curve numbers by round; the first one */

/** The values of a match by bot, name and round, as far as its frames are loaded. */
export class ValueSeries {
  #scene;
  #seats;
  /** By seat and name. @type {Map<string, Curve>[]} */
  #curves;
  /** By frame: the turn that was included, as its logs may come later. @type {(Play | null)[]} */
  #included = [];
  /** Number of rounds, included or not. */
  count = 0;

  /** @param {Head} head */
  constructor(head) {
    this.#scene = head.scene;
    this.#seats = head.players.length;
    this.#curves = head.players.map(() => new Map());
  }

  /**
   * Include frames that were loaded or got logs since the last call.
   *
   * @param {{count: number, frame(n: number): Frame | null}} frames
   * @param {() => boolean} [stop] returns whether to go on in another call
   * @returns {{more: boolean, stopped: boolean}} `more`: whether anything was added
   */
  include(frames, stop = () => false) {
    let more = false;
    this.count = frames.count;
    for (let n = 1; n < frames.count; n += 1) {
      const play = frames.frame(n)?.play ?? null;
      if (play !== null && this.#included[n] !== play) {
        if (play.logs !== undefined) {
          if (stop()) {
            return { more, stopped: true };
          }
          more = this.#add(n - 1, play) || more;
        }
        this.#included[n] = play;
      }
    }
    return { more, stopped: false };
  }

  /** The names of all curves, those that came first before others. @returns {string[]} */
  get names() {
    /** @type {Map<string, number>} */
    const firsts = new Map();
    for (const curves of this.#curves) {
      for (const [name, curve] of curves) {
        firsts.set(name, Math.min(firsts.get(name) ?? Infinity, curve.first));
      }
    }
    return [...firsts].sort(([, a], [, b]) => a - b).map(([name]) => name);
  }

  /**
   * Return the lines of a name. If there are more rounds than points, rounds are binned, and a bin
   * has its last value.
   *
   * @param {string} name
   * @param {number} [points] at most
   * @returns {{rounds: number[], values: (number | null)[][]}} `values` by seat; null: none
   */
  lines(name, points = MAX_POINTS) {
    const size = Math.max(1, Math.ceil(this.count / points));
    const bins = Math.ceil(this.count / size);
    const rounds = Array.from({ length: bins }, (_, at) => Math.min((at + 1) * size, this.count) - 1);
    const values = Array.from({ length: this.#seats }, (_, seat) => {
      /** @type {(number | null)[]} */
      const line = Array(bins).fill(null);
      /** By bin: the round of its value. */
      const latest = Array(bins).fill(-1);
      for (const [round, number] of this.#curves[seat].get(name)?.numbers ?? []) {
        const bin = Math.floor(round / size);
        if (round > latest[bin]) {
          latest[bin] = round;
          line[bin] = number;
        }
      }
      return line;
    });
    return { rounds, values };
  }

  /** @param {number} round @param {Play} play @returns {boolean} whether it has values */
  #add(round, play) {
    let more = false;
    for (const [seat, lines] of readTurn(play, this.#scene)) {
      const curves = this.#curves[seat];
      for (const { value } of curves === undefined ? [] : lines) {
        if (value !== undefined) {
          const curve = curves.get(value.name) ?? { first: round, numbers: new Map() };
          curve.first = Math.min(curve.first, round);
          curve.numbers.set(round, value.number);
          curves.set(value.name, curve);
          more = true;
        }
      }
      while (curves !== undefined && curves.size > MAX_NAMES) {
        const [latest] = [...curves].reduce((one, other) =>
          other[1].first >= one[1].first ? other : one,
        );
        curves.delete(latest);
      }
    }
    return more;
  }
}

/**
 * Return the range of an axis that shows these values.
 *
 * @param {[low: number, high: number] | null} extent of all values; null: there are none
 * @returns {[number, number]}
 */
export function rangeOfValues(extent) {
  if (extent === null) {
    return [0, 1];
  }
  const [low, high] = extent;
  const room = high > low ? 0.06 * (high - low) : 0.1 * Math.abs(high) || 1;
  return [low - room, high + room];
}

/**
 * Make the charts of a match's values; none until a value is known.
 *
 * @param {Head} head
 * @param {(round: number) => void} seek is called with the round at which a chart was clicked
 * @returns {{element: HTMLElement, update(frames: MatchFrames): void, mark(round: number): void,
 *   close(): void}} as of `plots`
 */
export function valuePlots(head, seek) {
  const series = new ValueSeries(head);
  const element = el("div", { class: "values", hidden: true });
  /** @type {Map<string, {chart: Chart, figure: HTMLElement}>} */
  const charts = new Map();
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer = undefined;
  let drawn = -Infinity;
  let changed = false;
  let round = 0;
  /** @param {string} name */
  const makeChart = (name) => {
    const chart = new Chart(`Value ${name} by ${turnWord(head)}`, seek);
    const figure = el("figure", null, el("figcaption", null, name), chart.element);
    charts.set(name, { chart, figure });
  };
  /** @param {MatchFrames} frames */
  const read = (frames) => {
    timer = undefined;
    const count = series.count;
    const until = performance.now() + READ_TIME;
    const { more, stopped } = series.include(frames, () => performance.now() > until);
    changed ||= more || series.count !== count;
    if (stopped) {
      timer = setTimeout(() => read(frames));
    }
    if (changed && performance.now() - drawn >= DRAW_INTERVAL) {
      draw();
    } else if (changed && !stopped) {
      timer = setTimeout(() => read(frames), DRAW_INTERVAL);
    }
  };
  const draw = () => {
    drawn = performance.now();
    changed = false;
    const names = series.names;
    for (const [name, { figure }] of charts) {
      if (!names.includes(name)) {
        figure.remove();
        charts.delete(name);
      }
    }
    for (const name of names) {
      if (!charts.has(name)) {
        makeChart(name);
      }
      const { chart, figure } = /** @type {{chart: Chart, figure: HTMLElement}} */ (charts.get(name));
      element.append(figure);
      const { rounds, values } = series.lines(name);
      const curves = seatCurves(values);
      chart.show({
        at: rounds,
        curves,
        range: rangeOfValues(extentOf(curves)),
        // A bot may name a value in some turns only.
        spans: true,
        format: (value) => value.toLocaleString("en", { maximumSignificantDigits: 6 }),
        formatAt: (at) => `${turnWord(head)} ${at}`,
      });
      chart.mark(round);
    }
    element.hidden = names.length === 0;
  };
  return {
    element,
    update(frames) {
      timer ??= setTimeout(() => read(frames));
    },
    mark(shown) {
      round = shown;
      charts.forEach(({ chart }) => chart.mark(shown));
    },
    close() {
      clearTimeout(timer);
    },
  };
}
