/**
 * The light and the dark theme: which one is shown, kept and told. Colours themselves are those of
 * style.css and colours.js.
 *
 * The theme is the `data-theme` of the document's element: who draws on a canvas watches that.
 *
 * @module
 */

import { applyPalette } from "./colours.js";
import { el } from "./dom.js";

/** @typedef {import("./colours.js").Theme} Theme */

const KEY = "lanista-theme";

/**
 * Which theme is shown.
 *
 * @returns {Theme}
 */
export function theme() {
  return document.documentElement.dataset.theme === "dark" ? "dark" : "light";
}

/** Show the theme that was chosen here before, else the system's, and follow that one. */
export function startTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => show(chosen() ?? (dark.matches ? "dark" : "light"));
  dark.addEventListener("change", follow);
  follow();
}

/**
 * A button that changes the theme, for good.
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
    try {
      localStorage.setItem(KEY, other);
    } catch {
      // No storage, as in a private window: it holds until the page is left.
    }
    show(other);
  });
  new MutationObserver(name).observe(document.documentElement, {
    attributeFilter: ["data-theme"],
  });
  name();
  return button;
}

/** @returns {Theme | null} */
function chosen() {
  try {
    const kept = localStorage.getItem(KEY);
    return kept === "dark" || kept === "light" ? kept : null;
  } catch {
    return null;
  }
}

/** @param {Theme} chosenTheme */
function show(chosenTheme) {
  // The palette first: who watches the theme reads its variables.
  applyPalette(chosenTheme);
  document.documentElement.dataset.theme = chosenTheme;
}
