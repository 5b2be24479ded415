/**
 * The table of a game's standings, as computed by the arena.
 *
 * @module
 */

import { el, list } from "./dom.js";
import { counted } from "./figures.js";
import { matchesAddress } from "./matches.js";

/** @template T @typedef {import("./dom.js").Part<T>} Part */
/** @typedef {import("./link.js").Standing} Standing */
/** @typedef {import("./link.js").StandingRow} StandingRow */

/**
 * The columns after rank and bot: title, meaning, and what a row has there.
 *
 * @type {[string, string, (row: StandingRow) => string][]}
 */
const COLUMNS = [
  ["Played", "matches that count", ({ matches }) => matches.toLocaleString("en")],
  [
    "Points",
    "for every opponent that was beaten 1, for every draw with one ½",
    ({ points }) => halves(points),
  ],
  ["W", "won", ({ wins }) => wins.toLocaleString("en")],
  ["D", "drawn", ({ draws }) => draws.toLocaleString("en")],
  ["L", "lost", ({ losses }) => losses.toLocaleString("en")],
];
/** Number of rows that are shown before a click on "Show all". */
const SHOWN_ROWS = 10;

/**
 * The card of a game's standings.
 *
 * @implements {Part<Standing>}
 */
export class StandingPart {
  #standing;
  #all = false;
  #count = el("span", { class: "muted" });
  #rows = el("tbody", null);
  #more = el("button", { class: "button small", type: "button", hidden: true });

  /** @param {Standing} standing */
  constructor(standing) {
    this.#standing = standing;
    this.#more.addEventListener("click", () => {
      this.#all = !this.#all;
      this.#show();
    });
    this.element = el(
      "article",
      { class: "card" },
      el(
        "div",
        { class: "row" },
        el("h3", null, standing.title),
        el("span", { class: "spread" }),
        this.#count,
      ),
      el(
        "div",
        { class: "scroll", tabindex: "0" },
        el(
          "table",
          { class: "standings" },
          el(
            "thead",
            null,
            el(
              "tr",
              null,
              el("th", { scope: "col", class: "number", title: "rank" }, "#"),
              el("th", { scope: "col" }, "Bot"),
              COLUMNS.map(([label, title]) =>
                el("th", { scope: "col", class: "number", title }, label),
              ),
            ),
          ),
          this.#rows,
        ),
      ),
      el("div", null, this.#more),
    );
  }

  /** @param {Standing} standing */
  update(standing) {
    this.#standing = standing;
    this.#show();
  }

  close() {
    this.element.remove();
  }

  #show() {
    const { rows, matches } = this.#standing;
    this.#count.textContent = counted(matches, "match", "matches");
    this.#more.hidden = rows.length <= SHOWN_ROWS;
    this.#more.textContent = this.#all ? "Show fewer" : `Show all ${rows.length}`;
    this.#more.setAttribute("aria-expanded", String(this.#all));
    list(this.#rows, this.#all ? rows : rows.slice(0, SHOWN_ROWS), ({ name }) => name, standingRow);
  }
}

/**
 * Make a row of the standings.
 *
 * @param {StandingRow} row
 * @returns {HTMLElement}
 */
function standingRow(row) {
  const { rank, name } = row;
  return el(
    "tr",
    { class: rank === 1 ? "winner" : null },
    el("td", { class: "number" }, rank),
    el("th", { scope: "row" }, el("a", { class: "name", href: matchesAddress({ player: name }) }, name)),
    COLUMNS.map(([, , valueOf]) => el("td", { class: "number" }, valueOf(row))),
  );
}

/**
 * Format points, with a half as ½.
 *
 * @param {number} points
 * @returns {string}
 */
export function halves(points) {
  const whole = Math.floor(points);
  if (points - whole !== 0.5) {
    return points.toLocaleString("en");
  }
  return whole === 0 ? "½" : `${whole.toLocaleString("en")}½`;
}
