/**
 * The race of a tournament's leaders: their ratings by the number of blocks that were played.
 *
 * @module
 */

import { Chart, extentOf } from "./chart.js";
import { el, fill } from "./dom.js";
import { counted } from "./figures.js";
import { printable } from "./text.js";

/** @typedef {import("./link.js").Race} Race */
/** @typedef {import("./link.js").Table} Table */

/** Lengths of the dashes and gaps of curves, so that they differ by more than their colours. */
const DASHES = ["none", "9 3", "3 3", "12 3 3 3"];
/** Number of colours: the CSS variables `--racer-0` and so on. */
const COLOURS = 8;

/**
 * Return the curves of a race with their last ratings; bots without a rating are left out.
 *
 * @param {Race} race
 * @returns {(import("./chart.js").Curve & {bot: string, last: number})[]}
 */
export function curvesOf({ curves }) {
  return curves.flatMap(({ bot, ratings }, i) => {
    const last = ratings.findLast((rating) => rating !== null) ?? null;
    return last === null
      ? []
      : [
          {
            bot,
            last,
            name: `${Math.round(last)} ${printable(bot)}`, // a name that is too long is cut off
            colour: `var(--racer-${i % COLOURS})`,
            dash: DASHES[i % DASHES.length],
            values: ratings,
          },
        ];
  });
}

/**
 * Make the picture of a race.
 *
 * @param {Race} race with at least one point
 * @returns {HTMLElement}
 */
export function raceElement(race) {
  const curves = curvesOf(race);
  const chart = new Chart(describe(race, curves));
  chart.show({
    at: race.blocks,
    curves,
    range: extentOf(curves) ?? [0, 1],
    spans: true,
    format: (rating) => String(Math.round(rating)),
    ticks: [race.blocks[0], race.blocks[race.blocks.length - 1]],
    formatAt: (count) => counted(count, "block"),
  });
  return el("figure", { class: "race" }, chart.element);
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
  const texts = leaders.map(({ bot, last }) => `${printable(bot)} ${Math.round(last)}`);
  const blocks = counted(race.blocks[race.blocks.length - 1], "block");
  return `Ratings after ${blocks}: ${texts.join(", ")}`;
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
