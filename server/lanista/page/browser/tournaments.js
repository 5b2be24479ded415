/**
 * Tournaments, which other processes play: their cards in the lobby, and the view of one
 * (`/tournament/NAME`), which is updated while the tournament goes on.
 *
 * The arena computes all figures, and says when there are new ones (docs/api.md). Names come from
 * the tournament's file and aren't trusted.
 *
 * @module
 */

import { roundsSection } from "./bracket.js";
import { cardsOf } from "./cards.js";
import { el, fill } from "./dom.js";
import { formatProgress } from "./figures.js";
import { followFigures } from "./following.js";
import { matchesAddress, timeElement } from "./matches.js";
import { raceSection } from "./race.js";
import { halves } from "./standings.js";
import {
  botCell,
  endingsSection,
  LeadersCard,
  meetingsSection,
  numberCell,
  ratingCell,
  seatsSection,
  standingsSection,
} from "./tables.js";
import { printable } from "./text.js";

/** @template T @typedef {import("./dom.js").Part<T>} Part */
/** @typedef {import("./link.js").About} About */
/** @typedef {import("./link.js").FirstRows} FirstRows */
/** @typedef {import("./link.js").Link} Link */
/** @typedef {import("./link.js").Summary} Summary */
/** @typedef {import("./link.js").Table} Table */
/** @typedef {import("./link.js").Tournament} Tournament */

/** Text that is shown until the arena has computed the standings. */
const COMPUTING = "The standings are being computed…";

/**
 * Return the address of a tournament's view.
 *
 * @param {string} name
 * @returns {string}
 */
export function tournamentAddress(name) {
  return `/tournament/${encodeURIComponent(name)}`;
}

/**
 * The card of a tournament in the lobby: its progress and the leaders.
 *
 * @implements {Part<Summary>}
 */
export class TournamentPart extends LeadersCard {
  #text = el("p", { class: "name" });
  #bar = el("progress", { "aria-label": "Blocks played" });

  /** @param {Summary} tournament */
  constructor({ name }) {
    super(name, tournamentAddress(name), [
      { title: "Points" },
      { title: "Rating", meaning: "Elo with its 95 % interval" },
    ]);
    this.about.after(this.#bar, this.#text);
  }

  /** @param {Summary} tournament */
  update({ title, standings, problem, bots }) {
    const rows = standings?.standings ?? [];
    this.about.textContent =
      standings === null
        ? (problem ?? COMPUTING)
        : [title, standings.format, formatProgress(standings)].join(" · ");
    showProgress(this.#bar, standings);
    this.#text.textContent = printable(standings?.words ?? "");
    this.#text.hidden = !standings?.words;
    this.more.textContent =
      bots !== null && bots > rows.length ? `All ${bots} bots` : "All figures";
    this.more.hidden = standings === null;
    this.showRows(rows, (row) =>
      el(
        "tr",
        { class: row.rank === 1 && row.matches > 0 ? "winner" : null },
        numberCell(row.rank),
        botCell(row),
        numberCell(halves(row.points)),
        ratingCell(row.rating),
      ),
    );
  }
}

/**
 * Show the standings of a tournament, and keep them up to date.
 *
 * @param {HTMLElement} root is filled
 * @param {Link} link the lobby must have been requested from it, as lobby messages announce changes
 * @param {string} name
 * @returns {{close(): void}}
 */
export function tournamentView(root, link, name) {
  const about = el("p", { class: "muted" }, COMPUTING);
  const bar = el("progress", { "aria-label": "Blocks played" });
  const text = el("p", { class: "verdict name" });
  const trouble = el("p", { class: "trouble", role: "alert", hidden: true });
  const linkOf = (/** @type {Record<string, string>} */ filters) =>
    matchesAddress({ tournament: name, ...filters });
  const cards = cardsOf({ link, operator: false, command: () => {} });
  const running = el(
    "section",
    { class: "stack", "aria-label": "Running" },
    el("h2", null, "Running"),
    cards.parent,
  );
  const rounds = roundsSection(name);
  const sections = [
    raceSection(),
    standingsSection(),
    seatsSection(),
    meetingsSection(linkOf),
    endingsSection(linkOf),
  ];
  /** What the rounds were drawn from: drawing them anew would take the focus away. */
  let drawnFrom = "";
  /** What is shown now. @type {Table | null} */
  let shown = null;
  fill(
    root,
    el(
      "div",
      { class: "page tournament" },
      el(
        "div",
        { class: "stack summary" },
        el("h1", null, el("span", { class: "name" }, printable(name))),
        about,
        bar,
        text,
        el("p", null, el("a", { href: linkOf({}) }, "All matches")),
      ),
      trouble,
      running,
      rounds.element,
      sections.map(({ element }) => element),
    ),
  );

  /** @param {Tournament} tournament */
  function show(tournament) {
    const { title, computed, standings, problem } = tournament;
    trouble.hidden = true;
    if (standings === null || computed === null) {
      about.textContent = problem ?? COMPUTING;
    } else {
      const where = [title, standings.format, formatProgress(standings)].join(" · ");
      fill(about, where, " · as of ", timeElement(computed));
    }
    showProgress(bar, standings);
    text.textContent = printable(standings?.words ?? "");
    text.hidden = !standings?.words;
    shown = standings;
    for (const { element, update } of sections) {
      element.hidden = standings === null || !update(standings);
    }
    showRunning();
  }

  /** Show the matches that run, and where they are in the rounds. */
  function showRunning() {
    const matches = (link.lobby?.running ?? []).filter(({ tournament }) => tournament === name);
    running.hidden = matches.length === 0;
    const data = JSON.stringify([shown?.rounds, matches]);
    cards.show(matches);
    if (data !== drawnFrom) {
      drawnFrom = data;
      rounds.element.hidden = shown === null || !rounds.update(shown, matches);
    }
  }

  for (const { element } of sections) {
    element.hidden = true;
  }
  bar.hidden = true;
  text.hidden = true;
  rounds.element.hidden = true;
  link.addEventListener("lobby", showRunning);
  showRunning();
  const figures = followFigures(link, {
    address: `/api/1/tournaments/${encodeURIComponent(name)}`,
    version: ({ tournaments }) => {
      const known = tournaments.find((each) => each.name === name);
      return known === undefined ? undefined : versionOf(known);
    },
    show,
    fail: (message) => {
      if (about.textContent === COMPUTING) {
        about.textContent = ""; // as nobody should wait for what isn't there
      }
      trouble.textContent = `The standings can't be loaded: ${message}`;
      trouble.hidden = false;
    },
  });
  return {
    close() {
      figures.close();
      link.removeEventListener("lobby", showRunning);
      cards.close();
    },
  };
}

/**
 * Return a value that changes whenever a tournament's figures do.
 *
 * @param {About} about
 * @returns {string}
 */
function versionOf({ computed, problem }) {
  return JSON.stringify([computed, problem]);
}

/**
 * Show how many of the planned blocks are played.
 *
 * @param {HTMLProgressElement} bar
 * @param {FirstRows | null} table
 */
function showProgress(bar, table) {
  bar.hidden = table === null || table.planned === null || table.over;
  bar.max = Math.max(1, table?.planned ?? 1);
  bar.value = table?.blocks ?? 0;
}
