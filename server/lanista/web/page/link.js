/**
 * The connection to the arena: one WebSocket (docs/api.md, "WebSocket") that comes back by itself.
 *
 * It matches answers to requests by id, turns other messages into events, and declares their types.
 * Nothing is drawn here, and what a message means for the page is decided elsewhere.
 *
 * @module
 */

/**
 * @typedef {{type: "hello", api: number, software: string, mode: "serve" | "play",
 *   operator: boolean, match: string | null}} Hello
 * @typedef {{bot: number, name: string, seat: number | null}} WaitingBot
 * @typedef {{game: string, title: string, room: string | null, seats: number, ready: boolean,
 *   bots: WaitingBot[]}} Room
 * @typedef {{match: string, game: string, title: string, room: string | null,
 *   players: {bot: number, name: string}[], started: string, paused: boolean}} Running
 * @typedef {{match: string, game: string, title: string, state: "running" | "over",
 *   started: string, ended: string | null, players: string[], end: string | null,
 *   reason: string | null, ranks: number[] | null, scores: number[] | null,
 *   turns: number | null, seed: string | null, faults: number[] | null}} Match
 * @typedef {{rank: number, name: string, matches: number, points: number, wins: number,
 *   draws: number, losses: number, faults: number}} StandingRow
 * @typedef {{game: string, title: string, matches: number, rows: StandingRow[]}} Standing
 * @typedef {{value: number, low: number | null, high: number | null}} Estimate
 * @typedef {{rank: number, bot: string, matches: number, points: number, blocks: number,
 *   rating: Estimate | null, rank_low: number | null, rank_high: number | null,
 *   superior: number | null, places: number[], draws: number, endings: Record<string, number>,
 *   late_turns: number, malformed_turns: number, illegal_moves: number, benched: boolean,
 *   live: number | null}} TournamentRow
 * @typedef {{bot: string, opponent: string, matches: number, points: number,
 *   superior: number | null}} Meeting
 * @typedef {{game: string, format: string, seats: number, blocks: number, planned: number | null,
 *   matches: number, voids: number, uncounted: number, over: boolean, words: string,
 *   standings: TournamentRow[]}} FirstRows
 * @typedef {FirstRows & {head_to_head: Meeting[], seat_advantage: Estimate[]}} Table
 * @typedef {{name: string, title: string | null, computed: string | null, bots: number | null,
 *   problem: string | null}} About
 * @typedef {About & {standings: FirstRows | null}} Summary
 * @typedef {About & {standings: Table | null}} Tournament
 * @typedef {{type: "lobby", manual: boolean, rooms: Room[], running: Running[], recent: Match[],
 *   standings: Standing[], tournaments: Summary[]}} Lobby
 * @typedef {"connecting" | "open" | "lost"} LinkState
 * @typedef {Record<string, any>} Message
 */

/** The version of the arena's JSON that this page reads. */
export const API = 1;
/** Seconds before the connection is tried again: at first at least, and at most. */
export const SOONEST = 0.5;
export const LATEST = 10;
/** Bytes: the largest file that the arena takes. */
export const LARGEST = 32 * 1024 * 1024;
/** Bytes of a file in one message. */
const SLICE = 512 * 1024;

const LOST = "the connection to the arena was lost";
const CLOSED = "there is no connection to the arena at the moment";

/**
 * The connection, from `connecting` to `open` and, whenever it breaks, `lost` until it is open
 * again. It is open once the arena has sent its hello.
 *
 * Events: `hello` (CustomEvent, detail: Hello), before the state is open, so that what its
 * listeners ask is asked first; `state`; `lobby` (CustomEvent, detail: Lobby). A lobby that was
 * asked for is asked for again after a loss.
 */
export class Link extends EventTarget {
  /** @type {LinkState} */
  #state = "connecting";
  /** @type {WebSocket | null} */
  #socket = null;
  /** @type {Map<number, {resolve: (answer: Message) => void, reject: (error: Error) => void}>} */
  #pending = new Map();
  /** @type {Hello | null} */
  #hello = null;
  /** @type {Lobby | null} */
  #lobby = null;
  #url;
  #random;
  #last = 0;
  #losses = 0;
  #inLobby = false;
  #ended = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer = undefined;

  /**
   * Connects at once.
   *
   * @param {string} url as `ws://127.0.0.1:8080/api/1/ws`
   * @param {() => number} [random] from 0 to 1, for the time until the next attempt
   */
  constructor(url, random = Math.random) {
    super();
    this.#url = url;
    this.#random = random;
    this.#connect();
  }

  /** Whether there is a connection. @returns {LinkState} */
  get state() {
    return this.#state;
  }

  /** The hello of the last connection; null before the first. */
  get hello() {
    return this.#hello;
  }

  /** The last lobby message; null if there was none. */
  get lobby() {
    return this.#lobby;
  }

  /**
   * Resolves when the connection is open: at once if it is.
   *
   * @returns {Promise<void>}
   */
  async opened() {
    while (this.#state !== "open") {
      await new Promise((resolve) => {
        this.addEventListener("state", resolve, { once: true });
      });
    }
  }

  /**
   * Sends a request, and resolves with the answer to it; the id is added here.
   *
   * @param {Message} message with `do`
   * @returns {Promise<Message>}
   * @throws {Error} in the arena's words if it refuses; if there is no connection, or it is lost
   *   before the answer
   */
  ask(message) {
    return this.#say(message, null);
  }

  /**
   * Send a file: the message and then the file's bytes. The answer is as for `ask`.
   *
   * @param {Blob} blob at most `LARGEST` bytes
   * @param {Message} message `{do: "file", name}`; the size is added here
   * @returns {Promise<Message>}
   * @throws {Error} as `ask`; a file that is too large
   */
  async send(blob, message) {
    if (blob.size > LARGEST) {
      const mib = (blob.size / 1024 / 1024).toFixed(1);
      throw new Error(`the file has ${mib} MiB; the arena takes up to 32 MiB`);
    }
    return this.#say({ ...message, size: blob.size }, blob);
  }

  /** End the connection for good. */
  close() {
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#socket?.close();
    this.#lose();
  }

  /**
   * @param {Message} message
   * @param {Blob | null} blob
   * @returns {Promise<Message>}
   */
  #say(message, blob) {
    const socket = this.#socket;
    // Between hello and open, listeners of hello may ask.
    if (socket === null || socket.readyState !== 1 || this.#hello === null) {
      return Promise.reject(new Error(CLOSED));
    }
    this.#inLobby ||= message.do === "lobby";
    const id = (this.#last += 1);
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      socket.send(JSON.stringify({ ...message, id }));
      for (let at = 0; blob !== null && at < blob.size; at += SLICE) {
        socket.send(blob.slice(at, at + SLICE));
      }
    });
  }

  #connect() {
    const socket = new WebSocket(this.#url);
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      if (this.#socket === socket) {
        this.#hear(data);
      }
    });
    // A failed attempt also ends with `close`; `error` has no details that could be shown.
    socket.addEventListener("close", () => {
      if (this.#socket === socket) {
        this.#lose();
      }
    });
  }

  /** @param {unknown} data one message as it was received */
  #hear(data) {
    const message = understood(data);
    if (message === null) {
      // It isn't from the arena, as when another program has its port now.
      this.#socket?.close();
      return;
    }
    const asked = this.#pending.get(message.id);
    if (asked !== undefined) {
      this.#pending.delete(message.id);
    }
    if (message.type === "error") {
      asked?.reject(new Error(String(message.words)));
      return;
    }
    if (message.type === "hello") {
      this.#greet(/** @type {Hello} */ (message));
    } else if (message.type === "lobby") {
      this.#lobby = /** @type {Lobby} */ (message);
      this.dispatchEvent(new CustomEvent("lobby", { detail: message }));
    }
    asked?.resolve(message);
  }

  /** @param {Hello} hello */
  #greet(hello) {
    this.#hello = hello;
    this.#losses = 0;
    // A listener of hello may ask for the lobby itself.
    const again = this.#inLobby;
    this.dispatchEvent(new CustomEvent("hello", { detail: hello }));
    this.#become("open");
    if (again) {
      // Its answer is also an event; the state shows a refusal or a loss.
      this.ask({ do: "lobby" }).catch(() => {});
    }
  }

  #lose() {
    this.#socket = null;
    this.#hello = null;
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    this.#become("lost");
    for (const { reject } of pending) {
      reject(new Error(LOST));
    }
    if (!this.#ended) {
      // Many pages lose the arena at the same moment: each reconnects after a random time.
      const longest = Math.min(LATEST, SOONEST * 2 ** (this.#losses + 1));
      const delay = SOONEST + this.#random() * (longest - SOONEST);
      this.#losses += 1;
      this.#timer = setTimeout(() => this.#connect(), delay * 1000);
    }
  }

  /** @param {LinkState} state */
  #become(state) {
    if (this.#state !== state) {
      this.#state = state;
      this.dispatchEvent(new Event("state"));
    }
  }
}

/**
 * @param {unknown} data one message as it was received
 * @returns {Message | null} null: no JSON object
 */
function understood(data) {
  try {
    const message = JSON.parse(String(data));
    return typeof message === "object" ? message : null;
  } catch {
    return null;
  }
}
