/**
 * The marks at the slider: where answers were late or refused, bots failed, many more orders than
 * before had no effect, and things happened, and where two matches first differ.
 *
 * @module
 */

import { el } from "./dom.js";
import { context2d } from "./ground.js";
import { DIFFERENCE, EVENT, FAILED, LATE, REFUSED, WASTED } from "./moments.js";

/** @typedef {import("./controls.js").Moments} Moments */

/** Width of the slider's thumb in CSS px: the first and the last round are half of it inside. */
export const THUMB = 16;
/** Height in CSS px. */
const HEIGHT = 12;
/** Height in CSS px of the line of what goes on for several rounds. */
const LINE = 3;
/**
 * What is drawn, the least important first: flags, the CSS variable of its colour, and the share of
 * the height that it takes.
 *
 * @type {[flags: number, colour: string, share: number][]}
 */
const KINDS = [
  [EVENT, "--muted", 0.35],
  [REFUSED | WASTED, "--warn", 0.65],
  [LATE | FAILED, "--danger", 1],
  [DIFFERENCE, "--accent", 1],
];

/**
 * Make the marks.
 *
 * @returns {{element: HTMLElement, show(moments: Moments, options: {seat: number | null,
 *   last: number, upTo: number}): void, restyle(): void, close(): void}} `show` draws them if
 *   anything has changed: of one seat or all, for a slider from 0 to `last`, no round beyond `upTo`;
 *   `restyle` adopts another theme with the next `show`
 */
export function slideMarks() {
  const canvas = el("canvas", { class: "marks", "aria-hidden": "true" });
  let drawn = "";
  // Asking for the size and the colours of an element for every round would slow down play.
  let width = 0;
  /** @type {string[] | null} */
  let colours = null;
  /** Draws what was shown last. */
  let again = () => {};
  const sized = new ResizeObserver(([{ contentRect }]) => {
    width = contentRect.width;
    again();
  });
  sized.observe(canvas);
  return {
    element: canvas,
    restyle() {
      drawn = "";
      colours = null;
    },
    close() {
      sized.disconnect();
    },
    show(moments, { seat, last, upTo }) {
      again = () => this.show(moments, { seat, last, upTo });
      const key = `${moments.version} ${seat} ${last} ${upTo} ${width}`;
      if (key === drawn || width === 0) {
        return;
      }
      drawn = key;
      const ratio = globalThis.devicePixelRatio || 1;
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(HEIGHT * ratio);
      const ctx = context2d(canvas);
      if (colours === null) {
        const style = getComputedStyle(canvas);
        colours = KINDS.map(([, name]) => style.getPropertyValue(name));
      }
      // Rounds that fall on the same pixel share a mark. What goes on is a line from its beginning.
      const columns = new Uint8Array(canvas.width);
      const lines = new Uint8Array(canvas.width);
      const step = last === 0 ? 0 : ((width - THUMB) * ratio) / last;
      for (let n = 0; n <= Math.min(last, upTo); n += 1) {
        const at = (THUMB / 2) * ratio + n * step;
        const [found, begun] = [moments.at(n, seat), moments.begun(n, seat)];
        columns[Math.floor(at)] |= begun;
        for (let x = Math.max(0, Math.floor(at - step)); x <= at && found !== begun; x += 1) {
          lines[x] |= found & ~begun;
        }
      }
      const tick = Math.max(1, Math.round(Math.min(2 * ratio, 0.6 * step)));
      const widest = Math.round(4 * ratio);
      for (const [at, [flags, , share]] of KINDS.entries()) {
        ctx.fillStyle = colours[at];
        const height = Math.round(share * canvas.height);
        lines.forEach((found, x) => {
          if ((found & flags) !== 0) {
            ctx.fillRect(x, canvas.height - LINE * ratio, 1, LINE * ratio);
          }
        });
        columns.forEach((found, x) => {
          if ((found & flags) !== 0) {
            // There is only one difference: it must not be missed.
            const width = flags === DIFFERENCE ? widest : tick;
            ctx.fillRect(x, canvas.height - height, width, height);
          }
        });
      }
    },
  };
}
