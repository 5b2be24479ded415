/**
 * The parts of the dock: one at a time, chosen by tabs. The browser keeps the choice.
 *
 * @module
 */

import { el } from "./dom.js";
import { keep, kept } from "./kept.js";

/**
 * Make an element that contains all parts.
 *
 * @param {[key: string, title: string, content: HTMLElement][]} parts
 * @param {object} options
 * @param {string} options.name the name under which the choice is kept
 * @param {HTMLElement} [options.aside] stands beside the tabs
 * @param {() => void} options.changed is called when another part is shown
 * @returns {{element: HTMLElement, choose(key: string): void, chosen(): string}}
 */
export function tabs(parts, { name, aside, changed }) {
  const buttons = parts.map(([key, title]) =>
    el(
      "button",
      {
        type: "button",
        role: "tab",
        id: `tab-${key}`,
        "aria-controls": `part-${key}`,
        onclick: () => pick(key),
      },
      title,
    ),
  );
  const list = el("div", { class: "tabs", role: "tablist", "aria-label": "Details" }, ...buttons);
  const sections = parts.map(([key, , content]) =>
    el(
      "section",
      {
        class: "part",
        id: `part-${key}`,
        role: "tabpanel",
        "aria-labelledby": `tab-${key}`,
        tabindex: 0,
        "data-scrolls": true,
      },
      content,
    ),
  );
  const element = el(
    "div",
    { class: "parts" },
    el("div", { class: "tab-bar" }, list, aside),
    el("div", { class: "part-list" }, ...sections),
  );

  /** Key of the part that is shown. */
  let shown = "";

  /** @param {string} chosen */
  function choose(chosen) {
    shown = chosen;
    parts.forEach(([key], at) => {
      const isChosen = key === chosen;
      buttons[at].setAttribute("aria-selected", String(isChosen));
      buttons[at].tabIndex = isChosen ? 0 : -1;
      sections[at].classList.toggle("chosen", isChosen);
    });
  }

  /** Show a part, and keep the choice. @param {string} key */
  function pick(key) {
    choose(key);
    keep(name, key);
    changed();
  }

  element.querySelector(".tab-bar")?.addEventListener("click", (event) => {
    // Otherwise the arrow keys, which step through the match, would choose the next tab.
    const { detail, target } = /** @type {MouseEvent} */ (event);
    if (detail > 0 && target instanceof Element) {
      target.closest("button")?.blur();
    }
  });
  list.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const at = buttons.findIndex((button) => button === event.target);
    if (step !== undefined && at >= 0) {
      const next = (at + step + parts.length) % parts.length;
      pick(parts[next][0]);
      buttons[next].focus();
      event.preventDefault();
    }
  });
  const before = kept(name);
  choose(parts.some(([key]) => key === before) ? String(before) : parts[0][0]);
  return { element, choose: pick, chosen: () => shown };
}
