/**
 * The advantage over time, behind the slider: the share of each seat in the sum of the scores.
 *
 * @module
 */

import { PALETTE } from "./colours.js";
import { slideCanvas } from "./slide_canvas.js";

/** Width of a column in CSS px. */
const COLUMN = 2;

/**
 * Make the picture.
 *
 * @param {number} thumb width of the slider's thumb in CSS px
 * @returns {{element: HTMLElement, show(scores: (n: number) => readonly number[] | null,
 *   shown: import("./slide_canvas.js").Shown): void, restyle(): void, close(): void}} as `slideCanvas`
 */
export function advantage(thumb) {
  const canvas = slideCanvas("advantage");
  return {
    element: canvas.element,
    restyle: canvas.restyle,
    close: canvas.close,
    show(scores, shown) {
      const { last, upTo } = shown;
      if (last === 0) {
        return;
      }
      canvas.show(shown, (ctx, width) => {
        const columns = Math.floor(width / COLUMN);
        ctx.canvas.width = columns;
        ctx.canvas.height = 100;
        const step = (width - thumb) / last;
        for (let x = 0; x < columns; x += 1) {
          const n = Math.round((x * COLUMN - thumb / 2) / step);
          const all = n >= 0 && n <= Math.min(last, upTo) ? scores(n) : null;
          const sum = all?.reduce((total, score) => total + Math.max(0, score), 0) ?? 0;
          let top = 0;
          for (const [seat, score] of sum === 0 ? [] : /** @type {number[]} */ (all).entries()) {
            const height = (100 * Math.max(0, score)) / sum;
            ctx.fillStyle = canvas.colour(`--seat-${seat % PALETTE.light.seats.length}-ground`);
            ctx.fillRect(x, top, 1, height);
            top += height;
          }
        }
      });
    },
  };
}
