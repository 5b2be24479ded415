/**
 * The parts below the board: beside each other where there is room, else one at a time behind tabs.
 *
 * match.css decides which of the two it is; the elements for both are always there.
 *
 * @module
 */

import { el } from "./dom.js";

/**
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
      const is = key === chosen;
      buttons[at].setAttribute("aria-selected", String(is));
      buttons[at].tabIndex = is ? 0 : -1;
      sections[at].classList.toggle("chosen", is);
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
