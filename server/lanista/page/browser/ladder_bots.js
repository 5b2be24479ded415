/**
 * The views of a ladder's bots: one bot (`/ladder/NAME/bot/BOT`), and its results against another
 * one (`/ladder/NAME/bot/BOT/against/OPPONENT`). They are updated while the bots play.
 *
 * @module
 */

import { seatLetter } from "./colours.js";
import { Chart, extentOf } from "./chart.js";
import { el, fill, list } from "./dom.js";
import { counted, FAILURES, formatChange, formatInterval, formatRanks } from "./figures.js";
import { followFigures } from "./following.js";
import { describeRest, ladderAddress, ladderVersion, tableSection } from "./ladders.js";
import { addressOf, endReason, outcome, playersOf, timeElement } from "./matches.js";
import { ownerSection } from "./owner.js";
import { submissionsSection } from "./submissions.js";
import { numberCell, section, tableOf } from "./tables.js";
import { formatDuration, pathPart, printable } from "./text.js";

/** @typedef {import("./link.js").LadderBot} LadderBot */
/** @typedef {import("./link.js").LadderPair} LadderPair */
/** @typedef {import("./link.js").LadderResult} LadderResult */
/** @typedef {import("./link.js").Link} Link */
/** @typedef {import("./link.js").Match} Match */
/** @typedef {import("./link.js").RatingPoint} RatingPoint */

/**
 * Show a bot on a ladder, and keep it up to date.
 *
 * @param {HTMLElement} root is filled
 * @param {Link} link the lobby must have been requested from it, as lobby messages announce changes
 * @param {string} ladder
 * @param {string} bot
 * @returns {{close(): void}}
 */
export function ladderBotView(root, link, ladder, bot) {
  const about = el("p", { class: "muted" });
  const rating = el("p", { class: "verdict" });
  const rest = el("p", null);
  const way = el("p", { class: "muted" });
  const curve = el("div", null);
  const versions = el("tbody", null);
  const opponents = el("tbody", null);
  const seats = el("tbody", null);
  const endings = el("p", { class: "failures" });
  const failed = el("tbody", null);
  const recent = el("tbody", null);
  const sections = {
    history: section("Rating over time", curve),
    versions: section(
      "Versions",
      tableOf(
        [
          { title: "Version", meaning: "Of the submitted program", isText: true },
          { title: "Rating" },
          { title: "Matches" },
          { title: "First and last match", isText: true },
        ],
        versions,
      ),
    ),
    opponents: section(
      "Opponents",
      tableOf(
        [
          { title: "Bot", isText: true },
          { title: "Met", meaning: "Matches in which both played" },
          { title: "Above", meaning: "How often it was placed above the opponent" },
          { title: "Tied" },
          { title: "Below" },
          { title: "Both", isText: true },
        ],
        opponents,
      ),
    ),
    seats: section(
      "Seats",
      tableOf(
        [
          { title: "Seat", isText: true },
          { title: "Matches" },
          { title: "Places", meaning: "How often first, second, …; a tie counts for its best" },
          { title: "Failed", meaning: "Matches whose ending was its own fault" },
        ],
        seats,
      ),
    ),
    failed: section("Failures", endings, resultsTable(failed)),
    recent: section("Last matches", resultsTable(recent)),
  };
  /** @type {ReturnType<typeof submissionsSection> | null} */
  let submissions = null;
  const summary = [about, rating, rest, way];
  const name = el("span", { class: "name" }, printable(bot));
  const page = viewOf(root, ladder, name, summary, ownerSection(link, bot));
  page.show(Object.values(sections));

  /** @param {LadderBot} data */
  function show(data) {
    page.loaded();
    const { row } = data;
    if (data.submissions && submissions === null) {
      submissions = submissionsSection(link, { ladder, game: data.game, bot, isOpen: false });
      page.show([submissions.element, ...Object.values(sections)]);
    }
    const rank = row.house ? "house bot" : `rank ${row.rank}`;
    about.textContent = `${data.title} · ${rank} · ${counted(row.matches, "match", "matches")}`;
    const trends = [
      row.day !== null && `${formatChange(row.day)} since yesterday`,
      row.week !== null && `${formatChange(row.week)} in a week`,
      row.rank_low !== null && `ranks ${formatRanks(row)}`,
    ].filter((text) => text !== false);
    rating.textContent = [`Rating ${formatInterval(row.rating)}`, ...trends].join(", ");
    rest.textContent =
      data.rest === null ? "" : printable(`${describeRest(data.rest)}: ${data.rest.why}`);
    rest.hidden = data.rest === null;
    way.textContent = describeWay(data.round_trip);
    way.hidden = data.round_trip === null;
    // One point is no curve, and stands above as the rating.
    sections.history.hidden = data.history.length < 2;
    fill(curve, !sections.history.hidden && ratingCurve(data.history));
    list(
      versions,
      data.versions,
      (each) => String(each.version),
      (each) =>
        el(
          "tr",
          null,
          el("th", { scope: "row" }, each.version ?? "connected"),
          numberCell(formatInterval(each.rating)),
          numberCell(each.matches.toLocaleString("en")),
          el("td", null, timeElement(each.first.stored), " – ", timeElement(each.last.stored)),
        ),
    );
    list(
      opponents,
      data.opponents,
      ({ opponent }) => opponent,
      ({ opponent, matches, won, tied, lost }) =>
        el(
          "tr",
          null,
          el(
            "th",
            { scope: "row" },
            el("a", { class: "name", href: ladderAddress(ladder, opponent) }, printable(opponent)),
          ),
          [matches, won, tied, lost].map((count) => numberCell(count.toLocaleString("en"))),
          el(
            "td",
            null,
            el(
              "a",
              {
                href: ladderAddress(ladder, bot, opponent),
                "aria-label": `Against ${printable(opponent)}`,
              },
              "matches",
            ),
          ),
        ),
    );
    list(
      seats,
      data.by_seat,
      ({ seat }) => seat,
      ({ seat, places, failures, matches }) =>
        el(
          "tr",
          null,
          el("th", { scope: "row" }, seatLetter(seat)),
          numberCell(matches.toLocaleString("en")),
          numberCell(places.join("–")),
          numberCell(failures.toLocaleString("en")),
        ),
    );
    endings.textContent = FAILURES.flatMap(([ending, meaning]) =>
      (data.endings[ending] ?? 0) > 0 ? [`${data.endings[ending]}\u00a0${ending}: ${meaning}`] : [],
    ).join(" ");
    showResults(failed, data.failed, data, bot);
    showResults(recent, data.recent, data, null);
    sections.versions.hidden = data.versions.length === 0;
    sections.failed.hidden = data.failed.length === 0;
  }

  const following = followFigures(link, {
    address: apiAddress(ladder, bot),
    version: ladderVersion(ladder),
    show,
    fail: page.fail,
  });
  return {
    close() {
      following.close();
      submissions?.close();
    },
  };
}

/**
 * Make the curve of a rating, with the band of its intervals. The arena notes a rating when matches
 * were played, so each point is as far from the next one as any other: pauses take no room.
 *
 * @param {readonly RatingPoint[]} points at least two, the oldest first
 * @returns {HTMLElement}
 */
function ratingCurve(points) {
  const curve = {
    name: "",
    colour: "var(--accent)",
    values: points.map(([, rating]) => rating),
    low: points.map(([, , low]) => low),
    high: points.map(([, , , high]) => high),
  };
  const first = points[0];
  const last = points[points.length - 1];
  const text = (/** @type {RatingPoint} */ [taken, value, low, high]) =>
    `${formatInterval({ value, low, high })} on ${new Date(taken).toLocaleString()}`;
  const [from, to] = [first, last].map(([taken]) => new Date(taken));
  const isOneDay = from.toDateString() === to.toDateString();
  const chart = new Chart(`from ${text(first)} to ${text(last)}`);
  chart.show({
    at: points.map((_, i) => i),
    curves: [curve],
    range: extentOf([curve]) ?? [0, 1],
    format: (rating) => String(Math.round(rating)),
    ticks: [0, points.length - 1],
    formatAt: (at) => {
      const when = at === 0 ? from : to;
      return isOneDay
        ? when.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })
        : when.toLocaleDateString();
    },
  });
  return el("figure", { class: "curve" }, chart.element);
}

/**
 * Tell how long the way between arena and bot takes, there and back.
 *
 * @param {LadderBot["round_trip"]} way
 * @returns {string}
 */
function describeWay(way) {
  if (way === null) {
    return "";
  }
  const [smoothed, least] = [way.smoothed, way.least].map((us) => formatDuration(us / 1000));
  return `In its last matches the round trip to the bot took ${smoothed}, at least ${least}.`;
}

/**
 * Show the results of a bot against another one, and keep them up to date.
 *
 * @param {HTMLElement} root is filled
 * @param {Link} link as for `ladderBotView`
 * @param {string} ladder
 * @param {string} bot
 * @param {string} opponent
 * @returns {{close(): void}}
 */
export function ladderPairView(root, link, ladder, bot, opponent) {
  const about = el("p", { class: "muted" });
  const score = el("p", { class: "verdict" });
  const both = tableSection(ladder);
  const recent = el("tbody", null);
  const name = (/** @type {string} */ of) =>
    el("a", { class: "name", href: ladderAddress(ladder, of) }, printable(of));
  const page = viewOf(
    root,
    ladder,
    el("span", null, name(bot), " against ", name(opponent)),
    [about, score],
  );
  page.show([both.element, section("Last matches", resultsTable(recent))]);

  /** @param {LadderPair} data */
  function show(data) {
    page.loaded();
    const { won, tied, lost } = data;
    about.textContent = data.title;
    score.textContent =
      won + tied + lost === 0
        ? "They haven't met yet."
        : `${printable(bot)} was placed above ${counted(won, "time")}, tied ${counted(tied, "time")}, ` +
          `below ${counted(lost, "time")}.`;
    both.update({ rows: data.rows, rests: {} });
    showResults(recent, data.recent, data, null);
  }

  return followFigures(link, {
    address: `${apiAddress(ladder, bot)}/against/${pathPart(opponent)}`,
    version: ladderVersion(ladder),
    show,
    fail: page.fail,
  });
}

/**
 * @param {string} ladder
 * @param {string} bot
 * @returns {string}
 */
function apiAddress(ladder, bot) {
  return `/api/1/ladders/${encodeURIComponent(ladder)}/bots/${pathPart(bot)}`;
}

/**
 * Fill a view with its title and what is below it.
 *
 * @param {HTMLElement} root
 * @param {string} ladder
 * @param {HTMLElement} title
 * @param {HTMLElement[]} summary
 * @param {HTMLElement | null} [beside] stands beside the title
 */
function viewOf(root, ladder, title, summary, beside = null) {
  const trouble = el("p", { class: "trouble", role: "alert", hidden: true });
  const loading = el("p", { class: "muted" }, "Loading…");
  const content = el("div", { class: "stack sections", hidden: true });
  fill(
    root,
    el(
      "div",
      { class: "page tournament" },
      el(
        "div",
        { class: "stack summary" },
        el(
          "p",
          null,
          "Ladder ",
          el("a", { class: "name", href: ladderAddress(ladder) }, printable(ladder)),
        ),
        el("div", { class: "row" }, el("h1", null, title), beside),
        summary,
        loading,
      ),
      trouble,
      content,
    ),
  );
  return {
    show: (/** @type {HTMLElement[]} */ sections) => fill(content, sections),
    loaded: () => {
      loading.hidden = trouble.hidden = true;
      content.hidden = false;
    },
    fail: (/** @type {string} */ message) => {
      loading.hidden = true;
      trouble.textContent = `It can't be loaded: ${message}`;
      trouble.hidden = false;
    },
  };
}

/** @param {HTMLElement} rows @returns {HTMLElement} */
function resultsTable(rows) {
  const table = tableOf(
    [
      { title: "Time", isText: true },
      { title: "Players and scores", isText: true },
      { title: "Result", isText: true },
      { title: "Turns" },
      { title: "Look", isText: true },
    ],
    rows,
  );
  table.classList.add("replays");
  return table;
}

/**
 * Show results of matches.
 *
 * @param {HTMLElement} rows
 * @param {LadderResult[]} results
 * @param {{game: string, title: string}} ladder
 * @param {string | null} failed the bot whose failures are explained; null: none
 */
function showResults(rows, results, { game, title }, failed) {
  list(
    rows,
    results,
    ({ stored, players, match }) => JSON.stringify([stored, players, match]),
    (result) => {
      /** @type {Match} */
      const match = {
        ...result,
        match: result.match ?? "",
        game,
        ladder: null,
        title,
        state: "over",
        started: result.stored,
        ended: result.stored,
        seed: null,
        faults: null,
      };
      const seat = failed === null ? -1 : result.players.indexOf(failed);
      const reasons = seat < 0 ? [] : [`${result.endings[seat]}: ${result.words[seat]}`];
      return el(
        "tr",
        null,
        el("td", null, timeElement(result.stored)),
        el("td", null, playersOf(match)),
        el(
          "td",
          null,
          outcome(match),
          " ",
          el("span", { class: "muted" }, `(${endReason(match)})`),
          reasons.map((reason) => el("p", { class: "failures" }, printable(reason))),
        ),
        numberCell(result.turns),
        el(
          "td",
          null,
          result.match === null
            ? el("span", { class: "muted", title: "Its record isn't here" }, "–")
            : el(
                "a",
                {
                  class: "button small",
                  // The replay begins at the fault of which this list tells.
                  href: addressOf(result.match) + (seat < 0 ? "" : `?fault=${seat}`),
                },
                "Replay",
              ),
        ),
      );
    },
  );
}
