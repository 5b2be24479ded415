/**
 * The frames of one match, running or over, with the match's head and its end.
 *
 * Gives access to any frame, and fetches missing ones from the arena, unless all frames were there
 * from the beginning. Frames are decoded in decode.js; nothing is drawn here.
 */

import { BadDataError, positionOf, readFrame, readHead } from "./decode.js";

/** @typedef {import("./decode.js").End} End */
/** @typedef {import("./decode.js").Frame} Frame */
/** @typedef {import("./decode.js").Head} Head */
/** @typedef {import("./decode.js").Position} Position */

/**
 * The part of a connection (link.js) that is needed here.
 * @typedef {object} Feed
 * @property {string} state `open` when there is a connection
 * @property {(message: any) => Promise<any>} ask
 * @property {(blob: Blob, message: any) => Promise<any>} send
 * @property {(type: "state", listener: () => void) => void} addEventListener
 * @property {(type: "state", listener: () => void) => void} removeEventListener
 */

/** Number of frames that are fetched beyond the wanted one, in the direction of play. */
export const READ_AHEAD = 60;
/** Maximum number of cached positions: enough to make stepping back cheap. */
const MAX_POSITIONS = 128;
/**
 * Milliseconds after which a running match that couldn't be fetched any further is opened again:
 * doubled from the first to the longest.
 */
const AGAIN = 5000;
const LONGEST = 600_000;
/**
 * Which frames are kept: all that were loaded, or only those from which the newest position is
 * built, for a preview that always shows the newest position.
 * @typedef {"all" | "newest"} Keep
 */

/**
 * Number of frames by which a requested position must be away from the last wanted one before more
 * frames are fetched. Nearer ones are covered by what was fetched ahead.
 */
const SEEK_DISTANCE = 10;

/**
 * The frames of a match, running or over.
 *
 * Events: `change` when `count`, `over`, `end` or the loaded frames changed; `trouble` (CustomEvent
 * whose detail is a message for the user) when the arena refuses a request or sends bad data. After
 * `trouble` nothing is fetched until the connection has been lost and restored; a running match that
 * is followed is opened again after a while.
 */
export class MatchFrames extends EventTarget {
  /** @type {Head} */
  head;
  /** The end of the match; null until it is known. @type {End | null} */
  end = null;
  /** Number of frames that are known to exist, loaded or not. */
  count = 0;
  /** Whether `count` is final. */
  over = false;

  /** @type {Frame[]} */
  #frames = [];
  /**
   * Cached positions by frame number; the most recently used one is last.
   * @type {Map<number, Position>}
   */
  #positions = new Map();
  /** Null if nothing can be fetched. @type {Feed | null} */
  #link = null;
  /** Opens the match on the connection and returns its head. @type {() => Promise<any>} */
  #open = async () => null;
  #matchId = "";
  /** Number of the frame that was wanted last; -1: none. */
  #wanted = -1;
  /** Direction of play: 1 or -1. */
  #direction = 1;
  #wantsAll = false;
  /** All kept frames before this one are loaded. */
  #firstMissing = 0;
  /** Number of the first frame that must be fetched again, as frames contain logs by now. */
  #refetchFrom = Infinity;
  /** Whether the end must be fetched again, as it contains the bots' output by now. */
  #refetchEnd = false;
  /** @type {Keep} */
  #keep = "all";
  /** Number of the first frame that is kept: earlier ones were dropped and aren't fetched again. */
  #firstKept = 0;
  #isFollowing = false;
  #isStopped = false;
  /** Whether nothing may be fetched: after `trouble`, or until the match is open again. */
  #isBlocked = false;
  // At most two requests are pending: one for existing frames, and one for the next frame to come.
  #isFetchingWanted = false;
  #isFetchingNewest = false;
  /** The opening of the match again that is under way. @type {Promise<void> | null} */
  #reopening = null;
  /** Waits to open the match again. @type {ReturnType<typeof setTimeout> | undefined} */
  #again = undefined;
  #pause = AGAIN;

  /**
   * Not for use from outside: call one of the static `from…` methods instead.
   * @param {Head} head
   */
  constructor(head) {
    super();
    this.head = head;
  }

  /**
   * Open a match of the arena, running or over. Only its head is loaded at first.
   * @param {Feed} link must be open
   * @param {string} matchId
   * @param {{keep?: Keep}} [options]
   * @returns {Promise<MatchFrames>}
   * @throws {Error} with a message for the user: no such match, no connection, bad data
   */
  static async fromLink(link, matchId, { keep = "all" } = {}) {
    const open = () => link.ask({ do: "open", match: matchId });
    const instance = await MatchFrames.#create(link, open);
    instance.#keep = keep;
    return instance;
  }

  /**
   * Send a record or an original game's `.res` file to the arena and open it as a match.
   * @param {Feed} link must be open
   * @param {File} file
   * @returns {Promise<MatchFrames>}
   * @throws {Error} with a message for the user
   */
  static fromFile(link, file) {
    // The arena keeps the frames for one connection only: after a loss the file is sent again.
    return MatchFrames.#create(link, () =>
      link.send(file, { do: "file", name: file.name, size: file.size }),
    );
  }

  /**
   * Return the frames of a match that is over, from complete data.
   * @param {{head: any, frames: any[], end: any}} data
   * @returns {MatchFrames}
   * @throws {Error} with a message for the user, if the data is bad
   */
  static fromData({ head, frames, end }) {
    const instance = new MatchFrames(readHead(head));
    instance.#store(frames, 0);
    instance.count = frames.length;
    instance.over = true;
    instance.end = end;
    return instance;
  }

  /**
   * Open a match on a connection.
   * @param {Feed} link
   * @param {() => Promise<any>} open
   */
  static async #create(link, open) {
    const head = await headFrom(open);
    const instance = new MatchFrames(head);
    instance.#link = link;
    instance.#open = open;
    instance.#matchId = head.match;
    link.addEventListener("state", instance.#onLinkState);
    return instance;
  }

  /**
   * Return the position after n turns.
   * @param {number} n
   * @returns {Position | null} null if it isn't loaded; if it exists, it is being fetched, and a
   *   `change` event follows
   */
  position(n) {
    const position = this.#buildPosition(n);
    if (position === null || Math.abs(n - this.#wanted) > SEEK_DISTANCE) {
      this.load(n);
    }
    return position;
  }

  /** Number of the newest loaded frame; -1 while none is loaded. */
  get newest() {
    // A frame is stored only if its position can be built, so this one can be shown.
    return Math.min(this.#frames.length, this.count) - 1;
  }

  /**
   * Return a frame as the arena sent it, which is cheaper than building a position.
   * @param {number} n
   * @returns {Frame | null} null if it isn't loaded; this doesn't cause it to be fetched
   */
  frame(n) {
    return this.#frames[n] ?? null;
  }

  /**
   * Fetch frame n, then those beyond it in the direction of play.
   * @param {number} n
   */
  load(n) {
    if (!Number.isInteger(n) || n < 0) {
      return;
    }
    // A step by one doesn't show the direction: an animation also needs the frame before.
    if (Math.abs(n - this.#wanted) > 1) {
      this.#direction = n < this.#wanted ? -1 : 1;
    }
    this.#wanted = n;
    this.#fetchWanted();
  }

  /** Fetch all missing frames, for charts; frames that `load` asks for come first. */
  loadAll() {
    this.#wantsAll = true;
    this.#fetchWanted();
  }

  /** Fetch each new frame as soon as it exists, until the match ends. */
  follow() {
    this.#isFollowing = true;
    this.#fetchNewest();
  }

  /** Stop fetching for good. Loaded frames stay. */
  stop() {
    if (this.#isStopped) {
      return;
    }
    this.#isStopped = true;
    this.#isFollowing = false;
    clearTimeout(this.#again);
    if (this.#link !== null) {
      this.#link.removeEventListener("state", this.#onLinkState);
      this.#close();
    }
  }

  #close() {
    // If there is no connection, nothing is open that would have to be closed.
    this.#link?.ask({ do: "close", match: this.#matchId }).catch(() => {});
  }

  /** Return a position, from the cache or built. @param {number} n @returns {Position | null} */
  #buildPosition(n) {
    const known = this.#positions.get(n);
    if (known !== undefined) {
      this.#positions.delete(n);
      this.#positions.set(n, known);
      return known;
    }
    // Go back to a key frame, or to a frame whose position is cached.
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
      if (this.#positions.size <= MAX_POSITIONS) {
        break;
      }
      this.#positions.delete(oldest);
    }
    return position;
  }

  /** Fetch missing frames that exist, one request after another. */
  async #fetchWanted() {
    if (this.#isFetchingWanted) {
      return;
    }
    this.#isFetchingWanted = true;
    for (let from = this.#nextMissing(); from !== null; from = this.#nextMissing()) {
      if (!(await this.#request(from))) {
        break;
      }
    }
    this.#isFetchingWanted = false;
  }

  /** Fetch each new frame as soon as it exists. */
  async #fetchNewest() {
    if (this.#isFetchingNewest) {
      return;
    }
    this.#isFetchingNewest = true;
    while (this.#isFollowing && this.#canFetch() && this.end === null) {
      // A match that is over is mostly watched from its start.
      const first = this.head.live === false ? 0 : -1;
      if (!(await this.#request(this.count === 0 ? first : this.count))) {
        break;
      }
    }
    this.#isFetchingNewest = false;
  }

  #canFetch() {
    return !this.#isStopped && !this.#isBlocked && this.#link !== null && this.#link.state === "open";
  }

  /** Return the frame to fetch next; null if none is missing. @returns {number | null} */
  #nextMissing() {
    if (!this.#canFetch() || (this.#wanted < 0 && !this.#wantsAll)) {
      return null;
    }
    if (this.count === 0) {
      return 0;
    }
    const wanted = Math.min(this.#wanted, this.count - 1);
    for (let ahead = 0; ahead <= READ_AHEAD; ahead += 1) {
      const n = wanted + ahead * this.#direction;
      if (n >= this.#firstKept && n < this.count && this.#frames[n] === undefined) {
        return n;
      }
    }
    if (this.over && this.end === null && !this.#isFollowing) {
      return this.count;
    }
    while (this.#refetchFrom <= this.newest && this.#frames[this.#refetchFrom] === undefined) {
      this.#refetchFrom += 1;
    }
    if (this.#refetchFrom <= this.newest) {
      return this.#refetchFrom;
    }
    if (this.#refetchEnd && this.over && this.end !== null) {
      return this.count;
    }
    if (this.#wantsAll) {
      while (this.#frames[this.#firstMissing] !== undefined) {
        this.#firstMissing += 1;
      }
      return this.#firstMissing < this.count ? this.#firstMissing : null;
    }
    return null;
  }

  /**
   * Fetch frames and store them.
   * @param {number} from number of the first one; -1: the newest
   * @returns {Promise<boolean>} whether a valid answer came
   */
  async #request(from) {
    try {
      let answer;
      const asked = this.#matchId;
      try {
        answer = await this.#ask(from);
      } catch (error) {
        if (!this.#canFetch()) {
          return false;
        }
        // Another view of the same match may have closed it on this connection. A file may have
        // been sent again meanwhile, by another id.
        if (this.#matchId === asked) {
          await this.#reopen();
        }
        answer = await this.#ask(from);
      }
      if (!this.#canFetch()) {
        return false;
      }
      this.#handleAnswer(answer, from);
      return true;
    } catch (error) {
      if (this.#canFetch()) {
        this.#fail(error);
      }
      return false;
    }
  }

  /**
   * Request frames.
   * @param {number} from number of the first one; -1: the newest
   * @returns {Promise<any>} the answer
   * @throws {Error} if the arena refuses, or the match was closed meanwhile
   */
  async #ask(from) {
    const request = { do: "frames", match: this.#matchId, from, packed: true };
    const known = this.#frames[from - 1] !== undefined;
    const answer = await /** @type {Feed} */ (this.#link).ask(
      known ? { ...request, known } : request,
    );
    if (answer?.type === "done") {
      throw new Error("the arena closed the match");
    }
    return typeof answer?.packed === "string"
      ? { ...answer, frames: await unpacked(answer.packed) }
      : answer;
  }

  /** Open the match again on this connection, once for all requests that need it. */
  async #reopen() {
    this.#reopening ??= headFrom(this.#open)
      .then((head) => {
        if (head.match !== this.#matchId) {
          this.#close(); // a file, which was sent once more
        }
        this.#updateHead(head);
      })
      .finally(() => {
        this.#reopening = null;
      });
    await this.#reopening;
  }

  /** Take over what may have changed. @param {Head} head as received when opening again */
  #updateHead({ match, logs, bundles }) {
    this.#matchId = match;
    this.head.bundles = bundles;
    if (this.head.logs === false && logs !== false) {
      this.head.logs = logs;
      this.#refetchFrom = 0;
      this.#refetchEnd = true;
      // Views recognize a change by the position object, so positions are built again.
      this.#positions.clear();
    }
  }

  /** Wait until the logs of a finished match may be seen, then fetch them. */
  async #awaitLogs() {
    const request = { do: "open", match: this.#matchId, logs: true };
    while (this.#canFetch() && this.head.logs === false && this.#keep === "all") {
      try {
        const answer = await /** @type {Feed} */ (this.#link).ask(request);
        // Another view of the same match may have closed it on this connection.
        if (answer?.type !== "done") {
          this.#updateHead(readHead(answer));
          break;
        }
      } catch {
        // The connection was lost: the match is opened again when it is back.
        return;
      }
    }
    this.#fetchWanted();
  }

  /** Continue after the connection was lost and restored. */
  #onLinkState = async () => {
    clearTimeout(this.#again);
    // Nothing is requested until the match is open again.
    this.#isBlocked = true;
    if (this.#link?.state !== "open") {
      return;
    }
    try {
      this.#updateHead(await headFrom(this.#open));
    } catch (error) {
      // If the connection was lost again, this is repeated once it is back. Otherwise the match is
      // no longer there.
      if (this.#link?.state === "open" && !this.#isStopped) {
        this.#isBlocked = false;
        this.#fail(error);
      }
      return;
    }
    this.#isBlocked = false;
    this.#fetchWanted();
    if (this.end !== null) {
      this.#awaitLogs();
    } else if (this.#isFollowing) {
      this.#fetchNewest();
    }
  };

  /**
   * Handle the answer to a request for frames: frames, or the end of the match.
   * @param {any} answer
   * @param {number} from number of the requested frame
   * @throws {BadDataError}
   */
  #handleAnswer(answer, from) {
    if (answer?.type === "end") {
      this.end = answer;
      this.over = true;
      this.count = from < 0 ? this.count : Math.min(this.count, from); // more were promised
      this.#refetchEnd = false;
      this.#awaitLogs();
    } else {
      const isFrames = answer?.type === "frames" && Array.isArray(answer.frames);
      if (!isFrames || !Number.isInteger(answer.from) || !Number.isInteger(answer.count)) {
        throw new BadDataError("the arena answered something else than frames");
      }
      this.#store(answer.frames, answer.from);
      this.#pause = AGAIN;
      this.count = Math.max(this.count, answer.count, answer.from + answer.frames.length);
      this.over ||= answer.over === true;
      const next = answer.from + answer.frames.length;
      const isIncluded = from < 0 || (answer.from <= from && from < next);
      if (answer.frames.length === 0 || !isIncluded) {
        throw new BadDataError(`the arena's answer doesn't hold frame ${from}`);
      }
      if (answer.from <= this.#refetchFrom) {
        this.#refetchFrom = Math.max(this.#refetchFrom, next);
      }
      if (this.#keep === "newest") {
        this.#dropOld();
      }
    }
    this.dispatchEvent(new Event("change"));
    // The count has changed, so there may be more to fetch.
    this.#fetchWanted();
  }

  /**
   * Check and store frames.
   * @param {any[]} frames
   * @param {number} from number of the first of them
   * @throws {BadDataError}
   */
  #store(frames, from) {
    for (const [index, frame] of frames.entries()) {
      const n = from + index;
      // A loaded frame isn't replaced: cached positions were built from it.
      if (this.#frames[n] !== undefined) {
        this.#addLogs(n, frame?.play?.logs);
      } else if (n >= this.#firstKept) {
        const read = readFrame(frame, this.head.scene, n);
        if (read.key !== true && this.#frames[n - 1] === undefined) {
          throw new BadDataError(`frame ${n} isn't a key frame, and the one before it is missing`);
        }
        this.#frames[n] = read;
      }
    }
  }

  /**
   * Add the logs of its turn to a loaded frame.
   * @param {number} n
   * @param {Record<string, string> | undefined} logs by seat
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

  /** Drop the frames that aren't needed to build the newest position. */
  #dropOld() {
    let key = this.newest;
    while (key > this.#firstKept && this.#frames[key].key !== true) {
      key -= 1;
    }
    for (let n = this.#firstKept; n < key; n += 1) {
      delete this.#frames[n];
    }
    for (const n of this.#positions.keys()) {
      if (n < key) {
        this.#positions.delete(n);
      }
    }
    this.#firstKept = Math.max(this.#firstKept, key);
    this.#firstMissing = Math.max(this.#firstMissing, this.#firstKept);
  }

  /** Stop fetching, for a while if the match goes on, and report an error. @param {unknown} error */
  #fail(error) {
    if (this.#isBlocked) {
      return;
    }
    this.#isBlocked = true;
    if (this.#isFollowing && this.head.live !== false && this.end === null) {
      this.#again = setTimeout(this.#onLinkState, this.#pause);
      this.#pause = Math.min(2 * this.#pause, LONGEST);
    }
    const message = error instanceof Error ? error.message : String(error);
    this.dispatchEvent(new CustomEvent("trouble", { detail: message }));
  }
}

/**
 * Return the frames of an answer that were compressed.
 *
 * @param {string} packed
 * @returns {Promise<any>}
 */
async function unpacked(packed) {
  const bytes = Uint8Array.from(atob(packed), (byte) => byte.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).json();
}

/**
 * Open a match and return its head, with a second attempt if another view closed it meanwhile.
 * @param {() => Promise<any>} open
 * @returns {Promise<Head>}
 */
async function headFrom(open) {
  const answer = await open();
  return readHead(answer?.type === "done" ? await open() : answer);
}
