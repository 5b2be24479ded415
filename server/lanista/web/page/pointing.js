/**
 * Pointing at a board: finds the cell under the pointer, and shows a text beside the pointer.
 *
 * match.js decides what the text is, and what a click does.
 *
 * @module
 */

import { el, fill } from "./dom.js";

/** @typedef {import("./layout.js").Place} Place */

/** Distance from the pointer to the text in CSS px. */
const APART = 16;

/** The pointer, or the finger, on a board. */
export class Pointing {
  /** The cell under the pointer, or that was tapped last; null: none. @type {Place | null} */
  place = null;

  #stage;
  #canvas;
  #placeAt;
  #changed;
  #tip = el("div", { class: "tip", hidden: true });
  #x = 0;
  #y = 0;

  /**
   * @param {HTMLElement} stage around the canvas; gets the words
   * @param {HTMLCanvasElement} canvas
   * @param {object} options
   * @param {(x: number, y: number) => Place | null} options.placeAt by CSS px in the canvas
   * @param {() => void} options.changed `place` is another one
   * @param {() => void} options.picked `place` was clicked
   * @param {AbortSignal} options.signal ends it
   */
  constructor(stage, canvas, { placeAt, changed, picked, signal }) {
    this.#stage = stage;
    this.#canvas = canvas;
    this.#placeAt = placeAt;
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
        // Lifting a finger is also leaving, but the text about what it tapped stays.
        if (event.pointerType !== "touch") {
          this.#leave();
        }
      },
      { signal },
    );
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
   * Show a text beside the pointer.
   *
   * @param {readonly string[]} lines none: nothing is written
   */
  tell(lines) {
    this.#tip.hidden = lines.length === 0;
    fill(
      this.#tip,
      lines.map((line) => el("div", null, line)),
    );
    this.#arrange();
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
      this.#arrange();
    }
  }

  #leave() {
    if (this.place !== null) {
      this.place = null;
      this.#changed();
    }
  }

  /** Places the text beside the pointer, where it isn't cut off and hides nothing pointed at. */
  #arrange() {
    if (this.#tip.hidden) {
      return;
    }
    const { clientWidth, clientHeight } = this.#stage;
    const { offsetWidth: width, offsetHeight: height } = this.#tip;
    const x = this.#canvas.offsetLeft + this.#x;
    const y = this.#canvas.offsetTop + this.#y;
    const left = x + APART + width <= clientWidth ? x + APART : x - APART - width;
    const top = y + APART + height <= clientHeight ? y + APART : y - APART - height;
    this.#tip.style.left = `${Math.max(0, left)}px`;
    this.#tip.style.top = `${Math.max(0, top)}px`;
  }
}
