/**
 * The light and the dark theme: which one is shown, and the user's choice. The colours are in
 * style.css and colours.js.
 *
 * The theme is the `data-theme` of the document's root element. Modules that draw on a canvas watch
 * that attribute.
 *
 * @module
 */

import { applyPalette } from "./colours.js";
import { el } from "./dom.js";
import { keep, kept } from "./kept.js";

/** @typedef {import("./colours.js").Theme} Theme */

/** The name under which the browser keeps the choice. */
const KEPT = "theme";

/**
 * Return the theme that is shown.
 *
 * @returns {Theme}
 */
export function theme() {
  return document.documentElement.dataset.theme === "dark" ? "dark" : "light";
}

/** Show the theme that the user chose earlier, or follow the system's; on paper, the light one. */
export function startTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => show(chosen() ?? (dark.matches ? "dark" : "light"));
  dark.addEventListener("change", follow);
  addEventListener("beforeprint", () => show("light"));
  addEventListener("afterprint", follow);
  follow();
}

/**
 * Make a button that changes the theme and stores the choice.
 *
 * @returns {HTMLButtonElement}
 */
export function themeButton() {
  const button = el("button", { class: "button small", type: "button" });
  const name = () => {
    const other = theme() === "dark" ? "light" : "dark";
    button.textContent = other === "dark" ? "Dark" : "Light";
    button.title = `Change to the ${other} theme`;
    button.setAttribute("aria-label", button.title);
  };
  button.addEventListener("click", () => {
    const other = theme() === "dark" ? "light" : "dark";
    keep(KEPT, other);
    show(other);
  });
  new MutationObserver(name).observe(document.documentElement, {
    attributeFilter: ["data-theme"],
  });
  name();
  return button;
}

/** Return the user's stored choice. @returns {Theme | null} */
function chosen() {
  const before = kept(KEPT);
  return before === "dark" || before === "light" ? before : null;
}

/** @param {Theme} chosenTheme */
function show(chosenTheme) {
  // The palette is applied first, as watchers of the theme read its variables.
  applyPalette(chosenTheme);
  document.documentElement.dataset.theme = chosenTheme;
}
