/**
 * The charts of a match: the scores over time, and the time of each answer against its limit.
 *
 * They show the frames that are loaded so far, binned to as many points as a chart can show. A
 * click on a chart asks the caller to show that round.
 *
 * @module
 */

import { seatColour, seatLetter } from "./colours.js";
import { el } from "./dom.js";
import { capital, formatDuration, turnWord } from "./text.js";
import { theme } from "./theme.js";
import { default as uPlot } from "./vendor/uPlot.esm.js";

/** @typedef {import("./decode.js").Frame} Frame */
/** @typedef {import("./decode.js").Head} Head */
/** @typedef {import("./match_frames.js").MatchFrames} MatchFrames */

/** Maximum number of points of a line: more than a chart is wide in pixels. */
export const MAX_POINTS = 1200;
/** Lower end of the logarithmic scale in ms, as it can't show 0. */
const MIN_TIME = 0.01;
/** Height of a chart in CSS px, and the lowest that it becomes in a part that is lower. */
const HEIGHT = 240;
const LOWEST = 100;
/** Padding of a part, above and below what it shows. */
const PADDING = 16;
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
 * Make the two charts of a match.
 *
 * @param {Head} head
 * @param {(round: number) => void} seek is called with the round at which a chart was clicked
 * @returns {{scores: HTMLElement, times: HTMLElement, update(frames: MatchFrames): void,
 *   mark(round: number, spoils: boolean): void, restyle(): void, close(): void}} `update` includes
 *   new frames; `mark` points out a round, beyond which nothing is shown unless `spoils` is set;
 *   `restyle` adopts another theme
 */
export function plots(head, seek) {
  const series = new Series(head.players.length);
  const limit = head.clock?.time_move ? 1000 * head.clock.time_move : null;
  let logarithmic = true;
  const word = turnWord(head);
  const score = new Chart(head, `Score by ${word}`, seek, ({ scores }) => ({
    values: scores,
    late: [],
    dots: false,
    limit: null,
    logarithmic: false,
    format: (value) => value.toLocaleString("en"),
  }));
  const time = new Chart(head, `Answer time by ${word}`, seek, ({ times, late }) => ({
    values: times.map((line) => line.map((ms) => (ms === null ? null : Math.max(ms, MIN_TIME)))),
    late,
    dots: true,
    limit,
    logarithmic,
    format: (ms) => (ms >= 1000 ? `${ms / 1000} s` : `${Number(ms.toPrecision(3))} ms`),
  }));
  const scale = el(
    "button",
    { class: "button small", type: "button", "aria-pressed": "true" },
    "Logarithmic",
  );
  scale.addEventListener("click", () => {
    logarithmic = !logarithmic;
    scale.setAttribute("aria-pressed", String(logarithmic));
    time.restyle();
  });
  const caption = `${limit === null ? "" : `dashed: the limit, ${formatDuration(limit)}; `}× late`;
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
      const lines = series.lines(MAX_POINTS, upTo);
      score.show(lines);
      time.show(lines);
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
    restyle() {
      score.restyle();
      time.restyle();
    },
    close() {
      clearTimeout(timer);
      score.close();
      time.close();
    },
  };
}

/**
 * What a chart is made of: what `Series` returns, or the values of a name that bots gave.
 *
 * @typedef {ReturnType<Series["lines"]> & {values?: (number | null)[][]}} Lines
 */

/**
 * What a chart shows.
 *
 * @typedef {object} Content
 * @property {(number | null)[][]} values by seat
 * @property {boolean[][]} late by seat: which values get a cross; empty: none
 * @property {boolean} dots whether values are drawn as dots; otherwise a line joins them
 * @property {number | null} limit value of a line across the chart; null: there is none
 * @property {boolean} logarithmic whether the values' axis is
 * @property {(value: number) => string} format formats a value for the axis
 * @property {Partial<uPlot.Series>} [series] how lines look, instead of `dots`
 * @property {(low: number | null, high: number | null) => [number, number]} [range] returns the
 *   range of the values' axis, given those of all values; null: there are none
 */

const LINE = { points: { show: false } };
const DOTS = { paths: () => null, points: { show: true, size: 4.5, width: 1.5 } };

/** One chart of a match: for each seat a line or dots in its colour, with its letter at the end. */
export class Chart {
  #head;
  #seek;
  #contentOf;
  /** @type {Lines | null} */
  #lines = null;
  /** @type {Content | null} */
  #content = null;
  /** @type {uPlot | null} */
  #plot = null;
  #round = 0;
  #marker = el("div", { class: "now" });
  /** What scrolls around it. @type {Element | null} */
  #part = null;
  #resizing = new ResizeObserver(() => this.#fit());

  /**
   * @param {Head} head
   * @param {string} label what it shows
   * @param {(round: number) => void} seek
   * @param {(lines: Lines) => Content} contentOf
   */
  constructor(head, label, seek, contentOf) {
    this.#head = head;
    this.#seek = seek;
    this.#contentOf = contentOf;
    this.element = el("div", { class: "chart", role: "img", "aria-label": label });
    this.#resizing.observe(this.element);
  }

  /** @param {Lines} lines */
  show(lines) {
    this.#lines = lines;
    this.#content = this.#contentOf(lines);
    if (this.#plot === null) {
      this.#fit();
    } else {
      this.#plot.setData([lines.rounds, ...this.#content.values]);
      this.mark(this.#round);
    }
  }

  /** Point out a round. @param {number} round */
  mark(round) {
    this.#round = round;
    const left = this.#plot?.valToPos(round, "x") ?? NaN;
    this.#marker.hidden = !Number.isFinite(left);
    if (!this.#marker.hidden) {
      this.#marker.style.transform = `translateX(${left}px)`;
    }
    this.#showValues();
  }

  /** Have the legend tell the values of the shown round, unless the pointer is on another one. */
  #showValues() {
    const plot = this.#plot;
    if (plot !== null && (plot.cursor.idx ?? null) === null) {
      const rounds = /** @type {number[]} */ (plot.data[0]);
      const at = rounds.findIndex((last) => last >= this.#round);
      plot.setLegend({ idx: at < 0 ? rounds.length - 1 : at }, false);
    }
  }

  /** Draw the chart again after a change of colours or scales. */
  restyle() {
    this.#plot?.destroy();
    this.#plot = null;
    if (this.#lines !== null) {
      this.show(this.#lines);
    }
  }

  /** Remove the chart for good. */
  close() {
    this.#resizing.disconnect();
    this.#plot?.destroy();
    this.#plot = null;
  }

  #fit() {
    const width = Math.floor(this.element.clientWidth);
    if (width === 0 || this.#lines === null || this.#content === null) {
      // The chart is hidden at the moment, as in another tab, or has nothing to show yet.
      return;
    }
    if (this.#plot === null) {
      this.#plot = this.#make(this.#lines, this.#content, width);
    }
    const height = this.#height(this.#plot.height);
    if (this.#plot.width !== width || this.#plot.height !== height) {
      this.#plot.setSize({ width, height });
    }
    this.mark(this.#round);
  }

  /** Return the height with which the rounds below the chart aren't cut off. @param {number} now */
  #height(now) {
    if (this.#part === null) {
      this.#part = this.element.closest('[role="tabpanel"]');
      if (this.#part === null) {
        return HEIGHT;
      }
      this.#resizing.observe(this.#part);
    }
    const { clientHeight, scrollHeight } = this.#part;
    const isTooHigh = now < HEIGHT || scrollHeight > clientHeight;
    return isTooHigh ? Math.min(HEIGHT, Math.max(LOWEST, clientHeight - PADDING)) : HEIGHT;
  }

  /** @param {Lines} lines @param {Content} content @param {number} width */
  #make(lines, content, width) {
    const style = getComputedStyle(this.element);
    const [text, line] = ["--muted", "--line"].map((name) => style.getPropertyValue(name));
    // This must be a whole number: uPlot scales the font by the digits before `px`.
    const letter = Math.round(0.8 * Number.parseFloat(style.fontSize));
    const font = `${letter}px ${style.fontFamily}`;
    const stroke = { stroke: line, width: 1 };
    const axis = { stroke: text, font, grid: stroke, ticks: stroke };
    /** @param {uPlot} _ @param {(number | null)[]} values */
    const format = (_, values) =>
      values.map((value) => (value === null ? "" : content.format(value)));
    const plot = new uPlot(
      {
        width,
        height: HEIGHT,
        padding: [10, 44, 0, 0],
        cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
        scales: {
          x: { time: false, range: (_, from, to) => [from, Math.max(from + 1, to)] },
          y: {
            distr: content.logarithmic ? 3 : 1,
            range: (_, low, high) => (content.range ?? rangeOf.bind(null, content))(low, high),
          },
        },
        axes: [
          {
            ...axis,
            size: 2.6 * letter,
            values: (_, rounds) => rounds.map((n) => (Number.isInteger(n) ? `${n}` : "")),
          },
          { ...axis, size: 5.6 * letter, values: format },
        ],
        series: [
          { label: capital(turnWord(this.#head)) },
          ...this.#head.players.map((_, seat) => ({
            label: seatLetter(seat),
            stroke: seatColour(seat, theme()).unit,
            width: 2.5,
            ...(content.series ?? (content.dots ? DOTS : LINE)),
            /** @param {uPlot} _ @param {number | null} value */
            value: (_, value) => (value === null ? "–" : content.format(value)),
          })),
        ],
        hooks: {
          draw: [(u) => this.#drawOver(u)],
          setCursor: [() => this.#showValues()],
        },
      },
      [lines.rounds, ...content.values],
      this.element,
    );
    plot.over.append(this.#marker);
    plot.over.addEventListener("click", () => {
      const left = plot.cursor.left ?? -1;
      if (left >= 0) {
        this.#seek(Math.round(plot.posToVal(left, "x")));
      }
    });
    return plot;
  }

  /**
   * Draw what uPlot doesn't: the limit, the seats' letters, crosses for late answers.
   *
   * @param {uPlot} u
   */
  #drawOver(u) {
    const { ctx, bbox } = u;
    const ratio = devicePixelRatio || 1;
    const style = getComputedStyle(this.element);
    const content = /** @type {Content} */ (this.#content);
    ctx.save();
    if (content.limit !== null) {
      const y = u.valToPos(content.limit, "y", true);
      ctx.strokeStyle = style.getPropertyValue("--danger");
      ctx.lineWidth = 2 * ratio;
      ctx.setLineDash([6 * ratio, 5 * ratio]);
      ctx.beginPath();
      ctx.moveTo(bbox.left, y);
      ctx.lineTo(bbox.left + bbox.width, y);
      ctx.stroke();
      ctx.setLineDash([]);
    }
    ctx.font = `700 ${12 * ratio}px ${style.fontFamily}`;
    ctx.textAlign = "left";
    ctx.textBaseline = "middle";
    /** @type {{y: number, place: number}[]} */
    const taken = [];
    for (const seat of this.#head.players.keys()) {
      const at = lastOf(u.data[seat + 1]);
      const value = u.data[seat + 1][at];
      if (value !== null && value !== undefined) {
        const y = u.valToPos(value, "y", true);
        const x = u.valToPos(u.data[0][at], "x", true) + 5 * ratio;
        // Letters of lines that end at the same height are put beside each other.
        const near = taken.filter((other) => Math.abs(other.y - y) < 12 * ratio);
        let place = 0;
        while (near.some((other) => other.place === place)) {
          place += 1;
        }
        taken.push({ y, place });
        ctx.fillStyle = seatColour(seat, theme()).text;
        ctx.fillText(seatLetter(seat), x + 9 * place * ratio, y);
      }
    }
    ctx.lineWidth = 2.5 * ratio;
    for (const [seat, late] of content.late.entries()) {
      ctx.strokeStyle = seatColour(seat, theme()).text;
      ctx.beginPath();
      late.forEach((isLate, at) => {
        const value = u.data[seat + 1][at];
        if (isLate && value !== null && value !== undefined) {
          cross(ctx, u.valToPos(u.data[0][at], "x", true), u.valToPos(value, "y", true), 5 * ratio);
        }
      });
      ctx.stroke();
    }
    ctx.restore();
  }
}

/**
 * Return the range of the values' axis.
 *
 * @param {Content} content
 * @param {number | null} low of all values; null: there are none
 * @param {number | null} high
 * @returns {[number, number]}
 */
function rangeOf({ logarithmic, limit }, low, high) {
  const most = Math.max(high ?? 1, limit ?? 0, MIN_TIME);
  if (logarithmic) {
    // A limit that is a power of ten needs some room, or its line would be at the chart's edge.
    return [MIN_TIME, 10 ** Math.ceil(Math.log10(1.2 * most))];
  }
  return [Math.min(0, low ?? 0), Math.max(1, 1.06 * most)];
}

/**
 * Return the index of the last value that is there.
 *
 * @param {ArrayLike<number | null | undefined>} values
 * @returns {number} 0 if there is none
 */
function lastOf(values) {
  let at = values.length - 1;
  while (at > 0 && (values[at] === null || values[at] === undefined)) {
    at -= 1;
  }
  return Math.max(0, at);
}

/**
 * Add a cross to the context's path.
 *
 * @param {CanvasRenderingContext2D} ctx
 * @param {number} x
 * @param {number} y
 * @param {number} size
 */
function cross(ctx, x, y, size) {
  ctx.moveTo(x - size, y - size);
  ctx.lineTo(x + size, y + size);
  ctx.moveTo(x - size, y + size);
  ctx.lineTo(x + size, y - size);
}
