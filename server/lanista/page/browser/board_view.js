/**
 * The frame of a view with a board, or with two side by side: it puts boards, evidence and controls
 * together, and decides when each is drawn.
 *
 * match.js and compare.js extend it by what stands with the boards. player.js decides which round is
 * shown, of all matches; a match that is over sooner stays at its end.
 *
 * @module
 */

import { BoardStage } from "./board_stage.js";
import { transport } from "./controls.js";
import { DrawingLayer } from "./drawing_layer.js";
import { el, fill } from "./dom.js";
import { actionOf, helpDialog } from "./help.js";
import { keep, kept, SPOILERS } from "./kept.js";
import { arrange } from "./layout.js";
import { LevelChoice } from "./level_choice.js";
import { FAILED, LATE, Moments } from "./moments.js";
import { describeBoard } from "./panels.js";
import { movePlayer, Player } from "./player.js";
import { NOTHING, Pointed } from "./pointed.js";
import { RoundReport } from "./round_report.js";
import { printable, turnWord } from "./text.js";
import { theme } from "./theme.js";

/** @typedef {import("./decode.js").Position} Position */
/** @typedef {import("./help.js").Action} Action */
/** @typedef {import("./link.js").Link} Link */
/** @typedef {import("./match_frames.js").MatchFrames} MatchFrames */

/** Minimum milliseconds between updates of the parts with many elements, as answers and logs. */
const DETAILS_INTERVAL = 120;
/** Maximum number of frames for which a match is loaded completely. */
const MAX_LOADED = 20_000;
/** Width of the page in CSS px below which all parts are in one column. */
const NARROW_WIDTH = 900;
/** A page that is low and not so narrow, such as a phone on its side, as in evidence.css. */
const ON_ITS_SIDE = "(min-width: 560px) and (max-width: 999px) and (max-height: 560px)";
/** Width in rem that the evidence needs there, where it is scrolled as a whole. */
const NEEDED_ON_ITS_SIDE = 16;
/** Distance between two boards in CSS px. */
const GAP = 10;

/**
 * @typedef {object} Options
 * @property {Link | null} link null: there is no arena
 * @property {number | null} round the round at which to begin, paused; null: the view's own choice
 * @property {(n: number | null) => void} onRound is called with the round at which the view is
 *   paused when that has changed, and with null when it moves again
 */

/**
 * What the two kinds of views do differently.
 *
 * @typedef {object} Kind
 * @property {readonly string[]} names of the boards, for those who can't see them
 * @property {number | null} [own] the user's seat; null: none
 * @property {{label: string, title: string}} goal the round to which D leads
 * @property {Partial<Record<Action, string | null>>} [keys] as `helpDialog`'s `others`
 * @property {{width: number, height: number}} needed the width that the evidence needs beside the
 *   boards, and the height that it needs below them, in rem
 */

/** A view with a board for each of its matches. Its members are for the views that extend it alone. */
export class BoardView {
  all;
  options;
  head;
  word;
  ended = new AbortController();
  /** By match. @type {Moments[]} */
  moments;
  /** The moments at the slider. @type {import("./controls.js").Moments} */
  marks;
  /** Null until frames are there and it is known where to begin. @type {Player | null} */
  player = null;
  /** The positions that are drawn, by match. @type {readonly Position[] | null} */
  shown = null;
  /** The followed unit. @type {number | null} */
  followed = null;
  /** Whether the end is told before it is reached. */
  spoils = kept(SPOILERS) === "told";
  /** @type {BoardStage[]} */
  stages;
  pointed = new Pointed(() => this.redraw());
  trouble = el("p", { class: "trouble", role: "alert", hidden: true });
  area = el("div", { class: "watch-area" });
  drawings;
  /** On a narrow page a board of several levels shows one. */
  #levels;
  #help;
  #bar;
  #needed;
  #head = el("div", { class: "head" });
  #evidence = el("div", { class: "evidence" });
  /** The part of the evidence to which the user has scrolled; undefined: none. @type {Element | undefined} */
  #read;
  /** For which size the boards got their room, and how high they and the headline were then. */
  #fitted = {
    size: "",
    isNarrow: false,
    room: { isBelow: false, isStacked: false, width: 1, height: 1 },
    boardHeight: 1,
    headHeight: 0,
  };
  #report;
  /** What the user asked for before there was a player. @type {((player: Player) => void)[]} */
  #wishes = [];
  /** The positions whose details are shown. @type {readonly Position[] | null} */
  #detailed = null;
  #detailedAt = -Infinity;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #detailsTimer = undefined;
  /** Whether something has changed that the last drawing didn't show. */
  #dirty = true;
  /** Of which match no more frames come, and what was said of it. */
  #stuck = { frames: /** @type {object | null} */ (null), message: "" };
  /** The player's mode as the controls show it. */
  #mode = "";
  #animationFrame = 0;

  /**
   * @param {readonly MatchFrames[]} all one match, or two with boards of the same shape
   * @param {Options} options
   * @param {Kind} kind
   */
  constructor(all, options, { names, own = null, goal, keys, needed }) {
    this.all = all;
    this.options = options;
    this.head = all[0].head;
    this.word = turnWord(this.head);
    this.#needed = needed;
    this.#report = new RoundReport(options.onRound);
    this.#help = helpDialog(this.word, keys);
    this.moments = all.map(() => new Moments(this.head.players.length));
    this.marks = this.moments[0];
    this.stages = all.map(
      ({ head }, at) =>
        new BoardStage(head, {
          name: names[at],
          own,
          changed: () => this.redraw(),
          picked: () => this.pick(at),
          full: () => this.act("full"),
          together: () => this.stages,
          signal: this.ended.signal,
        }),
    );
    this.#levels = new LevelChoice(this.head.scene, () => this.#fit());
    this.drawings = all.map((frames) => new DrawingLayer(frames, () => this.redraw()));
    this.#bar = transport(
      {
        act: (action) => this.act(action),
        seek: (round) => this.seek(round),
        speed: (speed) => this.control((player) => player.setSpeed(speed)),
      },
      this.word,
      goal,
    );
  }

  /**
   * Fill the page and begin.
   *
   * @param {HTMLElement} root
   * @param {{head: HTMLElement, boards: HTMLElement, evidence: HTMLElement[]}} parts
   */
  begin(root, { head, boards, evidence }) {
    fill(this.#head, this.trouble, head);
    fill(this.#evidence, evidence);
    fill(
      this.area,
      this.#head,
      this.#levels.element,
      boards,
      this.#evidence,
      this.#bar.element,
    );
    fill(root, el("div", { class: "match" }, this.area, this.#help));
    this.#listen();
    this.all.forEach((frames) => frames.follow());
    this.changed();
  }

  /** End all activity. */
  close() {
    this.ended.abort();
    cancelAnimationFrame(this.#animationFrame);
    clearTimeout(this.#detailsTimer);
    this.#report.close();
    this.#bar.close();
    this.#help.remove();
  }

  #listen() {
    const { signal } = this.ended;
    const { link } = this.options;
    for (const frames of this.all) {
      frames.addEventListener(
        "change",
        () => {
          this.#goesOn(frames);
          this.changed();
        },
        { signal },
      );
      frames.addEventListener(
        "trouble",
        (event) => {
          this.#stuck = { frames, message: String(/** @type {CustomEvent} */ (event).detail) };
          this.showTrouble(this.#stuck.message);
        },
        { signal },
      );
    }
    link?.addEventListener(
      "state",
      () => link.state === "open" && this.showTrouble(""),
      { signal },
    );
    document.addEventListener(
      "keydown",
      (event) => {
        const action = this.#help.open ? null : actionOf(event);
        if (action !== null) {
          event.preventDefault();
          this.act(action);
        }
      },
      { signal },
    );
    document.addEventListener(
      "fullscreenchange",
      () => {
        // The browser ends it by a key of its own.
        if (document.fullscreenElement === null && this.area.classList.contains("alone")) {
          this.#toggleFull();
        }
      },
      { signal },
    );
    // In the page, or on a phone on its side in the evidence.
    document.addEventListener("scroll", () => this.#keepPlace(), { signal, capture: true });
    this.pointed.watch(this.area, signal);
    const sized = new ResizeObserver(() => this.#fit());
    sized.observe(this.area);
    sized.observe(this.#bar.element);
    sized.observe(this.#head);
    const themed = new MutationObserver(() => {
      this.stages.forEach(({ board }) => board.setTheme(theme()));
      this.#bar.restyle();
      this.restyle();
      this.redraw();
    });
    themed.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    signal.addEventListener("abort", () => {
      document.documentElement.style.scrollPaddingBottom = "";
      sized.disconnect();
      themed.disconnect();
    });
  }

  /**
   * Give the boards all the room that they can use, all the same, and the rest to the evidence. When
   * the headline grows, the boards give way, so that the evidence stays where it is.
   */
  #fit() {
    const root = document.documentElement;
    const isAlone = this.area.classList.contains("alone");
    const isOnItsSide = this.#isOnItsSide();
    const isNarrow = this.#isNarrow();
    const barHeight = this.#bar.element.offsetHeight;
    const headHeight = this.#head.offsetHeight;
    // On a narrow page what gets the focus isn't left below the controls.
    root.style.scrollPaddingBottom = isNarrow ? `${barHeight}px` : "";
    const { clientWidth: width, clientHeight: height } = this.area;
    const caption = this.captionHeight();
    const scene = isNarrow ? this.#levels.scene : this.head.scene;
    const { title } = scene.levels[0];
    const size = JSON.stringify([width, isNarrow ? title : height, barHeight, caption, isAlone]);
    if (size !== this.#fitted.size) {
      const rem = Number.parseFloat(getComputedStyle(root).fontSize);
      const gap = Number.parseFloat(getComputedStyle(this.area).rowGap);
      const levels = this.#levels.element.offsetHeight;
      const below = barHeight + (levels > 0 ? levels + gap : 0);
      const left = isNarrow ? this.narrowHeight(below) : height - barHeight - gap;
      const needed = this.#needed;
      this.stages.forEach((stage) => stage.setScene(scene));
      const room = arrange(
        scene,
        { width, height: left },
        isNarrow || isAlone
          ? { width: 0, height: 0 }
          : isOnItsSide
            ? { width: NEEDED_ON_ITS_SIDE * rem, height }
            : { width: needed.width * rem, height: needed.height * rem + headHeight + 2 * gap },
        { boards: this.all.length, gap: GAP, caption },
        globalThis.devicePixelRatio || 1,
      );
      this.area.classList.toggle("below", room.isBelow || isNarrow);
      this.area.classList.toggle("stacked", room.isStacked);
      this.stages.forEach(({ board }) => board.resize(room.width, room.height));
      const boardHeight = this.stages[0].canvas.offsetHeight;
      const one = boardHeight + caption;
      const used = room.isStacked ? 2 * one + GAP : one;
      // The sizes above are rounded: a pixel less, so that no board is cut off.
      this.area.style.setProperty("--evidence", `${left - used - headHeight - 2 * gap - 1}px`);
      const isTurned = this.#fitted.isNarrow !== isNarrow;
      this.#fitted = { size, isNarrow, room, boardHeight, headHeight };
      if (isTurned) {
        this.#read?.scrollIntoView();
      }
    } else if (this.#fitted.room.isBelow && !isNarrow && !isAlone) {
      const { room, boardHeight } = this.#fitted;
      const less = (headHeight - this.#fitted.headHeight) / (room.isStacked ? 2 : 1);
      this.stages.forEach(({ board }) => board.resize(room.width, Math.max(1, boardHeight - less)));
    }
    this.redraw();
  }

  #isOnItsSide() {
    // Two boards leave no room beside them there.
    return this.all.length === 1 && matchMedia(ON_ITS_SIDE).matches;
  }

  #isNarrow() {
    const isAlone = this.area.classList.contains("alone");
    const { clientWidth } = document.documentElement;
    return clientWidth < NARROW_WIDTH && !isAlone && !this.#isOnItsSide();
  }

  /** Remember which part of the evidence the user reads, for when the phone is turned. */
  #keepPlace() {
    if (this.#isNarrow() !== this.#fitted.isNarrow) {
      return; // it was turned, by which the page was scrolled
    }
    const parts = scrollY + this.#evidence.scrollTop > 0 ? [...this.#evidence.children] : [];
    this.#read = parts.findLast((part) => part.getBoundingClientRect().top < innerHeight / 2);
  }

  // -- frames ----------------------------------------------------------------------------------

  /** Whether a match is over, even if its frames are still being computed. @param {MatchFrames} frames */
  #isOver({ over, head }) {
    return over || head.live === false;
  }

  /** Number of rounds that can be shown. */
  #count() {
    const running = this.all.filter((frames) => !this.#isOver(frames));
    return running.length === 0
      ? Math.max(...this.all.map(({ count }) => count))
      : Math.min(...running.map(({ count }) => count));
  }

  /** Return the positions of a round. @param {number} round @returns {Position[] | null} */
  #positions(round) {
    // All are asked for, so that all are fetched.
    const positions = this.all.map((frames) =>
      frames.position(this.#isOver(frames) ? Math.min(round, frames.count - 1) : round),
    );
    return positions.every((position) => position !== null) ? positions : null;
  }

  /**
   * Return whether play stays longer at a round: a chapter of a story begins there, or where none is
   * told yet, a grave fault.
   * @param {number} round
   */
  #matters(round) {
    return this.all.some(({ end }, at) =>
      end?.story
        ? end.story.chapters.some(([n]) => n === round)
        : (this.moments[at].begun(round, null) & (LATE | FAILED)) !== 0,
    );
  }

  /** Take back what was said of frames that come again. @param {object} frames */
  #goesOn(frames) {
    const { frames: stuck, message } = this.#stuck;
    if (stuck === frames) {
      this.#stuck.frames = null;
      if (this.trouble.textContent === printable(message)) {
        this.showTrouble("");
      }
    }
  }

  /** Take over frames that were loaded. */
  changed() {
    if (this.all.some(({ count }) => count === 0)) {
      return;
    }
    this.all.forEach((frames, at) => {
      this.moments[at].include(frames);
      if (frames.count <= MAX_LOADED) {
        frames.loadAll();
      }
    });
    const count = this.#count();
    const over = this.all.every((frames) => this.#isOver(frames));
    const start = this.player === null ? this.start() : null;
    if (start !== null) {
      this.player = new Player({
        clock: () => performance.now(),
        ready: (n) => this.#positions(n) !== null,
        newest: () => Math.min(...this.all.map((frames) => frames.newest)),
        matters: (n) => this.#matters(n),
        count,
        over,
        animated: !prefersStillness(),
        ...start,
      });
      if (start.isNamed) {
        this.#report.begin(this.player);
      }
    }
    this.player?.grow(count, over);
    if (this.player !== null) {
      this.#wishes.splice(0).forEach((change) => this.control(change));
    }
    this.redraw();
  }

  /** @param {string} message empty: there is no trouble any more */
  showTrouble(message) {
    const words = printable(message);
    if (this.trouble.textContent !== words) {
      this.trouble.textContent = words; // which is announced, even if it is the same
      this.trouble.hidden = words === "";
    }
  }

  // -- drawing ---------------------------------------------------------------------------------

  /** Show the details of the shown round again, as another part of them is asked for. */
  refresh() {
    this.#detailed = null;
    this.#detailedAt = -Infinity;
    this.redraw();
  }

  /** Draw again soon, as something visible has changed. */
  redraw() {
    this.#dirty = true;
    this.#schedule();
  }

  #schedule() {
    if (this.#animationFrame === 0 && !this.ended.signal.aborted) {
      this.#animationFrame = requestAnimationFrame(() => {
        this.#animationFrame = 0;
        this.#draw();
      });
    }
  }

  #draw() {
    const { player } = this;
    if (player === null) {
      return;
    }
    player.advance();
    const positions = this.#positions(player.round);
    this.stages.forEach((stage) => stage.setLoading(positions === null));
    if (positions !== null) {
      this.#drawBoards(positions, player);
      this.#dirty ||= !isSame(positions, this.shown);
      this.shown = positions;
      if (this.#dirty) {
        const lit = this.stages.map((stage, at) => stage.showTip(positions[at]));
        this.showRound(positions, player);
        this.pointed.light(this.area, lit.find((subject) => subject !== null) ?? NOTHING);
      }
      if (!isSame(positions, this.#detailed)) {
        this.#showDetails(positions, player);
      }
    }
    if (this.#dirty || player.mode !== this.#mode) {
      this.#bar.show(player, {
        spoils: this.spoils,
        moments: this.marks,
        most: this.head.rounds,
        ...this.controls(player),
      });
      this.showState(player);
      this.#mode = player.mode;
      this.#dirty = false;
    }
    this.#report.show(player);
    if (player.active) {
      this.#schedule();
    }
  }

  /** @param {readonly Position[]} positions @param {Player} player */
  #drawBoards(positions, player) {
    const before = player.previous === null ? null : this.#positions(player.previous);
    const hover = this.stages.find(({ place }) => place !== null)?.place ?? null;
    this.stages.forEach((stage, at) => {
      // A match that is over doesn't move.
      const previous = before?.[at] === positions[at] ? null : (before?.[at] ?? null);
      const isEarlier = previous !== null && player.t < 0.5;
      stage.board.draw(positions[at], {
        previous,
        t: player.t,
        before: positions[at].n > 0 ? this.all[at].position(positions[at].n - 1) : null,
        calm: prefersStillness(),
        followed: this.followed,
        hover,
        drawings: stage.onLevels(this.drawn(isEarlier ? previous : positions[at], at)),
        pointed: this.pointed.byText,
        apart: this.apart(positions),
      });
    });
  }

  /** @param {readonly Position[]} positions @param {Player} player */
  #showDetails(positions, player) {
    const rest = this.#detailedAt + DETAILS_INTERVAL - performance.now();
    if (player.mode !== "paused" && rest > 0) {
      // Without another call the details of the last round might never be shown.
      this.#detailsTimer ??= setTimeout(() => {
        this.#detailsTimer = undefined;
        this.redraw();
      }, rest);
      return;
    }
    const isComplete = this.showDetails(positions);
    this.stages.forEach(({ canvas }, at) => {
      const number = this.all.length === 1 ? "" : `Match ${at + 1}. `;
      canvas.setAttribute("aria-label", number + describeBoard(this.all[at].head, positions[at]));
    });
    this.#detailedAt = performance.now();
    this.#detailed = isComplete ? positions : null;
  }

  // -- input -----------------------------------------------------------------------------------

  /** Change what is shown, or once the first frames are there. @param {(player: Player) => void} change */
  control(change) {
    if (this.player === null) {
      this.#wishes.push(change);
    } else {
      change(this.player);
      this.redraw();
    }
  }

  /** Show a round, and pause there. @param {number | null} round null: there is none to go to */
  seek(round) {
    if (round !== null) {
      this.control((player) => player.seek(round));
    }
  }

  /** @param {Action} action */
  act(action) {
    const [{ zooming, element }] = this.stages;
    switch (action) {
      case "backFault":
        return this.#toFault(-1);
      case "nextFault":
        return this.#toFault(1);
      case "decided":
        return this.seek(this.goal());
      case "spoilers":
        this.spoils = !this.spoils;
        keep(SPOILERS, this.spoils ? "told" : "hidden");
        return this.refresh();
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
        return this.pick(Math.max(0, this.stages.findIndex(({ place }) => place !== null)));
      case "unfollow":
        return this.follow(null);
      case "help":
        return this.#help.showModal();
      default:
        return this.control((player) => movePlayer(player, action));
    }
  }

  /** Go to another round with a fault of the chosen player, or of any. @param {1 | -1} direction */
  #toFault(direction) {
    this.control((player) => {
      const round = this.marks.fault(player.round, direction, this.controls(player).seat);
      if (round !== null) {
        this.seekFault(round);
      }
    });
  }

  /** Show a round in which a fault begins. @param {number} round */
  seekFault(round) {
    this.seek(round);
  }

  /** Show the boards alone, on the whole screen if the browser allows it; or all again. */
  #toggleFull() {
    const isAlone = this.area.classList.toggle("alone");
    if (isAlone) {
      this.area.parentElement?.requestFullscreen?.().catch(() => {
        // The boards are alone in the window.
      });
    } else if (document.fullscreenElement !== null) {
      void document.exitFullscreen();
    }
    this.#fit();
  }

  /** Follow the unit that is pointed at, or stop if it is followed. @param {number} at of the board */
  pick(at) {
    const unit = this.stages[at].unit(this.shown?.[at] ?? null);
    if (unit !== null) {
      this.follow(unit === this.followed ? null : unit);
    }
  }

  /** Follow a unit on all boards. @param {number | null} unit */
  follow(unit) {
    this.followed = unit;
    this.redraw();
  }

  // -- what the views say ----------------------------------------------------------------------

  /**
   * Return where to begin; null: it isn't known yet. `isNamed`: the address names that already.
   * @returns {{round: number | null, plays?: boolean, isNamed: boolean} | null}
   */
  start() {
    return null;
  }

  /**
   * Return what is drawn on a board above its marks.
   * @param {Position} position
   * @param {number} at of the board
   * @returns {readonly import("./drawing_paint.js").SeatDrawing[]}
   */
  drawn(position, at) {
    return this.drawings[at].on(position);
  }

  /**
   * Return the cells in which the boards differ.
   * @param {readonly Position[]} _positions
   * @returns {readonly import("./layout.js").Cell[] | undefined} absent: they aren't to be lit
   */
  apart(_positions) {
    return undefined;
  }

  /** Return the round to which D leads; null: none. @returns {number | null} */
  goal() {
    return null;
  }

  /**
   * Return what the bar shows besides the player's state, as `Shown`.
   * @param {Player} _player
   * @returns {{goal: boolean, seat: number | null, byScore?: boolean}}
   */
  controls(_player) {
    return { goal: false, seat: null };
  }

  /**
   * Height in CSS px that the boards may have on a narrow page.
   *
   * @param {number} _controls height of the bar, and of the choice of a level
   */
  narrowHeight(_controls) {
    return window.innerHeight;
  }

  /** Height in CSS px of what stands above each board. */
  captionHeight() {
    return 0;
  }

  /** Show what the player does. @param {Player} _player */
  showState(_player) {}

  /**
   * Update the parts that change with every round and are cheap.
   * @param {readonly Position[]} _positions
   * @param {Player} _player
   */
  showRound(_positions, _player) {}

  /**
   * Update the parts that are costly, or too much to read during play.
   * @param {readonly Position[]} _positions
   * @returns {boolean} whether that was all; otherwise it is called again
   */
  showDetails(_positions) {
    return true;
  }

  /** Adopt another theme. */
  restyle() {}
}

/** Whether the user prefers reduced motion. */
export function prefersStillness() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** @param {readonly Position[]} positions @param {readonly Position[] | null} others */
function isSame(positions, others) {
  return positions.every((position, at) => position === others?.[at]);
}
