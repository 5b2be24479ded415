/**
 * The buttons of the match view: those that move through the match, and those that control a
 * running one. They only report what the user wants; match.js and the arena carry it out.
 *
 * @module
 */

import { confirmButton } from "./cards.js";
import { el } from "./dom.js";
import { SPEEDS } from "./player.js";

/** @typedef {import("./help.js").Action} Action */
/** @typedef {import("./player.js").Player} Player */

/** SVG paths of the icons on buttons, in a square of 24 by 24. */
const ICONS = {
  first: "M5 5h2v14H5z M19 5v14L8 12z",
  back: "M16 5v14L6 12z",
  play: "M7 4v16l13-8z",
  pause: "M6 5h4v14H6z M14 5h4v14h-4z",
  next: "M8 5v14l10-7z",
  end: "M17 5h2v14h-2z M5 5v14l11-7z",
};
const SVG = "http://www.w3.org/2000/svg";

/**
 * Make the transport bar below the board: the buttons, the round, and the speed.
 *
 * @param {object} handlers
 * @param {(action: Action) => void} handlers.act is called when a button was pressed
 * @param {(round: number) => void} handlers.seek is called when the slider was moved, or a round
 *   was entered
 * @param {(speed: number) => void} handlers.speed is called with the chosen one of `SPEEDS`
 * @returns {{element: HTMLElement, show(player: Player, options: {byScore: boolean}): void}}
 */
export function transport({ act, seek, speed }) {
  /** @param {keyof ICONS & Action} action @param {string} title */
  const step = (action, title) => button(title, () => act(action), icon(action));
  const playIcon = icon("play");
  const toggle = button("", () => act("toggle"), playIcon);
  toggle.classList.add("toggle");
  const live = button("Stay at the newest round (L)", () => act("live"), "Live");
  live.classList.add("go-live");
  const move = button("Show movement (A)", () => act("animate"), "Movement");
  const order = button("Order the players by score (O)", () => act("order"), "By score");
  const help = button("What the keys do (?)", () => act("help"), "Help");
  const slider = el("input", {
    type: "range",
    min: 0,
    max: 0,
    step: 1,
    value: 0,
    "aria-label": "Round",
  });
  slider.addEventListener("input", () => seek(Number(slider.value)));
  const field = el("input", {
    type: "number",
    min: 0,
    step: 1,
    value: 0,
    inputmode: "numeric",
    "aria-label": "Go to round",
  });
  field.addEventListener("change", () => {
    seek(Number(field.value));
    field.blur();
  });
  const of = el("span", { class: "of" });
  const choose = el(
    "select",
    { "aria-label": "Speed", title: "Speed (+ and −)" },
    SPEEDS.map((speed) => el("option", { value: speed }, `${FRACTIONS.get(speed) ?? speed}×`)),
  );
  choose.addEventListener("change", () => {
    speed(Number(choose.value));
    choose.blur();
  });
  const element = el(
    "div",
    { class: "transport", role: "group", "aria-label": "Replay" },
    el(
      "div",
      { class: "steps" },
      step("first", "To the start (Home)"),
      step("back", "One round back (←)"),
      toggle,
      step("next", "One round on (→)"),
      step("end", "To the end (End)"),
    ),
    el("label", { class: "go-round" }, el("span", null, "Round"), field, of),
    slider,
    el("div", { class: "more" }, choose, live, move, order, help),
  );
  element.addEventListener("click", (event) => {
    // Otherwise the space key, which means play, would press the button that was clicked last.
    if (event.detail > 0 && event.target instanceof Element) {
      event.target.closest("button")?.blur();
    }
  });
  return {
    element,
    show(player, { byScore }) {
      const { round, last, mode } = player;
      // The field has the last number's width all the time, so that nothing moves during play.
      updateAttribute(slider, "max", String(last));
      slider.value = String(round);
      slider.setAttribute("aria-valuetext", `round ${round} of ${last}`);
      slider.style.setProperty("--part", `${last === 0 ? 0 : (100 * round) / last}%`);
      updateAttribute(field, "max", String(last));
      if (document.activeElement !== field) {
        field.value = String(round);
      }
      field.style.width = `${Math.max(3, String(last).length) + 3}ch`;
      of.textContent = ` of ${last}${player.over ? "" : "…"}`;
      choose.value = String(player.speed);
      const moving = mode !== "paused";
      playIcon.setAttribute("d", moving ? ICONS.pause : ICONS.play);
      updateAttribute(toggle, "title", moving ? "Pause (Space)" : "Play (Space)");
      updateAttribute(toggle, "aria-label", toggle.title);
      live.hidden = player.over;
      setPressed(live, mode === "live");
      setPressed(move, player.animated);
      setPressed(order, byScore);
    },
  };
}

const FRACTIONS = new Map([
  [0.25, "¼"],
  [0.5, "½"],
]);

/**
 * Make the operator's buttons for a running match.
 *
 * @param {object} options
 * @param {(what: "pause" | "resume" | "step" | "cancel") => Promise<unknown>} options.ask sends a
 *   command; rejects with the arena's message
 * @param {() => {paused: boolean} | null} options.running returns the state of the match; null: it
 *   isn't running
 * @param {(message: string) => void} options.trouble shows a message; an empty one removes it
 * @returns {{element: HTMLElement, show(): void}} `show` updates the buttons from `running`
 */
export function matchControls({ ask, running, trouble }) {
  /** @param {"pause" | "resume" | "step" | "cancel"} what */
  const command = async (what) => {
    try {
      await ask(what);
      trouble("");
    } catch (error) {
      trouble(error instanceof Error ? error.message : String(error));
    }
  };
  /** @param {"pause" | "resume" | "step"} what @param {string} label @param {string} title */
  const commandButton = (what, label, title) =>
    el(
      "button",
      { class: "button small", type: "button", title, onclick: () => command(what) },
      label,
    );
  const pause = commandButton(
    "pause",
    "Pause match",
    "Hold the match itself after this turn, for everybody",
  );
  const resume = commandButton("resume", "Resume match", "Let the match go on");
  const step = commandButton("step", "One turn", "Play one turn of the match, then hold it");
  const cancel = confirmButton(
    "Cancel match",
    { title: "End the match as aborted", question: "Really end this match?" },
    () => command("cancel"),
  );
  const held = el("span", { class: "badge warn" }, "match paused");
  const element = el(
    "div",
    { class: "steering row", role: "group", "aria-label": "Running match" },
    held,
    // This button comes and goes. Before the others it doesn't move them.
    step,
    pause,
    resume,
    cancel,
  );
  const show = () => {
    const now = running();
    element.hidden = now === null;
    held.hidden = now?.paused !== true;
    pause.hidden = now?.paused === true;
    resume.hidden = now?.paused !== true;
    step.hidden = now?.paused !== true;
  };
  show();
  return { element, show };
}

/**
 * Make a button that copies a text to the clipboard. Where the browser doesn't allow that, as for a
 * page from another machine without TLS, it shows the text to be copied by hand.
 *
 * @param {() => string} text
 * @param {{label: string, title: string}} labels
 * @returns {HTMLElement}
 */
export function copyButton(text, { label, title }) {
  const field = el("textarea", { readonly: true, hidden: true, rows: 1, "aria-label": title });
  const button = el("button", { class: "button small", type: "button", title }, label);
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text());
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = label), 1500);
    } catch {
      field.value = text();
      field.hidden = false;
      field.select();
    }
  });
  field.addEventListener("blur", () => (field.hidden = true));
  return el("span", { class: "row" }, button, field);
}

/**
 * Make a button with a text or an icon.
 *
 * @param {string} title
 * @param {() => void} onclick
 * @param {SVGPathElement | string} content
 */
function button(title, onclick, content) {
  const drawn = typeof content !== "string";
  const inside = drawn ? svgOf(content) : content;
  const label = drawn ? title : null;
  return el(
    "button",
    { class: "button", type: "button", title, "aria-label": label, onclick },
    inside,
  );
}

/** @param {keyof ICONS} name */
function icon(name) {
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", ICONS[name]);
  return path;
}

/** @param {SVGPathElement} path */
function svgOf(path) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.append(path);
  return svg;
}

/**
 * Set an attribute unless it already has that value: this is called for every round that is drawn.
 *
 * @param {HTMLElement} element
 * @param {string} name
 * @param {string} value
 */
function updateAttribute(element, name, value) {
  if (element.getAttribute(name) !== value) {
    element.setAttribute(name, value);
  }
}

/** @param {HTMLElement} element @param {boolean} pressed */
function setPressed(element, pressed) {
  updateAttribute(element, "aria-pressed", String(pressed));
}
