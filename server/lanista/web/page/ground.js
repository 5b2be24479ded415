/**
 * The ground of a board as an image of one pixel per cell: owners, walls, night and day.
 *
 * It is small, so that it can be rewritten at every step; board.js draws it enlarged. What stands
 * on the ground isn't drawn here.
 */

import { PALETTE, channels, seatColour } from "./colours.js";
import { lightOf } from "./telling.js";

/** @typedef {import("./colours.js").Theme} Theme */
/** @typedef {import("./decode.js").Position} Position */
/** @typedef {import("./decode.js").Scene} Scene */
/** @typedef {import("./layout.js").Cell} Cell */

/** Ground that doesn't change, by cell; a seat's base is OWNED + seat. */
const FLOOR = 0;
const WALL = 1;
const BASE = 2;
const OWNED = 3;
/** A signed byte holds a cell's seat. */
const SEATS = 128;

/** The ground of a scene. */
export class Ground {
  /** Passages between levels: base ground without an owner, in the columns that are drawn. @type {Cell[]} */
  elevators = [];
  #scene;
  #canvas;
  #pen;
  #image;
  /** The image's pixels, one number each. */
  #pixels;
  #fixed;
  /** What the image shows. @type {{own: Int8Array, lit: Uint8Array, theme: Theme} | null} */
  #painted = null;

  /** @param {Scene} scene */
  constructor(scene) {
    this.#scene = scene;
    this.#canvas = document.createElement("canvas");
    this.#canvas.width = scene.cols;
    this.#canvas.height = scene.rows;
    this.#pen = pen2d(this.#canvas);
    this.#image = this.#pen.createImageData(scene.cols, scene.rows);
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
          this.elevators.push({ row, col });
        }
      }
    }
  }

  /**
   * The image of a position; only rows with changed cells are written.
   * @param {Position} position
   * @param {Theme} theme
   * @returns {HTMLCanvasElement} as many pixels as cells
   */
  paint({ own, lit }, theme) {
    const was = this.#painted;
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
    const owned = Array.from({ length: SEATS }, (_, seat) => pixelOf(seatColour(seat, theme).ground));
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
          top = Math.min(top, row);
          bottom = row;
        }
      }
    }
    if (bottom >= 0) {
      this.#pen.putImageData(this.#image, 0, 0, 0, top, cols, bottom - top + 1);
    }
    return this.#canvas;
  }
}

/**
 * @param {HTMLCanvasElement} canvas
 * @returns {CanvasRenderingContext2D}
 * @throws {Error} if the browser has none
 */
export function pen2d(canvas) {
  const pen = canvas.getContext("2d");
  if (pen === null) {
    throw new Error("this browser doesn't draw on a canvas");
  }
  return pen;
}

/**
 * A colour as a number in an ImageData's memory.
 * @param {string} colour `#rrggbb`
 */
function pixelOf(colour) {
  return new Uint32Array(new Uint8Array([...channels(colour), 255]).buffer)[0];
}
