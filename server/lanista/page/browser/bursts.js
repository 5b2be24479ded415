/**
 * What happened between two positions, to be shown for a moment: units that fell, turned or fought,
 * things that were picked up, spells, and where points were won.
 *
 * `burstsOf` finds it, from positions alone; `Bursts` draws it. Nothing here depends on a game.
 *
 * @module
 */

import { PALETTE, seatColour } from "./colours.js";
import { columnsBetween } from "./layout.js";
import { FONT } from "./sprites.js";

/** @typedef {import("./colours.js").Theme} Theme */
/** @typedef {import("./decode.js").Mark} Mark */
/** @typedef {import("./decode.js").Position} Position */
/** @typedef {import("./decode.js").Scene} Scene */
/** @typedef {import("./surface.js").Surface} Surface */

/**
 * @typedef {object} Burst
 * @property {"fell" | "turned" | "happened" | "picked" | "spell"} kind
 * @property {number} row
 * @property {number} col
 * @property {number} seat whose it is; -1: nobody's
 * @property {number} reach its radius in cells at the end
 */

/** @typedef {{row: number, col: number, seat: number, text: string}} Float points that were won */

/** Maximum number of bursts; the fall of a whole army has hundreds. */
const MOST = 60;
/** Maximum distance in cells of a step. */
const STEP = 1.5;
/** Kinds of bursts at which points may have been won, the likeliest first. */
const WINNING = /** @type {const} */ (["spell", "happened", "turned", "picked"]);
/** Where a float may stand, in cells from its burst. */
const PLACES = [[-1, 0], [-1, 1], [-1, -1], [0, 1], [0, -1], [1, 0]];
/** Font size of floats in CSS px. */
const FONT_SIZE = 13;

/**
 * Find what happened between two consecutive positions.
 * @param {Scene} scene
 * @param {Int16Array} levelOf by `levelByColumn`
 * @param {Position} previous
 * @param {Position} position
 * @returns {{bursts: Burst[], floats: Float[]}}
 */
export function burstsOf(scene, levelOf, previous, position) {
  if (previous.n !== position.n - 1) {
    return { bursts: [], floats: [] };
  }
  const bursts = [
    ...spells(position),
    ...happenings(position),
    ...changes(scene, levelOf, previous, position),
  ].filter(({ col }) => levelOf[col] >= 0);
  const floats = wins(previous, position, bursts);
  return { bursts: bursts.slice(0, MOST), floats };
}

/**
 * Yield a burst around each unit whose seat captured cells all at once.
 * @param {Position} position
 * @returns {Generator<Burst>}
 */
function* spells({ captured, events, marks }) {
  /** @type {Map<number, number>} */
  const cells = new Map();
  for (const seat of captured.values()) {
    cells.set(seat, (cells.get(seat) ?? 0) + 1);
  }
  for (const [seat, count] of cells) {
    const casts = events.find((event) => event.seat === seat && event.units.length === 1);
    const caster = marks.find(({ unit }) => casts?.units[0] === unit);
    if (caster !== undefined) {
      const reach = 2 + Math.sqrt(count);
      yield { kind: "spell", row: caster.row, col: caster.col, seat, reach };
    }
  }
}

/**
 * Yield a burst on each cell that an event names.
 * @param {Position} position
 * @returns {Generator<Burst>}
 */
function* happenings({ events }) {
  for (const { seat, cells } of events) {
    for (const { row, col } of cells) {
      yield { kind: "happened", row, col, seat, reach: 1.1 };
    }
  }
}

/**
 * Yield a burst where a unit fell or turned, and where a thing was picked up.
 * @param {Scene} scene
 * @param {Int16Array} levelOf
 * @param {Position} previous
 * @param {Position} position
 * @returns {Generator<Burst>}
 */
function* changes(scene, levelOf, previous, position) {
  const now = new Map(position.marks.map((mark) => [mark.unit, mark]));
  const kept = new Set(position.marks);
  const standing = new Map(
    position.marks.filter(({ unit }) => unit >= 0).map((mark) => [`${mark.row} ${mark.col}`, mark]),
  );
  const things = new Set(
    position.marks.filter(isThing).map(({ row, col, shape }) => `${row} ${col} ${shape}`),
  );
  for (const mark of previous.marks) {
    const { row, col, seat, shape, unit } = mark;
    if (kept.has(mark)) {
      continue;
    }
    if (isThing(mark)) {
      const picker = standing.get(`${row} ${col}`);
      if (picker !== undefined && !things.has(`${row} ${col} ${shape}`)) {
        yield { kind: "picked", row, col, seat: picker.seat, reach: 1 };
      }
    } else if (unit >= 0) {
      const after = now.get(unit);
      const isNear =
        after !== undefined &&
        Math.hypot(after.row - row, columnsBetween(scene, levelOf, col, after.col)) <= STEP;
      if (!isNear) {
        // A way between levels isn't a fall.
        if (after === undefined || after.seat !== seat || levelOf[after.col] === levelOf[col]) {
          yield { kind: "fell", row, col, seat, reach: 1.3 };
        }
      } else if (after.seat !== seat || after.shape !== shape) {
        yield { kind: "turned", row: after.row, col: after.col, seat: after.seat, reach: 1.2 };
      }
    }
  }
}

/** Whether a mark is something to pick up. @param {Mark} mark */
function isThing({ unit, shape }) {
  return unit < 0 && shape !== "count";
}

/**
 * Return the points that seats won, where each probably won them.
 * @param {Position} previous
 * @param {Position} position
 * @param {readonly Burst[]} bursts
 * @returns {Float[]}
 */
function wins(previous, position, bursts) {
  // A number on the board stays readable.
  const taken = new Set(
    position.marks.filter(({ shape }) => shape === "count").map(({ row, col }) => `${row} ${col}`),
  );
  return position.scores.flatMap((score, seat) => {
    const won = score - (previous.scores[seat] ?? 0);
    const [best] = WINNING.map((kind) => bursts.find((one) => one.kind === kind && one.seat === seat))
      .filter((one) => one !== undefined);
    const place =
      best &&
      PLACES.find(([down, right]) => best.row + down >= 0 && !taken.has(`${best.row + down} ${best.col + right}`));
    if (!(won > 0) || best === undefined || place === undefined) {
      return [];
    }
    return [{ row: best.row + place[0], col: best.col + place[1], seat, text: `+${won}` }];
  });
}

/**
 * Draw bursts and floats.
 * @param {Surface} surface
 * @param {Theme} theme
 * @param {{bursts: readonly Burst[], floats: readonly Float[]}} shown
 * @param {number} t progress of the animation
 */
export function paintBursts(surface, theme, { bursts, floats }, t) {
  const { ctx } = surface;
  if (t < 0.5 || t >= 1 || bursts.length + floats.length === 0) {
    return;
  }
  const grown = 2 * t - 1;
  ctx.save();
  ctx.lineCap = "round";
  for (const burst of bursts) {
    paintBurst(surface, theme, burst, grown);
  }
  ctx.font = `700 ${FONT_SIZE * surface.ratio}px ${FONT}`;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.lineJoin = "round";
  ctx.lineWidth = 4 * surface.ratio;
  ctx.strokeStyle = PALETTE[theme].halo;
  // A number stays readable for most of its way.
  ctx.globalAlpha = Math.min(1, 3 * (1 - grown));
  for (const { row, col, seat, text } of floats) {
    const [x, y] = surface.corner(surface.levelOf[col] ?? 0, row + 0.5 - 0.8 * grown, col + 0.5);
    const wide = ctx.measureText(text).width / 2 + 2 * surface.ratio;
    const at = Math.max(wide, Math.min(x, ctx.canvas.width - wide));
    const down = Math.max(FONT_SIZE * surface.ratio, y);
    ctx.strokeText(text, at, down);
    ctx.fillStyle = seatColour(seat, theme).text;
    ctx.fillText(text, at, down);
  }
  ctx.restore();
}

/**
 * @param {Surface} surface
 * @param {Theme} theme
 * @param {Burst} burst
 * @param {number} grown from 0 to 1
 */
function paintBurst(surface, theme, { kind, row, col, seat, reach }, grown) {
  const { ctx, tile, ratio } = surface;
  const [x, y] = surface.corner(surface.levelOf[col], row + 0.5, col + 0.5);
  const { danger, gem } = PALETTE[theme];
  ctx.globalAlpha = 1 - grown;
  ctx.strokeStyle =
    kind === "fell" ? danger : kind === "picked" ? gem : seatColour(seat, theme).unit;
  ctx.lineWidth = Math.max(1.5 * ratio, 0.16 * tile);
  ctx.beginPath();
  const radius = (0.5 + (reach - 0.5) * grown) * tile;
  if (kind === "fell" || kind === "picked") {
    const rays = kind === "fell" ? 8 : 5;
    for (let ray = 0; ray < rays; ray += 1) {
      const [right, down] = [Math.cos((2 * Math.PI * ray) / rays), Math.sin((2 * Math.PI * ray) / rays)];
      ctx.moveTo(x + 0.7 * radius * right, y + 0.7 * radius * down);
      ctx.lineTo(x + radius * right, y + radius * down);
    }
  } else if (kind === "happened") {
    // Around the cell, so that its number stays readable.
    const half = (0.5 + 0.12 * grown) * tile;
    ctx.strokeRect(x - half, y - half, 2 * half, 2 * half);
  } else {
    ctx.arc(x, y, radius, 0, 2 * Math.PI);
    if (kind === "spell") {
      ctx.moveTo(x + 0.6 * radius, y);
      ctx.arc(x, y, 0.6 * radius, 0, 2 * Math.PI);
    }
  }
  ctx.stroke();
}
