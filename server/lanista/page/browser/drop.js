/**
 * Files that the user drops anywhere on the page, or chooses by a button. The arena finds out what
 * they contain.
 *
 * @module
 */

import { el } from "./dom.js";

/**
 * Accept files that are dropped on the page, except on a part of it that takes them itself: that
 * one prevents the events' defaults.
 *
 * @param {(file: File) => void} take is called with the first of the dropped files
 */
export function acceptDrops(take) {
  const overlay = el(
    "div",
    { class: "veil", hidden: true },
    el("p", null, "Drop a record, or a .res file of an original game, to watch it"),
  );
  document.body.append(overlay);
  const hasFiles = (/** @type {DragEvent} */ event) =>
    event.dataTransfer?.types.includes("Files") ?? false;
  document.addEventListener("dragover", (event) => {
    if (hasFiles(event)) {
      overlay.hidden = event.defaultPrevented;
      // Otherwise the browser would leave the page and open the file.
      event.preventDefault();
    }
  });
  document.addEventListener("dragleave", (event) => {
    // The event is also sent for elements within the page; without a next element it is the page.
    if (event.relatedTarget === null) {
      overlay.hidden = true;
    }
  });
  document.addEventListener("drop", (event) => {
    overlay.hidden = true;
    if (hasFiles(event) && !event.defaultPrevented) {
      event.preventDefault();
      const file = event.dataTransfer?.files[0];
      if (file !== undefined) {
        take(file);
      }
    }
  });
}

/**
 * Make a button to choose a file.
 *
 * @param {(file: File) => void} take
 * @returns {HTMLElement}
 */
export function fileButton(take) {
  const input = el("input", { type: "file", accept: ".res,.gz,.jsonl", hidden: true });
  input.addEventListener("change", () => {
    const file = input.files?.[0];
    // Without this, choosing the same file again wouldn't be a change.
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
