/**
 * Tournaments, which are played elsewhere: their cards in the lobby, and the view of one
 * (`#/tournament/NAME`), which follows it while it goes on.
 *
 * The arena sends all figures, and says when there are new ones (docs/api.md); nothing is counted
 * here. Names come from the tournament's file and aren't trusted.
 *
 * @module
 */

import { el, fill, list } from "./dom.js";
import { progressWords, ratingWords } from "./figures.js";
import { get, moment, wordsOf } from "./matches.js";
import { halves } from "./standings.js";
import {
  botCell,
  endingsSection,
  meetingsSection,
  number,
  seatsSection,
  standingsSection,
  tableOf,
} from "./tables.js";
import { visible } from "./words.js";

/** @template T @typedef {import("./dom.js").Part<T>} Part */
/** @typedef {import("./link.js").About} About */
/** @typedef {import("./link.js").FirstRows} FirstRows */
/** @typedef {import("./link.js").Link} Link */
/** @typedef {import("./link.js").Summary} Summary */
/** @typedef {import("./link.js").Tournament} Tournament */

/** What is shown until the arena has computed the standings. */
const COMPUTING = "The standings are being computed…";

/**
 * The address of a tournament's view.
 *
 * @param {string} name
 * @returns {string}
 */
export function tournamentAddress(name) {
  return `#/tournament/${encodeURIComponent(name)}`;
}

/**
 * A tournament in the lobby: its progress, and the leaders.
 *
 * @implements {Part<Summary>}
 */
export class TournamentPart {
  #about = el("p", { class: "muted" });
  #words = el("p", { class: "name" });
  #bar = el("progress", { "aria-label": "Blocks played" });
  #rows = el("tbody", null);
  #table = tableOf(
    [
      { title: "#", meaning: "rank" },
      { title: "Bot", isText: true },
      { title: "Points" },
      { title: "Rating", meaning: "Elo with its 95 % interval" },
    ],
    this.#rows,
  );
  #more = el("a", null);

  /** @param {Summary} tournament */
  constructor({ name }) {
    const address = tournamentAddress(name);
    this.#more.setAttribute("href", address);
    this.element = el(
      "article",
      { class: "card tournament" },
      el("h3", null, el("a", { class: "name", href: address }, visible(name))),
      this.#about,
      this.#bar,
      this.#words,
      this.#table,
      el("p", null, this.#more),
    );
  }

  /** @param {Summary} tournament */
  update({ title, standings, problem, bots }) {
    const rows = standings?.standings ?? [];
    this.#about.textContent =
      standings === null
        ? (problem ?? COMPUTING)
        : [title, standings.format, progressWords(standings)].join(" · ");
    showProgress(this.#bar, standings);
    this.#words.textContent = visible(standings?.words ?? "");
    this.#words.hidden = !standings?.words;
    this.#table.hidden = rows.length === 0;
    this.#more.textContent =
      bots !== null && bots > rows.length ? `All ${bots} bots` : "All figures";
    this.#more.hidden = standings === null;
    list(
      this.#rows,
      rows,
      ({ bot }) => bot,
      (row) =>
        el(
          "tr",
          { class: row.rank === 1 && row.matches > 0 ? "winner" : null },
          number(row.rank),
          botCell(row),
          number(halves(row.points)),
          number(ratingWords(row.rating)),
        ),
    );
  }

  close() {
    this.element.remove();
  }
}

/**
 * Show the standings of a tournament, and keep them up to date.
 *
 * @param {HTMLElement} root is filled
 * @param {Link} link its lobby must have been asked for, as it shows what changed
 * @param {string} name
 * @returns {{close(): void}}
 */
export function tournamentView(root, link, name) {
  const ended = new AbortController();
  const about = el("p", { class: "muted" }, COMPUTING);
  const bar = el("progress", { "aria-label": "Blocks played" });
  const words = el("p", { class: "verdict name" });
  const trouble = el("p", { class: "trouble", role: "alert", hidden: true });
  const sections = [standingsSection(), seatsSection(), meetingsSection(), endingsSection()];
  /** The version that is shown, by `versionOf`; null: none. @type {string | null} */
  let shown = null;
  let isAsking = false;
  let isOld = false;

  fill(
    root,
    el(
      "div",
      { class: "page tournament" },
      el(
        "div",
        { class: "stack summary" },
        el("h1", null, el("span", { class: "name" }, visible(name))),
        about,
        bar,
        words,
      ),
      trouble,
      sections.map(({ element }) => element),
    ),
  );

  /** Ask for the figures, and once more if they changed meanwhile. */
  async function load() {
    isOld = true;
    if (isAsking) {
      return;
    }
    isAsking = true;
    try {
      while (isOld) {
        isOld = false;
        show(await get(`/api/1/tournaments/${encodeURIComponent(name)}`, ended.signal));
      }
    } catch (error) {
      if (!ended.signal.aborted) {
        shown = null;
        trouble.textContent = `The standings can't be had: ${wordsOf(error)}`;
        trouble.hidden = false;
      }
    } finally {
      isAsking = false;
    }
  }

  /** Look for changes of this tournament in a new lobby message. */
  function follow() {
    const tournament = link.lobby?.tournaments.find((each) => each.name === name);
    if (tournament !== undefined && versionOf(tournament) !== shown) {
      void load();
    }
  }

  /** @param {Tournament} tournament */
  function show(tournament) {
    const { title, computed, standings, problem } = tournament;
    shown = versionOf(tournament);
    trouble.hidden = true;
    if (standings === null || computed === null) {
      about.textContent = problem ?? COMPUTING;
    } else {
      const where = [title, standings.format, progressWords(standings)].join(" · ");
      fill(about, where, " · as of ", moment(computed));
    }
    showProgress(bar, standings);
    words.textContent = visible(standings?.words ?? "");
    words.hidden = !standings?.words;
    for (const { element, update } of sections) {
      element.hidden = standings === null || !update(standings);
    }
  }

  for (const { element } of sections) {
    element.hidden = true;
  }
  bar.hidden = true;
  words.hidden = true;
  link.addEventListener("lobby", follow);
  void load();
  return {
    close() {
      ended.abort();
      link.removeEventListener("lobby", follow);
    },
  };
}

/**
 * A value that changes whenever a tournament's figures do.
 *
 * @param {About} about
 * @returns {string}
 */
function versionOf({ computed, problem }) {
  return JSON.stringify([computed, problem]);
}

/**
 * @param {HTMLProgressElement} bar
 * @param {FirstRows | null} table
 */
function showProgress(bar, table) {
  bar.hidden = table === null || table.planned === null || table.over;
  bar.max = Math.max(1, table?.planned ?? 1);
  bar.value = table?.blocks ?? 0;
}
