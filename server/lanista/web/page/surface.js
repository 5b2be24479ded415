/**
 * The canvas of a board as levels and cells: its size, and sprites put where cells are.
 *
 * What is drawn, and in which order, is decided in board.js; the geometry is layout.js's.
 */

import { pen2d } from "./ground.js";
import { layout, levelByColumn } from "./layout.js";

/** @typedef {import("./decode.js").Mark} Mark */
/** @typedef {import("./decode.js").Scene} Scene */
/** @typedef {import("./layout.js").Layout} Layout */
/** @typedef {import("./sprites.js").Sprite} Sprite */

/**
 * Something to draw: `before` in the first half of the way, `after` in the second.
 * @typedef {object} Item
 * @property {Mark | null} before
 * @property {Mark | null} after
 * @property {number} rows how far down it moves
 * @property {number} cols how far to the right
 */

/** A canvas on which a scene's cells have their places. */
export class Surface {
  /** Draws in screen pixels: on the canvas, or within `prepare` on another one. */
  pen;
  #screen;
  #beside;
  /** The level of each column, -1: none. */
  levelOf;
  /** In CSS pixels. @type {Layout} */
  layout;
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
    this.pen = this.#screen = pen2d(canvas);
    this.#beside = pen2d(document.createElement("canvas"));
    this.scene = scene;
    this.levelOf = levelByColumn(scene);
    this.layout = layout(scene, 1, 1, 1, true);
  }

  /**
   * Sets the canvas's size, and writes the geometry to its `data-geometry`, in CSS px.
   * @param {number} width CSS px that there are
   * @param {number} height
   * @param {number} ratio screen pixels in a CSS px
   * @param {boolean} small without titles
   */
  resize(width, height, ratio, small) {
    const { canvas } = this.#screen;
    this.ratio = ratio;
    this.layout = layout(this.scene, Math.max(1, width), Math.max(1, height), ratio, small);
    this.tile = this.layout.tile * ratio;
    canvas.width = Math.max(1, Math.round(this.layout.width * ratio));
    canvas.height = Math.max(1, Math.round(this.layout.height * ratio));
    this.#beside.canvas.width = canvas.width;
    this.#beside.canvas.height = canvas.height;
    // Not the layout's size, as the canvas must have the screen's pixels.
    canvas.style.width = `${canvas.width / ratio}px`;
    canvas.style.height = `${canvas.height / ratio}px`;
    canvas.dataset.geometry = JSON.stringify(
      this.layout.levels.map((corner, level) => ({ level, ...corner, tile: this.layout.tile })),
    );
  }

  /**
   * Draws something that is shown many times, on another canvas.
   * @param {() => void} draw
   */
  prepare(draw) {
    this.pen = this.#beside;
    this.pen.clearRect(0, 0, this.pen.canvas.width, this.pen.canvas.height);
    draw();
    this.pen = this.#screen;
  }

  /** Shows what was prepared, and nothing else. */
  showPrepared() {
    this.pen.globalCompositeOperation = "copy";
    this.pen.drawImage(this.#beside.canvas, 0, 0);
    this.pen.globalCompositeOperation = "source-over";
  }

  /**
   * Where an item is at a moment.
   * @param {Item} item
   * @param {number} t
   * @returns {[level: number, row: number, col: number]} row and column are broken on the way, the
   *   column also beyond the edge of a level that wraps
   */
  on({ before, after, rows, cols }, t) {
    const { row, col } = /** @type {Mark} */ (before ?? after);
    return [this.levelOf[col], row + rows * t, col + cols * t];
  }

  /**
   * The upper left corner of a cell, in screen pixels.
   * @param {number} level
   * @param {number} row
   * @param {number} col of the grid
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
   * @param {Sprite} sprite
   * @param {number} row
   * @param {number} col of the grid
   */
  put({ image, margin }, row, col) {
    const [x, y] = this.corner(this.levelOf[col], row, col);
    this.pen.drawImage(image, x - margin, y - margin);
  }

  /**
   * @param {string} colour
   * @param {number} row
   * @param {number} col of the grid
   */
  fill(colour, row, col) {
    const level = this.levelOf[col];
    const [x, y] = this.corner(level, row, col);
    const [right, bottom] = this.corner(level, row + 1, col + 1);
    this.pen.fillStyle = colour;
    this.pen.fillRect(x, y, right - x, bottom - y);
  }

  /**
   * Draws a sprite where an item is at a moment. It is cut at the edge of its level, and appears on
   * the other side if the level wraps.
   * @param {Sprite} sprite
   * @param {Item} item
   * @param {number} t
   * @param {number} reach cells around its own that it takes
   */
  putMoving({ image, margin }, item, t, reach) {
    const [level, row, col] = this.on(item, t);
    const { col: first, cols, wraps } = this.scene.levels[level];
    const [x, y] = this.corner(level, row, col);
    const pen = this.pen;
    const within =
      col - reach >= first &&
      col + reach <= first + cols - 1 &&
      row - reach >= 0 &&
      row + reach <= this.scene.rows - 1;
    if (within) {
      pen.drawImage(image, x - margin, y - margin);
      return;
    }
    const width = cols * this.tile;
    pen.save();
    pen.beginPath();
    pen.rect(...this.corner(level, 0, first), width, this.scene.rows * this.tile);
    pen.clip();
    for (const side of wraps ? [-width, 0, width] : [0]) {
      pen.drawImage(image, Math.round(x + side) - margin, y - margin);
    }
    pen.restore();
  }
}
