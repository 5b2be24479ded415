/**
 * The keys of the match view: the action of each key, and the dialog that lists them.
 *
 * match.js carries out the actions.
 *
 * @module
 */

import { el } from "./dom.js";

/**
 * @typedef {"toggle" | "first" | "end" | "back" | "next" | "back10" | "next10" | "slower"
 *   | "faster" | "live" | "animate" | "order" | "follow" | "unfollow" | "help"} Action
 */

/**
 * All keys. `keys` are values of KeyboardEvent.key; `shown` is what is written on the keys.
 *
 * @type {readonly {action: Action, keys: readonly string[], shown: readonly string[],
 *   description: string}[]}
 */
const KEYS = Object.freeze([
  { action: "toggle", keys: [" "], shown: ["Space"], description: "play or pause" },
  {
    action: "back",
    keys: ["ArrowLeft", "ArrowUp"],
    shown: ["←", "↑"],
    description: "one round back, and pause",
  },
  {
    action: "next",
    keys: ["ArrowRight", "ArrowDown"],
    shown: ["→", "↓"],
    description: "one round on, and pause",
  },
  { action: "back10", keys: ["PageUp"], shown: ["Page Up"], description: "ten rounds back" },
  { action: "next10", keys: ["PageDown"], shown: ["Page Down"], description: "ten rounds on" },
  { action: "first", keys: ["Home"], shown: ["Home"], description: "to the start" },
  {
    action: "end",
    keys: ["End"],
    shown: ["End"],
    description: "to the end; of a running match: live",
  },
  { action: "live", keys: ["l"], shown: ["L"], description: "live: stay at the newest round" },
  { action: "slower", keys: ["-"], shown: ["−"], description: "slower" },
  { action: "faster", keys: ["+", "="], shown: ["+"], description: "faster" },
  { action: "animate", keys: ["a"], shown: ["A"], description: "show movement, or don't" },
  {
    action: "order",
    keys: ["o"],
    shown: ["O"],
    description: "order the players by score, or by seat",
  },
  {
    action: "follow",
    keys: ["f"],
    shown: ["F"],
    description: "follow the unit under the pointer; so does a click on it",
  },
  { action: "unfollow", keys: ["Escape"], shown: ["Esc"], description: "follow no unit" },
  { action: "help", keys: ["?", "h"], shown: ["?", "H"], description: "this list" },
]);

/** @type {Map<string, Action>} */
const ACTIONS = new Map(KEYS.flatMap(({ action, keys }) => keys.map((key) => [key, action])));

/** Selector of elements in which letters are typed, or which use the arrow keys. */
const FIELDS = "input:not([type=checkbox], [type=range]), select, textarea, [contenteditable]";
/** Selector of elements that the space key presses. */
const PRESSABLE = "button, a, summary, input[type=checkbox]";
/** Selector of elements that scroll or choose by the arrow keys when they have the focus. */
const USES_ARROWS = "[data-scrolls], [role=tab]";

/**
 * Return the action of a pressed key.
 *
 * @param {KeyboardEvent} event
 * @returns {Action | null} null: it has none, or it is meant for the element that has the focus
 */
export function actionOf(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) {
    return null;
  }
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const { target } = event;
  if (target instanceof Element) {
    const isForTarget =
      target.closest(FIELDS) !== null ||
      target.closest("dialog") !== null ||
      (key === " " && target.closest(PRESSABLE) !== null) ||
      (key !== "Escape" && key.length > 1 && target.closest(USES_ARROWS) !== null);
    if (isForTarget) {
      return null;
    }
  }
  return ACTIONS.get(key) ?? null;
}

/**
 * Make the dialog that lists the keys; its `showModal` opens it.
 *
 * @returns {HTMLDialogElement}
 */
export function helpDialog() {
  const rows = KEYS.map(({ shown, description }) =>
    el(
      "tr",
      null,
      el(
        "td",
        { class: "keys" },
        shown.map((key) => el("kbd", null, key)),
      ),
      el("td", null, description),
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
