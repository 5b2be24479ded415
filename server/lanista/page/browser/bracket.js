/**
 * The rounds of a tournament: a knockout as a bracket, a Swiss tournament as a table of rounds.
 *
 * The arena says who met whom (docs/statistics.md, "Standings for programs"); rounds that are still
 * to come are drawn empty. Names come from the tournament's file and aren't trusted.
 *
 * @module
 */

import { el, fill } from "./dom.js";
import { addressOf, isolated, matchesAddress } from "./matches.js";
import { halves } from "./standings.js";
import { printable } from "./text.js";

/** @typedef {import("./link.js").RoundMeeting} RoundMeeting */
/** @typedef {import("./link.js").Running} Running */
/** @typedef {import("./link.js").Table} Table */

/** Maximum number of bots in a table of rounds. */
const MAX_BOTS = 200;
/** Number of seats of a game in which two bots meet. */
const PAIR = 2;

/**
 * Return the rounds of a bracket, those to come included, each as its heats in order; null stands
 * for a heat whose bots aren't known yet.
 *
 * @param {readonly (readonly RoundMeeting[])[]} rounds
 * @param {number} seats
 * @returns {(RoundMeeting | null)[][]}
 */
export function bracketOf(rounds, seats) {
  const known = rounds.map((round) => [...round]);
  /** @type {(RoundMeeting | null)[][]} */
  const all = known;
  // With more seats, how many heats follow depends on how many bots each of them lets through.
  let heats = known.at(-1)?.length ?? 0;
  while (seats === PAIR && heats > 1) {
    heats = Math.ceil(heats / 2);
    all.push(Array.from({ length: heats }, () => null));
  }
  return all;
}

/**
 * Return the name of a round of a knockout: `Final`, `Semifinals`, `Round 1`.
 *
 * @param {number} number from 0
 * @param {number} heats
 * @param {boolean} isLast whether no round follows
 * @returns {string}
 */
export function roundName(number, heats, isLast) {
  if (isLast && heats === 1) {
    return "Final";
  }
  return heats === 2 ? "Semifinals" : `Round ${number + 1}`;
}

/**
 * Make the picture of a knockout.
 *
 * @param {string} tournament its name
 * @param {Pick<Table, "rounds" | "seats">} table
 * @param {readonly Running[]} running the matches of the tournament that run
 * @returns {HTMLElement}
 */
export function bracketElement(tournament, { rounds, seats }, running) {
  const all = bracketOf(rounds, seats);
  return el(
    "ol",
    { class: seats === PAIR ? "bracket joined" : "bracket" },
    all.map((heats, number) =>
      el(
        "li",
        { class: "round" },
        el("h3", null, roundName(number, heats.length, number === all.length - 1)),
        el(
          "ul",
          { class: "heats" },
          heats.map((heat) => el("li", null, heatElement(tournament, heat, running))),
        ),
      ),
    ),
  );
}

/**
 * Make the box of a heat.
 *
 * @param {string} tournament
 * @param {RoundMeeting | null} heat
 * @param {readonly Running[]} running
 * @returns {HTMLElement}
 */
function heatElement(tournament, heat, running) {
  if (heat === null || heat.bots.length === 0) {
    return el("div", { class: "heat open" }, el("p", { class: "muted" }, "open"));
  }
  const { bots, points, blocks, through, over } = heat;
  if (bots.length === 1) {
    return el(
      "div",
      { class: "heat bye" },
      el("p", { class: "line through" }, el("span", { class: "name" }, printable(bots[0]))),
      el("p", { class: "muted" }, "bye"),
    );
  }
  const live = liveMatch(bots, running);
  const lines = bots.map((bot, i) =>
    el(
      "p",
      { class: through.includes(bot) ? "line through" : over ? "line out" : "line" },
      el("span", { class: "name" }, printable(bot)),
      through.includes(bot) && el("span", { class: "unseen" }, "advances"),
      el("span", { class: "score" }, blocks > 0 ? halves(points[i]) : ""),
    ),
  );
  return el(
    "div",
    { class: "heat" },
    blocks > 0
      ? el("a", { href: matchesAddress({ tournament, player: bots[0], against: bots[1] }) }, lines)
      : lines,
    live !== null && el("a", { class: "badge accent", href: addressOf(live.match) }, "live"),
  );
}

/**
 * Return a running match of exactly these bots.
 *
 * @param {readonly string[]} bots
 * @param {readonly Running[]} running
 * @returns {Running | null}
 */
export function liveMatch(bots, running) {
  return (
    running.find(
      ({ players }) =>
        players.length === bots.length && players.every(({ name }) => bots.includes(name)),
    ) ?? null
  );
}

/**
 * Return by bot and round: its meeting; null where it had none.
 *
 * @param {readonly string[]} bots
 * @param {readonly (readonly RoundMeeting[])[]} rounds
 * @returns {{bot: string, met: (RoundMeeting | null)[]}[]}
 */
export function roundsOf(bots, rounds) {
  const byRound = rounds.map((round) => {
    /** @type {Map<string, RoundMeeting>} */
    const meetings = new Map();
    for (const meeting of round) {
      for (const bot of meeting.bots) {
        meetings.set(bot, meeting);
      }
    }
    return meetings;
  });
  return bots.map((bot) => ({ bot, met: byRound.map((round) => round.get(bot) ?? null) }));
}

/**
 * Make the table of rounds of a Swiss tournament: the best bot first, by round its opponents and
 * points.
 *
 * @param {string} tournament its name
 * @param {Pick<Table, "rounds" | "standings">} table
 * @param {readonly Running[]} running the matches of the tournament that run
 * @param {number} [most] number of bots that are shown
 * @returns {HTMLElement}
 */
export function roundsElement(tournament, { rounds, standings }, running, most = MAX_BOTS) {
  const bots = standings.slice(0, most).map(({ bot }) => bot);
  const head = (/** @type {string} */ title) => el("th", { scope: "col" }, title);
  return el(
    "table",
    { class: "rounds" },
    el(
      "thead",
      null,
      el("tr", null, head("#"), head("Bot"), rounds.map((_, i) => head(`Round ${i + 1}`))),
    ),
    el(
      "tbody",
      null,
      roundsOf(bots, rounds).map(({ bot, met }, i) =>
        el(
          "tr",
          null,
          el("td", { class: "number" }, standings[i].rank),
          el("th", { scope: "row" }, el("span", { class: "name" }, printable(bot))),
          met.map((meeting) => meetingCell(tournament, bot, meeting, running)),
        ),
      ),
    ),
  );
}

/**
 * Make the cell of a bot's meeting in a round.
 *
 * @param {string} tournament
 * @param {string} bot
 * @param {RoundMeeting | null} meeting
 * @param {readonly Running[]} running
 * @returns {HTMLElement}
 */
function meetingCell(tournament, bot, meeting, running) {
  if (meeting === null) {
    return el("td", null);
  }
  const others = meeting.bots.filter((other) => other !== bot);
  if (others.length === 0) {
    return el("td", { class: "muted" }, "bye");
  }
  const points = meeting.points[meeting.bots.indexOf(bot)];
  const best = Math.max(...meeting.points);
  const names = others.map((other) => isolated(printable(other))).join(", ");
  const live = liveMatch(meeting.bots, running);
  return el(
    "td",
    { class: meeting.over && points === best && meeting.blocks > 0 ? "won" : null },
    meeting.blocks > 0
      ? el(
          "a",
          {
            href: matchesAddress({ tournament, player: bot, against: others[0] }),
            "aria-label": `${halves(points)} against ${names}`,
          },
          el("b", null, halves(points)),
          " ",
          el("span", { class: "name" }, names),
        )
      : el("span", { class: "name muted" }, names),
    live !== null && " ",
    live !== null && el("a", { class: "badge accent", href: addressOf(live.match) }, "live"),
  );
}

/**
 * Make the section of a tournament's rounds.
 *
 * @param {string} tournament its name
 * @returns {{element: HTMLElement, update: (table: Table, running: readonly Running[]) => boolean}}
 */
export function roundsSection(tournament) {
  const heading = el("h2", null);
  const box = el("div", { class: "scroll", tabindex: "0" });
  const cut = el("p", { class: "muted" }, `The first ${MAX_BOTS} bots.`);
  return {
    element: el("section", { class: "stack", "aria-labelledby": "rounds" }, heading, box, cut),
    update(table, running) {
      const isKnockout = table.format === "knockout";
      heading.id = "rounds";
      heading.textContent = isKnockout ? "Bracket" : "Rounds";
      cut.hidden = isKnockout || table.standings.length <= MAX_BOTS;
      const make = isKnockout ? bracketElement : roundsElement;
      fill(box, make(tournament, table, running));
      return table.rounds.length > 0;
    },
  };
}
