/**
 * The list of matches (`#/matches`): the arena's, or those of a tournament, with filters that are
 * part of the address.
 *
 * @module
 */

import { el, fill, list } from "./dom.js";
import { FAILURES } from "./figures.js";
import { followFigures } from "./following.js";
import {
  addressOf,
  endReason,
  errorMessage,
  fetchJson,
  matchesAddress,
  outcome,
  playersOf,
  timeElement,
  winners,
} from "./matches.js";
import { wasScrolled } from "./scrolling.js";
import { printable } from "./text.js";

/** @typedef {import("./link.js").Link} Link */
/** @typedef {import("./link.js").Lobby} Lobby */
/** @typedef {import("./link.js").Match} Match */
/** @typedef {{matches: Match[], next: string | null}} Page a part of the list */
/** @typedef {{name: string, title: string}} Game */

/** The ways in which a match may end (docs/records.md), with their labels in the filter. */
const END_FILTERS = [
  ["finished", "played to the end"],
  ["forfeit", "ended by forfeit"],
  ["void", "void"],
  ["aborted", "aborted"],
];

/** Number of older matches beyond which a list begins anew, as it may stay open for days. */
const MAX_OLDER = 2000;

/**
 * Show the list of matches, and keep it up to date.
 *
 * @param {HTMLElement} root is filled
 * @param {Link} link the lobby must have been requested from it, as lobby messages announce changes
 * @param {URLSearchParams} chosen the filters of `/api/1/matches`, as in the page's address
 * @param {(chosen: URLSearchParams) => void} choose goes to the list with other filters
 * @returns {{close(): void}}
 */
export function matchesView(root, link, chosen, choose) {
  const ended = new AbortController();
  const rows = el("tbody", null);
  const state = el("p", { class: "muted", role: "status" }, "Loading…");
  const more = el("button", { class: "button", type: "button", hidden: true }, "Show more");
  const tournament = chosen.get("tournament");
  const form =
    tournament === null
      ? filterForm(chosen, choose, ended.signal)
      : tournamentForm(tournament, chosen, choose);
  /** @type {Page} */
  let shown = { matches: [], next: null };
  let isMoreWanted = false;
  /** How far it was scrolled, if the user comes back: it becomes that long again by itself. */
  let scrolled = wasScrolled();

  /** @param {Page} page what is shown from now on */
  function show(page) {
    shown = page;
    list(rows, page.matches, ({ match }) => match, rowOf);
    state.textContent = page.matches.length === 0 ? noMatchesText(chosen) : "";
    more.hidden = page.next === null;
    if (!more.hidden && document.documentElement.scrollHeight - innerHeight < scrolled) {
      more.click();
    } else {
      scrolled = 0;
    }
  }

  /** @param {string} message */
  function fail(message) {
    state.textContent = `The list can't be loaded: ${message}`;
  }

  more.addEventListener("click", async () => {
    isMoreWanted = true;
    const { next } = shown;
    const query = new URLSearchParams(chosen);
    query.set("before", next ?? "");
    state.textContent = "Loading…";
    try {
      /** @type {Page} */
      const page = await fetchJson(`/api/1/matches?${query}`, ended.signal);
      if (next === shown.next) {
        show({ ...page, matches: [...shown.matches, ...page.matches] });
      }
    } catch (error) {
      if (!ended.signal.aborted) {
        fail(errorMessage(error));
      }
    }
  });

  fill(
    root,
    el(
      "div",
      { class: "page matches" },
      tournament === null
        ? el("h1", null, "Matches")
        : el(
            "h1",
            null,
            "Matches of ",
            el(
              "a",
              { class: "name", href: `/tournament/${encodeURIComponent(tournament)}` },
              printable(tournament),
            ),
          ),
      form,
      el(
        "table",
        { class: "panel" },
        el(
          "thead",
          null,
          el(
            "tr",
            null,
            ["Time", "Game", "Players and scores", "Result"].map((title) =>
              el("th", { scope: "col" }, title),
            ),
            el("th", { scope: "col", class: "number" }, "Turns"),
            el("th", { scope: "col" }, el("span", { class: "unseen" }, "Look")),
          ),
        ),
        rows,
      ),
      state,
      el("p", null, more),
    ),
  );
  const following = followFigures(link, {
    address: `/api/1/matches?${chosen}`,
    version: (lobby) => listVersion(lobby, tournament),
    show: (/** @type {Page} */ newest) => show(isMoreWanted ? withOlder(newest, shown) : newest),
    fail,
  });
  return {
    close() {
      ended.abort();
      following.close();
    },
  };
}

/**
 * Return the newest matches with those below them that are shown already.
 *
 * @param {Page} newest the first part of the list
 * @param {Page} shown
 * @returns {Page} the newest matches alone, if there may be others between, or there are very many
 */
export function withOlder(newest, shown) {
  const listed = new Set(newest.matches.map(({ match }) => match));
  const over = shown.matches.filter(({ state }) => state === "over");
  const older = over.filter(({ match }) => !listed.has(match));
  const isGap = older.length === over.length && newest.next !== null;
  return isGap || older.length === 0 || older.length > MAX_OLDER
    ? newest
    : { matches: [...newest.matches, ...older], next: shown.next };
}

/**
 * Return a text that changes whenever there are other matches to list.
 *
 * @param {Lobby} lobby
 * @param {string | null} tournament whose matches are listed; null: the arena's
 * @returns {string | undefined}
 */
function listVersion({ running, recent, tournaments }, tournament) {
  if (tournament !== null) {
    return tournaments.find(({ name }) => name === tournament)?.computed ?? undefined;
  }
  return JSON.stringify([...running, ...recent.slice(0, 1)].map(({ match }) => match));
}

/**
 * Make a form of filters.
 *
 * @param {URLSearchParams} chosen
 * @param {(chosen: URLSearchParams) => void} choose
 * @param {[label: string, field: HTMLInputElement | HTMLSelectElement][]} fields named like the
 *   filters
 * @param {Record<string, string>} always filters that stay
 * @returns {HTMLElement}
 */
function formOf(chosen, choose, fields, always) {
  const apply = () => {
    const values = fields.map(([, { name, value }]) => [name, value]);
    choose(
      new URLSearchParams({
        ...always,
        ...Object.fromEntries(values.filter(([, value]) => value !== "")),
      }),
    );
  };
  for (const [, field] of fields) {
    if (field instanceof HTMLSelectElement) {
      field.addEventListener("change", apply);
    }
  }
  return el(
    "form",
    {
      class: "filters",
      "aria-label": "Filter matches",
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        apply();
      },
    },
    fields.map(([label, field]) => el("label", null, label, field)),
    el("button", { class: "button primary" }, "Show"),
    chosen.size > Object.keys(always).length &&
      el("a", { class: "button", href: matchesAddress(always) }, "Show all"),
  );
}

/**
 * Make a field for a name.
 *
 * @param {string} name of the filter
 * @param {URLSearchParams} chosen
 * @param {string} placeholder
 * @returns {HTMLInputElement}
 */
function nameField(name, chosen, placeholder) {
  return el("input", {
    name,
    type: "search",
    value: chosen.get(name) ?? "",
    placeholder,
    maxlength: 64,
    autocomplete: "off",
    spellcheck: "false",
  });
}

/**
 * Make the form with the filters of the arena's matches.
 *
 * @param {URLSearchParams} chosen
 * @param {(chosen: URLSearchParams) => void} choose
 * @param {AbortSignal} signal
 * @returns {HTMLElement}
 */
function filterForm(chosen, choose, signal) {
  const games = el("select", { name: "game" }, el("option", { value: "" }, "all games"));
  const end = el(
    "select",
    { name: "end" },
    el("option", { value: "" }, "any end"),
    END_FILTERS.map(([value, label]) =>
      el("option", { value, selected: value === chosen.get("end") }, label),
    ),
  );
  // A link to a bot's matches names it exactly; whoever types a name may know only a part of it.
  const exact = chosen.has("player");
  const player = exact
    ? nameField("player", chosen, "exact name")
    : nameField("name", chosen, "part of a name");
  void offerGames(games, chosen.get("game"), signal);
  return formOf(
    chosen,
    choose,
    [
      ["Game", games],
      ["Player", player],
      ["End", end],
    ],
    {},
  );
}

/**
 * Make the form with the filters of a tournament's matches.
 *
 * @param {string} tournament its name
 * @param {URLSearchParams} chosen
 * @param {(chosen: URLSearchParams) => void} choose
 * @returns {HTMLElement}
 */
function tournamentForm(tournament, chosen, choose) {
  const ending = el(
    "select",
    { name: "ending" },
    el("option", { value: "" }, "any ending"),
    ["normal", ...FAILURES.map(([value]) => value), "void"].map((value) =>
      el("option", { value, selected: value === chosen.get("ending") }, value),
    ),
  );
  const fault = el(
    "select",
    { name: "fault" },
    el("option", { value: "" }, "with or without"),
    [
      ["late", "late turns"],
      ["malformed", "malformed turns"],
      ["illegal", "illegal moves"],
    ].map(([value, label]) =>
      el("option", { value, selected: value === chosen.get("fault") }, label),
    ),
  );
  return formOf(
    chosen,
    choose,
    [
      ["Bot", nameField("player", chosen, "exact name")],
      ["Against", nameField("against", chosen, "exact name")],
      ["Ending", ending],
      ["Faults", fault],
    ],
    { tournament },
  );
}

/**
 * Fill the filter of games.
 *
 * @param {HTMLSelectElement} games
 * @param {string | null} game that is chosen
 * @param {AbortSignal} signal
 */
async function offerGames(games, game, signal) {
  /** @type {Game[]} */
  let known = [];
  try {
    known = (await fetchJson("/api/1/games", signal)).games;
  } catch {
    // The request for the list fails, too, and shows why.
  }
  if (game !== null && !known.some(({ name }) => name === game)) {
    known = [...known, { name: game, title: game }];
  }
  games.append(
    ...known.map(({ name, title }) =>
      el("option", { value: name, selected: name === game }, title),
    ),
  );
}

/**
 * Make the row of a match.
 *
 * @param {Match} match
 * @returns {HTMLElement}
 */
function rowOf(match) {
  const running = match.state === "running";
  const record = `/api/1/matches/${encodeURIComponent(match.match)}/record`;
  const names = match.players.join(", ");
  const time = match.started ?? match.ended;
  const { tournament } = match;
  const linkOf = (/** @type {string} */ player) =>
    matchesAddress(tournament ? { tournament, player } : { player });
  const isRecorded = match.recorded !== false;
  return el(
    "tr",
    null,
    el("td", null, time !== null && timeElement(time)),
    el("td", null, match.title),
    el("td", null, playersOf(match, linkOf)),
    el(
      "td",
      null,
      running
        ? el("span", { class: "badge accent" }, "running")
        : el("span", { class: winners(match).length > 0 ? "name" : "muted" }, outcome(match)),
      " ",
      endReason(match) !== "" && el("span", { class: "muted" }, `(${endReason(match)})`),
      failuresOf(match),
      faultsOf(match),
    ),
    el("td", { class: "number", dataset: { title: "turns" } }, match.turns),
    el(
      "td",
      null,
      el(
        "span",
        { class: "row looks" },
        isRecorded &&
          el(
            "a",
            { class: "button small", href: addressOf(match.match), "aria-label": `Watch ${names}` },
            running ? "Watch" : "Replay",
          ),
        isRecorded &&
          !running &&
          el(
            "a",
            { class: "button small", href: record, download: "", title: "The record's file" },
            "Record",
          ),
      ),
    ),
  );
}

/**
 * Make the element that says which bots failed in a tournament's match, and why.
 *
 * @param {Match} match
 * @returns {HTMLElement | null} null: none
 */
function failuresOf({ players, endings, words }) {
  const failed = (endings ?? []).flatMap((ending, seat) =>
    FAILURES.some(([failure]) => failure === ending)
      ? [`${players[seat]}: ${ending}${words?.[seat] ? `, ${printable(words[seat])}` : ""}`]
      : [],
  );
  return failed.length === 0
    ? null
    : el("div", { class: "muted faults", title: failed.join("\n") }, failed.join("; "));
}

/**
 * Make the element with the number of faults in a match.
 *
 * @param {Match} match
 * @returns {HTMLElement | null} null: there were none
 */
function faultsOf(match) {
  const faults = match.faults ?? [];
  const lines = faults.flatMap((count, seat) =>
    count > 0 ? [`${match.players[seat]}: ${count}`] : [],
  );
  const sum = faults.reduce((all, count) => all + count, 0);
  const summary = sum === 1 ? "1 fault" : `${sum} faults`;
  return lines.length === 0
    ? null
    : el("div", { class: "muted faults", title: lines.join("\n") }, summary);
}

/**
 * Return what to show if there are no matches.
 *
 * @param {URLSearchParams} chosen the filters
 * @returns {string}
 */
function noMatchesText(chosen) {
  return chosen.size > 0
    ? "No match fits these filters."
    : "No match has been played yet.";
}
