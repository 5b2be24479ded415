/**
 * Paints what bots draw on the board (drawing.js).
 *
 * Each colour gets an outline of black or white, whichever it contrasts with more, so that it can be
 * seen on any ground in both themes. Places come from the board's surface alone.
 *
 * @module
 */

import { PALETTE, channels, seatColour } from "./colours.js";
import { FONT } from "./sprites.js";
import { printable } from "./text.js";

/** @typedef {import("./colours.js").Theme} Theme */
/** @typedef {import("./drawing.js").Drawing} Drawing */
/** @typedef {import("./surface.js").Surface} Surface */
/** @typedef {{seat: number, drawing: Drawing}} SeatDrawing */
/** @typedef {[x: number, y: number]} Point */

/** Opacity of a marked cell, so that what stands on it can be seen. */
const CELL_ALPHA = 0.4;
/** Size of a tile in CSS px from which marked cells have a border. */
const BORDER_TILE = 5;
/** Minimum and maximum size of texts in CSS px. */
const MIN_FONT = 11;
const MAX_FONT = 16;
/** Order of painting: texts are on top. */
const ORDER = ["cell", "line", "arrow", "text"];

/**
 * Return the colours for a bot's colour.
 *
 * @param {string} colour one of COLOURS of drawing.js, or `#rrggbb`
 * @param {number} seat the bot's
 * @param {Theme} theme
 * @returns {{ink: string, outline: string}}
 */
export function penOf(colour, seat, theme) {
  const ink = colour.startsWith("#") ? colour : named(colour, seat, theme);
  const [red, green, blue] = channels(ink).map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  const light = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  // The contrasts of WCAG 2: one of the two is always above 4.5.
  return { ink, outline: 1.05 / (light + 0.05) > (light + 0.05) / 0.05 ? "#ffffff" : "#000000" };
}

/** @param {string} name @param {number} seat @param {Theme} theme */
function named(name, seat, theme) {
  const palette = PALETTE[theme];
  switch (name) {
    case "own":
      return seatColour(seat, theme).unit;
    case "red":
      return palette.danger;
    case "yellow":
      return palette.gem;
    case "gray":
      return palette.neutral.unit;
    case "ink":
      return palette.focus;
  }
  return (palette.seats.find((one) => one.name === name) ?? palette.neutral).unit;
}

/**
 * Paint drawings, those of one kind in their order.
 *
 * @param {Surface} surface
 * @param {Theme} theme
 * @param {readonly SeatDrawing[]} drawings
 */
export function paintDrawings(surface, theme, drawings) {
  if (drawings.length === 0) {
    return;
  }
  const { ctx } = surface;
  ctx.save();
  ctx.lineCap = "round";
  ctx.lineJoin = "round";
  for (const kind of ORDER) {
    for (const { seat, drawing } of drawings) {
      if (drawing.kind === kind) {
        const pen = penOf(drawing.colour, seat, theme);
        if (kind === "cell") {
          paintCells(surface, drawing, pen);
        } else if (kind === "text") {
          paintText(surface, drawing, pen);
        } else {
          paintLine(surface, drawing, pen);
        }
      }
    }
  }
  ctx.restore();
}

/** @typedef {ReturnType<typeof penOf>} Pen */

/** @param {Surface} surface @param {Drawing} drawing @param {Pen} pen */
function paintCells(surface, { points, level }, { ink, outline }) {
  const { ctx, ratio, tile } = surface;
  const first = surface.scene.levels[level].col;
  const border = tile >= BORDER_TILE * ratio ? Math.max(ratio, 0.08 * tile) : 0;
  const cells = new Path2D();
  const borders = new Path2D();
  for (const [row, col] of points) {
    const [x, y] = surface.corner(level, row, first + col);
    const [right, bottom] = surface.corner(level, row + 1, first + col + 1);
    cells.rect(x, y, right - x, bottom - y);
    borders.rect(x + border, y + border, right - x - 2 * border, bottom - y - 2 * border);
  }
  ctx.fillStyle = ink;
  ctx.globalAlpha = border > 0 ? CELL_ALPHA : 2 * CELL_ALPHA;
  ctx.fill(cells);
  ctx.globalAlpha = 1;
  if (border > 0) {
    strokeTwice(ctx, borders, border, ratio, { ink, outline });
  }
}

/** @param {Surface} surface @param {Drawing} drawing @param {Pen} pen */
function paintLine(surface, { kind, points, level }, pen) {
  const { ctx, ratio, tile } = surface;
  const { col: first, cols, wraps } = surface.scene.levels[level];
  const { rows } = surface.scene;
  const width = Math.max(1.5 * ratio, 0.14 * tile);
  const line = new Path2D();
  /** Where the line comes from at its end. @type {Point | null} */
  let from = null;
  const last = /** @type {[number, number]} */ (points.at(-1));
  const end = middleOf(surface, level, ...last);
  points.slice(1).forEach(([row, col], at) => {
    const [rowBefore, colBefore] = points[at];
    if (row === rowBefore && col === colBefore) {
      return;
    }
    let step = col - colBefore;
    if (wraps && Math.abs(step) > cols / 2) {
      step -= Math.sign(step) * cols;
      // The second half comes in from the other side.
      line.moveTo(...middleOf(surface, level, rowBefore, col - step));
      line.lineTo(...middleOf(surface, level, row, col));
    }
    line.moveTo(...middleOf(surface, level, rowBefore, colBefore));
    line.lineTo(...middleOf(surface, level, row, colBefore + step));
    from = middleOf(surface, level, rowBefore, col - step);
  });
  ctx.save();
  if (wraps) {
    const [left, top] = surface.corner(level, 0, first);
    const [right, bottom] = surface.corner(level, rows, first + cols);
    ctx.beginPath();
    ctx.rect(left, top, right - left, bottom - top);
    ctx.clip();
  }
  if (from === null) {
    // It goes nowhere: a dot.
    line.arc(...end, width, 0, 2 * Math.PI);
  } else if (kind === "arrow") {
    addHead(line, from, end, Math.max(5 * ratio, 0.42 * tile));
  }
  strokeTwice(ctx, line, width, ratio, pen);
  ctx.restore();
}

/**
 * Add an arrow's head to a path.
 *
 * @param {Path2D} path
 * @param {Point} from
 * @param {Point} tip
 * @param {number} size
 */
function addHead(path, [fromX, fromY], [x, y], size) {
  const angle = Math.atan2(y - fromY, x - fromX);
  for (const side of [-0.5, 0.5]) {
    path.moveTo(x - size * Math.cos(angle + side), y - size * Math.sin(angle + side));
    path.lineTo(x, y);
  }
}

/** @param {Surface} surface @param {Drawing} drawing @param {Pen} pen */
function paintText(surface, { points, level, text }, { ink, outline }) {
  const { ctx, ratio, tile } = surface;
  const [[row, col]] = points;
  const size = Math.min(Math.max(0.8 * tile, MIN_FONT * ratio), MAX_FONT * ratio);
  const [left, y] = surface.corner(level, row + 0.5, surface.scene.levels[level].col + col);
  const shown = printable(text);
  ctx.font = `600 ${size}px ${FONT}`;
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  // A text that would leave the board at the right begins further to the left.
  const rightmost = ctx.canvas.width - ctx.measureText(shown).width - 2 * ratio;
  const x = Math.max(2 * ratio, Math.min(left + 2 * ratio, rightmost));
  ctx.lineWidth = 3 * ratio;
  ctx.strokeStyle = outline;
  ctx.strokeText(shown, x, y);
  ctx.fillStyle = ink;
  ctx.fillText(shown, x, y);
}

/**
 * Stroke a path with its outline.
 *
 * @param {CanvasRenderingContext2D} ctx
 * @param {Path2D} path
 * @param {number} width
 * @param {number} ratio screen pixels in a CSS px
 * @param {Pen} pen
 */
function strokeTwice(ctx, path, width, ratio, { ink, outline }) {
  ctx.lineWidth = width + 2 * ratio;
  ctx.strokeStyle = outline;
  ctx.stroke(path);
  ctx.lineWidth = width;
  ctx.strokeStyle = ink;
  ctx.stroke(path);
}

/**
 * Return the middle of a cell in screen pixels.
 *
 * @param {Surface} surface
 * @param {number} level
 * @param {number} row
 * @param {number} col column of the level, which may lie beyond its edge
 * @returns {Point}
 */
function middleOf(surface, level, row, col) {
  return surface.corner(level, row + 0.5, surface.scene.levels[level].col + col + 0.5);
}
