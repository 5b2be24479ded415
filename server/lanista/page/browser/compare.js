/**
 * The view of two matches side by side, in step: two boards, one slider, and what differs.
 *
 * It begins at their first difference. player.js decides which round is shown, of both; a match that
 * is over sooner stays at its end. difference.js finds what differs, compare_panels.js puts it into
 * words.
 *
 * @module
 */

import { BoardStage } from "./board_stage.js";
import { caption, differencePanel, summaryOf } from "./compare_panels.js";
import { transport } from "./controls.js";
import { Differences, obstacles, PairMoments } from "./difference.js";
import { DrawingLayer } from "./drawing_layer.js";
import { el, fill } from "./dom.js";
import { actionOf, helpDialog } from "./help.js";
import { keep, kept, SPOILERS } from "./kept.js";
import { arrangePair } from "./layout.js";
import { Moments } from "./moments.js";
import { describeBoard } from "./panels.js";
import { movePlayer, Player } from "./player.js";
import { NOTHING, Pointed } from "./pointed.js";
import { RoundReport } from "./round_report.js";
import { describeEnding, printable, turnWord } from "./text.js";
import { theme } from "./theme.js";

/** @typedef {import("./decode.js").Position} Position */
/** @typedef {import("./help.js").Action} Action */
/** @typedef {import("./match_frames.js").MatchFrames} MatchFrames */
/** @template T @typedef {import("./difference.js").Two<T>} Two */

/** Minimum milliseconds between updates of what differs, during play. */
const DETAILS_INTERVAL = 120;
/** Maximum number of frames for which matches are loaded completely. */
const MAX_LOADED = 20_000;
/** Width of the page in CSS px below which all parts are in one column. */
const NARROW_WIDTH = 900;
/** Width in rem that the boards leave for what stands beside them. */
const BESIDE_WIDTH = 17;
/** Height in rem that they leave for what stands below them, with the headline above them. */
const BELOW_HEIGHT = 16;
/** Distance between the boards in CSS px. */
const GAP = 10;
/** Minimum height of both boards with their captions on a narrow page, as a share of the window's. */
const NARROW_SHARE = 0.5;

/**
 * @typedef {object} Options
 * @property {import("./link.js").Link | null} link null: there is no arena
 * @property {number | null} round the round at which to begin; null: the first difference
 * @property {(n: number | null) => void} onRound is called with the round at which the view is
 *   paused when that has changed, and with null when it moves again
 */

/**
 * Show two matches.
 *
 * @param {HTMLElement} root is filled
 * @param {Two<MatchFrames>} both
 * @param {Options} options
 * @returns {{close(): void}} `close` ends all activity; stopping the frames is up to the caller
 */
export function compareView(root, both, options) {
  const view = new CompareView(root, both, options);
  return { close: () => view.close() };
}

/**
 * Return why two matches can't be compared, naming both.
 *
 * @param {Two<MatchFrames>} both
 * @returns {string} empty: they can be compared
 */
export function obstacleOf([one, other]) {
  const reasons = obstacles([one.head, other.head], [one.end?.seed ?? null, other.end?.seed ?? null]);
  const [first, second] = [one, other].map(({ head }) => printable(head.match ?? "a file"));
  return reasons.length === 0
    ? ""
    : `${first} (match 1) and ${second} (match 2) can't be compared: ${reasons.join("; ")}`;
}

class CompareView {
  #root;
  #both;
  #options;
  #ended = new AbortController();
  #differences = new Differences();
  /** @type {Two<Moments>} */
  #moments;
  #pairMoments;
  /** The player's mode as the controls show it. */
  #mode = "";
  /** Null until it is known where to begin. @type {Player | null} */
  #player = null;
  #report;
  /** The positions that are drawn. @type {Two<Position> | null} */
  #shown = null;
  /** The positions of which it is told what differs. @type {Two<Position> | null} */
  #detailed = null;
  #detailedAt = -Infinity;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #detailsTimer = undefined;
  /** @type {number | null} */
  #followed = null;
  #spoils = kept(SPOILERS) === "told";
  #animationFrame = 0;
  /** Whether something has changed that the last drawing didn't show. */
  #dirty = true;
  #word;

  // The parts, in the order of the page.
  #trouble = el("p", { class: "trouble", role: "alert", hidden: true });
  #state = el("span", { class: "badge state" });
  #summary = el("strong", { class: "result", role: "status" });
  #boards = el("div", { class: "boards" });
  #area = el("div", { class: "watch-area compare" });
  #help;
  /** @type {BoardStage[]} */
  #stages;
  #captions;
  #drawings;
  #pointed;
  #panel;
  #bar;

  /**
   * @param {HTMLElement} root
   * @param {Two<MatchFrames>} both
   * @param {Options} options
   */
  constructor(root, both, options) {
    this.#root = root;
    this.#both = both;
    this.#options = options;
    const heads = /** @type {Two<import("./decode.js").Head>} */ (both.map(({ head }) => head));
    const seats = heads[0].players.length;
    this.#word = turnWord(heads[0]);
    this.#moments = [new Moments(seats), new Moments(seats)];
    this.#pairMoments = new PairMoments(this.#moments, this.#differences);
    this.#report = new RoundReport(options.onRound);
    this.#help = helpDialog(this.#word, {
      backFault: "to the previous fault of any player, in either match",
      nextFault: "to the next fault, in either match",
      decided: "to the first difference",
      spoilers: "tell how the matches ended, or don't until the end is reached",
      order: null,
      board: "to the first board: there the arrow keys point at cells, and Enter follows a unit",
      zoomFit: "the whole boards",
      full: "the boards alone, on the whole screen, or all again",
    });
    this.#pointed = new Pointed(() => this.#redraw());
    this.#stages = heads.map(
      (head, at) =>
        new BoardStage(head, {
          name: `Board of match ${at + 1}`,
          changed: () => this.#redraw(),
          picked: () => this.#pick(at),
          full: () => this.#act("full"),
          together: () => this.#stages,
          signal: this.#ended.signal,
        }),
    );
    this.#captions = heads.map((head, at) => caption(head, at + 1, options.link !== null));
    this.#drawings = both.map((frames) => new DrawingLayer(frames, () => this.#redraw()));
    this.#panel = differencePanel(heads, this.#pointed);
    this.#bar = transport(
      {
        act: (action) => this.#act(action),
        seek: (round) => this.#control((player) => player.seek(round)),
        speed: (speed) => this.#control((player) => player.setSpeed(speed)),
      },
      this.#word,
      { label: "Difference", title: "To the first difference of the matches (D)" },
    );
    fill(root, this.#layOut());
    this.#listen();
    both.forEach((frames) => frames.follow());
    this.#changed();
  }

  /** End all activity. */
  close() {
    this.#ended.abort();
    cancelAnimationFrame(this.#animationFrame);
    clearTimeout(this.#detailsTimer);
    this.#report.close();
    this.#bar.close();
    this.#help.remove();
  }

  // -- building --------------------------------------------------------------------------------

  #layOut() {
    fill(
      this.#boards,
      this.#stages.map(({ element }, at) =>
        el("div", { class: "side" }, this.#captions[at].element, element),
      ),
    );
    fill(
      this.#area,
      el(
        "div",
        { class: "head" },
        this.#trouble,
        el(
          "header",
          { class: "match-head" },
          el(
            "div",
            { class: "line" },
            el("h1", null, `${this.#both[0].head.title}: two matches`),
            this.#state,
            this.#summary,
          ),
        ),
      ),
      this.#boards,
      el(
        "div",
        { class: "evidence" },
        this.#drawings.map(({ element }) => element),
        this.#panel.element,
      ),
      this.#bar.element,
    );
    return el("div", { class: "match" }, this.#area, this.#help);
  }

  #listen() {
    const { signal } = this.#ended;
    const { link } = this.#options;
    for (const frames of this.#both) {
      frames.addEventListener("change", () => this.#changed(), { signal });
      frames.addEventListener(
        "trouble",
        (event) => this.#showTrouble(String(/** @type {CustomEvent} */ (event).detail)),
        { signal },
      );
    }
    link?.addEventListener(
      "state",
      () => link.state === "open" && this.#showTrouble(""),
      { signal },
    );
    document.addEventListener(
      "keydown",
      (event) => {
        const action = this.#help.open ? null : actionOf(event);
        if (action !== null) {
          event.preventDefault();
          this.#act(action);
        }
      },
      { signal },
    );
    document.addEventListener(
      "fullscreenchange",
      () => {
        // The browser ends it by a key of its own.
        if (document.fullscreenElement === null && this.#area.classList.contains("alone")) {
          this.#toggleFull();
        }
      },
      { signal },
    );
    this.#pointed.watch(this.#area, signal);
    const sized = new ResizeObserver(() => this.#fit());
    sized.observe(this.#area);
    sized.observe(this.#bar.element);
    const themed = new MutationObserver(() => {
      this.#stages.forEach(({ board }) => board.setTheme(theme()));
      this.#bar.restyle();
      this.#redraw();
    });
    themed.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    signal.addEventListener("abort", () => {
      sized.disconnect();
      themed.disconnect();
    });
  }

  /** Give the boards all the room that they can use, both the same. */
  #fit() {
    const root = document.documentElement;
    const isAlone = this.#area.classList.contains("alone");
    const isNarrow = root.clientWidth < NARROW_WIDTH && !isAlone;
    const rem = Number.parseFloat(getComputedStyle(root).fontSize);
    const width = this.#area.clientWidth;
    const barHeight = this.#bar.element.offsetHeight;
    // On a narrow page, which scrolls, both boards are seen with the controls below them.
    const above = this.#boards.getBoundingClientRect().top + window.scrollY;
    const height = isNarrow
      ? Math.max(NARROW_SHARE * window.innerHeight, window.innerHeight - above - barHeight - GAP)
      : this.#area.clientHeight - barHeight - GAP;
    const needed =
      isNarrow || isAlone
        ? { width: 0, height: 0 }
        : { width: BESIDE_WIDTH * rem, height: BELOW_HEIGHT * rem };
    const captionHeight = Math.max(...this.#captions.map(({ element }) => element.offsetHeight));
    const room = arrangePair(
      this.#both[0].head.scene,
      { width, height },
      needed,
      { gap: GAP, caption: captionHeight + 4 },
      globalThis.devicePixelRatio || 1,
    );
    this.#area.classList.toggle("below", room.isBelow || isNarrow);
    this.#boards.classList.toggle("stacked", room.isStacked);
    this.#stages.forEach(({ board }) => board.resize(room.width, room.height));
    this.#redraw();
  }

  // -- frames ----------------------------------------------------------------------------------

  /** Whether a match is over, even if its frames are still being computed. @param {MatchFrames} frames */
  #isOver({ over, head }) {
    return over || head.live === false;
  }

  /** Number of rounds that can be shown. */
  #count() {
    const running = this.#both.filter((frames) => !this.#isOver(frames));
    return running.length === 0
      ? Math.max(...this.#both.map(({ count }) => count))
      : Math.min(...running.map(({ count }) => count));
  }

  /** Return the number of the frame that a match shows in a round. @param {MatchFrames} frames @param {number} round */
  #frameOf(frames, round) {
    return this.#isOver(frames) ? Math.min(round, frames.count - 1) : round;
  }

  /** Return both positions of a round. @param {number} round @returns {Two<Position> | null} */
  #positions(round) {
    // Both are asked for, so that both are fetched.
    const [one, other] = this.#both.map((frames) => frames.position(this.#frameOf(frames, round)));
    return one === null || other === null ? null : [one, other];
  }

  #changed() {
    if (this.#both.some(({ count }) => count === 0)) {
      return;
    }
    const obstacle = obstacleOf(this.#both);
    if (obstacle !== "") {
      // The seeds of running matches are known only now.
      this.close();
      fill(this.#root, el("p", { class: "page trouble", role: "alert" }, obstacle));
      return;
    }
    this.#differences.include(this.#both);
    this.#both.forEach((frames, at) => {
      this.#moments[at].include(frames);
      if (frames.count <= MAX_LOADED) {
        frames.loadAll();
      } else if (this.#player === null) {
        frames.load(this.#differences.compared);
      }
    });
    this.#begin();
    this.#player?.grow(this.#count(), this.#both.every((frames) => this.#isOver(frames)));
    this.#redraw();
  }

  /** Begin to show a round once it is known which one. */
  #begin() {
    const { first, compared } = this.#differences;
    // Of a match that is over, frames may still be computed.
    const isCounted = this.#both.every(({ over, head }) => over || head.live === true);
    const isCompared = isCounted && compared === Math.min(...this.#both.map(({ count }) => count));
    if (this.#player !== null || (this.#options.round === null && first === null && !isCompared)) {
      return;
    }
    this.#player = new Player({
      clock: () => performance.now(),
      ready: (n) => this.#positions(n) !== null,
      newest: () => Math.min(...this.#both.map((frames) => frames.newest)),
      count: this.#count(),
      over: this.#both.every((frames) => this.#isOver(frames)),
      animated: !matchMedia("(prefers-reduced-motion: reduce)").matches,
      round: this.#options.round ?? first ?? 0,
    });
    if (this.#options.round !== null) {
      this.#report.begin(this.#player);
    }
  }

  /** @param {string} message empty: there is no trouble any more */
  #showTrouble(message) {
    this.#trouble.textContent = printable(message);
    this.#trouble.hidden = message === "";
  }

  // -- drawing ---------------------------------------------------------------------------------

  /** Draw again soon, as something visible has changed. */
  #redraw() {
    this.#dirty = true;
    this.#schedule();
  }

  #schedule() {
    if (this.#animationFrame === 0 && !this.#ended.signal.aborted) {
      this.#animationFrame = requestAnimationFrame(() => {
        this.#animationFrame = 0;
        this.#draw();
      });
    }
  }

  #draw() {
    const player = this.#player;
    const summary = summaryOf(this.#both[0].head, this.#differences, this.#both);
    if (this.#summary.textContent !== summary) {
      this.#summary.textContent = summary; // it is read aloud when it changes
    }
    if (player === null) {
      this.#state.textContent = "comparing…";
      return;
    }
    player.advance();
    const positions = this.#positions(player.round);
    this.#stages.forEach((stage) => stage.setLoading(positions === null));
    if (positions !== null) {
      this.#dirty ||= positions.some((one, at) => one !== this.#shown?.[at]);
      this.#shown = positions;
      this.#drawBoards(positions, player);
      if (this.#dirty) {
        this.#showRound(positions, player);
      }
      this.#showDetails(positions, player);
    }
    if (this.#dirty || player.mode !== this.#mode) {
      this.#showControls(player);
      this.#mode = player.mode;
      this.#dirty = false;
    }
    this.#report.show(player);
    if (player.active) {
      this.#schedule();
    }
  }

  /** @param {Player} player */
  #showControls(player) {
    this.#state.textContent = `${this.#word} ${player.round}`;
    this.#bar.show(player, {
      spoils: this.#spoils,
      goal: this.#differences.first !== null,
      moments: this.#pairMoments,
      seat: null,
      most: this.#both[0].head.rounds,
    });
  }

  /** @param {Two<Position>} positions @param {Player} player */
  #drawBoards(positions, player) {
    const before = player.previous === null ? null : this.#positions(player.previous);
    const hover = this.#stages.find(({ place }) => place !== null)?.place ?? null;
    this.#stages.forEach(({ board }, at) => {
      // A match that is over doesn't move.
      const previous = before?.[at] === positions[at] ? null : (before?.[at] ?? null);
      board.draw(positions[at], {
        previous,
        t: player.t,
        followed: this.#followed,
        hover,
        drawings: this.#drawings[at].on(previous !== null && player.t < 0.5 ? previous : positions[at]),
        pointed: this.#pointed.byText,
      });
    });
  }

  /**
   * Update the parts that change with every round and are cheap.
   *
   * @param {Two<Position>} positions
   * @param {Player} player
   */
  #showRound(positions, player) {
    this.#captions.forEach((shown, at) => shown.show(positions[at], this.#endingOf(at, player)));
    const lit = this.#stages.map((stage, at) => stage.showTip(positions[at]));
    this.#pointed.light(this.#area, lit[0] ?? lit[1] ?? NOTHING);
  }

  /** Say how a match ended, if that may be told. @param {number} at @param {Player} player */
  #endingOf(at, { round }) {
    const { head, end, count, over } = this.#both[at];
    const isReached = over && round >= count - 1;
    if (end === null || !(this.#spoils || isReached)) {
      return "";
    }
    return describeEnding(head, end, this.#both[at].frame(count - 1)?.scores ?? []).text;
  }

  /**
   * Update what differs, which has many elements.
   *
   * @param {Two<Position>} positions
   * @param {Player} player
   */
  #showDetails(positions, player) {
    if (this.#detailed !== null && positions.every((one, at) => one === this.#detailed?.[at])) {
      return;
    }
    const rest = this.#detailedAt + DETAILS_INTERVAL - performance.now();
    if (player.mode !== "paused" && rest > 0) {
      this.#detailsTimer ??= setTimeout(() => {
        this.#detailsTimer = undefined;
        this.#redraw();
      }, rest);
      return;
    }
    this.#panel.show(positions, positions[0].n === positions[1].n);
    this.#stages.forEach(({ canvas }, at) => {
      const words = describeBoard(this.#both[at].head, positions[at]);
      canvas.setAttribute("aria-label", `Match ${at + 1}. ${words}`);
    });
    this.#detailed = positions;
    this.#detailedAt = performance.now();
  }

  // -- input -----------------------------------------------------------------------------------

  /** @param {(player: Player) => void} change */
  #control(change) {
    if (this.#player !== null) {
      change(this.#player);
      this.#redraw();
    }
  }

  /** @param {Action} action */
  #act(action) {
    const [{ zooming, element }] = this.#stages;
    switch (action) {
      case "backFault":
        return this.#toFault(-1);
      case "nextFault":
        return this.#toFault(1);
      case "decided":
        return this.#control((player) => player.seek(this.#differences.first ?? player.round));
      case "spoilers":
        this.#spoils = !this.#spoils;
        keep(SPOILERS, this.#spoils ? "told" : "hidden");
        return this.#redraw();
      case "board":
        return element.focus();
      case "zoomIn":
        return zooming.by(1);
      case "zoomOut":
        return zooming.by(-1);
      case "zoomFit":
        return zooming.fit();
      case "full":
        return this.#toggleFull();
      case "follow":
        return this.#pick(Math.max(0, this.#stages.findIndex(({ place }) => place !== null)));
      case "unfollow":
        this.#followed = null;
        return this.#redraw();
      case "help":
        return this.#help.showModal();
      default:
        return this.#control((player) => movePlayer(player, action));
    }
  }

  /** @param {1 | -1} direction */
  #toFault(direction) {
    this.#control((player) => {
      const round = this.#pairMoments.fault(player.round, direction, null);
      if (round !== null) {
        player.seek(round);
      }
    });
  }

  /** Show the boards alone, on the whole screen if the browser allows it; or all again. */
  #toggleFull() {
    const isAlone = this.#area.classList.toggle("alone");
    if (isAlone) {
      this.#area.parentElement?.requestFullscreen?.().catch(() => {
        // The boards are alone in the window.
      });
    } else if (document.fullscreenElement !== null) {
      void document.exitFullscreen();
    }
    this.#fit();
  }

  /** Follow the unit that is pointed at, on both boards, or stop if it is followed. @param {number} at */
  #pick(at) {
    const unit = this.#stages[at].unit(this.#shown?.[at] ?? null);
    if (unit !== null) {
      this.#followed = unit === this.#followed ? null : unit;
      this.#redraw();
    }
  }
}
