/**
 * Decides which round of a match is shown, and when: play, pause, step, speed, live.
 *
 * A state machine that knows no page and no film, and no clock but the one it is given. To draw,
 * call `advance`, then read `round`, `previous` and `t`.
 *
 * @module
 */

/** Rounds a second at speed 1. */
export const BASE = 5;
/** Speeds to choose from, as multiples of `BASE`. */
export const SPEEDS = Object.freeze([0.25, 0.5, 1, 2, 4, 8, 16]);
/** Milliseconds that one step by hand takes, when movement is shown. */
const STEP = 1000 / BASE;
/** Minimum duration of movement in milliseconds: anything shorter would only flicker. */
const SHORTEST = 40;
/** Maximum time in milliseconds that is caught up after the page was hidden. */
const LONGEST = 250;

/** @typedef {"paused" | "playing" | "live"} Mode */

/**
 * A position in a match that moves with time.
 *
 * Rounds are the numbers of frames: 0 is the start. A running match has no last round yet:
 * playing waits at the newest one, and `live` always shows the newest.
 */
export class Player {
  /** Whether it stands, plays at its speed, or sticks to the newest. @type {Mode} */
  mode = "paused";
  /** The speed, one of `SPEEDS`. */
  speed = 1;
  /** The round that is shown. */
  round = 0;
  /** Whether steps are shown as movement. @type {boolean} */
  animated;
  /** How many rounds there are so far, including the start. */
  count = 0;
  /** Whether there will be no more rounds. */
  over = false;

  #clock;
  #ready;
  #newest;
  /** When the shown round was reached, on the clock. */
  #since = 0;
  /** Duration of the movement to the shown round in milliseconds; 0: it isn't shown. */
  #lasts = 0;

  /**
   * @param {object} options
   * @param {() => number} options.clock milliseconds of a clock that never goes back
   * @param {(n: number) => boolean} options.ready whether a round could be drawn now; asking may
   *   have it fetched
   * @param {() => number} options.newest the newest round that could be drawn now; negative: none
   * @param {number} options.count rounds there are so far
   * @param {boolean} options.over whether there will be no more
   * @param {boolean} [options.animated] whether steps are shown as movement
   * @param {number | null} [options.round] the round to stand at; null: the newest of a running
   *   match, live; the start of one that is over. One beyond the newest is the newest
   * @param {boolean} [options.plays] whether a match that is over plays from its start at once, if
   *   no round is given
   */
  constructor({
    clock,
    ready,
    newest,
    count,
    over,
    animated = true,
    round = null,
    plays = false,
  }) {
    this.#clock = clock;
    this.#ready = ready;
    this.#newest = newest;
    this.animated = animated;
    this.grow(count, over);
    this.seek(round ?? (over ? 0 : this.last));
    if (round === null && !over) {
      this.mode = "live";
    } else if (round === null && plays) {
      // The start is shown as long as any round.
      this.mode = "playing";
    }
  }

  /** The newest round there is; 0 while there is none. */
  get last() {
    return Math.max(0, this.count - 1);
  }

  /** Whether it plays, but the match has no newer round yet. */
  get waiting() {
    return this.mode === "playing" && this.round >= this.last && !this.over;
  }

  /** Whether something changes by time alone: then `advance` wants to be called again soon. */
  get active() {
    return (this.mode === "playing" && !this.waiting) || this.t < 1;
  }

  /** The round that the movement to the shown one begins at; null: it isn't shown. */
  get previous() {
    return this.#lasts > 0 && this.round > 0 ? this.round - 1 : null;
  }

  /** How far that movement is, from 0 to 1. */
  get t() {
    if (this.previous === null) {
      return 1;
    }
    return Math.min(1, Math.max(0, (this.#clock() - this.#since) / this.#lasts));
  }

  /**
   * Notes how many rounds there are, and whether there will be more.
   *
   * @param {number} count rounds there are so far
   * @param {boolean} over
   */
  grow(count, over) {
    this.count = count;
    this.over = over;
  }

  /** Go on as far as time and the loaded frames allow. */
  advance() {
    if (this.mode === "live") {
      this.#catchUp();
    } else if (this.mode === "playing") {
      this.#play();
    }
  }

  /** Play, from the start if the match is over and its end is shown; live stays live. */
  play() {
    if (this.mode === "live") {
      return;
    }
    if (this.over && this.round >= this.last) {
      this.#show(0, 0);
    } else {
      // The shown round has been shown long enough: the next one follows at once.
      this.#since = this.#clock() - this.#interval;
    }
    this.mode = "playing";
  }

  /** Stand still. */
  pause() {
    this.mode = "paused";
  }

  /** Pause if it plays or is live, else play. */
  toggle() {
    if (this.mode === "paused") {
      this.play();
    } else {
      this.pause();
    }
  }

  /**
   * Show a round, and stand there.
   *
   * @param {number} round a number beyond the first or the last is that
   */
  seek(round) {
    this.pause();
    this.#show(Math.min(Math.max(0, Math.trunc(round) || 0), this.last), 0);
  }

  /**
   * Go some rounds on, or back if negative, and stand there. One forward is shown as movement.
   *
   * @param {number} rounds
   */
  step(rounds) {
    const before = this.round;
    this.seek(before + rounds);
    if (this.animated && this.round === before + 1) {
      this.#lasts = STEP;
    }
  }

  /** Show the start. */
  first() {
    this.seek(0);
  }

  /** Show the end; the newest, live, while the match is running. */
  end() {
    if (this.over) {
      this.seek(this.last);
    } else {
      this.live();
    }
  }

  /** Stick to the newest round; of a match that is over, show the end. */
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
   * @param {number} steps places in `SPEEDS`, negative: slower; stays within them
   */
  faster(steps) {
    const place = SPEEDS.indexOf(this.speed) + steps;
    this.setSpeed(SPEEDS[Math.min(Math.max(0, place), SPEEDS.length - 1)]);
  }

  /**
   * @param {number} speed one of `SPEEDS`
   * @throws {RangeError} another number
   */
  setSpeed(speed) {
    if (!SPEEDS.includes(speed)) {
      throw new RangeError(`a speed of ${speed}; it is one of ${SPEEDS.join(", ")}`);
    }
    this.speed = speed;
  }

  /** @param {boolean} animated whether steps are shown as movement, from now on */
  setAnimated(animated) {
    this.animated = animated;
    if (!animated) {
      this.#lasts = 0;
    }
  }

  /** Milliseconds from one round to the next. */
  get #interval() {
    return 1000 / (BASE * this.speed);
  }

  #catchUp() {
    const { last } = this;
    if (this.round < last) {
      // If a match grows faster than frames arrive, the newest loaded one is shown.
      const to = this.#ready(last) ? last : Math.min(this.#newest(), last);
      if (to > this.round) {
        // Movement takes as long as the last round was shown, so a slow match glides and a fast
        // one jumps. Several rounds at once can't be shown as one movement.
        const lasts = this.round === to - 1 ? Math.min(STEP, this.#clock() - this.#since) : 0;
        this.#show(to, lasts);
      }
    }
    if (this.over && this.round >= last) {
      this.mode = "paused";
    }
  }

  #play() {
    const now = this.#clock();
    const interval = this.#interval;
    if (this.#since < now - interval - LONGEST) {
      this.#since = now - interval;
    }
    while (this.#since + interval <= now) {
      if (this.round >= this.last || !this.#ready(this.round + 1)) {
        if (this.round >= this.last && this.over) {
          this.mode = "paused";
        }
        // The next one is shown as soon as it is there.
        this.#since = now - interval;
        return;
      }
      this.#show(this.round + 1, interval, this.#since + interval);
    }
  }

  /**
   * @param {number} round
   * @param {number} lasts milliseconds of the movement to it; 0: it isn't shown
   * @param {number} [since] when it was reached
   */
  #show(round, lasts, since = this.#clock()) {
    this.round = round;
    this.#since = since;
    this.#lasts = this.animated && lasts >= SHORTEST ? lasts : 0;
  }
}
