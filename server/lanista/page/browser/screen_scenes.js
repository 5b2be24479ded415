/**
 * What the screen of a hall shows besides boards and tables: who is about to play, the champion of
 * a tournament, the last events of a match in words, and how one gets to this page.
 *
 * @module
 */

import { el, list } from "./dom.js";
import { formatRating } from "./figures.js";
import { fetchJson, seatMark } from "./matches.js";
import { halves } from "./standings.js";
import { capital, nameSeats, printable, turnWord } from "./text.js";

/** @typedef {import("./decode.js").Head} Head */
/** @typedef {import("./decode.js").Position} Position */
/** @typedef {import("./link.js").Lobby} Lobby */
/** @typedef {import("./link.js").Running} Running */
/** @typedef {import("./link.js").TournamentRow} TournamentRow */

/** Number of events that are shown. */
const EVENTS = 4;
/** Milliseconds for which no other event is added, so that each can be read. */
const EVENT_STAYS = 1500;
/** Number of bots after the champion that are named. */
const RUNNERS_UP = 3;
/** Milliseconds for which a tournament that is over is shown beside others. */
const FAREWELL = 10 * 60 * 1000;
/** Hosts by which nobody else reaches this machine. */
const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * Say where each bot of a match stands: its rank and rating on its ladder or in its tournament, or
 * its rank and points among the friendly matches.
 *
 * @param {Running} running
 * @param {Lobby} lobby
 * @param {AbortSignal} signal
 * @returns {Promise<Map<string, string>>} by name; nothing of bots that haven't played yet
 */
export async function standingOf({ game, room, tournament }, lobby, signal) {
  if (tournament !== null) {
    const { standings } = await fetchJson(`/api/1/tournaments/${encodeURIComponent(tournament)}`, signal);
    return new Map(
      (standings?.standings ?? []).map((/** @type {TournamentRow} */ { rank, bot, rating }) => [
        bot,
        rating === null ? "" : `#${rank} ${formatRating(rating)}`,
      ]),
    );
  }
  if (lobby.ladders.some(({ name }) => name === room)) {
    /** @type {import("./link.js").LadderTable} */
    const { rows } = await fetchJson(`/api/1/ladders/${room}`, signal);
    return new Map(
      rows.map(({ rank, bot, rating }) => [
        bot,
        `${rank === null ? "house bot" : `#${rank}`} ${formatRating(rating)}`,
      ]),
    );
  }
  const rows = lobby.standings.find((table) => table.game === game)?.rows ?? [];
  return new Map(rows.map(({ rank, name, points }) => [name, `#${rank} · ${halves(points)} points`]));
}

/**
 * Make the line-up of a match: its bots by seat, and where each stands.
 *
 * @param {Running} running
 * @param {ReadonlyMap<string, string>} standing as by `standingOf`
 * @returns {HTMLElement}
 */
export function lineUp({ players }, standing) {
  return el(
    "ul",
    { class: "line-up", dataset: { count: players.length } },
    players.map(({ name }, seat) =>
      el(
        "li",
        null,
        seatMark(seat),
        el("span", { class: "name" }, printable(name)),
        el("span", { class: "standing" }, standing.get(name) ?? ""),
      ),
    ),
  );
}

/**
 * Make the scene of a tournament that is over: who won it, and who came next.
 *
 * @param {readonly TournamentRow[]} rows the first ones of its table
 * @returns {HTMLElement}
 */
export function championElement(rows) {
  const champions = rows.filter(({ rank }) => rank === 1);
  const others = rows.filter(({ rank }) => rank > 1).slice(0, RUNNERS_UP);
  return el(
    "div",
    { class: "champion" },
    el("p", { class: "crown" }, champions.length === 1 ? "Champion" : "Champions"),
    champions.map(({ bot }) => el("p", { class: "name" }, printable(bot))),
    el(
      "ol",
      { class: "next" },
      others.map(({ rank, bot }) => el("li", { value: rank }, printable(bot))),
    ),
  );
}

/**
 * Return whether a tournament has been over for so long that others have the screen.
 *
 * @param {import("./link.js").Summary} tournament
 * @param {number} now milliseconds since 1970
 * @returns {boolean}
 */
export function hasLeft({ standings, computed }, now) {
  return standings?.over === true && computed !== null && now - Date.parse(computed) > FAREWELL;
}

/**
 * Return by how much each seat's score is of all, from 0 to 1.
 *
 * @param {readonly number[]} scores
 * @returns {number[]}
 */
export function shares(scores) {
  const gains = scores.map((score) => Math.max(0, score));
  const sum = gains.reduce((a, b) => a + b, 0);
  return gains.map((gain) => (sum === 0 ? 0 : gain / sum));
}

/** The last events of a match in words, as few at a time as a hall can read. */
export class EventList {
  #head;
  /** @type {{n: number, turn: string, seat: number, text: string}[]} */
  #shown = [];
  /** @type {Position | null} */
  #last = null;
  #addedAt = -Infinity;

  element = el("ul", { class: "events", "aria-label": "Events" });

  /** @param {Head} head */
  constructor(head) {
    this.#head = head;
  }

  /**
   * Take the position that is shown now. Of its events, that of the seat whose score changed most
   * since the last one is told.
   *
   * @param {Position} position
   */
  show(position) {
    const last = this.#last;
    if (last === position) {
      return;
    }
    this.#last = position;
    const now = performance.now();
    if (position.events.length === 0 || now < this.#addedAt + EVENT_STAYS) {
      return;
    }
    const { n, turn, scores } = position;
    const change = (/** @type {number} */ seat) =>
      last === null || seat < 0 ? 0 : Math.abs(scores[seat] - last.scores[seat]);
    const { seat, text } = position.events.reduce((best, one) =>
      change(one.seat) > change(best.seat) ? one : best,
    );
    this.#addedAt = now;
    this.#shown = [
      { n, turn: `${turnWord(this.#head)} ${turn}`, seat, text },
      ...this.#shown.slice(0, EVENTS - 1),
    ];
    list(
      this.element,
      this.#shown,
      (event) => event.n,
      (event) =>
        el(
          "li",
          null,
          event.seat >= 0 && seatMark(event.seat),
          el("span", null, nameSeats(printable(event.text), this.#head)),
          el("span", { class: "when" }, capital(event.turn)),
        ),
    );
  }
}

/**
 * Return the address of this page for the people in the hall.
 *
 * @param {string | null} given by the parameter `address`
 * @param {{hostname: string, origin: string}} place this page's location
 * @returns {string | null} null if only this machine could open it
 */
export function publicAddress(given, { hostname, origin }) {
  return given ?? (LOOPBACK.has(hostname) ? null : origin);
}

/**
 * Make the QR code of this page's address, for phones.
 *
 * @param {string | null} address as by `publicAddress`
 * @returns {HTMLElement}
 */
export function inviteElement(address) {
  if (address === null) {
    return el("aside", { class: "invite", hidden: true });
  }
  const code = el("img", {
    src: `/api/1/qr.svg?${new URLSearchParams({ text: address })}`,
    alt: `QR code of ${address}`,
  });
  return el("aside", { class: "invite" }, code);
}

/**
 * Make the element that shows an address, without what browsers add by themselves.
 *
 * @param {string} address
 * @returns {HTMLElement}
 */
export function addressElement(address) {
  return el("span", { class: "address" }, printable(address.replace(/^http:\/\/|\/$/g, "")));
}
