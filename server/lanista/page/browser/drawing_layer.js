/**
 * Which drawings are shown on the board: those of the shown turn, of the bots that are switched on.
 *
 * What a bot draws in turn n belongs to the position after n turns, which it had before it. Its log
 * comes with the next frame, as that turn leads there (docs/api.md, "Frames").
 *
 * @module
 */

import { el } from "./dom.js";
import { readTurn } from "./drawing.js";
import { playerOf } from "./panels.js";
import { printable } from "./text.js";

/** @typedef {import("./decode.js").Play} Play */
/** @typedef {import("./drawing_paint.js").SeatDrawing} SeatDrawing */
/** @typedef {import("./match_frames.js").MatchFrames} MatchFrames */

/** @type {readonly SeatDrawing[]} */
const NOTHING = Object.freeze([]);

/** The drawings of a match, and a switch for each bot that draws. */
export class DrawingLayer {
  /** The switches; hidden until a bot draws something. */
  element = el("div", { class: "drawings", role: "group", "aria-label": "Drawings", hidden: true });
  #frames;
  #changed;
  /** By seat that has drawn something. @type {Map<number, HTMLButtonElement>} */
  #switches = new Map();
  /** @type {Set<number>} */
  #off = new Set();
  /** The last result of `on`. @type {{play: Play, shown: readonly SeatDrawing[]} | null} */
  #last = null;

  /**
   * @param {MatchFrames} frames
   * @param {() => void} changed is called when a bot was switched on or off
   */
  constructor(frames, changed) {
    this.#frames = frames;
    this.#changed = changed;
    this.element.append(el("span", { class: "muted" }, "Drawings"));
  }

  /**
   * Return what is drawn on a position.
   *
   * @param {{n: number}} position
   * @returns {readonly SeatDrawing[]}
   */
  on({ n }) {
    const play = this.#frames.frame(n + 1)?.play;
    if (play?.logs === undefined) {
      return NOTHING;
    }
    if (this.#last?.play !== play) {
      this.#last = { play, shown: this.#read(play) };
    }
    return this.#last.shown;
  }

  /** @param {Play} play @returns {SeatDrawing[]} */
  #read(play) {
    /** @type {SeatDrawing[]} */
    const shown = [];
    for (const [seat, lines] of readTurn(play, this.#frames.head.scene)) {
      const drawings = lines.flatMap(({ drawing }) => (drawing === undefined ? [] : [drawing]));
      if (drawings.length > 0) {
        this.#addSwitch(seat);
        if (!this.#off.has(seat)) {
          shown.push(...drawings.map((drawing) => ({ seat, drawing })));
        }
      }
    }
    return shown;
  }

  /** @param {number} seat */
  #addSwitch(seat) {
    if (this.#switches.has(seat)) {
      return;
    }
    const { head } = this.#frames;
    const name = printable(head.players[seat]?.name ?? "");
    const button = el(
      "button",
      {
        class: "button small",
        type: "button",
        "aria-pressed": "true",
        title: `Show what ${name} draws, or hide it`,
        onclick: () => this.#toggle(seat),
      },
      playerOf(head, seat),
    );
    this.#switches.set(seat, button);
    const later = [...this.#switches.keys()].filter((other) => other > seat);
    const next = later.length > 0 ? this.#switches.get(Math.min(...later)) : null;
    this.element.insertBefore(button, next ?? null);
    this.element.hidden = false;
  }

  /** @param {number} seat */
  #toggle(seat) {
    const isOff = !this.#off.delete(seat);
    if (isOff) {
      this.#off.add(seat);
    }
    this.#switches.get(seat)?.setAttribute("aria-pressed", String(!isOff));
    this.#last = null;
    this.#changed();
  }
}
