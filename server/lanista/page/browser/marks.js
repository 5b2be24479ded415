/**
 * The marks at the slider: where answers were late or refused, bots failed, many more orders than
 * before had no effect, and things happened, and where two matches first differ.
 *
 * @module
 */

import { DIFFERENCE, EVENT, FAILED, LATE, REFUSED, WASTED } from "./moments.js";
import { slideCanvas } from "./slide_canvas.js";

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
 * @returns {{element: HTMLElement, show(moments: Moments, seat: number | null,
 *   shown: import("./slide_canvas.js").Shown): void, restyle(): void, close(): void}} `show` draws
 *   the marks of one seat, or of all; otherwise as `slideCanvas`
 */
export function slideMarks() {
  const canvas = slideCanvas("marks");
  return {
    element: canvas.element,
    restyle: canvas.restyle,
    close: canvas.close,
    show(moments, seat, shown) {
      const { last, upTo } = shown;
      canvas.show({ ...shown, version: `${shown.version} ${seat}` }, (ctx, width) => {
        const ratio = globalThis.devicePixelRatio || 1;
        const { canvas: image } = ctx;
        image.width = Math.round(width * ratio);
        image.height = Math.round(HEIGHT * ratio);
        // Rounds that fall on the same pixel share a mark. What goes on is a line from its beginning.
        const columns = new Uint8Array(image.width);
        const lines = new Uint8Array(image.width);
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
        for (const [flags, colour, share] of KINDS) {
          ctx.fillStyle = canvas.colour(colour);
          const height = Math.round(share * image.height);
          lines.forEach((found, x) => {
            if ((found & flags) !== 0) {
              ctx.fillRect(x, image.height - LINE * ratio, 1, LINE * ratio);
            }
          });
          columns.forEach((found, x) => {
            if ((found & flags) !== 0) {
              // There is only one difference: it must not be missed.
              const wide = flags === DIFFERENCE ? widest : tick;
              ctx.fillRect(x, image.height - height, wide, height);
            }
          });
        }
      });
    },
  };
}
