/**
 * What is drawn over a board to point something out: the cell under the pointer, the followed unit
 * and its path, the units and cells that a text beside the board is about, and the cells in which
 * two boards differ.
 */

import { PALETTE } from "./colours.js";

/** @typedef {import("./colours.js").Theme} Theme */
/** @typedef {import("./decode.js").Position} Position */
/** @typedef {import("./layout.js").Cell} Cell */
/** @typedef {import("./surface.js").Item} Item */
/** @typedef {import("./surface.js").Surface} Surface */
/** @typedef {import("./text.js").Subject} Subject */

/** Number of previous places of the followed unit that are shown. */
const TRAIL = 10;
/** Minimum radius in CSS px of the ring around a unit, so that it is seen on a small board. */
const MIN_RING = 8;
/** Opacity of the veil on what two boards have in common. */
const VEIL = 0.6;

/** Draws outlines on a surface. */
export class Outlines {
  /** @type {Theme} */
  theme = "light";
  #surface;
  /** @type {{unit: number, places: Map<number, Cell>}} */
  #trail = { unit: -1, places: new Map() };

  /** @param {Surface} surface */
  constructor(surface) {
    this.#surface = surface;
  }

  /**
   * Draw a ring around the followed unit, and its path.
   * @param {Item[][]} layers everything on the board
   * @param {Position} position
   * @param {number} unit
   * @param {number} t progress of the animation
   */
  followed(layers, position, unit, t) {
    if (this.#trail.unit !== unit) {
      this.#trail = { unit, places: new Map() };
    }
    const { places } = this.#trail;
    const mark = position.marks.find((one) => one.unit === unit);
    if (mark !== undefined && this.#surface.levelOf[mark.col] >= 0) {
      places.set(position.n, mark);
    }
    const ctx = this.#surface.ctx;
    ctx.strokeStyle = PALETTE[this.theme].focus;
    ctx.lineCap = "round";
    for (let n = position.n - TRAIL; n < position.n - 1; n += 1) {
      const [from, to] = [places.get(n), places.get(n + 1)];
      if (from && to && Math.hypot(to.row - from.row, to.col - from.col) <= 1.5) {
        ctx.globalAlpha = 1 - (position.n - n) / (TRAIL + 2);
        ctx.lineWidth = 2 * this.#surface.ratio;
        ctx.beginPath();
        ctx.moveTo(...this.#middleOf(from));
        ctx.lineTo(...this.#middleOf(to));
        ctx.stroke();
      }
    }
    ctx.globalAlpha = 1;
    this.#rings(layers, t, (other) => other === unit);
  }

  /**
   * Light what a text is about.
   * @param {Subject} subject
   * @param {Item[][]} layers everything on the board
   * @param {number} t progress of the animation
   */
  subject({ units, cells }, layers, t) {
    cells.forEach((cell) => this.cell(cell));
    if (units.length > 0) {
      this.#rings(layers, t, (unit) => units.includes(unit));
    }
  }

  /**
   * Light the cells in which boards differ, by a veil on all others.
   * @param {readonly Cell[]} cells without any, there is no veil
   */
  apart(cells) {
    if (cells.length === 0) {
      return;
    }
    const { levelOf, ctx, scene } = this.#surface;
    ctx.beginPath();
    /** @param {number} level @param {Cell} first @param {Cell} end */
    const add = (level, first, end) => {
      const [left, top] = this.#surface.corner(level, first.row, first.col);
      const [right, bottom] = this.#surface.corner(level, end.row, end.col);
      ctx.rect(left, top, right - left, bottom - top);
    };
    for (const [level, { col, cols }] of scene.levels.entries()) {
      add(level, { row: 0, col }, { row: scene.rows, col: col + cols });
    }
    const each = new Map(cells.map((cell) => [cell.row * scene.cols + cell.col, cell]));
    for (const { row, col } of each.values()) {
      if (levelOf[col] >= 0) {
        add(levelOf[col], { row, col }, { row: row + 1, col: col + 1 });
      }
    }
    ctx.globalAlpha = VEIL;
    ctx.fillStyle = PALETTE[this.theme].halo;
    ctx.fill("evenodd");
    ctx.globalAlpha = 1;
  }

  /** Outline a cell. @param {Cell} cell */
  cell({ row, col }) {
    const { levelOf, ctx, ratio, tile } = this.#surface;
    if (!(levelOf[col] >= 0)) {
      return;
    }
    const [x, y] = this.#surface.corner(levelOf[col], row, col);
    const { focus, halo } = PALETTE[this.theme];
    for (const [colour, width] of /** @type {[string, number][]} */ ([
      [halo, 4],
      [focus, 2],
    ])) {
      ctx.strokeStyle = colour;
      ctx.lineWidth = width * ratio;
      ctx.strokeRect(x, y, tile, tile);
    }
  }

  /**
   * Draw rings around units.
   * @param {Item[][]} layers
   * @param {number} t
   * @param {(unit: number) => boolean} isMeant
   */
  #rings(layers, t, isMeant) {
    const { ctx, ratio, tile } = this.#surface;
    const { focus, halo } = PALETTE[this.theme];
    for (const item of layers.flat()) {
      const shown = t < 0.5 ? item.before : item.after;
      if (shown !== null && shown.unit >= 0 && isMeant(shown.unit)) {
        const [level, row, col] = this.#surface.placeAt(item, t);
        const [x, y] = this.#surface.corner(level, row + 0.5, col + 0.5);
        ctx.beginPath();
        ctx.arc(x, y, Math.max(0.85 * tile, MIN_RING * ratio), 0, 2 * Math.PI);
        for (const [colour, width] of /** @type {[string, number][]} */ ([
          [halo, 5.2],
          [focus, 2.8],
        ])) {
          ctx.lineWidth = width * ratio;
          ctx.strokeStyle = colour;
          ctx.stroke();
        }
      }
    }
  }

  /** Return a cell's middle in screen pixels. @param {Cell} cell @returns {[number, number]} */
  #middleOf({ row, col }) {
    return this.#surface.corner(this.#surface.levelOf[col], row + 0.5, col + 0.5);
  }
}
