/**
 * The drawing of a board on a canvas: one position, or the animation from one to the next.
 *
 * The ground (ground.js) is drawn first, then marks as copies of sprites (sprites.js). Places on
 * the canvas come from layout.js and surface.js, movement from motion.js, descriptions of cells
 * from cells.js. Nothing here depends on a game.
 */

import { burstsOf, paintBursts } from "./bursts.js";
import { describeCell } from "./cells.js";
import { PALETTE, seatColour } from "./colours.js";
import { paintDrawings } from "./drawing_paint.js";
import { Ground } from "./ground.js";
import { WHOLE, chooseLabels, columnsBetween, placeAt } from "./layout.js";
import { motionOf } from "./motion.js";
import { Outlines } from "./outlines.js";
import { Scenery } from "./scenery.js";
import { LABEL, RINGED, Sprites } from "./sprites.js";
import { Surface } from "./surface.js";

/** @typedef {import("./colours.js").Theme} Theme */
/** @typedef {import("./decode.js").Head} Head */
/** @typedef {import("./decode.js").Mark} Mark */
/** @typedef {import("./decode.js").Position} Position */
/** @typedef {import("./layout.js").Cell} Cell */
/** @typedef {import("./layout.js").Place} Place */
/** @typedef {import("./motion.js").Glide} Glide */
/** @typedef {import("./surface.js").Item} Item */

/**
 * @typedef {object} View how a position is to be drawn
 * @property {Position | null} [previous] the position from which it is animated; null: it isn't
 * @property {number} [t] progress of the animation, from 0 (the previous position) to 1 (this one)
 * @property {Position | null} [before] the position a turn earlier, for trails without an animation
 * @property {boolean} [calm] whether nothing is shown for a moment only
 * @property {number | null} [followed] the number of the unit to point out
 * @property {Cell | null} [hover] the cell to outline
 * @property {readonly import("./drawing_paint.js").SeatDrawing[]} [drawings] what bots draw on it
 * @property {import("./text.js").Subject} [pointed] units and cells to light, as a text is about them
 * @property {readonly Cell[]} [apart] the cells in which another board differs from the position
 */

/**
 * What is computed once for a pair of positions and used for every frame of the animation.
 * @typedef {object} Transition
 * @property {Position | null} previous
 * @property {Position} position
 * @property {Position | null} earlier
 * @property {Item[][]} layers from the lowest to the topmost
 * @property {Item[]} moving the items that move or fade
 * @property {Item[]} wounded the items with a health bar
 * @property {Glide[]} glides
 * @property {Item[]} trails the items that moved
 * @property {ReturnType<typeof burstsOf>} bursts
 */

/** Layer of each shape, from the lowest; any other shape counts as a unit. */
const LAYERS = new Map([
  ["gem", 0],
  ["book", 0],
  ["count", 1],
  ["ship", 2],
  ...[...RINGED].map((shape) => /** @type {[string, number]} */ ([shape, 4])),
]);
const UNIT_LAYER = 3;
const COUNT_LAYER = 1;
/** Maximum height in cells of a neutral number that is written across its cell. */
const NEUTRAL_HEIGHT = 1.3;
/** Size of a tile in CSS px from which trails and the heads of arrows are drawn. */
const ARROW_TILE = 5;
/** Width of a trail in tiles. */
const TRAIL_WIDTH = 0.16;
/** Share of health below which a health bar has another colour. */
const LOW_HEALTH = 0.35;

/** A board on a canvas element. */
export class Board {
  #head;
  #small;
  /** @type {Theme} */
  #theme = "light";
  #surface;
  /** @type {Sprites} */
  #sprites;
  #ground;
  #scenery;
  /** @type {Transition | null} */
  #transition = null;
  /**
   * Which half of which transition is prepared on the surface.
   * @type {{transition: Transition, half: 0 | 1} | null}
   */
  #prepared = null;
  /** The last arguments of `draw`. @type {[Position, View] | null} */
  #shown = null;
  #outlines;
  /** The room that `resize` was given. */
  #room = { width: 1, height: 1 };
  /** @type {import("./layout.js").View} */
  #view = WHOLE;

  /**
   * @param {HTMLCanvasElement} canvas its size is set by `resize`
   * @param {Head} head of the match
   * @param {{small?: boolean}} [options] small: no grid, titles, coordinates, arrows or numbers across cells
   */
  constructor(canvas, head, { small = false } = {}) {
    this.#surface = new Surface(canvas, head.scene);
    this.#head = head;
    this.#small = small;
    this.#ground = new Ground(head.scene);
    this.#scenery = new Scenery(this.#surface, this.#ground);
    this.#outlines = new Outlines(this.#surface);
    this.#sprites = new Sprites(this.#theme, 1, 1);
  }

  /**
   * Take as much of the room as the board can use, and draw the board again.
   * @param {number} width available width in CSS px
   * @param {number} height available height in CSS px
   */
  resize(width, height) {
    this.#room = { width, height };
    const ratio = globalThis.devicePixelRatio || 1;
    const before = this.#surface.tile;
    this.#surface.resize(width, height, ratio, this.#small, this.#view);
    this.#reset(before === this.#surface.tile);
  }

  /**
   * Show another part of the board, and draw it again.
   * @param {import("./layout.js").View} view
   */
  setView(view) {
    this.#view = view;
    this.resize(this.#room.width, this.#room.height);
    // At an edge the board stays behind the pointer; it doesn't catch up when the pointer returns.
    const { width, height, left, top } = this.#surface.extent;
    const at = { x: view.point.x * width - left, y: view.point.y * height - top };
    this.#view = { ...view, at };
  }

  /** Return how large the board is, and which part of it is seen; see `Zoomable`. */
  extent() {
    const { extent, layout } = this.#surface;
    return {
      ...extent,
      tile: layout.tile,
      zoom: this.#view.zoom,
      shownWidth: layout.width,
      shownHeight: layout.height,
    };
  }

  /**
   * Draw the board again in another theme.
   * @param {Theme} theme
   */
  setTheme(theme) {
    this.#theme = this.#outlines.theme = theme;
    this.#reset();
  }

  /** @param {boolean} [isMoved] whether only another part is seen, so that sprites stay */
  #reset(isMoved = false) {
    if (!isMoved) {
      this.#sprites = new Sprites(this.#theme, this.#surface.tile, this.#surface.ratio);
    }
    this.#transition = this.#prepared = null;
    if (this.#shown !== null) {
      this.draw(...this.#shown);
    }
  }

  /**
   * Draw a position, or a moment of the animation that leads to it.
   * @param {Position} position
   * @param {View} [view] without it, the position is drawn without an animation
   */
  draw(position, view = {}) {
    this.#shown = [position, view];
    const { previous = null, followed = null, hover = null, pointed } = view;
    const t = previous === null ? 1 : Math.min(1, Math.max(0, view.t ?? 1));
    const transition = this.#transitionOf(previous, position, view.before ?? null);
    const half = t < 0.5 ? 0 : 1;
    if (this.#prepared?.transition !== transition || this.#prepared.half !== half) {
      this.#prepared = { transition, half };
      this.#sprites.tidy();
      this.#surface.prepare(() => this.#drawStill(transition, half));
    }
    this.#surface.showPrepared();
    if (previous !== null) {
      this.#drawTrails(transition, t);
    }
    for (const item of transition.moving) {
      this.#drawItem(item, t);
    }
    this.#drawBetween(transition, t);
    this.#drawHealth(transition, t);
    if (previous !== null && view.calm !== true) {
      paintBursts(this.#surface, this.#theme, transition.bursts, t);
    }
    paintDrawings(this.#surface, this.#theme, view.drawings ?? []);
    if (view.apart !== undefined && half === 1) {
      this.#outlines.apart(view.apart);
    }
    if (followed !== null && followed >= 0) {
      this.#outlines.followed(transition.layers, position, followed, t);
    }
    if (pointed !== undefined) {
      this.#outlines.subject(pointed, transition.layers, t);
    }
    if (hover !== null) {
      this.#outlines.cell(hover);
    }
  }

  /**
   * Return the cell at a point.
   * @param {number} x CSS px from the canvas's left edge
   * @param {number} y CSS px from its upper edge
   * @returns {Place | null} null if there is none
   */
  placeAt(x, y) {
    return placeAt(this.#head.scene, this.#surface.layout, x, y);
  }

  /** Return a cell's middle. @param {Cell} cell @returns {{x: number, y: number}} in CSS px */
  middleOf({ row, col }) {
    const { levelOf, ratio } = this.#surface;
    const [x, y] = this.#surface.corner(levelOf[col], row + 0.5, col + 0.5);
    return { x: x / ratio, y: y / ratio };
  }

  /**
   * Return the cell of the followed unit, otherwise of the mark that is nearest to the middle of the
   * first level, otherwise that middle.
   * @param {number | null} own the seat whose mark it is; null: any player's
   * @returns {Place}
   */
  firstPlace(own) {
    const { rows, levels } = this.#head.scene;
    const middle = { row: rows >> 1, col: levels[0].col + (levels[0].cols >> 1) };
    const [position, { followed = null }] = this.#shown ?? [{ marks: [] }, {}];
    const marks = position.marks.filter(({ col }) => this.#surface.levelOf[col] >= 0);
    /** @param {Cell} cell */
    const distance = ({ row, col }) => Math.hypot(row - middle.row, col - middle.col);
    const [nearest] = marks
      .filter(({ seat }) => (own === null ? seat >= 0 : seat === own))
      .sort((one, other) => distance(one) - distance(other));
    const { row, col } = marks.find(({ unit }) => unit === followed) ?? nearest ?? middle;
    const level = this.#surface.levelOf[col];
    return { row, col, level, levelCol: col - levels[level].col };
  }

  /**
   * Return what stands on a cell, the topmost first.
   * @param {Position} position
   * @param {Cell} place
   * @returns {Mark[]}
   */
  marksAt(position, place) {
    return position.marks
      .filter((mark) => mark.row === place.row && mark.col === place.col)
      .sort((first, second) => layerOf(second) - layerOf(first));
  }

  /**
   * Describe a cell: where it is, who owns the ground, what stands there.
   * @param {Position} position
   * @param {Place} place
   * @returns {string[]}
   */
  describe(position, place) {
    return describeCell(this.#head, position, place, this.marksAt(position, place));
  }

  /**
   * Return the transition between two positions, from the cache if it is the last one.
   * @param {Position | null} previous
   * @param {Position} position
   * @param {Position | null} earlier the position a turn earlier
   * @returns {Transition}
   */
  #transitionOf(previous, position, earlier) {
    const last = this.#transition;
    if (last?.previous === previous && last.position === position && last.earlier === earlier) {
      return last;
    }
    /** @type {Item[][]} */
    const layers = [[], [], [], [], []];
    /**
     * @param {Mark | null} before
     * @param {Mark | null} after
     * @param {number} rows
     * @param {number} cols
     */
    const add = (before, after, rows, cols) => {
      const mark = /** @type {Mark} */ (before ?? after);
      if (this.#surface.levelOf[mark.col] >= 0) {
        layers[layerOf(mark)].push({ before, after, rows, cols });
      }
    };
    /** @type {Glide[]} */
    let glides = [];
    if (previous === null) {
      position.marks.forEach((mark) => add(mark, mark, 0, 0));
    } else {
      const motion = motionOf(this.#head.scene, this.#surface.levelOf, previous, position);
      motion.still.forEach((mark) => add(mark, mark, 0, 0));
      motion.leaving.forEach((mark) => add(mark, null, 0, 0));
      motion.coming.forEach((mark) => add(null, mark, 0, 0));
      motion.moves.forEach((move) => add(move.before, move.after, move.rows, move.cols));
      glides = motion.glides;
    }
    const items = layers.flat();
    const moving = items.filter(isMoving);
    const trails =
      previous === null ? this.#trailsOf(earlier, position) : moving.filter((item) => !isFading(item));
    const bursts =
      previous === null
        ? { bursts: [], floats: [] }
        : burstsOf(this.#head.scene, this.#surface.levelOf, previous, position);
    const wounded = items.filter(({ before, after }) => isWounded(before) || isWounded(after));
    this.#transition = {
      ...{ previous, position, earlier, layers, moving, wounded, glides, trails, bursts },
    };
    return this.#transition;
  }

  /**
   * Return the units that moved in the turn before a position that isn't animated.
   * @param {Position | null} earlier
   * @param {Position} position
   * @returns {Item[]}
   */
  #trailsOf(earlier, position) {
    if (earlier === null || earlier.n !== position.n - 1) {
      return [];
    }
    const { moves } = motionOf(this.#head.scene, this.#surface.levelOf, earlier, position);
    return moves.filter(({ rows, cols, before }) => {
      return (rows !== 0 || cols !== 0) && this.#surface.levelOf[before.col] >= 0;
    });
  }

  /**
   * Draw a line from where each unit came to where it is, in its seat's colour.
   * @param {Transition} transition
   * @param {number} t
   */
  #drawTrails({ trails }, t) {
    const { ctx, layout, scene } = this.#surface;
    if (this.#small || layout.tile < ARROW_TILE || trails.length === 0) {
      return;
    }
    /** @type {Map<number, Path2D>} */
    const lines = new Map();
    for (const item of trails) {
      const { row, col, seat } = /** @type {Mark} */ (item.before);
      const [level, toRow, toCol] = this.#surface.placeAt(item, t);
      const { col: first, cols } = scene.levels[level];
      // A way over the seam of a level has no trail.
      if (toCol >= first && toCol <= first + cols - 1) {
        const line = lines.get(seat) ?? new Path2D();
        line.moveTo(...this.#surface.corner(level, row + 0.5, col + 0.5));
        line.lineTo(...this.#surface.corner(level, toRow + 0.5, toCol + 0.5));
        lines.set(seat, line);
      }
    }
    ctx.lineCap = "round";
    ctx.lineWidth = TRAIL_WIDTH * this.#surface.tile;
    ctx.globalAlpha = 0.5;
    for (const [seat, line] of lines) {
      ctx.strokeStyle = seatColour(seat, this.#theme).unit;
      ctx.stroke(line);
    }
    ctx.globalAlpha = 1;
  }

  /**
   * Draw everything that doesn't move in one half of the animation.
   * @param {Transition} transition
   * @param {0 | 1} half
   */
  #drawStill(transition, half) {
    const { previous, position } = transition;
    const shown = half === 0 && previous !== null ? previous : position;
    this.#scenery.draw(shown, this.#theme, this.#small);
    this.#drawCaptured(shown);
    for (const { row, col } of this.#ground.freeBases) {
      this.#surface.put(this.#sprites.freeBase(), row, col);
    }
    if (previous === null) {
      this.#drawTrails(transition, 1);
    }
    for (const items of transition.layers) {
      for (const item of items) {
        if (!isMoving(item)) {
          this.#drawItem(item, half);
        }
      }
    }
    for (const [row, col, seat] of this.#head.scene.owners) {
      if (this.#surface.levelOf[col] >= 0) {
        this.#surface.put(this.#sprites.base(seat), row, col);
      }
    }
    if (!this.#small) {
      this.#drawArrows(transition, half);
      this.#drawNumbers(transition, half);
      this.#drawLabels(transition, half);
    }
  }

  /** Hatch the ground that was captured in this turn. @param {Position} position */
  #drawCaptured({ captured }) {
    for (const [cell, seat] of captured) {
      const [row, col] = this.#placeOf(cell);
      if (this.#surface.levelOf[col] >= 0) {
        this.#surface.put(this.#sprites.hatch(seat), row, col);
      }
    }
  }

  /**
   * Draw an item where it is at a moment.
   * @param {Item} item
   * @param {number} t
   */
  #drawItem(item, t) {
    const mark = t < 0.5 ? item.before : item.after;
    if (mark === null) {
      return;
    }
    this.#surface.ctx.globalAlpha = isFading(item) ? Math.abs(2 * t - 1) : 1;
    if (mark.shape === "count" && !this.#sprites.fits(mark.text)) {
      // The cell is filled, as thousands of sprites would take too long. A neutral unit's shade
      // shows its number, which doesn't fit.
      const share = mark.seat < 0 ? Math.min(1, Math.log2(1 + Number(mark.text)) / 5) : 1;
      this.#surface.ctx.globalAlpha = 0.25 + 0.75 * share;
      this.#surface.fill(seatColour(mark.seat, this.#theme).unit, mark.row, mark.col);
      this.#surface.ctx.globalAlpha = 1;
      return;
    }
    if (RINGED.has(mark.shape)) {
      this.#surface.putMoving(this.#sprites.ring(), item, t, 1);
    }
    this.#surface.putMoving(this.#sprites.mark(mark), item, t, 0);
    this.#surface.ctx.globalAlpha = 1;
  }

  /**
   * Draw arrows where units without numbers went: faint ones while they move, clear ones
   * afterwards.
   * @param {Transition} transition
   * @param {0 | 1} half
   */
  #drawArrows({ position, previous }, half) {
    const isNext = previous === null || previous.n === position.n - 1;
    if (this.#surface.layout.tile < ARROW_TILE || !isNext) {
      return;
    }
    this.#surface.ctx.globalAlpha = half === 0 ? 0.4 : 0.8;
    for (const { row, col, toRow, toCol, seat } of position.arrows) {
      const cols = columnsBetween(this.#head.scene, this.#surface.levelOf, col, toCol);
      if (Number.isFinite(cols)) {
        const sprite = this.#sprites.arrow(seat, Math.sign(toRow - row), Math.sign(cols));
        this.#surface.put(sprite, row, col);
      }
    }
    this.#surface.ctx.globalAlpha = 1;
  }

  /**
   * Write the numbers again that arrows or bases may have covered.
   * @param {Transition} transition
   * @param {0 | 1} half
   */
  #drawNumbers({ layers, position }, half) {
    const places = this.#head.scene.owners.map(([row, col]) => `${row} ${col}`);
    const covered = new Set(places);
    for (const { row, col, toRow, toCol } of position.arrows) {
      covered.add(`${row} ${col}`).add(`${toRow} ${toCol}`);
    }
    for (const item of layers[COUNT_LAYER]) {
      const mark = half === 0 ? item.before : item.after;
      if (mark !== null && covered.has(`${mark.row} ${mark.col}`) && this.#sprites.fits(mark.text)) {
        this.#surface.put(this.#sprites.number(mark), mark.row, mark.col);
      }
    }
  }

  /**
   * Draw what exists only during the animation: in its first half the units that move along arrows,
   * in its second half a flash on captured ground.
   * @param {Transition} transition
   * @param {number} t
   */
  #drawBetween({ position, previous, glides }, t) {
    if (t < 0.5) {
      for (const { arrow, rows, cols } of glides) {
        const { row, col, seat, text } = arrow;
        const mark = { row, col, seat, text, shape: "count", unit: -1, health: -1, lines: [] };
        const item = { before: mark, after: null, rows, cols };
        this.#surface.putMoving(this.#sprites.mark(mark), item, 2 * t, 0);
      }
    } else if (t < 1 && previous?.n === position.n - 1) {
      const { levelOf, ctx } = this.#surface;
      ctx.globalAlpha = 2 * (1 - t);
      for (const cell of position.captured.keys()) {
        const [row, col] = this.#placeOf(cell);
        if (levelOf[col] >= 0) {
          this.#surface.fill(PALETTE[this.#theme].flash, row, col);
        }
      }
      ctx.globalAlpha = 1;
    }
  }

  /**
   * Draw numbers across cells that are too small for them, the largest first, without overlap.
   * Large neutral ones aren't drawn, as they would cover the seats' units.
   * @param {Transition} transition
   * @param {0 | 1} half
   */
  #drawLabels(transition, half) {
    const { levelOf, layout, ctx } = this.#surface;
    const height = LABEL / layout.tile;
    const marks = transition.layers[COUNT_LAYER]
      .map((item) => (half === 0 ? item.before : item.after))
      .filter((mark) => mark !== null)
      .filter((mark) => mark.seat >= 0 || height <= NEUTRAL_HEIGHT)
      .filter((mark) => !this.#sprites.fits(mark.text));
    for (const { row, col, seat, text } of chooseLabels(marks, height)) {
      const image = this.#sprites.label(seat, text);
      const [x, y] = this.#surface.corner(levelOf[col], row + 0.5, col + 0.5);
      const rightmost = ctx.canvas.width - image.width;
      const left = Math.max(0, Math.min(x - (image.width >> 1), rightmost));
      ctx.drawImage(image, left, y - (image.height >> 1));
    }
  }

  /**
   * Draw health bars under units that are wounded.
   * @param {Transition} transition
   * @param {number} t
   */
  #drawHealth(transition, t) {
    if (this.#small || this.#surface.tile < 5) {
      return;
    }
    const ctx = this.#surface.ctx;
    const height = Math.max(2 * this.#surface.ratio, Math.round(0.14 * this.#surface.tile));
    const edge = Math.max(1, Math.round(this.#surface.ratio / 2));
    const width = Math.round(0.9 * this.#surface.tile);
    for (const item of transition.wounded) {
      const mark = t < 0.5 ? item.before : item.after;
      if (isWounded(mark)) {
        const [x, y] = this.#surface.corner(...this.#surface.placeAt(item, t));
        const left = x + Math.round(0.05 * this.#surface.tile);
        const top = y + Math.round(this.#surface.tile - height / 2);
        ctx.fillStyle = "#000000";
        ctx.fillRect(left, top, width, height);
        ctx.fillStyle = mark.health < LOW_HEALTH ? "#ffb000" : "#ffffff";
        ctx.fillRect(left + edge, top + edge, mark.health * (width - 2 * edge), height - 2 * edge);
      }
    }
  }

  /** Return a cell's place. @param {number} cell its number @returns {[number, number]} */
  #placeOf(cell) {
    const { cols } = this.#head.scene;
    return [Math.floor(cell / cols), cell % cols];
  }
}

/** Whether an item fades in or out. Numbers don't, as they couldn't be read. @param {Item} item */
function isFading({ before, after }) {
  const mark = before ?? after;
  return (before === null || after === null) && mark?.shape !== "count";
}

/** Whether an item changes within one half of the animation. @param {Item} item */
function isMoving(item) {
  return item.rows !== 0 || item.cols !== 0 || isFading(item);
}

/** @param {Mark} mark */
function layerOf({ shape }) {
  return LAYERS.get(shape) ?? UNIT_LAYER;
}

/** @param {Mark | null} mark @returns {mark is Mark} */
function isWounded(mark) {
  return mark !== null && mark.health >= 0 && mark.health < 1;
}
