/**
 * The images of marks: each is drawn once for a size of tiles, then copied.
 *
 * Shapes are those of docs/api.md, in the colours of colours.js. board.js decides where and when
 * they are drawn.
 */

import { PALETTE, seatColour, seatLetter } from "./colours.js";
import { context2d } from "./ground.js";

/** @typedef {import("./colours.js").Palette} Palette */
/** @typedef {import("./colours.js").Theme} Theme */
/** @typedef {import("./decode.js").Mark} Mark */

/**
 * @typedef {object} Sprite
 * @property {HTMLCanvasElement} image
 * @property {number} margin width in screen pixels of the border around the tile
 */

/**
 * Draws in units of a tile, which reaches from (0, 0) to (1, 1).
 * @callback Draw
 * @param {CanvasRenderingContext2D} ctx
 * @returns {void}
 */

/** Font families for numbers and letters on the board. */
export const FONT = 'system-ui, -apple-system, "Segoe UI", "Noto Sans", "Liberation Sans", sans-serif';
/** Size in CSS px of the smallest letters that can be read from the front half of a classroom. */
const MIN_LETTER = 9;
/** Size of letters in CSS px for numbers that are larger than their cells. */
export const LABEL = 11;
/** Width of a digit, as a share of its font's height. */
const DIGIT_WIDTH = 0.66;
/** Size of a tile in screen pixels below which a mark is a filled cell, as no shape can be seen. */
const SHAPE_TILE = 5;
/** Size of a tile in CSS px from which units show the letters of their seats. */
const LETTER_TILE = 20;
/** Shapes that show no text; all others show it, including unknown ones. */
const TEXTLESS = new Set(["disc", "cross", "square", "book", "gem"]);
/** Maximum number of cached sprites; a long match has many numbers. */
const MAX_SPRITES = 3000;

/** A cache of sprites for one theme and size of tiles, made as they are needed. */
export class Sprites {
  /** @type {Map<string, Sprite>} */
  #sprites = new Map();
  #theme;
  #tile;
  #ratio;
  /** @type {Palette} */
  #palette;

  /**
   * @param {Theme} theme
   * @param {number} tile size of a tile in screen pixels
   * @param {number} ratio screen pixels per CSS px
   */
  constructor(theme, tile, ratio) {
    this.#theme = theme;
    this.#tile = tile;
    this.#ratio = ratio;
    this.#palette = PALETTE[theme];
  }

  /**
   * Return the sprite of a mark, without its health and without a beast's ring.
   * @param {Mark} mark
   * @returns {Sprite}
   */
  mark({ shape, seat, text }) {
    const label = TEXTLESS.has(shape) ? "" : text;
    const key = `${shape} ${seat} ${label}`;
    return this.#get(key, 0.3, (ctx) => this.#draw(ctx, shape, seat, label));
  }

  /** Return the frame around a beast's cell and its eight neighbours. @returns {Sprite} */
  ring() {
    return this.#get("ring", 1.05, (ctx) => {
      ctx.beginPath();
      ctx.roundRect(-0.98, -0.98, 2.96, 2.96, 0.6);
      ctx.fillStyle = this.#palette.danger;
      ctx.globalAlpha = 0.36;
      ctx.fill();
      ctx.globalAlpha = 0.9;
      ctx.strokeStyle = this.#palette.danger;
      ctx.lineWidth = Math.max(0.08, this.#inTiles(1));
      ctx.stroke();
    });
  }

  /** Return the hatching of captured ground. @param {number} seat its owner @returns {Sprite} */
  hatch(seat) {
    return this.#get(`hatch ${seat}`, 0, (ctx) => {
      ctx.beginPath();
      ctx.rect(0, 0, 1, 1);
      ctx.clip();
      ctx.beginPath();
      for (const at of [-0.5, 0, 0.5, 1, 1.5]) {
        ctx.moveTo(at - 0.6, 1.1);
        ctx.lineTo(at + 0.6, -0.1);
      }
      ctx.strokeStyle = seatColour(seat, this.#theme).unit;
      ctx.globalAlpha = 0.6;
      ctx.lineWidth = Math.max(0.14, this.#inTiles(0.6));
      ctx.stroke();
    });
  }

  /** Return a seat's base: a frame around whatever stands on it. @param {number} seat */
  base(seat) {
    const { unit } = seatColour(seat, this.#theme);
    const { halo, ink } = this.#palette;
    return this.#get(`base ${seat}`, 0.25, (ctx) => {
      const width = Math.max(0.12, this.#inTiles(1.5));
      for (const [colour, inset, thick] of /** @type {[string, number, number][]} */ ([
        [ink, -width * 1.1, width * 0.7],
        [halo, -width * 0.5, width * 0.8],
        [unit, 0.1 * width, width],
      ])) {
        ctx.strokeStyle = colour;
        ctx.lineWidth = thick;
        ctx.strokeRect(inset, inset, 1 - 2 * inset, 1 - 2 * inset);
      }
    });
  }

  /** Return a base without an owner: a passage between levels. @returns {Sprite} */
  freeBase() {
    const { base, baseDeep, ink } = this.#palette;
    return this.#get("free base", 0, (ctx) => {
      const slope = ctx.createLinearGradient(0, 0, 1, 1);
      slope.addColorStop(0, baseDeep);
      slope.addColorStop(1, base);
      ctx.fillStyle = slope;
      ctx.fillRect(0.04, 0.04, 0.92, 0.92);
      ctx.strokeStyle = ink;
      ctx.lineWidth = 0.08;
      ctx.strokeRect(0.04, 0.04, 0.92, 0.92);
      // This is a ladder.
      ctx.strokeStyle = "#ffffffb0";
      ctx.lineWidth = Math.max(0.07, this.#inTiles(0.5));
      ctx.beginPath();
      for (const side of [0.32, 0.68]) {
        ctx.moveTo(side, 0.16);
        ctx.lineTo(side, 0.84);
      }
      for (const rung of [0.3, 0.5, 0.7]) {
        ctx.moveTo(0.32, rung);
        ctx.lineTo(0.68, rung);
      }
      ctx.stroke();
    });
  }

  /**
   * Return a move to a neighbouring cell: an arrowhead on the border, so that the numbers in both
   * cells stay readable.
   * @param {number} seat
   * @param {number} rows -1, 0 or 1
   * @param {number} cols -1, 0 or 1
   * @returns {Sprite} to be drawn on the cell where the move starts
   */
  arrow(seat, rows, cols) {
    return this.#get(`arrow ${seat} ${rows} ${cols}`, 0.5, (ctx) => {
      ctx.translate(0.5, 0.5);
      ctx.rotate(Math.atan2(rows, cols));
      ctx.beginPath();
      ctx.moveTo(0.7, 0);
      ctx.lineTo(0.36, -0.26);
      ctx.lineTo(0.36, 0.26);
      ctx.closePath();
      ctx.lineJoin = "round";
      ctx.strokeStyle = this.#palette.halo;
      ctx.lineWidth = Math.max(0.12, this.#inTiles(1.5));
      ctx.stroke();
      ctx.fillStyle = seatColour(seat, this.#theme).text;
      ctx.fill();
    });
  }

  /**
   * Return whether a number can be read within its cell.
   * @param {string} text
   */
  fits(text) {
    return this.#fontSize(text) >= this.#inTiles(MIN_LETTER);
  }

  /**
   * Return a number that is larger than its cell, on a plate of its seat's colour.
   * @param {number} seat
   * @param {string} text
   * @returns {HTMLCanvasElement}
   */
  label(seat, text) {
    const key = `label ${seat} ${text}`;
    const known = this.#sprites.get(key);
    if (known !== undefined) {
      return known.image;
    }
    const size = LABEL * this.#ratio;
    const { unit, on } = seatColour(seat, this.#theme);
    const image = document.createElement("canvas");
    image.width = Math.ceil(size * (DIGIT_WIDTH * text.length + 0.5));
    image.height = Math.ceil(1.15 * size);
    const ctx = context2d(image);
    const edge = this.#ratio;
    ctx.fillStyle = this.#palette.halo;
    ctx.beginPath();
    ctx.roundRect(0, 0, image.width, image.height, 0.3 * size);
    ctx.fill();
    ctx.fillStyle = unit;
    ctx.beginPath();
    ctx.roundRect(edge, edge, image.width - 2 * edge, image.height - 2 * edge, 0.25 * size);
    ctx.fill();
    ctx.translate(image.width / 2, image.height / 2);
    write(ctx, text, size, on);
    this.#sprites.set(key, { image, margin: 0 });
    return image;
  }

  /** Drop all sprites if there are too many. */
  tidy() {
    if (this.#sprites.size > MAX_SPRITES) {
      this.#sprites.clear();
    }
  }

  /**
   * Return a sprite from the cache, or draw it.
   * @param {string} key
   * @param {number} margin width of the border around the tile, in tiles
   * @param {Draw} draw
   * @returns {Sprite}
   */
  #get(key, margin, draw) {
    const known = this.#sprites.get(key);
    if (known !== undefined) {
      return known;
    }
    const pixels = Math.ceil(margin * this.#tile);
    const image = document.createElement("canvas");
    image.width = image.height = Math.max(1, Math.ceil(this.#tile) + 2 * pixels);
    const ctx = context2d(image);
    ctx.translate(pixels, pixels);
    ctx.scale(this.#tile, this.#tile);
    draw(ctx);
    const sprite = { image, margin: pixels };
    this.#sprites.set(key, sprite);
    return sprite;
  }

  /** Convert CSS px to tiles. @param {number} css @returns {number} */
  #inTiles(css) {
    return (css * this.#ratio) / this.#tile;
  }

  /** Return the font size in tiles with which a text fits in a cell. @param {string} text */
  #fontSize(text) {
    return Math.min(0.7, 0.9 / (DIGIT_WIDTH * Math.max(1, text.length)));
  }

  /**
   * Draw a shape.
   * @param {CanvasRenderingContext2D} ctx
   * @param {string} shape
   * @param {number} seat
   * @param {string} text
   */
  #draw(ctx, shape, seat, text) {
    const { unit, on } = seatColour(seat, this.#theme);
    const { ink, halo, hull, book, gem, danger } = this.#palette;
    const thin = Math.max(0.06, this.#inTiles(0.75));
    const gap = Math.max(1, Math.round(this.#ratio / 2)) / this.#tile;
    if (this.#tile < SHAPE_TILE) {
      ctx.fillStyle = { book, gem, beast: danger, ship: hull }[shape] ?? unit;
      ctx.fillRect(0, 0, 1, 1);
      return;
    }
    switch (shape) {
      case "count":
        ctx.fillStyle = unit;
        // The grid's lines stay visible.
        ctx.fillRect(gap, gap, 1 - gap, 1 - gap);
        if (this.fits(text)) {
          this.#write(ctx, text, this.#fontSize(text), on);
        }
        return;
      case "disc":
        this.#disc(ctx, 0.42, unit, halo);
        this.#letter(ctx, seat, 0.44, on);
        return;
      case "cross":
        this.#cross(ctx, 0.2 + 2 * thin, halo);
        this.#disc(ctx, 0.3, unit, halo);
        this.#cross(ctx, 0.2, unit);
        this.#letter(ctx, seat, 0.36, on);
        return;
      case "square":
        ctx.fillStyle = unit;
        ctx.strokeStyle = halo;
        ctx.lineWidth = 2.2 * thin + 0.1;
        ctx.strokeRect(0.08, 0.08, 0.84, 0.84);
        ctx.fillRect(0.08, 0.08, 0.84, 0.84);
        ctx.strokeStyle = "#000000";
        ctx.lineWidth = Math.max(0.11, thin);
        ctx.strokeRect(0.08, 0.08, 0.84, 0.84);
        this.#letter(ctx, seat, 0.44, on);
        return;
      case "book":
        this.#disc(ctx, 0.36, book, "#000000");
        // These are the two pages.
        ctx.fillStyle = "#ffffff";
        ctx.fillRect(0.32, 0.36, 0.15, 0.28);
        ctx.fillRect(0.53, 0.36, 0.15, 0.28);
        return;
      case "gem":
        ctx.beginPath();
        for (const [x, y] of [
          [0.5, 0.92],
          [0.08, 0.4],
          [0.28, 0.12],
          [0.72, 0.12],
          [0.92, 0.4],
        ]) {
          ctx.lineTo(x, y);
        }
        ctx.closePath();
        ctx.fillStyle = gem;
        ctx.fill();
        ctx.lineJoin = "round";
        ctx.lineWidth = thin;
        ctx.strokeStyle = "#4a3500";
        ctx.stroke();
        ctx.beginPath();
        ctx.moveTo(0.08, 0.4);
        ctx.lineTo(0.92, 0.4);
        ctx.globalAlpha = 0.6;
        ctx.stroke();
        return;
      case "beast":
        this.#disc(ctx, 0.68, danger, "#000000");
        this.#write(ctx, text, 0.85, "#ffffff");
        return;
      case "ship":
        this.#ship(ctx, text);
        return;
      default:
        this.#write(ctx, text, this.#fontSize(text), seat < 0 ? ink : unit, halo);
    }
  }

  /**
   * Draw a cross.
   * @param {CanvasRenderingContext2D} ctx
   * @param {number} width
   * @param {string} colour
   */
  #cross(ctx, width, colour) {
    ctx.lineCap = "round";
    ctx.strokeStyle = colour;
    ctx.lineWidth = width;
    ctx.beginPath();
    for (const x of [0.12, 0.88]) {
      ctx.moveTo(x, 0.12);
      ctx.lineTo(1 - x, 0.88);
    }
    ctx.stroke();
  }

  /**
   * Draw a disc with an outline.
   * @param {CanvasRenderingContext2D} ctx
   * @param {number} radius
   * @param {string} colour
   * @param {string} outline
   */
  #disc(ctx, radius, colour, outline) {
    const width = Math.max(0.07, this.#inTiles(0.75));
    ctx.beginPath();
    ctx.arc(0.5, 0.5, radius + width / 2, 0, 2 * Math.PI);
    ctx.fillStyle = outline;
    ctx.fill();
    ctx.beginPath();
    ctx.arc(0.5, 0.5, radius - width / 2, 0, 2 * Math.PI);
    ctx.fillStyle = colour;
    ctx.fill();
  }

  /**
   * Write a seat's letter on its unit, if it can be read there.
   * @param {CanvasRenderingContext2D} ctx
   * @param {number} seat
   * @param {number} size font size in tiles
   * @param {string} colour
   */
  #letter(ctx, seat, size, colour) {
    if (seat >= 0 && this.#tile / this.#ratio >= LETTER_TILE) {
      this.#write(ctx, seatLetter(seat), size, colour);
    }
  }

  /**
   * Draw a descending ship: the fewer rounds are left, the darker are the ship and its shadow.
   * @param {CanvasRenderingContext2D} ctx
   * @param {string} text number of rounds left
   */
  #ship(ctx, text) {
    const rounds = Math.max(1, Number.parseInt(text, 10) || 1);
    const near = 1 / rounds;
    ctx.fillStyle = this.#palette.shadow;
    ctx.globalAlpha = 0.2 + 0.55 * near;
    ctx.fillRect(-0.13, -0.13, 1.26, 1.26);
    ctx.globalAlpha = 1;
    ctx.fillStyle = this.#palette.hull;
    ctx.fillRect(0, 0, 1, 1);
    ctx.fillStyle = "#000000";
    ctx.globalAlpha = 0.55 * near;
    ctx.fillRect(0, 0, 1, 1);
    ctx.globalAlpha = 1;
    this.#write(ctx, text, 0.8, "#ffffff", "#000000");
  }

  /**
   * Write a text in the middle of the tile.
   * @param {CanvasRenderingContext2D} ctx
   * @param {string} text
   * @param {number} size font size in tiles
   * @param {string} colour
   * @param {string} [outline] the outline's colour, if there is one
   */
  #write(ctx, text, size, colour, outline) {
    // The context's unit is a tile, and a font smaller than one unit isn't drawn: change to pixels.
    const pixels = size * this.#tile;
    if (text === "" || pixels < 4) {
      return;
    }
    ctx.save();
    ctx.translate(0.5, 0.5);
    ctx.scale(1 / this.#tile, 1 / this.#tile);
    write(ctx, text, pixels, colour, outline);
    ctx.restore();
  }
}

/**
 * Write a text, centred on the context's origin.
 * @param {CanvasRenderingContext2D} ctx
 * @param {string} text
 * @param {number} size font size in pixels
 * @param {string} colour
 * @param {string} [outline] the outline's colour, if there is one
 */
function write(ctx, text, size, colour, outline) {
  ctx.font = `600 ${size}px ${FONT}`;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.lineJoin = "round";
  if (outline !== undefined) {
    ctx.strokeStyle = outline;
    ctx.lineWidth = Math.max(2, 0.25 * size);
    ctx.strokeText(text, 0, 0.05 * size);
  }
  ctx.fillStyle = colour;
  ctx.fillText(text, 0, 0.05 * size);
}
