/**
 * What an empty lobby offers: a short program in each language that connects to this arena.
 *
 * @module
 */

import { addressElement, placeOf, programElements } from "./connect.js";
import { el } from "./dom.js";

/** @typedef {import("./link.js").BotsPort} BotsPort */

/** The room that the programs name: bots that are tried out there don't get into others' matches. */
const ROOM = "practice";

/**
 * Make the box with the programs.
 *
 * @param {BotsPort} bots where bots connect
 * @param {string} hostname the host of this page, for an arena that listens on all addresses
 * @returns {HTMLElement}
 */
export function lobbyConnect(bots, hostname) {
  const place = placeOf(bots, hostname, { room: ROOM, game: "" });
  return el(
    "div",
    { class: "stack connect" },
    el(
      "p",
      null,
      "Bots connect to ",
      addressElement(place),
      ". This one waits in the room ",
      el("code", null, ROOM),
      "; a second one in the same room is its opponent:",
    ),
    programElements(place),
  );
}
