/**
 * The keys of a view of matches: the action of each key, and the dialog that lists them.
 *
 * board_view.js carries out the actions.
 *
 * @module
 */

import { el } from "./dom.js";

/**
 * @typedef {"toggle" | "first" | "end" | "back" | "next" | "back10" | "next10" | "backFault"
 *   | "nextFault" | "decided" | "slower" | "faster" | "live" | "spoilers" | "animate" | "order"
 *   | "board" | "zoomIn" | "zoomOut" | "zoomFit" | "full" | "follow" | "unfollow" | "help"} Action
 */

/**
 * All keys. `keys` are values of KeyboardEvent.key, with `Shift+` before the names of keys that
 * aren't letters; `shown` is what is written on the keys. Keys that scroll the page, as Page Down,
 * are left to the browser.
 *
 * @type {readonly {action: Action, keys: readonly string[], shown: readonly string[],
 *   description: string}[]}
 */
const KEYS = Object.freeze([
  { action: "toggle", keys: [" "], shown: ["Space"], description: "play or pause" },
  {
    action: "back",
    keys: ["ArrowLeft"],
    shown: ["←"],
    description: "one round back, and pause",
  },
  {
    action: "next",
    keys: ["ArrowRight"],
    shown: ["→"],
    description: "one round on, and pause",
  },
  {
    action: "back10",
    keys: ["Shift+ArrowLeft"],
    shown: ["Shift", "←"],
    description: "ten rounds back",
  },
  {
    action: "next10",
    keys: ["Shift+ArrowRight"],
    shown: ["Shift", "→"],
    description: "ten rounds on",
  },
  {
    action: "backFault",
    keys: ["p"],
    shown: ["P"],
    description: "to the previous fault, of the chosen player or of any",
  },
  { action: "nextFault", keys: ["n"], shown: ["N"], description: "to the next fault" },
  {
    action: "decided",
    keys: ["d"],
    shown: ["D"],
    description:
      "to where it was decided, once spoilers are shown: the largest gain in the winner's lead",
  },
  { action: "first", keys: ["Home"], shown: ["Home"], description: "to the start" },
  {
    action: "end",
    keys: ["End"],
    shown: ["End"],
    description: "to the end; of a running match: live",
  },
  { action: "live", keys: ["l"], shown: ["L"], description: "live: stay at the newest round" },
  {
    action: "spoilers",
    keys: ["s"],
    shown: ["S"],
    description: "tell how the match ended, or don't until its end is reached",
  },
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
    action: "board",
    keys: ["b"],
    shown: ["B"],
    description: "to the board: there the arrow keys point at cells, and Enter follows a unit",
  },
  { action: "zoomIn", keys: ["z"], shown: ["Z"], description: "zoom in; so does the wheel" },
  { action: "zoomOut", keys: ["x"], shown: ["X"], description: "zoom out" },
  { action: "zoomFit", keys: ["0"], shown: ["0"], description: "the whole board" },
  {
    action: "full",
    keys: ["v"],
    shown: ["V"],
    description: "the board alone, on the whole screen, or all again",
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
/** Selector of elements that choose by the arrow keys when they have the focus. */
const USES_ARROWS = "[role=tab], [role=application]";
/** Selector of elements that scroll to their ends by Home and End when they have the focus. */
const SCROLLS = "[data-scrolls]";

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
  const isLetter = event.key.length === 1;
  const key = isLetter ? event.key.toLowerCase() : `${event.shiftKey ? "Shift+" : ""}${event.key}`;
  const { target } = event;
  if (target instanceof Element) {
    const isForTarget =
      target.closest(FIELDS) !== null ||
      target.closest("dialog") !== null ||
      (key === " " && target.closest(PRESSABLE) !== null) ||
      (key.includes("Arrow") && target.closest(USES_ARROWS) !== null) ||
      ((key === "Home" || key === "End") && target.closest(SCROLLS) !== null);
    if (isForTarget) {
      return null;
    }
  }
  return ACTIONS.get(key) ?? null;
}

/**
 * Make the dialog that lists the keys; its `showModal` opens it.
 *
 * @param {string} word the game's own word for a turn
 * @param {Partial<Record<Action, string | null>>} [others] other descriptions; null: the view doesn't
 *   have this action
 * @returns {HTMLDialogElement}
 */
export function helpDialog(word, others = {}) {
  const offered = KEYS.map((key) => ({ ...key, description: others[key.action] ?? key.description }));
  const rows = offered.filter(({ action }) => others[action] !== null).map(({ shown, description }) =>
    el(
      "tr",
      null,
      el(
        "td",
        { class: "keys" },
        shown.map((key) => el("kbd", null, key)),
      ),
      el("td", null, description.replaceAll("round", word)),
    ),
  );
  const dialog = el(
    "dialog",
    { class: "help panel", "aria-labelledby": "help-title" },
    el(
      "form",
      { method: "dialog" },
      el("button", { class: "button primary", autofocus: true }, "Close"),
    ),
    el("h2", { id: "help-title" }, "Keys"),
    el("table", null, el("tbody", null, rows)),
    el(
      "p",
      { class: "muted" },
      "Point at the board to see what stands there, and at a line beside it to see what it is about. " +
        `Click a chart to go to that ${word}. At the slider, red marks are late or unreadable ` +
        "answers and bots that failed, yellow ones refused parts, gray ones events.",
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
