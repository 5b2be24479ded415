/**
 * Pointing at a board: finds the cell under the pointer, and shows a tooltip beside the pointer.
 *
 * match.js decides what the tooltip says, and what a click does.
 *
 * @module
 */

import { el, fill } from "./dom.js";

/** @typedef {import("./layout.js").Place} Place */

/** Distance from the pointer to the tooltip in CSS px. */
const DISTANCE = 16;

/** The pointer, or the finger, on a board. */
export class Pointing {
  /** The cell under the pointer, or the last one tapped; null: none. @type {Place | null} */
  place = null;

  #stage;
  #canvas;
  #placeAt;
  #changed;
  #tip = el("div", { class: "tip", hidden: true });
  #x = 0;
  #y = 0;

  /**
   * @param {HTMLElement} stage the element around the canvas, to which the tooltip is added
   * @param {HTMLCanvasElement} canvas
   * @param {object} options
   * @param {(x: number, y: number) => Place | null} options.placeAt returns the cell at a point of
   *   the canvas in CSS px
   * @param {() => void} options.changed is called when `place` has changed
   * @param {() => void} options.picked is called when `place` was clicked
   * @param {AbortSignal} options.signal removes all listeners
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
        // Lifting a finger also counts as leaving, but the tooltip of a tapped cell stays.
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
   * Show a tooltip beside the pointer.
   *
   * @param {readonly string[]} lines the tooltip is hidden if there are none
   */
  showTip(lines) {
    this.#tip.hidden = lines.length === 0;
    fill(
      this.#tip,
      lines.map((line) => el("div", null, line)),
    );
    this.#placeTip();
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
