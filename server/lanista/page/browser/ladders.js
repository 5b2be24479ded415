/**
 * Ladders: their cards in the lobby, and the view of one (`/ladder/NAME`), which is updated while
 * its bots play. The views of its bots are in ladder_bots.js.
 *
 * The arena computes all figures, and says when there are new ones (docs/api.md). Names come from
 * bots and aren't trusted.
 *
 * @module
 */

import { connectSection } from "./connect.js";
import { el, fill, list } from "./dom.js";
import { axisOf, CENTRE, counted, formatChange, formatRanks } from "./figures.js";
import { followFigures } from "./following.js";
import { timeElement, timeText } from "./matches.js";
import { submissionsSection } from "./submissions.js";
import {
  headCell,
  INTERVAL_COLUMN,
  intervalSwitch,
  LeadersCard,
  numberCell,
  ratingCell,
  seatsSection,
  section,
} from "./tables.js";
import { pathPart, printable } from "./text.js";

/** @template T @typedef {import("./dom.js").Part<T>} Part */
/** @typedef {import("./figures.js").Places} Places */
/** @typedef {import("./link.js").Ladder} Ladder */
/** @typedef {import("./link.js").LadderRow} LadderRow */
/** @typedef {import("./link.js").LadderTable} LadderTable */
/** @typedef {import("./link.js").Link} Link */
/** @typedef {import("./link.js").Lobby} Lobby */
/** @typedef {import("./link.js").Rest} Rest */
/**
 * @template Item
 * @typedef {import("./tables.js").FilledColumn<Item>} FilledColumn
 */

/** Text that is shown until the arena has computed the table. */
const COMPUTING = "The table is being computed…";

/**
 * Return the address of a ladder's view, of the view of a bot on it, or of two bots.
 *
 * @param {string} ladder
 * @param {string} [bot]
 * @param {string} [opponent]
 * @returns {string}
 */
export function ladderAddress(ladder, bot, opponent) {
  const parts = [
    "/ladder",
    ladder,
    ...(bot === undefined ? [] : ["bot", bot]),
    ...(opponent === undefined ? [] : ["against", opponent]),
  ];
  return parts.map((part, i) => (i === 0 ? part : pathPart(part))).join("/");
}

/**
 * Return a text that is another one whenever a ladder's table, or who rests, has changed.
 *
 * @param {string} name
 * @returns {(lobby: Lobby) => string | undefined} undefined: there is no such ladder
 */
export function ladderVersion(name) {
  return ({ ladders }) => {
    const ladder = ladders.find((each) => each.name === name);
    return ladder && JSON.stringify([ladder.computed, ladder.problem, ladder.resting]);
  };
}

/**
 * Describe who is there: `2 wait, 4 play, 1 rests`.
 *
 * @param {{waiting: number, playing: number, resting: number}} ladder
 * @returns {string}
 */
export function describePresence({ waiting, playing, resting }) {
  /** @type {[number, string, string][]} */
  const counts = [
    [waiting, "waits", "wait"],
    [playing, "plays", "play"],
    [resting, "rests", "rest"],
  ];
  const there = counts.filter(([count]) => count > 0);
  return there.length === 0
    ? "no bot is connected"
    : there.map(([count, one, many]) => `${count} ${count === 1 ? one : many}`).join(", ");
}

/**
 * Describe how large a table is: `12 bots, 340 matches`.
 *
 * @param {Ladder} ladder
 * @returns {string} empty before the first table
 */
function describeSize({ bots, matches }) {
  if (bots === null || matches === null) {
    return "";
  }
  return `${counted(bots, "bot")}, ${counted(matches, "match", "matches")}`;
}

/**
 * The card of a ladder in the lobby: who is there, and the leaders.
 *
 * @implements {Part<Ladder>}
 */
export class LadderPart extends LeadersCard {
  #problem = el("p", { class: "muted" });

  /** @param {Ladder} ladder */
  constructor({ name }) {
    super(name, ladderAddress(name), [{ title: "Matches" }, { title: "Rating", meaning: "Elo" }]);
    this.about.after(this.#problem);
  }

  /** @param {Ladder} ladder */
  update(ladder) {
    const { name, title, rows, bots, computed, problem } = ladder;
    this.about.textContent = [title, describeSize(ladder), describePresence(ladder)]
      .filter((text) => text !== "")
      .join(" · ");
    this.#problem.textContent = problem ?? (computed === null ? COMPUTING : "");
    this.#problem.hidden = this.#problem.textContent === "";
    this.more.textContent =
      bots !== null && bots > rows.length ? `All ${bots} bots` : "Table and how to connect";
    this.showRows(rows, (row) =>
      el(
        "tr",
        { class: row.rank === 1 ? "winner" : null },
        numberCell(row.rank ?? ""),
        ladderBotCell(name, row, undefined),
        numberCell(row.matches.toLocaleString("en")),
        ratingCell(row.rating),
      ),
    );
  }
}

/**
 * Show a ladder, and keep it up to date.
 *
 * @param {HTMLElement} root is filled
 * @param {Link} link the lobby must have been requested from it, as lobby messages announce changes
 * @param {string} name
 * @returns {{close(): void}}
 */
export function ladderView(root, link, name) {
  const about = el("p", { class: "muted" }, COMPUTING);
  const presence = el("p", null);
  const trouble = el("p", { class: "trouble", role: "alert", hidden: true });
  const table = tableSection(name);
  const seats = seatsSection();
  const connect = el("div", null);
  /** @type {ReturnType<typeof submissionsSection> | null} */
  let submissions = null;
  fill(
    root,
    el(
      "div",
      { class: "page tournament" },
      el(
        "div",
        { class: "stack summary" },
        el("h1", null, "Ladder ", el("span", { class: "name" }, printable(name))),
        about,
        presence,
      ),
      trouble,
      connect,
      table.element,
      seats.element,
    ),
  );
  table.element.hidden = true;
  seats.element.hidden = true;

  /** @type {Record<string, Rest>} */
  let rests = {};

  /** @param {LadderTable} ladder */
  function show(ladder) {
    rests = ladder.rests;
    showPresence();
    const { title, computed, problem, seat_advantage } = ladder;
    if (computed === null) {
      about.textContent = problem ?? COMPUTING;
    } else {
      fill(about, `${title} · ${describeSize(ladder)} · as of `, timeElement(computed));
    }
    trouble.textContent = computed === null ? "" : (problem ?? "");
    trouble.hidden = trouble.textContent === "";
    table.update(ladder);
    table.element.hidden = ladder.rows.length === 0;
    seats.element.hidden = !seats.update({ seat_advantage: seat_advantage ?? [] });
    const bots = link.hello?.bots;
    const isEmpty = ladder.rows.length === 0;
    if (bots && connect.children.length === 0) {
      const where = { room: name, state: ladder.client_state ?? "State", game: ladder.game };
      const isOpen = isEmpty && !ladder.submissions;
      fill(connect, connectSection(bots, location.hostname, where, isOpen));
    }
    if (ladder.submissions && submissions === null) {
      const what = { ladder: name, game: ladder.game, bot: null, isOpen: isEmpty };
      submissions = submissionsSection(link, what);
      connect.before(submissions.element);
    }
  }

  function showPresence() {
    const ladder = link.lobby?.ladders.find((each) => each.name === name);
    presence.textContent =
      ladder === undefined
        ? ""
        : [`Now: ${describePresence(ladder)}.`, describeAwaited(ladder, rests)].join(" ");
  }

  link.addEventListener("lobby", showPresence);
  showPresence();
  const following = followFigures(link, {
    address: `/api/1/ladders/${encodeURIComponent(name)}`,
    version: ladderVersion(name),
    show,
    fail: (message) => {
      if (about.textContent === COMPUTING) {
        about.textContent = ""; // as nobody should wait for what isn't there
      }
      trouble.textContent = `The ladder can't be loaded: ${message}`;
      trouble.hidden = false;
    },
  });
  return {
    close() {
      following.close();
      submissions?.close();
      link.removeEventListener("lobby", showPresence);
    },
  };
}

/**
 * @typedef {{ladder: string, row: LadderRow, rest: Rest | undefined, places: Places | null}} Item
 */

/** The columns of a ladder's table. @type {FilledColumn<Item>[]} */
const COLUMNS = [
  {
    title: "#",
    meaning: "Rank; ties share the best one, house bots have none",
    cell: ({ row }) => numberCell(row.rank ?? ""),
  },
  {
    title: "Bot",
    isText: true,
    cell: ({ ladder, row, rest }) => ladderBotCell(ladder, row, rest),
  },
  {
    title: "Rating",
    meaning: `Elo. The mean of the house bots is ${CENTRE}; without house bots, that of all bots`,
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
    meaning: "The 95 % interval of the rank",
    cell: ({ row }) => numberCell(formatRanks(row)),
  },
  {
    title: "Day",
    meaning: "How much higher the rating is than a day ago",
    cell: ({ row }) => changeCell(row.day),
  },
  {
    title: "Week",
    meaning: "How much higher the rating is than a week ago",
    cell: ({ row }) => changeCell(row.week),
  },
  {
    title: "Failed",
    meaning: "Matches whose ending was its own fault",
    cell: ({ row }) =>
      el("td", { class: row.failures > 0 ? "number failures" : "number" }, row.failures),
  },
];

/**
 * Make the section of a ladder's table.
 *
 * @param {string} ladder
 * @returns {{element: HTMLElement, update: (table: {rows: LadderRow[],
 *   rests: Record<string, Rest>}) => void}}
 */
export function tableSection(ladder) {
  const body = el("tbody", null);
  const head = el("thead", null, el("tr", null, COLUMNS.map(headCell)));
  const table = el("table", null, head, body);
  return {
    element: section(
      "Table",
      el("div", { class: "scroll", tabindex: "0" }, table),
      intervalSwitch(table),
      el(
        "p",
        { class: "muted" },
        "Two bots whose intervals of ranks don't overlap can be told apart. ",
        "Four times as many matches halve an interval.",
      ),
    ),
    update({ rows, rests }) {
      const axis = axisOf(rows.flatMap(({ rating }) => rating ?? []), CENTRE);
      list(
        body,
        rows.map((row) => ({
          ladder,
          row,
          rest: Object.hasOwn(rests, row.bot) ? rests[row.bot] : undefined,
          places: row.rating === null ? null : axis(row.rating),
        })),
        ({ row }) => row.bot,
        rowOf,
      );
    },
  };
}

/**
 * Make a row of a ladder's table.
 *
 * @param {Item} item
 * @returns {HTMLElement}
 */
function rowOf(item) {
  return el(
    "tr",
    { class: item.row.rank === 1 ? "winner" : null },
    COLUMNS.map(({ cell }) => cell(item)),
  );
}

/**
 * Make the cell of a change of a rating, green for a rise and red for a fall.
 *
 * @param {number | null} change
 * @returns {HTMLElement}
 */
function changeCell(change) {
  const cell = numberCell(formatChange(change));
  cell.classList.toggle("rise", Math.round(change ?? 0) > 0);
  cell.classList.toggle("fall", Math.round(change ?? 0) < 0);
  return cell;
}

/**
 * Make the cell of a bot's name, which leads to its view and is the header of its row.
 *
 * @param {string} ladder
 * @param {LadderRow} row
 * @param {Rest | undefined} rest
 * @returns {HTMLElement}
 */
function ladderBotCell(ladder, { bot, house }, rest) {
  return el(
    "th",
    { scope: "row" },
    el("a", { class: "name", href: ladderAddress(ladder, bot) }, printable(bot)),
    house && " ",
    house && el("span", { class: "badge", title: "One of the arena's own bots" }, "house"),
    rest !== undefined && " ",
    rest !== undefined &&
      el("span", { class: "badge warn", title: printable(rest.why) }, describeRest(rest)),
  );
}

/**
 * Say for which resting bots a ladder waits, if bots wait there and none plays.
 *
 * @param {{waiting: number, playing: number, resting: number}} ladder
 * @param {Record<string, Rest>} rests
 * @returns {string} empty if it waits for none
 */
export function describeAwaited({ waiting, playing, resting }, rests) {
  const names = Object.entries(rests)
    .filter(([, { until }]) => until !== null)
    .map(([bot, rest]) => `${printable(bot)}, which ${describeRest(rest)}`);
  return waiting === 0 || playing > 0 || resting === 0 || names.length === 0
    ? ""
    : `The next match waits for ${names.join("; or for ")}.`;
}

/**
 * Describe a bot's rest: `rests until 12:30`, `benched`.
 *
 * @param {Rest} rest
 * @returns {string}
 */
export function describeRest({ until }) {
  return until === null ? "benched" : `rests until ${timeText(until)}`;
}
