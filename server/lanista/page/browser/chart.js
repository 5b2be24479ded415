/**
 * The charts of all views: curves over rounds, blocks, matches or time, each with its name at its end.
 *
 * A chart is an SVG that CSS stretches, with texts around it, so it needs to know neither its size nor
 * its colours: those are CSS variables.
 *
 * @module
 */

import { el, fill } from "./dom.js";

/**
 * A curve of a chart.
 *
 * @typedef {object} Curve
 * @property {string} name what is written at its end
 * @property {string} colour a CSS colour
 * @property {string} [dash] lengths of its dashes and gaps in CSS px; absent: it has none
 * @property {readonly (number | null)[]} values by point; null: none is known
 * @property {readonly (number | null)[]} [low] by point: the lower end of its band; null: the edge
 * @property {readonly (number | null)[]} [high]
 * @property {readonly boolean[]} [marked] by point: whether it gets a red ring
 */
/**
 * What a chart shows.
 *
 * @typedef {object} Content
 * @property {readonly number[]} at where each point is, ascending: its round, block or time
 * @property {readonly Curve[]} curves
 * @property {[low: number, high: number]} range of the values
 * @property {boolean} [dots] whether points are dots; otherwise a line joins them
 * @property {boolean} [spans] whether a line also joins points between which there are others
 *   without a value
 * @property {boolean} [logarithmic] whether the axis of the values is
 * @property {number | null} [limit] value of a line across the chart; null: there is none
 * @property {(value: number) => string} format
 * @property {readonly number[]} [ticks] where the lower axis is labelled; absent: at round
 *   numbers, with these alone
 * @property {(at: number) => string} formatAt formats a place of `ticks`, and of a tip
 */

const SVG = "http://www.w3.org/2000/svg";
/** Width and height of the drawing in its own units. */
const SIZE = 1000;
/** Number of intervals into which round numbers divide an axis, about. */
const INTERVALS = { values: 4, at: 6 };
/** Minimum distance of two names, as a share of the height. */
const NAME_GAP = 0.085;

/** A chart. */
export class Chart {
  #seek;
  #picture = drawn("svg", {
    viewBox: `0 0 ${SIZE} ${SIZE}`,
    preserveAspectRatio: "none",
    "aria-hidden": "true",
  });
  #now = el("div", { class: "now", hidden: true });
  #plot = el("div", { class: "plot" });
  #legend = el("p", { class: "values-here" });
  #names = el("ol", { class: "names" });
  #values = el("div", { class: "axis of-values" });
  #places = el("div", { class: "axis of-places" });
  /** @type {Content | null} */
  #content = null;
  /** The place that is pointed out; NaN: none. */
  #marked = NaN;
  /** The place under the pointer; NaN: none. */
  #pointed = NaN;

  /**
   * @param {string} label what it shows
   * @param {((at: number) => void) | null} [seek] is called with the place at which it was clicked
   */
  constructor(label, seek = null) {
    this.#seek = seek;
    this.element = el("div", { class: "chart", role: "img", "aria-label": label });
    // A plain append: the drawing isn't one of HTML's elements.
    this.#plot.append(this.#picture, this.#now);
    fill(this.element, this.#legend, this.#values, this.#plot, this.#names, this.#places);
    this.#plot.classList.toggle("leads", seek !== null);
    this.#plot.addEventListener("pointermove", (event) => this.#point(this.#placeOf(event)));
    this.#plot.addEventListener("pointerleave", () => this.#point(NaN));
    this.#plot.addEventListener("click", (event) => seek?.(Math.round(this.#placeOf(event))));
  }

  /** @param {Content} content with at least one point; curves without a value are left out */
  show(content) {
    const curves = content.curves.filter(({ values }) => values.some((value) => value !== null));
    this.#content = { ...content, curves };
    const { at, range, logarithmic = false, limit = null, format, formatAt } = content;
    const heightOf = heightIn(range, logarithmic);
    const along = (/** @type {number} */ place) => this.#share(place);
    const levels = logarithmic ? powersOf(range) : ticksOf(...range, INTERVALS.values);
    const places =
      content.ticks ?? ticksOf(at[0], at[at.length - 1], INTERVALS.at).filter(Number.isInteger);
    const shapes = curves.flatMap((curve) => shapesOf(content, curve, along, heightOf));
    this.#picture.replaceChildren(
      path("grid", [
        ...levels.map((value) => `M0 ${inside(heightOf(value))}H${SIZE}`),
        ...places.map((place) => `M${inside(along(place))} 0V${SIZE}`),
      ]),
      ...shapes,
      ...(limit === null ? [] : [path("limit", [`M0 ${inside(heightOf(limit))}H${SIZE}`])]),
    );
    fill(this.#values, levels.map((value) => labelAt(heightOf(value), format(value))));
    const labelOf = content.ticks === undefined ? String : formatAt;
    fill(this.#places, places.map((place) => labelAt(along(place), labelOf(place))));
    const ends = curves.map(({ values }) => values.findLast((value) => value !== null) ?? 0);
    const spread = spreadOut(ends.map(heightOf), NAME_GAP);
    fill(
      this.#names,
      curves.map(({ name, colour }, i) =>
        el("li", { style: { "--at": shareText(spread[i]), "--curve": colour }, title: name }, name),
      ),
    );
    this.mark(this.#marked);
  }

  /** Point out a place. @param {number} at NaN: none */
  mark(at) {
    this.#marked = at;
    this.#now.hidden = this.#content === null || Number.isNaN(at);
    if (!this.#now.hidden) {
      this.#now.style.setProperty("--at", shareText(this.#share(at)));
    }
    this.#showValues();
  }

  /** @param {number} at */
  #point(at) {
    this.#pointed = at;
    this.#showValues();
  }

  /** Tell the values at the place under the pointer, otherwise at the one that is pointed out. */
  #showValues() {
    const place = Number.isNaN(this.#pointed) ? this.#marked : this.#pointed;
    if (this.#content === null || this.#seek === null || Number.isNaN(place)) {
      return;
    }
    const { at, curves, format, formatAt } = this.#content;
    const found = at.findIndex((one) => one >= place);
    const point = found < 0 ? at.length - 1 : found;
    fill(
      this.#legend,
      el("span", { class: "muted" }, formatAt(at[point])),
      curves.map(({ name, colour, values }) => {
        const value = values[point] ?? null;
        const text = `${name} ${value === null ? "–" : format(value)}`;
        return el("b", { style: { "--curve": colour } }, text);
      }),
    );
  }

  /** Return where a place is, as a share of the width. @param {number} place */
  #share(place) {
    const { at } = /** @type {Content} */ (this.#content);
    const [first, last] = [at[0], at[at.length - 1]];
    return last === first ? 1 : Math.min(1, Math.max(0, (place - first) / (last - first)));
  }

  /** @param {MouseEvent} event */
  #placeOf({ clientX }) {
    if (this.#content === null) {
      return NaN;
    }
    const { left, width } = this.#plot.getBoundingClientRect();
    const { at } = this.#content;
    const share = Math.min(1, Math.max(0, (clientX - left) / width));
    return at[0] + share * (at[at.length - 1] - at[0]);
  }
}

/**
 * Return the smallest and the largest of the values of curves, with their bands.
 *
 * @param {readonly Pick<Curve, "values" | "low" | "high">[]} curves
 * @returns {[number, number] | null} null: there is none
 */
export function extentOf(curves) {
  let [least, most] = [Infinity, -Infinity];
  for (const { values, low = [], high = [] } of curves) {
    for (const value of [...values, ...low, ...high]) {
      if (value !== null) {
        least = Math.min(least, value);
        most = Math.max(most, value);
      }
    }
  }
  return least > most ? null : [least, most];
}

/**
 * Return round numbers that divide an axis.
 *
 * @param {number} low
 * @param {number} high
 * @param {number} intervals their number, about
 * @returns {number[]}
 */
export function ticksOf(low, high, intervals) {
  if (high <= low) {
    return [low];
  }
  const rough = (high - low) / intervals;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * (rough > 5 * power ? 10 : rough > 2 * power ? 5 : rough > power ? 2 : 1);
  const first = Math.ceil(low / step);
  const count = Math.floor(high / step) - first + 1;
  return Array.from({ length: count }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/** Return the powers of ten in a range. @param {[low: number, high: number]} range */
function powersOf([low, high]) {
  const [first, last] = [Math.ceil(Math.log10(low)), Math.floor(Math.log10(high))];
  return Array.from({ length: last - first + 1 }, (_, i) => 10 ** (first + i));
}

/**
 * Move places on a line apart, so that each two of them are a gap away from each other, and none
 * leaves the line if there is room for all.
 *
 * @param {readonly number[]} places from 0 to 1
 * @param {number} gap
 * @returns {number[]} in the same order
 */
export function spreadOut(places, gap) {
  const order = places.map((_, i) => i).sort((a, b) => places[a] - places[b] || a - b);
  const room = Math.min(gap, 1 / Math.max(1, places.length - 1));
  const moved = [...places];
  order.forEach((place, i) => {
    if (i > 0) {
      moved[place] = Math.max(moved[place], moved[order[i - 1]] + room);
    }
  });
  let limit = 1;
  for (const place of order.toReversed()) {
    moved[place] = Math.min(moved[place], limit);
    limit = moved[place] - room;
  }
  return moved;
}

/**
 * Return a function that gives the place of a value, from 0 at the top to 1 at the bottom.
 *
 * @param {[low: number, high: number]} range
 * @param {boolean} logarithmic
 * @returns {(value: number) => number}
 */
function heightIn([low, high], logarithmic) {
  const scale = logarithmic ? Math.log10 : Number;
  return (value) => (scale(high) - scale(value)) / (scale(high) - scale(low) || 1);
}

/**
 * Return the band of a curve, its line or dots, and its rings.
 *
 * @param {Content} content
 * @param {Curve} curve
 * @param {(at: number) => number} along
 * @param {(value: number) => number} heightOf
 */
function shapesOf({ at, dots, spans }, { values, low, high, marked, colour, dash }, along, heightOf) {
  /** @param {number} point @param {number} height */
  const place = (point, height) => `${inside(along(at[point]))} ${inside(height)}`;
  const known = values.flatMap((value, point) => (value === null ? [] : [{ value, point }]));
  const parts = known.map(({ value, point }, i) => {
    const isJoined = !dots && i > 0 && (spans || known[i - 1].point === point - 1);
    // Of no length, but with round ends: a dot.
    return isJoined ? `L${place(point, heightOf(value))}` : `M${place(point, heightOf(value))}h0`;
  });
  const shapes = [];
  if (low !== undefined && high !== undefined) {
    const upper = known.map(({ point }) => place(point, endOf(high[point], heightOf, 0)));
    const lower = known.map(({ point }) => place(point, endOf(low[point], heightOf, 1)));
    shapes.push(path("band", [`M${[...upper, ...lower.reverse()].join("L")}Z`]));
  }
  const rings = known.filter(({ point }) => marked?.[point] === true);
  if (rings.length > 0) {
    shapes.push(path("rings", rings.map(({ value, point }) => `M${place(point, heightOf(value))}h0`)));
  }
  const line = path(dots ? "dots" : "line", parts);
  line.style.setProperty("--curve", colour);
  line.style.setProperty("stroke-dasharray", dash ?? "none");
  return [...shapes, line];
}

/** @param {number | null} value @param {(value: number) => number} heightOf @param {number} edge */
function endOf(value, heightOf, edge) {
  return value === null ? edge : heightOf(value);
}

/** Return a share in the drawing's units. @param {number} share */
function inside(share) {
  return Number((share * SIZE).toFixed(1));
}

/** Return a share as CSS takes it. @param {number} share */
function shareText(share) {
  return `${(100 * share).toFixed(2)}%`;
}

/** Make a label of an axis. @param {number} share @param {string} text */
function labelAt(share, text) {
  return el("span", { style: { "--at": shareText(share) } }, text);
}

/** @param {string} kind @param {readonly string[]} parts */
function path(kind, parts) {
  return drawn("path", { class: kind, d: parts.join("") });
}

/**
 * Make an element of a drawing.
 *
 * @param {"svg" | "path"} tag
 * @param {Record<string, string>} attributes
 * @returns {SVGElement}
 */
function drawn(tag, attributes) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    element.setAttribute(name, value);
  }
  return element;
}
