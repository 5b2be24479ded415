/**
 * The images of marks: each is drawn once for a size of tiles, then copied.
 *
 * Shapes are those of docs/api.md, in the colours of colours.js. board.js decides where and when
 * they are drawn.
 */

import { PALETTE, seatColour, seatLetter } from "./colours.js";
import { context2d } from "./ground.js";
import { BODIES, KILLERS, THINGS, cellOf, crowdOf, markOf } from "./silhouettes.js";

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
/** Size of a tile in CSS px from which units show the marks of their seats. */
const MARK_TILE = 8;
/** Font size of a crowd's number, and how far below the middle it stands, in tiles. */
const CROWD_TEXT = 0.54;
const CROWD_DOWN = 0.17;
/** Shapes of units that kill in the eight cells around them, which are drawn with a ring. */
export const RINGED = new Set(["beast", ...Object.keys(KILLERS)]);
/** Shapes that show no text; all others show it, including unknown ones. */
const TEXTLESS = new Set([
  ...["disc", "cross", "square", "book", "gem"],
  ...Object.keys(BODIES),
  ...Object.keys(KILLERS),
]);
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
   * Return the number of a count alone, with an outline in its seat's colour.
   * @param {Mark} mark
   * @returns {Sprite}
   */
  number({ seat, text }) {
    return this.#get(`number ${seat} ${text}`, 0.3, (ctx) => {
      const { unit, on } = seatColour(seat, this.#theme);
      this.#number(ctx, text, on, unit);
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
    if (this.#tile < SHAPE_TILE) {
      ctx.fillStyle = RINGED.has(shape) ? danger : ({ book, gem, ship: hull }[shape] ?? unit);
      ctx.fillRect(0, 0, 1, 1);
      return;
    }
    if (Object.hasOwn(BODIES, shape)) {
      this.#body(ctx, shape, seat);
      return;
    }
    switch (shape) {
      case "count":
        this.#count(ctx, seat, text);
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
        this.#outlined(ctx, THINGS.cover, book, halo, 2 * thin);
        ctx.fillStyle = "#ffffff";
        ctx.fill(pathOf(THINGS.pages));
        return;
      case "gem":
        this.#outlined(ctx, THINGS.gem, gem, "#4a3500", 2 * thin);
        ctx.clip(pathOf(THINGS.gem));
        ctx.strokeStyle = "#ffffff";
        ctx.globalAlpha = 0.7;
        ctx.lineWidth = Math.max(0.04, this.#inTiles(0.5));
        ctx.stroke(pathOf(THINGS.facets));
        return;
      case "beast":
        this.#disc(ctx, 0.68, danger, "#000000");
        this.#write(ctx, text, 0.85, "#ffffff");
        return;
      case "fiend":
        this.#outlined(ctx, KILLERS.fiend, "#1a0710", danger, 2.4 * thin);
        ellipse(ctx, [0.5, 0.34, 0.2, 0.26], "#efe9dc");
        this.#eyes(ctx, 0.32, danger);
        return;
      case "hound":
        this.#outlined(ctx, KILLERS.hound, danger, "#000000", 2 * thin);
        ellipse(ctx, [0.5, 0.78, 0.22, 0.18], "#20040a");
        this.#eyes(ctx, 0.42, "#ffe169");
        return;
      case "ship":
        this.#ship(ctx, text);
        return;
      default:
        this.#write(ctx, text, this.#fontSize(text), seat < 0 ? ink : unit, halo);
    }
  }

  /**
   * Draw a figure in its seat's colour, with its seat's letter, or if that can't be read its mark.
   * @param {CanvasRenderingContext2D} ctx
   * @param {string} shape
   * @param {number} seat
   */
  #body(ctx, shape, seat) {
    const { unit, on } = seatColour(seat, this.#theme);
    const { halo, gem } = this.#palette;
    const size = this.#tile / this.#ratio;
    // A ghost's black outline makes it the largest of its clan.
    const outline = Math.max(0.14, this.#inTiles(1.6));
    if (shape === "ghost") {
      this.#outlined(ctx, BODIES.ghost, unit, halo, 1.5 * outline);
      this.#outlined(ctx, BODIES.ghost, unit, "#000000", 0.9 * outline);
    } else {
      this.#outlined(ctx, BODIES[shape], unit, halo, outline);
    }
    const isLettered = seat >= 0 && size >= LETTER_TILE;
    ctx.save();
    ctx.clip(pathOf(BODIES[shape]));
    if (shape === "turncoat") {
      ctx.fillStyle = on;
      ctx.fillRect(0.52, 0, 0.48, 1);
    } else if (!isLettered && size >= MARK_TILE) {
      ctx.fillStyle = on;
      ctx.fill(pathOf(markOf(seat)));
    }
    ctx.restore();
    if (shape === "turncoat") {
      ctx.strokeStyle = unit;
      ctx.lineWidth = Math.max(0.05, this.#inTiles(0.75));
      ctx.stroke(pathOf(BODIES[shape]));
    } else if (isLettered) {
      this.#write(ctx, seatLetter(seat), shape === "ghost" ? 0.42 : 0.36, on, undefined, 0.24);
    }
    if (size >= MARK_TILE) {
      if (shape === "ghost") {
        this.#eyes(ctx, 0.36, on);
      } else if (shape === "miner") {
        ellipse(ctx, [0.5, 0.2, 0.1, 0.1], gem);
      }
    }
  }

  /**
   * Draw units with their number: a crowd, or on a small tile a full cell.
   * @param {CanvasRenderingContext2D} ctx
   * @param {number} seat
   * @param {string} text
   */
  #count(ctx, seat, text) {
    const { unit, on } = seatColour(seat, this.#theme);
    ctx.fillStyle = unit;
    if (this.#isCrowd(text)) {
      const { heads, at, bodies } = crowdOf(seat, Number(text));
      for (const [x, y] of at) {
        const head = new Path2D();
        head.addPath(pathOf(heads), new DOMMatrix([1, 0, 0, 1, x / 100, y / 100]));
        ctx.fill(head);
      }
      ctx.fill(pathOf(bodies));
      this.#number(ctx, text, on);
      return;
    }
    ctx.save();
    // The grid's lines stay visible.
    const gap = Math.max(1, Math.round(this.#ratio / 2)) / this.#tile;
    ctx.translate(gap, gap);
    ctx.scale(1 - gap, 1 - gap);
    ctx.fill(pathOf(cellOf(seat)));
    ctx.restore();
    if (this.fits(text)) {
      this.#number(ctx, text, on);
    }
  }

  /**
   * Write a number where it stands on its units.
   * @param {CanvasRenderingContext2D} ctx
   * @param {string} text
   * @param {string} colour
   * @param {string} [outline]
   */
  #number(ctx, text, colour, outline) {
    if (this.#isCrowd(text)) {
      const size = Math.min(CROWD_TEXT, this.#fontSize(text));
      this.#write(ctx, text, size, colour, outline, CROWD_DOWN);
    } else {
      this.#write(ctx, text, this.#fontSize(text), colour, outline);
    }
  }

  /** Whether a number can also be read below the heads of a crowd. @param {string} text */
  #isCrowd(text) {
    return Math.min(CROWD_TEXT, this.#fontSize(text)) >= this.#inTiles(MIN_LETTER);
  }

  /**
   * Fill an outline, and draw a line around it.
   * @param {CanvasRenderingContext2D} ctx
   * @param {string} outline an SVG path
   * @param {string} colour
   * @param {string} line
   * @param {number} width of the line in tiles; half of it is covered
   */
  #outlined(ctx, outline, colour, line, width) {
    const path = pathOf(outline);
    ctx.lineJoin = "round";
    ctx.strokeStyle = line;
    ctx.lineWidth = width;
    ctx.stroke(path);
    ctx.fillStyle = colour;
    ctx.fill(path);
  }

  /** @param {CanvasRenderingContext2D} ctx @param {number} y @param {string} colour */
  #eyes(ctx, y, colour) {
    for (const x of [0.38, 0.62]) {
      ellipse(ctx, [x, y, 0.08, 0.07], colour);
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
    ctx.globalAlpha = 0.2 + 0.55 * near;
    ellipse(ctx, [0.5, 0.6, 0.74, 0.66], this.#palette.shadow);
    ctx.globalAlpha = 1;
    this.#outlined(ctx, THINGS.ship, this.#palette.hull, "#000000", 0.1);
    ctx.fillStyle = "#000000";
    ctx.globalAlpha = 0.55 * near;
    ctx.fill(pathOf(THINGS.ship));
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
   * @param {number} [down] how far below the middle, in tiles
   */
  #write(ctx, text, size, colour, outline, down = 0) {
    // The context's unit is a tile, and a font smaller than one unit isn't drawn: change to pixels.
    const pixels = size * this.#tile;
    if (text === "" || pixels < 4) {
      return;
    }
    ctx.save();
    ctx.translate(0.5, 0.5 + down);
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

/**
 * Return an outline in tiles.
 * @param {string} outline an SVG path on a tile of 100 by 100
 */
function pathOf(outline) {
  const path = new Path2D();
  path.addPath(new Path2D(outline), new DOMMatrix([0.01, 0, 0, 0.01, 0, 0]));
  return path;
}

/**
 * Fill an ellipse.
 * @param {CanvasRenderingContext2D} ctx
 * @param {[x: number, y: number, width: number, height: number]} where its middle and its radii
 * @param {string} colour
 */
function ellipse(ctx, [x, y, width, height], colour) {
  ctx.beginPath();
  ctx.ellipse(x, y, width, height, 0, 0, 2 * Math.PI);
  ctx.fillStyle = colour;
  ctx.fill();
}
