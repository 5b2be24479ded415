/**
 * The lobby (`#/`): waiting bots, running matches, results and standings, here and in tournaments
 * that are played elsewhere; and the operator's commands.
 *
 * It shows the lobby messages of the link and sends the commands of its buttons. The arena decides
 * what may start and who plays whom.
 *
 * @module
 */

import { cardsOf, sureButton } from "./cards.js";
import { seatLetter } from "./colours.js";
import { el, fill, list, Parts } from "./dom.js";
import { addressOf, moment, playersOf, verdict, why, winners } from "./matches.js";
import { StandingPart } from "./standings.js";
import { TournamentPart } from "./tournaments.js";

/** @typedef {import("./cards.js").Desk} Desk */
/** @template T @typedef {import("./dom.js").Part<T>} Part */
/** @typedef {import("./link.js").Link} Link */
/** @typedef {import("./link.js").Lobby} Lobby */
/** @typedef {import("./link.js").Match} Match */
/** @typedef {import("./link.js").Standing} Standing */
/** @typedef {import("./link.js").Summary} Summary */
/** @typedef {import("./link.js").WaitingBot} WaitingBot */
/** @typedef {import("./link.js").Room & {manual: boolean}} Room */

/** Bots of a room that are shown unless all are asked for. */
const BOTS = 8;
/** Results that are shown here; `#/matches` has all. */
const RECENT = 5;

/**
 * Show the lobby.
 *
 * @param {HTMLElement} root is filled
 * @param {Link} link its lobby must have been asked for
 * @param {{operator: boolean, mode: "serve" | "play"}} options `play`: no bot can wait, the arena
 *   plays what it was started for
 * @returns {{close(): void}}
 */
export function lobbyView(root, link, { operator, mode }) {
  const trouble = el("p", { class: "trouble", role: "alert", hidden: true });
  /** @type {Desk} */
  const desk = {
    link,
    operator,
    command: (message) => {
      trouble.hidden = true;
      link.ask(message).catch((/** @type {Error} */ error) => {
        trouble.textContent = `The arena didn't do it: ${error.message}`;
        trouble.hidden = false;
      });
    },
  };
  const cards = cardsOf(desk);
  /** @type {Parts<Room>} */
  const rooms = new Parts(
    el("div", { class: "stack" }),
    ({ game, room }) => JSON.stringify([game, room]),
    (room) => new RoomPart(desk, room),
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
  const recent = el("ul", { class: "recent stack" });
  const starts = modeSwitch(desk);
  const nobody = empty("No bot is waiting. A bot connects to the arena's port and says hello.");
  const idle = empty("No match is running.");
  const none = empty("No match has been played yet.");
  const all = el("a", { href: "#/matches" }, "All matches");
  const waiting = section("Waiting", starts.element, nobody, rooms.parent);
  const running = section("Running", null, idle, cards.parent);
  const results = section("Results", all, none, recent);
  const tables = section("Standings", null, standings.parent);
  const cups = section("Tournaments", null, tournaments.parent);
  // Hidden until the first lobby message, as "nobody waits" would be a guess.
  const grid = el(
    "div",
    { class: "lobby", dataset: { mode }, hidden: true },
    mode === "serve" && waiting,
    running,
    el("div", { class: "side stack" }, cups, results, tables),
  );

  function show() {
    const { lobby } = link;
    if (lobby === null) {
      return;
    }
    grid.hidden = false;
    rooms.show(lobby.rooms.map((room) => ({ ...room, manual: lobby.manual })));
    cards.show(lobby.running);
    standings.show(lobby.standings.filter(({ rows }) => rows.length > 0));
    tournaments.show(lobby.tournaments);
    list(recent, lobby.recent.slice(0, RECENT), ({ match }) => match, recentItem);
    starts.update(lobby.manual);
    nobody.hidden = rooms.size > 0;
    idle.hidden = cards.size > 0;
    none.hidden = lobby.recent.length > 0;
    tables.hidden = standings.size === 0;
    cups.hidden = tournaments.size === 0;
  }

  fill(root, el("h1", { class: "unseen" }, "Lobby"), trouble, grid);
  link.addEventListener("lobby", show);
  show();
  return {
    close() {
      link.removeEventListener("lobby", show);
      cards.close();
      rooms.close();
      standings.close();
      tournaments.close();
    },
  };
}

/**
 * The bots that wait in a room of a game.
 *
 * @implements {Part<Room>}
 */
class RoomPart {
  #desk;
  #room;
  #all = false;
  #count = el("span", { class: "badge", title: "bots that wait, seats of a match" });
  #bots = el("ul", { class: "bots" });
  #more = el("button", { class: "button small", type: "button", hidden: true });
  #start;
  #reason = el("span", { class: "muted" });

  /**
   * @param {Desk} desk
   * @param {Room} room
   */
  constructor(desk, room) {
    this.#desk = desk;
    this.#room = room;
    const { game, title, room: name } = room;
    const where = name === null ? title : `${title}, room ${name}`;
    this.#start = el(
      "button",
      {
        class: "button primary",
        type: "button",
        "aria-label": `Start a match of ${where}`,
        onclick: () => desk.command({ do: "start", game, room: name }),
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
      el("div", { class: "row" }, desk.operator && this.#start, this.#reason),
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
    const word = bots.length > seats ? "for" : "of";
    this.#count.textContent = `${bots.length} ${word} ${seats}`;
    this.#count.className = ready ? "badge good" : "badge";
    this.#start.disabled = !(manual && ready && this.#desk.operator);
    this.#reason.textContent = this.#explain();
    this.#more.hidden = bots.length <= BOTS;
    this.#more.textContent = this.#all ? "Show fewer" : `Show all ${bots.length}`;
    this.#more.setAttribute("aria-expanded", String(this.#all));
    list(
      this.#bots,
      this.#all ? bots : bots.slice(0, BOTS),
      ({ bot }) => bot,
      (bot) => this.#botItem(bot),
    );
  }

  /** Why a match can't be started here now, or what to expect. */
  #explain() {
    const { bots, seats, ready, manual } = this.#room;
    const missing = seats - bots.length;
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
    return this.#desk.operator ? "ready" : "ready: the operator starts it";
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
      this.#desk.operator &&
        sureButton(
          "Kick",
          { title: `Close the connection of ${name}`, sure: "Really kick?" },
          () => this.#desk.command({ do: "kick", bot }),
        ),
    );
  }
}

/**
 * A finished match.
 *
 * @param {Match} match
 * @returns {HTMLElement}
 */
function recentItem(match) {
  const clear = winners(match).length > 0;
  const facts = [match.title, why(match)].filter((words) => words !== "").join(" · ");
  return el(
    "li",
    { class: "card" },
    el(
      "a",
      { class: clear ? "verdict name" : "verdict name muted", href: addressOf(match.match) },
      verdict(match),
    ),
    playersOf(match),
    el("p", { class: "muted" }, facts, " · ", moment(match.ended ?? match.started)),
  );
}

/**
 * Whether matches wait for a start, for the operator to change.
 *
 * @param {Desk} desk
 * @returns {{element: HTMLElement, update: (manual: boolean) => void}}
 */
function modeSwitch(desk) {
  const label = el("span", { class: "muted" });
  /** @type {[boolean, string, string][]} */
  const modes = [
    [false, "Automatic", "A match starts as soon as its bots are here"],
    [true, "Manual", "A match waits for the Start button"],
  ];
  const buttons = modes.map(([manual, words, title]) =>
    el(
      "button",
      {
        class: "button small",
        type: "button",
        title,
        onclick: () => desk.command({ do: "mode", manual }),
      },
      words,
    ),
  );
  return {
    element: desk.operator
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
 * @param {string} title
 * @param {HTMLElement | null} beside the title
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
 * @param {string} words
 * @returns {HTMLElement}
 */
function empty(words) {
  return el("p", { class: "empty panel muted" }, words);
}
