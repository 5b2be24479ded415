/**
 * A film: one match to look at, with its head, the frames loaded so far, and its end.
 *
 * Gives access to any frame, and fetches missing ones from the arena, unless the film was complete
 * from the beginning. Frames are decoded in decode.js; nothing is drawn here.
 */

import { BadFilm, positionOf, readFrame, readHead } from "./decode.js";

/** @typedef {import("./decode.js").End} End */
/** @typedef {import("./decode.js").Frame} Frame */
/** @typedef {import("./decode.js").Head} Head */
/** @typedef {import("./decode.js").Position} Position */

/**
 * What a film needs of a connection (link.js).
 * @typedef {object} Feed
 * @property {string} state `open` when there is a connection
 * @property {(message: any) => Promise<any>} ask
 * @property {(blob: Blob, message: any) => Promise<any>} send
 * @property {(type: "state", listener: () => void) => void} addEventListener
 * @property {(type: "state", listener: () => void) => void} removeEventListener
 */

/** How many frames are fetched beyond the wanted one, in the direction of play. */
export const AHEAD = 60;
/** How many built positions are kept: enough that stepping back is cheap. */
const KEPT = 128;
/**
 * What is kept of a film: all that was loaded, or only what the newest position is built from, for
 * a picture of how a match stands.
 * @typedef {"all" | "newest"} Keep
 */

/** A wanted frame this far from the last one means that play went on: time to read ahead. */
const STRIDE = 10;

/**
 * A match, running or over.
 *
 * Events: `change` when the count, `over`, `end` or what is loaded changed; `trouble`
 * (CustomEvent, the detail is a message for people) when the arena refuses or sends bad data.
 * After that nothing is fetched until the connection has been lost and is back.
 */
export class Film extends EventTarget {
  /** @type {Head} */
  head;
  /** Null until known. @type {End | null} */
  end = null;
  /** How many frames are known to exist. */
  count = 0;
  /** Whether there will be no more frames than `count`. */
  over = false;

  /** @type {Frame[]} */
  #frames = [];
  /** Built positions by frame, the one used last at the end. @type {Map<number, Position>} */
  #positions = new Map();
  /** Null: whatever isn't there never comes. @type {Feed | null} */
  #link = null;
  /** Asks for the match on this connection, and gets its head. @type {() => Promise<any>} */
  #open = async () => null;
  #match = "";
  #wanted = -1;
  #direction = 1;
  #all = false;
  #firstMissing = 0;
  /** Loaded frames from this one on are fetched again, since they have logs now. */
  #again = Infinity;
  /** @type {Keep} */
  #keeps = "all";
  /** Frames before this one were dropped, and aren't fetched again. */
  #first = 0;
  #following = false;
  #stopped = false;
  #broken = false;
  // At most one request for frames that are there, and one for the next frame to come.
  #reading = false;
  #chasing = false;

  /**
   * Use one of the `from…` methods instead.
   * @param {Head} head
   */
  constructor(head) {
    super();
    this.head = head;
  }

  /**
   * A match of the arena, running or over. Nothing is loaded yet but its head.
   * @param {Feed} link open
   * @param {string} matchId
   * @param {{keep?: Keep}} [options]
   * @returns {Promise<Film>}
   * @throws {Error} with a message for people: no such match, no connection, bad data
   */
  static async fromLink(link, matchId, { keep = "all" } = {}) {
    const film = await Film.#opened(link, () => link.ask({ do: "open", match: matchId }));
    film.#keeps = keep;
    return film;
  }

  /**
   * A record or an original game's `.res` file, which is sent to the arena.
   * @param {Feed} link open
   * @param {File} file
   * @returns {Promise<Film>}
   * @throws {Error} with a message for people
   */
  static fromFile(link, file) {
    // The arena knows the film for one connection only: after a loss the file is sent again.
    return Film.#opened(link, () =>
      link.send(file, { do: "file", name: file.name, size: file.size }),
    );
  }

  /**
   * A complete film.
   * @param {{head: any, frames: any[], end: any}} data
   * @returns {Film}
   * @throws {Error} with a message for people, if the data is bad
   */
  static fromData({ head, frames, end }) {
    const film = new Film(readHead(head));
    film.#keep(frames, 0);
    film.count = frames.length;
    film.over = true;
    film.end = end;
    return film;
  }

  /**
   * @param {Feed} link
   * @param {() => Promise<any>} open
   */
  static async #opened(link, open) {
    const head = await headFrom(open);
    const film = new Film(head);
    film.#link = link;
    film.#open = open;
    film.#match = head.match;
    link.addEventListener("state", film.#linkChanged);
    return film;
  }

  /**
   * The position after n turns.
   * @param {number} n
   * @returns {Position | null} null: not loaded; if it can come it is being fetched, and `change`
   *   follows
   */
  at(n) {
    const position = this.#position(n);
    if (position === null || Math.abs(n - this.#wanted) > STRIDE) {
      this.want(n);
    }
    return position;
  }

  /** The newest frame that is loaded, and so can be shown; -1 while there is none. */
  get newest() {
    // A frame is only stored if everything that its differences refer to is there.
    return Math.min(this.#frames.length, this.count) - 1;
  }

  /**
   * A frame as the arena sent it, with its play and statistics: cheaper than a position.
   * @param {number} n
   * @returns {Frame | null} null: not loaded; it isn't fetched for that
   */
  frame(n) {
    return this.#frames[n] ?? null;
  }

  /**
   * Fetches frame n, then those beyond it in the direction in which the wanted frames move.
   * @param {number} n
   */
  want(n) {
    if (!Number.isInteger(n) || n < 0) {
      return;
    }
    // A step by one may be a look at the frame before, for its animation.
    if (Math.abs(n - this.#wanted) > 1) {
      this.#direction = n < this.#wanted ? -1 : 1;
    }
    this.#wanted = n;
    this.#read();
  }

  /** Fetches all that is missing, too, while nothing nearer is wanted: for plots. */
  wantAll() {
    this.#all = true;
    this.#read();
  }

  /** Keeps fetching the newest frames as they come, to the end. */
  follow() {
    this.#following = true;
    this.#chase();
  }

  /** Ends fetching for good; what is loaded stays. */
  stop() {
    if (this.#stopped) {
      return;
    }
    this.#stopped = true;
    this.#following = false;
    if (this.#link !== null) {
      this.#link.removeEventListener("state", this.#linkChanged);
      // A connection that isn't there has nothing to close.
      this.#link.ask({ do: "close", match: this.#match }).catch(() => {});
    }
  }

  /** @param {number} n @returns {Position | null} */
  #position(n) {
    const known = this.#positions.get(n);
    if (known !== undefined) {
      this.#positions.delete(n);
      this.#positions.set(n, known);
      return known;
    }
    // Go back to the frame from which the differences start.
    let first = n;
    while (this.#frames[first]?.key !== true && !this.#positions.has(first)) {
      if (this.#frames[first] === undefined) {
        return null;
      }
      first -= 1;
    }
    let position = this.#positions.get(first) ?? null;
    try {
      for (let index = position === null ? first : first + 1; index <= n; index += 1) {
        position = positionOf(this.head.scene, this.#frames[index], position);
        this.#positions.set(index, position);
      }
    } catch (error) {
      this.#fail(error);
      return null;
    }
    for (const oldest of this.#positions.keys()) {
      if (this.#positions.size <= KEPT) {
        break;
      }
      this.#positions.delete(oldest);
    }
    return position;
  }

  /** Fetches wanted frames that exist, one request after another. */
  async #read() {
    if (this.#reading) {
      return;
    }
    this.#reading = true;
    for (let from = this.#missing(); from !== null; from = this.#missing()) {
      if (!(await this.#request(from))) {
        break;
      }
    }
    this.#reading = false;
  }

  /** Fetches each new frame as soon as it exists. */
  async #chase() {
    if (this.#chasing) {
      return;
    }
    this.#chasing = true;
    while (this.#following && this.#able() && this.end === null) {
      if (!(await this.#request(this.count === 0 ? -1 : this.count))) {
        break;
      }
    }
    this.#chasing = false;
  }

  #able() {
    return !this.#stopped && !this.#broken && this.#link !== null && this.#link.state === "open";
  }

  /** @returns {number | null} the frame to ask for next; null: nothing to do */
  #missing() {
    if (!this.#able() || (this.#wanted < 0 && !this.#all)) {
      return null;
    }
    if (this.count === 0) {
      return 0;
    }
    const wanted = Math.min(this.#wanted, this.count - 1);
    for (let ahead = 0; ahead <= AHEAD; ahead += 1) {
      const n = wanted + ahead * this.#direction;
      if (n >= this.#first && n < this.count && this.#frames[n] === undefined) {
        return n;
      }
    }
    if (this.over && this.end === null && !this.#following) {
      return this.count;
    }
    while (this.#again <= this.newest && this.#frames[this.#again] === undefined) {
      this.#again += 1;
    }
    if (this.#again <= this.newest) {
      return this.#again;
    }
    if (this.#all) {
      while (this.#frames[this.#firstMissing] !== undefined) {
        this.#firstMissing += 1;
      }
      return this.#firstMissing < this.count ? this.#firstMissing : null;
    }
    return null;
  }

  /**
   * @param {number} from
   * @returns {Promise<boolean>} whether there was an answer, and it was right
   */
  async #request(from) {
    try {
      let answer;
      try {
        answer = await this.#ask(from);
      } catch (error) {
        if (!this.#able()) {
          return false;
        }
        // Another view of the same match may have closed it on this connection: open it again.
        await this.#reopen();
        answer = await this.#ask(from);
      }
      if (!this.#able()) {
        return false;
      }
      this.#take(answer, from);
      return true;
    } catch (error) {
      if (this.#able()) {
        this.#fail(error);
      }
      return false;
    }
  }

  /**
   * @param {number} from
   * @returns {Promise<any>}
   * @throws {Error} refused, or given up as the match was closed
   */
  async #ask(from) {
    const question = { do: "frames", match: this.#match, from };
    const known = this.#frames[from - 1] !== undefined;
    const answer = await /** @type {Feed} */ (this.#link).ask(
      known ? { ...question, known } : question,
    );
    if (answer?.type === "done") {
      throw new Error("the arena closed the film");
    }
    return answer;
  }

  async #reopen() {
    this.#learn(await headFrom(this.#open));
  }

  /** @param {Head} head of the film as it was opened again */
  #learn({ match, logs }) {
    this.#match = match;
    if (this.head.logs === false && logs !== false) {
      this.head.logs = true;
      this.#again = 0;
      // Positions are built again, so that the shown one isn't taken for unchanged.
      this.#positions.clear();
    }
  }

  /** Waits until the logs of a finished match may be seen, and fetches them. */
  async #awaitLogs() {
    const question = { do: "open", match: this.#match, logs: true };
    while (this.#able() && this.head.logs === false && this.#keeps === "all") {
      try {
        const answer = await /** @type {Feed} */ (this.#link).ask(question);
        // Another view of the same match may have closed it on this connection.
        if (answer?.type !== "done") {
          this.#learn(readHead(answer));
          break;
        }
      } catch {
        // The connection was lost: everything is opened again when it is back.
        return;
      }
    }
    this.#read();
  }

  /** Goes on where it was after the connection was lost. */
  #linkChanged = async () => {
    // Nothing is asked for until the match is open again.
    this.#broken = true;
    if (this.#link?.state !== "open") {
      return;
    }
    try {
      await this.#reopen();
    } catch (error) {
      // If the connection was lost again, the next one tries; else the match is no longer there.
      if (this.#link?.state === "open" && !this.#stopped) {
        this.#broken = false;
        this.#fail(error);
      }
      return;
    }
    this.#broken = false;
    this.#read();
    if (this.end !== null) {
      this.#awaitLogs();
    } else if (this.#following) {
      this.#chase();
    }
  };

  /**
   * @param {any} answer
   * @param {number} from what was asked for
   * @throws {BadFilm}
   */
  #take(answer, from) {
    if (answer?.type === "end") {
      this.end = answer;
      this.over = true;
      this.#awaitLogs();
    } else {
      const right = answer?.type === "frames" && Array.isArray(answer.frames);
      if (!right || !Number.isInteger(answer.from) || !Number.isInteger(answer.count)) {
        throw new BadFilm("the arena answered something else than frames of the film");
      }
      this.#keep(answer.frames, answer.from);
      this.count = Math.max(this.count, answer.count, answer.from + answer.frames.length);
      this.over ||= answer.over === true;
      const next = answer.from + answer.frames.length;
      const isIn = from < 0 || (answer.from <= from && from < next);
      if (answer.frames.length === 0 || !isIn) {
        throw new BadFilm(`the arena's answer doesn't hold frame ${from} of the film`);
      }
      if (answer.from <= this.#again) {
        this.#again = Math.max(this.#again, next);
      }
      if (this.#keeps === "newest") {
        this.#dropOld();
      }
    }
    this.dispatchEvent(new Event("change"));
    // The count has changed, so there may be more to fetch.
    this.#read();
  }

  /**
   * @param {any[]} frames
   * @param {number} from the first one's number
   * @throws {BadFilm}
   */
  #keep(frames, from) {
    for (const [index, frame] of frames.entries()) {
      const n = from + index;
      // Frames that are there stay, so that positions built from them stay right.
      if (this.#frames[n] !== undefined) {
        this.#addLogs(n, frame?.play?.logs);
      } else if (n >= this.#first) {
        const read = readFrame(frame, this.head.scene, n);
        if (read.key !== true && this.#frames[n - 1] === undefined) {
          throw new BadFilm(`frame ${n} of the film tells differences, but none is before it`);
        }
        this.#frames[n] = read;
      }
    }
  }

  /**
   * @param {number} n of a frame that is there
   * @param {Record<string, string> | undefined} logs of its turn
   */
  #addLogs(n, logs) {
    const { play } = this.#frames[n];
    if (play === undefined || play.logs !== undefined || logs === undefined) {
      return;
    }
    const playWithLogs = { ...play, logs };
    this.#frames[n] = { ...this.#frames[n], play: playWithLogs };
    const position = this.#positions.get(n);
    if (position !== undefined) {
      this.#positions.set(n, { ...position, play: playWithLogs });
    }
  }

  /** Drops the frames that the newest position isn't built from. */
  #dropOld() {
    let key = this.newest;
    while (key > this.#first && this.#frames[key].key !== true) {
      key -= 1;
    }
    for (let n = this.#first; n < key; n += 1) {
      delete this.#frames[n];
    }
    for (const n of this.#positions.keys()) {
      if (n < key) {
        this.#positions.delete(n);
      }
    }
    this.#first = Math.max(this.#first, key);
    this.#firstMissing = Math.max(this.#firstMissing, this.#first);
  }

  /** @param {unknown} error */
  #fail(error) {
    if (this.#broken) {
      return;
    }
    this.#broken = true;
    const words = error instanceof Error ? error.message : String(error);
    this.dispatchEvent(new CustomEvent("trouble", { detail: words }));
  }
}

/**
 * Asks for a match's head, once more if another view closed the match meanwhile.
 * @param {() => Promise<any>} open
 * @returns {Promise<Head>}
 */
async function headFrom(open) {
  const answer = await open();
  return readHead(answer?.type === "done" ? await open() : answer);
}
