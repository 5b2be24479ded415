/**
 * What a bot says first, and from where it knows it (PROTOCOL.md 2). Pure: no socket here.
 */

import { inspect } from "node:util";

import { ArenaError, OptionError } from "./errors.js";

const DEFAULT_HOST = "127.0.0.1";
const DEFAULT_PORT = 7777;

/**
 * @typedef {object} Options
 * @property {string | null} [name] what to be called, 1 to 32 printable characters; else
 *   LANISTA_NAME
 * @property {string | null} [game] the ruleset wanted; else the arena's default
 * @property {string | null} [host] where the arena is; else LANISTA_HOST, else 127.0.0.1
 * @property {number | null} [port] its TCP port; else LANISTA_PORT, else 7777
 * @property {string | null} [token] the secret for this name or seat; else LANISTA_TOKEN, else none
 * @property {boolean | null} [tls] connect by TLS, and only to an arena whose certificate is trusted
 *   and has the name `host`; else LANISTA_TLS=1
 * @property {string | null} [tlsCa] a file of certificates (PEM) to trust instead of Node's; else
 *   LANISTA_TLS_CA
 * @property {string | null} [room] wait for opponents in this room only
 * @property {number | null} [seat] ask for this seat, from 0
 * @property {boolean} [keep] stay for match after match
 * @property {boolean} [notes] be told of everything that was refused, not only of why a match was
 *   lost
 * @property {boolean} [reconnect] connect again, for as long as it takes, when there is no connection
 *   or it breaks, and take the match up again if the arena allows it; each attempt is told on
 *   stderr. With `keep` the iteration then ends only by an error that would come again
 * @property {boolean | null} [quiet] don't tell on stderr that the bot has been waiting for an
 *   opponent for a second; else LANISTA_QUIET=1, which the arena sets for the bots that it starts
 */

const KNOWN = "name game host port token tls tlsCa room seat keep notes reconnect quiet".split(
  " ",
);
/** As PROTOCOL.md 2 has it. */
const WORD = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]+$/u;

/**
 * The options that hold: where LANISTA_LOCAL=1 says that the bot is started by Lanista itself, not
 * those by which it finds another arena.
 *
 * @param {Options} options
 * @param {NodeJS.ProcessEnv} environment
 * @returns {Options}
 */
export function holding(options, environment) {
  if (environment.LANISTA_LOCAL !== "1") return options;
  const local = { host: null, port: null, token: null, tls: null, tlsCa: null, room: null };
  return { ...options, ...local, reconnect: false };
}

/**
 * Where to connect and what to say, by the options, then the environment.
 *
 * @param {Options} options
 * @param {NodeJS.ProcessEnv} environment
 * @throws {OptionError} there is no name, or an option that can't be said in a hello
 */
export function opening(options, environment) {
  for (const option of Object.keys(options)) {
    if (!KNOWN.includes(option)) {
      throw new OptionError(`no option ${quoted(option)}; there are ${KNOWN.join(", ")}`);
    }
  }
  return {
    host: options.host || environment.LANISTA_HOST || DEFAULT_HOST,
    port:
      options.port == null
        ? portOf("LANISTA_PORT", environment.LANISTA_PORT || DEFAULT_PORT)
        : portOf("port", options.port),
    tls: tlsOf(options, environment),
    hello: hello(options.name || environment.LANISTA_NAME, {
      v: 1,
      game: options.game,
      room: options.room,
      seat: options.seat,
      token: options.token || environment.LANISTA_TOKEN || null,
      keep: options.keep ? 1 : null,
      notes: options.notes ? 1 : null,
    }),
  };
}

/**
 * Refuse to connect where Lanista has connected the bot's stdin and stdout already.
 *
 * @param {NodeJS.ProcessEnv} environment
 * @throws {ArenaError} `unreachable`
 */
export function refuseStdio(environment) {
  if (environment.LANISTA_STDIO !== "1") return;
  throw new ArenaError(
    "unreachable",
    "this program connects to the arena by itself; " +
      "start it without `stdio:` or `lanista connect`",
  );
}

/**
 * Whether to be silent while the bot waits.
 *
 * @param {Options} options
 * @param {NodeJS.ProcessEnv} environment
 */
export function isQuiet({ quiet }, environment) {
  return quiet ?? (environment.LANISTA_QUIET || "0") !== "0";
}

/**
 * The line that opens the conversation.
 *
 * @param {unknown} name
 * @param {Record<string, string | number | null | undefined>} options null or undefined: left out
 */
function hello(name, options) {
  if (!name) {
    throw new OptionError(
      'the bot has no name: write connect({ name: "MyBot" }) or set LANISTA_NAME',
    );
  }
  if (typeof name !== "string" || !isName(name)) {
    throw new OptionError(
      "a name is 1 to 32 printable characters, single spaces between, no '=': " +
        `not ${quoted(name)}`,
    );
  }
  const words = [name];
  for (const [option, value] of Object.entries(options)) {
    if (value == null) continue;
    if (!WORD.test(String(value))) {
      const given = option === "token" ? "" : `, not ${quoted(value)}`; // a token is a secret
      throw new OptionError(`${option} must be one printable word without spaces${given}`);
    }
    words.push(`${option}=${value}`);
  }
  return `${words.join(" ")}\n`;
}

/** @param {string} name */
function isName(name) {
  const words = name.split(" ");
  return words.every((word) => WORD.test(word)) && !name.includes("=") && [...name].length <= 32;
}

/**
 * @param {string} whose
 * @param {unknown} value
 */
function portOf(whose, value) {
  // In a shell of Windows, `set LANISTA_PORT=7777 & node bot.mjs` sets a space as well.
  const text = String(value).trim();
  const port = /^[0-9]+$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65535) {
    const words = "a port number from 1 to 65535, such as 7777";
    throw new OptionError(`${whose} must be ${words}, not ${quoted(value)}`);
  }
  return port;
}

/**
 * Whether to speak TLS, and which file names the certificates to trust then.
 *
 * @param {Options} options
 * @param {NodeJS.ProcessEnv} environment
 * @returns {{ file: string | null, whose: string } | null} null: plain text
 */
function tlsOf({ tls, tlsCa }, environment) {
  const set = environment.LANISTA_TLS || "0";
  if (tls == null && set !== "0" && set !== "1") {
    throw new OptionError(`LANISTA_TLS must be 1 for TLS or 0 for plain text, not ${quoted(set)}`);
  }
  if (tls != null && typeof tls !== "boolean") {
    throw new OptionError(`tls must be true or false, not ${quoted(tls)}`);
  }
  if (tlsCa != null && typeof tlsCa !== "string") {
    throw new OptionError(`tlsCa must be the name of a file, not ${quoted(tlsCa)}`);
  }
  if (tls ?? set === "1") {
    return tlsCa
      ? { file: tlsCa, whose: "tlsCa" }
      : { file: environment.LANISTA_TLS_CA || null, whose: "LANISTA_TLS_CA" };
  }
  if (tlsCa && tls == null) throw new OptionError("tlsCa is of no use without TLS: add tls: true");
  return null;
}

/**
 * A value as one would write it, in one line.
 * @param {unknown} value
 */
export function quoted(value) {
  return inspect(value, { breakLength: Infinity, depth: 1 });
}
