/**
 * How a bot gets to the arena: for each language the commands that get the client library from this
 * page, and a short program to copy, with this arena's address.
 *
 * @module
 */

import { copyButton } from "./controls.js";
import { el, fill } from "./dom.js";

/** @typedef {import("./link.js").BotsPort} BotsPort */
/** @typedef {{host: string, port: number, room: string, state: string, tls: boolean}} Place */

/** The room that an empty lobby's programs name: bots that are tried out there don't get into others' matches. */
const ROOM = "practice";

/** Where a tunnel listens, for the libraries that speak no TLS themselves. */
const TUNNEL = { host: "127.0.0.1", port: 7777 };

/**
 * Return where such a library connects to.
 *
 * @param {Place} place
 */
function nearest(place) {
  return place.tls ? TUNNEL : place;
}

/**
 * Return a comment that says how to start the tunnel; without TLS there is none.
 *
 * @param {Place} place
 * @returns {string[]}
 */
function tunnel({ host, port, tls }) {
  if (!tls) {
    return [];
  }
  const listen = `TCP-LISTEN:${TUNNEL.port},bind=${TUNNEL.host},fork,reuseaddr,nodelay`;
  return [
    "// The arena speaks TLS, and this library doesn't. Start this beforehand, and leave it running:",
    `// socat ${listen} OPENSSL:${withPort(host, port)},nodelay`,
  ];
}

/**
 * By language: the commands, to be given in the folder of a bot, that get the library.
 *
 * @type {Record<string, (clients: string) => string[]>}
 */
const INSTALLS = {
  Python: (clients) => [`pip install ${clients}/python.zip`],
  JavaScript: (clients) => [`curl -O ${clients}/javascript.zip`, "unzip -d node_modules javascript.zip"],
  "C++": (clients) => [`curl -O ${clients}/lanista.hpp`],
  Go: (clients) => [
    `curl -O ${clients}/go.zip`,
    "unzip go.zip",
    "go mod init mybot",
    "go mod edit -require lanista@v0.0.0 -replace lanista=./lanista-client",
  ],
  Rust: (clients) => [
    `curl -O ${clients}/rust.zip`,
    "unzip rust.zip",
    "cargo init --name mybot",
    "cargo add --path lanista-client",
  ],
  Java: (clients) => [`curl -O ${clients}/java.zip`, "unzip java.zip"],
};

/**
 * By language: the program of a bot that does nothing in its turns. Texts that come from the arena
 * have no quotes and no backslashes: names of ladders and games, and a host.
 *
 * @type {[language: string, lines: (place: Place) => string[]][]}
 */
const PROGRAMS = [
  [
    "Python",
    ({ host, port, room, tls }) => [
      "from lanista_client import Arena",
      "",
      `with Arena("MyBot", host="${host}", port=${port}, room="${room}",`,
      `           token="my-secret", ${tls ? "tls=True, " : ""}keep=True, reconnect=True) as arena:`,
      "    for state in arena:",
      "        arena.send([])",
    ],
  ],
  [
    "JavaScript",
    ({ host, port, room, tls }) => [
      'import { connect } from "lanista-client";',
      "",
      "const arena = await connect({",
      `  name: "MyBot", host: "${host}", port: ${port}, room: "${room}",`,
      `  token: "my-secret", ${tls ? "tls: true, " : ""}keep: true, reconnect: true,`,
      "});",
      "for await (const state of arena) {",
      "  arena.send([]);",
      "}",
    ],
  ],
  [
    "C++",
    (place) => [
      ...tunnel(place),
      '#include "lanista.hpp"',
      "",
      "int main() {",
      '    lanista::Options options{"MyBot"};',
      `    options.host = "${nearest(place).host}";`,
      `    options.port = ${nearest(place).port};`,
      `    options.room = "${place.room}";`,
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
    ({ host, port, room, tls }) => [
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
      `\t\tToken: "my-secret", ${tls ? "TLS: true, " : ""}Keep: true, Reconnect: true,`,
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
    (place) => {
      const { state } = place;
      return [
        ...tunnel(place),
        `use lanista_client::{Arena, Error, Options, ${state}};`,
        "",
        "fn main() -> Result<(), Error> {",
        "    let options = Options::new()",
        '        .name("MyBot")',
        `        .host("${nearest(place).host}")`,
        `        .port(${nearest(place).port})`,
        `        .room("${place.room}")`,
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
    ({ host, port, room, tls }) => [
      "// javac -d classes -sourcepath lanista-client/src/main/java MyBot.java",
      "import org.lanista.client.Arena;",
      "import org.lanista.client.State;",
      "",
      "class MyBot {",
      "    public static void main(String[] args) throws Exception {",
      `        try (Arena arena = Arena.builder("MyBot").host("${host}").port(${port})`,
      `                .room("${room}").token("my-secret")${tls ? ".tls(true)" : ""}`,
      "                .keep(true).reconnect(true).connect()) {",
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
 * Return the commands that get a language's library.
 *
 * @param {string} language one of `LANGUAGES`
 * @param {string} origin this page's scheme, host and port
 * @returns {string}
 */
export function installOf(language, origin) {
  return `${INSTALLS[language](`${origin}/clients`).join("\n")}\n`;
}

/**
 * Return an address as programs take it.
 *
 * @param {string} host
 * @param {number} port
 */
function withPort(host, port) {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/**
 * Return where bots get to a room of the arena.
 *
 * @param {BotsPort} bots where bots connect
 * @param {string} hostname the host of this page, for an arena that names none
 * @param {{room: string, state: string}} room
 * @returns {Place}
 */
function placeOf({ host, port, tls }, hostname, { room, state }) {
  return { host: host ?? hostname.replace(/^\[(.*)\]$/, "$1"), port, room, state, tls };
}

/**
 * Make the element that shows an address.
 *
 * @param {Place} place
 * @returns {HTMLElement}
 */
function addressElement({ host, port }) {
  return el("code", null, withPort(host, port));
}

/**
 * Make a choice of languages, with the commands and the program for the chosen one.
 *
 * @param {Place} place
 * @returns {HTMLElement[]}
 */
function programElements(place) {
  const commands = el("code", null);
  const program = el("code", null);
  const language = el(
    "select",
    { name: "language" },
    LANGUAGES.map((name) => el("option", { value: name }, name)),
  );
  const show = () => {
    fill(commands, installOf(language.value, location.origin));
    fill(program, programOf(language.value, place));
  };
  language.addEventListener("change", show);
  show();
  return [
    el("label", { class: "row" }, "Language ", language),
    ...copyable("In the bot's folder, once, to get the library:", "Copy the commands", commands),
    ...copyable("The bot:", "Copy this program", program),
  ];
}

/**
 * Make the elements that show a text to copy.
 *
 * @param {string} words what it is
 * @param {string} title the title of the button
 * @param {HTMLElement} code has the text
 */
function copyable(words, title, code) {
  const copy = copyButton(() => code.textContent ?? "", { label: "Copy", title });
  return [el("div", { class: "row" }, words, copy), el("pre", { class: "panel", tabindex: "0" }, code)];
}

/**
 * Make the section that says how to get on a ladder.
 *
 * @param {BotsPort} bots as for `placeOf`
 * @param {string} hostname as for `placeOf`
 * @param {{room: string, state: string}} ladder
 * @returns {HTMLElement}
 */
export function connectSection(bots, hostname, ladder) {
  const place = placeOf(bots, hostname, ladder);
  return el(
    "section",
    { class: "stack connect", "aria-label": "Connect" },
    el("h2", null, "Connect"),
    el(
      "p",
      null,
      "Bots connect to ",
      addressElement(place),
      bots.tls ? " by TLS, and name the room " : " and name the room ",
      el("code", null, place.room),
      bots.registration === "open"
        ? ". The first token that is shown with a name makes the name yours: choose a secret, and keep it."
        : ". The operator gives you a name and its token.",
    ),
    programElements(place),
  );
}

/**
 * Make the box with which an empty lobby says how to connect.
 *
 * @param {BotsPort} bots as for `placeOf`
 * @param {string} hostname as for `placeOf`
 * @returns {HTMLElement}
 */
export function lobbyConnect(bots, hostname) {
  const place = placeOf(bots, hostname, { room: ROOM, state: "State" });
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
