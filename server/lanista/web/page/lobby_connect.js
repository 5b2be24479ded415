/**
 * What an empty lobby offers: a short program in each language that connects to this arena.
 *
 * @module
 */

import { LANGUAGES, programOf } from "./connect.js";
import { copyButton } from "./controls.js";
import { el, fill } from "./dom.js";

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
  const host = bots.host ?? hostname.replace(/^\[(.*)\]$/, "$1");
  const place = { ...bots, host, room: ROOM, game: "" };
  const address = host.includes(":") ? `[${host}]:${bots.port}` : `${host}:${bots.port}`;
  const code = el("code", null);
  const language = el(
    "select",
    { name: "language" },
    LANGUAGES.map((name) => el("option", { value: name }, name)),
  );
  const show = () => fill(code, programOf(language.value, place));
  language.addEventListener("change", show);
  show();
  return el(
    "div",
    { class: "stack connect" },
    el(
      "p",
      null,
      "Bots connect to ",
      el("code", null, address),
      ". This one waits in the room ",
      el("code", null, ROOM),
      "; a second one in the same room is its opponent:",
    ),
    el(
      "div",
      { class: "row" },
      el("label", null, "Language ", language),
      copyButton(() => code.textContent ?? "", { label: "Copy", title: "Copy this program" }),
    ),
    el("pre", { class: "panel", tabindex: "0" }, code),
  );
}
