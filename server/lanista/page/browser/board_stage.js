/**
 * A board on the page: its canvas, what is pointed at on it, and its zoom.
 *
 * @module
 */

import { Board } from "./board.js";
import { el, fill } from "./dom.js";
import { Pointing } from "./pointing.js";
import { theme } from "./theme.js";
import { Zooming } from "./zooming.js";

/** @typedef {import("./decode.js").Head} Head */
/** @typedef {import("./decode.js").Position} Position */
/** @typedef {import("./drawing_paint.js").SeatDrawing} SeatDrawing */
/** @typedef {import("./text.js").Subject} Subject */

/** A board with its stage, the element in which it is seen. */
export class BoardStage {
  canvas = el("canvas", { role: "img" });
  element;
  board;
  zooming;
  #head;
  #scene;
  #loading = el("p", { class: "loading badge", role: "status" }, "loading…");
  #pointing;

  /**
   * @param {Head} head of the match
   * @param {object} options
   * @param {string} options.name of the board, for those who can't see it
   * @param {number | null} [options.own] the user's seat; null: none
   * @param {() => void} options.changed is called when it must be drawn again
   * @param {() => void} options.picked is called when a cell was chosen
   * @param {() => void} options.full is called when the board alone is asked for, or all again
   * @param {() => readonly BoardStage[]} [options.together] returns the boards that show the same
   *   part, with this one
   * @param {AbortSignal} options.signal ends it
   */
  constructor(head, { name, own = null, changed, picked, full, together = () => [this], signal }) {
    this.element = el("div", {
      class: "stage",
      role: "application",
      tabindex: 0,
      "aria-label": `${name}: arrow keys point at cells, Enter clicks there`,
    });
    fill(this.element, this.canvas, this.#loading);
    this.#head = head;
    this.#scene = head.scene;
    this.board = this.#boardOf(head);
    this.#pointing = new Pointing(this.element, this.canvas, {
      placeAt: (x, y) => this.board.placeAt(x, y),
      middleOf: (place) => this.board.middleOf(place),
      first: () => this.board.firstPlace(own),
      reveal: (point) => this.zooming.reveal(point),
      changed,
      picked,
      signal,
    });
    const zoomable = {
      extent: () => this.board.extent(),
      setView: (/** @type {import("./layout.js").View} */ view) => {
        for (const { board, element } of together()) {
          board.setView(view);
          element.classList.toggle("zoomed", view.zoom > 1);
        }
      },
    };
    this.zooming = new Zooming(this.element, this.canvas, zoomable, { changed, full, signal });
  }

  /** @param {Head} head */
  #boardOf(head) {
    const board = new Board(this.canvas, head, { small: false });
    board.setTheme(theme());
    return board;
  }

  /**
   * Show the levels of a scene alone, which are some of the match's. It must be resized then.
   * @param {import("./decode.js").Scene} scene
   */
  setScene(scene) {
    if (scene !== this.#scene) {
      this.#scene = scene;
      this.board = this.#boardOf({ ...this.#head, scene });
      this.element.classList.remove("zoomed");
      this.#pointing.forget();
    }
  }

  /**
   * Return what of some drawings is on the levels that are shown.
   * @param {readonly SeatDrawing[]} drawings
   * @returns {readonly SeatDrawing[]}
   */
  onLevels(drawings) {
    const { scene } = this.#head;
    return this.#scene === scene
      ? drawings
      : drawings.flatMap((one) => {
          const level = this.#scene.levels.indexOf(scene.levels[one.drawing.level]);
          return level < 0 ? [] : [{ ...one, drawing: { ...one.drawing, level } }];
        });
  }

  /** The cell that is pointed at; null: none. */
  get place() {
    return this.#pointing.place;
  }

  /** @param {boolean} isLoading whether its position isn't there yet */
  setLoading(isLoading) {
    this.#loading.hidden = !isLoading;
  }

  /**
   * Show what stands on the cell that is pointed at.
   *
   * @param {Position | null} position
   * @returns {Subject | null} what is pointed at; null: nothing
   */
  showTip(position) {
    const { place } = this;
    if (place === null || position === null) {
      this.#pointing.showTip([]);
      return null;
    }
    this.#pointing.showTip(this.board.describe(position, place));
    const marks = this.board.marksAt(position, place);
    return { units: marks.flatMap(({ unit }) => (unit < 0 ? [] : [unit])), cells: [place] };
  }

  /**
   * Return the unit that is pointed at.
   *
   * @param {Position | null} position
   * @returns {number | null} null: none
   */
  unit(position) {
    const { place } = this;
    if (place === null || position === null) {
      return null;
    }
    const units = this.board.marksAt(position, place).filter(({ unit }) => unit >= 0);
    return units.at(-1)?.unit ?? null;
  }
}
