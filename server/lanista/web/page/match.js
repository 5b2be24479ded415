/**
 * The view of one match, live or replayed: the board, the players, the controls, and details of the
 * shown round.
 *
 * This module puts the parts together and decides when each is drawn. player.js decides which round
 * is shown; panels.js, plots.js and text.js make the details; board.js draws the board.
 *
 * @module
 */

import { Board } from "./board.js";
import { seatLetter } from "./colours.js";
import { copyButton, matchControls, transport } from "./controls.js";
import { DrawingLayer } from "./drawing_layer.js";
import { el, fill } from "./dom.js";
import { actionOf, helpDialog } from "./help.js";
import { addressOf, seatMark } from "./matches.js";
import { downloadButton } from "./owner.js";
import {
  answersPanel,
  describeBoard,
  eventsPanel,
  timesPanel,
  legend,
  logsPanel,
  playerOf,
  seatsPanel,
  unitPanel,
} from "./panels.js";
import { Player } from "./player.js";
import { plots } from "./plots.js";
import { Pointing } from "./pointing.js";
import { tabs } from "./tabs.js";
import { describeEnding, printable } from "./text.js";
import { theme } from "./theme.js";
import { valuePlots } from "./value_plots.js";

/** @typedef {import("./decode.js").Position} Position */
/** @typedef {import("./match_frames.js").MatchFrames} MatchFrames */
/** @typedef {import("./help.js").Action} Action */
/** @typedef {import("./link.js").Link} Link */

/** Minimum milliseconds between updates of the parts with many elements, as answers and logs. */
const DETAILS_INTERVAL = 120;
/** Milliseconds for which a round must be shown while paused before `onRound` reports it. */
const SETTLE_DELAY = 250;
/** Maximum number of frames for which a match is loaded completely, for its charts. */
const MAX_CHARTED = 20_000;
/** Width of the page in CSS px below which all parts are in one column. */
const NARROW_WIDTH = 900;
/** Width in CSS px that the board leaves for the parts beside it, unless the page is narrow. */
const SIDE_WIDTH = 340;
/** Maximum height of the board on a narrow page, as a share of the window's height. */
const MAX_BOARD_SHARE = 0.62;

/**
 * @typedef {object} Options
 * @property {Link | null} link null: there is no arena
 * @property {boolean} embedded whether the frames are part of the page itself
 * @property {number | null} round the round at which to begin, paused; null: begin live, or replay
 *   from the start, which plays at once unless the user prefers reduced motion or `embedded` is set
 * @property {(n: number | null) => void} onRound is called with the round at which the view is
 *   paused when that has changed, and with null when it moves again
 * @property {boolean} operator whether the match may be paused and cancelled from here
 * @property {() => {paused: boolean} | null} running returns the state of the running match; null:
 *   it isn't running
 */

/**
 * Show a match.
 *
 * @param {HTMLElement} root is filled
 * @param {MatchFrames} frames
 * @param {Options} options
 * @returns {{close(): void}} `close` ends all activity; stopping `frames` is up to the caller
 */
export function matchView(root, frames, options) {
  const view = new MatchView(root, frames, options);
  return { close: () => view.close() };
}

class MatchView {
  #frames;
  #options;
  #ended = new AbortController();
  /** @type {Player | null} */
  #player = null;
  #byScore;
  /** @type {number | null} */
  #followed = null;
  /** The position that is drawn. @type {Position | null} */
  #shown = null;
  /** The position whose details are shown. @type {Position | null} */
  #detailed = null;
  #detailedAt = -Infinity;
  /** The last argument of `onRound`, or the scheduled next one. @type {number | null} */
  #reportedRound = null;
  /** Whether something has changed that the last drawing didn't show. */
  #dirty = true;
  /** The player's mode as the controls show it. */
  #mode = "";
  /** @type {import("./decode.js").End | null} */
  #end = null;
  /** Whether the headline shows how the match ended. */
  #endIsShown = false;
  #animationFrame = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #detailsTimer = undefined;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #roundTimer = undefined;

  // The parts, in the order of the page.
  #trouble = el("p", { class: "trouble", role: "alert", hidden: true });
  #state = el("span", { class: "badge state" });
  #result = el("strong", { class: "result", role: "status" });
  #facts = el("span", { class: "row facts" });
  #canvas = el("canvas", { role: "img" });
  #loading = el("p", { class: "loading badge", role: "status" }, "loading…");
  #stage = el("div", { class: "stage" }, this.#canvas, this.#loading);
  #area = el("div", { class: "watch-area" });
  #help = helpDialog();
  #board;
  #pointing;
  #seats;
  #events;
  #unit;
  #details;
  #legend;
  #plots;
  #values;
  #drawings;
  #bar;
  #controls;

  /**
   * @param {HTMLElement} root
   * @param {MatchFrames} frames
   * @param {Options} options
   */
  constructor(root, frames, options) {
    const { head } = frames;
    this.#frames = frames;
    this.#options = options;
    this.#byScore = head.players.length > 2;
    this.#board = new Board(this.#canvas, head, { small: false });
    this.#board.setTheme(theme());
    this.#pointing = new Pointing(this.#stage, this.#canvas, {
      placeAt: (x, y) => this.#board.placeAt(x, y),
      changed: () => this.#redraw(),
      picked: () => this.#pick(),
      signal: this.#ended.signal,
    });
    this.#seats = seatsPanel(head);
    this.#seats.order(this.#byScore);
    this.#events = eventsPanel(head);
    this.#unit = unitPanel(head, () => this.#follow(null));
    this.#details = [answersPanel(head), logsPanel(head), timesPanel(head)];
    this.#legend = legend(head);
    this.#plots = plots(head, (round) => this.#control((player) => player.seek(round)));
    this.#values = valuePlots(head, (round) => this.#control((player) => player.seek(round)));
    this.#drawings = new DrawingLayer(frames, () => this.#redraw());
    this.#bar = transport({
      act: (action) => this.#act(action),
      seek: (round) => this.#control((player) => player.seek(round)),
      speed: (speed) => this.#control((player) => player.setSpeed(speed)),
    });
    const { link, operator } = options;
    this.#controls =
      link !== null && operator
        ? matchControls({
            ask: (what) => link.ask({ do: what, match: head.match }),
            running: options.running,
            trouble: (message) => this.#showTrouble(message),
          })
        : null;
    fill(root, this.#layOut());
    this.#listen();
    this.#showFacts();
    frames.follow();
    this.#changed();
  }

  /** End all activity. */
  close() {
    this.#ended.abort();
    cancelAnimationFrame(this.#animationFrame);
    clearTimeout(this.#detailsTimer);
    clearTimeout(this.#roundTimer);
    this.#plots.close();
    this.#values.close();
    this.#help.remove();
  }

  // -- building --------------------------------------------------------------------------------

  #layOut() {
    const { head } = this.#frames;
    fill(
      this.#area,
      el(
        "div",
        { class: "head" },
        this.#trouble,
        el(
          "header",
          { class: "match-head" },
          el("h1", null, head.title),
          this.#state,
          el(
            "span",
            { class: "versus" },
            head.players.map((_, seat) => playerOf(head, seat)),
          ),
          this.#result,
          this.#facts,
          this.#controls?.element,
        ),
      ),
      this.#stage,
      el(
        "div",
        { class: "beside" },
        this.#seats.element,
        this.#unit.element,
        this.#drawings.element,
        el("h2", null, "What happened"),
        this.#events.element,
      ),
      this.#bar.element,
    );
    return el("div", { class: "match" }, this.#area, tabs(this.#parts()), this.#help);
  }

  /** The parts below the board. @returns {[key: string, title: string, content: HTMLElement][]} */
  #parts() {
    const [answers, logs, times] = this.#details;
    /** @type {[string, string, HTMLElement][]} */
    const played = [
      ["times", "Answer time", this.#plots.times],
      ["answers", "Answers", answers.element],
      ["logs", "Logs", logs.element],
      ["ledger", "Ledger", times.element],
    ];
    return [
      ["score", "Score", el("div", null, this.#plots.scores, this.#values.element)],
        // An original game's file has only positions.
      ...(this.#frames.head.source === "res" ? [] : played),
      ["legend", "Legend", this.#legend.element],
    ];
  }

  #listen() {
    const { signal } = this.#ended;
    const { link } = this.#options;
    this.#frames.addEventListener("change", () => this.#changed(), { signal });
    this.#frames.addEventListener(
      "trouble",
      (event) => this.#showTrouble(String(/** @type {CustomEvent} */ (event).detail)),
      { signal },
    );
    link?.addEventListener(
      "lobby",
      () => {
        this.#controls?.show();
        // All viewers see whether the match is paused.
        this.#redraw();
      },
      { signal },
    );
    link?.addEventListener(
      "state",
      () => link.state === "open" && this.#showTrouble(""),
      { signal },
    );
    document.addEventListener("keydown", (event) => this.#key(event), { signal });
    const sized = new ResizeObserver(() => this.#fit());
    sized.observe(this.#area);
    sized.observe(this.#stage);
    const themed = new MutationObserver(() => {
      this.#board.setTheme(theme());
      this.#legend.restyle();
      this.#plots.restyle();
      this.#values.restyle();
    });
    themed.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    signal.addEventListener("abort", () => {
      sized.disconnect();
      themed.disconnect();
    });
  }

  /** Give the board all the room that it can use, and the rest to the players beside it. */
  #fit() {
    const width = this.#area.clientWidth;
    if (document.documentElement.clientWidth < NARROW_WIDTH) {
      this.#board.resize(width, MAX_BOARD_SHARE * window.innerHeight);
    } else {
      this.#board.resize(width - SIDE_WIDTH, this.#stage.clientHeight);
      this.#area.style.setProperty("--board", `${this.#canvas.offsetWidth}px`);
    }
    this.#redraw();
  }

  // -- frames -------------------------------------------------------------------------------

  /** Whether the match is over, even if its frames are still being computed. @returns {boolean} */
  #over() {
    return this.#frames.over || this.#frames.head.live === false;
  }

  #changed() {
    const frames = this.#frames;
    if (frames.count === 0) {
      return;
    }
    if (this.#player === null) {
      const animated = !matchMedia("(prefers-reduced-motion: reduce)").matches;
      this.#player = new Player({
        clock: () => performance.now(),
        ready: (n) => frames.position(n) !== null,
        newest: () => frames.newest,
        count: frames.count,
        over: this.#over(),
        animated,
        round: this.#options.round,
        plays: animated && !this.#options.embedded,
      });
      // The address already names the round with which the view began.
      this.#reportedRound = this.#player.mode === "paused" ? this.#player.round : null;
    }
    this.#player.grow(frames.count, this.#over());
    if (frames.count <= MAX_CHARTED) {
      frames.loadAll();
    }
    this.#plots.update(frames);
    this.#values.update(frames);
    if (frames.end !== null && this.#end === null) {
      this.#finish(frames.end);
    }
    this.#showEnd();
    this.#redraw();
  }

  /** @param {import("./decode.js").End} end */
  #finish(end) {
    this.#end = end;
    this.#controls?.show();
    const trouble = end.trouble ?? end.result?.error ?? null;
    if (trouble !== null) {
      this.#showTrouble(trouble);
    }
    this.#showFacts();
  }

  /** Show how the match ended and mark the winners, once the end and the last frame are loaded. */
  #showEnd() {
    const { head, count } = this.#frames;
    const last = this.#frames.frame(count - 1);
    if (this.#end === null || this.#endIsShown || (head.source === "res" && last === null)) {
      return;
    }
    this.#endIsShown = true;
    const { text, seats } = describeEnding(head, this.#end, last?.scores ?? []);
    fill(this.#result, seats.map(seatMark), el("span", null, text));
    this.#result.title = text;
    this.#area.classList.add("ended");
  }

  #showFacts() {
    const { head } = this.#frames;
    const { embedded } = this.#options;
    // A file that was opened here isn't stored in the arena, so there is nothing to link to.
    const isStored = !embedded && location.hash.startsWith("#/match/");
    const seed = this.#end?.seed ?? null;
    const api = `/api/1/matches/${encodeURIComponent(head.match)}`;
    const record = `${api}/record`;
    const title = "Download the record of the match";
    const names = head.players.map(({ name }) => name);
    fill(
      this.#facts,
      seed !== null && el("span", { class: "muted" }, `seed ${seed}`),
      isStored &&
        this.#end !== null &&
        (typeof head.ladder === "string"
          ? downloadButton("Record", { address: record, file: `${head.match}.jsonl.gz`, title, names })
          : el("a", { class: "button small", href: record, download: true, title }, "Record")),
      isStored &&
        (head.bundles ?? []).map((seat) =>
          downloadButton(`Failure of ${seatLetter(seat)}`, {
            address: `${api}/bundles/${seat}`,
            file: `${head.match}.seat${seat}.zip`,
            title: `Download what shows why ${printable(names[seat])} failed`,
            names: [names[seat]],
          }),
        ),
      isStored && copyButton(() => this.#address(), {
          label: "Copy link",
          title: "Copy a link to this round",
        }),
    );
  }

  /** Return a link to the shown round. */
  #address() {
    const url = new URL(location.href);
    url.hash = `${addressOf(this.#frames.head.match)}?round=${this.#player?.round ?? 0}`;
    return url.href;
  }

  /** @param {string} message empty: there is no trouble any more */
  #showTrouble(message) {
    this.#trouble.textContent = printable(message);
    this.#trouble.hidden = message === "";
  }

  // -- drawing -------------------------------------------------------------------------------

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
    if (player === null) {
      return;
    }
    player.advance();
    const frames = this.#frames;
    const position = frames.position(player.round);
    this.#loading.hidden = position !== null;
    if (position !== null) {
      const previous = player.previous === null ? null : frames.position(player.previous);
      this.#board.draw(position, {
        previous,
        t: player.t,
        followed: this.#followed,
        hover: this.#pointing.place,
        drawings: this.#drawings.on(previous !== null && player.t < 0.5 ? previous : position),
      });
      if (position !== this.#shown) {
        this.#shown = position;
        this.#dirty = true;
      }
      if (this.#dirty) {
        this.#showRound(position, player);
      }
      if (position !== this.#detailed) {
        this.#showDetails(position, player);
      }
    }
    if (this.#dirty || player.mode !== this.#mode) {
      this.#bar.show(player, { byScore: this.#byScore });
      this.#showState(player);
      this.#mode = player.mode;
      this.#dirty = false;
    }
    this.#reportRound(player);
    if (player.active) {
      this.#schedule();
    }
  }

  /**
   * Update the parts that change with every round and are cheap.
   *
   * @param {Position} position
   * @param {Player} player
   */
  #showRound(position, player) {
    const isEnd = this.#end !== null && position.n === player.last;
    this.#seats.finish(isEnd ? this.#end : null);
    this.#seats.show(position, null);
    this.#unit.show(position, null);
    this.#plots.mark(position.n);
    this.#values.mark(position.n);
    this.#showTip();
  }

  /**
   * Update the parts that are costly, or too much to read during play.
   *
   * @param {Position} position
   * @param {Player} player
   */
  #showDetails(position, player) {
    const rest = this.#detailedAt + DETAILS_INTERVAL - performance.now();
    if (player.mode !== "paused" && rest > 0) {
      // Without another call the details of the last round might never be shown.
      this.#detailsTimer ??= setTimeout(() => {
        this.#detailsTimer = undefined;
        this.#redraw();
      }, rest);
      return;
    }
    const before = position.n > 0 ? this.#frames.position(position.n - 1) : null;
    this.#events.show(position, before);
    for (const panel of this.#details) {
      panel.show(position, before);
    }
    this.#canvas.setAttribute("aria-label", describeBoard(this.#frames.head, position));
    this.#detailedAt = performance.now();
    // Some events need the previous position: repeat this when that is loaded.
    this.#detailed = before === null && position.n > 0 ? null : position;
  }

  /** @param {Player} player */
  #showState(player) {
    const { mode, over, round, last } = player;
    const paused = !over && this.#options.running()?.paused === true;
    const live = mode === "live" && !paused;
    const running = paused ? "paused" : live ? "live" : "running";
    const state = over ? (round === last ? "over" : "replay") : running;
    this.#state.textContent = `${state} · round ${round}`;
    this.#state.classList.toggle("is-live", live);
  }

  /**
   * Call `onRound` with the round after it was shown for a while, or with null as soon as it moves.
   *
   * @param {Player} player
   */
  #reportRound({ mode, round }) {
    const pausedAt = mode === "paused" ? round : null;
    if (pausedAt === this.#reportedRound) {
      return;
    }
    clearTimeout(this.#roundTimer);
    this.#reportedRound = pausedAt;
    if (pausedAt === null) {
      this.#options.onRound(null);
    } else {
      this.#roundTimer = setTimeout(() => this.#options.onRound(pausedAt), SETTLE_DELAY);
    }
  }

  // -- input -----------------------------------------------------------------------------------

  /** @param {(player: Player) => void} change */
  #control(change) {
    if (this.#player !== null) {
      change(this.#player);
      this.#redraw();
    }
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const action = this.#help.open ? null : actionOf(event);
    if (action !== null) {
      event.preventDefault();
      this.#act(action);
    }
  }

  /** @param {Action} action */
  #act(action) {
    switch (action) {
      case "toggle":
        return this.#control((player) => player.toggle());
      case "first":
        return this.#control((player) => player.first());
      case "end":
        return this.#control((player) => player.end());
      case "back":
        return this.#control((player) => player.step(-1));
      case "next":
        return this.#control((player) => player.step(1));
      case "back10":
        return this.#control((player) => player.step(-10));
      case "next10":
        return this.#control((player) => player.step(10));
      case "slower":
        return this.#control((player) => player.faster(-1));
      case "faster":
        return this.#control((player) => player.faster(1));
      case "live":
        return this.#control((player) => player.live());
      case "animate":
        return this.#control((player) => player.setAnimated(!player.animated));
      case "order":
        this.#byScore = !this.#byScore;
        this.#seats.order(this.#byScore);
        return this.#redraw();
      case "follow":
        return this.#pick();
      case "unfollow":
        return this.#follow(null);
      case "help":
        return this.#help.showModal();
    }
  }

  /** Follow the unit under the pointer, or stop if it is already followed. */
  #pick() {
    const { place } = this.#pointing;
    if (place === null || this.#shown === null) {
      return;
    }
    const units = this.#board
      .marksAt(this.#shown, place)
      .map(({ unit }) => unit)
      .filter((unit) => unit >= 0);
    if (units.length > 0) {
      const unit = /** @type {number} */ (units.at(-1));
      this.#follow(unit === this.#followed ? null : unit);
    }
  }

  /** @param {number | null} unit */
  #follow(unit) {
    this.#followed = unit;
    this.#unit.follow(unit);
    this.#redraw();
  }

  #showTip() {
    const place = this.#pointing.place;
    const lines =
      place === null || this.#shown === null ? [] : this.#board.describe(this.#shown, place);
    this.#pointing.showTip(lines.map(printable));
  }
}
