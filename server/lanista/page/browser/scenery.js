/**
 * The ground of a board as it is seen: its colours (ground.js), the borders of seats, and what never
 * changes: the texture of ground and walls, the lines between cells, titles and coordinates.
 *
 * What never changes is drawn once for a size and a place of the board. All of it is kept, and from
 * position to position only the cells that have changed are drawn again.
 *
 * @module
 */

import { PALETTE, seatColour } from "./colours.js";
import { context2d } from "./ground.js";
import { FONT } from "./sprites.js";

/** @typedef {import("./colours.js").Theme} Theme */
/** @typedef {import("./decode.js").Position} Position */
/** @typedef {import("./surface.js").Surface} Surface */

/** Size of a tile in CSS px from which lines between cells are drawn. */
const GRID_TILE = 6;
/** Size of a tile in CSS px from which ground and walls have a texture, and grounds borders. */
const TEXTURE_TILE = 7;
/** Side in cells of the square of texture that is repeated. */
const PERIOD = 6;
/** Distances between coordinates in cells. */
const STEPS = [1, 2, 5, 10, 20, 50, 100];
/** Minimum distances between coordinates in CSS px, side by side and one below the other. */
const APART = { across: 26, down: 18 };

/** Opacity of borders, so that units stand out. */
const BORDER_ALPHA = 0.65;
/** Number of changed cells from which all is drawn again. */
const MANY_CELLS = 600;

/** The ground of a surface's scene, with its scenery and the borders of seats. */
export class Scenery {
  /** What never changes. */
  #fixed = context2d(document.createElement("canvas"));
  /** All of it, as it was drawn last. */
  #drawn = context2d(document.createElement("canvas"));
  /** What the canvases were drawn for. */
  #key = "";
  #surface;
  #ground;

  /**
   * @param {Surface} surface
   * @param {import("./ground.js").Ground} ground
   */
  constructor(surface, ground) {
    this.#surface = surface;
    this.#ground = ground;
  }

  /**
   * Draw a position's ground on the surface. Only cells that have changed are drawn anew.
   * @param {Position} position
   * @param {Theme} theme
   * @param {boolean} small without titles, lines, coordinates and borders
   */
  draw(position, theme, small) {
    const { ctx, layout, ratio, scene } = this.#surface;
    const { width, height } = ctx.canvas;
    const cells = this.#ground.paint(position, theme);
    const key = JSON.stringify([theme, small, layout.tile, ratio, width, height, layout.levels]);
    const hasBorders = !small && layout.tile >= TEXTURE_TILE;
    const isNew = key !== this.#key;
    if (isNew) {
      this.#key = key;
      for (const { canvas } of [this.#fixed, this.#drawn]) {
        canvas.width = width;
        canvas.height = height;
      }
      for (const level of layout.levels.keys()) {
        this.#drawFixed(level, theme, small);
      }
      this.#drawn.imageSmoothingEnabled = false;
    }
    const { changed } = this.#ground;
    if (isNew || changed.length > MANY_CELLS) {
      this.#drawn.clearRect(0, 0, width, height);
      for (const [level, { col, cols }] of scene.levels.entries()) {
        const [x, y] = this.#surface.corner(level, 0, col);
        const size = /** @type {const} */ ([cols * this.#surface.tile, scene.rows * this.#surface.tile]);
        this.#drawn.drawImage(cells, col, 0, cols, scene.rows, x, y, ...size);
      }
      this.#drawn.drawImage(this.#fixed.canvas, 0, 0);
      if (hasBorders) {
        for (let cell = 0; cell < position.own.length; cell += 1) {
          this.#drawBorder(position.own, cell, theme);
        }
      }
    } else {
      const near = new Set(changed);
      if (hasBorders) {
        // A cell has a border where it meets another's.
        for (const cell of changed) {
          for (let side = 0; side < 4; side += 1) {
            const other = this.#beside(cell, side);
            if (other >= 0 && position.own[other] >= 0) {
              near.add(other);
            }
          }
        }
      }
      this.#drawCells(cells, [...near]);
      if (hasBorders) {
        near.forEach((cell) => this.#drawBorder(position.own, cell, theme));
      }
    }
    // Nothing else is on the surface yet, and copying is faster than blending.
    ctx.globalCompositeOperation = "copy";
    ctx.drawImage(this.#drawn.canvas, 0, 0);
    ctx.globalCompositeOperation = "source-over";
  }

  /**
   * Return a neighbour of a cell.
   * @param {number} cell
   * @param {number} side 0: above, 1: below, 2: at the left, 3: at the right
   * @returns {number} -1: there is none
   */
  #beside(cell, side) {
    const { levels, cols: width, rows } = this.#surface.scene;
    if (side < 2) {
      const other = cell + (side === 0 ? -width : width);
      return other >= 0 && other < rows * width ? other : -1;
    }
    const at = cell % width;
    const { col, cols, wraps } = levels[Math.max(0, this.#surface.levelOf[at])];
    const other = at + (side === 2 ? -1 : 1);
    if (other >= col && other < col + cols) {
      return cell - at + other;
    }
    return wraps ? cell - at + (side === 2 ? col + cols - 1 : col) : -1;
  }

  /**
   * Draw cells without their borders. Those below each other are drawn at once, as whole columns
   * change when the light moves.
   * @param {HTMLCanvasElement} cells
   * @param {number[]} changed
   */
  #drawCells(cells, changed) {
    const { scene, levelOf } = this.#surface;
    const { cols } = scene;
    const sorted = changed.sort((one, other) => (one % cols) - (other % cols) || one - other);
    for (let at = 0; at < sorted.length; ) {
      const first = sorted[at];
      const from = at;
      while (at < sorted.length && sorted[at] === first + (at - from) * cols) {
        at += 1;
      }
      const [row, col, rows] = [Math.floor(first / cols), first % cols, at - from];
      if (levelOf[col] >= 0) {
        const [x, y] = this.#surface.corner(levelOf[col], row, col);
        const [right, bottom] = this.#surface.corner(levelOf[col], row + rows, col + 1);
        const size = /** @type {const} */ ([right - x, bottom - y]);
        if (size[0] > 0 && size[1] > 0) {
          this.#drawn.drawImage(cells, col, row, 1, rows, x, y, ...size);
          this.#drawn.drawImage(this.#fixed.canvas, x, y, ...size, x, y, ...size);
        }
      }
    }
  }

  /**
   * Draw lines along the edges of a cell beyond which the ground is another seat's or nobody's.
   * @param {Int8Array} own the owners, as in a position
   * @param {number} cell
   * @param {Theme} theme
   */
  #drawBorder(own, cell, theme) {
    const seat = own[cell];
    const { scene, levelOf, tile, ratio } = this.#surface;
    const [row, col] = [Math.floor(cell / scene.cols), cell % scene.cols];
    if (seat < 0 || levelOf[col] < 0) {
      return;
    }
    const ctx = this.#drawn;
    const line = Math.max(1, Math.round(Math.max(0.08 * tile, ratio / 2)));
    const [x, y] = this.#surface.corner(levelOf[col], row, col);
    const [right, bottom] = this.#surface.corner(levelOf[col], row + 1, col + 1);
    ctx.fillStyle = seatColour(seat, theme).unit;
    ctx.globalAlpha = BORDER_ALPHA;
    for (let side = 0; side < 4; side += 1) {
      const other = this.#beside(cell, side);
      if (other < 0 || own[other] !== seat) {
        const isUpright = side >= 2;
        ctx.fillRect(
          side === 3 ? right - line : x,
          side === 1 ? bottom - line : y,
          isUpright ? line : right - x,
          isUpright ? bottom - y : line,
        );
      }
    }
    ctx.globalAlpha = 1;
  }

  /** @param {number} level @param {Theme} theme @param {boolean} small */
  #drawFixed(level, theme, small) {
    const { scene, tile, ratio, layout } = this.#surface;
    const { cols } = scene.levels[level];
    const ctx = this.#fixed;
    const [x, y] = this.#surface.corner(level, 0, scene.levels[level].col);
    const [width, height] = [cols * tile, scene.rows * tile];
    if (layout.tile >= TEXTURE_TILE) {
      this.#drawTexture(level, theme);
    }
    if (!small && layout.tile >= GRID_TILE) {
      ctx.fillStyle = PALETTE[theme].grid;
      const line = Math.max(1, Math.round(ratio / 2));
      for (let at = 1; at < cols; at += 1) {
        ctx.fillRect(x + at * tile, y, line, height);
      }
      for (let at = 1; at < scene.rows; at += 1) {
        ctx.fillRect(x, y + at * tile, width, line);
      }
    }
    if (!small) {
      this.#drawEdges(level, theme);
    }
  }

  /** Draw specks on the ground, and on walls bricks with light on their upper edge. */
  #drawTexture(/** @type {number} */ level, /** @type {Theme} */ theme) {
    const { scene, tile, ratio } = this.#surface;
    const { col: first, cols } = scene.levels[level];
    const ctx = this.#fixed;
    const corner = (/** @type {number} */ row, /** @type {number} */ col) =>
      this.#surface.corner(level, row, first + col);
    const [x, y] = corner(0, 0);
    const specks = ctx.createPattern(speckled(tile, ratio, theme), "repeat");
    if (specks !== null) {
      specks.setTransform(new DOMMatrix([1, 0, 0, 1, x, y]));
      ctx.fillStyle = specks;
      ctx.fillRect(x, y, cols * tile, scene.rows * tile);
    }
    const line = Math.max(1, Math.round(0.08 * tile));
    const isWall = (/** @type {number} */ row, /** @type {number} */ col) =>
      col < 0 || col >= cols || scene.ground[row]?.[first + col] === "#";
    for (let row = 0; row < scene.rows; row += 1) {
      for (let col = 0; col < cols; col += 1) {
        if (isWall(row, col)) {
          const [left, top] = corner(row, col);
          const [right, bottom] = corner(row + 1, col + 1);
          ctx.clearRect(left, top, right - left, bottom - top);
          ctx.fillStyle = "#00000030";
          const middle = Math.round((top + bottom) / 2);
          ctx.fillRect(left, middle, right - left, line);
          const joint = left + Math.round((row % 2 === 0 ? 0.3 : 0.7) * tile);
          ctx.fillRect(joint, middle, line, bottom - middle);
          if (row > 0 && !isWall(row - 1, col)) {
            ctx.fillStyle = "#ffffff70";
            ctx.fillRect(left, top, right - left, line);
          }
          if (row < scene.rows - 1 && !isWall(row + 1, col)) {
            ctx.fillStyle = "#00000070";
            ctx.fillRect(left, bottom - 2 * line, right - left, 2 * line);
          }
        }
      }
    }
  }

  /**
   * Write a level's title, and the numbers of columns above it and of rows beside it. Zoomed, they
   * stay at the edge of what is seen.
   * @param {number} level
   * @param {Theme} theme
   */
  #drawEdges(level, theme) {
    const { scene, layout, ratio, tile } = this.#surface;
    const { col: first, cols, title } = scene.levels[level];
    const ctx = this.#fixed;
    const { title: colour, halo } = PALETTE[theme];
    const [x, y] = this.#surface.corner(level, 0, first);
    ctx.fillStyle = colour;
    ctx.strokeStyle = halo;
    ctx.lineJoin = "round";
    ctx.lineWidth = 3 * ratio;
    const write = (/** @type {string} */ text, /** @type {number} */ at, /** @type {number} */ down) => {
      // Only over the board, as when it is zoomed, there is something to stand out from.
      if (at > x && down > y) {
        ctx.strokeText(text, at, down);
      }
      ctx.fillText(text, at, down);
    };
    ctx.textBaseline = "alphabetic";
    ctx.font = `600 ${12 * ratio}px ${FONT}`;
    ctx.textAlign = "left";
    ctx.fillText(title, x, y - 4 * ratio, cols * tile);
    if (layout.side === 0) {
      return;
    }
    const taken = title === "" ? x : x + ctx.measureText(title).width + 8 * ratio;
    ctx.font = `${10 * ratio}px ${FONT}`;
    ctx.textAlign = "center";
    const top = Math.max(y, layout.title * ratio) - 4 * ratio;
    for (let col = 0, step = stepOf(APART.across / layout.tile); col < cols; col += step) {
      const middle = x + (col + 0.5) * tile;
      if (middle - 8 * ratio >= taken) {
        write(String(col), middle, top);
      }
    }
    if (x > layout.side * ratio) {
      return; // another level is beside it
    }
    ctx.textAlign = "right";
    ctx.textBaseline = "middle";
    const side = Math.max(x, layout.side * ratio) - 4 * ratio;
    for (let row = 0, step = stepOf(APART.down / layout.tile); row < scene.rows; row += step) {
      write(String(row), side, y + (row + 0.5) * tile);
    }
  }
}

/** Return the distance between coordinates in cells. @param {number} least */
function stepOf(least) {
  return STEPS.find((step) => step >= least) ?? /** @type {number} */ (STEPS.at(-1));
}

/**
 * Return a square of specks, the same each time.
 * @param {number} tile size of a tile in screen pixels
 * @param {number} ratio
 * @param {Theme} theme
 */
function speckled(tile, ratio, theme) {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = Math.round(PERIOD * tile);
  const ctx = context2d(canvas);
  const size = Math.max(ratio, 0.1 * tile);
  for (let cell = 0; cell < PERIOD * PERIOD; cell += 1) {
    const chance = Math.imul(cell + 1, 2654435761) >>> 0;
    const share = (/** @type {number} */ shift) => ((chance >>> shift) % 64) / 64;
    const [row, col] = [Math.floor(cell / PERIOD), cell % PERIOD];
    ctx.fillStyle = theme === "light" ? "#00000016" : "#ffffff14";
    ctx.fillRect((col + 0.4 + 0.25 * share(4)) * tile, (row + 0.1 + 0.12 * share(10)) * tile, size, size);
    ctx.fillStyle = theme === "light" ? "#ffffff50" : "#00000038";
    ctx.fillRect((col + 0.5 + 0.4 * share(16)) * tile, (row + 0.76 + 0.12 * share(22)) * tile, size, size);
  }
  return canvas;
}
