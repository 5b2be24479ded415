/**
 * The view of one match, live or replayed: the board, the players, the controls, and details of the
 * shown round.
 *
 * This module puts the parts together and decides when each is drawn. player.js decides which round
 * is shown; headline.js, panels.js and dock.js make what stands with the board; board.js draws it.
 *
 * @module
 */

import { BoardStage } from "./board_stage.js";
import { matchControls, transport } from "./controls.js";
import { dock } from "./dock.js";
import { DrawingLayer } from "./drawing_layer.js";
import { el, fill } from "./dom.js";
import { Headline } from "./headline.js";
import { actionOf, helpDialog } from "./help.js";
import { keep, kept, SPOILERS } from "./kept.js";
import { arrange } from "./layout.js";
import { decidedAt, Moments } from "./moments.js";
import { describeBoard, eventsPanel, seatsPanel, unitPanel } from "./panels.js";
import { movePlayer, Player } from "./player.js";
import { NOTHING, Pointed } from "./pointed.js";
import { RoundReport } from "./round_report.js";
import { printable, turnWord } from "./text.js";
import { theme } from "./theme.js";

/** @typedef {import("./decode.js").Position} Position */
/** @typedef {import("./match_frames.js").MatchFrames} MatchFrames */
/** @typedef {import("./help.js").Action} Action */
/** @typedef {import("./link.js").Link} Link */

/** Minimum milliseconds between updates of the parts with many elements, as answers and logs. */
const DETAILS_INTERVAL = 120;
/** Maximum number of frames for which a match is loaded completely, for its charts. */
const MAX_CHARTED = 20_000;
/** Width of the page in CSS px below which all parts are in one column. */
const NARROW_WIDTH = 900;
/** Width in rem that the board leaves for the evidence beside it, unless the page is narrow. */
const BESIDE_WIDTH = 21;
/** Height in rem that it leaves for the evidence below it, with the headline above it. */
const BELOW_HEIGHT = 18;
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
  /** Whether something has changed that the last drawing didn't show. */
  #dirty = true;
  /** The player's mode as the controls show it. */
  #mode = "";
  /** @type {import("./decode.js").End | null} */
  #end = null;
  /** Whether the end is told before it is reached. */
  #spoils = kept(SPOILERS) === "told";
  #moments;
  #animationFrame = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #detailsTimer = undefined;
  #report;

  // The parts, in the order of the page.
  #trouble = el("p", { class: "trouble", role: "alert", hidden: true });
  #headline;
  #area = el("div", { class: "watch-area" });
  #help;
  #stage;
  #pointed;
  #seats;
  #events;
  #unit;
  #drawings;
  #dock;
  #bar;
  #controls;

  /**
   * @param {HTMLElement} root
   * @param {MatchFrames} frames
   * @param {Options} options
   */
  constructor(root, frames, options) {
    const { head } = frames;
    const { link, operator } = options;
    this.#frames = frames;
    this.#options = options;
    this.#byScore = head.players.length > 2;
    this.#moments = new Moments(head.players.length);
    this.#help = helpDialog(turnWord(head));
    this.#report = new RoundReport(options.onRound);
    this.#stage = new BoardStage(head, {
      name: "Board",
      changed: () => this.#redraw(),
      picked: () => this.#pick(),
      full: () => this.#act("full"),
      signal: this.#ended.signal,
    });
    this.#pointed = new Pointed(() => this.#redraw());
    this.#seats = seatsPanel(head);
    this.#seats.order(this.#byScore);
    this.#events = eventsPanel(head, this.#pointed);
    this.#unit = unitPanel(head, () => this.#follow(null));
    this.#drawings = new DrawingLayer(frames, () => this.#redraw());
    const seek = (/** @type {number} */ round) => this.#control((player) => player.seek(round));
    this.#dock = dock(frames, {
      pointed: this.#pointed,
      seek,
      last: () => (this.#spoils ? frames.count - 1 : (this.#player?.round ?? 0)),
      result: () => frames.end?.result ?? null,
      changed: () => this.#refresh(),
    });
    this.#bar = transport(
      {
        act: (action) => this.#act(action),
        seek,
        speed: (speed) => this.#control((player) => player.setSpeed(speed)),
      },
      turnWord(head),
      {
        label: "Decided",
        title: "To where it was decided: the largest gain in the winner's lead (D)",
      },
    );
    this.#controls =
      link !== null && operator
        ? matchControls(
            {
              ask: (what) => link.ask({ do: what, match: head.match }),
              running: options.running,
              trouble: (message) => this.#showTrouble(message),
            },
            turnWord(head),
          )
        : null;
    this.#headline = new Headline(head, {
      controls: this.#controls?.element,
      showOutput: (seat) => this.#dock.choose("output", seat),
      seek,
    });
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
    this.#report.close();
    this.#dock.close();
    this.#bar.close();
    this.#help.remove();
  }

  // -- building --------------------------------------------------------------------------------

  #layOut() {
    fill(
      this.#area,
      el("div", { class: "head" }, this.#trouble, this.#headline.element),
      this.#stage.element,
      el(
        "div",
        { class: "evidence" },
        this.#seats.element,
        el(
          "section",
          { class: "happened" },
          this.#unit.element,
          this.#drawings.element,
          el("h2", null, "What happened"),
          this.#events.element,
        ),
        this.#dock.element,
      ),
      this.#bar.element,
    );
    return el("div", { class: "match" }, this.#area, this.#help);
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
      this.#stage.board.setTheme(theme());
      this.#dock.restyle();
      this.#bar.restyle();
      this.#redraw();
    });
    themed.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    signal.addEventListener("abort", () => {
      sized.disconnect();
      themed.disconnect();
    });
  }

  /** Give the board all the room that it can use, and the rest to the evidence. */
  #fit() {
    const { board, canvas } = this.#stage;
    const root = document.documentElement;
    const isNarrow = root.clientWidth < NARROW_WIDTH;
    const width = this.#area.clientWidth;
    const isAlone = this.#area.classList.contains("alone");
    if (isNarrow && !isAlone) {
      this.#area.classList.add("below");
      board.resize(width, MAX_BOARD_SHARE * window.innerHeight);
    } else {
      const rem = Number.parseFloat(getComputedStyle(root).fontSize);
      const gap = Number.parseFloat(getComputedStyle(this.#area).rowGap);
      const height = this.#area.clientHeight - this.#bar.element.offsetHeight - gap;
      const needed = isAlone
        ? { width: 0, height: 0 }
        : { width: BESIDE_WIDTH * rem, height: BELOW_HEIGHT * rem };
      const ratio = globalThis.devicePixelRatio || 1;
      const room = arrange(this.#frames.head.scene, { width, height }, needed, ratio);
      this.#area.classList.toggle("below", room.isBelow);
      board.resize(room.width, room.height);
      this.#area.style.setProperty("--board", `${canvas.offsetWidth}px`);
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
      this.#report.begin(this.#player);
    }
    this.#player.grow(frames.count, this.#over());
    if (frames.count <= MAX_CHARTED) {
      frames.loadAll();
    }
    this.#moments.include(frames);
    this.#dock.update();
    if (frames.end !== null && frames.end !== this.#end) {
      this.#finish(frames.end);
    }
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

  /** Whether it may be told now how the match ended. */
  #tellsEnd() {
    const player = this.#player;
    const isLast = player !== null && player.over && player.round === player.last;
    return this.#end !== null && (this.#spoils || isLast);
  }

  #showFacts() {
    this.#headline.facts({
      end: this.#end,
      // A file that was opened here isn't stored in the arena, so there is nothing to link to.
      isStored: !this.#options.embedded && location.hash.startsWith("#/match/"),
      round: () => this.#player?.round ?? 0,
    });
  }

  /** @param {string} message empty: there is no trouble any more */
  #showTrouble(message) {
    this.#trouble.textContent = printable(message);
    this.#trouble.hidden = message === "";
  }

  // -- drawing -------------------------------------------------------------------------------

  /** Show the details of the shown round again, as another part of them is asked for. */
  #refresh() {
    this.#detailed = null;
    this.#detailedAt = -Infinity;
    this.#redraw();
  }

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
    this.#stage.setLoading(position === null);
    if (position !== null) {
      const previous = player.previous === null ? null : frames.position(player.previous);
      this.#stage.board.draw(position, {
        previous,
        t: player.t,
        followed: this.#followed,
        hover: this.#stage.place,
        drawings: this.#drawings.on(previous !== null && player.t < 0.5 ? previous : position),
        pointed: this.#pointed.byText,
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
      this.#bar.show(player, {
        byScore: this.#byScore,
        spoils: this.#spoils,
        goal: player.over && this.#spoils,
        moments: this.#moments,
        seat: this.#dock.seat(),
        most: this.#frames.head.rounds,
      });
      this.#headline.state(player, !player.over && this.#options.running()?.paused === true);
      this.#mode = player.mode;
      this.#dirty = false;
    }
    this.#report.show(player);
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
    const last = this.#frames.frame(this.#frames.count - 1);
    // An original game's file has no result: its last position tells the end.
    const isKnown = this.#frames.head.source !== "res" || last !== null;
    const end = this.#tellsEnd() && isKnown ? this.#end : null;
    this.#headline.result(position, end, last?.scores ?? []);
    this.#seats.finish(isEnd ? this.#end : null);
    this.#seats.show(position, null);
    this.#unit.show(position, null);
    this.#dock.mark(position.n, this.#spoils || !player.over);
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
    this.#dock.show(position, before);
    this.#stage.canvas.setAttribute("aria-label", describeBoard(this.#frames.head, position));
    this.#detailedAt = performance.now();
    // Some events need the previous position: repeat this when that is loaded.
    this.#detailed = before === null && position.n > 0 ? null : position;
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
      case "backFault":
        return this.#toFault(-1);
      case "nextFault":
        return this.#toFault(1);
      case "decided":
        return this.#toDecision();
      case "spoilers":
        this.#spoils = !this.#spoils;
        keep(SPOILERS, this.#spoils ? "told" : "hidden");
        return this.#refresh();
      case "board":
        return this.#stage.element.focus();
      case "zoomIn":
        return this.#stage.zooming.by(1);
      case "zoomOut":
        return this.#stage.zooming.by(-1);
      case "zoomFit":
        return this.#stage.zooming.fit();
      case "full":
        return this.#toggleFull();
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
      default:
        return this.#control((player) => movePlayer(player, action));
    }
  }

  /** Show the board alone, on the whole screen if the browser allows it; or all again. */
  #toggleFull() {
    const isAlone = this.#area.classList.toggle("alone");
    if (isAlone) {
      this.#area.parentElement?.requestFullscreen?.().catch(() => {
        // The board is alone in the window.
      });
    } else if (document.fullscreenElement !== null) {
      void document.exitFullscreen();
    }
    this.#fit();
  }

  /**
   * Go to another round with a fault of the chosen player, or of any.
   *
   * @param {1 | -1} direction
   */
  #toFault(direction) {
    this.#control((player) => {
      const round = this.#moments.fault(player.round, direction, this.#dock.seat());
      if (round !== null) {
        player.seek(round);
      }
    });
  }

  /** Go to the round that decided the match; that tells something of how it ended. */
  #toDecision() {
    if (!this.#tellsEnd()) {
      return;
    }
    const round = decidedAt(this.#frames, this.#end?.result?.ranks ?? null);
    if (round !== null) {
      this.#control((player) => player.seek(round));
    }
  }

  /** Follow the unit under the pointer, or stop if it is already followed. */
  #pick() {
    const unit = this.#stage.unit(this.#shown);
    if (unit !== null) {
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
    this.#pointed.light(this.#area, this.#stage.showTip(this.#shown) ?? NOTHING);
  }
}
