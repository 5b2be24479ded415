/**
 * The choice of the level that a narrow page shows.
 *
 * @module
 */

import { el } from "./dom.js";
import { capital } from "./text.js";

/** @typedef {import("./decode.js").Scene} Scene */

/** The choice among the levels of a scene. CSS shows it on a narrow page. */
export class LevelChoice {
  element;
  #scenes;
  #chosen = 0;

  /**
   * @param {Scene} scene
   * @param {() => void} changed is called when another level was chosen
   */
  constructor(scene, changed) {
    const { levels } = scene;
    this.#scenes = levels.length === 1 ? [scene] : levels.map((one) => ({ ...scene, levels: [one] }));
    const buttons = levels.map(({ title }, at) =>
      el(
        "button",
        {
          type: "button",
          class: "button small",
          "aria-pressed": String(at === 0),
          onclick: () => {
            this.#chosen = at;
            buttons.forEach((button, other) => {
              button.setAttribute("aria-pressed", String(other === at));
            });
            changed();
          },
        },
        capital(title),
      ),
    );
    this.element = el(
      "div",
      { class: "choice of-levels", role: "group", "aria-label": "Level", hidden: levels.length === 1 },
      buttons,
    );
  }

  /** The scene with the chosen level alone. @returns {Scene} */
  get scene() {
    return this.#scenes[this.#chosen];
  }
}
