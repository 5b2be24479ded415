/**
 * Pointing at a board: finds the cell under the pointer, and shows a tooltip beside the pointer.
 *
 * board_stage.js decides what the tooltip says, and what a click does.
 *
 * @module
 */

import { el, fill } from "./dom.js";

/** @typedef {import("./layout.js").Place} Place */

/** Distance from the pointer to the tooltip in CSS px. */
const DISTANCE = 16;

/** By key: the steps of the keyboard's pointer, in rows and columns. */
const STEPS = new Map(
  /** @type {[string, [number, number]][]} */ ([
    ["ArrowUp", [-1, 0]],
    ["ArrowDown", [1, 0]],
    ["ArrowLeft", [0, -1]],
    ["ArrowRight", [0, 1]],
  ]),
);
/** Maximum number of cells that a step crosses where there are none, as between two levels. */
const MAX_STEP = 12;

/** The pointer, or the finger, or the keyboard's pointer on a board. */
export class Pointing {
  /** The cell under the pointer, or the last one tapped; null: none. @type {Place | null} */
  place = null;

  /** Where the keyboard's pointer goes on after it was away. @type {Place | null} */
  #last = null;
  #stage;
  #canvas;
  #placeAt;
  #middleOf;
  #reveal;
  #changed;
  #tip = el("div", { class: "tip", role: "status", hidden: true });
  #x = 0;
  #y = 0;

  /**
   * @param {HTMLElement} stage the element around the canvas, to which the tooltip is added
   * @param {HTMLCanvasElement} canvas
   * @param {object} options
   * @param {(x: number, y: number) => Place | null} options.placeAt returns the cell at a point of
   *   the canvas in CSS px
   * @param {(place: Place) => {x: number, y: number}} options.middleOf returns a cell's middle,
   *   likewise
   * @param {() => Place} options.first returns the cell at which the keyboard begins
   * @param {(point: {x: number, y: number}) => void} options.reveal brings a point of the canvas
   *   into sight
   * @param {() => void} options.changed is called when `place` has changed
   * @param {() => void} options.picked is called when `place` was clicked
   * @param {AbortSignal} options.signal removes all listeners
   */
  constructor(stage, canvas, { placeAt, middleOf, first, reveal, changed, picked, signal }) {
    this.#stage = stage;
    this.#canvas = canvas;
    this.#placeAt = placeAt;
    this.#middleOf = middleOf;
    this.#reveal = reveal;
    this.#changed = changed;
    stage.append(this.#tip);
    /** @param {PointerEvent} event */
    const point = (event) => this.#point(event);
    canvas.addEventListener("pointermove", point, { signal });
    canvas.addEventListener("pointerdown", point, { signal });
    canvas.addEventListener("click", picked, { signal });
    canvas.addEventListener(
      "pointerleave",
      (event) => {
        // Lifting a finger also counts as leaving, but the tooltip of a tapped cell stays.
        if (event.pointerType !== "touch") {
          this.#leave();
        }
      },
      { signal },
    );
    stage.addEventListener(
      "keydown",
      (event) => {
        const step = STEPS.get(event.key);
        const isPlain = !(event.ctrlKey || event.metaKey || event.altKey || event.shiftKey);
        if (step !== undefined && isPlain && event.target === stage) {
          this.#step(this.place === null ? (this.#last ?? first()) : null, step);
          event.preventDefault();
        } else if (event.key === "Enter" && event.target === stage) {
          picked();
        } else if (event.key === "Escape") {
          this.#leave();
        }
      },
      { signal },
    );
    // A click doesn't give the board the arrow keys, which step through the match.
    stage.addEventListener(
      "mousedown",
      (event) => {
        event.preventDefault();
        const focused = document.activeElement;
        if (focused instanceof HTMLElement && !stage.contains(focused)) {
          focused.blur();
        }
      },
      { signal },
    );
    stage.addEventListener("blur", () => this.#leave(), { signal });
    document.addEventListener(
      "pointerdown",
      (event) => {
        if (event.target !== canvas) {
          this.#leave();
        }
      },
      { signal },
    );
  }

  /**
   * Show a tooltip beside the pointer.
   *
   * @param {readonly string[]} lines the tooltip is hidden if there are none
   */
  showTip(lines) {
    this.#tip.hidden = lines.length === 0;
    // What is filled anew is announced anew.
    if (lines.join("") !== this.#tip.textContent) {
      fill(
        this.#tip,
        lines.map((line) => el("div", null, line)),
      );
    }
    this.#placeTip();
  }

  /** Forget where the keyboard's pointer was: another part of the board is shown. */
  forget() {
    this.#last = null;
  }

  /** @param {PointerEvent} event */
  #point({ offsetX, offsetY }) {
    this.#x = offsetX;
    this.#y = offsetY;
    const place = this.#placeAt(offsetX, offsetY);
    if (place?.row !== this.place?.row || place?.col !== this.place?.col) {
      this.place = place;
      this.#changed();
    } else {
      this.#placeTip();
    }
  }

  /**
   * Point at a cell by the keyboard.
   *
   * @param {Place | null} first where to begin; null: step on from the present cell
   * @param {[down: number, right: number]} step
   */
  #step(first, [down, right]) {
    const before = first ?? this.place;
    if (before === null) {
      return;
    }
    let place = /** @type {Place | null} */ (before);
    if (first === null) {
      // By what is drawn: so a step leads from one level to the one beside it, across the gap.
      const from = this.#middleOf(before);
      const size = this.#middleOf({ ...before, row: before.row + 1 }).y - from.y;
      place = null;
      for (let cells = 1; place === null && cells <= MAX_STEP; cells += 1) {
        place = this.#placeAt(from.x + cells * right * size, from.y + cells * down * size);
      }
    }
    if (place !== null) {
      this.place = this.#last = place;
      this.#reveal(this.#middleOf(place));
      ({ x: this.#x, y: this.#y } = this.#middleOf(place));
      this.#changed();
    }
  }

  #leave() {
    if (this.place !== null) {
      this.place = null;
      this.#changed();
    }
  }

  /** Place the tooltip beside the pointer, where it isn't cut off and doesn't cover the cell. */
  #placeTip() {
    if (this.#tip.hidden) {
      return;
    }
    const { clientWidth, clientHeight } = this.#stage;
    const { offsetWidth: width, offsetHeight: height } = this.#tip;
    const x = this.#canvas.offsetLeft + this.#x;
    const y = this.#canvas.offsetTop + this.#y;
    const left = x + DISTANCE + width <= clientWidth ? x + DISTANCE : x - DISTANCE - width;
    const top = y + DISTANCE + height <= clientHeight ? y + DISTANCE : y - DISTANCE - height;
    this.#tip.style.left = `${Math.max(0, left)}px`;
    this.#tip.style.top = `${Math.max(0, top)}px`;
  }
}
