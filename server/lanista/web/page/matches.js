/**
 * The list of matches (`#/matches`), and texts about the end of a match, for here and the lobby. It
 * reads `/api/1/matches`, knows no rule of a game and draws no boards.
 *
 * @module
 */

import { PALETTE, seatLetter } from "./colours.js";
import { el, fill } from "./dom.js";

/** @typedef {import("./link.js").Match} Match */
/** @typedef {{name: string, title: string}} Game */

/** The ways in which a match may end (docs/records.md), for the filter. */
const ENDS = [
  ["finished", "played to the end"],
  ["forfeit", "ended by forfeit"],
  ["void", "void"],
  ["aborted", "aborted"],
];

/** Explains those reasons of docs/records.md that need it; others are shown as they are. */
const REASONS = new Map([
  ["all-out", "no bot was left"],
  ["arena-ended", "the arena ended before the match"],
  ["both-captured", "both bases captured"],
  ["capture", "base captured"],
  ["error", "an error of the arena"],
  ["forfeit", "a bot gave up"],
  ["interrupted", "stopped by the arena"],
  ["move-limit", "move limit reached"],
  ["no-units", "no units left"],
  ["rounds", "all rounds played"],
  ["stall", "the machine stalled"],
]);

/**
 * The seats that won: those of the best rank, if the match counts and not all have that rank.
 *
 * @param {Match} match
 * @returns {number[]} seats
 */
export function winners(match) {
  const ranks = match.ranks ?? [];
  const counts = match.end === "finished" || match.end === "forfeit";
  const best = ranks.flatMap((rank, seat) => (rank === 1 ? [seat] : []));
  return counts && best.length < ranks.length ? best : [];
}

/**
 * Who won, in a few words, as `Dummy won`, `draw`, `Demo and Null share first place`, `void`.
 *
 * @param {Match} match
 * @returns {string}
 */
export function verdict(match) {
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
 * The name of a seat, with its letter in front if another seat has the same name.
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
 * Why a match ended, as `base captured`; empty while it runs.
 *
 * @param {Match} match
 * @returns {string}
 */
export function why(match) {
  const reason = REASONS.get(match.reason ?? "") ?? match.reason ?? "";
  if (match.end !== "forfeit") {
    return reason;
  }
  return match.reason === "forfeit" ? "by forfeit" : `by forfeit: ${reason}`;
}

/**
 * A time in the user's format, with the day unless it is today.
 *
 * @param {string} iso ISO 8601
 * @param {Date} [now]
 * @returns {HTMLTimeElement}
 */
export function moment(iso, now = new Date()) {
  const then = new Date(iso);
  const time = { hour: /** @type {const} */ ("2-digit"), minute: /** @type {const} */ ("2-digit") };
  const day = { day: /** @type {const} */ ("numeric"), month: /** @type {const} */ ("short") };
  const words =
    then.toDateString() === now.toDateString()
      ? then.toLocaleTimeString(undefined, time)
      : then.toLocaleString(undefined, { ...day, ...time });
  return el("time", { datetime: iso, title: then.toLocaleString() }, words);
}

/**
 * A seat's colour with its letter, A for the first.
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
 * The players of a match, by rank, the winners in bold.
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
 * The address of a match's view.
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
    ENDS.map(([value, words]) =>
      el("option", { value, selected: value === chosen.get("end") }, words),
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

  /** @param {string | null} before the cursor of the page before */
  async function load(before) {
    more.hidden = true;
    state.textContent = "Loading…";
    const query = new URLSearchParams(chosen);
    if (before !== null) {
      query.set("before", before);
    }
    try {
      const page = await get(`/api/1/matches?${query}`, ended.signal);
      rows.append(...page.matches.map(rowOf));
      state.textContent = rows.children.length === 0 ? none(chosen) : "";
      more.hidden = page.next === null;
      more.onclick = () => load(page.next);
    } catch (error) {
      if (!ended.signal.aborted) {
        state.textContent = `The list can't be had: ${wordsOf(error)}`;
        more.hidden = false;
        more.onclick = () => load(before);
      }
    }
  }

  async function offerGames() {
    const game = chosen.get("game");
    /** @type {Game[]} */
    let known = [];
    try {
      known = (await get("/api/1/games", ended.signal)).games;
    } catch {
      // The list itself shows what is wrong.
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
    el("td", null, moment(match.started)),
    el("td", null, match.title),
    el("td", null, playersOf(match)),
    el(
      "td",
      null,
      running
        ? el("span", { class: "badge accent" }, "running")
        : el("span", { class: winners(match).length > 0 ? "name" : "name muted" }, verdict(match)),
      " ",
      why(match) !== "" && el("span", { class: "muted" }, `(${why(match)})`),
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
 * @param {Match} match
 * @returns {HTMLElement | null}
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
 * @param {URLSearchParams} chosen
 * @returns {string}
 */
function none(chosen) {
  return chosen.size > 0
    ? "No match is like that. A player's name has to be written exactly."
    : "No match has been played yet.";
}

/**
 * Ask the arena over HTTP.
 *
 * @param {string} address
 * @param {AbortSignal} signal
 * @returns {Promise<any>} the JSON
 * @throws {Error} in the arena's words if it refuses
 */
export async function get(address, signal) {
  const response = await fetch(address, { signal });
  if (response.ok) {
    return response.json(); // rejected where it was cut off, as by a page that was left meanwhile
  }
  const answer = await response.json().catch(() => ({ error: `status ${response.status}` }));
  throw new Error(String(answer.error));
}

/**
 * What went wrong in `get`.
 *
 * @param {unknown} error
 * @returns {string}
 */
export function wordsOf(error) {
  // The browser's own message about a lost connection doesn't help.
  return error instanceof TypeError || !(error instanceof Error)
    ? "the arena doesn't answer"
    : error.message;
}
