/**
 * A connection to the arena, as a match after another of states and answers (PROTOCOL.md 3, 4, 7).
 *
 * No strategy lives here, no clock, and nothing of any game but the class that reads its facts. How
 * a connection is made, or made again, is in `connector.js`.
 */

import { AngryMobState } from "./angrymob.js";
import { Connector, FINAL_CODES } from "./connector.js";
import { CrematoriaState } from "./crematoria.js";
import { Draw } from "./drawing.js";
import { ArenaError, MisuseError } from "./errors.js";
import { holding, isQuiet, opening, quoted, refuseStdio } from "./hello.js";
import { HogwartsState } from "./hogwarts.js";
import { LineReader, MOST } from "./lines.js";
import { bySeat, decimal, integer, line, noFacts, State, word } from "./state.js";
import { showInOneLine, Waiting } from "./waiting.js";

/** @typedef {import("./hello.js").Options} Options */
/** @typedef {import("./state.js").Facts} Facts */

/**
 * The state of each game that the library knows, by the ruleset's name.
 * @typedef {{
 *   angrymob: AngryMobState,
 *   hogwarts: HogwartsState,
 *   crematoria: CrematoriaState,
 * }} States
 */

/**
 * The state of a game by its name, as far as it can be known without running.
 * @template {string} G
 * @typedef {G extends keyof States ? States[G] : any} StateOf
 */

/**
 * A submove, its numbers and letters as the game's rules have them: `[i, j, k, d]` in angrymob.
 * @typedef {Iterable<number | string>} Move
 */

const TOKEN = /^(?:-?[0-9]{1,10}|[A-Za-z])$/;
/** Whatever breaks a line begins a new one, in the arena's record too. */
const LINE_BREAK = /\r\n|[\n\v\f\r\x1c-\x1e\x85\u2028\u2029]/;
/** A log line's pieces, in code points of at most 4 bytes: within the 65,536 of PROTOCOL.md 1. */
const LOG_PIECE = /.{1,8192}/gsu;

/**
 * The class that reads each game's facts; a game that isn't here gets the plain `State`.
 * @type {Map<string, new (match: string, start: Facts) => State>}
 */
export const GAMES = new Map();
GAMES.set("angrymob", AngryMobState);
GAMES.set("hogwarts", HogwartsState);
GAMES.set("crematoria", CrematoriaState);

/** How a match ended (PROTOCOL.md 3). */
export class Result {
  /**
   * @param {string} end
   * @param {number[]} ranks
   * @param {number[]} scores
   */
  constructor(end, ranks, scores) {
    /** `finished`, `forfeit`, `aborted` or `void`. @readonly */
    this.end = end;
    /** The place of each seat: 1 is best, equal places are ties. @readonly */
    this.ranks = ranks;
    /** The final score of each seat, in the units of the game's rules. @readonly */
    this.scores = scores;
  }
}

/** Something of ours that the arena refused, the match going on (PROTOCOL.md 7). */
export class Note {
  /**
   * @param {string} code
   * @param {number} turn
   * @param {number | null} index
   * @param {string} words
   */
  constructor(code, turn, index, words) {
    /**
     * `late`, `malformed` or `illegal`; or `benched`, after a match: the bot rests; or `room`,
     * before one: the room isn't a ladder.
     * @readonly
     */
    this.code = code;
    /**
     * The turn that was answered so; of `benched` the seconds of rest, 0: until the operator ends
     * it.
     * @readonly
     */
    this.turn = turn;
    /** The submove's place in that answer, from 0; null: the answer as a whole. @readonly */
    this.index = index;
    /** The explanation, for people. @readonly */
    this.words = words;
  }
}

/**
 * Connect to the arena and say hello.
 *
 *     const arena = await connect({ name: "MyBot", game: "angrymob" });
 *     for await (const state of arena) arena.send([]);
 *
 * @template {string} [G=string]
 * @param {Options & { game?: G | null }} [options] who we are and what we want
 * @returns {Promise<Arena<StateOf<G>>>}
 * @throws {TypeError} there is no name, or an option that can't be said in a hello or used
 * @throws {ArenaError} `unreachable`: there is no arena, or no TLS with it
 */
export async function connect(options = {}) {
  showInOneLine();
  const held = holding(options, process.env);
  const { tls, ...said } = opening(held, process.env);
  refuseStdio(process.env);
  const way = { ...said, tls: tls && { ca: await trusted(tls) } };
  const connector = new Connector(way, Boolean(held.reconnect));
  const stream = await connector.connect().catch((error) => {
    if (connector.reconnect) return connector.connectAgain(error);
    throw error;
  });
  const waiting = isQuiet(held, process.env) ? null : new Waiting(said);
  const connected = /** @type {import("node:stream").Duplex} */ (stream);
  return new Arena(connected, options.keep, connector, waiting, options.game);
}

/**
 * The certificates to trust; undefined: Node's own.
 * @param {{ file: string | null, whose: string }} tls
 */
async function trusted({ file, whose }) {
  return file === null ? undefined : (await import("./tls.js")).certificates(file, whose);
}

/**
 * A connection to the arena; iterate over it to play: one state for each answer asked for.
 *
 * The same state object comes again each turn, brought up to date. The iteration ends with the
 * match; with `keep` it goes on with the next match, under a new state object, until the arena
 * closes. However the loop is left, the connection is closed then.
 *
 * @template [S=any] the state's class
 * @implements {AsyncIterableIterator<S>}
 */
export class Arena {
  /**
   * The current match, also after its end (then the final position); null before one.
   * @type {S | null}
   */
  state = null;
  /**
   * How each match ended, in order.
   * @type {Result[]}
   */
  results = [];
  /**
   * What was refused in the current match.
   * @type {Note[]}
   */
  notes = [];
  /** Draws on the board of whoever may see this bot's log (PROTOCOL.md 9). @readonly */
  draw = new Draw((text) => this.#write(text));

  /** What makes connections after the first; null: nothing does. @type {Connector | null} */
  #connector;
  #connecting = false;
  /** Tells that the bot waits; null: nothing does. @type {Waiting | null} */
  #waiting;
  /** @type {import("node:stream").Duplex} */
  #stream;
  #input = new LineReader();
  #inputEnded = false;
  /** Goes on with the iteration when something has arrived. @type {(() => void) | null} */
  #wake = null;
  #keep;
  /** The only one that it may be; null: any. @type {string | null} */
  #game;
  /** An answer to the last `go`. */
  #owes = false;
  #over = false;
  /** The match's id, from `start` to the end of its scores. @type {string | null} */
  #match = null;
  /** Why it ended, once `end` has come. @type {string | null} */
  #end = null;
  /** A turn whose facts are still coming in. @type {number | null} */
  #turn = null;
  /** Where lines go whose keyword has no meaning here. */
  #facts = noFacts();

  /**
   * For `connect`, and for tests.
   * @param {import("node:stream").Duplex} stream the connection, the hello said
   * @param {boolean} [keep] whether it goes on after a match
   * @param {Connector | null} [connector] what makes a further connection, if it is to
   * @param {Waiting | null} [waiting] what tells that the bot waits
   * @param {string | null} [game] what was asked for
   */
  constructor(stream, keep = false, connector = null, waiting = null, game = null) {
    this.#waiting = waiting;
    this.#game = game;
    this.#keep = keep;
    this.#connector = connector?.reconnect ? connector : null;
    this.#stream = stream;
    this.#listen(stream);
  }

  /** @param {import("node:stream").Duplex} stream */
  #listen(stream) {
    this.#stream = stream;
    const input = new LineReader();
    this.#input = input;
    this.#inputEnded = false;
    const arrived = () => {
      if (input !== this.#input) return; // of an earlier connection
      this.#wake?.();
      this.#wake = null;
    };
    const ended = () => {
      if (input === this.#input) this.#inputEnded = true;
      arrived();
    };
    // Read at once, whatever the bot does: Node drops what it holds when a connection is reset.
    stream.on("data", (bytes) => {
      input.push(bytes);
      arrived();
    });
    stream.on("end", ended).on("error", ended).on("close", ended);
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  /**
   * The state at the next turn that asks for an answer; done when the match, with `keep` the
   * connection, has ended as it should.
   *
   * @returns {Promise<IteratorResult<S, undefined>>}
   * @throws {ArenaError} it has ended otherwise
   * @throws {MisuseError} the last turn wasn't answered
   */
  async next() {
    if (this.#owes) {
      const turn = /** @type {any} */ (this.state).turn;
      throw new MisuseError(
        `turn ${turn} wasn't answered: every state needs one arena.send(moves), ` +
          "arena.send([]) to do nothing",
      );
    }
    if (this.#wake || this.#connecting) {
      throw new MisuseError("the next turn is being waited for already");
    }
    this.#input.allow();
    while (!this.#over) {
      try {
        const text = this.#input.shift();
        if (text !== undefined) this.#read(text);
        else if (this.#input.isExhausted) this.#refuseMore();
        else if (this.#inputEnded) this.#readEnd();
        else await new Promise((resolve) => (this.#wake = () => resolve(undefined)));
      } catch (error) {
        await this.#connectAgain(error);
      }
      if (this.#owes) return { value: /** @type {S} */ (this.state), done: false };
    }
    return { value: undefined, done: true };
  }

  /**
   * Called by a loop that is left early: closes the connection.
   * @returns {Promise<IteratorResult<S, undefined>>}
   */
  async return() {
    this.close();
    return { value: undefined, done: true };
  }

  /** How the last match ended; null while none has. */
  get result() {
    return this.results.at(-1) ?? null;
  }

  /**
   * Answer the turn. It goes out at once, before this returns.
   *
   * A connection that is lost meanwhile is told by the next step of the iteration, for the arena
   * may have said why.
   *
   * @param {Iterable<Move>} [moves] the submoves; none at all is a valid answer. `undefined` isn't:
   *   it comes of a function that has forgotten to return them
   * @throws {MisuseError} this turn is answered already, or `moves` isn't of that form
   */
  send(moves) {
    if (!this.#owes) {
      throw new MisuseError("no turn asks for an answer: send once for each state, not before it");
    }
    const tokens = [];
    for (const move of items(arguments.length === 0 ? [] : moves)) {
      for (const token of items(move)) {
        if (!isToken(token)) {
          const where = `${quoted(token)} in ${quoted(move)}`;
          throw new MisuseError(`not integers and letters of the game: ${where}`);
        }
        tokens.push(token);
      }
    }
    this.#owes = false;
    this.#write(`${tokens.join(" ")}\n`);
  }

  /**
   * Have the arena keep a text with this turn; long lines are divided (PROTOCOL.md 4).
   *
   * It is sent at once, so that it isn't lost when the bot then fails. The arena keeps 16 KiB a
   * turn.
   *
   * @param {string} text one line or more
   */
  log(text) {
    const lines = String(text).split(LINE_BREAK);
    if (lines.length > 1 && lines.at(-1) === "") lines.pop();
    const pieces = lines.flatMap((text) => text.match(LOG_PIECE) ?? [""]);
    this.#write(pieces.map((piece) => `# ${piece}\n`).join(""));
  }

  /** Close the connection; in mid-match the arena takes that for a loss. */
  close() {
    this.#connector?.giveUp();
    this.#hangUp();
  }

  #hangUp() {
    this.#waiting?.end();
    this.#over = true;
    this.#owes = false;
    const stream = this.#stream;
    stream.end(() => stream.destroy());
  }

  /**
   * Connect again after an error, as often as it takes; the match stays what it is.
   * @param {unknown} error is thrown again if it is final
   */
  async #connectAgain(error) {
    const played = this.results.length > 0 && !this.#keep;
    if (this.#connector === null || played) throw error;
    if (!(error instanceof ArenaError) || FINAL_CODES.has(error.code)) throw error;
    this.#stream.destroy();
    this.#connecting = true;
    try {
      const stream = await this.#connector.connectAgain(error);
      if (stream === null) return; // closed meanwhile
      this.#listen(stream);
    } finally {
      this.#connecting = false;
    }
    this.#over = false;
    this.#turn = null;
    this.#facts = noFacts();
  }

  /** @param {string} text */
  #write(text) {
    if (this.#stream.writable) this.#stream.write(text);
  }

  /**
   * Use a line.
   * @param {string} text without its newline
   */
  #read(text) {
    const space = text.indexOf(" ");
    const keyword = space < 0 ? text : text.slice(0, space);
    const words = space < 0 ? [] : text.slice(space + 1).split(" ");
    try {
      this.#use(keyword, words);
    } catch (error) {
      this.#hangUp();
      if (error instanceof ArenaError) throw error;
      throw new ArenaError("unreadable", `the client can't use ${quoted(text)}`, { cause: error });
    }
  }

  /**
   * @param {string} keyword
   * @param {string[]} words
   */
  #use(keyword, words) {
    switch (keyword) {
      case "start":
        this.#readStart(words);
        break;
      case "turn":
        this.#readTurn(words);
        break;
      case "go":
        this.#position();
        this.#owes = true;
        break;
      case "note":
        this.#readNote(words);
        break;
      case "end":
        if (this.#turn !== null) this.#position(); // the final position, which has no `go`
        this.#end = word(words, 0);
        this.#facts = noFacts();
        break;
      case "wait":
        this.#finish();
        this.#connector?.letIn();
        if (!this.#over) this.#waiting?.begin(words);
        break;
      case "bye":
        this.#finish();
        if (this.#keep && this.#connector) throw new ArenaError("disconnected", "the arena said bye");
        this.#hangUp();
        break;
      case "error":
        this.#finish();
        throw new ArenaError(word(words, 0), words.slice(1).join(" "));
      default:
        (this.#facts[keyword] ??= []).push(words);
    }
  }

  /** @param {string[]} words */
  #readStart(words) {
    this.#finish();
    this.#connector?.letIn();
    if (!this.#over) {
      const match = word(words, 0);
      if (match !== this.#match) {
        this.state = null;
        this.notes = [];
      } // else the bot is back in it, after a break
      this.#match = match;
      this.#turn = null;
      this.#facts = noFacts();
    }
  }

  /** @param {string[]} words */
  #readTurn(words) {
    if (this.state === null) {
      const game = word(line(this.#facts, "game"), 0);
      if (game !== (this.#game ?? game)) throw new SyntaxError(`not ${this.#game}`);
      const Class = GAMES.get(game) ?? State;
      this.state = /** @type {S} */ (new Class(this.#match ?? "", this.#facts));
    }
    this.#turn = integer(words[0]);
    if (this.#turn < 0) throw new SyntaxError("a turn before the first");
    this.#facts = noFacts();
  }

  /** @param {string[]} words */
  #readNote(words) {
    const [, turn, index, ...rest] = words;
    const at = index === "-" ? null : integer(index);
    const note = new Note(word(words, 0), integer(turn), at, rest.join(" "));
    this.notes.push(note);
    this.#waiting?.tell(note);
  }

  #refuseMore() {
    this.#hangUp();
    const words = `the arena sent ${MOST >> 20} MiB without asking for an answer`;
    throw new ArenaError("unreadable", words);
  }

  /** The connection has ended without `bye`: that is well between matches alone. */
  #readEnd() {
    this.#finish();
    this.#hangUp();
    const stays = this.#keep && this.#connector !== null;
    let words, advice;
    if (this.#match !== null) {
      words = "the connection ended in mid-match";
      advice = "check that the arena is running, and start the bot again";
    } else if (this.results.length === 0 || stays) {
      words = "the connection ended before a match";
      advice = "check that the arena is running, and that the port is the one for bots";
    } else {
      return;
    }
    throw new ArenaError("disconnected", this.#connector ? words : `${words}; ${advice}`);
  }

  /** Give the state the facts of the turn, complete now (their order says nothing). */
  #position() {
    const turn = this.#turn;
    if (turn === null) throw new SyntaxError("a go without its turn");
    this.#turn = null;
    /** @type {any} */ (this.state).update(turn, this.#facts);
    this.#facts = noFacts();
  }

  /** Make the result of a match whose `end`, ranks and scores have come. */
  #finish() {
    this.#waiting?.end(); // every line that ends a wait comes here
    if (this.#end === null) return;
    const ranks = bySeat(this.#facts.rank).map(([rank]) => integer(rank));
    const scores = bySeat(this.#facts.score).map(([score]) => decimal(score));
    this.results.push(new Result(this.#end, ranks, scores));
    this.#match = null;
    this.#end = null;
    if (!this.#keep) this.#hangUp();
  }
}

/**
 * What an author gave as a list of submoves, or as one; a string is neither.
 *
 * @template T
 * @param {Iterable<T> | undefined} given
 */
function items(given) {
  if (typeof given !== "object" || typeof given?.[Symbol.iterator] !== "function") {
    throw new MisuseError(
      `${quoted(given)} is no submove: send an array of arrays, [[1, 2, 1, 0]]`,
    );
  }
  return given;
}

/** @param {unknown} token */
function isToken(token) {
  return (typeof token === "number" || typeof token === "string") && TOKEN.test(String(token));
}
