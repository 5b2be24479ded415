/**
 * How a bot gets to the arena: for each language of the client libraries a short program to copy,
 * with this arena's address.
 *
 * @module
 */

import { copyButton } from "./controls.js";
import { el, fill } from "./dom.js";

/** @typedef {import("./link.js").BotsPort} BotsPort */
/** @typedef {{host: string, port: number, room: string, game: string}} Place */

/** The names that the libraries give to the games that they know. @type {Record<string, string>} */
const STATES = { angrymob: "AngryMobState", hogwarts: "HogwartsState", crematoria: "CrematoriaState" };

/**
 * By language: the program of a bot that does nothing in its turns. Texts that come from the arena
 * have no quotes and no backslashes: names of ladders and games, and a host.
 *
 * @type {[language: string, lines: (place: Place) => string[]][]}
 */
const PROGRAMS = [
  [
    "Python",
    ({ host, port, room }) => [
      "from lanista_client import Arena",
      "",
      `with Arena("MyBot", host="${host}", port=${port}, room="${room}",`,
      '           token="my-secret", keep=True, reconnect=True) as arena:',
      "    for state in arena:",
      "        arena.send([])",
    ],
  ],
  [
    "JavaScript",
    ({ host, port, room }) => [
      'import { connect } from "lanista-client";',
      "",
      "const arena = await connect({",
      `  name: "MyBot", host: "${host}", port: ${port}, room: "${room}",`,
      '  token: "my-secret", keep: true, reconnect: true,',
      "});",
      "for await (const state of arena) {",
      "  arena.send([]);",
      "}",
    ],
  ],
  [
    "C++",
    ({ host, port, room }) => [
      '#include "lanista.hpp"',
      "",
      "int main() {",
      '    lanista::Options options{"MyBot"};',
      `    options.host = "${host}";`,
      `    options.port = ${port};`,
      `    options.room = "${room}";`,
      '    options.token = "my-secret";',
      "    options.keep = options.reconnect = true;",
      "    lanista::Arena arena(options);",
      "    while (arena.next())",
      "        arena.send();",
      "}",
    ],
  ],
  [
    "Go",
    ({ host, port, room }) => [
      "package main",
      "",
      "import (",
      '\t"log"',
      "",
      '\t"lanista"',
      ")",
      "",
      "func main() {",
      "\tarena, err := lanista.Connect(lanista.Options{",
      `\t\tName: "MyBot", Host: "${host}", Port: ${port}, Room: "${room}",`,
      '\t\tToken: "my-secret", Keep: true, Reconnect: true,',
      "\t})",
      "\tif err != nil {",
      "\t\tlog.Fatal(err)",
      "\t}",
      "\tfor arena.Next() {",
      "\t\tarena.Send()",
      "\t}",
      "\tlog.Fatal(arena.Err())",
      "}",
    ],
  ],
  [
    "Rust",
    ({ host, port, room, game }) => {
      const state = STATES[game] ?? "State";
      return [
        `use lanista_client::{Arena, Error, Options, ${state}};`,
        "",
        "fn main() -> Result<(), Error> {",
        "    let options = Options::new()",
        '        .name("MyBot")',
        `        .host("${host}")`,
        `        .port(${port})`,
        `        .room("${room}")`,
        '        .token("my-secret")',
        "        .keep(true)",
        "        .reconnect(true);",
        `    let mut arena = Arena::<${state}>::connect(options)?;`,
        "    while let Some(_state) = arena.next_turn()? {",
        "        arena.send(&[]);",
        "    }",
        "    Ok(())",
        "}",
      ];
    },
  ],
  [
    "Java",
    ({ host, port, room }) => [
      "import org.lanista.client.Arena;",
      "import org.lanista.client.State;",
      "",
      "class MyBot {",
      "    public static void main(String[] args) throws Exception {",
      `        try (Arena arena = Arena.builder("MyBot").host("${host}").port(${port})`,
      `                .room("${room}").token("my-secret").keep(true).reconnect(true).connect()) {`,
      "            for (State state : arena) {",
      "                arena.send();",
      "            }",
      "        }",
      "    }",
      "}",
    ],
  ],
];

/** The languages for which there are programs. */
export const LANGUAGES = PROGRAMS.map(([language]) => language);

/**
 * Return the program of a bot in a language.
 *
 * @param {string} language one of `LANGUAGES`
 * @param {Place} place
 * @returns {string}
 */
export function programOf(language, place) {
  const found = PROGRAMS.find(([name]) => name === language);
  if (found === undefined) {
    throw new RangeError(`no program in ${language}`);
  }
  return `${found[1](place).join("\n")}\n`;
}

/**
 * Make the section that says how to get on a ladder.
 *
 * @param {BotsPort} bots where bots connect
 * @param {string} hostname the host of this page, for an arena that listens on all addresses
 * @param {{room: string, game: string}} ladder
 * @returns {HTMLElement}
 */
export function connectSection({ host, port, registration }, hostname, { room, game }) {
  const place = { host: host ?? hostname.replace(/^\[(.*)\]$/, "$1"), port, room, game };
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
    "section",
    { class: "stack connect", "aria-label": "Connect" },
    el("h2", null, "Connect"),
    el(
      "p",
      null,
      "Bots connect to ",
      el("code", null, place.host.includes(":") ? `[${place.host}]:${port}` : `${place.host}:${port}`),
      " and name the room ",
      el("code", null, room),
      registration === "open"
        ? ". The first token that is shown with a name makes the name yours: choose a secret, and keep it."
        : ". The operator gives you a name and its token.",
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
