/**
 * What somebody points at, on the board or in a text about it: pointing at one lights the other.
 *
 * Texts are linked with the units and cells that they are about. board_view.js draws those that are
 * pointed at on the board, and says what the pointer on the board is on.
 *
 * @module
 */

import { concerns } from "./orders.js";

/** @typedef {import("./text.js").Subject} Subject */

/** @type {Subject} */
export const NOTHING = Object.freeze({ units: [], cells: [] });

/** The links between a board and the texts beside it. */
export class Pointed {
  /** What the text under the pointer is about. @type {Subject} */
  byText = NOTHING;
  /** What is under the pointer on the board. @type {Subject} */
  #onBoard = NOTHING;
  /** @type {WeakMap<Element, Subject>} */
  #subjects = new WeakMap();
  #changed;

  /** @param {() => void} changed is called when `byText` has changed */
  constructor(changed) {
    this.#changed = changed;
  }

  /**
   * Link an element with what its text is about.
   *
   * @template {HTMLElement} T
   * @param {T} element
   * @param {Subject} subject
   * @returns {T} the element
   */
  link(element, subject) {
    if (subject.units.length > 0 || subject.cells.length > 0) {
      this.#subjects.set(element, { units: subject.units, cells: subject.cells });
      element.classList.add("linked");
      element.classList.toggle("pointed", concerns(subject, this.#onBoard));
    }
    return element;
  }

  /**
   * Watch the pointer in an element that contains linked ones.
   *
   * @param {HTMLElement} root
   * @param {AbortSignal} signal
   */
  watch(root, signal) {
    const point = (/** @type {Event} */ { target }) => {
      const linked = target instanceof Element ? target.closest(".linked") : null;
      this.#point((linked !== null && this.#subjects.get(linked)) || NOTHING);
    };
    root.addEventListener("pointerover", point, { signal });
    root.addEventListener("pointerdown", point, { signal });
    root.addEventListener("pointerleave", () => this.#point(NOTHING), { signal });
  }

  /**
   * Light the texts that are about what is pointed at on the board.
   *
   * @param {HTMLElement} root
   * @param {Subject} subject
   */
  light(root, subject) {
    if (subject === this.#onBoard) {
      return;
    }
    this.#onBoard = subject;
    /** @type {Map<Element, Element>} */
    const first = new Map();
    for (const element of root.querySelectorAll(".linked")) {
      const linked = this.#subjects.get(element);
      const isLit = linked !== undefined && concerns(linked, subject);
      element.classList.toggle("pointed", isLit);
      const box = element.closest("[data-scrolls]");
      if (isLit && box !== null && !first.has(box)) {
        first.set(box, element);
      }
    }
    for (const [box, element] of first) {
      const [outer, inner] = [box.getBoundingClientRect(), element.getBoundingClientRect()];
      if (inner.top < outer.top || inner.bottom > outer.bottom) {
        box.scrollTop += inner.top - outer.top - outer.height / 3;
      }
    }
  }

  /** @param {Subject} subject */
  #point(subject) {
    if (subject !== this.byText) {
      this.byText = subject;
      this.#changed();
    }
  }
}
