/**
 * What can go wrong with a connection, and with how it is used. No other exception leaves the
 * library, but for the `TypeError` of `connect` about its options.
 */

/** What PROTOCOL.md 2 doesn't call printable. */
const UNPRINTABLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

/**
 * A text that does nothing to a terminal: what isn't printable is escaped.
 * @param {string} text
 */
export function escaped(text) {
  return text.replace(UNPRINTABLE, (char) => `\\u{${char.codePointAt(0)?.toString(16)}}`);
}

/**
 * The match can't go on: the arena said `error`, or the connection is lost. If nothing catches it,
 * the bot ends with one line, which is the code and the words.
 */
export class ArenaError extends Error {
  static {
    this.prototype.name = "ArenaError";
  }

  /**
   * @param {string} code
   * @param {string} [words]
   * @param {ErrorOptions} [options]
   */
  constructor(code, words = "", options) {
    super(escaped(words ? `${code}: ${words}` : code), options);
    /**
     * A code of PROTOCOL.md 7 (`bad-hello`, `name-taken`, `late`, `shutdown` …) or one of the
     * client's own: `unreachable` (no connection could be made), `disconnected` (it ended in
     * mid-match), `unreadable` (the arena sent something outside the protocol).
     * @readonly
     */
    this.code = code;
    /**
     * The explanation, for people.
     * @readonly
     */
    this.words = words;
  }
}

/**
 * A name, an option or a variable of the environment can't be used; the message says what would be
 * right. If nothing catches it, the bot ends with that one line.
 */
export class OptionError extends TypeError {}

/** The bot's author used the client wrongly; the message says what would be right. */
export class MisuseError extends Error {
  static {
    this.prototype.name = "MisuseError";
  }
}
