/**
 * How far a view is scrolled, kept in its entry of the browser's history: a view is empty when the
 * user comes back to it, so the browser itself can't scroll there.
 *
 * @module
 */

/** Milliseconds for which a view may take to become long enough again. */
const PATIENCE = 10_000;

/** Keep from now on how far views are scrolled. */
export function keepScrolled() {
  addEventListener("scrollend", () => history.replaceState({ scrolled: scrollY }, ""));
}

/**
 * Return how far a view was scrolled when the user left it.
 *
 * @returns {number} 0 if they weren't there before
 */
export function wasScrolled() {
  return history.state?.scrolled ?? 0;
}

/**
 * Scroll a view as soon as it is long enough, unless that takes long or the user does something.
 *
 * @param {HTMLElement} root contains the view
 * @param {number} y
 * @returns {AbortController} ends it
 */
export function scrollBack(root, y) {
  const waiting = new AbortController();
  const growing = new ResizeObserver(() => {
    scrollTo(0, y);
    if (scrollY >= y) {
      waiting.abort();
    }
  });
  waiting.signal.addEventListener("abort", () => growing.disconnect());
  for (const type of ["wheel", "pointerdown", "keydown"]) {
    addEventListener(type, () => waiting.abort(), { signal: waiting.signal });
  }
  setTimeout(() => waiting.abort(), PATIENCE);
  growing.observe(root);
  return waiting;
}
