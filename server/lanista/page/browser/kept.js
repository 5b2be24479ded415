/**
 * What this browser keeps of somebody's choices on the page, from one visit to the next.
 *
 * There may be no storage, as in a private window: then a choice holds until the page is left.
 *
 * @module
 */

const PREFIX = "lanista-";
/** The name of the choice whether the end of a match is told before it is reached. */
export const SPOILERS = "spoilers";
/** Choices of this visit, also where nothing can be stored. @type {Map<string, string>} */
const chosen = new Map();

/**
 * Return a choice.
 *
 * @param {string} name
 * @returns {string | null} null: none was made
 */
export function kept(name) {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return chosen.get(name) ?? null;
  }
}

/**
 * Keep a choice.
 *
 * @param {string} name
 * @param {string} value
 */
export function keep(name, value) {
  chosen.set(name, value);
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    // It holds for this visit.
  }
}
