/**
 * Where the share of a bot's units that do nothing useful jumps: their orders have no effect, or they
 * get none.
 *
 * @module
 */

/** Number of rounds whose share is compared with that of all rounds before them. */
const SPAN = 10;
/** Minimum number of orders in these rounds, and before them: in fewer, a share says little. */
const FEWEST = 10;
/** By how much the share has to be larger to jump, and to go on being so. */
const JUMP = 0.3;
const GOES_ON = 0.15;

/** The orders of a seat, round after round. */
export class Wasted {
  /** By round: the number of orders until then, and of those without effect. */
  #sums = [{ count: 0, idle: 0 }];
  /** The share before the last jump, to which it hasn't returned since; null: it didn't jump. */
  #usual = /** @type {number | null} */ (null);

  /**
   * Take the orders of the next round.
   *
   * @param {{count: number, idle: number}} orders those that a seat gave or could have given, and
   *   those of them that changed nothing or that it didn't give
   * @returns {boolean} whether so many more than before are wasted since a jump
   */
  take({ count, idle }) {
    const { count: all, idle: allIdle } = this.#sums[this.#sums.length - 1];
    const now = { count: all + count, idle: allIdle + idle };
    this.#sums.push(now);
    const before = this.#sums[Math.max(0, this.#sums.length - 1 - SPAN)];
    const recent = now.count - before.count;
    if (recent < FEWEST || (this.#usual === null && before.count < FEWEST)) {
      return false;
    }
    const usual = this.#usual ?? before.idle / before.count;
    const more = (now.idle - before.idle) / recent - usual;
    // What is compared with stays: otherwise what is bad for long becomes usual.
    this.#usual = more >= (this.#usual === null ? JUMP : GOES_ON) ? usual : null;
    return this.#usual !== null;
  }
}
