/**
 * Draws a board on a canvas: one position, or the animation from one to the next.
 *
 * First the ground (ground.js), then marks as copies of sprites (sprites.js). Positions on the canvas
 * come from layout.js and surface.js, movement from motion.js, descriptions of cells from telling.js.
 * It fetches nothing, has no controls, and knows no game.
 */

import { PALETTE, seatColour } from "./colours.js";
import { Ground } from "./ground.js";
import { columnsBetween, labels, placeAt } from "./layout.js";
import { motionOf } from "./motion.js";
import { FONT, LABEL, Sprites } from "./sprites.js";
import { Surface } from "./surface.js";
import { describe } from "./telling.js";

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
 * @property {Position | null} [previous] from where it is animated; null: it isn't
 * @property {number} [t] from 0, the previous position, to 1, this one
 * @property {number | null} [followed] the number of the unit to point out
 * @property {Cell | null} [hover] the cell to outline
 */

/**
 * What is computed once for a pair of positions, for every moment of the animation.
 * @typedef {object} Act
 * @property {Position | null} previous
 * @property {Position} position
 * @property {Item[][]} layers from the lowest
 * @property {Item[]} live those of them that move or fade
 * @property {Item[]} hurt those of them that have a bar of health
 * @property {Glide[]} glides
 */

/** The order in which shapes are drawn; unknown ones count as units. */
const LAYERS = new Map([
  ["gem", 0],
  ["book", 0],
  ["count", 1],
  ["ship", 2],
  ["beast", 4],
]);
const UNITS = 3;
const COUNTS = 1;
/** Size of a tile in CSS px from which there are lines between cells. */
const GRID = 6;
/** Maximum height, in cells, of a neutral number that is written across its cell. */
const NEUTRAL = 1.3;
/** Size of a tile in CSS px from which the heads of arrows can be seen. */
const ARROWS = 5;
/** Number of earlier places of the followed unit that are shown. */
const TRAIL = 10;
/** The share of health below which a bar has another colour. */
const LOW = 0.35;

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
  /** @type {Act | null} */
  #act = null;
  /** What is prepared on the surface: everything that doesn't move in one half of the animation. */
  /** @type {{act: Act, half: 0 | 1} | null} */
  #still = null;
  /** The last thing drawn, to draw it again. @type {[Position, View] | null} */
  #shown = null;
  /** @type {{unit: number, places: Map<number, Cell>}} */
  #trail = { unit: -1, places: new Map() };

  /**
   * @param {HTMLCanvasElement} canvas its size is set by `resize`
   * @param {Head} head of the film
   * @param {{small?: boolean}} [options] small: no grid, titles, arrows or numbers across cells
   */
  constructor(canvas, head, { small = false } = {}) {
    this.#surface = new Surface(canvas, head.scene);
    this.#head = head;
    this.#small = small;
    this.#ground = new Ground(head.scene);
    this.#sprites = new Sprites(this.#theme, 1, 1);
  }

  /**
   * Takes as much of the room as the board can use, and draws the board again.
   * @param {number} width CSS px
   * @param {number} height CSS px
   */
  resize(width, height) {
    this.#surface.resize(width, height, globalThis.devicePixelRatio || 1, this.#small);
    this.#renew();
  }

  /**
   * Draws the board again.
   * @param {Theme} theme
   */
  setTheme(theme) {
    this.#theme = theme;
    this.#renew();
  }

  #renew() {
    this.#sprites = new Sprites(this.#theme, this.#surface.tile, this.#surface.ratio);
    this.#act = this.#still = null;
    if (this.#shown !== null) {
      this.draw(...this.#shown);
    }
  }

  /**
   * @param {Position} position
   * @param {View} [view] left out: the position stands still
   */
  draw(position, view = {}) {
    this.#shown = [position, view];
    const { previous = null, followed = null, hover = null } = view;
    const t = previous === null ? 1 : Math.min(1, Math.max(0, view.t ?? 1));
    const act = this.#actOf(previous, position);
    const half = t < 0.5 ? 0 : 1;
    if (this.#still?.act !== act || this.#still.half !== half) {
      this.#still = { act, half };
      this.#sprites.tidy();
      this.#surface.prepare(() => this.#drawStill(act, half));
    }
    this.#surface.showPrepared();
    for (const item of act.live) {
      this.#drawItem(item, t);
    }
    this.#drawOnTheWay(act, t);
    this.#drawHealth(act, t);
    if (followed !== null && followed >= 0) {
      this.#drawFollowed(act, position, followed, t);
    }
    if (hover !== null) {
      this.#drawHover(hover);
    }
  }

  /**
   * The cell at a point.
   * @param {number} x CSS px in the canvas
   * @param {number} y
   * @returns {Place | null} null: there is none
   */
  placeAt(x, y) {
    return placeAt(this.#head.scene, this.#surface.layout, x, y);
  }

  /**
   * What stands on a cell, the topmost first.
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
   * Describes a cell in words: where it is, who owns the ground, what stands there.
   * @param {Position} position
   * @param {Place} place
   * @returns {string[]}
   */
  describe(position, place) {
    return describe(this.#head, position, place, this.marksAt(position, place));
  }

  /**
   * @param {Position | null} previous
   * @param {Position} position
   * @returns {Act}
   */
  #actOf(previous, position) {
    if (this.#act?.previous === previous && this.#act.position === position) {
      return this.#act;
    }
    /** @type {Item[][]} */
    const layers = [[], [], [], [], []];
    /** @param {Mark | null} before @param {Mark | null} after @param {number} rows @param {number} cols */
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
    const live = items.filter(isLive);
    const hurt = items.filter(({ before, after }) => isHurt(before) || isHurt(after));
    this.#act = { previous, position, layers, live, hurt, glides };
    return this.#act;
  }

  /**
   * Draws everything that doesn't move in one half of the animation.
   * @param {Act} act
   * @param {0 | 1} half
   */
  #drawStill(act, half) {
    const { previous, position } = act;
    const shown = half === 0 && previous !== null ? previous : position;
    this.#drawGround(shown);
    this.#drawCaptured(shown);
    for (const { row, col } of this.#ground.elevators) {
      this.#surface.put(this.#sprites.elevator(), row, col);
    }
    for (const items of act.layers) {
      for (const item of items) {
        if (!isLive(item)) {
          this.#drawItem(item, half);
        }
      }
    }
    if (!this.#small) {
      this.#drawArrows(act, half);
      this.#drawLabels(act, half);
    }
    for (const [row, col, seat] of this.#head.scene.owners) {
      if (this.#surface.levelOf[col] >= 0) {
        this.#surface.put(this.#sprites.base(seat), row, col);
      }
    }
  }

  /** @param {Position} position whose ground is shown */
  #drawGround(position) {
    const cells = this.#ground.paint(position, this.#theme);
    const { scene } = this.#head;
    const { levels: corners, title, tile } = this.#surface.layout;
    const pen = this.#surface.pen;
    pen.imageSmoothingEnabled = false;
    for (const [index, { col, cols, title: words }] of scene.levels.entries()) {
      const x = corners[index].x * this.#surface.ratio;
      const y = corners[index].y * this.#surface.ratio;
      const width = cols * this.#surface.tile;
      const height = scene.rows * this.#surface.tile;
      pen.drawImage(cells, col, 0, cols, scene.rows, x, y, width, height);
      if (title > 0) {
        pen.font = `600 ${13 * this.#surface.ratio}px ${FONT}`;
        pen.textAlign = "left";
        pen.textBaseline = "alphabetic";
        pen.fillStyle = PALETTE[this.#theme].title;
        pen.fillText(words, x, y - 6 * this.#surface.ratio, width);
      }
      if (!this.#small && tile >= GRID) {
        pen.fillStyle = PALETTE[this.#theme].grid;
        const line = Math.max(1, Math.round(this.#surface.ratio / 2));
        for (let at = 1; at < cols; at += 1) {
          pen.fillRect(x + at * this.#surface.tile, y, line, height);
        }
        for (let at = 1; at < scene.rows; at += 1) {
          pen.fillRect(x, y + at * this.#surface.tile, width, line);
        }
      }
    }
  }

  /** Ground that was taken at one stroke is hatched. @param {Position} position */
  #drawCaptured({ captured }) {
    for (const [cell, seat] of captured) {
      const [row, col] = this.#placeOf(cell);
      if (this.#surface.levelOf[col] >= 0) {
        this.#surface.put(this.#sprites.hatch(seat), row, col);
      }
    }
  }

  /**
   * @param {Item} item
   * @param {number} t
   */
  #drawItem(item, t) {
    const mark = t < 0.5 ? item.before : item.after;
    if (mark === null) {
      return;
    }
    this.#surface.pen.globalAlpha = isFading(item) ? Math.abs(2 * t - 1) : 1;
    if (mark.shape === "count" && !this.#sprites.fits(mark.text)) {
      // Cells are filled, as thousands of copies would take too long. Without its number, a neutral
      // unit's shade shows how large it is.
      const share = mark.seat < 0 ? Math.min(1, Math.log2(1 + Number(mark.text)) / 5) : 1;
      this.#surface.pen.globalAlpha = 0.25 + 0.75 * share;
      this.#surface.fill(seatColour(mark.seat, this.#theme).unit, mark.row, mark.col);
      this.#surface.pen.globalAlpha = 1;
      return;
    }
    if (mark.shape === "beast") {
      this.#surface.putMoving(this.#sprites.ring(), item, t, 1);
    }
    this.#surface.putMoving(this.#sprites.mark(mark), item, t, 0);
    this.#surface.pen.globalAlpha = 1;
  }

  /**
   * Draws where units without numbers went: faintly while they move, and when nothing moves.
   * @param {Act} act
   * @param {0 | 1} half
   */
  #drawArrows({ position, previous }, half) {
    const next = previous === null || previous.n === position.n - 1;
    if (this.#surface.layout.tile < ARROWS || !next) {
      return;
    }
    this.#surface.pen.globalAlpha = half === 0 ? 0.4 : 0.8;
    for (const { row, col, toRow, toCol, seat } of position.arrows) {
      const cols = columnsBetween(this.#head.scene, this.#surface.levelOf, col, toCol);
      if (Number.isFinite(cols)) {
        const sprite = this.#sprites.arrow(seat, Math.sign(toRow - row), Math.sign(cols));
        this.#surface.put(sprite, row, col);
      }
    }
    this.#surface.pen.globalAlpha = 1;
  }

  /**
   * In the first half, units that go along the arrows; in the second, the flash of ground that is
   * taken.
   * @param {Act} act
   * @param {number} t
   */
  #drawOnTheWay({ position, previous, glides }, t) {
    if (t < 0.5) {
      for (const { arrow, rows, cols } of glides) {
        const { row, col, seat, text } = arrow;
        const mark = { row, col, seat, text, shape: "count", unit: -1, health: -1, lines: [] };
        const item = { before: mark, after: null, rows, cols };
        this.#surface.putMoving(this.#sprites.mark(mark), item, 2 * t, 0);
      }
    } else if (t < 1 && previous?.n === position.n - 1) {
      const { levelOf, pen } = this.#surface;
      pen.globalAlpha = 2 * (1 - t);
      for (const cell of position.captured.keys()) {
        const [row, col] = this.#placeOf(cell);
        if (levelOf[col] >= 0) {
          this.#surface.fill(PALETTE[this.#theme].flash, row, col);
        }
      }
      pen.globalAlpha = 1;
    }
  }

  /**
   * Draws numbers across cells that are too small for them, the largest first, without overlap.
   * Neutral ones are drawn only where they hide little: they would cover the seats' units.
   * @param {Act} act
   * @param {0 | 1} half before or after
   */
  #drawLabels(act, half) {
    const { levelOf, layout, pen } = this.#surface;
    const height = LABEL / layout.tile;
    const marks = act.layers[COUNTS]
      .map((item) => (half === 0 ? item.before : item.after))
      .filter((mark) => mark !== null)
      .filter((mark) => mark.seat >= 0 || height <= NEUTRAL)
      .filter((mark) => !this.#sprites.fits(mark.text));
    for (const { row, col, seat, text } of labels(marks, height)) {
      const image = this.#sprites.label(seat, text);
      const [x, y] = this.#surface.corner(levelOf[col], row + 0.5, col + 0.5);
      const rightmost = pen.canvas.width - image.width;
      const left = Math.max(0, Math.min(x - (image.width >> 1), rightmost));
      pen.drawImage(image, left, y - (image.height >> 1));
    }
  }

  /** Bars under units that are hurt. @param {Act} act @param {number} t */
  #drawHealth(act, t) {
    if (this.#small || this.#surface.tile < 5) {
      return;
    }
    const pen = this.#surface.pen;
    const height = Math.max(2 * this.#surface.ratio, Math.round(0.14 * this.#surface.tile));
    const edge = Math.max(1, Math.round(this.#surface.ratio / 2));
    const width = Math.round(0.9 * this.#surface.tile);
    for (const item of act.hurt) {
      const mark = t < 0.5 ? item.before : item.after;
      if (isHurt(mark)) {
        const [x, y] = this.#surface.corner(...this.#surface.on(item, t));
        const left = x + Math.round(0.05 * this.#surface.tile);
        const top = y + Math.round(this.#surface.tile - height / 2);
        pen.fillStyle = "#000000";
        pen.fillRect(left, top, width, height);
        pen.fillStyle = mark.health < LOW ? "#ffb000" : "#ffffff";
        pen.fillRect(left + edge, top + edge, mark.health * (width - 2 * edge), height - 2 * edge);
      }
    }
  }

  /**
   * Draws a ring around the followed unit, and its path.
   * @param {Act} act
   * @param {Position} position
   * @param {number} unit
   * @param {number} t
   */
  #drawFollowed(act, position, unit, t) {
    if (this.#trail.unit !== unit) {
      this.#trail = { unit, places: new Map() };
    }
    const { places } = this.#trail;
    const mark = position.marks.find((one) => one.unit === unit);
    if (mark !== undefined) {
      places.set(position.n, mark);
    }
    const pen = this.#surface.pen;
    const { focus, halo } = PALETTE[this.#theme];
    const line = 2 * this.#surface.ratio;
    pen.strokeStyle = focus;
    pen.lineCap = "round";
    for (let n = position.n - TRAIL; n < position.n - 1; n += 1) {
      const [from, to] = [places.get(n), places.get(n + 1)];
      if (from && to && Math.hypot(to.row - from.row, to.col - from.col) <= 1.5) {
        pen.globalAlpha = 1 - (position.n - n) / (TRAIL + 2);
        pen.lineWidth = line;
        pen.beginPath();
        pen.moveTo(...this.#surface.corner(this.#surface.levelOf[from.col], from.row + 0.5, from.col + 0.5));
        pen.lineTo(...this.#surface.corner(this.#surface.levelOf[to.col], to.row + 0.5, to.col + 0.5));
        pen.stroke();
      }
    }
    pen.globalAlpha = 1;
    for (const item of act.layers.flat()) {
      const shown = t < 0.5 ? item.before : item.after;
      if (shown?.unit === unit) {
        const [level, row, col] = this.#surface.on(item, t);
        const [x, y] = this.#surface.corner(level, row + 0.5, col + 0.5);
        pen.beginPath();
        pen.arc(x, y, Math.max(0.85 * this.#surface.tile, 8 * this.#surface.ratio), 0, 2 * Math.PI);
        pen.lineWidth = 2.6 * line;
        pen.strokeStyle = halo;
        pen.stroke();
        pen.lineWidth = 1.4 * line;
        pen.strokeStyle = focus;
        pen.stroke();
      }
    }
  }

  /** @param {Cell} cell */
  #drawHover({ row, col }) {
    if (this.#surface.levelOf[col] < 0) {
      return;
    }
    const [x, y] = this.#surface.corner(this.#surface.levelOf[col], row, col);
    const pen = this.#surface.pen;
    const { focus, halo } = PALETTE[this.#theme];
    for (const [colour, width] of /** @type {[string, number][]} */ ([
      [halo, 4],
      [focus, 2],
    ])) {
      pen.strokeStyle = colour;
      pen.lineWidth = width * this.#surface.ratio;
      pen.strokeRect(x, y, this.#surface.tile, this.#surface.tile);
    }
  }

  /** @param {number} cell @returns {[row: number, col: number]} */
  #placeOf(cell) {
    const { cols } = this.#head.scene;
    return [Math.floor(cell / cols), cell % cols];
  }
}

/** Numbers don't fade: half a number is none. @param {Item} item */
function isFading({ before, after }) {
  const mark = before ?? after;
  return (before === null || after === null) && mark?.shape !== "count";
}

/** Whether it looks otherwise from one moment to the next. @param {Item} item */
function isLive(item) {
  return item.rows !== 0 || item.cols !== 0 || isFading(item);
}

/** @param {Mark} mark */
function layerOf({ shape }) {
  return LAYERS.get(shape) ?? UNITS;
}

/** @param {Mark | null} mark @returns {mark is Mark} */
function isHurt(mark) {
  return mark !== null && mark.health >= 0 && mark.health < 1;
}
