/**
 * The layout of a scene's levels and cells on a canvas: sizes, places, hit-testing.
 *
 * This is pure geometry in CSS pixels.
 */

/** @typedef {import("./decode.js").Scene} Scene */
/** @typedef {{row: number, col: number}} Cell */

/**
 * @typedef {object} Place a cell of the grid, with its level
 * @property {number} row
 * @property {number} col column of the grid
 * @property {number} level index of the level in the scene
 * @property {number} levelCol column of the level
 */

/**
 * @typedef {object} Layout
 * @property {number} width CSS px that the board takes
 * @property {number} height
 * @property {number} tile CSS px of a cell's side
 * @property {number} title CSS px above each level for its title and the numbers of columns
 * @property {number} side CSS px at the left for the numbers of rows
 * @property {{x: number, y: number}[]} levels the upper left corner of each, below its title
 */

/**
 * The part of a board that is seen: how many times larger it is than as a whole, and which point of
 * it, as a share of its width and height, lies where on the canvas, in CSS px.
 * @typedef {{zoom: number, point: {x: number, y: number}, at: {x: number, y: number}}} View
 */

/** The whole board. @type {View} */
export const WHOLE = Object.freeze({ zoom: 1, point: { x: 0, y: 0 }, at: { x: 0, y: 0 } });
/** Distance between two levels in CSS px. */
const GAP = 6;
/** Height of a level's title and its columns' numbers, and width of its rows' numbers, in CSS px. */
const TITLE = 16;
const SIDE = 22;
/** By how much larger tiles must be without numbers of rows and columns for these to be left out. */
const LARGER = 1.05;
/** Share of the largest tile from which another one is about alike. */
const ALIKE = 0.87;
/** Size in screen pixels from which a tile must be a whole number of them. */
const WHOLE_PIXELS = 4;

/**
 * Put levels beside or above each other, whichever gives larger tiles; above each other if they are
 * alike. Above each other, the last one is on top, as with the floors of a house.
 * @param {Scene} scene
 * @param {number} width CSS px available
 * @param {number} height
 * @param {number} ratio screen pixels in a CSS px
 * @param {boolean} small without titles and numbers of rows and columns
 * @param {number} [zoom] by how much its tiles are larger than those that fit
 * @returns {Layout}
 */
export function layout(scene, width, height, ratio, small, zoom = 1) {
  const { levels, rows } = scene;
  const gap = small ? GAP / 3 : GAP;
  const gaps = gap * (levels.length - 1);
  const total = levels.reduce((sum, level) => sum + level.cols, 0);
  const widest = Math.max(...levels.map((level) => level.cols));
  const isTitled = levels.some((level) => level.title !== "");
  /** @param {number} title @param {number} side */
  const fitted = (title, side) => ({
    title,
    side,
    beside: tileSize(Math.min((width - side - gaps) / total, (height - title) / rows), ratio),
    above: tileSize(
      Math.min(
        (width - side) / widest,
        (height - gaps - title * levels.length) / (rows * levels.length),
      ),
      ratio,
    ),
  });
  const bare = fitted(!small && isTitled ? TITLE : 0, 0);
  const numbered = fitted(TITLE, SIDE);
  const [larger, tile] = [bare, numbered].map((one) => Math.max(one.beside, one.above));
  const { title, side, ...tiles } = small || larger > LARGER * tile ? bare : numbered;
  let { beside, above } = tiles;
  // If they are alike, above each other: what is narrow leaves room for the evidence beside it.
  const isBeside = beside > above;
  if (zoom > 1) {
    beside = tileSize(zoom * beside, ratio);
    above = tileSize(zoom * above, ratio);
  }
  /** Round a length to whole screen pixels. @param {number} length */
  const snap = (length) => Math.round(length * ratio) / ratio;
  const corners = [];
  if (isBeside) {
    let x = side;
    for (const level of levels) {
      corners.push({ x: snap(x), y: title });
      x += level.cols * beside + gap;
    }
    return {
      width: x - gap,
      height: title + rows * beside,
      tile: beside,
      title,
      side,
      levels: corners,
    };
  }
  const storey = title + rows * above + gap;
  for (let level = levels.length - 1; level >= 0; level -= 1) {
    corners.push({ x: side, y: snap(title + level * storey) });
  }
  return {
    width: side + widest * above,
    height: storey * levels.length - gap,
    tile: above,
    title,
    side,
    levels: corners,
  };
}

/**
 * Return the part of a layout that is seen through a window of some size.
 * @param {Layout} whole
 * @param {{width: number, height: number}} size
 * @param {View} view
 * @param {number} ratio screen pixels in a CSS px
 * @returns {{seen: Layout, left: number, top: number}} and what lies beyond its left and upper edge
 */
export function part(whole, { width, height }, { point, at }, ratio) {
  /** @param {number} wanted @param {number} all @param {number} some */
  const start = (wanted, all, some) =>
    Math.round(Math.max(0, Math.min(wanted, all - some)) * ratio) / ratio;
  const left = start(point.x * whole.width - at.x, whole.width, width);
  const top = start(point.y * whole.height - at.y, whole.height, height);
  const levels = whole.levels.map(({ x, y }) => ({ x: x - left, y: y - top }));
  const seen = {
    ...whole,
    width: Math.min(width, whole.width),
    height: Math.min(height, whole.height),
    levels,
  };
  return { seen, left, top };
}

/**
 * Choose where boards of the same scene and the evidence go: two boards side by side or one above the
 * other, and the evidence beside or below them, whichever leaves room for the largest tiles. If they
 * are about alike, a board of several levels fills the width; otherwise boards are side by side, and
 * the evidence beside them.
 * @param {Scene} scene
 * @param {{width: number, height: number}} room for all of it, in CSS px
 * @param {{width: number, height: number}} needed the width that the evidence needs beside the
 *   boards, and the height that it needs below them
 * @param {{boards: number, gap: number, caption: number}} shown the number of boards, the distance
 *   between them, and the height of the caption of each
 * @param {number} ratio screen pixels in a CSS px
 * @returns {{isBelow: boolean, isStacked: boolean, width: number, height: number}} and the room of
 *   each board
 */
export function arrange(scene, room, needed, { boards, gap, caption }, ratio) {
  const gaps = (boards - 1) * gap;
  const choices = [false, true].flatMap((isBelow) => {
    const width = room.width - (isBelow ? 0 : needed.width);
    const height = room.height - (isBelow ? needed.height : 0);
    return [
      { isBelow, isStacked: false, width: (width - gaps) / boards, height: height - caption },
      { isBelow, isStacked: true, width, height: (height - gaps) / boards - caption },
    ];
  });
  const rated = choices
    .map((one) => ({ ...one, width: Math.max(1, one.width), height: Math.max(1, one.height) }))
    .map((one) => ({ one, of: layout(scene, one.width, one.height, ratio, false) }));
  const largest = Math.max(...rated.map(({ of }) => of.tile));
  const [best] = rated
    .filter(({ of }) => of.tile >= ALIKE * largest)
    .sort((first, second) => second.of.width - first.of.width); // a stable sort
  return best.one;
}

/**
 * Return the size of a tile, rounded down to whole screen pixels so that all cells look alike. A
 * tiny tile isn't rounded, as it would waste too much of the room.
 * @param {number} tile available size in CSS px
 * @param {number} ratio
 */
function tileSize(tile, ratio) {
  const pixels = Math.max(tile * ratio, 0.25);
  return (pixels < WHOLE_PIXELS ? pixels : Math.floor(pixels)) / ratio;
}

/**
 * Return the cell at a point of the canvas.
 * @param {Scene} scene
 * @param {Layout} where
 * @param {number} x CSS px from the canvas's left edge
 * @param {number} y CSS px from its upper edge
 * @returns {Place | null} null if there is none
 */
export function placeAt(scene, where, x, y) {
  for (const [level, corner] of where.levels.entries()) {
    const row = Math.floor((y - corner.y) / where.tile);
    const levelCol = Math.floor((x - corner.x) / where.tile);
    const { col, cols } = scene.levels[level];
    if (row >= 0 && row < scene.rows && levelCol >= 0 && levelCol < cols) {
      return { row, col: col + levelCol, level, levelCol };
    }
  }
  return null;
}

/**
 * Return the level of each column of the grid.
 * @param {Scene} scene
 * @returns {Int16Array} -1: the column is in no level and isn't drawn
 */
export function levelByColumn(scene) {
  const levels = new Int16Array(scene.cols).fill(-1);
  for (const [index, level] of scene.levels.entries()) {
    levels.fill(index, level.col, level.col + level.cols);
  }
  return levels;
}

/**
 * Return the number of columns to the right from one column of the grid to another, by the shorter
 * way if their level wraps.
 * @param {Scene} scene
 * @param {Int16Array} levelOf by `levelByColumn`
 * @param {number} from
 * @param {number} to
 * @returns {number} negative: to the left; Infinity: on different levels
 */
export function columnsBetween(scene, levelOf, from, to) {
  if (levelOf[from] !== levelOf[to] || levelOf[from] < 0) {
    return Infinity;
  }
  const { cols, wraps } = scene.levels[levelOf[from]];
  const straight = to - from;
  if (wraps && Math.abs(straight) > cols / 2) {
    return straight - Math.sign(straight) * cols;
  }
  return straight;
}

/**
 * Choose the numbers to write across cells that are too small for them: those of seats before
 * neutral ones, larger ones first, and none that would cover another.
 * @template {{row: number, col: number, seat: number, text: string}} Label
 * @param {readonly Label[]} all
 * @param {number} height height of a letter in cells
 * @returns {Label[]}
 */
export function chooseLabels(all, height) {
  const sorted = all
    .map((label) => ({ label, owned: label.seat < 0 ? 0 : 1, count: Number(label.text) }))
    .sort((one, other) => other.owned - one.owned || other.count - one.count)
    .map(({ label }) => label);
  /** @type {Map<number, {row: number, col: number, half: number}[]>} */
  const buckets = new Map();
  const wide = 0.6 * height;
  // Two labels that touch lie in the same bucket or in neighbouring ones.
  const longest = Math.max(1, ...all.map((label) => label.text.length));
  const size = Math.max(height, wide * longest + 0.3 * height);
  return sorted.filter(({ row, col, text }) => {
    const half = (wide * text.length + 0.3 * height) / 2;
    const [y, x] = [Math.floor(row / size), Math.floor(col / size)];
    for (let down = y - 1; down <= y + 1; down += 1) {
      for (let right = x - 1; right <= x + 1; right += 1) {
        for (const other of buckets.get(down * BUCKETS_PER_ROW + right) ?? EMPTY) {
          const near = Math.abs(other.col - col) < half + other.half;
          if (near && Math.abs(other.row - row) < height) {
            return false;
          }
        }
      }
    }
    const key = y * BUCKETS_PER_ROW + x;
    const placed = buckets.get(key);
    if (placed === undefined) {
      buckets.set(key, [{ row, col, half }]);
    } else {
      placed.push({ row, col, half });
    }
    return true;
  });
}

/** Multiplier of a bucket's row in its key: larger than any column. */
const BUCKETS_PER_ROW = 2 ** 24;
/** @type {never[]} */
const EMPTY = [];
