/**
 * The screen of a hall (`/screen`): shows running matches and tables one after another, in letters
 * that can be read from the last row, and needs no hand on it. Before a match it shows the line-up;
 * while none runs, the best parts of the last ones; when a tournament is over, its champion.
 *
 * Parameters of the address: `tournament=NAME` shows only this tournament; `seconds=N` is how long a
 * match or a table is shown; `results=hidden` hides scores, winners and tables until somebody
 * presses R or the button; `address=URL` is shown as this page's address. After a loss of the
 * connection, or a restart of the arena, the screen goes on by itself.
 *
 * @module
 */

import { bracketElement, roundsElement } from "./bracket.js";
import { el, fill } from "./dom.js";
import { axisOf, CENTRE, formatInterval, formatProgress, formatRating } from "./figures.js";
import { Link } from "./link.js";
import { fetchJson, isolated } from "./matches.js";
import { raceElement } from "./race.js";
import { pause, showBestPart, showMatch } from "./screen_match.js";
import {
  addressElement,
  championElement,
  hasLeft,
  inviteElement,
  lineUp,
  publicAddress,
  standingOf,
} from "./screen_scenes.js";
import { halves } from "./standings.js";
import { intervalBar } from "./tables.js";
import { printable } from "./text.js";

/** @typedef {import("./link.js").Hello} Hello */
/** @typedef {import("./link.js").Lobby} Lobby */
/** @typedef {import("./link.js").Match} Match */
/** @typedef {import("./link.js").Running} Running */
/** @typedef {import("./link.js").Tournament} Tournament */
/** @typedef {{title: string, content: HTMLElement}} Sheet a table that fills the screen */
/**
 * @typedef {{seconds: number, results: boolean, tournament: string | null,
 *   address: string | null}} Options
 */

/** Seconds for which a match is shown unless the address says otherwise, and the bounds of that. */
const SECONDS = 20;
const MIN_SECONDS = 3;
const MAX_SECONDS = 600;
/** Seconds for which the line-up is shown before a match. */
const LINE_UP_SECONDS = 4;
/** Number of matches, or of best parts, that are shown between two rounds of tables. */
const MATCHES_IN_A_ROW = 3;
/** Maximum number of rows of a table, so that it can be read from afar. */
const ROWS = 10;
/** Maximum number of tables in one round of them. */
const MAX_SHEETS = 8;
/** Number of shown matches that are remembered. */
const MAX_REMEMBERED = 200;
/** Milliseconds without a movement of the mouse after which the buttons disappear. */
const IDLE = 3000;
/** Milliseconds before the next attempt if nothing could be shown. */
const PAUSE = 1000;

/**
 * Return the options that an address names; values that make no sense are ignored.
 *
 * @param {URLSearchParams} query
 * @returns {Options}
 */
export function optionsOf(query) {
  const seconds = Number(query.get("seconds") || SECONDS);
  return {
    seconds: Number.isFinite(seconds)
      ? Math.min(MAX_SECONDS, Math.max(MIN_SECONDS, seconds))
      : SECONDS,
    results: query.get("results") !== "hidden",
    tournament: query.get("tournament"),
    address: query.get("address"),
  };
}

/**
 * Choose the match to show next: one that wasn't shown yet, otherwise the one that was shown the
 * longest ago.
 *
 * @template {{match: string}} T
 * @param {readonly T[]} matches
 * @param {ReadonlyMap<string, number>} shown by match: when it was shown last, as a growing number
 * @returns {T | null} null if there is none
 */
export function nextMatch(matches, shown) {
  const when = (/** @type {T} */ { match }) => shown.get(match) ?? -1;
  return matches.reduce(
    (best, one) => (best === null || when(one) < when(best) ? one : best),
    /** @type {T | null} */ (null),
  );
}

/** Show the screen of this page's arena, for as long as the page is open. */
export function showScreen() {
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  const link = new Link(`${scheme}//${location.host}/api/1/ws`);
  const options = optionsOf(new URLSearchParams(location.search));
  document.body.dataset.view = "screen";
  document.title = "Screen · Lanista";
  document.head.append(el("link", { rel: "stylesheet", href: "/page/screen.css" }));
  new Screen(link, options);
}

/** The screen: what it shows, one thing after another. */
class Screen {
  #link;
  #options;
  #title = el("h1", { class: "name" });
  #about = el("p", { class: "about" });
  #lost = el("p", { class: "badge danger", role: "status", hidden: true }, "connection lost");
  #stage = el("div", { class: "stage" });
  #others = el("ul", { class: "others", "aria-label": "Also running" });
  #invite;
  #resultsButton = el("button", { class: "button", type: "button" });
  #holdButton = el("button", { class: "button", type: "button", "aria-pressed": "false" }, "Hold");
  /** Aborted to go on to the next thing. */
  #turn = new AbortController();
  #isHeld = false;
  /** By match: the number of its last showing. @type {Map<string, number>} */
  #shown = new Map();
  #showings = 0;
  #sinceTables = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #idle = undefined;
  /** The arena's version at first: another one has another page. @type {string | null} */
  #software = null;

  /**
   * @param {Link} link
   * @param {Options} options
   */
  constructor(link, options) {
    this.#link = link;
    this.#options = options;
    const address = publicAddress(options.address, location);
    this.#invite = inviteElement(address);
    const next = el("button", { class: "button", type: "button" }, "Next");
    const full = el("button", { class: "button", type: "button" }, "Full screen");
    next.addEventListener("click", () => this.#turn.abort());
    full.addEventListener("click", () => void document.documentElement.requestFullscreen());
    this.#holdButton.addEventListener("click", () => this.#hold());
    this.#resultsButton.addEventListener("click", () => this.#switchResults());
    document.body.append(
      el(
        "header",
        { class: "screen-top" },
        el("div", { class: "stack" }, this.#title, this.#about),
        el("span", { class: "spread" }),
        this.#lost,
        el(
          "div",
          { class: "row controls", role: "group", "aria-label": "Screen" },
          this.#resultsButton,
          this.#holdButton,
          next,
          full,
        ),
      ),
      el(
        "main",
        { class: "screen" },
        this.#stage,
        el("footer", { class: "row" }, this.#others, address !== null && addressElement(address)),
      ),
    );
    addEventListener("keydown", (event) => this.#onKey(event));
    for (const type of ["mousemove", "keydown", "focusin"]) {
      addEventListener(type, () => this.#wake());
    }
    this.#wake();
    this.#showSwitch();
    link.addEventListener("state", () => {
      this.#lost.hidden = link.state === "open";
    });
    link.addEventListener("hello", (event) =>
      this.#onHello(/** @type {CustomEvent<Hello>} */ (event).detail),
    );
    link.addEventListener("lobby", () => this.#showOthers());
    document.addEventListener("visibilitychange", () => void keepAwake());
    void keepAwake();
    void this.#run();
  }

  /** @param {Hello} hello */
  #onHello({ software }) {
    if (this.#software !== null && this.#software !== software) {
      location.reload(); // the arena was restarted with another version, which has another page
      return;
    }
    this.#software = software;
    this.#link.ask({ do: "lobby" }).catch(() => {
      // The connection was lost again; the next hello repeats this.
    });
  }

  /** Show one thing after another. */
  async #run() {
    for (;;) {
      this.#turn = new AbortController();
      const { signal } = this.#turn;
      let wasShown = false;
      try {
        await this.#link.opened();
        wasShown = await this.#showNext(signal);
      } catch {
        // Whatever can't be shown is skipped; a hall must not see an empty screen for long.
      }
      if (!wasShown) {
        await pause(PAUSE, signal);
      }
    }
  }

  /**
   * Show the next thing.
   *
   * @param {AbortSignal} signal
   * @returns {Promise<boolean>} whether there was one
   */
  async #showNext(signal) {
    const running = this.#running();
    const match = nextMatch(running, this.#shown);
    const last = match === null ? await this.#lastMatches(signal).catch(() => []) : [];
    const best = nextMatch(last, this.#shown);
    const most = Math.min(MATCHES_IN_A_ROW, Math.max(running.length, last.length));
    if (this.#sinceTables < most) {
      this.#sinceTables += 1;
      if (match !== null) {
        return this.#showMatch(match, signal);
      }
      if (best !== null && (await this.#showBestPart(best, signal))) {
        return true;
      }
    }
    this.#sinceTables = 0;
    const sheets = await this.#sheets(signal);
    for (const sheet of sheets) {
      await this.#showSheet(sheet, this.#turn.signal);
      if (this.#turn.signal.aborted) {
        this.#turn = new AbortController();
      }
    }
    if (sheets.length > 0) {
      return true;
    }
    if (match !== null) {
      return this.#showMatch(match, signal);
    }
    if (best !== null) {
      return this.#showBestPart(best, signal);
    }
    this.#showNothing();
    return false;
  }

  /** Return the running matches that this screen may show. @returns {Running[]} */
  #running() {
    const { tournament } = this.#options;
    const running = this.#link.lobby?.running ?? [];
    return tournament === null
      ? running
      : running.filter((match) => match.tournament === tournament);
  }

  /**
   * @param {Running} running
   * @param {AbortSignal} signal
   * @returns {Promise<boolean>} whether it could be shown
   */
  async #showMatch(running, signal) {
    const isNew = !this.#shown.has(running.match);
    this.#remember(running.match);
    this.#setTitle(printable(running.tournament ?? running.room ?? "Lanista"), running.title);
    this.#showOthers(running.match);
    if (isNew) {
      await this.#showLineUp(running, signal);
    }
    return showMatch(this.#stage, this.#link, running, this.#how(running.title, signal));
  }

  /**
   * Show the best part of a match that is over, until it is through or another match begins.
   *
   * @param {Match} match
   * @param {AbortSignal} signal
   * @returns {Promise<boolean>} whether it could be shown
   */
  async #showBestPart(match, signal) {
    this.#remember(match.match);
    this.#setTitle(printable(match.tournament ?? match.ladder ?? "Lanista"), "");
    this.#showOthers("");
    const turn = this.#turn;
    const giveWay = () => {
      if (!this.#isHeld && this.#running().length > 0) {
        this.#sinceTables = 0;
        turn.abort();
      }
    };
    const how = this.#how(`${match.title} · best part of a recent match`, signal);
    this.#link.addEventListener("lobby", giveWay);
    try {
      return await showBestPart(this.#stage, this.#link, match.match, how);
    } finally {
      this.#link.removeEventListener("lobby", giveWay);
    }
  }

  /**
   * Return how a match is shown.
   *
   * @param {string} what
   * @param {AbortSignal} signal
   * @returns {import("./screen_match.js").How}
   */
  #how(what, signal) {
    return {
      seconds: this.#options.seconds,
      signal,
      results: () => this.#options.results,
      held: () => this.#isHeld,
      tell: (about) => {
        this.#about.textContent = `${what} · ${about}`;
      },
    };
  }

  /** Note that a match is shown now. @param {string} match */
  #remember(match) {
    this.#shown.delete(match);
    this.#shown.set(match, (this.#showings += 1));
    if (this.#shown.size > MAX_REMEMBERED) {
      this.#shown.delete(/** @type {string} */ (this.#shown.keys().next().value));
    }
  }

  /**
   * Return the last matches that were played to their end, as many as are shown in a row: those of
   * the tournaments on this screen, and of the arena if it isn't that of one tournament.
   *
   * @param {AbortSignal} signal
   * @returns {Promise<Match[]>}
   */
  async #lastMatches(signal) {
    const { lobby } = this.#link;
    if (lobby === null) {
      return [];
    }
    const found = this.#options.tournament === null ? [...lobby.recent] : [];
    for (const { name } of this.#tournaments(lobby)) {
      const query = new URLSearchParams({ tournament: name, limit: String(MATCHES_IN_A_ROW) });
      found.push(...(await fetchJson(`/api/1/matches?${query}`, signal)).matches);
    }
    return found
      .filter(({ end, recorded }) => recorded !== false && (end === "finished" || end === "forfeit"))
      .sort((a, b) => Date.parse(b.ended ?? "") - Date.parse(a.ended ?? ""))
      .slice(0, MATCHES_IN_A_ROW);
  }

  /**
   * Return the tournaments that this screen shows: one that has been over for long has left unless
   * it is named by the address.
   *
   * @param {Lobby} lobby
   */
  #tournaments({ tournaments }) {
    const { tournament: wanted } = this.#options;
    return tournaments.filter(
      (one) =>
        one.standings !== null &&
        (wanted === null ? !hasLeft(one, Date.now()) : one.name === wanted),
    );
  }

  /**
   * Show who is about to play, and where each stands.
   *
   * @param {Running} running
   * @param {AbortSignal} signal
   */
  async #showLineUp(running, signal) {
    const { lobby } = this.#link;
    /** @type {Map<string, string>} */
    let standing = new Map();
    if (this.#options.results && lobby !== null) {
      // Without its table the line-up is shown all the same.
      standing = await standingOf(running, lobby, signal).catch(() => standing);
    }
    await this.#stay(lineUp(running, standing), LINE_UP_SECONDS, signal);
  }

  /**
   * @param {Sheet} sheet
   * @param {AbortSignal} signal
   */
  async #showSheet({ title, content }, signal) {
    this.#setTitle(title, "");
    this.#showOthers("");
    await this.#stay(content, this.#options.seconds, signal);
  }

  /**
   * Show something as large as the screen allows for some time.
   *
   * @param {HTMLElement} content
   * @param {number} seconds
   * @param {AbortSignal} signal
   */
  async #stay(content, seconds, signal) {
    const box = el("div", { class: "sheet" }, content);
    this.#stage.classList.remove("wide");
    fill(this.#stage, box, this.#invite);
    const resizing = new ResizeObserver(() => fit(box, content));
    resizing.observe(box);
    fit(box, content);
    const until = performance.now() + 1000 * seconds;
    while (!signal.aborted && (this.#isHeld || performance.now() < until)) {
      await pause(Math.min(PAUSE, Math.max(50, until - performance.now())), signal);
    }
    resizing.disconnect();
  }

  /** Say that nothing is there to be shown. */
  #showNothing() {
    const { tournament } = this.#options;
    this.#setTitle(printable(tournament ?? "Lanista"), "");
    const { lobby } = this.#link;
    const waiting = (lobby?.rooms ?? []).flatMap(({ bots }) => bots.map(({ name }) => name));
    const isThere = lobby === null || lobby.tournaments.some(({ name }) => name === tournament);
    fill(
      this.#stage,
      el(
        "p",
        { class: "nothing" },
        tournament !== null && !isThere
          ? "There is no tournament of this name here."
          : waiting.length > 0
          ? `Waiting: ${waiting.slice(0, ROWS).map((name) => isolated(printable(name))).join(", ")}`
          : "The next match begins soon.",
      ),
      this.#invite,
    );
  }

  /**
   * Make the tables that can be shown now.
   *
   * @param {AbortSignal} signal
   * @returns {Promise<Sheet[]>}
   */
  async #sheets(signal) {
    const { lobby } = this.#link;
    if (lobby === null) {
      return [];
    }
    let tournaments = this.#tournaments(lobby);
    /** @type {Sheet[]} */
    let others = [];
    if (this.#options.tournament === null) {
      others = this.#options.results ? tablesOf(lobby, tournaments.length > 0) : [];
      if (tournaments.length + others.length + lobby.running.length === 0) {
        // There is nothing else.
        tournaments = lobby.tournaments.filter(({ standings }) => standings !== null);
      }
    }
    /** @type {Sheet[]} */
    const sheets = [];
    for (const { name } of tournaments) {
      const address = `/api/1/tournaments/${encodeURIComponent(name)}`;
      sheets.push(...this.#ofTournament(await fetchJson(address, signal)));
    }
    sheets.push(...others);
    return sheets.slice(0, MAX_SHEETS);
  }

  /**
   * Return the tables of a tournament.
   *
   * @param {Tournament} tournament
   * @returns {Sheet[]}
   */
  #ofTournament({ name, standings }) {
    if (standings === null) {
      return [];
    }
    const title = printable(name);
    const progress = el("p", null, formatProgress(standings));
    if (!this.#options.results) {
      const hidden = el("p", null, "The results will be shown later.");
      return [{ title, content: el("div", { class: "stack" }, progress, hidden) }];
    }
    /** @type {Sheet[]} */
    const sheets = [];
    if (standings.over) {
      sheets.push({ title, content: championElement(standings.standings) });
    }
    const running = this.#running();
    if (standings.rounds.length > 0) {
      const isKnockout = standings.format === "knockout";
      sheets.push({
        title: isKnockout ? title : `${title} · rounds`,
        content: isKnockout
          ? bracketElement(name, standings, running)
          : roundsElement(name, standings, running, ROWS),
      });
    }
    sheets.push({
      title,
      content: tableOf(
        ["#", "Bot", "Points", "Rating", "±"],
        withBars(standings.standings).map(({ rank, bot, points, rating, bar }) => [
          rank,
          printable(bot),
          halves(points),
          formatRating(rating),
          bar,
        ]),
      ),
    });
    if (standings.race.blocks.length > 1) {
      sheets.push({ title: `${title} · ratings`, content: raceElement(standings.race) });
    }
    return sheets;
  }

  /** Show who else is playing now. @param {string} [shown] the match on the stage */
  #showOthers(shown = this.#others.dataset.shown ?? "") {
    this.#others.dataset.shown = shown;
    const others = this.#running().filter(({ match }) => match !== shown);
    fill(
      this.#others,
      others.slice(0, ROWS).map(({ players }) =>
        el("li", null, players.map(({ name }) => isolated(printable(name))).join(" – ")),
      ),
    );
    this.#others.hidden = others.length === 0;
  }

  /** @param {string} title @param {string} about */
  #setTitle(title, about) {
    this.#title.textContent = title;
    this.#about.textContent = about;
    this.#about.hidden = false;
  }

  #hold() {
    this.#isHeld = !this.#isHeld;
    this.#holdButton.setAttribute("aria-pressed", String(this.#isHeld));
  }

  #switchResults() {
    this.#options.results = !this.#options.results;
    this.#showSwitch();
    this.#turn.abort();
  }

  #showSwitch() {
    this.#resultsButton.textContent = this.#options.results ? "Hide results" : "Show results";
    document.body.dataset.results = this.#options.results ? "shown" : "hidden";
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) {
      return;
    }
    if (event.key === "r" || event.key === "R") {
      this.#switchResults();
    } else if (event.key === "h" || event.key === "H") {
      this.#hold();
    } else if (event.key === "ArrowRight" || event.key === "n" || event.key === "N") {
      this.#turn.abort();
    } else if (event.key === "f" || event.key === "F") {
      void document.documentElement.requestFullscreen();
    }
  }

  /** Show the buttons and the pointer for a moment. */
  #wake() {
    document.body.classList.remove("idle");
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => document.body.classList.add("idle"), IDLE);
  }
}

/**
 * Make the tables of an arena's ladders, or if it has none, of its friendly matches.
 *
 * @param {Lobby} lobby
 * @param {boolean} hasTournaments whether tournaments are shown, so that no friendly match counts
 * @returns {Sheet[]}
 */
function tablesOf(lobby, hasTournaments) {
  const ladders = lobby.ladders.filter(({ rows }) => rows.length > 0);
  if (lobby.ladders.length > 0 || hasTournaments) {
    return ladders.map(({ title, name, rows }) => ({
      title: `${title} · ${printable(name)}`,
      content: tableOf(
        ["#", "Bot", "Rating", "±"],
        withBars(rows).map(({ rank, bot, rating, bar }) => [
          rank ?? "",
          printable(bot),
          formatRating(rating),
          bar,
        ]),
      ),
    }));
  }
  return lobby.standings
    .filter(({ rows }) => rows.length > 0)
    .map(({ title, rows }) => ({
      title,
      content: tableOf(
        ["#", "Bot", "Matches", "Points"],
        rows.slice(0, ROWS).map(({ rank, name, matches, points }) => [
          rank,
          printable(name),
          matches,
          halves(points),
        ]),
      ),
    }));
}

/**
 * Return the first rows of a table with the bars of their ratings.
 *
 * @template {{rating: import("./link.js").Estimate | null}} Row
 * @param {readonly Row[]} rows
 * @returns {(Row & {bar: HTMLElement | ""})[]}
 */
function withBars(rows) {
  const shown = rows.slice(0, ROWS);
  const axis = axisOf(shown.flatMap(({ rating }) => rating ?? []), CENTRE);
  return shown.map((row) => ({
    ...row,
    bar: row.rating === null ? "" : intervalBar(axis(row.rating), formatInterval(row.rating)),
  }));
}

/**
 * Make a table.
 *
 * @param {readonly string[]} titles the second column has names, the others figures
 * @param {readonly (readonly (string | number | HTMLElement)[])[]} rows
 * @returns {HTMLElement}
 */
function tableOf(titles, rows) {
  return el(
    "table",
    { class: "standings" },
    el(
      "thead",
      null,
      el(
        "tr",
        null,
        titles.map((title, i) =>
          el("th", { scope: "col", class: i === 1 || title === "±" ? null : "number" }, title),
        ),
      ),
    ),
    el(
      "tbody",
      null,
      rows.map((cells) =>
        el(
          "tr",
          null,
          cells.map((cell, i) =>
            i === 1
              ? el("th", { scope: "row" }, el("span", { class: "name" }, cell))
              : el("td", { class: "number" }, cell),
          ),
        ),
      ),
    ),
  );
}

/**
 * Scale a table so that it fills its box.
 *
 * @param {HTMLElement} box
 * @param {HTMLElement} content
 */
function fit(box, content) {
  const { offsetWidth: width, offsetHeight: height } = content;
  if (width > 0 && height > 0) {
    const scale = Math.min(box.clientWidth / width, box.clientHeight / height);
    content.style.setProperty("--scale", scale.toFixed(3));
  }
}

/** Keep the display from being switched off, where browsers let a page do that. */
async function keepAwake() {
  try {
    await navigator.wakeLock?.request("screen");
  } catch {
    // Refused, as for a page without TLS: then the machine's own settings count.
  }
}
