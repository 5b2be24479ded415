/**
 * Where the share of a bot's orders that have no effect jumps.
 *
 * @module
 */

/** Number of rounds whose share is compared with that of all rounds before them. */
const SPAN = 10;
/** Minimum number of orders in these rounds: in fewer, a share says little. */
const FEWEST = 10;
/** By how much the share has to be larger to jump, and to go on being so. */
const JUMP = 0.3;
const GOES_ON = 0.15;

/** The orders of a seat, round after round. */
export class Wasted {
  /** By round: the number of orders until then, and of those without effect. */
  #sums = [{ count: 0, idle: 0 }];
  #isMore = false;

  /**
   * Take the orders of the next round.
   *
   * @param {{count: number, idle: number}} orders as by `effectOf`
   * @returns {boolean} whether so many more than before have no effect since a jump
   */
  take({ count, idle }) {
    const { count: all, idle: allIdle } = this.#sums[this.#sums.length - 1];
    const now = { count: all + count, idle: allIdle + idle };
    this.#sums.push(now);
    const before = this.#sums[Math.max(0, this.#sums.length - 1 - SPAN)];
    const recent = now.count - before.count;
    const usual = before.idle / Math.max(1, before.count);
    const more = (now.idle - before.idle) / Math.max(1, recent) - usual;
    this.#isMore = recent >= FEWEST && more >= (this.#isMore ? GOES_ON : JUMP);
    return this.#isMore;
  }
}
