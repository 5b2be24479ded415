/**
 * What this browser keeps of somebody's choices on the page, from one visit to the next, and the
 * tokens that it keeps for a tab.
 *
 * There may be no storage, as in a private window, or within another site's page: then both hold
 * until the page is left.
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

/** What is kept for this tab where nothing can be stored. @type {Map<string, string>} */
const inTab = new Map();

/**
 * Return what is kept for this tab.
 *
 * @param {string} key
 * @returns {string | null} null: nothing
 */
export function keptInTab(key) {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return inTab.get(key) ?? null;
  }
}

/**
 * Keep something for this tab.
 *
 * @param {string} key
 * @param {string | null} value null: nothing any more
 */
export function keepInTab(key, value) {
  try {
    if (value === null) {
      sessionStorage.removeItem(key);
    } else {
      sessionStorage.setItem(key, value);
    }
  } catch {
    if (value === null) {
      inTab.delete(key);
    } else {
      inTab.set(key, value);
    }
  }
}
