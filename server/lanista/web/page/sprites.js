/**
 * The images of marks: each shape is drawn once for a size of tiles, then copied.
 *
 * Shapes are those of docs/api.md, in the colours of colours.js. Where they go, and when, is
 * decided in board.js.
 */

import { PALETTE, seatColour } from "./colours.js";
import { pen2d } from "./ground.js";

/** @typedef {import("./colours.js").Palette} Palette */
/** @typedef {import("./colours.js").Theme} Theme */
/** @typedef {import("./decode.js").Mark} Mark */

/**
 * @typedef {object} Sprite
 * @property {HTMLCanvasElement} image
 * @property {number} margin screen pixels by which it is larger than a tile, on each side
 */

/**
 * Draws in units of a tile: the tile is from (0, 0) to (1, 1).
 * @callback Draw
 * @param {CanvasRenderingContext2D} pen
 * @returns {void}
 */

/** Font families for numbers and letters on the board. */
export const FONT = 'system-ui, -apple-system, "Segoe UI", "Noto Sans", "Liberation Sans", sans-serif';
/** Size in CSS px of the smallest letters that can be read from the front half of a classroom. */
const READABLE = 9;
/** Size in CSS px of numbers that are larger than their cells. */
export const LABEL = 11;
/** Width of a digit, as a share of its font's height. */
const DIGIT = 0.66;
/** Size of a tile in screen pixels below which marks are filled cells, as shapes can't be seen. */
const SHAPED = 5;
/** Shapes that show no text; all others do, unknown ones too. */
const SILENT = new Set(["disc", "cross", "square", "book", "gem"]);
/** Maximum number of sprites kept: a long match shows many numbers. */
const MOST = 3000;

/** Sprites of one theme and size of tiles, made as they are needed. */
export class Sprites {
  /** @type {Map<string, Sprite>} */
  #made = new Map();
  #theme;
  #tile;
  #ratio;
  /** @type {Palette} */
  #palette;

  /**
   * @param {Theme} theme
   * @param {number} tile screen pixels of a tile's side
   * @param {number} ratio screen pixels in a CSS px
   */
  constructor(theme, tile, ratio) {
    this.#theme = theme;
    this.#tile = tile;
    this.#ratio = ratio;
    this.#palette = PALETTE[theme];
  }

  /**
   * A mark, without its health and without a beast's ring.
   * @param {Mark} mark
   * @returns {Sprite}
   */
  mark({ shape, seat, text }) {
    const label = SILENT.has(shape) ? "" : text;
    return this.#get(`${shape} ${seat} ${label}`, 0.3, (pen) => this.#draw(pen, shape, seat, label));
  }

  /** The eight cells around a beast, and its own. @returns {Sprite} */
  ring() {
    return this.#get("ring", 1.05, (pen) => {
      pen.beginPath();
      pen.roundRect(-0.98, -0.98, 2.96, 2.96, 0.6);
      pen.fillStyle = this.#palette.danger;
      pen.globalAlpha = 0.36;
      pen.fill();
      pen.globalAlpha = 0.9;
      pen.strokeStyle = this.#palette.danger;
      pen.lineWidth = Math.max(0.08, this.#pixels(1));
      pen.stroke();
    });
  }

  /** Ground taken at one stroke, in its new owner's colour. @param {number} seat @returns {Sprite} */
  hatch(seat) {
    return this.#get(`hatch ${seat}`, 0, (pen) => {
      pen.beginPath();
      pen.rect(0, 0, 1, 1);
      pen.clip();
      pen.beginPath();
      for (const at of [-0.5, 0, 0.5, 1, 1.5]) {
        pen.moveTo(at - 0.6, 1.1);
        pen.lineTo(at + 0.6, -0.1);
      }
      pen.strokeStyle = seatColour(seat, this.#theme).unit;
      pen.globalAlpha = 0.6;
      pen.lineWidth = Math.max(0.14, this.#pixels(0.6));
      pen.stroke();
    });
  }

  /** A seat's base: a frame that is seen around whatever stands on it. @param {number} seat */
  base(seat) {
    const { unit } = seatColour(seat, this.#theme);
    const { halo, ink } = this.#palette;
    return this.#get(`base ${seat}`, 0.25, (pen) => {
      const width = Math.max(0.12, this.#pixels(1.5));
      for (const [colour, inset, thick] of /** @type {[string, number, number][]} */ ([
        [ink, -width * 1.1, width * 0.7],
        [halo, -width * 0.5, width * 0.8],
        [unit, 0.1 * width, width],
      ])) {
        pen.strokeStyle = colour;
        pen.lineWidth = thick;
        pen.strokeRect(inset, inset, 1 - 2 * inset, 1 - 2 * inset);
      }
    });
  }

  /** A passage between levels, without an owner. @returns {Sprite} */
  elevator() {
    const { base, baseDeep, ink } = this.#palette;
    return this.#get("elevator", 0, (pen) => {
      const slope = pen.createLinearGradient(0, 0, 1, 1);
      slope.addColorStop(0, baseDeep);
      slope.addColorStop(1, base);
      pen.fillStyle = slope;
      pen.fillRect(0.04, 0.04, 0.92, 0.92);
      pen.strokeStyle = ink;
      pen.lineWidth = 0.08;
      pen.strokeRect(0.04, 0.04, 0.92, 0.92);
      // A ladder.
      pen.strokeStyle = "#ffffffb0";
      pen.lineWidth = Math.max(0.07, this.#pixels(0.5));
      pen.beginPath();
      for (const side of [0.32, 0.68]) {
        pen.moveTo(side, 0.16);
        pen.lineTo(side, 0.84);
      }
      for (const rung of [0.3, 0.5, 0.7]) {
        pen.moveTo(0.32, rung);
        pen.lineTo(0.68, rung);
      }
      pen.stroke();
    });
  }

  /**
   * A move to a neighbouring cell: a head on the border, so that the numbers in both cells
   * stay readable.
   * @param {number} seat
   * @param {number} rows -1, 0 or 1
   * @param {number} cols
   * @returns {Sprite} of the cell where it starts
   */
  arrow(seat, rows, cols) {
    return this.#get(`arrow ${seat} ${rows} ${cols}`, 0.5, (pen) => {
      pen.translate(0.5, 0.5);
      pen.rotate(Math.atan2(rows, cols));
      pen.beginPath();
      pen.moveTo(0.7, 0);
      pen.lineTo(0.36, -0.26);
      pen.lineTo(0.36, 0.26);
      pen.closePath();
      pen.lineJoin = "round";
      pen.strokeStyle = this.#palette.halo;
      pen.lineWidth = Math.max(0.12, this.#pixels(1.5));
      pen.stroke();
      pen.fillStyle = seatColour(seat, this.#theme).text;
      pen.fill();
    });
  }

  /**
   * Whether a number can be read within its cell.
   * @param {string} text
   */
  fits(text) {
    return this.#fontFor(text) >= this.#pixels(READABLE);
  }

  /**
   * A number larger than its cell, on a plate of its seat's colour.
   * @param {number} seat
   * @param {string} text
   * @returns {HTMLCanvasElement}
   */
  label(seat, text) {
    const key = `label ${seat} ${text}`;
    const known = this.#made.get(key);
    if (known !== undefined) {
      return known.image;
    }
    const size = LABEL * this.#ratio;
    const { unit, on } = seatColour(seat, this.#theme);
    const image = document.createElement("canvas");
    image.width = Math.ceil(size * (DIGIT * text.length + 0.5));
    image.height = Math.ceil(1.15 * size);
    const pen = pen2d(image);
    const edge = this.#ratio;
    pen.fillStyle = this.#palette.halo;
    pen.beginPath();
    pen.roundRect(0, 0, image.width, image.height, 0.3 * size);
    pen.fill();
    pen.fillStyle = unit;
    pen.beginPath();
    pen.roundRect(edge, edge, image.width - 2 * edge, image.height - 2 * edge, 0.25 * size);
    pen.fill();
    pen.translate(image.width / 2, image.height / 2);
    write(pen, text, size, on);
    this.#made.set(key, { image, margin: 0 });
    return image;
  }

  /** Drops all sprites when there are too many. */
  tidy() {
    if (this.#made.size > MOST) {
      this.#made.clear();
    }
  }

  /**
   * @param {string} key
   * @param {number} margin tiles around the tile
   * @param {Draw} draw
   * @returns {Sprite}
   */
  #get(key, margin, draw) {
    const known = this.#made.get(key);
    if (known !== undefined) {
      return known;
    }
    const pixels = Math.ceil(margin * this.#tile);
    const image = document.createElement("canvas");
    image.width = image.height = Math.max(1, Math.ceil(this.#tile) + 2 * pixels);
    const pen = pen2d(image);
    pen.translate(pixels, pixels);
    pen.scale(this.#tile, this.#tile);
    draw(pen);
    const sprite = { image, margin: pixels };
    this.#made.set(key, sprite);
    return sprite;
  }

  /** @param {number} css CSS px @returns {number} tiles */
  #pixels(css) {
    return (css * this.#ratio) / this.#tile;
  }

  /** @param {string} text @returns {number} tiles of a font's height with which it fits in a cell */
  #fontFor(text) {
    return Math.min(0.7, 0.9 / (DIGIT * Math.max(1, text.length)));
  }

  /**
   * @param {CanvasRenderingContext2D} pen
   * @param {string} shape
   * @param {number} seat
   * @param {string} text
   */
  #draw(pen, shape, seat, text) {
    const { unit, on } = seatColour(seat, this.#theme);
    const { ink, halo, hull, book, gem, danger } = this.#palette;
    const thin = Math.max(0.06, this.#pixels(0.75));
    const gap = Math.max(1, Math.round(this.#ratio / 2)) / this.#tile;
    if (this.#tile < SHAPED) {
      pen.fillStyle = { book, gem, beast: danger, ship: hull }[shape] ?? unit;
      pen.fillRect(0, 0, 1, 1);
      return;
    }
    switch (shape) {
      case "count":
        pen.fillStyle = unit;
        // Within the lines of the grid.
        pen.fillRect(gap, gap, 1 - gap, 1 - gap);
        if (this.fits(text)) {
          this.#write(pen, text, this.#fontFor(text), on);
        }
        return;
      case "disc":
        this.#disc(pen, 0.42, unit, halo);
        return;
      case "cross":
        this.#cross(pen, 0.2 + 2 * thin, halo);
        this.#disc(pen, 0.3, unit, halo);
        this.#cross(pen, 0.2, unit);
        return;
      case "square":
        pen.fillStyle = unit;
        pen.strokeStyle = halo;
        pen.lineWidth = 2.2 * thin + 0.1;
        pen.strokeRect(0.08, 0.08, 0.84, 0.84);
        pen.fillRect(0.08, 0.08, 0.84, 0.84);
        pen.strokeStyle = "#000000";
        pen.lineWidth = Math.max(0.11, thin);
        pen.strokeRect(0.08, 0.08, 0.84, 0.84);
        return;
      case "book":
        this.#disc(pen, 0.36, book, "#000000");
        // Two pages.
        pen.fillStyle = "#ffffff";
        pen.fillRect(0.32, 0.36, 0.15, 0.28);
        pen.fillRect(0.53, 0.36, 0.15, 0.28);
        return;
      case "gem":
        pen.beginPath();
        for (const [x, y] of [
          [0.5, 0.92],
          [0.08, 0.4],
          [0.28, 0.12],
          [0.72, 0.12],
          [0.92, 0.4],
        ]) {
          pen.lineTo(x, y);
        }
        pen.closePath();
        pen.fillStyle = gem;
        pen.fill();
        pen.lineJoin = "round";
        pen.lineWidth = thin;
        pen.strokeStyle = "#4a3500";
        pen.stroke();
        pen.beginPath();
        pen.moveTo(0.08, 0.4);
        pen.lineTo(0.92, 0.4);
        pen.globalAlpha = 0.6;
        pen.stroke();
        return;
      case "beast":
        this.#disc(pen, 0.68, danger, "#000000");
        this.#write(pen, text, 0.85, "#ffffff");
        return;
      case "ship":
        this.#ship(pen, text);
        return;
      default:
        this.#write(pen, text, this.#fontFor(text), seat < 0 ? ink : unit, halo);
    }
  }

  /** @param {CanvasRenderingContext2D} pen @param {number} width @param {string} colour */
  #cross(pen, width, colour) {
    pen.lineCap = "round";
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.beginPath();
    for (const x of [0.12, 0.88]) {
      pen.moveTo(x, 0.12);
      pen.lineTo(1 - x, 0.88);
    }
    pen.stroke();
  }

  /**
   * A disc with an outline around it.
   * @param {CanvasRenderingContext2D} pen
   * @param {number} radius
   * @param {string} colour
   * @param {string} outline
   */
  #disc(pen, radius, colour, outline) {
    const width = Math.max(0.07, this.#pixels(0.75));
    pen.beginPath();
    pen.arc(0.5, 0.5, radius + width / 2, 0, 2 * Math.PI);
    pen.fillStyle = outline;
    pen.fill();
    pen.beginPath();
    pen.arc(0.5, 0.5, radius - width / 2, 0, 2 * Math.PI);
    pen.fillStyle = colour;
    pen.fill();
  }

  /**
   * Something coming down: the fewer rounds are left, the darker it and its shadow.
   * @param {CanvasRenderingContext2D} pen
   * @param {string} text rounds left
   */
  #ship(pen, text) {
    const rounds = Math.max(1, Number.parseInt(text, 10) || 1);
    const near = 1 / rounds;
    pen.fillStyle = this.#palette.shadow;
    pen.globalAlpha = 0.2 + 0.55 * near;
    pen.fillRect(-0.13, -0.13, 1.26, 1.26);
    pen.globalAlpha = 1;
    pen.fillStyle = this.#palette.hull;
    pen.fillRect(0, 0, 1, 1);
    pen.fillStyle = "#000000";
    pen.globalAlpha = 0.55 * near;
    pen.fillRect(0, 0, 1, 1);
    pen.globalAlpha = 1;
    this.#write(pen, text, 0.8, "#ffffff", "#000000");
  }

  /**
   * @param {CanvasRenderingContext2D} pen
   * @param {string} text
   * @param {number} size tiles
   * @param {string} colour
   * @param {string} [around] the colour of an outline
   */
  #write(pen, text, size, colour, around) {
    // Fonts smaller than a pixel don't work, so letters are written in pixels.
    const pixels = size * this.#tile;
    if (text === "" || pixels < 4) {
      return;
    }
    pen.save();
    pen.translate(0.5, 0.5);
    pen.scale(1 / this.#tile, 1 / this.#tile);
    write(pen, text, pixels, colour, around);
    pen.restore();
  }
}

/**
 * Writes around the pen's origin.
 * @param {CanvasRenderingContext2D} pen
 * @param {string} text
 * @param {number} size pixels
 * @param {string} colour
 * @param {string} [around] the colour of an outline
 */
function write(pen, text, size, colour, around) {
  pen.font = `600 ${size}px ${FONT}`;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.lineJoin = "round";
  if (around !== undefined) {
    pen.strokeStyle = around;
    pen.lineWidth = Math.max(2, 0.25 * size);
    pen.strokeText(text, 0, 0.05 * size);
  }
  pen.fillStyle = colour;
  pen.fillText(text, 0, 0.05 * size);
}
