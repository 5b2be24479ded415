/**
 * A picture at the slider: a canvas that is as wide as the slider, and drawn anew only when what it
 * shows has changed.
 *
 * @module
 */

import { el } from "./dom.js";
import { context2d } from "./ground.js";

/**
 * What a picture shows, for a slider from 0 to `last`; no round beyond `upTo` is told of. `version`
 * changes whenever anything else does.
 *
 * @typedef {{version: number | string, last: number, upTo: number}} Shown
 */

/**
 * Make the canvas.
 *
 * @param {string} name its class
 * @returns {{element: HTMLCanvasElement, show(shown: Shown,
 *   draw: (ctx: CanvasRenderingContext2D, width: number) => void): void,
 *   colour(variable: string): string, restyle(): void, close(): void}} `show` calls `draw` with the
 *   width in CSS px if anything has changed, the width included; `colour` returns the value of a CSS
 *   variable; `restyle` adopts another theme with the next `show`
 */
export function slideCanvas(name) {
  const element = el("canvas", { class: name, "aria-hidden": "true" });
  let drawn = "";
  // Asking for the size and the colours of an element for every round would slow down play.
  let width = 0;
  /** @type {Map<string, string>} */
  const colours = new Map();
  /** Draws what was shown last. */
  let again = () => {};
  const sized = new ResizeObserver(([{ contentRect }]) => {
    width = contentRect.width;
    again();
  });
  sized.observe(element);
  return {
    element,
    show(shown, draw) {
      again = () => this.show(shown, draw);
      const key = `${shown.version} ${shown.last} ${shown.upTo} ${width}`;
      if (key !== drawn && width > 0) {
        drawn = key;
        draw(context2d(element), width);
      }
    },
    colour(variable) {
      const known = colours.get(variable) ?? getComputedStyle(element).getPropertyValue(variable);
      colours.set(variable, known);
      return known;
    },
    restyle() {
      drawn = "";
      colours.clear();
    },
    close() {
      sized.disconnect();
    },
  };
}
