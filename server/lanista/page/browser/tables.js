/**
 * The tables of a tournament's view: standings, seat advantage, results by opponent, endings.
 *
 * Each is a section that is made once and then updated. docs/statistics.md explains the figures,
 * which come from the arena.
 *
 * @module
 */

import { seatLetter } from "./colours.js";
import { el, fill, list } from "./dom.js";
import {
  axisOf,
  CENTRE,
  FAILURES,
  formatAdvantage,
  formatFailures,
  formatHalf,
  formatInterval,
  formatPercent,
  formatPlaces,
  formatRanks,
  formatRating,
  LIKELY,
  meetingsOf,
} from "./figures.js";
import { isolated } from "./matches.js";
import { halves } from "./standings.js";
import { printable } from "./text.js";

/** @typedef {import("./figures.js").Places} Places */
/** @typedef {import("./link.js").Estimate} Estimate */
/** @typedef {import("./link.js").Meeting} Meeting */
/** @typedef {import("./link.js").Table} Table */
/** @typedef {import("./link.js").TournamentRow} TournamentRow */
/** @typedef {{title: string, meaning?: string, isText?: boolean}} Column */
/**
 * A column with the function that makes its cell in a row.
 *
 * @template Item
 * @typedef {Column & {cell: (item: Item) => HTMLElement}} FilledColumn
 */
/** @typedef {{row: TournamentRow, seats: number, places: Places | null}} Item */
/**
 * A section of the view; `update` shows figures, and returns whether there are any.
 *
 * @typedef {{element: HTMLElement, update: (table: Table) => boolean}} Section
 */

/** Maximum number of bots in the table of results by opponent, whose size is their square. */
const MAX_BOTS = 40;

/**
 * The column of the bars of ratings.
 *
 * @type {FilledColumn<{row: {rating: Estimate | null}, places: Places | null}>}
 */
export const INTERVAL_COLUMN = {
  title: "±",
  isText: true,
  meaning: `The 95 % interval of the rating; the line is at ${CENTRE}`,
  cell: ({ row, places }) =>
    el("td", null, places !== null && intervalBar(places, formatInterval(row.rating))),
};

/** Make the section of the standings. @returns {Section} */
export function standingsSection() {
  const head = el("tr", null);
  const rows = el("tbody", null);
  const benched = el("p", null);
  const table = el("table", null, el("thead", null, head), rows);
  return {
    element: section(
      "Standings",
      el("div", { class: "scroll", tabindex: "0" }, table),
      intervalSwitch(table),
      benched,
      el(
        "p",
        { class: "muted" },
        "Two bots whose intervals of ranks don't overlap can be told apart. ",
        "Four times as many blocks halve an interval.",
      ),
    ),
    update({ seats, standings }) {
      const axis = axisOf(standings.flatMap(({ rating }) => rating ?? []), CENTRE);
      fill(head, columnsOf(seats).map(headCell));
      list(
        rows,
        standings.map((row) => ({
          row,
          seats,
          places: row.rating === null ? null : axis(row.rating),
        })),
        ({ row }) => row.bot,
        rowOf,
      );
      const names = standings.filter((row) => row.benched).map(({ bot }) => isolated(printable(bot)));
      benched.textContent =
        `Benched for failing repeatedly: ${names.join(", ")}. What others won before ` +
        "against a benched bot counts, so bots that never met one may have fewer points a match.";
      benched.hidden = names.length === 0;
      return standings.length > 0;
    },
  };
}

/**
 * Return the columns of the standings.
 *
 * @param {number} seats
 * @returns {FilledColumn<Item>[]}
 */
function columnsOf(seats) {
  const two = seats === 2;
  return [
    {
      title: "#",
      meaning: "Rank; ties share the best one",
      cell: ({ row }) => numberCell(row.rank),
    },
    { title: "Bot", isText: true, cell: ({ row }) => botCell(row) },
    {
      title: "Points",
      meaning: two
        ? "A win gives 1, a draw ½"
        : "Every opponent that is placed below gives 1, a tied one ½",
      cell: ({ row }) => numberCell(halves(row.points)),
    },
    {
      title: "Rating",
      meaning:
        `Elo. The mean of all bots is ${CENTRE}; where intervals are open at one end, that of the ` +
        "bots whose intervals have both",
      cell: ({ row }) => ratingCell(row.rating),
    },
    INTERVAL_COLUMN,
    {
      title: "Matches",
      meaning: "Those that count",
      cell: ({ row }) => numberCell(row.matches.toLocaleString("en")),
    },
    {
      title: "Ranks",
      meaning: "The 95 % interval of the rank by rating",
      cell: ({ row }) => numberCell(formatRanks(row)),
    },
    {
      title: "Superior",
      meaning: "The likelihood that it is stronger than the bot below",
      cell: ({ row }) => numberCell(formatPercent(row.superior)),
    },
    {
      title: two ? "W–D–L" : `Places 1–${seats}`,
      meaning: two ? "Won, drawn, lost" : "How often; a tie counts for its best place",
      cell: ({ row }) => numberCell(formatPlaces(row, seats)),
    },
    {
      title: "Failures",
      isText: true,
      meaning: "Endings that were its own fault",
      cell: ({ row }) => el("td", { class: "failures" }, formatFailures(row.endings)),
    },
  ];
}

/**
 * Make a row of the standings.
 *
 * @param {Item} item
 * @returns {HTMLElement}
 */
function rowOf(item) {
  const { row, seats } = item;
  return el(
    "tr",
    { class: row.rank === 1 && row.matches > 0 ? "winner" : null },
    columnsOf(seats).map(({ cell }) => cell(item)),
  );
}

/**
 * Make the section of the seats' advantages.
 *
 * @returns {{element: HTMLElement, update: (table: Pick<Table, "seat_advantage">) => boolean}}
 */
export function seatsSection() {
  const rows = el("tbody", null);
  const columns = [
    { title: "Seat", isText: true },
    { title: "Elo" },
    { title: "95 % interval", isText: true },
  ];
  return {
    element: section(
      "Seat advantage",
      tableOf(columns, rows),
      el(
        "p",
        { class: "muted" },
        "What a seat is worth by itself. The ratings allow for it already.",
      ),
    ),
    update({ seat_advantage: estimates }) {
      const axis = axisOf(estimates, 0);
      list(
        rows,
        estimates.map((estimate, seat) => ({ estimate, seat, places: axis(estimate) })),
        ({ seat }) => seat,
        ({ estimate, seat, places }) =>
          el(
            "tr",
            null,
            el("th", { scope: "row" }, seatLetter(seat)),
            numberCell(formatAdvantage(estimate)),
            el("td", null, intervalBar(places, formatAdvantage(estimate))),
          ),
      );
      return estimates.length > 0;
    },
  };
}

/**
 * Make the section of the results by opponent.
 *
 * @param {(filters: Record<string, string>) => string} linkOf returns where matches are listed
 * @returns {Section}
 */
export function meetingsSection(linkOf) {
  const head = el("tr", null);
  const rows = el("tbody", null);
  const cut = el("p", { class: "muted" });
  return {
    element: section(
      "Head-to-head",
      el(
        "div",
        { class: "scroll", tabindex: "0" },
        el("table", { class: "met" }, el("thead", null, head), rows),
      ),
      cut,
      el(
        "p",
        { class: "muted" },
        "Points of the bot on the left against the one whose number stands above, out of the ",
        "matches in which both played. Bold on green, or on red: it is the stronger one, or the ",
        "weaker one, with a likelihood of at least 97.5 %.",
      ),
    ),
    update({ standings, head_to_head: meetings }) {
      const bots = standings.slice(0, MAX_BOTS).map(({ bot }) => bot);
      fill(
        head,
        headCell({ title: "No." }),
        headCell({ title: "Bot", isText: true }),
        bots.map((bot, i) => headCell({ title: String(i + 1), meaning: printable(bot) })),
      );
      list(
        rows,
        meetingsOf(bots, meetings).map((row, at) => ({ ...row, at })),
        ({ bot }) => bot,
        ({ bot, met, at }) =>
          el(
            "tr",
            null,
            numberCell(at + 1),
            el("th", { scope: "row" }, el("span", { class: "name" }, printable(bot))),
            met.map((meeting, i) =>
              i === at ? el("td", { class: "self" }) : meetingCell(meeting, linkOf),
            ),
          ),
      );
      cut.textContent = `The first ${MAX_BOTS} of ${standings.length} bots.`;
      cut.hidden = standings.length <= MAX_BOTS;
      return meetings.length > 0;
    },
  };
}

/**
 * Make the cell of the results between two bots.
 *
 * @param {Meeting | null} meeting
 * @param {(filters: Record<string, string>) => string} linkOf
 * @returns {HTMLElement}
 */
function meetingCell(meeting, linkOf) {
  if (meeting === null) {
    return numberCell("");
  }
  const { bot, opponent, points, matches, superior } = meeting;
  const text = `${halves(points)}/${matches.toLocaleString("en")}`;
  const href = linkOf({ player: bot, against: opponent });
  const label = `${text}: the matches of ${printable(bot)} and ${printable(opponent)}`;
  const cell = numberCell(el("a", { href, "aria-label": label }, text));
  if (superior !== null) {
    cell.title = `stronger with a likelihood of ${formatPercent(superior)}`;
    cell.classList.toggle("better", superior >= LIKELY);
    cell.classList.toggle("worse", superior <= 1 - LIKELY);
  }
  return cell;
}

/**
 * Make the section of abnormal endings and other faults.
 *
 * @param {(filters: Record<string, string>) => string} linkOf returns where matches are listed
 * @returns {Section}
 */
export function endingsSection(linkOf) {
  const head = el("tr", null);
  const rows = el("tbody", null);
  const table = el(
    "div",
    { class: "scroll", tabindex: "0" },
    el("table", null, el("thead", null, head), rows),
  );
  const none = el(
    "p",
    { class: "muted" },
    "Every match ended normally, and no answer was at fault.",
  );
  /** @type {[Column, (row: TournamentRow) => number, Record<string, string>][]} */
  const all = [
    ...FAILURES.map(
      ([ending, meaning]) =>
        /** @type {[Column, (row: TournamentRow) => number, Record<string, string>]} */ ([
          { title: ending, meaning },
          ({ endings }) => endings[ending] ?? 0,
          { ending },
        ]),
    ),
    [
      { title: "void", meaning: "The host stalled: the match doesn't count" },
      ({ endings }) => endings.void ?? 0,
      { ending: "void" },
    ],
    [{ title: "late turns" }, (row) => row.late_turns, { fault: "late" }],
    [{ title: "malformed turns" }, (row) => row.malformed_turns, { fault: "malformed" }],
    [{ title: "illegal moves" }, (row) => row.illegal_moves, { fault: "illegal" }],
  ];
  return {
    element: section(
      "Endings",
      table,
      none,
      el(
        "p",
        { class: "muted" },
        "Matches by what ended them, where that wasn't normal; then faults, even those that cost ",
        "nothing but the turn.",
      ),
    ),
    update({ standings }) {
      // Most bots fail in few ways, if any, so only endings that occurred are shown.
      const occurred = all.filter(([, count]) => standings.some((row) => count(row) > 0));
      const failed = standings.filter((row) => occurred.some(([, count]) => count(row) > 0));
      fill(
        head,
        headCell({ title: "Bot", isText: true }),
        occurred.map(([column]) => headCell(column)),
      );
      list(
        rows,
        failed.map((row) => ({
          row,
          counts: occurred.map(([{ title }, count, filter]) => ({
            count: count(row),
            href: linkOf({ player: row.bot, ...filter }),
            label: `${count(row)} ${title}: the matches of ${printable(row.bot)}`,
          })),
        })),
        ({ row }) => row.bot,
        ({ row, counts }) =>
          el(
            "tr",
            null,
            botCell(row),
            counts.map(({ count, href, label }) =>
              numberCell(
                count === 0
                  ? 0
                  : el("a", { href, "aria-label": label }, count.toLocaleString("en")),
              ),
            ),
          ),
      );
      table.hidden = occurred.length === 0;
      none.hidden = occurred.length > 0;
      return standings.some(({ matches }) => matches > 0);
    },
  };
}

/**
 * Make a bar that shows an interval on its axis.
 *
 * @param {Places} places
 * @param {string} label for people who can't see it
 * @returns {HTMLElement}
 */
export function intervalBar(places, label) {
  const style = Object.fromEntries(
    Object.entries(places).map(([key, place]) => [`--${key}`, `${(100 * place).toFixed(2)}%`]),
  );
  return el("span", { class: "whisker", role: "img", "aria-label": label, title: label, style });
}

/**
 * Make the cell of a rating: one number, and its interval for who wants it.
 *
 * @param {Estimate | null} rating
 * @returns {HTMLElement}
 */
export function ratingCell(rating) {
  const cell = numberCell(formatRating(rating));
  cell.append(el("span", { class: "interval" }, formatHalf(rating)));
  cell.title = formatInterval(rating);
  return cell;
}

/**
 * Make the switch that shows the intervals of a table's ratings as figures.
 *
 * @param {HTMLElement} table
 * @returns {HTMLElement}
 */
export function intervalSwitch(table) {
  const box = el("input", { type: "checkbox" });
  box.addEventListener("change", () => table.classList.toggle("intervals", box.checked));
  return el("label", { class: "row" }, box, "Intervals as figures");
}

/**
 * Make the cell of a bot's name, which is the header of its row.
 *
 * @param {TournamentRow} row
 * @returns {HTMLElement}
 */
export function botCell({ bot, benched }) {
  return el(
    "th",
    { scope: "row" },
    el("span", { class: "name" }, printable(bot)),
    benched && " ",
    benched &&
      el(
        "span",
        { class: "badge danger", title: "It failed so often that it plays no more" },
        "benched",
      ),
  );
}

/**
 * Make a cell for a number or other figures.
 *
 * @param {string | number | Node} content
 * @returns {HTMLTableCellElement}
 */
export function numberCell(content) {
  return el("td", { class: "number" }, content);
}

/**
 * Make the header cell of a column.
 *
 * @param {Column} column
 * @returns {HTMLElement}
 */
export function headCell({ title, meaning, isText }) {
  return el("th", { scope: "col", class: isText ? null : "number", title: meaning }, title);
}

/**
 * Make a table with a header, which scrolls sideways if it is too wide.
 *
 * @param {readonly Column[]} columns
 * @param {HTMLElement} rows
 * @returns {HTMLElement}
 */
export function tableOf(columns, rows) {
  return el(
    "div",
    { class: "scroll", tabindex: "0" },
    el(
      "table",
      { class: "standings" },
      el("thead", null, el("tr", null, columns.map(headCell))),
      rows,
    ),
  );
}

/** The card of a ladder or a tournament in the lobby, with its leaders. */
export class LeadersCard {
  about = el("p", { class: "muted" });
  more;
  #rows = el("tbody", null);
  #table;

  /**
   * @param {string} name
   * @param {string} address of its view
   * @param {readonly Column[]} columns after rank and bot
   */
  constructor(name, address, columns) {
    const first = [{ title: "#", meaning: "rank" }, { title: "Bot", isText: true }];
    this.#table = tableOf([...first, ...columns], this.#rows);
    this.more = el("a", { href: address });
    this.element = el(
      "article",
      { class: "card tournament" },
      el("h3", null, el("a", { class: "name", href: address }, printable(name))),
      this.about,
      this.#table,
      el("p", null, this.more),
    );
  }

  /**
   * @template {{bot: string}} Row
   * @param {readonly Row[]} rows
   * @param {(row: Row) => HTMLElement} rowOf
   */
  showRows(rows, rowOf) {
    this.#table.hidden = rows.length === 0;
    list(this.#rows, rows, ({ bot }) => bot, rowOf);
  }

  close() {
    this.element.remove();
  }
}

/**
 * Make a section with a heading.
 *
 * @param {string} title
 * @param {...HTMLElement} children
 * @returns {HTMLElement}
 */
export function section(title, ...children) {
  return el("section", { class: "stack", "aria-label": title }, el("h2", null, title), children);
}
