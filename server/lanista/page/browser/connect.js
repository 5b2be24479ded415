/**
 * How a bot gets to the arena: for each language the commands that get the client library from this
 * page, and a short program to copy, with this arena's address.
 *
 * @module
 */

import { copyButton } from "./controls.js";
import { el, fill } from "./dom.js";

/** @typedef {import("./link.js").BotsPort} BotsPort */
/**
 * @typedef {object} Place where a bot connects to, and as whom
 * @property {string} host
 * @property {number} port
 * @property {boolean} tls
 * @property {string} room
 * @property {string} state the class with which the libraries read the game's state
 * @property {string} game empty for any
 * @property {string} name the bot's
 * @property {string} token its secret
 */
/**
 * @typedef {object} Language
 * @property {string} folder the library's, in the addresses of starter bots
 * @property {string} file the name of the bot's file
 * @property {string} run the command that runs the bot, with that which compiles it
 * @property {(clients: string) => string[]} install the commands that get the library, to be given
 *   in the folder of the bot
 * @property {[found: RegExp, text: (place: Place) => string][]} edits what is to be replaced in a
 *   starter bot, so that it connects to a place
 * @property {string[]} program the lines of a bot that does nothing in its turns, for games without a
 *   starter bot; to be edited in the same way
 */

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
 * @returns {string}
 */
function tunnel({ host, port, tls }) {
  if (!tls) {
    return "";
  }
  const listen = `TCP-LISTEN:${TUNNEL.port},bind=${TUNNEL.host},fork,reuseaddr,nodelay`;
  return (
    "// The arena speaks TLS, and this library doesn't. Start this beforehand, and leave it running:\n" +
    `// socat ${listen} OPENSSL:${withPort(host, port)},nodelay\n`
  );
}

/**
 * By language: how a bot in it gets the library, connects and is run. Texts that come from the
 * arena have no quotes and no backslashes: names of ladders and games, and a host.
 *
 * @type {Record<string, Language>}
 */
export const KNOWN = {
  Python: {
    folder: "python",
    file: "mybot.py",
    run: "python mybot.py",
    install: (clients) => [`pip install ${clients}/python.zip`],
    edits: [
      [/^import os\n(\n(?=from lanista))?/m, () => ""],
      [
        /Arena\([^\n]*"Starter"\)[^\n]*\)(?= as arena)/,
        ({ name, host, port, room, token, game, tls }) =>
          `Arena("${name}", host="${host}", port=${port}, room="${room}",\n` +
          `           token="${token}", ${game && `game="${game}", `}${tls ? "tls=True, " : ""}` +
          "keep=True, reconnect=True)",
      ],
    ],
    program: [
      "import os",
      "",
      "from lanista_client import Arena",
      "",
      'with Arena(os.environ.get("LANISTA_NAME", "Starter")) as arena:',
      "    for state in arena:",
      "        arena.send([])",
    ],
  },
  JavaScript: {
    folder: "javascript",
    file: "mybot.mjs",
    run: "node mybot.mjs",
    install: (clients) => [`curl -O ${clients}/javascript.zip`, "unzip -d node_modules javascript.zip"],
    edits: [
      [
        /\{ name: process[^\n]*\}/,
        ({ name, host, port, room, token, game, tls }) =>
          `{\n  name: "${name}", host: "${host}", port: ${port}, room: "${room}",\n` +
          `  token: "${token}", ${game && `game: "${game}", `}${tls ? "tls: true, " : ""}` +
          "keep: true, reconnect: true,\n}",
      ],
    ],
    program: [
      'import { connect } from "lanista-client";',
      "",
      'const arena = await connect({ name: process.env.LANISTA_NAME || "Starter" });',
      "for await (const state of arena) {",
      "  arena.send([]);",
      "}",
    ],
  },
  "C++": {
    folder: "cpp",
    file: "mybot.cpp",
    run: "g++ -std=c++17 -O2 -o mybot mybot.cpp -pthread && ./mybot",
    install: (clients) => [`curl -O ${clients}/lanista.hpp`],
    edits: [
      [/^/, tunnel],
      [
        / *const char\* name = .*\n *lanista::Arena arena\(.*\);\n/,
        (place) =>
          `    lanista::Options options{"${place.name}"};\n` +
          `    options.host = "${nearest(place).host}";\n` +
          `    options.port = ${nearest(place).port};\n` +
          `    options.room = "${place.room}";\n` +
          (place.game && `    options.game = "${place.game}";\n`) +
          `    options.token = "${place.token}";\n` +
          "    options.keep = options.reconnect = true;\n" +
          "    lanista::Arena arena(options);\n",
      ],
    ],
    program: [
      '#include "lanista.hpp"',
      "",
      "int main() {",
      '    const char* name = std::getenv("LANISTA_NAME");',
      '    lanista::Arena arena({name ? name : "Starter"});',
      "    while (arena.next())",
      "        arena.send();",
      "}",
    ],
  },
  Go: {
    folder: "go",
    file: "main.go",
    run: "go run .",
    install: (clients) => [
      `curl -O ${clients}/go.zip`,
      "unzip go.zip",
      "go mod init mybot",
      "go mod edit -require lanista@v0.0.0 -replace lanista=./lanista-client",
    ],
    edits: [
      [
        /lanista\.Options\{Name: lanista\.NameOr\("Starter"\)\}/,
        ({ name, host, port, room, token, game, tls }) =>
          `lanista.Options{\n\t\tName: "${name}", Host: "${host}", Port: ${port}, Room: "${room}",\n` +
          `\t\tToken: "${token}", ${game && `Game: "${game}", `}${tls ? "TLS: true, " : ""}` +
          "Keep: true, Reconnect: true,\n\t}",
      ],
    ],
    program: [
      "package main",
      "",
      "import (",
      '\t"log"',
      "",
      '\t"lanista"',
      ")",
      "",
      "func main() {",
      '\tarena, err := lanista.Connect(lanista.Options{Name: lanista.NameOr("Starter")})',
      "\tif err != nil {",
      "\t\tlog.Fatal(err)",
      "\t}",
      "\tfor arena.Next() {",
      "\t\tarena.Send()",
      "\t}",
      "\tlog.Fatal(arena.Err())",
      "}",
    ],
  },
  Rust: {
    folder: "rust",
    file: "src/main.rs",
    run: "cargo run --release",
    install: (clients) => [
      `curl -O ${clients}/rust.zip`,
      "unzip rust.zip",
      "cargo init --name mybot",
      "cargo add --path lanista-client",
    ],
    edits: [
      [/^/, tunnel],
      [/^use std::env;\n(\n(?=use lanista))?/m, () => ""],
      [/ *let name = .*\n/, () => ""],
      [/\bState\b/g, ({ state }) => state],
      [
        /Options::new\(\)\.name\(name\)(\.game\("\w+"\))?/,
        (place) =>
          `Options::new()\n        .name("${place.name}")\n` +
          `        .host("${nearest(place).host}")\n` +
          `        .port(${nearest(place).port})\n` +
          `        .room("${place.room}")\n` +
          (place.game && `        .game("${place.game}")\n`) +
          `        .token("${place.token}")\n        .keep(true)\n        .reconnect(true)`,
      ],
    ],
    program: [
      "use std::env;",
      "",
      "use lanista_client::{Arena, Error, Options, State};",
      "",
      "fn main() -> Result<(), Error> {",
      '    let name = env::var("LANISTA_NAME").unwrap_or_else(|_| "Starter".to_owned());',
      "    let options = Options::new().name(name);",
      "    let mut arena = Arena::<State>::connect(options)?;",
      "    while let Some(_state) = arena.next_turn()? {",
      "        arena.send(&[]);",
      "    }",
      "    Ok(())",
      "}",
    ],
  },
  Java: {
    folder: "java",
    file: "MyBot.java",
    run:
      "javac -d classes -sourcepath lanista-client/src/main/java MyBot.java && " +
      "java -cp classes MyBot",
    install: (clients) => [`curl -O ${clients}/java.zip`, "unzip java.zip"],
    edits: [
      [/\b\w*Starter\b/g, () => "MyBot"],
      [/ *String name = .*\n/, () => ""],
      [
        /Arena\.builder\(name\)(\.game\("\w+"\))?\.connect\(\)/,
        ({ name, host, port, room, token, game, tls }) =>
          `Arena.builder("${name}").host("${host}").port(${port})\n` +
          `                .room("${room}").token("${token}")` +
          `${game && `.game("${game}")`}${tls ? ".tls(true)" : ""}\n` +
          "                .keep(true).reconnect(true).connect()",
      ],
    ],
    program: [
      "import org.lanista.client.Arena;",
      "import org.lanista.client.State;",
      "",
      "final class Starter {",
      "    public static void main(String[] args) throws Exception {",
      '        String name = System.getenv().getOrDefault("LANISTA_NAME", "Starter");',
      "        try (Arena arena = Arena.builder(name).connect()) {",
      "            for (State state : arena) {",
      "                arena.send();",
      "            }",
      "        }",
      "    }",
      "}",
    ],
  },
};

/** The languages for which there are programs. */
export const LANGUAGES = Object.keys(KNOWN);

/**
 * Return the program of a bot in a language.
 *
 * @param {string} language one of `LANGUAGES`
 * @param {Place} place
 * @param {string | null} [starter] the starter bot for the place's game; null: there is none
 * @returns {string}
 */
export function programOf(language, place, starter = null) {
  const { edits, program } = KNOWN[language];
  return edits.reduce(
    (text, [found, make]) => text.replace(found, () => make(place)),
    starter ?? `${program.join("\n")}\n`,
  );
}

/**
 * Return a starter bot as a file to hand in. It says neither where the arena is nor who it is: the
 * arena tells it.
 *
 * @param {string} language one of `LANGUAGES`
 * @param {string} game
 * @returns {Promise<File>} one that does nothing in its turns if there is no starter for the game
 * @throws {TypeError} if the arena doesn't answer
 */
export async function starterFile(language, game) {
  const { folder, file, program } = KNOWN[language];
  const response = await fetch(`/clients/starters/${folder}/${encodeURIComponent(game)}`);
  const text = response.ok ? await response.text() : `${program.join("\n")}\n`;
  // A file of Java is called as its class.
  const found = language === "Java" ? /\bclass (\w+)/.exec(text) : null;
  return new File([text], found === null ? file.replace("src/", "") : `${found[1]}.java`);
}

/**
 * Return the commands that get a language's library.
 *
 * @param {string} language one of `LANGUAGES`
 * @param {string} origin this page's scheme, host and port
 * @returns {string}
 */
export function installOf(language, origin) {
  return `${KNOWN[language].install(`${origin}/clients`).join("\n")}\n`;
}

/**
 * Return a secret that nobody can guess: as the arena's own, 16 bytes in hexadecimal.
 *
 * @returns {string}
 */
export function newToken() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Make the field of a bot's name. @param {string} value */
export function nameField(value) {
  return el("input", {
    name: "name",
    value,
    required: true,
    maxlength: 32,
    pattern: "[A-Za-z0-9._\\-]+( [A-Za-z0-9._\\-]+)*",
    title: "A to Z, a to z, digits, . _ - and single spaces",
    autocomplete: "off",
    spellcheck: "false",
  });
}

/** Make the field of a bot's token. @param {string} value empty if the operator gives it */
export function tokenField(value) {
  return el("input", {
    name: "token",
    value,
    placeholder: "from the operator",
    maxlength: 128,
    pattern: "[A-Za-z0-9._=\\-]+",
    title: "A to Z, a to z, digits, . _ = and -",
    autocomplete: "off",
    spellcheck: "false",
  });
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
 * Make the fields and texts by which a bot is made.
 *
 * @param {BotsPort} bots where bots connect
 * @param {string} hostname the host of this page, for an arena that names none
 * @param {{room: string, state: string, game: string | null}} where the game is null if the visitor
 *   chooses it
 * @param {boolean} isRegistered whether names have tokens there
 * @returns {HTMLElement[]}
 */
function programElements({ host, port, tls, registration }, hostname, where, isRegistered) {
  const commands = el("code", null);
  const program = el("code", null);
  const kind = el("span", null);
  const file = el("code", null);
  const run = el("code", null);
  const name = nameField("MyBot");
  const token = tokenField(registration === "open" || !isRegistered ? newToken() : "");
  const language = el(
    "select",
    { name: "language" },
    LANGUAGES.map((each) => el("option", { value: each }, each)),
  );
  const game = el("select", { name: "game" });
  const gameLabel = el("label", null, "Game", game);
  gameLabel.hidden = where.game !== null;

  /** @type {{of: string, text: string | null}} */
  let starter = { of: "", text: null };
  async function show() {
    const chosen = language.value;
    const wanted = where.game ?? game.value;
    const of = `${KNOWN[chosen].folder}/${wanted}`;
    if (starter.of !== of) {
      const response = await fetch(`/clients/starters/${of}`).catch(() => null);
      starter = { of, text: response?.ok ? await response.text() : null };
    }
    if (chosen !== language.value || wanted !== (where.game ?? game.value)) {
      return; // chosen anew meanwhile
    }
    const place = {
      host: host ?? hostname.replace(/^\[(.*)\]$/, "$1"),
      port,
      tls,
      room: where.room,
      state: where.state,
      game: wanted,
      name: name.validity.valid ? name.value : "MyBot",
      token: token.validity.valid ? token.value || "my-secret" : "my-secret",
    };
    fill(commands, installOf(chosen, location.origin));
    fill(program, programOf(chosen, place, starter.text));
    fill(kind, starter.text === null ? "A bot that does nothing yet" : "A bot that plays already");
    fill(file, KNOWN[chosen].file);
    fill(run, KNOWN[chosen].run);
  }

  async function chooseGame() {
    if (where.game === null) {
      /** @type {{games: {name: string, title: string}[]} | null} */
      const known = await fetch("/api/1/games").then((response) => response.json()).catch(() => null);
      fill(
        game,
        (known?.games ?? []).map(({ name: each, title }) => el("option", { value: each }, title)),
      );
    }
    await show();
  }

  for (const field of [name, token, language, game]) {
    field.addEventListener("input", () => void show());
  }
  void chooseGame();
  return [
    el(
      "div",
      { class: "filters" },
      el("label", null, "Name", name),
      isRegistered && el("label", null, "Token, a secret to keep", token),
      el("label", null, "Language", language),
      gameLabel,
    ),
    ...copyable(["In the bot's folder, once, to get the library:"], "Copy the commands", commands),
    ...copyable(
      [kind, ": save it as ", file, ", and run ", run],
      "Copy this program",
      program,
    ),
  ];
}

/**
 * Make the elements that show a text to copy.
 *
 * @param {(HTMLElement | string)[]} about what it is
 * @param {string} title the title of the button
 * @param {HTMLElement} code has the text
 */
function copyable(about, title, code) {
  const copy = copyButton(() => code.textContent ?? "", { label: "Copy", title });
  return [
    el("div", { class: "row" }, el("span", null, about), copy),
    el("pre", { class: "panel", tabindex: "0" }, code),
  ];
}

/**
 * Make the element that shows where bots connect.
 *
 * @param {BotsPort} bots
 * @param {string} hostname as for `programElements`
 */
function addressElement({ host, port }, hostname) {
  return el("code", null, withPort(host ?? hostname.replace(/^\[(.*)\]$/, "$1"), port));
}

/**
 * Make the section that says how to get on a ladder. It is folded unless it is to be open.
 *
 * @param {BotsPort} bots as for `programElements`
 * @param {string} hostname as for `programElements`
 * @param {{room: string, state: string, game: string}} ladder
 * @param {boolean} isOpen
 * @returns {HTMLElement}
 */
export function connectSection(bots, hostname, ladder, isOpen) {
  return el(
    "section",
    { class: "stack connect", "aria-label": "Connect" },
    el(
      "details",
      { open: isOpen },
      el("summary", { class: "button primary" }, "Connect your bot"),
      el(
        "div",
        { class: "stack" },
        el(
          "p",
          null,
          "Bots connect to ",
          addressElement(bots, hostname),
          bots.tls ? " by TLS, and name the room " : " and name the room ",
          el("code", null, ladder.room),
          bots.registration === "open"
            ? ". The first token that is shown with a name makes the name yours: keep it."
            : ". The operator gives you a name and its token.",
        ),
        programElements(bots, hostname, ladder, true),
      ),
    ),
  );
}

/**
 * Make the box with which an empty lobby says how to connect.
 *
 * @param {BotsPort} bots as for `programElements`
 * @param {string} hostname as for `programElements`
 * @returns {HTMLElement}
 */
export function lobbyConnect(bots, hostname) {
  const where = { room: ROOM, state: "State", game: null };
  return el(
    "div",
    { class: "stack connect" },
    el(
      "p",
      null,
      "Bots connect to ",
      addressElement(bots, hostname),
      ". This one waits in the room ",
      el("code", null, ROOM),
      "; a second one in the same room is its opponent:",
    ),
    programElements(bots, hostname, where, false),
  );
}
