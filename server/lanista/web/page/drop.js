/**
 * Takes a file that is dropped anywhere on the page, or chosen by a button. What the file contains
 * is found out elsewhere.
 *
 * @module
 */

import { el } from "./dom.js";

/**
 * Make the whole page take files.
 *
 * @param {(file: File) => void} take is given the first file of those dropped
 */
export function takeDrops(take) {
  const veil = el(
    "div",
    { class: "veil", hidden: true },
    el("p", null, "Drop a record, or a .res file of an original game, to watch it"),
  );
  document.body.append(veil);
  const carries = (/** @type {DragEvent} */ event) =>
    event.dataTransfer?.types.includes("Files") ?? false;
  document.addEventListener("dragover", (event) => {
    if (carries(event)) {
      // Else the browser would leave the page and open the file.
      event.preventDefault();
      veil.hidden = false;
    }
  });
  document.addEventListener("dragleave", (event) => {
    // The pointer leaves elements all the time; it leaves the page only if there is no next one.
    if (event.relatedTarget === null) {
      veil.hidden = true;
    }
  });
  document.addEventListener("drop", (event) => {
    veil.hidden = true;
    if (carries(event)) {
      event.preventDefault();
      const file = event.dataTransfer?.files[0];
      if (file !== undefined) {
        take(file);
      }
    }
  });
}

/**
 * A button to choose a file.
 *
 * @param {(file: File) => void} take
 * @returns {HTMLElement}
 */
export function fileButton(take) {
  const input = el("input", { type: "file", accept: ".res,.gz,.jsonl", hidden: true });
  input.addEventListener("change", () => {
    const file = input.files?.[0];
    // The same file can be chosen again.
    input.value = "";
    if (file !== undefined) {
      take(file);
    }
  });
  return el(
    "span",
    null,
    input,
    el(
      "button",
      {
        class: "button small",
        type: "button",
        title: "Watch a record, or a .res file of an original game; or drop it anywhere",
        onclick: () => input.click(),
      },
      "Open file",
    ),
  );
}
