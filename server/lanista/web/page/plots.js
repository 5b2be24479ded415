/**
 * The charts of a match: the scores over time, and the time of each answer against its limit.
 *
 * They show the frames that are loaded so far, thinned to what a chart can show. Which round is
 * shown is decided elsewhere; a click asks for one.
 *
 * @module
 */

import { seatColour, seatLetter } from "./colours.js";
import { el } from "./dom.js";
import { theme } from "./theme.js";
import { duration } from "./words.js";
import { default as uPlot } from "./vendor/uPlot.esm.js";

/** @typedef {import("./decode.js").Frame} Frame */
/** @typedef {import("./decode.js").Head} Head */
/** @typedef {import("./film.js").Film} Film */

/** Maximum number of points of a line: more than a chart has pixels. */
export const POINTS = 1200;
/** Beginning of the logarithmic scale in ms, as it can't show 0. */
const SHORTEST = 0.01;
/** Height of a chart in CSS px. */
const HEIGHT = 240;
/** Minimum ms between two drawings of growing data. */
const PAUSE = 500;

/**
 * The numbers of a match by round, as far as they are loaded.
 */
export class Series {
  #seats;
  /** By seat and round; NaN: unknown. @type {Float64Array[]} */
  #scores;
  /** ms, as `#scores`. @type {Float64Array[]} */
  #times;
  /** 1: the seat's answer was late. @type {Uint8Array[]} */
  #late;
  /** 1: the round is included. */
  #taken = new Uint8Array(256);
  /** All rounds below this one are included. */
  #whole = 0;
  /** How many rounds there are, included or not. */
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
   * @param {{count: number, frame(n: number): Frame | null}} film
   * @returns {boolean} whether there was something
   */
  take(film) {
    const before = this.count;
    let more = false;
    this.count = film.count;
    this.#grow(film.count);
    for (let n = this.#whole; n < film.count; n += 1) {
      if (this.#taken[n] === 0) {
        const frame = film.frame(n);
        if (frame !== null) {
          this.#add(n, frame);
          more = true;
        }
      }
      if (n === this.#whole && this.#taken[n] === 1) {
        this.#whole += 1;
      }
    }
    return more || film.count !== before;
  }

  /**
   * The lines to draw. Rounds are put together where there are more than a chart can show: the
   * last score of each bundle, and the longest time, so that nothing late gets lost.
   *
   * @param {number} [points] at most
   * @returns {{rounds: number[], scores: (number | null)[][], times: (number | null)[][],
   *   late: boolean[][]}} all but the rounds by seat; times in ms, null: unknown or no answer
   */
  lines(points = POINTS) {
    const size = Math.max(1, Math.ceil(this.count / points));
    /** @type {number[]} */
    const rounds = [];
    for (let n = 0; n < this.count; n += size) {
      rounds.push(Math.min(n + size, this.count) - 1);
    }
    const seats = Array.from({ length: this.#seats }, (_, seat) => seat);
    /** @template T @param {(seat: number, from: number, to: number) => T} value */
    const bundles = (value) =>
      seats.map((seat) => rounds.map((last, at) => value(seat, at * size, last)));
    return {
      rounds,
      scores: bundles((seat, from, to) => {
        for (let n = to; n >= from; n -= 1) {
          if (!Number.isNaN(this.#scores[seat][n])) {
            return this.#scores[seat][n];
          }
        }
        return null;
      }),
      times: bundles((seat, from, to) => {
        let longest = -1;
        for (let n = from; n <= to; n += 1) {
          longest = this.#times[seat][n] > longest ? this.#times[seat][n] : longest;
        }
        return longest < 0 ? null : longest;
      }),
      late: bundles((seat, from, to) => this.#late[seat].subarray(from, to + 1).includes(1)),
    };
  }

  /** @param {number} n @param {Frame} frame */
  #add(n, frame) {
    this.#taken[n] = 1;
    const { play } = frame;
    for (let seat = 0; seat < this.#seats; seat += 1) {
      this.#scores[seat][n] = frame.scores[seat] ?? NaN;
      const late = play?.verdicts[seat] === "late";
      this.#late[seat][n] = late ? 1 : 0;
      const arrived = play?.times[seat]?.[2];
      if (arrived !== undefined) {
        this.#times[seat][n] = arrived / 1000;
      } else if (late && play !== undefined && play.limit > 0) {
        // There was no answer: it took at least the limit.
        this.#times[seat][n] = play.limit * 1000;
      }
    }
  }

  /** @param {number} count */
  #grow(count) {
    if (count <= this.#taken.length) {
      return;
    }
    const length = Math.max(count, 2 * this.#taken.length);
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
    this.#taken = bytes(this.#taken);
    this.#late = this.#late.map(bytes);
    this.#scores = this.#scores.map(numbers);
    this.#times = this.#times.map(numbers);
  }
}

/**
 * The two charts of a film.
 *
 * @param {Head} head
 * @param {(round: number) => void} seek a chart was clicked there
 * @returns {{scores: HTMLElement, times: HTMLElement, take(film: Film): void,
 *   mark(round: number): void, restyle(): void, close(): void}} `take`: the film has more; `mark`
 *   points out a round; `restyle`: the theme has changed
 */
export function plots(head, seek) {
  const series = new Series(head.players.length);
  const limit = head.clock === null || head.clock.turn === 0 ? null : 1000 * head.clock.turn;
  let logarithmic = true;
  const score = new Chart(head, "Score by round", seek, ({ scores }) => ({
    values: scores,
    late: [],
    dots: false,
    limit: null,
    logarithmic: false,
    written: (value) => value.toLocaleString("en"),
  }));
  const time = new Chart(head, "Answer time by round", seek, ({ times, late }) => ({
    values: times.map((line) => line.map((ms) => (ms === null ? null : Math.max(ms, SHORTEST)))),
    late,
    dots: true,
    limit,
    logarithmic,
    written: (ms) => (ms >= 1000 ? `${ms / 1000} s` : `${Number(ms.toPrecision(3))} ms`),
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
  const key = `${limit === null ? "" : `dashed: the limit, ${duration(limit)}; `}× late`;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer = undefined;
  let drawn = -Infinity;
  /** @param {Film} film */
  const draw = (film) => {
    timer = undefined;
    drawn = performance.now();
    if (series.take(film)) {
      const lines = series.lines();
      score.show(lines);
      time.show(lines);
    }
  };
  return {
    scores: score.element,
    times: el(
      "div",
      null,
      time.element,
      el("div", { class: "row" }, scale, el("span", { class: "muted" }, key)),
    ),
    take(film) {
      timer ??= setTimeout(() => draw(film), Math.max(0, drawn + PAUSE - performance.now()));
    },
    mark(round) {
      score.mark(round);
      time.mark(round);
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

/** @typedef {ReturnType<Series["lines"]>} Lines */

/**
 * What a chart shows of the lines.
 *
 * @typedef {object} Content
 * @property {(number | null)[][]} values by seat
 * @property {boolean[][]} late by seat: what gets a cross; empty: nothing
 * @property {boolean} dots whether each value stands for itself; else a line joins them
 * @property {number | null} limit of a line across the chart; null: none
 * @property {boolean} logarithmic
 * @property {(value: number) => string} written a value at the axis
 */

const LINE = { points: { show: false } };
const DOTS = { paths: () => null, points: { show: true, size: 4.5, width: 1.5 } };

/** One chart: a line or dots a seat in the seat's colour, its letter at the end. */
class Chart {
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
  #now = el("div", { class: "now" });
  #sized = new ResizeObserver(() => this.#fit());

  /**
   * @param {Head} head
   * @param {string} words what it shows
   * @param {(round: number) => void} seek
   * @param {(lines: Lines) => Content} contentOf
   */
  constructor(head, words, seek, contentOf) {
    this.#head = head;
    this.#seek = seek;
    this.#contentOf = contentOf;
    this.element = el("div", { class: "chart", role: "img", "aria-label": words });
    this.#sized.observe(this.element);
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

  /** @param {number} round is pointed out */
  mark(round) {
    this.#round = round;
    const left = this.#plot?.valToPos(round, "x") ?? NaN;
    this.#now.hidden = !Number.isFinite(left);
    if (!this.#now.hidden) {
      this.#now.style.transform = `translateX(${left}px)`;
    }
  }

  /** Draw it again, as colours or scales have changed. */
  restyle() {
    this.#plot?.destroy();
    this.#plot = null;
    if (this.#lines !== null) {
      this.show(this.#lines);
    }
  }

  /** Draw nothing any more. */
  close() {
    this.#sized.disconnect();
    this.#plot?.destroy();
    this.#plot = null;
  }

  #fit() {
    const width = Math.floor(this.element.clientWidth);
    if (width === 0 || this.#lines === null || this.#content === null) {
      // It is hidden at the moment, as in a tab, or has nothing to show yet.
      return;
    }
    if (this.#plot === null) {
      this.#plot = this.#make(this.#lines, this.#content, width);
    } else if (this.#plot.width !== width) {
      this.#plot.setSize({ width, height: HEIGHT });
    }
    this.mark(this.#round);
  }

  /** @param {Lines} lines @param {Content} content @param {number} width */
  #make(lines, content, width) {
    const style = getComputedStyle(this.element);
    const [text, line] = ["--muted", "--line"].map((name) => style.getPropertyValue(name));
    // Must be a whole number: uPlot scales the font by the digits before `px`.
    const letter = Math.round(0.8 * Number.parseFloat(style.fontSize));
    const font = `${letter}px ${style.fontFamily}`;
    const stroke = { stroke: line, width: 1 };
    const axis = { stroke: text, font, grid: stroke, ticks: stroke };
    /** @param {uPlot} _ @param {(number | null)[]} values */
    const written = (_, values) =>
      values.map((value) => (value === null ? "" : content.written(value)));
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
            range: (_, low, high) => rangeOf(content, low, high),
          },
        },
        axes: [
          {
            ...axis,
            size: 2.6 * letter,
            values: (_, rounds) => rounds.map((n) => (Number.isInteger(n) ? `${n}` : "")),
          },
          { ...axis, size: 5.6 * letter, values: written },
        ],
        series: [
          { label: "Round" },
          ...this.#head.players.map((_, seat) => ({
            label: seatLetter(seat),
            stroke: seatColour(seat, theme()).unit,
            width: 2.5,
            ...(content.dots ? DOTS : LINE),
            /** @param {uPlot} _ @param {number | null} value */
            value: (_, value) => (value === null ? "–" : content.written(value)),
          })),
        ],
        hooks: { draw: [(u) => this.#drawOver(u)] },
      },
      [lines.rounds, ...content.values],
      this.element,
    );
    plot.over.append(this.#now);
    plot.over.addEventListener("click", () => {
      const left = plot.cursor.left ?? -1;
      if (left >= 0) {
        this.#seek(Math.round(plot.posToVal(left, "x")));
      }
    });
    return plot;
  }

  /**
   * What uPlot doesn't draw: the limit, the seats' letters, what was late.
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
        // Letters of lines that end at the same point are put beside each other.
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
 * What the values' axis spans.
 *
 * @param {Content} content
 * @param {number | null} low of all values; null: there are none
 * @param {number | null} high
 * @returns {[number, number]}
 */
function rangeOf({ logarithmic, limit }, low, high) {
  const most = Math.max(high ?? 1, limit ?? 0, SHORTEST);
  if (logarithmic) {
    // A bit more than a limit that is a power of ten, or its line would be at the chart's edge.
    return [SHORTEST, 10 ** Math.ceil(Math.log10(1.2 * most))];
  }
  return [Math.min(0, low ?? 0), Math.max(1, 1.06 * most)];
}

/**
 * @param {ArrayLike<number | null | undefined>} values
 * @returns {number} the place of the last that is there; 0 if none is
 */
function lastOf(values) {
  let at = values.length - 1;
  while (at > 0 && (values[at] === null || values[at] === undefined)) {
    at -= 1;
  }
  return Math.max(0, at);
}

/**
 * @param {CanvasRenderingContext2D} pen
 * @param {number} x
 * @param {number} y
 * @param {number} size
 */
function cross(pen, x, y, size) {
  pen.moveTo(x - size, y - size);
  pen.lineTo(x + size, y + size);
  pen.moveTo(x - size, y + size);
  pen.lineTo(x + size, y - size);
}
