/**
 * The list of matches (`#/matches`), and what it shares with the lobby: texts about the end of a
 * match, and elements for times, seats and players.
 *
 * @module
 */

import { PALETTE, seatLetter } from "./colours.js";
import { el, fill } from "./dom.js";

/** @typedef {import("./link.js").Match} Match */
/** @typedef {{name: string, title: string}} Game */

/** The ways in which a match may end (docs/records.md), with their labels in the filter. */
const END_FILTERS = [
  ["finished", "played to the end"],
  ["forfeit", "ended by forfeit"],
  ["void", "void"],
  ["aborted", "aborted"],
];

/** Texts for those reasons of docs/records.md that need one; others are shown as they are. */
const REASONS = new Map([
  ["all-out", "no bot was left"],
  ["arena-ended", "the arena ended before the match"],
  ["both-captured", "both bases captured"],
  ["capture", "base captured"],
  ["error", "an error of the arena"],
  ["forfeit", "a bot gave up"],
  ["interrupted", "stopped by the arena"],
  ["move-limit", "move limit reached, no base captured"],
  ["no-units", "no units left"],
  ["rounds", "all rounds played"],
  ["stall", "the machine stalled"],
]);

/**
 * Return the seats that won: those of the best rank, if the match counts and not all have that
 * rank.
 *
 * @param {Match} match
 * @returns {number[]}
 */
export function winners(match) {
  const ranks = match.ranks ?? [];
  const counts = match.end === "finished" || match.end === "forfeit";
  const best = ranks.flatMap((rank, seat) => (rank === 1 ? [seat] : []));
  return counts && best.length < ranks.length ? best : [];
}

/**
 * Describe the outcome of a match: `Dummy won`, `draw`, `Demo and Null share first place`,
 * `void, doesn't count`.
 *
 * @param {Match} match
 * @returns {string}
 */
export function outcome(match) {
  if (match.state === "running") {
    return "running";
  }
  if (match.end === "void" || match.end === "aborted") {
    return `${match.end}, doesn't count`;
  }
  const names = winners(match).map((seat) => nameOf(match.players, seat));
  if (names.length === 0) {
    return "draw";
  }
  if (names.length === 1) {
    return `${names[0]} won`;
  }
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)} share first place`;
}

/**
 * Return the name of a seat's bot, with the seat's letter in front if another bot has the same
 * name.
 *
 * @param {readonly string[]} players names by seat
 * @param {number} seat
 * @returns {string}
 */
export function nameOf(players, seat) {
  const name = players[seat];
  const alone = players.filter((other) => other === name).length === 1;
  return alone ? name : `${seatLetter(seat)} ${name}`;
}

/**
 * Describe why a match ended: `base captured`. Empty while it is running.
 *
 * @param {Match} match
 * @returns {string}
 */
export function endReason(match) {
  const reason = REASONS.get(match.reason ?? "") ?? match.reason ?? "";
  if (match.end !== "forfeit") {
    return reason;
  }
  return match.reason === "forfeit" ? "by forfeit" : `by forfeit: ${reason}`;
}

/**
 * Make an element for a time in the user's format, with the day unless it is today.
 *
 * @param {string} iso ISO 8601
 * @param {Date} [now]
 * @returns {HTMLTimeElement}
 */
export function timeElement(iso, now = new Date()) {
  const then = new Date(iso);
  const time = { hour: /** @type {const} */ ("2-digit"), minute: /** @type {const} */ ("2-digit") };
  const day = { day: /** @type {const} */ ("numeric"), month: /** @type {const} */ ("short") };
  const text =
    then.toDateString() === now.toDateString()
      ? then.toLocaleTimeString(undefined, time)
      : then.toLocaleString(undefined, { ...day, ...time });
  return el("time", { datetime: iso, title: then.toLocaleString() }, text);
}

/**
 * Make an element with a seat's colour and letter.
 *
 * @param {number} seat
 * @returns {HTMLElement}
 */
export function seatMark(seat) {
  const letter = seatLetter(seat);
  const dataset = { seat: seat % PALETTE.light.seats.length };
  return el("span", { class: "seat", dataset, title: `seat ${letter}` }, letter);
}

/**
 * Make a list of the players of a match, by rank, with the winners in bold.
 *
 * @param {Match} match
 * @returns {HTMLElement}
 */
export function playersOf(match) {
  const best = winners(match);
  const seats = match.players.map((_, seat) => seat);
  const { ranks, scores } = match;
  if (ranks !== null) {
    seats.sort((a, b) => ranks[a] - ranks[b] || a - b);
  }
  return el(
    "ul",
    { class: "players" },
    seats.map((seat) =>
      el(
        "li",
        { class: best.includes(seat) ? "winner" : null },
        seatMark(seat),
        el("span", { class: "name" }, match.players[seat]),
        scores !== null && el("span", { class: "score" }, scores[seat].toLocaleString()),
      ),
    ),
  );
}

/**
 * Return the address of a match's view.
 *
 * @param {string} match
 * @returns {string}
 */
export function addressOf(match) {
  return `#/match/${encodeURIComponent(match)}`;
}

/**
 * Show the list of matches.
 *
 * @param {HTMLElement} root is filled
 * @param {URLSearchParams} chosen `game`, `player`, `end`: the filters, as in the page's address
 * @param {(chosen: URLSearchParams) => void} choose goes to the list with other filters
 * @returns {{close(): void}}
 */
export function matchesView(root, chosen, choose) {
  const ended = new AbortController();
  const rows = el("tbody", null);
  const state = el("p", { class: "muted", role: "status" });
  const more = el("button", { class: "button", type: "button", hidden: true }, "Show more");
  const games = el("select", { name: "game" }, el("option", { value: "" }, "all games"));
  const player = el("input", {
    name: "player",
    type: "search",
    value: chosen.get("player") ?? "",
    placeholder: "exact name",
    maxlength: 64,
    autocomplete: "off",
    spellcheck: "false",
  });
  const end = el(
    "select",
    { name: "end" },
    el("option", { value: "" }, "any end"),
    END_FILTERS.map(([value, label]) =>
      el("option", { value, selected: value === chosen.get("end") }, label),
    ),
  );
  const form = el(
    "form",
    { class: "filters", "aria-label": "Filter matches" },
    el("label", null, "Game", games),
    el("label", null, "Player", player),
    el("label", null, "End", end),
    el("button", { class: "button primary" }, "Show"),
    chosen.size > 0 && el("a", { class: "button", href: "#/matches" }, "Show all"),
  );
  const apply = () => {
    const fields = /** @type {[string, string][]} */ ([
      ["game", games.value],
      ["player", player.value],
      ["end", end.value],
    ]);
    choose(new URLSearchParams(fields.filter(([, value]) => value !== "")));
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    apply();
  });
  games.addEventListener("change", apply);
  end.addEventListener("change", apply);

  /** Append a page of matches. @param {string | null} before its cursor; null: the first page */
  async function load(before) {
    more.hidden = true;
    state.textContent = "Loading…";
    const query = new URLSearchParams(chosen);
    if (before !== null) {
      query.set("before", before);
    }
    try {
      const page = await fetchJson(`/api/1/matches?${query}`, ended.signal);
      rows.append(...page.matches.map(rowOf));
      state.textContent = rows.children.length === 0 ? noMatchesText(chosen) : "";
      more.hidden = page.next === null;
      more.onclick = () => load(page.next);
    } catch (error) {
      if (!ended.signal.aborted) {
        state.textContent = `The list can't be loaded: ${errorMessage(error)}`;
        more.hidden = false;
        more.onclick = () => load(before);
      }
    }
  }

  /** Fill the filter of games. */
  async function offerGames() {
    const game = chosen.get("game");
    /** @type {Game[]} */
    let known = [];
    try {
      known = (await fetchJson("/api/1/games", ended.signal)).games;
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

  fill(
    root,
    el(
      "div",
      { class: "page matches" },
      el("h1", null, "Matches"),
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
            ["Started", "Game", "Players and scores", "Result"].map((title) =>
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
  void offerGames();
  void load(null);
  return { close: () => ended.abort() };
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
  return el(
    "tr",
    null,
    el("td", null, timeElement(match.started)),
    el("td", null, match.title),
    el("td", null, playersOf(match)),
    el(
      "td",
      null,
      running
        ? el("span", { class: "badge accent" }, "running")
        : el("span", { class: winners(match).length > 0 ? "name" : "name muted" }, outcome(match)),
      " ",
      endReason(match) !== "" && el("span", { class: "muted" }, `(${endReason(match)})`),
      faultsOf(match),
    ),
    el("td", { class: "number", dataset: { title: "turns" } }, match.turns),
    el(
      "td",
      null,
      el(
        "span",
        { class: "row looks" },
        el(
          "a",
          { class: "button small", href: addressOf(match.match), "aria-label": `Watch ${names}` },
          running ? "Watch" : "Replay",
        ),
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
    ? "No match fits these filters. A player's name has to be exact."
    : "No match has been played yet.";
}

/**
 * Fetch JSON from the arena.
 *
 * @param {string} address
 * @param {AbortSignal} signal
 * @returns {Promise<any>}
 * @throws {Error} with the arena's message, if it refuses
 */
export async function fetchJson(address, signal) {
  const response = await fetch(address, { signal });
  if (response.ok) {
    return response.json(); // rejects if the response was cut off, as when the view was left
  }
  const answer = await response.json().catch(() => ({ error: `status ${response.status}` }));
  throw new Error(String(answer.error));
}

/**
 * Return the message for an error of `fetchJson`.
 *
 * @param {unknown} error
 * @returns {string}
 */
export function errorMessage(error) {
  // The browser's own message about a lost connection doesn't help the user.
  return error instanceof TypeError || !(error instanceof Error)
    ? "the arena doesn't answer"
    : error.message;
}
