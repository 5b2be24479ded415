/**
 * What the library writes to stderr for the person who started the bot: that the match can't go on,
 * or that the bot waits for an opponent.
 */

import { ArenaError, escaped, OptionError } from "./errors.js";

const SILENCE = 1000; // ms of waiting for an opponent until that is told

/** Tells once that the bot waits, when the arena has been silent for a second. */
export class Waiting {
  #where;
  #wanted;
  #told = false;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /** @param {{ host: string, port: number, hello: string }} opening where, and what was said there */
  constructor({ host, port, hello }) {
    this.#where = address(host, port);
    this.#wanted = [...hello.matchAll(/ (game|room)=(\S+)/g)].map(([, key, word]) => `${key} ${word}`);
  }

  /**
   * The arena has said `wait`.
   * @param {string[]} words seats taken and seats needed
   */
  begin(words) {
    this.end();
    if (this.#told) return;
    this.#timer = setTimeout(() => {
      this.#told = true;
      const details = [...this.#wanted, escaped(`${words[0]} of ${words[1]} seats taken`)].join(", ");
      process.stderr.write(
        `lanista: waiting for an opponent at ${this.#where} (${details}); ` +
          "the arena's page, whose address `lanista serve` prints, shows who is there\n",
      );
    }, SILENCE);
    this.#timer.unref(); // the connection keeps the bot alive, not this
  }

  /**
   * Tells a note if it says that the bot's room isn't a ladder, or that the bot has to rest.
   * @param {import("./arena.js").Note} note
   */
  tell({ code, turn, words }) {
    if (code !== "room" && code !== "benched") return;
    const rest = turn === 0 ? "benched: " : `benched for ${turn} s: `;
    process.stderr.write(`lanista: ${code === "room" ? "" : rest}${escaped(words)}\n`);
  }

  /** The arena has said something else, or the connection is over. */
  end() {
    clearTimeout(this.#timer);
  }
}

/**
 * Host and port as one word; an IPv6 address is put in brackets.
 * @param {string} host
 * @param {number} port
 */
export function address(host, port) {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/**
 * Have an `ArenaError` or an `OptionError` shown in one line if nothing catches it, since its stack
 * would tell nothing more. A listener of the bot's own for uncaught errors stays in charge.
 */
export function showInOneLine() {
  if (process.listeners("uncaughtExceptionMonitor").includes(show)) return;
  process.on("uncaughtExceptionMonitor", show);
}

/** @param {Error} uncaught */
function show(uncaught) {
  if (!(uncaught instanceof ArenaError || uncaught instanceof OptionError)) return;
  if (process.listenerCount("uncaughtException") > 0) return;
  process.stderr.write(`${uncaught.message}\n`);
  process.exit(1);
}
