/**
 * The choice of a match to compare another one with (`#/compare?a=ID`).
 *
 * @module
 */

import { el, fill } from "./dom.js";
import { kept, SPOILERS } from "./kept.js";
import { addressOf, errorMessage, fetchJson, isolated, outcome, playersOf, timeElement } from "./matches.js";
import { printable } from "./text.js";

/** @typedef {import("./link.js").Match} Match */

/**
 * Return the address of the view that compares two matches.
 *
 * @param {string} a
 * @param {object} [more]
 * @param {string} [more.b] absent: it is still to be chosen
 * @param {string} [more.of] name of the bot of which another match is looked for
 * @param {number | null} [more.round]
 * @returns {string}
 */
export function compareAddress(a, { b, of, round = null } = {}) {
  const query = new URLSearchParams({ a });
  for (const [name, value] of Object.entries({ b, of, round })) {
    if (value !== undefined && value !== null) {
      query.set(name, String(value));
    }
  }
  return `#/compare?${query}`;
}

/**
 * Return the id of a match that somebody has entered: the id itself, or an address of its view.
 *
 * @param {string} text
 * @returns {string}
 */
function enteredMatch(text) {
  const [, id] = /\/match\/([^/?#\s]+)/.exec(text) ?? [];
  try {
    return id === undefined ? text.trim() : decodeURIComponent(id);
  } catch {
    return text.trim();
  }
}

/**
 * Show a field for a match's id, and the matches that began like the first one: those of the same
 * game with the same seed. If a bot is given, those with it come first, and a single one is chosen.
 *
 * @param {HTMLElement} root is filled
 * @param {string} first id of the match to compare with
 * @param {string | null} bot name of the bot of which another match is looked for; null: any
 * @param {(second: string, isOnly: boolean) => void} choose goes to the comparison; `isOnly`: there
 *   was nothing to choose from
 * @returns {{close(): void}}
 */
export function compareChoice(root, first, bot, choose) {
  const ended = new AbortController();
  const field = el("input", {
    name: "b",
    required: true,
    size: 30,
    autocomplete: "off",
    spellcheck: "false",
  });
  const title = el("p", { class: "muted" });
  const state = el("p", { class: "muted", role: "status" }, "Loading…");
  const rows = el("tbody", null);
  const table = el(
    "table",
    { class: "panel", hidden: true },
    el(
      "thead",
      null,
      el(
        "tr",
        null,
        ["Time", "Players and scores", "Result"].map((name) => el("th", { scope: "col" }, name)),
        el("th", { scope: "col" }, el("span", { class: "unseen" }, "Compare")),
      ),
    ),
    rows,
  );
  fill(
    root,
    el(
      "div",
      { class: "page matches" },
      el("h1", null, "Compare a match with another one"),
      title,
      el(
        "form",
        {
          class: "filters",
          "aria-label": "The other match",
          onsubmit: (/** @type {Event} */ event) => {
            event.preventDefault();
            choose(enteredMatch(field.value), false);
          },
        },
        el("label", null, el("span", null, "Id or address of the other match"), field),
        el("button", { class: "button primary", type: "submit" }, "Compare"),
      ),
      el("h2", null, "Matches that began in the same way"),
      state,
      table,
    ),
  );
  void load();
  return { close: () => ended.abort() };

  async function load() {
    try {
      const one = await fetchJson(`/api/1/matches/${encodeURIComponent(first)}`, ended.signal);
      const names = one.players.map((/** @type {string} */ name) => isolated(printable(name))).join(" – ");
      fill(title, el("a", { href: addressOf(first) }, names), ` · ${one.title}`);
      const all = one.seed === null ? [] : await like(one);
      const [withIt, without] = [true, false].map((isIn) =>
        all.filter(({ players }) => players.includes(bot ?? "") === isIn),
      );
      const others = [...withIt, ...without];
      const meant = withIt.length > 0 ? withIt : without;
      if (bot !== null && meant.length === 1) {
        choose(meant[0].match, true);
        return;
      }
      fill(rows, others.map((match) => rowOf(first, match)));
      table.hidden = others.length === 0;
      state.textContent =
        others.length > 0
          ? `The same game and seed${withIt.length > 0 ? `; those with ${printable(bot ?? "")} first` : ""}:`
          : one.seed === null
            ? "The seed of this match isn't known yet, so they can't be found."
            : "There is no other match of this game with the same seed here.";
    } catch (error) {
      if (!ended.signal.aborted) {
        state.textContent = `They can't be looked up: ${errorMessage(error)}`;
      }
    }
  }

  /** Return the other matches with the same game and seed. @param {Match} one @returns {Promise<Match[]>} */
  async function like({ game, seed }) {
    const query = new URLSearchParams({ game, seed: String(seed), limit: "200" });
    const { matches } = await fetchJson(`/api/1/matches?${query}`, ended.signal);
    return matches.filter((/** @type {Match} */ { match }) => match !== first);
  }
}

/** @param {string} first @param {Match} match */
function rowOf(first, match) {
  const told = kept(SPOILERS) === "told";
  return el(
    "tr",
    null,
    el("td", null, match.started === null ? "" : timeElement(match.started)),
    el("td", null, playersOf(told ? match : { ...match, ranks: null, scores: null })),
    el("td", null, told || match.state !== "over" ? outcome(match) : "over"),
    el(
      "td",
      null,
      el("a", { class: "button small", href: compareAddress(first, { b: match.match }) }, "Compare"),
    ),
  );
}
