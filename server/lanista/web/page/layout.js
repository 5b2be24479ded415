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
 * @property {number} title CSS px above each level for its title; 0: no titles
 * @property {{x: number, y: number}[]} levels the upper left corner of each, below its title
 */

/** Distance between two levels in CSS px. */
const GAP = 12;
/** Height of a level's title in CSS px. */
export const TITLE = 20;
/** Size in screen pixels from which a tile must be a whole number of them. */
const WHOLE_PIXELS = 4;

/**
 * Put levels beside or above each other, whichever gives larger tiles. Above each other, the last
 * one is on top, as with the floors of a house.
 * @param {Scene} scene
 * @param {number} width CSS px available
 * @param {number} height
 * @param {number} ratio screen pixels in a CSS px
 * @param {boolean} small without titles
 * @returns {Layout}
 */
export function layout(scene, width, height, ratio, small) {
  const { levels, rows } = scene;
  const title = !small && levels.some((level) => level.title !== "") ? TITLE : 0;
  const gap = small ? GAP / 3 : GAP;
  const gaps = gap * (levels.length - 1);
  const total = levels.reduce((sum, level) => sum + level.cols, 0);
  const widest = Math.max(...levels.map((level) => level.cols));
  const beside = tileSize(Math.min((width - gaps) / total, (height - title) / rows), ratio);
  const above = tileSize(
    Math.min(width / widest, (height - gaps - title * levels.length) / (rows * levels.length)),
    ratio,
  );
  /** Round a length to whole screen pixels. @param {number} length */
  const snap = (length) => Math.round(length * ratio) / ratio;
  const corners = [];
  if (beside >= above) {
    let x = 0;
    for (const level of levels) {
      corners.push({ x: snap(x), y: title });
      x += level.cols * beside + gap;
    }
    return {
      width: x - gap,
      height: title + rows * beside,
      tile: beside,
      title,
      levels: corners,
    };
  }
  const storey = title + rows * above + gap;
  for (let level = levels.length - 1; level >= 0; level -= 1) {
    corners.push({ x: 0, y: snap(title + level * storey) });
  }
  return {
    width: widest * above,
    height: storey * levels.length - gap,
    tile: above,
    title,
    levels: corners,
  };
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
