/**
 * Log lines that draw on the board: what a bot's lines that begin `#@` mean (PROTOCOL.md 9).
 *
 * Whatever a log contains, reading it throws nothing, and what comes out is bounded: integers on the
 * board, finite numbers, colours of a fixed form, and text, which is to be shown as text only.
 * Nothing is drawn here. lanista_protocol/drawing.py is the same for Python; both are tested with
 * protocol/vectors/drawings.jsonl.
 *
 * @module
 */

/** @typedef {import("./decode.js").Play} Play */
/** @typedef {import("./decode.js").Scene} Scene */
/** @typedef {[rows: number, cols: number]} LevelSize */

/**
 * @typedef {object} Drawing
 * @property {"cell" | "line" | "arrow" | "text"} kind
 * @property {readonly [row: number, col: number][]} points cells of the level: those to mark, or the
 *   corners of the line
 * @property {number} level
 * @property {string} colour one of COLOURS, or `#rrggbb`
 * @property {string} text of a `text`; otherwise empty
 */

/** @typedef {{name: string, number: number}} Value */

/**
 * @typedef {object} LogLine
 * @property {string} text the line without its newline, as the bot sent it
 * @property {Drawing} [drawing] what it draws
 * @property {Value} [value] the number that it names
 * @property {{fault: string, words: string}} [remark] why it draws nothing though it should: the
 *   remark's word in PROTOCOL.md 9, and what is wrong, for people
 */

/** The colours that have a name; `own` is that of the bot's seat. */
export const COLOURS = Object.freeze([
  "own",
  "red",
  "orange",
  "yellow",
  "green",
  "blue",
  "pink",
  "gray",
  "ink",
]);
/** Maximum length of a line in code points. */
const MAX_LINE = 8000;
/** Maximum number of drawings, of points of all drawings, and of values, of a bot in a turn. */
const MAX_DRAWINGS = 500;
const MAX_POINTS = 4000;
const MAX_VALUES = 20;
/** Maximum length of a text on the board in code points. */
const MAX_TEXT = 80;
/** Maximum absolute value, and length in characters, of a number that becomes a curve. */
const MAX_NUMBER = 1e15;
const MAX_DIGITS = 32;
/** Maximum number of characters of a bot's word in a remark. */
const MAX_QUOTED = 40;

const INTEGER = /^-?[0-9]{1,10}$/;
const COLOUR = /^#[0-9A-Fa-f]{6}$/;
const NAME = /^[A-Za-z0-9._-]{1,32}$/;
const NUMBER = /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/;
/** The arena's line that says that the rest of a turn's log was dropped. */
const CUT = "# … the rest of this turn's log was dropped";

/**
 * By kind: how many integers it takes before its colour, and its form.
 * @type {Map<string, {least: number, most: number, form: string}>}
 */
const KINDS = new Map([
  ["cell", { least: 2, most: Infinity, form: "#@ cell ROW COLUMN [ROW COLUMN …] [LEVEL] COLOUR" }],
  [
    "line",
    { least: 4, most: Infinity, form: "#@ line ROW COLUMN ROW COLUMN [ROW COLUMN …] [LEVEL] COLOUR" },
  ],
  [
    "arrow",
    { least: 4, most: Infinity, form: "#@ arrow ROW COLUMN ROW COLUMN [ROW COLUMN …] [LEVEL] COLOUR" },
  ],
  ["text", { least: 2, most: 3, form: "#@ text ROW COLUMN [LEVEL] COLOUR TEXT" }],
  ["value", { least: 0, most: 0, form: "#@ value NAME NUMBER" }],
]);

/**
 * Return the sizes of a scene's levels.
 *
 * @param {Scene} scene
 * @returns {LevelSize[]}
 */
function levelSizes({ rows, levels }) {
  return levels.map(({ cols }) => [rows, cols]);
}

/**
 * Return the lines of a bot's log of one turn, each with its meaning.
 *
 * @param {string} log with newlines
 * @param {readonly LevelSize[]} levels the sizes of the board's levels
 * @returns {LogLine[]}
 */
export function readLog(log, levels) {
  const texts = log.split("\n");
  if (texts.at(-1) === "") {
    texts.pop();
  }
  let drawings = 0;
  let points = 0;
  let values = 0;
  return texts.map((text, at) => {
    if (!text.startsWith("#@")) {
      return { text };
    }
    if (texts[at + 1] === CUT) {
      return refused(text, "cut", "the log was cut here, so this line may be incomplete");
    }
    const line = readLine(text, levels);
    if (line.drawing !== undefined) {
      if (drawings === MAX_DRAWINGS) {
        return refused(text, "many", `only ${MAX_DRAWINGS} drawings in a turn are shown`);
      }
      if (points + line.drawing.points.length > MAX_POINTS) {
        return refused(text, "many", `only ${MAX_POINTS} points in a turn are shown`);
      }
      drawings += 1;
      points += line.drawing.points.length;
    } else if (line.value !== undefined) {
      if (values === MAX_VALUES) {
        return refused(text, "many", `only ${MAX_VALUES} values in a turn are shown`);
      }
      values += 1;
    }
    return line;
  });
}

/**
 * What `readTurn` has returned, as views ask for the same turn again and again.
 * @type {WeakMap<Play, ReadonlyMap<number, LogLine[]>>}
 */
const READ = new WeakMap();

/**
 * Return the lines that each bot logged in a turn, by seat; bots that logged nothing are left out.
 *
 * @param {Play} play
 * @param {Scene} scene whose board the lines are about
 * @returns {ReadonlyMap<number, LogLine[]>}
 */
export function readTurn(play, scene) {
  const known = READ.get(play);
  if (known !== undefined) {
    return known;
  }
  const levels = levelSizes(scene);
  const lines = new Map(
    Object.entries(play.logs ?? {})
      .filter(([, log]) => log !== "")
      .map(([seat, log]) => [Number(seat), readLog(log, levels)]),
  );
  READ.set(play, lines);
  return lines;
}

/**
 * Return a line that begins `#@` with its meaning, without the limits of a turn.
 *
 * @param {string} text with or without a carriage return at its end
 * @param {readonly LevelSize[]} levels
 * @returns {LogLine}
 */
function readLine(text, levels) {
  const line = text.endsWith("\r") ? text.slice(0, -1) : text;
  if (line.length > MAX_LINE && [...line].length > MAX_LINE) {
    return refused(text, "long", `the line has ${[...line].length} characters; at most ${MAX_LINE}`);
  }
  const words = line
    .slice(2)
    .split(" ")
    .filter((word) => word !== "");
  const kind = words[0] ?? "";
  const rules = KINDS.get(kind);
  if (rules === undefined) {
    const known = [...KINDS.keys()].join(", ");
    return refused(text, "kind", `${quoted(kind)} can't be drawn; known are ${known}`);
  }
  if (kind === "value") {
    return readValue(text, words, rules.form);
  }
  let count = 1;
  while (count < words.length && INTEGER.test(words[count])) {
    count += 1;
  }
  // Adding 0 makes 0 of -0.
  const numbers = words.slice(1, count).map((word) => Number(word) + 0);
  const rest = words.slice(count);
  if (rest.length > 0 && !COLOURS.includes(rest[0]) && !COLOUR.test(rest[0])) {
    const known = COLOURS.join(", ");
    const word = quoted(rest[0]);
    return refused(
      text,
      "word",
      `${word} is neither an integer nor a colour; colours are ${known} and #rrggbb`,
    );
  }
  const counted = rules.least <= numbers.length && numbers.length <= rules.most;
  if (rest.length === 0 || !counted || rest.length > 1 !== (kind === "text")) {
    return refused(text, "form", `the form is ${rules.form}`);
  }
  const level = numbers.length % 2 === 1 ? /** @type {number} */ (numbers.pop()) : 0;
  /** @type {[number, number][]} */
  const points = [];
  for (let at = 0; at < numbers.length; at += 2) {
    points.push([numbers[at], numbers[at + 1]]);
  }
  const outside = outsideWords(points, level, levels);
  if (outside !== null) {
    return refused(text, "cell", outside);
  }
  const shown = rest.slice(1).join(" ");
  const length = [...shown].length;
  if (length > MAX_TEXT) {
    return refused(text, "text", `the text has ${length} characters; at most ${MAX_TEXT}`);
  }
  const drawn = /** @type {Drawing["kind"]} */ (kind);
  return { text, drawing: { kind: drawn, points, level, colour: rest[0], text: shown } };
}

/**
 * @param {string} text
 * @param {string[]} words
 * @param {string} form
 * @returns {LogLine}
 */
function readValue(text, words, form) {
  if (words.length !== 3) {
    return refused(text, "form", `the form is ${form}`);
  }
  const [, name, digits] = words;
  if (!NAME.test(name)) {
    const rule = "names are 1 to 32 of A-Z a-z 0-9 . _ -";
    return refused(text, "name", `${quoted(name)} isn't a name; ${rule}`);
  }
  const number = digits.length <= MAX_DIGITS && NUMBER.test(digits) ? Number(digits) + 0 : NaN;
  if (!(Math.abs(number) <= MAX_NUMBER)) {
    const rule = `from -1e15 to 1e15 of at most ${MAX_DIGITS} characters`;
    return refused(text, "number", `${quoted(digits)} isn't a number ${rule}`);
  }
  return { text, value: { name, number } };
}

/**
 * Say which place isn't on the board.
 *
 * @param {readonly [number, number][]} points
 * @param {number} level
 * @param {readonly LevelSize[]} levels
 * @returns {string | null} null: all are
 */
function outsideWords(points, level, levels) {
  const size = levels[level];
  if (size === undefined) {
    return `there is no level ${level}; levels are 0 to ${levels.length - 1}`;
  }
  const [rows, cols] = size;
  const outside = points.find(([row, col]) => !(row >= 0 && row < rows && col >= 0 && col < cols));
  if (outside === undefined) {
    return null;
  }
  const [row, col] = outside;
  const range = `rows are 0 to ${rows - 1}, columns 0 to ${cols - 1}`;
  return `row ${row}, column ${col} isn't on the board; ${range}`;
}

/** @param {string} text @param {string} fault @param {string} words @returns {LogLine} */
function refused(text, fault, words) {
  return { text, remark: { fault, words } };
}

/** Return a bot's word for a remark, cut if it is long. @param {string} word */
function quoted(word) {
  const letters = [...word.slice(0, 2 * MAX_QUOTED + 2)];
  const cut = letters.length > MAX_QUOTED ? "…" : "";
  return `‘${letters.slice(0, MAX_QUOTED).join("")}${cut}’`;
}
