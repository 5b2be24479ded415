/**
 * What a bot's process wrote to standard error and standard output, by the turn in which the arena
 * read it.
 *
 * These are pure functions of a match's data; they create no elements.
 *
 * @module
 */

/**
 * A part of an output. `round`: the one to which the turn led; null: before the match, or unknown.
 * @typedef {{round: number | null, text: string}} OutputPart
 */

/**
 * Divide a bot's output by turns.
 *
 * @param {string} text
 * @param {readonly (readonly [number, number])[]} turns by part, its turn, and the character (a code
 *   point) at which it begins
 * @returns {OutputPart[]} their texts joined are the output
 */
export function outputParts(text, turns) {
  const characters = [...text];
  /** @type {OutputPart[]} */
  const parts = [];
  let from = 0;
  /** @type {number | null} */
  let round = null;
  for (const [turn, start] of [...turns, [NaN, characters.length]]) {
    const to = Math.min(Math.max(from, start), characters.length);
    if (to > from) {
      parts.push({ round, text: characters.slice(from, to).join("") });
    }
    from = to;
    round = turn + 1;
  }
  return parts;
}
