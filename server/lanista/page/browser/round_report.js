/**
 * Reports the round at which a view is paused, so that the address can name it.
 *
 * @module
 */

/** @typedef {import("./player.js").Player} Player */

/** Milliseconds for which a round must be shown while paused before it is reported. */
const SETTLE_DELAY = 250;

/** Reports rounds once they were shown for a while. */
export class RoundReport {
  #report;
  /** The last reported round, or the scheduled next one. @type {number | null} */
  #reported = null;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer = undefined;

  /** @param {(n: number | null) => void} report is called with the round, and with null when it moves */
  constructor(report) {
    this.#report = report;
  }

  /** Begin with a round that is known already, or with null. @param {Player} player */
  begin({ mode, round }) {
    this.#reported = mode === "paused" ? round : null;
  }

  /**
   * Report the round after it was shown for a while, or null as soon as it moves.
   *
   * @param {Player} player
   */
  show({ mode, round }) {
    const pausedAt = mode === "paused" ? round : null;
    if (pausedAt === this.#reported) {
      return;
    }
    clearTimeout(this.#timer);
    this.#reported = pausedAt;
    if (pausedAt === null) {
      this.#report(null);
    } else {
      this.#timer = setTimeout(() => this.#report(pausedAt), SETTLE_DELAY);
    }
  }

  /** Report nothing more. */
  close() {
    clearTimeout(this.#timer);
  }
}
