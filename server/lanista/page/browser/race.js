/**
 * The race of a tournament's leaders: their ratings by the number of blocks that were played.
 *
 * @module
 */

import { drawn } from "./curve.js";
import { el, fill } from "./dom.js";
import { formatChange } from "./figures.js";
import { printable } from "./text.js";

/** @typedef {import("./link.js").Race} Race */
/** @typedef {import("./link.js").Table} Table */
/** @typedef {{x: number, y: number}} Point */

const WIDTH = 800;
const HEIGHT = 320;
/** Minimum distance of two names beside the curves, as a share of the height. */
const NAME_GAP = 0.085;

/**
 * Return the places of the curves' points, from 0 at the left and top to 1 at the right and bottom.
 *
 * @param {Race} race with at least one point
 * @returns {{low: number, high: number, lines: {bot: string, last: number, points: Point[]}[]}}
 *   `low` and `high`: the ratings at the bottom and the top; bots without a rating are left out
 */
export function linesOf({ blocks, curves }) {
  const known = curves.flatMap(({ ratings }) => ratings).filter((rating) => rating !== null);
  const low = Math.min(...known);
  const high = Math.max(...known);
  const first = blocks[0];
  const span = blocks[blocks.length - 1] - first;
  const lines = curves.flatMap(({ bot, ratings }) => {
    const points = ratings.flatMap((rating, i) =>
      rating === null
        ? []
        : [
            {
              x: span === 0 ? 1 : (blocks[i] - first) / span,
              y: (high - rating) / (high - low || 1),
            },
          ],
    );
    const last = ratings.findLast((rating) => rating !== null) ?? null;
    return last === null ? [] : [{ bot, last, points }];
  });
  return { low, high, lines };
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
 * Make the picture of a race.
 *
 * @param {Race} race with at least one point
 * @returns {HTMLElement}
 */
export function raceElement(race) {
  const { low, high, lines } = linesOf(race);
  const picture = drawn("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    preserveAspectRatio: "none",
    role: "img",
    "aria-label": describe(race, lines),
  });
  lines.forEach(({ points }, i) => {
    const at = points.map(({ x, y }) => `${(x * WIDTH).toFixed(1)},${(y * HEIGHT).toFixed(1)}`);
    picture.append(drawn("polyline", { class: `line racer-${i}`, points: at.join(" ") }));
  });
  const ends = lines.map(({ points }) => points[points.length - 1].y);
  const places = spreadOut(ends, NAME_GAP);
  const count = race.blocks[race.blocks.length - 1];
  return el(
    "figure",
    { class: "race" },
    el("span", { class: "muted high" }, Math.round(high)),
    el("span", { class: "muted low" }, Math.round(low)),
    picture,
    el(
      "ol",
      { class: "racers" },
      lines.map(({ bot, last }, i) =>
        el(
          "li",
          { class: `racer-${i}`, style: { "--at": `${(100 * places[i]).toFixed(2)}%` } },
          el("span", { class: "name" }, printable(bot)),
          " ",
          formatChange(last),
        ),
      ),
    ),
    el(
      "figcaption",
      { class: "row muted" },
      el("span", null, race.blocks[0] === 1 ? "1 block" : `${race.blocks[0]} blocks`),
      el("span", { class: "spread" }),
      el("span", null, count === 1 ? "1 block" : `${count.toLocaleString("en")} blocks`),
    ),
  );
}

/**
 * Describe a race for people who can't see it.
 *
 * @param {Race} race
 * @param {{bot: string, last: number}[]} lines
 * @returns {string}
 */
function describe(race, lines) {
  const leaders = [...lines].sort((a, b) => b.last - a.last);
  const texts = leaders.map(({ bot, last }) => `${printable(bot)} ${formatChange(last)}`);
  return `Ratings after ${race.blocks[race.blocks.length - 1]} blocks: ${texts.join(", ")}`;
}

/** Make the section of the race. @returns {import("./tables.js").Section} */
export function raceSection() {
  const box = el("div", null);
  return {
    element: el(
      "section",
      { class: "stack", "aria-label": "Race" },
      el("h2", null, "Race"),
      box,
      el(
        "p",
        { class: "muted" },
        "The ratings of the leaders, in Elo, from the blocks that were played until then.",
      ),
    ),
    update({ race }) {
      const isShown = race.blocks.length > 1 && race.curves.length > 0;
      if (isShown) {
        fill(box, raceElement(race));
      }
      return isShown;
    },
  };
}
