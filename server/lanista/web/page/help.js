/**
 * The keys of the match view: what each does, which one was pressed, and the panel that lists them.
 *
 * Actions are carried out by match.js.
 *
 * @module
 */

import { el } from "./dom.js";

/**
 * @typedef {"toggle" | "first" | "end" | "back" | "next" | "back10" | "next10" | "slower"
 *   | "faster" | "live" | "animate" | "order" | "follow" | "unfollow" | "help"} Action
 */

/**
 * By action: the values of KeyboardEvent.key, how they are written on keys, what they do.
 *
 * @type {readonly {action: Action, keys: readonly string[], shown: readonly string[],
 *   words: string}[]}
 */
const KEYS = Object.freeze([
  { action: "toggle", keys: [" "], shown: ["Space"], words: "play or pause" },
  {
    action: "back",
    keys: ["ArrowLeft", "ArrowUp"],
    shown: ["←", "↑"],
    words: "one round back, and pause",
  },
  {
    action: "next",
    keys: ["ArrowRight", "ArrowDown"],
    shown: ["→", "↓"],
    words: "one round on, and pause",
  },
  { action: "back10", keys: ["PageUp"], shown: ["Page Up"], words: "ten rounds back" },
  { action: "next10", keys: ["PageDown"], shown: ["Page Down"], words: "ten rounds on" },
  { action: "first", keys: ["Home"], shown: ["Home"], words: "to the start" },
  { action: "end", keys: ["End"], shown: ["End"], words: "to the end; of a running match: live" },
  { action: "live", keys: ["l"], shown: ["L"], words: "live: stay at the newest round" },
  { action: "slower", keys: ["-"], shown: ["−"], words: "slower" },
  { action: "faster", keys: ["+", "="], shown: ["+"], words: "faster" },
  { action: "animate", keys: ["a"], shown: ["A"], words: "show movement, or don't" },
  { action: "order", keys: ["o"], shown: ["O"], words: "order the players by score, or by seat" },
  {
    action: "follow",
    keys: ["f"],
    shown: ["F"],
    words: "follow the unit under the pointer; so does a click on it",
  },
  { action: "unfollow", keys: ["Escape"], shown: ["Esc"], words: "follow no unit" },
  { action: "help", keys: ["?", "h"], shown: ["?", "H"], words: "this list" },
]);

/** @type {Map<string, Action>} */
const ACTIONS = new Map(KEYS.flatMap(({ action, keys }) => keys.map((key) => [key, action])));

/** Selects elements in which letters are typed, or which use the arrow keys. */
const FIELDS = "input:not([type=checkbox], [type=range]), select, textarea, [contenteditable]";
/** Selects elements that the space key presses. */
const PRESSED = "button, a, summary, input[type=checkbox]";
/** Selects elements that scroll or choose by the arrow keys when they have the focus. */
const SCROLLED = "[data-scrolls], [role=tab]";

/**
 * The action of a key.
 *
 * @param {KeyboardEvent} event
 * @returns {Action | null} null: nothing, or it is meant for the element that has the focus
 */
export function actionOf(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) {
    return null;
  }
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const { target } = event;
  if (target instanceof Element) {
    const own =
      target.closest(FIELDS) !== null ||
      target.closest("dialog") !== null ||
      (key === " " && target.closest(PRESSED) !== null) ||
      (key !== "Escape" && key.length > 1 && target.closest(SCROLLED) !== null);
    if (own) {
      return null;
    }
  }
  return ACTIONS.get(key) ?? null;
}

/**
 * The panel that lists the keys; `showModal` opens it.
 *
 * @returns {HTMLDialogElement}
 */
export function helpDialog() {
  const rows = KEYS.map(({ shown, words }) =>
    el(
      "tr",
      null,
      el(
        "td",
        { class: "keys" },
        shown.map((key) => el("kbd", null, key)),
      ),
      el("td", null, words),
    ),
  );
  const dialog = el(
    "dialog",
    { class: "help panel", "aria-labelledby": "help-title" },
    el("h2", { id: "help-title" }, "Keys"),
    el("table", null, el("tbody", null, rows)),
    el(
      "p",
      { class: "muted" },
      "Point at the board to see what stands there. Click a chart to go to that round.",
    ),
    el(
      "form",
      { method: "dialog" },
      el("button", { class: "button primary", autofocus: true }, "Close"),
    ),
  );
  dialog.addEventListener("click", (event) => {
    // A click whose target is the dialog itself is outside its content: on the backdrop.
    if (event.target === dialog) {
      dialog.close();
    }
  });
  return dialog;
}
