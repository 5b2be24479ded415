/**
 * The ground of a board as an image with one pixel per cell: owners, walls, night and day.
 *
 * The image is small enough to be rewritten at every step; board.js draws it enlarged.
 */

import { lightOf } from "./cells.js";
import { PALETTE, channels, seatColour } from "./colours.js";

/** @typedef {import("./colours.js").Theme} Theme */
/** @typedef {import("./decode.js").Position} Position */
/** @typedef {import("./decode.js").Scene} Scene */
/** @typedef {import("./layout.js").Cell} Cell */

/** Kinds of ground in the scene; the base of a seat is OWNED + seat. */
const FLOOR = 0;
const WALL = 1;
const BASE = 2;
const OWNED = 3;
/** Maximum number of seats, as a signed byte holds the owner of a cell. */
const MAX_SEATS = 128;

/** The ground of a scene. */
export class Ground {
  /** Passages between levels: bases without an owner, in columns that are drawn. @type {Cell[]} */
  freeBases = [];
  /** The cells that the last painting changed. @type {number[]} */
  changed = [];
  #scene;
  #canvas;
  #ctx;
  #image;
  /** The image's pixels; each is one number. */
  #pixels;
  #fixed;
  /**
   * The arguments from which the image was painted.
   * @type {{own: Int8Array, lit: Uint8Array, theme: Theme} | null}
   */
  #painted = null;

  /** @param {Scene} scene */
  constructor(scene) {
    this.#scene = scene;
    this.#canvas = document.createElement("canvas");
    this.#canvas.width = scene.cols;
    this.#canvas.height = scene.rows;
    this.#ctx = context2d(this.#canvas);
    this.#image = this.#ctx.createImageData(scene.cols, scene.rows);
    this.#pixels = new Uint32Array(this.#image.data.buffer);
    this.#fixed = Uint8Array.from(scene.ground.join(""), (letter) =>
      letter === "#" ? WALL : letter === "=" ? BASE : FLOOR,
    );
    for (const [row, col, seat] of scene.owners) {
      this.#fixed[row * scene.cols + col] = OWNED + seat;
    }
    const drawn = scene.levels.flatMap(({ col, cols }) =>
      Array.from({ length: cols }, (_, at) => col + at),
    );
    for (let row = 0; row < scene.rows; row += 1) {
      for (const col of drawn) {
        if (this.#fixed[row * scene.cols + col] === BASE) {
          this.freeBases.push({ row, col });
        }
      }
    }
  }

  /**
   * Return the image of a position. Only rows with changed cells are written.
   * @param {Position} position
   * @param {Theme} theme
   * @returns {HTMLCanvasElement} with one pixel per cell
   */
  paint({ own, lit }, theme) {
    const was = this.#painted;
    this.changed = [];
    if (was !== null && was.own === own && was.lit === lit && was.theme === theme) {
      return this.#canvas;
    }
    this.#painted = { own, lit, theme };
    const { rows, cols } = this.#scene;
    const palette = PALETTE[theme];
    const wall = pixelOf(palette.wall);
    const base = pixelOf(palette.baseDeep);
    const light = { "": palette.floor, sun: palette.sun, night: palette.night };
    const free = lightOf(this.#scene, lit).map((kind) => pixelOf(light[kind]));
    const owned = Array.from({ length: MAX_SEATS }, (_, seat) =>
      pixelOf(seatColour(seat, theme).ground),
    );
    let top = rows;
    let bottom = -1;
    for (let row = 0, cell = 0; row < rows; row += 1) {
      for (let col = 0; col < cols; col += 1, cell += 1) {
        const kind = this.#fixed[cell];
        let colour = kind === WALL ? wall : kind === BASE ? base : free[col];
        if (kind >= OWNED) {
          colour = owned[kind - OWNED];
        } else if (own[cell] >= 0) {
          colour = owned[own[cell]];
        }
        if (this.#pixels[cell] !== colour) {
          this.#pixels[cell] = colour;
          this.changed.push(cell);
          top = Math.min(top, row);
          bottom = row;
        }
      }
    }
    if (bottom >= 0) {
      this.#ctx.putImageData(this.#image, 0, 0, 0, top, cols, bottom - top + 1);
    }
    return this.#canvas;
  }
}

/**
 * Return the drawing context of a canvas.
 * @param {HTMLCanvasElement} canvas
 * @returns {CanvasRenderingContext2D}
 * @throws {Error} if the browser doesn't provide one
 */
export function context2d(canvas) {
  const ctx = canvas.getContext("2d");
  if (ctx === null) {
    throw new Error("this browser can't draw on a canvas");
  }
  return ctx;
}

/**
 * Return a colour as a pixel of an ImageData.
 * @param {string} colour `#rrggbb`
 */
function pixelOf(colour) {
  return new Uint32Array(new Uint8Array([...channels(colour), 255]).buffer)[0];
}
