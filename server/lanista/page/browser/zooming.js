/**
 * Zooming and panning a board: by the wheel, two fingers, dragging, buttons and keys.
 *
 * layout.js has the geometry; board.js draws the part that is seen.
 *
 * @module
 */

import { el } from "./dom.js";

/** @typedef {import("./layout.js").View} View */

/** Factor of one press of a key or a button. */
const STEP = 1.5;
/** Factor per CSS px of the wheel. */
const WHEEL = 1.0015;
/** Maximum size of a cell in CSS px. */
const MAX_TILE = 64;
/** Distance in CSS px from which a pressed pointer drags the board instead of clicking it. */
const DRAG = 5;

/**
 * The board as far as zooming needs it.
 *
 * @typedef {object} Zoomable
 * @property {() => {width: number, height: number, left: number, top: number, tile: number,
 *   zoom: number, shownWidth: number, shownHeight: number}} extent returns, in CSS px, the size of
 *   the whole board, how much of it lies beyond the left and upper edge, and the size that is seen
 * @property {(view: View) => void} setView shows another part
 */

/** The zoom of a board. */
export class Zooming {
  /** The buttons. */
  element;
  #board;
  #changed;
  /** The pointers that are down, by id. @type {Map<number, {x: number, y: number}>} */
  #down = new Map();
  /** Whether the pressed pointer has dragged the board. */
  #dragged = false;
  /** Changes since the last drawing. @type {{factor: number, x: number, y: number, dx: number, dy: number} | null} */
  #pending = null;
  #frame = 0;

  /**
   * @param {HTMLElement} stage the element around the canvas
   * @param {HTMLCanvasElement} canvas
   * @param {Zoomable} board
   * @param {object} options
   * @param {() => void} options.changed is called when another part is shown
   * @param {() => void} options.full is called when the whole screen is asked for, or no longer
   * @param {AbortSignal} options.signal ends it
   */
  constructor(stage, canvas, board, { changed, full, signal }) {
    this.#board = board;
    this.#changed = changed;
    /** @param {string} text @param {string} title @param {() => void} onclick */
    const button = (text, title, onclick) =>
      el(
        "button",
        { class: "button small", type: "button", title, "aria-label": title, onclick },
        text,
      );
    this.element = el(
      "div",
      { class: "zoom", role: "group", "aria-label": "Zoom" },
      button("+", "Zoom in (Z)", () => this.by(1)),
      button("−", "Zoom out (X)", () => this.by(-1)),
      button("Full", "Full screen, the board alone (V)", full),
    );
    stage.append(this.element);
    canvas.addEventListener("wheel", (event) => this.#wheel(event), { signal, passive: false });
    canvas.addEventListener("pointerdown", (event) => this.#press(event), { signal });
    canvas.addEventListener("pointermove", (event) => this.#move(event), { signal });
    for (const type of /** @type {const} */ (["pointerup", "pointercancel"])) {
      canvas.addEventListener(type, ({ pointerId }) => this.#down.delete(pointerId), { signal });
    }
    // The click at the end of a drag picks nothing.
    stage.addEventListener(
      "click",
      (event) => {
        if (this.#dragged && event.target === canvas) {
          event.stopPropagation();
        }
        this.#dragged = false;
      },
      { signal, capture: true },
    );
    signal.addEventListener("abort", () => cancelAnimationFrame(this.#frame));
  }

  /** Zoom in or out in the middle of what is seen. @param {1 | -1} steps */
  by(steps) {
    const { shownWidth, shownHeight } = this.#board.extent();
    this.#change({ factor: STEP ** steps, x: shownWidth / 2, y: shownHeight / 2 });
  }

  /** Show the whole board. */
  fit() {
    this.#change({ factor: 0, x: 0, y: 0 });
  }

  /**
   * Move the board so that a point is seen.
   *
   * @param {{x: number, y: number}} point CSS px from the canvas's left and upper edge
   */
  reveal({ x, y }) {
    const { shownWidth, shownHeight, tile } = this.#board.extent();
    /** @param {number} at @param {number} size */
    const by = (at, size) => (at < tile ? 3 * tile - at : at > size - tile ? size - 3 * tile - at : 0);
    const [dx, dy] = [by(x, shownWidth), by(y, shownHeight)];
    if (dx !== 0 || dy !== 0) {
      this.#change({ dx, dy });
      this.#apply();
    }
  }

  /** @param {WheelEvent} event */
  #wheel(event) {
    const root = document.documentElement;
    const scrolls = root.scrollHeight > root.clientHeight;
    // Where the page can be scrolled, the wheel does that; two fingers on a touchpad count as Ctrl.
    if (scrolls && !event.ctrlKey) {
      return;
    }
    event.preventDefault();
    const pixels = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1);
    const speed = event.ctrlKey ? 4 : 1;
    this.#change({ factor: WHEEL ** (-speed * pixels), x: event.offsetX, y: event.offsetY });
  }

  /** @param {PointerEvent} event */
  #press({ pointerId, offsetX, offsetY }) {
    this.#down.set(pointerId, { x: offsetX, y: offsetY });
    this.#dragged = false;
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const { pointerId, offsetX, offsetY, target } = event;
    const before = this.#down.get(pointerId);
    if (before === undefined) {
      return;
    }
    const now = { x: offsetX, y: offsetY };
    if (this.#down.size === 2) {
      const [other] = [...this.#down].filter(([id]) => id !== pointerId).map(([, point]) => point);
      const [was, is] = [before, now].map(({ x, y }) => Math.hypot(x - other.x, y - other.y));
      this.#dragged = true;
      this.#down.set(pointerId, now);
      if (was > 0 && is > 0) {
        const middle = { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 };
        this.#change({ factor: is / was, ...middle });
      }
    } else if (this.#board.extent().zoom > 1) {
      const [dx, dy] = [now.x - before.x, now.y - before.y];
      if (this.#dragged || Math.hypot(dx, dy) >= DRAG) {
        if (!this.#dragged && target instanceof Element) {
          target.setPointerCapture(pointerId);
        }
        this.#dragged = true;
        this.#down.set(pointerId, now);
        this.#change({ dx, dy });
      }
    }
  }

  /**
   * Add a change; all changes since the last drawing are drawn at once.
   *
   * @param {{factor?: number, x?: number, y?: number, dx?: number, dy?: number}} change factor 0: to
   *   the whole board
   */
  #change({ factor = 1, x, y, dx = 0, dy = 0 }) {
    const before = this.#pending ?? { factor: 1, x: 0, y: 0, dx: 0, dy: 0 };
    this.#pending = {
      factor: before.factor * factor,
      x: x ?? before.x,
      y: y ?? before.y,
      dx: before.dx + dx,
      dy: before.dy + dy,
    };
    this.#frame ||= requestAnimationFrame(() => this.#apply());
  }

  #apply() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    if (this.#pending === null) {
      return;
    }
    const { factor, x, y, dx, dy } = this.#pending;
    this.#pending = null;
    const { width, height, left, top, tile, zoom } = this.#board.extent();
    const most = Math.max(1, (MAX_TILE * zoom) / tile);
    const wanted = Math.min(most, Math.max(1, zoom * factor));
    this.#board.setView({
      zoom: wanted,
      point: { x: (x + left) / width, y: (y + top) / height },
      at: { x: x + dx, y: y + dy },
    });
    this.#changed();
  }
}
