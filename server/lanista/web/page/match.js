/**
 * The view of one match, live or replayed: the board, the players, the controls, and details of the
 * shown round.
 *
 * It puts the parts together and decides when each is drawn. player.js decides which round is shown;
 * panels.js, plots.js and words.js make the details; board.js draws the board.
 *
 * @module
 */

import { Board } from "./board.js";
import { copyButton, steering, transport } from "./controls.js";
import { el, fill } from "./dom.js";
import { actionOf, helpDialog } from "./help.js";
import { seatMark } from "./matches.js";
import {
  answersPanel,
  boardWords,
  eventsPanel,
  ledgerPanel,
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
import { theme } from "./theme.js";
import { ending, visible } from "./words.js";

/** @typedef {import("./decode.js").Position} Position */
/** @typedef {import("./film.js").Film} Film */
/** @typedef {import("./help.js").Action} Action */
/** @typedef {import("./link.js").Link} Link */

/** Minimum milliseconds between updates of parts with many elements (answers, logs). */
const DETAILS = 120;
/** Milliseconds that a round is shown, without play, until `onround` is called with it. */
const SETTLED = 250;
/** Maximum number of frames of a match that is loaded completely for its charts. */
const CHARTED = 20_000;
/** Width of the page in CSS px below which the board is above everything else. */
const NARROW = 900;
/** CSS px that the board leaves for the parts beside it, unless the page is narrow. */
const BESIDE = 340;
/** The part of a narrow window's height that the board may take. */
const HIGH = 0.62;

/**
 * @typedef {object} Options
 * @property {Link | null} link null: there is no arena
 * @property {boolean} embedded whether the film is part of the page itself
 * @property {number | null} round to begin with, standing; null: live, or a replay from its start,
 *   which plays at once unless less movement is asked for, or the film is part of the page
 * @property {(n: number | null) => void} onround the round that is stood at has changed; null: none
 *   is any more
 * @property {boolean} operator whether the match may be paused and cancelled from here
 * @property {() => {paused: boolean} | null} running what is known of the match as it runs; null:
 *   it doesn't run
 */

/**
 * Show a match.
 *
 * @param {HTMLElement} root is filled
 * @param {Film} film
 * @param {Options} options
 * @returns {{close(): void}} `close` ends all that goes on; the film is its owner's to stop
 */
export function matchView(root, film, options) {
  const view = new MatchView(root, film, options);
  return { close: () => view.close() };
}

class MatchView {
  #film;
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
  /** The round that `onround` was or will be called with; null: it is moving. @type {number | null} */
  #settling = null;
  /** Whether something has changed that the last drawing didn't show. */
  #dirty = true;
  /** The mode that the controls show. */
  #mode = "";
  /** @type {import("./decode.js").End | null} */
  #end = null;
  /** Whether the headline shows how the match ended. */
  #told = false;
  #frame = 0;
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
  #bar;
  #steering;

  /**
   * @param {HTMLElement} root
   * @param {Film} film
   * @param {Options} options
   */
  constructor(root, film, options) {
    const { head } = film;
    this.#film = film;
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
    this.#details = [answersPanel(head), logsPanel(head), ledgerPanel(head)];
    this.#legend = legend(head);
    this.#plots = plots(head, (round) => this.#do((player) => player.seek(round)));
    this.#bar = transport({
      act: (action) => this.#act(action),
      seek: (round) => this.#do((player) => player.seek(round)),
      speed: (speed) => this.#do((player) => player.setSpeed(speed)),
    });
    const { link, operator } = options;
    this.#steering =
      link !== null && operator
        ? steering({
            ask: (what) => link.ask({ do: what, match: head.match }),
            running: options.running,
            trouble: (words) => this.#complain(words),
          })
        : null;
    fill(root, this.#layOut());
    this.#listen();
    this.#showFacts();
    film.follow();
    this.#changed();
  }

  /** End everything that goes on. */
  close() {
    this.#ended.abort();
    cancelAnimationFrame(this.#frame);
    clearTimeout(this.#detailsTimer);
    clearTimeout(this.#roundTimer);
    this.#plots.close();
    this.#help.remove();
  }

  // -- building --------------------------------------------------------------------------------

  #layOut() {
    const { head } = this.#film;
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
          this.#steering?.element,
        ),
      ),
      this.#stage,
      el(
        "div",
        { class: "beside" },
        this.#seats.element,
        this.#unit.element,
        el("h2", null, "What happened"),
        this.#events.element,
      ),
      this.#bar.element,
    );
    return el("div", { class: "match" }, this.#area, tabs(this.#parts()), this.#help);
  }

  /** @returns {[key: string, title: string, content: HTMLElement][]} what stands below the board */
  #parts() {
    const [answers, logs, ledger] = this.#details;
    /** @type {[string, string, HTMLElement][]} */
    const played = [
      ["times", "Answer time", this.#plots.times],
      ["answers", "Answers", answers.element],
      ["logs", "Logs", logs.element],
      ["ledger", "Ledger", ledger.element],
    ];
    return [
      ["score", "Score", this.#plots.scores],
      // An original game's file has only positions.
      ...(this.#film.head.source === "res" ? [] : played),
      ["legend", "Legend", this.#legend.element],
    ];
  }

  #listen() {
    const { signal } = this.#ended;
    const { link } = this.#options;
    this.#film.addEventListener("change", () => this.#changed(), { signal });
    this.#film.addEventListener(
      "trouble",
      (event) => this.#complain(String(/** @type {CustomEvent} */ (event).detail)),
      { signal },
    );
    link?.addEventListener(
      "lobby",
      () => {
        this.#steering?.show();
        // All viewers see whether the match is paused.
        this.#redraw();
      },
      { signal },
    );
    link?.addEventListener("state", () => link.state === "open" && this.#complain(""), { signal });
    document.addEventListener("keydown", (event) => this.#key(event), { signal });
    const sized = new ResizeObserver(() => this.#fit());
    sized.observe(this.#area);
    sized.observe(this.#stage);
    const themed = new MutationObserver(() => {
      this.#board.setTheme(theme());
      this.#legend.restyle();
      this.#plots.restyle();
    });
    themed.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    signal.addEventListener("abort", () => {
      sized.disconnect();
      themed.disconnect();
    });
  }

  /** Gives the board all the room that it can use, and the players beside it the rest. */
  #fit() {
    const width = this.#area.clientWidth;
    if (document.documentElement.clientWidth < NARROW) {
      this.#board.resize(width, HIGH * window.innerHeight);
    } else {
      this.#board.resize(width - BESIDE, this.#stage.clientHeight);
      this.#area.style.setProperty("--board", `${this.#canvas.offsetWidth}px`);
    }
    this.#redraw();
  }

  // -- the film ------------------------------------------------------------------------------

  /** Whether the match is over, though its film may still be made. @returns {boolean} */
  #over() {
    return this.#film.over || this.#film.head.live === false;
  }

  #changed() {
    const film = this.#film;
    if (film.count === 0) {
      return;
    }
    if (this.#player === null) {
      const animated = !matchMedia("(prefers-reduced-motion: reduce)").matches;
      this.#player = new Player({
        clock: () => performance.now(),
        ready: (n) => film.at(n) !== null,
        newest: () => film.newest,
        count: film.count,
        over: this.#over(),
        animated,
        round: this.#options.round,
        plays: animated && !this.#options.embedded,
      });
      // The address already names the round that the view began with.
      this.#settling = this.#player.mode === "paused" ? this.#player.round : null;
    }
    this.#player.grow(film.count, this.#over());
    if (film.count <= CHARTED) {
      film.wantAll();
    }
    this.#plots.take(film);
    if (film.end !== null && this.#end === null) {
      this.#finish(film.end);
    }
    this.#tellEnd();
    this.#redraw();
  }

  /** @param {import("./decode.js").End} end */
  #finish(end) {
    this.#end = end;
    this.#steering?.show();
    const trouble = end.trouble ?? end.result?.error ?? null;
    if (trouble !== null) {
      this.#complain(trouble);
    }
    this.#showFacts();
  }

  /** Shows how the match ended and marks the winners, once the end and the last frame are loaded. */
  #tellEnd() {
    const { head, count } = this.#film;
    const last = this.#film.frame(count - 1);
    if (this.#end === null || this.#told || (head.source === "res" && last === null)) {
      return;
    }
    this.#told = true;
    const { words, seats } = ending(head, this.#end, last?.scores ?? []);
    fill(this.#result, seats.map(seatMark), el("span", null, words));
    this.#result.title = words;
    this.#area.classList.add("ended");
  }

  #showFacts() {
    const { head } = this.#film;
    const { embedded } = this.#options;
    // A file that was opened here has no address in the arena, and its record needs no link.
    const kept = !embedded && location.hash.startsWith("#/match/");
    const seed = this.#end?.seed ?? null;
    fill(
      this.#facts,
      seed !== null && el("span", { class: "muted" }, `seed ${seed}`),
      kept &&
        this.#end !== null &&
        el(
          "a",
          {
            class: "button small",
            href: `/api/1/matches/${encodeURIComponent(head.match)}/record`,
            download: true,
            title: "Download the record of the match",
          },
          "Record",
        ),
      kept && copyButton(() => this.#address()),
    );
  }

  /** The address of the shown round. */
  #address() {
    const url = new URL(location.href);
    url.hash = `#/match/${encodeURIComponent(this.#film.head.match)}?round=${this.#player?.round ?? 0}`;
    return url.href;
  }

  /** @param {string} words empty: all is well again */
  #complain(words) {
    this.#trouble.textContent = visible(words);
    this.#trouble.hidden = words === "";
  }

  // -- drawing -------------------------------------------------------------------------------

  /** Notes that something visible has changed. */
  #redraw() {
    this.#dirty = true;
    this.#schedule();
  }

  #schedule() {
    if (this.#frame === 0 && !this.#ended.signal.aborted) {
      this.#frame = requestAnimationFrame(() => {
        this.#frame = 0;
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
    const film = this.#film;
    const position = film.at(player.round);
    this.#loading.hidden = position !== null;
    if (position !== null) {
      const previous = player.previous === null ? null : film.at(player.previous);
      this.#board.draw(position, {
        previous,
        t: player.t,
        followed: this.#followed,
        hover: this.#pointing.place,
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
    this.#settle(player);
    if (player.active) {
      this.#schedule();
    }
  }

  /**
   * Updates the parts that change with every round and are cheap.
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
    this.#showTip();
  }

  /**
   * Updates the parts that are costly, or too much to read during play.
   *
   * @param {Position} position
   * @param {Player} player
   */
  #showDetails(position, player) {
    const rest = this.#detailedAt + DETAILS - performance.now();
    if (player.mode !== "paused" && rest > 0) {
      // The last of many rounds must be shown, too.
      this.#detailsTimer ??= setTimeout(() => {
        this.#detailsTimer = undefined;
        this.#redraw();
      }, rest);
      return;
    }
    const before = position.n > 0 ? this.#film.at(position.n - 1) : null;
    this.#events.show(position, before);
    for (const panel of this.#details) {
      panel.show(position, before);
    }
    this.#canvas.setAttribute("aria-label", boardWords(this.#film.head, position));
    this.#detailedAt = performance.now();
    // Some events need the position before it: repeat this when that is loaded.
    this.#detailed = before === null && position.n > 0 ? null : position;
  }

  /** @param {Player} player */
  #showState(player) {
    const { mode, over, round, last } = player;
    const paused = !over && this.#options.running()?.paused === true;
    const live = mode === "live" && !paused;
    const running = paused ? "paused" : live ? "live" : "running";
    const words = over ? (round === last ? "over" : "replay") : running;
    this.#state.textContent = `${words} · round ${round}`;
    this.#state.classList.toggle("is-live", live);
  }

  /**
   * Calls `onround` with the round after it was shown for a while, or with null at once on a move.
   *
   * @param {Player} player
   */
  #settle({ mode, round }) {
    const stands = mode === "paused" ? round : null;
    if (stands === this.#settling) {
      return;
    }
    clearTimeout(this.#roundTimer);
    this.#settling = stands;
    if (stands === null) {
      this.#options.onround(null);
    } else {
      this.#roundTimer = setTimeout(() => this.#options.onround(stands), SETTLED);
    }
  }

  // -- input -----------------------------------------------------------------------------------

  /** @param {(player: Player) => void} change */
  #do(change) {
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
        return this.#do((player) => player.toggle());
      case "first":
        return this.#do((player) => player.first());
      case "end":
        return this.#do((player) => player.end());
      case "back":
        return this.#do((player) => player.step(-1));
      case "next":
        return this.#do((player) => player.step(1));
      case "back10":
        return this.#do((player) => player.step(-10));
      case "next10":
        return this.#do((player) => player.step(10));
      case "slower":
        return this.#do((player) => player.faster(-1));
      case "faster":
        return this.#do((player) => player.faster(1));
      case "live":
        return this.#do((player) => player.live());
      case "animate":
        return this.#do((player) => player.setAnimated(!player.animated));
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

  /** Follow the unit under the pointer, or stop following it. */
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
    this.#pointing.tell(lines.map(visible));
  }
}
