/**
 * The parts below the board: beside each other if there is room, otherwise one at a time with tabs.
 *
 * match.css decides which of the two is shown; the elements for both always exist.
 *
 * @module
 */

import { el } from "./dom.js";

/**
 * Make an element that contains all parts.
 *
 * @param {[key: string, title: string, content: HTMLElement][]} parts
 * @returns {HTMLElement}
 */
export function tabs(parts) {
  const buttons = parts.map(([key, title]) =>
    el(
      "button",
      {
        type: "button",
        role: "tab",
        id: `tab-${key}`,
        "aria-controls": `part-${key}`,
        onclick: () => choose(key),
      },
      title,
    ),
  );
  const list = el("div", { class: "tabs", role: "tablist", "aria-label": "Details" }, ...buttons);
  const sections = parts.map(([key, title, content]) =>
    el(
      "section",
      { class: "part", id: `part-${key}`, role: "tabpanel", "aria-label": title },
      el("h2", null, title),
      content,
    ),
  );
  const element = el(
    "div",
    { class: "parts" },
    list,
    el("div", { class: "part-list" }, ...sections),
  );

  /** @param {string} chosen */
  function choose(chosen) {
    parts.forEach(([key], at) => {
      const isChosen = key === chosen;
      buttons[at].setAttribute("aria-selected", String(isChosen));
      buttons[at].tabIndex = isChosen ? 0 : -1;
      sections[at].classList.toggle("chosen", isChosen);
    });
  }

  list.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const at = buttons.findIndex((button) => button === event.target);
    if (step !== undefined && at >= 0) {
      const next = (at + step + parts.length) % parts.length;
      choose(parts[next][0]);
      buttons[next].focus();
      event.preventDefault();
    }
  });
  choose(parts[0][0]);
  return element;
}
