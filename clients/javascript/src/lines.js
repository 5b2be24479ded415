/**
 * Lines out of the pieces in which bytes arrive (PROTOCOL.md 1). No socket here.
 */

const NEWLINE = 10;
/** Bytes that the arena sends from one `go` to the next (PROTOCOL.md 3). */
export const MOST = 8 * 1024 * 1024;

/** Takes bytes, gives lines. */
export class LineReader {
  /** @type {string[]} */
  #lines = [];
  #next = 0;
  /** The beginning of a line whose end hasn't come. @type {Buffer[]} */
  #begun = [];
  /** How many more bytes may come; below 0: too many have, and the last ones are lost. */
  #left = MOST;

  /** Let more bytes come, as many as `MOST` with those that nobody has taken. */
  allow() {
    if (this.#left < 0) return;
    this.#left = MOST;
    for (const line of this.#lines.slice(this.#next)) this.#left -= line.length + 1;
    for (const piece of this.#begun) this.#left -= piece.length;
  }

  /** Whether as many bytes have come as were allowed. */
  get isExhausted() {
    return this.#left <= 0;
  }

  /**
   * Take the bytes that have arrived.
   *
   * All whole lines are decoded at once, and nothing twice: pieces of a long line wait for its
   * end. A newline byte is never part of another character, so that cutting there is safe; bytes
   * that aren't UTF-8 become U+FFFD.
   *
   * @param {Buffer} bytes
   */
  push(bytes) {
    this.#left -= bytes.length;
    if (this.#left < 0) return;
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    if (end === 0) {
      this.#begun.push(bytes);
      return;
    }
    const whole = bytes.subarray(0, end);
    const text = (
      this.#begun.length > 0 ? Buffer.concat([...this.#begun, whole]) : whole
    ).toString();
    this.#begun = end < bytes.length ? [bytes.subarray(end)] : [];
    const lines = text.split("\n");
    lines.pop(); // what follows the last newline: nothing
    this.#lines =
      this.#next < this.#lines.length ? this.#lines.slice(this.#next).concat(lines) : lines;
    this.#next = 0;
  }

  /** The next line without its newline; undefined: it hasn't come whole. */
  shift() {
    return this.#lines[this.#next++];
  }
}
