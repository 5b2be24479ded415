/**
 * The curve of a bot's rating over time, with the band of its intervals.
 *
 * @module
 */

import { el } from "./dom.js";
import { formatRating } from "./figures.js";

/** @typedef {import("./link.js").RatingPoint} RatingPoint */

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 600;
const HEIGHT = 160;

/**
 * Return the places of points in a picture, from 0 at the left and top to 1 at the right and bottom.
 * An interval without an end reaches to the edge.
 *
 * @param {readonly RatingPoint[]} points at least one, the oldest first
 * @returns {{low: number, high: number, places: {x: number, y: number, top: number,
 *   bottom: number}[]}} `low` and `high`: the ratings at the bottom and the top
 */
export function placesOf(points) {
  const times = points.map(([taken]) => Date.parse(taken));
  const known = points
    .flatMap(([, ...figures]) => figures)
    .filter((figure) => figure !== null);
  const low = Math.min(...known);
  const high = Math.max(...known);
  const first = times[0];
  const span = times[times.length - 1] - first;
  const height = (/** @type {number} */ elo) => (high - elo) / (high - low || 1);
  const places = points.map(([, rating, from, to], i) => ({
    x: span === 0 ? 1 : (times[i] - first) / span,
    y: height(rating),
    top: to === null ? 0 : height(to),
    bottom: from === null ? 1 : height(from),
  }));
  return { low, high, places };
}

/**
 * Make the picture of a rating over time.
 *
 * @param {readonly RatingPoint[]} points at least one, the oldest first
 * @returns {HTMLElement}
 */
export function ratingCurve(points) {
  const { low, high, places } = placesOf(points);
  const at = (/** @type {number} */ x, /** @type {number} */ y) =>
    `${(x * WIDTH).toFixed(1)},${(y * HEIGHT).toFixed(1)}`;
  const picture = drawn("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    preserveAspectRatio: "none",
    role: "img",
    "aria-label": describe(points),
  });
  const upper = places.map(({ x, top }) => at(x, top));
  const lower = places.map(({ x, bottom }) => at(x, bottom)).reverse();
  picture.append(
    drawn("polygon", { class: "band", points: [...upper, ...lower].join(" ") }),
    drawn("polyline", { class: "line", points: places.map(({ x, y }) => at(x, y)).join(" ") }),
  );
  const day = (/** @type {RatingPoint} */ [taken]) => new Date(taken).toLocaleDateString();
  return el(
    "figure",
    { class: "curve" },
    el("span", { class: "muted high" }, Math.round(high)),
    el("span", { class: "muted low" }, Math.round(low)),
    picture,
    el(
      "figcaption",
      { class: "row muted" },
      el("span", null, day(points[0])),
      el("span", { class: "spread" }),
      el("span", null, day(points[points.length - 1])),
    ),
  );
}

/**
 * Describe a curve for people who can't see it.
 *
 * @param {readonly RatingPoint[]} points
 * @returns {string}
 */
function describe(points) {
  const text = (/** @type {RatingPoint} */ [taken, value, low, high]) =>
    `${formatRating({ value, low, high })} on ${new Date(taken).toLocaleString()}`;
  const last = points[points.length - 1];
  return points.length === 1 ? text(last) : `from ${text(points[0])} to ${text(last)}`;
}

/**
 * Make an element of a drawing.
 *
 * @param {"svg" | "polygon" | "polyline"} tag
 * @param {Record<string, string>} attributes
 * @returns {SVGElement}
 */
export function drawn(tag, attributes) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    element.setAttribute(name, value);
  }
  return element;
}
