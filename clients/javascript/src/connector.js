/**
 * The way to the arena, walked once, or again and again after pauses (PROTOCOL.md 8). What is said
 * after the hello is no matter of this module.
 */

import { setTimeout } from "node:timers/promises";

import { open } from "./connection.js";
import { ArenaError } from "./errors.js";

/** @typedef {import("node:stream").Duplex} Duplex */

const SHORTEST_PAUSE = 500; // ms
const LONGEST_PAUSE = 60_000; // ms

/**
 * Codes after which the same bot would fare no better: "no" in the table of PROTOCOL.md 7.
 * @type {ReadonlySet<string>}
 */
export const FINAL_CODES = new Set([
  "bad-hello",
  "unknown-game",
  "unknown-version",
  "bad-token",
  "name-taken",
  "replaced",
  "not-utf8",
  "line-too-long",
  "flood",
  "too-many-submoves",
  "unreadable",
]);

/** How a pause is made; tests put another way in its place. */
export const clock = {
  /**
   * @param {number} ms
   * @param {AbortSignal} signal ends it early, by an exception
   * @returns {Promise<void>}
   */
  pause: (ms, signal) => setTimeout(ms, undefined, { signal }),
};

/** Connects and says hello. */
export class Connector {
  #opening;
  #pause = SHORTEST_PAUSE;
  #given = new AbortController();

  /**
   * @param {import("./connection.js").Way & { hello: string }} opening where to connect, what to say
   * @param {boolean} reconnect whether to connect again when that fails, or after a break
   */
  constructor(opening, reconnect) {
    this.#opening = opening;
    /** @readonly */
    this.reconnect = reconnect;
  }

  /**
   * @returns {Promise<Duplex>}
   * @throws {ArenaError} `unreachable`
   */
  async connect() {
    const socket = await open(this.#opening);
    socket.write(this.#opening.hello);
    return socket;
  }

  /**
   * Connect, as often as it takes.
   *
   * @param {ArenaError} error why there is no connection
   * @returns {Promise<Duplex | null>} null: given up meanwhile
   */
  async connectAgain(error) {
    const { signal } = this.#given;
    while (!signal.aborted) {
      const ms = this.#pause * (1 - Math.random() / 2);
      this.#pause = Math.min(2 * this.#pause, LONGEST_PAUSE);
      const seconds = (ms / 1000).toFixed(1);
      process.stderr.write(`lanista: ${error.message}; connecting again in ${seconds} s\n`);
      try {
        await clock.pause(ms, signal);
        const stream = await this.connect();
        if (!signal.aborted) return stream;
        stream.destroy();
      } catch (another) {
        if (!signal.aborted && !(another instanceof ArenaError)) throw another;
        if (another instanceof ArenaError) error = another;
      }
    }
    return null;
  }

  /** The arena has let the bot in: the pauses begin anew. */
  letIn() {
    this.#pause = SHORTEST_PAUSE;
  }

  /** End the attempts. */
  giveUp() {
    this.#given.abort();
  }
}
