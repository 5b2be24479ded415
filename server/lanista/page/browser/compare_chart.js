/**
 * The curve of how far apart the scores of two matches are.
 *
 * @module
 */

import { Chart, extentOf } from "./chart.js";
import { el } from "./dom.js";
import { MAX_POINTS, seatCurves } from "./plots.js";
import { turnWord } from "./text.js";

/** @typedef {(n: number) => (readonly number[] | null)[]} Scores of both matches; null: not loaded */

/**
 * Return by how much each seat's score is larger in the second match than in the first.
 *
 * @param {Scores} scores
 * @param {number} last the last round
 * @param {number} upTo the last round of which anything is told
 * @param {number} seats
 * @param {number} [points] at most so many rounds are told of
 * @returns {{rounds: number[], values: (number | null)[][]}} `values` by seat; null: not known
 */
export function scoresApart(scores, last, upTo, seats, points = MAX_POINTS) {
  const size = Math.max(1, Math.ceil((last + 1) / points));
  const rounds = [];
  for (let n = 0; n <= last; n += size) {
    rounds.push(Math.min(n + size - 1, last));
  }
  const pairs = rounds.map((n) => (n <= upTo ? scores(n) : [null, null]));
  const values = Array.from({ length: seats }, (_, seat) =>
    pairs.map(([one, other]) =>
      one === null || other === null ? null : (other[seat] ?? 0) - (one[seat] ?? 0),
    ),
  );
  return { rounds, values };
}

/**
 * Make the chart.
 *
 * @param {import("./decode.js").Head} head of one of the matches
 * @param {(round: number) => void} seek is called with the round at which it was clicked
 * @returns {{element: HTMLElement, show(scores: Scores, options: {last: number, round: number,
 *   upTo: number}): void}} `last`: the last round; `round`: the one that is shown; `upTo`: the last
 *   one of which anything is told
 */
export function differenceChart(head, seek) {
  const title = "Score: match 2 minus match 1";
  const chart = new Chart(title, seek);
  return {
    element: el("div", { class: "kind of-scores" }, el("h2", null, title), chart.element),
    show(scores, { last, round, upTo }) {
      const { rounds, values } = scoresApart(scores, last, upTo, head.players.length);
      const curves = seatCurves(values);
      const [low, high] = extentOf(curves) ?? [0, 0];
      chart.show({
        at: rounds,
        curves,
        range: [Math.min(low, -1), Math.max(high, 1)],
        format: (value) => (value > 0 ? "+" : value < 0 ? "−" : "") + Math.abs(value).toLocaleString("en"),
        formatAt: (n) => `${turnWord(head)} ${n}`,
      });
      chart.mark(round);
    },
  };
}
