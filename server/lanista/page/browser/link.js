/**
 * The connection to the arena: one WebSocket (docs/api.md, "WebSocket") that reconnects by itself.
 *
 * It matches answers to requests by id, turns other messages into events, and declares the types of
 * messages.
 *
 * @module
 */

/**
 * @typedef {{type: "hello", api: number, software: string, mode: "serve" | "tournament" | "play",
 *   operator: boolean, match: string | null, bots: BotsPort | null, play: boolean}} Hello
 * @typedef {{host: string | null, port: number, registration: "open" | "closed",
 *   tls: boolean}} BotsPort
 * @typedef {{bot: number, name: string, seat: number | null}} WaitingBot
 * @typedef {{game: string, title: string, room: string | null, seats: number, ready: boolean, ladder: boolean,
 *   bots: WaitingBot[]}} Room
 * @typedef {{match: string, game: string, title: string, room: string | null,
 *   tournament: string | null, players: {bot: number | null, name: string}[], started: string, paused: boolean}} Running
 * @typedef {{match: string, game: string, ladder: string | null, tournament?: string | null, title: string,
 *   state: "running" | "over", started: string | null, ended: string | null, players: string[], end: string | null,
 *   reason: string | null, ranks: number[] | null, scores: number[] | null,
 *   turns: number | null, seed: string | null, faults: number[] | null, endings?: string[],
 *   words?: string[], recorded?: boolean}} Match
 * @typedef {{rank: number, name: string, matches: number, points: number, wins: number,
 *   draws: number, losses: number, faults: number}} StandingRow
 * @typedef {{game: string, title: string, matches: number, rows: StandingRow[]}} Standing
 * @typedef {{value: number, low: number | null, high: number | null}} Estimate
 * @typedef {{rank: number, bot: string, matches: number, points: number, blocks: number,
 *   rating: Estimate | null, rank_low: number | null, rank_high: number | null,
 *   superior: number | null, places: number[], draws: number, endings: Record<string, number>,
 *   late_turns: number, malformed_turns: number, illegal_moves: number, benched: boolean}} TournamentRow
 * @typedef {{bot: string, opponent: string, matches: number, points: number,
 *   superior: number | null}} Meeting
 * @typedef {{game: string, format: string, seats: number, blocks: number, planned: number | null,
 *   matches: number, voids: number, uncounted: number, over: boolean, words: string,
 *   standings: TournamentRow[]}} FirstRows
 * @typedef {{bots: string[], points: number[], blocks: number, over: boolean,
 *   through: string[]}} RoundMeeting
 * @typedef {{blocks: number[], curves: {bot: string, ratings: (number | null)[]}[]}} Race
 * @typedef {FirstRows & {head_to_head: Meeting[], seat_advantage: Estimate[],
 *   rounds: RoundMeeting[][], race: Race}} Table
 * @typedef {{name: string, title: string | null, computed: string | null, bots: number | null,
 *   problem: string | null}} About
 * @typedef {About & {standings: FirstRows | null}} Summary
 * @typedef {About & {standings: Table | null}} Tournament
 * @typedef {{until: string | null, why: string}} Rest
 * @typedef {{rank: number | null, bot: string, house: boolean, matches: number, points: number,
 *   rating: Estimate | null, rank_low: number | null, rank_high: number | null,
 *   day: number | null, week: number | null, version: number | null,
 *   failures: number}} LadderRow
 * @typedef {{match: string | null, stored: string}} MatchPlace
 * @typedef {{version: number | null, rating: Estimate, matches: number, first: MatchPlace,
 *   last: MatchPlace}} LadderVersion
 * @typedef {{name: string, game: string, title: string, client_state: string | null,
 *   submissions: boolean, waiting: number, playing: number, resting: number, seats: number | null, matches: number | null,
 *   voids: number | null, bots: number | null, computed: string | null,
 *   seat_advantage: Estimate[] | null, problem: string | null, rows: LadderRow[]}} Ladder
 * @typedef {Ladder & {rests: Record<string, Rest>}} LadderTable
 * @typedef {{match: string | null, stored: string, end: string, reason: string, turns: number,
 *   players: string[], ranks: number[], scores: number[], endings: string[],
 *   words: string[]}} LadderResult
 * @typedef {[taken: string, rating: number, low: number | null, high: number | null]} RatingPoint
 * @typedef {{ladder: string, game: string, title: string, submissions: boolean, bot: string, row: LadderRow,
 *   rest: Rest | null, history: RatingPoint[], opponents: {opponent: string, won: number,
 *   tied: number, lost: number, matches: number}[], by_seat: {seat: number, places: number[],
 *   failures: number, matches: number}[], endings: Record<string, number>,
 *   recent: LadderResult[], failed: LadderResult[],
 *   versions: LadderVersion[],
 *   round_trip: {smoothed: number, least: number} | null}} LadderBot
 * @typedef {{ladder: string, game: string, title: string, bot: string, opponent: string,
 *   rows: LadderRow[], won: number, tied: number, lost: number,
 *   recent: LadderResult[]}} LadderPair
 * @typedef {{type: "lobby", manual: boolean, trouble: string | null, rooms: Room[], running: Running[],
 *   recent: Match[], standings: Standing[], tournaments: Summary[], ladders: Ladder[]}} Lobby
 * @typedef {"connecting" | "open" | "lost"} LinkState
 * @typedef {Record<string, any>} Message
 */

/** Minimum and maximum delay before an attempt to reconnect, in seconds. */
const MIN_RETRY = 0.5;
export const MAX_RETRY = 10;
/** Seconds after which a connection without an answer counts as lost. */
export const CHECK_TIME = 10;
/** Seconds between two checks of a connection, each of which may take as long on a slow line. */
export const CHECK_EVERY = 60;
/** Maximum size of a file that the arena takes, in bytes. */
export const MAX_FILE = 32 * 1024 * 1024;
/** Size of a message with a part of a file, in bytes. */
const CHUNK = 512 * 1024;

const LOST_MESSAGE = "the connection to the arena was lost";
const CLOSED_MESSAGE = "there is no connection to the arena at the moment";

/**
 * The connection to the arena. Its state is `connecting` at first, `open` once the arena has sent
 * its hello, and `lost` from a loss of the connection until the next hello.
 *
 * Events: `hello` (CustomEvent whose detail is a Hello) comes before the state becomes `open`, so
 * that its listeners' requests are sent first; `state`; `lobby` (CustomEvent whose detail is a
 * Lobby). If the lobby was requested, it is requested again after a loss.
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
  #checks;
  #lastId = 0;
  #failures = 0;
  #wantsLobby = false;
  #isClosed = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer = undefined;

  /**
   * Connect at once.
   *
   * @param {string} url as `ws://127.0.0.1:8080/api/1/ws`
   * @param {() => number} [random] returns a number from 0 to 1, for the delay before an attempt
   */
  constructor(url, random = Math.random) {
    super();
    this.#url = url;
    this.#random = random;
    this.#checks = setInterval(() => void this.check(CHECK_EVERY), CHECK_EVERY * 1000);
    this.#connect();
  }

  /** The state of the connection. @returns {LinkState} */
  get state() {
    return this.#state;
  }

  /** The hello of this connection; null while there is none. */
  get hello() {
    return this.#hello;
  }

  /** The last lobby message; null before the first. */
  get lobby() {
    return this.#lobby;
  }

  /**
   * Wait until the connection is open.
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
   * Do something once there is a connection, and again if the connection is lost meanwhile.
   *
   * @template T
   * @param {() => Promise<T>} work
   * @param {() => boolean} isWanted
   * @returns {Promise<T | null>} null: it is no longer wanted
   */
  async persist(work, isWanted) {
    while (isWanted()) {
      await this.opened();
      try {
        return await work();
      } catch (error) {
        if (this.#state === "open") {
          throw error;
        }
      }
    }
    return null;
  }

  /**
   * Send a request and return the answer. The request's id is added here.
   *
   * @param {Message} message with `do`
   * @returns {Promise<Message>}
   * @throws {Error} with the arena's message, if it refuses; if there is no connection, or it is
   *   lost before the answer
   */
  ask(message) {
    return this.#request(message, null);
  }

  /**
   * Send a request followed by a file's bytes, and return the answer.
   *
   * @param {Blob} blob at most `MAX_FILE` bytes
   * @param {Message} message `{do: "file", name}`; the size is added here
   * @returns {Promise<Message>}
   * @throws {Error} as by `ask`, or if the file is too large
   */
  async send(blob, message) {
    if (blob.size > MAX_FILE) {
      const mib = (blob.size / 1024 / 1024).toFixed(1);
      throw new Error(`the file has ${mib} MiB; the arena takes up to 32 MiB`);
    }
    return this.#request({ ...message, size: blob.size }, blob);
  }

  /**
   * Find out whether the arena still answers. A phone that has slept may not know that its connection
   * is lost, as it has sent nothing since; nor does a screen whose router was restarted.
   *
   * @param {number} [patience] seconds
   */
  async check(patience = CHECK_TIME) {
    const socket = this.#socket;
    let unsent = socket?.bufferedAmount ?? 0;
    const timer = setInterval(() => {
      if (this.#socket !== socket || socket === null) {
        return;
      }
      if (socket.bufferedAmount < unsent) {
        unsent = socket.bufferedAmount; // the question comes after a file, part of which has left
        return;
      }
      socket.close();
      this.#onClose();
    }, patience * 1000);
    await this.ask({ do: "lobby" }).catch(() => {});
    clearInterval(timer);
  }

  /** Close the connection for good. */
  close() {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearInterval(this.#checks);
    this.#socket?.close();
    this.#onClose();
  }

  /**
   * @param {Message} message
   * @param {Blob | null} blob
   * @returns {Promise<Message>}
   */
  #request(message, blob) {
    const socket = this.#socket;
    // Listeners of `hello` may send requests before the state is `open`.
    if (socket === null || socket.readyState !== 1 || this.#hello === null) {
      return Promise.reject(new Error(CLOSED_MESSAGE));
    }
    this.#wantsLobby ||= message.do === "lobby";
    const id = (this.#lastId += 1);
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      socket.send(JSON.stringify({ ...message, id }));
      for (let at = 0; blob !== null && at < blob.size; at += CHUNK) {
        socket.send(blob.slice(at, at + CHUNK));
      }
    });
  }

  #connect() {
    const socket = new WebSocket(this.#url);
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => {
      if (this.#socket === socket) {
        this.#receive(data);
      }
    });
    // A failed attempt also ends with `close`, and `error` has no details that could be shown.
    socket.addEventListener("close", () => {
      if (this.#socket === socket) {
        this.#onClose();
      }
    });
  }

  /** @param {unknown} data one message as it was received */
  #receive(data) {
    const message = parse(data);
    if (message === null) {
      // The message isn't from the arena: another program may have its port by now.
      this.#socket?.close();
      return;
    }
    const request = this.#pending.get(message.id);
    if (request !== undefined) {
      this.#pending.delete(message.id);
    }
    if (message.type === "error") {
      request?.reject(new Error(String(message.words)));
      return;
    }
    if (message.type === "hello") {
      this.#onHello(/** @type {Hello} */ (message));
    } else if (message.type === "lobby") {
      this.#lobby = /** @type {Lobby} */ (message);
      this.dispatchEvent(new CustomEvent("lobby", { detail: message }));
    }
    request?.resolve(message);
  }

  /** @param {Hello} hello */
  #onHello(hello) {
    this.#hello = hello;
    this.#failures = 0;
    // Read this before the event, as a listener of `hello` may request the lobby itself.
    const again = this.#wantsLobby;
    this.dispatchEvent(new CustomEvent("hello", { detail: hello }));
    this.#setState("open");
    if (again) {
      // The answer is also an event. If the connection is lost, the next hello repeats this.
      this.ask({ do: "lobby" }).catch(() => {});
    }
  }

  #onClose() {
    this.#socket = null;
    this.#hello = null;
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    this.#setState("lost");
    for (const { reject } of pending) {
      reject(new Error(LOST_MESSAGE));
    }
    if (!this.#isClosed) {
      // Many pages lose the arena at the same moment, so each reconnects after a random delay.
      const longest = Math.min(MAX_RETRY, MIN_RETRY * 2 ** (this.#failures + 1));
      const delay = MIN_RETRY + this.#random() * (longest - MIN_RETRY);
      this.#failures += 1;
      this.#timer = setTimeout(() => this.#connect(), delay * 1000);
    }
  }

  /** @param {LinkState} state */
  #setState(state) {
    if (this.#state !== state) {
      this.#state = state;
      this.dispatchEvent(new Event("state"));
    }
  }
}

/**
 * Parse a message.
 *
 * @param {unknown} data one message as it was received
 * @returns {Message | null} null: it isn't a JSON object
 */
function parse(data) {
  try {
    const message = JSON.parse(String(data));
    return typeof message === "object" ? message : null;
  } catch {
    return null;
  }
}
