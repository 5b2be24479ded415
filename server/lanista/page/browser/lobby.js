/**
 * The lobby (`#/`): waiting bots, running matches, ladders, results, standings, tournaments that are
 * played elsewhere, and the operator's commands.
 *
 * It shows the lobby messages of the link and sends the commands of its buttons. The arena decides
 * what may start and who plays whom.
 *
 * @module
 */

import { cardsOf, confirmButton, replayOf } from "./cards.js";
import { seatLetter } from "./colours.js";
import { lobbyConnect } from "./connect.js";
import { el, fill, list, Parts } from "./dom.js";
import { LadderPart } from "./ladders.js";
import { addressOf, endReason, outcome, playersOf, timeElement, winners } from "./matches.js";
import { StandingPart } from "./standings.js";
import { TournamentPart } from "./tournaments.js";

/** @typedef {import("./cards.js").LobbyContext} LobbyContext */
/** @template T @typedef {import("./dom.js").Part<T>} Part */
/** @typedef {import("./link.js").Ladder} Ladder */
/** @typedef {import("./link.js").Link} Link */
/** @typedef {import("./link.js").Lobby} Lobby */
/** @typedef {import("./link.js").Match} Match */
/** @typedef {import("./link.js").Standing} Standing */
/** @typedef {import("./link.js").Summary} Summary */
/** @typedef {import("./link.js").WaitingBot} WaitingBot */
/** @typedef {import("./link.js").Room & {manual: boolean}} Room */

/** Number of a room's bots that are shown before a click on "Show all". */
const SHOWN_BOTS = 8;
/** Number of results that are shown here; `#/matches` shows all. */
const SHOWN_RESULTS = 5;

/**
 * Show the lobby.
 *
 * @param {HTMLElement} root is filled
 * @param {Link} link the lobby must have been requested from it
 * @param {{operator: boolean, mode: "serve" | "tournament" | "play"}} options in mode `play` the
 *   arena plays only the match that it was started for, in mode `tournament` there is no arena: no
 *   bots wait
 * @returns {{close(): void}}
 */
export function lobbyView(root, link, { operator, mode }) {
  const trouble = el("p", { class: "trouble", role: "alert", hidden: true });
  const standstill = el("p", { class: "trouble", role: "alert", hidden: true });
  /** @type {LobbyContext} */
  const context = {
    link,
    operator,
    command: (message) => {
      trouble.hidden = true;
      link.ask(message).catch((/** @type {Error} */ error) => {
        trouble.textContent = `The arena refused: ${error.message}`;
        trouble.hidden = false;
      });
    },
  };
  const cards = cardsOf(context);
  /** @type {Parts<Room>} */
  const rooms = new Parts(
    el("div", { class: "stack" }),
    ({ game, room }) => JSON.stringify([game, room]),
    (room) => new RoomPart(context, room),
  );
  /** @type {Parts<Standing>} */
  const standings = new Parts(
    el("div", { class: "stack" }),
    ({ game }) => game,
    (standing) => new StandingPart(standing),
  );
  /** @type {Parts<Summary>} */
  const tournaments = new Parts(
    el("div", { class: "stack" }),
    ({ name }) => name,
    (tournament) => new TournamentPart(tournament),
  );
  /** @type {Parts<Ladder>} */
  const ladders = new Parts(
    el("div", { class: "stack" }),
    ({ name }) => name,
    (ladder) => new LadderPart(ladder),
  );
  const recent = el("ul", { class: "recent stack" });
  const startMode = startModeSwitch(context);
  const noBots = empty("No bot is waiting. A bot connects to the arena's port and says hello.");
  const playLink =
    operator && link.hello?.play === true
      ? el("a", { class: "button small", href: "#/play" }, "Play yourself")
      : null;
  const noMatches = el("p", { class: "muted" }, "No match is running.");
  const last = replayOf(context);
  const lastSection = section("Last match", null, last.parent);
  const connect = el("div", null);
  const noResults = empty("No match has been played yet.");
  const all = el("a", { href: "#/matches" }, "All matches");
  const waitingSection = section("Waiting", startMode.element, noBots, connect, rooms.parent);
  const runningSection = section("Running", playLink, noMatches, cards.parent);
  const resultsSection = section("Results", all, noResults, recent);
  const standingsSection = section("Standings", null, standings.parent);
  const tournamentsSection = section("Tournaments", null, tournaments.parent);
  const laddersSection = section("Ladders", null, ladders.parent);
  // Hidden until the first lobby message: before it "No bot is waiting" would be a guess.
  const grid = el(
    "div",
    { class: "lobby", hidden: true },
    mode === "serve" && waitingSection,
    el("div", { class: "stack", dataset: { section: "running" } }, runningSection, lastSection),
    el(
      "div",
      { class: "side stack" },
      laddersSection,
      tournamentsSection,
      mode !== "tournament" && resultsSection,
      standingsSection,
    ),
  );

  function show() {
    const { lobby } = link;
    if (lobby === null) {
      return;
    }
    grid.hidden = false;
    standstill.hidden = lobby.trouble === null;
    standstill.textContent =
      `No match begins, as records can't be written (${lobby.trouble}). ` +
      "As soon as they can be written, matches begin again by themselves.";
    rooms.show(lobby.rooms.map((room) => ({ ...room, manual: lobby.manual })));
    cards.show(lobby.running);
    last.show(cards.size === 0 ? lobby.recent.slice(0, 1) : []);
    lastSection.hidden = last.size === 0;
    standings.show(lobby.standings.filter(({ rows }) => rows.length > 0));
    tournaments.show(lobby.tournaments);
    ladders.show(lobby.ladders);
    list(recent, lobby.recent.slice(0, SHOWN_RESULTS), ({ match }) => match, recentItem);
    startMode.update(lobby.manual);
    noBots.hidden = rooms.size > 0;
    const bots = link.hello?.bots ?? null;
    if (connect.children.length === 0 && bots !== null) {
      fill(connect, lobbyConnect(bots, location.hostname));
    }
    // Whoever looks at matches, a tournament or a ladder knows how bots get here.
    connect.hidden =
      rooms.size + cards.size + lobby.tournaments.length + lobby.ladders.length > 0;
    noMatches.hidden = cards.size > 0;
    noResults.hidden = lobby.recent.length > 0;
    standingsSection.hidden = standings.size === 0;
    tournamentsSection.hidden = tournaments.size === 0;
    laddersSection.hidden = ladders.size === 0;
    grid.dataset.layout = layoutOf({
      running: cards.size,
      waiting: mode === "serve" ? rooms.size : null,
      results: lobby.recent.length,
    });
  }

  fill(root, el("h1", { class: "unseen" }, "Lobby"), standstill, trouble, grid);
  link.addEventListener("lobby", show);
  show();
  return {
    close() {
      link.removeEventListener("lobby", show);
      cards.close();
      last.close();
      rooms.close();
      standings.close();
      tournaments.close();
      ladders.close();
    },
  };
}

/**
 * Choose where the parts of the lobby go on a wide page: a layout of lobby.css.
 *
 * @param {object} number of each
 * @param {number} number.running matches
 * @param {number | null} number.waiting rooms in which bots wait; null: there is no arena
 * @param {number} number.results
 */
function layoutOf({ running, waiting, results }) {
  if (running === 0) {
    return "quiet";
  }
  if (waiting === null) {
    return "guest";
  }
  if (running > 4 || (running > 1 && waiting === 0)) {
    return "watch";
  }
  return waiting > 0 && results === 0 ? "first" : "all";
}

/**
 * The card of a room: the bots that wait in it for a match of a game.
 *
 * @implements {Part<Room>}
 */
class RoomPart {
  #context;
  #room;
  #all = false;
  #count = el("span", { class: "badge", title: "bots that wait, seats of a match" });
  #bots = el("ul", { class: "bots" });
  #more = el("button", { class: "button small", type: "button", hidden: true });
  #start;
  #reason = el("span", { class: "muted" });

  /**
   * @param {LobbyContext} context
   * @param {Room} room
   */
  constructor(context, room) {
    this.#context = context;
    this.#room = room;
    const { game, title, room: name } = room;
    const where = name === null ? title : `${title}, room ${name}`;
    this.#start = el(
      "button",
      {
        class: "button primary",
        type: "button",
        "aria-label": `Start a match of ${where}`,
        onclick: () => context.command({ do: "start", game, room: name }),
      },
      "Start",
    );
    this.#more.addEventListener("click", () => {
      this.#all = !this.#all;
      this.#show();
    });
    this.element = el(
      "article",
      { class: "card room", dataset: { game, room: name } },
      el(
        "div",
        { class: "row" },
        el("h3", null, title),
        name !== null && el("span", { class: "muted name" }, `room ${name}`),
        el("span", { class: "spread" }),
        this.#count,
      ),
      el("div", { class: "row" }, context.operator && this.#start, this.#reason),
      this.#bots,
      el("div", null, this.#more),
    );
  }

  /** @param {Room} room */
  update(room) {
    this.#room = room;
    this.#show();
  }

  close() {
    this.element.remove();
  }

  #show() {
    const { bots, seats, ready, manual } = this.#room;
    const preposition = bots.length > seats ? "for" : "of";
    this.#count.textContent = `${bots.length} ${preposition} ${seats}`;
    this.#count.className = ready ? "badge good" : "badge";
    this.#start.hidden = this.#room.ladder;
    this.#start.disabled = !(manual && ready && this.#context.operator);
    this.#reason.textContent = this.#explain();
    this.#more.hidden = bots.length <= SHOWN_BOTS;
    this.#more.textContent = this.#all ? "Show fewer" : `Show all ${bots.length}`;
    this.#more.setAttribute("aria-expanded", String(this.#all));
    list(
      this.#bots,
      this.#all ? bots : bots.slice(0, SHOWN_BOTS),
      ({ bot }) => bot,
      (bot) => this.#botItem(bot),
    );
  }

  /** Explain why no match can start now, or how one will start. */
  #explain() {
    const { bots, seats, ready, manual, ladder } = this.#room;
    const missing = seats - bots.length;
    if (ladder) {
      return "the ladder chooses who plays whom";
    }
    if (!ready && missing > 0) {
      return missing === 1 ? "1 more bot is needed" : `${missing} more bots are needed`;
    }
    if (!ready) {
      return bots.some(({ seat }) => seat !== null)
        ? "no match yet: the wishes for seats don't fit together"
        : "no match can start yet";
    }
    if (!manual) {
      return "starts by itself";
    }
    return this.#context.operator ? "ready" : "ready: the operator starts it";
  }

  /** @param {WaitingBot} bot */
  #botItem({ bot, name, seat }) {
    return el(
      "li",
      null,
      el("span", { class: "name" }, name),
      seat !== null &&
        el(
          "span",
          { class: "badge", title: `plays at seat ${seatLetter(seat)} only` },
          `seat ${seatLetter(seat)}`,
        ),
      el("span", { class: "spread" }),
      this.#context.operator &&
        confirmButton(
          "Kick",
          { title: `Close the connection of ${name}`, question: "Really kick?" },
          () => this.#context.command({ do: "kick", bot }),
        ),
    );
  }
}

/**
 * Make the list item of a finished match.
 *
 * @param {Match} match
 * @returns {HTMLElement}
 */
function recentItem(match) {
  const hasWinner = winners(match).length > 0;
  const facts = [match.title, endReason(match)].filter((text) => text !== "").join(" · ");
  return el(
    "li",
    { class: "card" },
    el(
      "a",
      { class: hasWinner ? "verdict name" : "verdict name muted", href: addressOf(match.match) },
      outcome(match),
    ),
    playersOf(match),
    el("p", { class: "muted" }, facts, " · ", timeElement(match.ended ?? match.started ?? "")),
  );
}

/**
 * Show how matches start; the operator can change it.
 *
 * @param {LobbyContext} context
 * @returns {{element: HTMLElement, update: (manual: boolean) => void}}
 */
function startModeSwitch(context) {
  const label = el("span", { class: "muted" });
  /** @type {[boolean, string, string][]} */
  const modes = [
    [false, "Automatic", "A match starts as soon as its bots are here"],
    [true, "Manual", "A match waits for the Start button"],
  ];
  const buttons = modes.map(([manual, label, title]) =>
    el(
      "button",
      {
        class: "button small",
        type: "button",
        title,
        onclick: () => context.command({ do: "mode", manual }),
      },
      label,
    ),
  );
  return {
    element: context.operator
      ? el("div", { class: "choice", role: "group", "aria-label": "How matches start" }, buttons)
      : label,
    update(manual) {
      label.textContent = manual ? "the operator starts matches" : "matches start by themselves";
      buttons.forEach((button, i) => {
        button.setAttribute("aria-pressed", String(modes[i][0] === manual));
      });
    },
  };
}

/**
 * Make a section of the lobby.
 *
 * @param {string} title
 * @param {HTMLElement | null} beside shown in the line of the title
 * @param {...HTMLElement} children
 * @returns {HTMLElement}
 */
function section(title, beside, ...children) {
  return el(
    "section",
    { class: "stack", dataset: { section: title.toLowerCase() }, "aria-label": title },
    el("div", { class: "row" }, el("h2", null, title), el("span", { class: "spread" }), beside),
    children,
  );
}

/**
 * Make the placeholder of a section that has nothing to show.
 *
 * @param {string} text
 * @returns {HTMLElement}
 */
function empty(text) {
  return el("p", { class: "empty panel muted" }, text);
}
