/**
 * The canvas of a board: its size, and the placing of sprites on cells.
 *
 * board.js decides what is drawn and in which order; the geometry comes from layout.js.
 */

import { context2d } from "./ground.js";
import { WHOLE, layout, levelByColumn, part } from "./layout.js";

/** @typedef {import("./decode.js").Mark} Mark */
/** @typedef {import("./decode.js").Scene} Scene */
/** @typedef {import("./layout.js").Layout} Layout */
/** @typedef {import("./layout.js").View} View */
/** @typedef {import("./sprites.js").Sprite} Sprite */

/**
 * Something to draw: `before` in the first half of the animation, `after` in the second.
 * @typedef {object} Item
 * @property {Mark | null} before
 * @property {Mark | null} after
 * @property {number} rows number of rows by which it moves down
 * @property {number} cols number of columns by which it moves to the right
 */

/** A canvas with the cells of a scene. */
export class Surface {
  /** Draws on the canvas, or within `prepare` on the offscreen one; in screen pixels. */
  ctx;
  #screen;
  #offscreen;
  /** The level of each column; -1: none. */
  levelOf;
  /** The layout in CSS px. @type {Layout} */
  layout;
  /** The size of the whole board, and what of it lies beyond the left and upper edge, in CSS px. */
  extent = { width: 1, height: 1, left: 0, top: 0 };
  /** Screen pixels per CSS px. */
  ratio = 1;
  /** Size of a tile in screen pixels. */
  tile = 1;
  /** @type {Scene} */
  scene;

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {Scene} scene
   */
  constructor(canvas, scene) {
    this.ctx = this.#screen = context2d(canvas);
    this.#offscreen = context2d(document.createElement("canvas"));
    this.scene = scene;
    this.levelOf = levelByColumn(scene);
    this.layout = layout(scene, 1, 1, 1, true);
  }

  /**
   * Set the canvas's size, and write the geometry in CSS px to its `data-geometry`, for tests.
   * @param {number} width available width in CSS px
   * @param {number} height available height in CSS px
   * @param {number} ratio screen pixels in a CSS px
   * @param {boolean} small without titles
   * @param {View} [view] the part of the board that is seen
   */
  resize(width, height, ratio, small, view = WHOLE) {
    const { canvas } = this.#screen;
    const room = /** @type {const} */ ([Math.max(1, width), Math.max(1, height)]);
    this.ratio = ratio;
    // Zoomed, the board has the same place on the page.
    const fitting = layout(this.scene, ...room, ratio, small);
    const whole = view.zoom > 1 ? layout(this.scene, ...room, ratio, small, view.zoom) : fitting;
    const { seen, left, top } = part(whole, fitting, view, ratio);
    this.layout = seen;
    this.extent = { width: whole.width, height: whole.height, left, top };
    this.tile = this.layout.tile * ratio;
    canvas.width = Math.max(1, Math.round(this.layout.width * ratio));
    canvas.height = Math.max(1, Math.round(this.layout.height * ratio));
    this.#offscreen.canvas.width = canvas.width;
    this.#offscreen.canvas.height = canvas.height;
    // The layout's size may differ by rounding, and the browser would scale the canvas.
    canvas.style.width = `${canvas.width / ratio}px`;
    canvas.style.height = `${canvas.height / ratio}px`;
    canvas.dataset.geometry = JSON.stringify(
      this.layout.levels.map((corner, level) => ({ level, ...corner, tile: this.layout.tile })),
    );
  }

  /**
   * Draw something that is shown many times on the offscreen canvas.
   * @param {() => void} draw
   */
  prepare(draw) {
    this.ctx = this.#offscreen;
    this.ctx.clearRect(0, 0, this.ctx.canvas.width, this.ctx.canvas.height);
    draw();
    this.ctx = this.#screen;
  }

  /** Replace the canvas's content by what was prepared. */
  showPrepared() {
    this.ctx.globalCompositeOperation = "copy";
    this.ctx.drawImage(this.#offscreen.canvas, 0, 0);
    this.ctx.globalCompositeOperation = "source-over";
  }

  /**
   * Return where an item is at a moment.
   * @param {Item} item
   * @param {number} t
   * @returns {[level: number, row: number, col: number]} row and column are fractions on the way,
   *   and the column may lie beyond the edge of a level that wraps
   */
  placeAt({ before, after, rows, cols }, t) {
    const { row, col } = /** @type {Mark} */ (before ?? after);
    return [this.levelOf[col], row + rows * t, col + cols * t];
  }

  /**
   * Return the upper left corner of a cell in screen pixels.
   * @param {number} level
   * @param {number} row
   * @param {number} col column of the grid
   * @returns {[x: number, y: number]}
   */
  corner(level, row, col) {
    const { x, y } = this.layout.levels[level];
    const first = this.scene.levels[level].col;
    return [
      Math.round(x * this.ratio + (col - first) * this.tile),
      Math.round(y * this.ratio + row * this.tile),
    ];
  }

  /**
   * Draw a sprite on a cell.
   * @param {Sprite} sprite
   * @param {number} row
   * @param {number} col column of the grid
   */
  put({ image, margin }, row, col) {
    const [x, y] = this.corner(this.levelOf[col], row, col);
    this.ctx.drawImage(image, x - margin, y - margin);
  }

  /**
   * Fill a cell with a colour.
   * @param {string} colour
   * @param {number} row
   * @param {number} col column of the grid
   */
  fill(colour, row, col) {
    const level = this.levelOf[col];
    const [x, y] = this.corner(level, row, col);
    const [right, bottom] = this.corner(level, row + 1, col + 1);
    this.ctx.fillStyle = colour;
    this.ctx.fillRect(x, y, right - x, bottom - y);
  }

  /**
   * Draw a sprite where an item is at a moment. It is clipped at the edge of its level, and appears
   * on the other side if the level wraps.
   * @param {Sprite} sprite
   * @param {Item} item
   * @param {number} t
   * @param {number} reach number of cells around its own that it covers
   */
  putMoving({ image, margin }, item, t, reach) {
    const [level, row, col] = this.placeAt(item, t);
    const { col: first, cols, wraps } = this.scene.levels[level];
    const [x, y] = this.corner(level, row, col);
    const ctx = this.ctx;
    const within =
      col - reach >= first &&
      col + reach <= first + cols - 1 &&
      row - reach >= 0 &&
      row + reach <= this.scene.rows - 1;
    if (within) {
      ctx.drawImage(image, x - margin, y - margin);
      return;
    }
    const width = cols * this.tile;
    ctx.save();
    ctx.beginPath();
    ctx.rect(...this.corner(level, 0, first), width, this.scene.rows * this.tile);
    ctx.clip();
    for (const side of wraps ? [-width, 0, width] : [0]) {
      ctx.drawImage(image, Math.round(x + side) - margin, y - margin);
    }
    ctx.restore();
  }
}
