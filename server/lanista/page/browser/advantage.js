/**
 * The advantage over time, behind the slider: the share of each seat in the sum of the scores.
 *
 * @module
 */

import { PALETTE } from "./colours.js";
import { el } from "./dom.js";
import { context2d } from "./ground.js";

/** Width of a column in CSS px. */
const COLUMN = 2;

/**
 * Make the picture.
 *
 * @param {number} thumb width of the slider's thumb in CSS px
 * @returns {{element: HTMLElement, show(scores: (n: number) => readonly number[] | null, options:
 *   {version: number, last: number, upTo: number}): void, restyle(): void, close(): void}} `show`
 *   draws it if anything has changed, for a slider from 0 to `last`, no round beyond `upTo`
 */
export function advantage(thumb) {
  const canvas = el("canvas", { class: "advantage", "aria-hidden": "true" });
  let drawn = "";
  let width = 0;
  /** @type {string[]} */
  let colours = [];
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
      colours = [];
    },
    close() {
      sized.disconnect();
    },
    show(scores, { version, last, upTo }) {
      again = () => this.show(scores, { version, last, upTo });
      const key = `${version} ${last} ${upTo} ${width}`;
      if (key === drawn || width === 0 || last === 0) {
        return;
      }
      drawn = key;
      const columns = Math.floor(width / COLUMN);
      canvas.width = columns;
      canvas.height = 100;
      const ctx = context2d(canvas);
      const step = (width - thumb) / last;
      for (let x = 0; x < columns; x += 1) {
        const n = Math.round((x * COLUMN - thumb / 2) / step);
        const all = n >= 0 && n <= Math.min(last, upTo) ? scores(n) : null;
        const sum = all?.reduce((total, score) => total + Math.max(0, score), 0) ?? 0;
        let top = 0;
        for (const [seat, score] of sum === 0 ? [] : /** @type {number[]} */ (all).entries()) {
          colours[seat] ??= getComputedStyle(canvas).getPropertyValue(
            `--seat-${seat % PALETTE.light.seats.length}-ground`,
          );
          const height = (100 * Math.max(0, score)) / sum;
          ctx.fillStyle = colours[seat];
          ctx.fillRect(x, top, 1, height);
          top += height;
        }
      }
    },
  };
}
