/**
 * Decides which round of a match is shown, and when: play, pause, step, speed, live.
 *
 * The player is a state machine that knows neither the page nor the frames, and gets its clock from
 * the caller. To draw, call `advance`, then read `round`, `previous` and `t`.
 *
 * @module
 */

/** Rounds per second at speed 1. */
export const BASE_SPEED = 1.5;
/** Speeds to choose from, as multiples of `BASE_SPEED`. */
export const SPEEDS = Object.freeze([0.5, 1, 2, 4, 8, 16, 32, 64]);
/** Milliseconds that play stays longer at a round that matters, at speed 1 and below. */
const HOLD = 1000;
/** Duration of the movement of one step by hand, in milliseconds. */
const STEP_TIME = 200;
/** Minimum duration of a movement in milliseconds: anything shorter would only flicker. */
const MIN_MOVEMENT = 40;
/** Maximum duration of a movement in milliseconds; then the board rests and can be read. */
const MAX_MOVEMENT = 500;
/** Maximum time in milliseconds that play catches up on after the page was hidden. */
const MAX_CATCH_UP = 250;

/** @typedef {"paused" | "playing" | "live"} Mode */

/**
 * A position in a match that moves with time.
 *
 * Rounds are the numbers of frames; 0 is the start. In a running match, `playing` waits at the
 * newest round, and `live` always shows the newest one.
 */
export class Player {
  /** Whether it is paused, plays at its speed, or always shows the newest round. @type {Mode} */
  mode = "paused";
  /** The speed, one of `SPEEDS`. */
  speed = 1;
  /** The round that is shown. */
  round = 0;
  /** Whether steps are shown as movement. @type {boolean} */
  animated;
  /** Number of rounds so far, including the start. */
  count = 0;
  /** Whether there will be no more rounds. */
  over = false;

  #clock;
  #ready;
  #newest;
  #matters;
  /** The clock's time when the shown round was reached. */
  #reachedAt = 0;
  /** Duration of the movement to the shown round in milliseconds; 0: there is none. */
  #duration = 0;

  /**
   * @param {object} options
   * @param {() => number} options.clock returns the milliseconds of a clock that never goes back
   * @param {(n: number) => boolean} options.ready returns whether a round can be drawn now; may
   *   cause it to be fetched
   * @param {() => number} options.newest returns the newest round that can be drawn now; negative:
   *   none
   * @param {(n: number) => boolean} [options.matters] returns whether play stays longer at a round
   * @param {number} options.count number of rounds so far
   * @param {boolean} options.over whether there will be no more
   * @param {boolean} [options.animated] whether steps are shown as movement
   * @param {number | null} [options.round] the round at which to pause, at most the newest; null: a
   *   running match is shown live, and one that is over at its start
   * @param {boolean} [options.plays] whether a match that is over plays from its start at once if
   *   no round is given
   */
  constructor({
    clock,
    ready,
    newest,
    matters = () => false,
    count,
    over,
    animated = true,
    round = null,
    plays = false,
  }) {
    this.#clock = clock;
    this.#ready = ready;
    this.#newest = newest;
    this.#matters = matters;
    this.animated = animated;
    this.grow(count, over);
    this.seek(round ?? (over ? 0 : this.last));
    if (round === null && !over) {
      this.mode = "live";
    } else if (round === null && plays) {
      // The start is shown as long as any other round.
      this.mode = "playing";
    }
  }

  /** The newest round; 0 while there is none. */
  get last() {
    return Math.max(0, this.count - 1);
  }

  /** Whether it plays but the running match has no newer round yet. */
  get waiting() {
    return this.mode === "playing" && this.round >= this.last && !this.over;
  }

  /** Whether something changes by time alone, so that `advance` must be called again soon. */
  get active() {
    return (this.mode === "playing" && !this.waiting) || this.t < 1;
  }

  /** The round at which the movement to the shown one begins; null: there is no movement. */
  get previous() {
    return this.#duration > 0 && this.round > 0 ? this.round - 1 : null;
  }

  /** Progress of that movement, from 0 to 1. */
  get t() {
    if (this.previous === null) {
      return 1;
    }
    return Math.min(1, Math.max(0, (this.#clock() - this.#reachedAt) / this.#duration));
  }

  /**
   * Set the number of rounds.
   *
   * @param {number} count number of rounds so far
   * @param {boolean} over whether there will be no more
   */
  grow(count, over) {
    this.count = count;
    this.over = over;
  }

  /** Advance as far as the time and the loaded frames allow. */
  advance() {
    if (this.mode === "live") {
      this.#catchUp();
    } else if (this.mode === "playing") {
      this.#play();
    }
  }

  /** Play, from the start if the end of a finished match is shown. Live stays live. */
  play() {
    if (this.mode === "live") {
      return;
    }
    if (this.over && this.round >= this.last) {
      this.#show(0, 0);
    } else {
      // The round was shown long enough while paused: the next one follows at once.
      this.#reachedAt = this.#clock() - this.#interval;
    }
    this.mode = "playing";
  }

  /** Pause. */
  pause() {
    this.mode = "paused";
  }

  /** Pause if it plays or is live, otherwise play. */
  toggle() {
    if (this.mode === "paused") {
      this.play();
    } else {
      this.pause();
    }
  }

  /**
   * Show a round, and pause there.
   *
   * @param {number} round is limited to the rounds that exist
   */
  seek(round) {
    this.pause();
    this.#show(Math.min(Math.max(0, Math.trunc(round) || 0), this.last), 0);
  }

  /**
   * Go forward some rounds, or back if negative, and pause there. A single one forward is shown as
   * movement.
   *
   * @param {number} rounds
   */
  step(rounds) {
    const before = this.round;
    this.seek(before + rounds);
    if (this.animated && this.round === before + 1) {
      this.#duration = STEP_TIME;
    }
  }

  /** Show the start. */
  first() {
    this.seek(0);
  }

  /** Show the end, or the newest round live while the match is running. */
  end() {
    if (this.over) {
      this.seek(this.last);
    } else {
      this.live();
    }
  }

  /** Show the newest round from now on, or the end of a match that is over. */
  live() {
    if (this.over) {
      this.seek(this.last);
      return;
    }
    this.mode = "live";
    this.#catchUp();
  }

  /**
   * Play at another speed.
   *
   * @param {number} steps number of places in `SPEEDS` by which to go up, or down if negative
   */
  faster(steps) {
    const place = SPEEDS.indexOf(this.speed) + steps;
    this.setSpeed(SPEEDS[Math.min(Math.max(0, place), SPEEDS.length - 1)]);
  }

  /**
   * Play at a speed.
   *
   * @param {number} speed one of `SPEEDS`
   * @throws {RangeError} if it is another number
   */
  setSpeed(speed) {
    if (!SPEEDS.includes(speed)) {
      throw new RangeError(`unknown speed ${speed}: it must be one of ${SPEEDS.join(", ")}`);
    }
    this.speed = speed;
  }

  /** Set whether steps are shown as movement. @param {boolean} animated */
  setAnimated(animated) {
    this.animated = animated;
    if (!animated) {
      this.#duration = 0;
    }
  }

  /** Milliseconds from the shown round to the next. */
  get #interval() {
    const hold = this.speed <= 1 && this.#matters(this.round) ? HOLD : 0;
    return 1000 / (BASE_SPEED * this.speed) + hold;
  }

  #catchUp() {
    const { last } = this;
    if (this.round < last) {
      // If the match goes on faster than frames arrive, the newest loaded round is shown.
      const to = this.#ready(last) ? last : Math.min(this.#newest(), last);
      if (to > this.round) {
        // The movement takes as long as the previous round was shown, so that a slow match glides
        // and a fast one jumps. Several rounds at once can't be shown as one movement.
        const shownFor = this.#clock() - this.#reachedAt;
        const duration = this.round === to - 1 ? Math.min(STEP_TIME, shownFor) : 0;
        this.#show(to, duration);
      }
    }
    if (this.over && this.round >= last) {
      this.mode = "paused";
    }
  }

  #play() {
    const now = this.#clock();
    let interval = this.#interval;
    this.#reachedAt = Math.max(this.#reachedAt, now - interval - MAX_CATCH_UP);
    while (this.#reachedAt + interval <= now) {
      if (this.round >= this.last || !this.#ready(this.round + 1)) {
        if (this.round >= this.last && this.over) {
          this.mode = "paused";
        }
        // The next round is shown as soon as it is loaded.
        this.#reachedAt = now - interval;
        return;
      }
      const movement = Math.min(1000 / (BASE_SPEED * this.speed), MAX_MOVEMENT);
      this.#show(this.round + 1, movement, this.#reachedAt + interval);
      interval = this.#interval;
    }
  }

  /**
   * @param {number} round
   * @param {number} duration duration of the movement to it in milliseconds; 0: there is none
   * @param {number} [reachedAt] the clock's time when it was reached
   */
  #show(round, duration, reachedAt = this.#clock()) {
    this.round = round;
    this.#reachedAt = reachedAt;
    this.#duration = this.animated && duration >= MIN_MOVEMENT ? duration : 0;
  }
}

/**
 * Carry out an action of a key or a button that is the player's.
 *
 * @param {Player} player
 * @param {import("./help.js").Action} action any other does nothing
 */
export function movePlayer(player, action) {
  switch (action) {
    case "toggle":
      return player.toggle();
    case "first":
      return player.first();
    case "end":
      return player.end();
    case "back":
      return player.step(-1);
    case "next":
      return player.step(1);
    case "back10":
      return player.step(-10);
    case "next10":
      return player.step(10);
    case "slower":
      return player.faster(-1);
    case "faster":
      return player.faster(1);
    case "live":
      return player.live();
    case "animate":
      return player.setAnimated(!player.animated);
  }
}
